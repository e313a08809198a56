package peers

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

// lensReport holds the fields of a "locus lens --json" line that the test uses.
type lensReport struct {
	Input   string
	Readers []struct {
		Name, Version            string
		OK, Failed               bool
		Error, Host, Path, Query *string
		User, Password, Port     *string
	}
	Differences []string
	Confusion   string
	Danger      bool
	Why         string
}

// lensPrograms lists the parsers that .ci/peers installs for "locus lens".
var lensPrograms = []string{"urllib", "urllib3", "requests", "yarl", "httpx", "ada-url", "perl-uri", "node", "node-legacy", "php", "ruby", "addressable", "curl", "wget", "wget-i", "java-uri", "java-url", "chromium"}

// lensReports runs "locus lens" on the URLs with all parsers that are installed on the system.
func lensReports(t *testing.T, status int, urls ...string) (list []lensReport) {
	t.Helper()
	r := locusEnv(t, []string{"PATH=" + systemPath}, append([]string{"lens", "--json", "--timeout", "5m", "--with", "ada-url=" + need(t, unpacked("python/bin/python")), "--"}, urls...)...)
	if r.status != status {
		t.Fatalf("status %d, want %d\n%s", r.status, status, r.err)
	}
	for line := range strings.Lines(r.out) {
		var report lensReport
		if err := json.Unmarshal([]byte(line), &report); err != nil {
			t.Fatal(err)
		}
		list = append(list, report)
	}
	if len(list) != len(urls) {
		t.Fatalf("%d reports of %d URLs:\n%s", len(list), len(urls), r.err)
	}
	var names []string
	for _, reader := range list[0].Readers {
		names = append(names, reader.Name)
		if reader.Failed || reader.Version == "" {
			t.Errorf("%s %s failed: %s", reader.Name, reader.Version, *reader.Error)
		}
	}
	for _, name := range lensPrograms {
		if !slices.Contains(names, name) {
			missing(t, name+" is not installed: .ci/peers does that")
		}
	}
	return list
}

// host returns the host that a parser finds in the URL, or "refused" if the parser rejects the
// URL.
func (r lensReport) host(name string) string {
	for _, reader := range r.Readers {
		switch {
		case reader.Name != name:
		case !reader.OK:
			return "refused"
		case reader.Host == nil:
			return ""
		default:
			return *reader.Host
		}
	}
	return "no reader"
}

