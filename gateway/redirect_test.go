package gateway_test

import (
	"bufio"
	"context"
	"fmt"
	"html"
	"io"
	"net"
	"net/http"
	"net/netip"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/verify"
)

// redirectCase is a line of the redirect table in package access.
type redirectCase struct{ from, to, verdict, says string }

func redirectCases(t *testing.T) (list []redirectCase) {
	t.Helper()
	text, err := os.ReadFile("../access/testdata/referrals.txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if line == "" || line[0] == '#' {
			continue
		}
		fields := append(strings.Split(line, " | "), "")
		list = append(list, redirectCase{fields[0], fields[1], fields[2], fields[3]})
	}
	if len(list) < 40 {
		t.Fatalf("%d lines", len(list))
	}
	return list
}

// redirector is an Internet with one server at every public address and port. The server
// redirects requests for "/r", and responds to other HTTP and gopher requests.
type redirector struct {
	to string

	mu      sync.Mutex
	dials   []string
	lookups []string
}

func (s *redirector) addresses() map[string]string {
	return map[string]string{"pub.example": "93.184.216.34", "other.example": "93.184.216.35", "inward.example": "10.0.0.7"}
}

func (s *redirector) lookup(_ context.Context, host string) ([]netip.Addr, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.lookups = append(s.lookups, host)
	if a, ok := s.addresses()[host]; ok {
		return []netip.Addr{netip.MustParseAddr(a)}, nil
	}
	return nil, &net.DNSError{Err: "no such host", Name: host, IsNotFound: true}
}

func (s *redirector) dial(server string) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, _, address string) (net.Conn, error) {
		s.mu.Lock()
		s.dials = append(s.dials, address)
		s.mu.Unlock()
		return new(net.Dialer).DialContext(ctx, "tcp", server)
	}
}

// takeDials returns the dials and lookups since its last call.
func (s *redirector) takeDials() (dials, lookups []string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	dials, lookups = s.dials, s.lookups
	s.dials, s.lookups = nil, nil
	return dials, lookups
}

