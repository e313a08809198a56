package lens

import (
	"slices"
	"strings"
	"testing"
)

// fixedParser returns a parser that returns the same result for every URL.
func fixedParser(name string, reading ParseResult) Parser {
	reading.OK = true
	return funcParser{name, "1", KindParser, func(string) ParseResult { return reading }}
}

func text(s string) *string { return &s }

// A result without a host must not be a danger, unless the other parser contacts a host with
// another scheme.
func TestNoHostIsNoDanger(t *testing.T) {
	for _, c := range []struct {
		url    string
		a, b   ParseResult
		danger bool
		why    string
	}{
		{"https://my_host.example.com/", ParseResult{Scheme: text("https")}, ParseResult{Scheme: text("https"), Host: text("my_host.example.com")}, false, "each that finds a host contacts my_host.example.com port 443."},
		{"http:/h.example/", ParseResult{Scheme: text("http")}, ParseResult{Scheme: text("http"), Host: text("h.example")}, false, "each that finds a host contacts h.example port 80."},
		{"javascript://h.example/x", ParseResult{Scheme: text("javascript")}, ParseResult{Scheme: text("javascript"), Host: text("h.example")}, false, "each that finds a host contacts h.example."},
		{"jdbc:mysql://localhost:3306/db", ParseResult{Scheme: text("jdbc")}, ParseResult{Scheme: text("ftp"), Host: text("jdbc")}, false, "a URL of the scheme jdbc needs no host"},
		{"jdbc:mysql://localhost:3306/db", ParseResult{Scheme: text("jdbc"), Host: text("mysql")}, ParseResult{Scheme: text("ftp"), Host: text("jdbc")}, false, "a URL of the scheme jdbc needs no host"},
		{"jar:file:/x.jar!/y", ParseResult{Scheme: text("jar")}, ParseResult{Scheme: text("file"), Path: text("/x.jar!/y")}, false, "a URL of the scheme jar needs no host"},
		{"jar:http://127.0.0.1!/x", ParseResult{Scheme: text("jar")}, ParseResult{Scheme: text("http"), Host: text("127.0.0.1")}, true, "a contacts no host by jar, b contacts 127.0.0.1 port 80 by http."},
		{"mailto:a@b.example", ParseResult{Scheme: text("mailto")}, ParseResult{Scheme: text("http"), Host: text("b.example")}, false, "a URL of the scheme mailto needs no host"},
		{"url:http://h.example/", ParseResult{Scheme: text("url")}, ParseResult{Scheme: text("http"), Host: text("h.example")}, true, "a contacts no host by url, b contacts h.example port 80 by http."},
		{"http://h.example/", ParseResult{Scheme: text("http"), Host: text("a.example")}, ParseResult{Scheme: text("http"), Host: text("b.example")}, true, "a contacts a.example port 80, b contacts b.example port 80."},
		{"http:h", ParseResult{Scheme: text("http")}, ParseResult{Scheme: text("http"), Path: text("h")}, false, "no parser contacts a host."},
	} {
		l := New(newLens(t).registry, fixedParser("a", c.a), fixedParser("b", c.b))
		r := lookAt(t, l, c.url)
		if r.Danger != c.danger || !strings.Contains(r.Why, c.why) {
			t.Errorf("%s: danger %t: %s", c.url, r.Danger, r.Why)
		}
	}
}

// The two parsers that a danger names must have hosts, if there are two such parsers.
func TestDangerNamesHosts(t *testing.T) {
	jar := New(newLens(t).registry, fixedParser("none", ParseResult{Scheme: text("jar")}), fixedParser("legacy", ParseResult{Scheme: text("jar"), Host: text("http")}),
		fixedParser("guess", ParseResult{Scheme: text("ftp"), Host: text("jar")}), fixedParser("java", ParseResult{Scheme: text("http"), Host: text("127.0.0.1")}))
	if r := lookAt(t, jar, "jar:http://127.0.0.1!/x"); !strings.HasSuffix(r.Why, "java contacts 127.0.0.1 port 80 by http.") {
		t.Error(r.Why)
	}
	l := New(newLens(t).registry, fixedParser("none", ParseResult{Scheme: text("http")}), fixedParser("guess", ParseResult{Scheme: text("ftp"), Host: text("http")}), fixedParser("host", ParseResult{Scheme: text("http"), Host: text("127.0.0.1")}))
	r := lookAt(t, l, "http:127.0.0.1#@good.example")
	if want := "guess contacts http port 21 by ftp, host contacts 127.0.0.1 port 80 by http."; !strings.HasSuffix(r.Why, want) {
		t.Errorf("%s, want %s", r.Why, want)
	}
}