// Common parsers read the URLs in known security advisories as the advisories describe.
func TestLensAdvisories(t *testing.T) {
	cases := []struct {
		url, confusion string
		hosts          map[string]string
	}{
		// "\" before "@": CVE-2018-3774, and section 4.4 of the URL Standard.
		{`http://evil.example\@good.example/`, "backslash", map[string]string{
			"node": "evil.example", "node-legacy": "evil.example", "chromium": "evil.example", "whatwg": "evil.example",
			"urllib": "good.example", "php": "good.example", "curl": "good.example", "perl-uri": "good.example", "yarl": "good.example", "httpx": "evil.example",
			"ada-url": "evil.example", "addressable": "good.example", "rfc1738": "refused", "ruby": "refused",
		}},
		// wget escapes a URL argument before it splits the URL, but escapes a line of a
		// list after the split.
		{`http://good.example:80\@evil.example/`, "backslash", map[string]string{"node": "good.example", "urllib": "evil.example", "wget": "evil.example", "wget-i": "refused"}},
		{`https://good.example:\@evil.example`, "backslash", map[string]string{"node": "good.example", "urllib": "evil.example", "wget": "evil.example", "wget-i": "refused"}},
		{"http://good.example @evil.example/", "control", map[string]string{"wget": "evil.example", "wget-i": "good.example @evil.example"}},
		// java.net.URL opens the inner URL of a jar URL.
		{"jar:http://127.0.0.1!/x", "scheme", map[string]string{"java-url": "127.0.0.1", "java-uri": "", "whatwg": ""}},
		// Some parsers end the host at the character, and others escape the character.
		{"http://evil.example*.good.example/", "host-chars", map[string]string{"chromium": "evil.example%2A.good.example", "node": "evil.example*.good.example"}},
		{"http://evil.example;.good.example/", "host-chars", map[string]string{"node-legacy": "evil.example", "node": "evil.example;.good.example"}},
		{"http://evil.example{}.good.example/", "host-chars", map[string]string{"requests": "evil.example%7b%7d.good.example", "node": "evil.example{}.good.example"}},
		// Tabs and line ends in a host: CVE-2022-0391, bpo-43882.
		{"http://ev\til.example/", "control", map[string]string{"node": "evil.example", "chromium": "evil.example", "urllib": "evil.example", "php": "ev_il.example", "curl": "refused", "net/url": "refused"}},
		{"http://ev\nil.example/", "control", map[string]string{"node": "evil.example", "chromium": "evil.example", "urllib": "evil.example", "php": "ev_il.example", "curl": "refused", "wget": "refused"}},
		// With two "@", parsers disagree about the end of the login.
		{"http://a@good.example@evil.example/", "userinfo", map[string]string{"node": "evil.example", "urllib": "evil.example", "php": "evil.example", "java-uri": "", "ruby": "refused", "rfc3986": "refused"}},
		// Octal and hexadecimal addresses: CVE-2021-29921, CVE-2021-29923.
		{"http://0177.0.0.1/", "ipv4", map[string]string{"node": "127.0.0.1", "chromium": "127.0.0.1", "curl": "127.0.0.1", "urllib": "0177.0.0.1", "php": "0177.0.0.1", "net/url": "0177.0.0.1", "wget": "0177.0.0.1"}},
		{"http://0x7f.1/", "ipv4", map[string]string{"node": "127.0.0.1", "ada-url": "127.0.0.1", "yarl": "0x7f.1", "addressable": "0x7f.1", "chromium": "127.0.0.1", "curl": "127.0.0.1", "urllib": "0x7f.1", "php": "0x7f.1", "net/url": "0x7f.1"}},
	}
	var urls []string
	for _, c := range cases {
		urls = append(urls, c.url)
	}
	for i, r := range lensReports(t, 1, urls...) {
		c := cases[i]
		if !r.Danger || r.Confusion != c.confusion || !strings.Contains(r.Why, "Dangerous: ") {
			t.Errorf("%q: %q, danger %t: %s", c.url, r.Confusion, r.Danger, r.Why)
		}
		for name, want := range c.hosts {
			if got := r.host(name); got != want {
				t.Errorf("%q: %s finds the host %q, want %q", c.url, name, got, want)
			}
		}
	}
}

// All programs read ordinary URLs in the same way. The programs curl and wget request exactly the
// given URL from their proxies.
func TestLensOrdinary(t *testing.T) {
	urls := []string{
		"jdbc:mysql://localhost:3306/db", "jdbc:postgresql://db.example/x", "https://my_host.example.com/",
	}
	for _, r := range lensReports(t, 0, urls...) {
		if r.Danger {
			t.Errorf("%q: %s", r.Input, r.Why)
		}
	}
	urls = []string{
		"http://example.com/", "https://example.com", "http://EXAMPLE.com:8080/a/b.html?c=d&e=%20f#g", "ftp://ftp.example.com/pub/README",
		"http://xn--bcher-kva.example/%7Ejoe/", "http://192.0.2.1:81/x", "http://example.com:80/", "https://example.com/a;b=c/d,e?f=(g)",
	}
	for _, r := range lensReports(t, 0, urls...) {
		if len(r.Differences) > 0 || r.Danger {
			t.Errorf("%q: %v %s", r.Input, r.Differences, r.Why)
		}
		for _, name := range []string{"curl", "wget"} {
			if got := r.host(name); got == "refused" || got == "" {
				t.Errorf("%q: %s finds the host %q", r.Input, name, got)
			}
		}
	}
}

// The output does not show the login that curl and wget send.
func TestLensLogin(t *testing.T) {
	r := lensReports(t, 0, "http://joe:s3cret@example.com/a?b")[0]
	for _, reader := range r.Readers {
		if reader.Name != "curl" && reader.Name != "wget" {
			continue
		}
		if reader.User == nil || *reader.User != "joe" || reader.Password == nil || *reader.Password != "***" || *reader.Path != "/a" || *reader.Query != "b" {
			t.Errorf("%s reads %+v, want user joe, password ***, path /a, query b", reader.Name, reader)
		}
	}
	if len(r.Differences) > 0 {
		t.Errorf("they differ in %v", r.Differences)
	}
}