func (s *redirector) serve(c net.Conn) {
	r := bufio.NewReader(c)
	line, err := r.ReadString('\n')
	if err != nil {
		return
	}
	if !strings.HasPrefix(line, "GET ") && !strings.HasPrefix(line, "HEAD ") {
		io.WriteString(c, "here\r\n.\r\n")
		return
	}
	req, err := http.ReadRequest(bufio.NewReader(io.MultiReader(strings.NewReader(line), r)))
	if err != nil {
		return
	}
	path := req.URL.Path
	to := ""
	switch n, isChain := strings.CutPrefix(path, "/chain/"); {
	case path == "/r":
		s.mu.Lock()
		to = s.to
		s.mu.Unlock()
	case path == "/loop":
		to = "http://pub.example/r"
	case isChain:
		i, _ := strconv.Atoi(n)
		to = fmt.Sprintf("http://pub.example/chain/%d", i+1)
	case path == "/robots.txt":
		io.WriteString(c, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		return
	}
	if to != "" {
		io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: "+to+"\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		return
	}
	io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 4\r\nConnection: close\r\n\r\nhere")
}

// outcome is the result of opening a URL in a certain way.
type outcome struct {
	ok   bool
	says string
	// gaveUp reports that the client itself followed too many redirects.
	gaveUp bool
}

// followRedirects follows redirects as a browser or curl does. Each following request looks as if a
// person had typed the URL.
func followRedirects(u string, get func(u string) answer) outcome {
	for range 15 {
		a := get(u)
		if a.StatusCode < 300 || a.StatusCode >= 400 {
			return outcome{ok: a.StatusCode == 200, says: html.UnescapeString(a.body)}
		}
		u = a.Header.Get("Location")
	}
	return outcome{gaveUp: true}
}

// The redirect table applies to the access client, to verify, and to each way in which the
// gateway opens a URL.
func TestRedirects(t *testing.T) {
	s := new(redirector)
	server := listen(t, s.serve)
	rules := policy.Rules{TypedPrivate: true, Files: true, Passwords: true}
	setUp := setup{rules: rules}
	setUp.access.Lookup, setUp.access.Dial = s.lookup, s.dial(server)
	w := start(t, setUp)
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(rules)
	if err != nil {
		t.Fatal(err)
	}
	client := access.New(registry, p, &access.Options{Lookup: s.lookup, Dial: s.dial(server)})
	defer client.Close()

	do := func(from *access.Result) func(u string) outcome {
		return func(u string) outcome {
			res, err := client.Do(t.Context(), access.Request{URL: parse(u), From: from})
			if err != nil {
				return outcome{says: err.Error()}
			}
			return outcome{ok: res.Resource.Close() == nil}
		}
	}
	link := &access.Result{URL: parse("http://other.example/"), LinkOrigin: policy.FromPublic}
	asBrowser := func(path func(u locus.URL) string) func(u string) outcome {
		return func(u string) outcome {
			return followRedirects(path(parse(u)), func(at string) answer { return w.get(at, browser...) })
		}
	}
	ways := []struct {
		name string
		open func(u string) outcome
	}{
		{"access, typed", do(nil)},
		{"access, link", do(link)},
		{"API", func(u string) outcome {
			a := w.get("/api/get?url=" + query(u))
			return outcome{ok: a.StatusCode == 200, says: unquoted(a.body)}
		}},
		{"page", asBrowser(pathOf)},
		{"page by query", asBrowser(func(u locus.URL) string { return "/?url=" + query(u.String()) })},
		{"octets for a program", func(u string) outcome {
			return followRedirects("/-/raw"+pathOf(parse(u)), func(at string) answer { return w.get(at) })
		}},
		{"octets for a browser", asBrowser(func(u locus.URL) string { return "/-/raw" + pathOf(u) })},
		{"proxy for a program", func(u string) outcome {
			return followRedirects(u, func(at string) answer { return w.proxied("GET", at) })
		}},
		{"proxy for a browser", func(u string) outcome {
			return followRedirects(u, func(at string) answer { return w.proxied("GET", at, browser...) })
		}},
		{"verify", func(u string) outcome {
			v := verify.New(client, &verify.Options{Politeness: access.Politeness{Interval: access.None, Retry: access.None, Parallel: 1}})
			var o outcome
			for r := range v.Run(t.Context(), slices.Values([]verify.Source{{URL: parse(u)}})) {
				o = outcome{ok: !r.Verdict.IsBad() && r.Verdict != verify.Warning && r.Verdict != verify.Denied && r.Verdict != verify.Unsupported, says: r.Detail}
			}
			return o
		}},
	}
	for _, c := range redirectCases(t) {
		s.mu.Lock()
		s.to = c.to
		s.mu.Unlock()
		for _, way := range ways {
			t.Run(way.name+" "+c.to, func(t *testing.T) {
				s.takeDials()
				o := way.open(c.from)
				dials, lookups := s.takeDials()
				switch {
				case c.verdict == "ok" && !o.ok:
					t.Errorf("%s", o.says)
				case c.verdict == "denied" && (o.ok || o.gaveUp || !strings.Contains(o.says, c.says)):
					t.Errorf("it is not denied: %s\nwant %s", o.says, c.says)
				case c.verdict == "circle" && (o.ok || !o.gaveUp && !strings.Contains(o.says, c.says)):
					t.Errorf("not a circle: %s\nwant %s", o.says, c.says)
				}
				if c.verdict != "denied" {
					return
				}
				// The gateway sent requests only to the server that redirects.
				from := net.JoinHostPort("93.184.216.34", portOfURL(c.from))
				for _, d := range dials {
					if d != from {
						t.Errorf("%s was dialed", d)
					}
				}
				for _, name := range lookups {
					if _, known := s.addresses()[name]; !known {
						t.Errorf("%s was looked up", name)
					}
				}
			})
		}
	}
}

func portOfURL(u string) string {
	if n, ok := parse(u).Port(); ok {
		return strconv.Itoa(int(n))
	}
	return "80"
}

// unquoted returns the text of a JSON string.
func unquoted(text string) string {
	return strings.NewReplacer(`\"`, `"`, `\u003c`, "<", `\u0026`, "&").Replace(text)
}

// The confirmation page contains the reason and a link to the target, and shows no
// password.
func TestRedirectAsks(t *testing.T) {
	s := &redirector{to: "gopher://other.example:7000/0x"}
	setUp := setup{}
	setUp.access.Lookup, setUp.access.Dial = s.lookup, s.dial(listen(t, s.serve))
	w := start(t, setUp)
	const link, says = `href="%s/gopher/other.example:7000/0x"`, "a redirect to gopher must use port 70"
	for path, base := range map[string]string{"/http/pub.example/r": "", "/-/raw/http/pub.example/r": "", "http://pub.example/r": w.base} {
		var a answer
		if base == "" {
			a = w.get(path, browser...)
		} else {
			a = w.proxied("GET", path, browser...)
		}
		if a.StatusCode != 403 || !strings.Contains(a.body, fmt.Sprintf(link, base)) || !strings.Contains(a.body, says) || a.Header.Get("Location") != "" ||
			!strings.Contains(a.Header.Get("Content-Security-Policy"), "default-src 'none'") {
			t.Errorf("%s: %s %v\n%s", path, a.Status, a.Header, a.body)
		}
	}
	// If a person opens the link, the gateway requests the target.
	if a := w.get("/gopher/other.example:7000/0x", browser...); a.StatusCode != 200 {
		t.Errorf("%s %s", a.Status, a.body)
	}
	s.to = "http://me:hunter2@other.example/"
	for _, a := range []answer{w.get("/http/pub.example/r", browser...), w.get("/-/raw/http/pub.example/r"), w.proxied("GET", "http://pub.example/r"), w.get("/api/get?url=http://pub.example/r")} {
		if a.StatusCode != 403 || strings.Contains(a.body, "hunter2") {
			t.Errorf("%s %s", a.Status, a.body)
		}
	}
	// A file has no page, so there is no link.
	s.to = "file:///etc/passwd"
	if a := w.get("/http/pub.example/r", browser...); a.StatusCode != 403 || strings.Contains(a.body, `>Open it<`) {
		t.Errorf("%s %s", a.Status, a.body)
	}
}