// A text whose scheme has an invalid spelling is not a relative reference.
func TestRelativeReferences(t *testing.T) {
	for _, c := range []struct {
		url      string
		accepted bool
	}{
		{"local_file:/etc/passwd", true},
		{"local_file:///etc/passwd", true},
		{"0:x", true},
		{"x", false},
		{"/x:y", false},
		{"?x:y", false},
		{"#x:y", false},
		{":x", false},
		{"", false},
	} {
		r := lookAt(t, New(newLens(t).registry, fixedParser("a", ParseResult{Path: text(c.url)})), c.url)
		if a := r.Results[0]; a.OK != c.accepted || a.OK && *a.Path != c.url {
			t.Errorf("%q: accepted is %t: %s", c.url, a.OK, a.Error)
		}
	}
}

// Each danger must have a kind.
func TestDangersHaveKinds(t *testing.T) {
	for url, c := range map[string]struct {
		hosts [2]string
		want  Confusion
	}{
		"http://evil.example(.)good.example/":  {[2]string{"evil.example", "evil.example(.)good.example"}, HostChars},
		"http://evil.example*.good.example/":   {[2]string{"evil.example*.good.example", "evil.example%2a.good.example"}, HostChars},
		"http://evil.example;.good.example/":   {[2]string{"evil.example", "evil.example;.good.example"}, HostChars},
		"http://evil.example{}.good.example/":  {[2]string{"evil.example", "evil.example{}.good.example"}, HostChars},
		"http://u@evil.example;.good.example/": {[2]string{"evil.example", "evil.example;.good.example"}, HostChars},
		"http://my_host.example/":              {[2]string{"my", "my_host.example"}, HostChars},
		"http://xn--good-.example/":            {[2]string{"good.example", "xn--good-.example"}, Punycode},
		"http://XN--a.example/":                {[2]string{"a.example", "xn--a.example"}, Punycode},
		"http://good.example/":                 {[2]string{"good.example", "evil.example"}, HostName},
	} {
		reading := func(host string) ParseResult { return ParseResult{Scheme: text("http"), Host: &host, Path: text("/")} }
		l := New(newLens(t).registry, fixedParser("a", reading(c.hosts[0])), fixedParser("b", reading(c.hosts[1])))
		if r := lookAt(t, l, url); !r.Danger || r.Confusion != c.want {
			t.Errorf("%q: danger %t, %q", url, r.Danger, r.Confusion)
		}
	}
	l := newLens(t)
	for _, r := range lookAtCorpus(t, l) {
		if r.Danger && r.Confusion == "" {
			t.Errorf("%q has no kind: %s", r.Input, r.Why)
		}
	}
}

// A host that a parser contacts must be shown, and the password after the host's ":" must be
// hidden.
func TestHostsAreNotMasked(t *testing.T) {
	for _, c := range []struct{ url, host, want string }{
		{"http:127.0.0.1#@good.example", "127.0.0.1", "http:127.0.0.1#@good.example"},
		{"http:127.0.0.1?@good.example", "127.0.0.1", "http:127.0.0.1?@good.example"},
		{`http:127.0.0.1\@good.example`, "127.0.0.1", `http:127.0.0.1\@good.example`},
		{`http:\\127.0.0.1\@good.example`, "127.0.0.1", `http:\\127.0.0.1\@good.example`},
		{"https:[::1]#@good.example", "[::1]", "https:[::1]#@good.example"},
		{"https:[::1]#@good.example", "::1", "https:[::1]#@good.example"},
		{"http:u:s3cret@good.example", "good.example", "http:u:***@good.example"},
		{`http:\\u:s3cret@good.example`, "good.example", `http:\\u:***@good.example`},
		{"http:u:s3cret@good.example", "u", "http:u:***@good.example"},
		{"http:s3cret@good.example", "good.example", "http:***@good.example"},
		{"http://u:s3cret@good.example", "u:s3cret@good.example", "http://u:***@good.example"},
		{"http://u:s3cret@good.example", "s3cret@good.example", "http://u:***@good.example"},
		{"http://u%3As3cret%40good.example", "u%3As3cret%40good.example", "http://u%3A***%40good.example"},
		{"http://u\uff1as3cret\uff20good.example", "u\uff1as3cret\uff20good.example", "http://u\uff1a***\uff20good.example"},
	} {
		guess := fixedParser("guess", ParseResult{Scheme: text("http"), User: text("http"), Password: text(strings.TrimSuffix(strings.TrimPrefix(c.url, "http:"), "@good.example")), Host: text("good.example")})
		readers := []Parser{fixedParser("a", ParseResult{Scheme: text("http"), Host: &c.host})}
		if slices.Contains([]string{`http:127.0.0.1\@good.example`}, c.url) {
			readers = append(readers, guess)
		}
		r := lookAt(t, New(newLens(t).registry, readers...), c.url)
		if m := r.Masked(); m.Input != c.want || strings.Contains(c.want, c.host) && *m.Results[0].Host != c.host {
			t.Errorf("%q, host %q: %q, host %q", c.url, c.host, m.Input, *m.Results[0].Host)
		}
	}
	r := lookAt(t, newLens(t), "http:127.0.0.1#@good.example")
	if !strings.Contains(r.Why, "each that finds a host contacts 127.0.0.1 port 80") {
		t.Error(r.Why)
	}
}
