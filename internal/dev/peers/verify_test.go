package peers

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	root "github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/verify"
)

// silentServer starts a server that accepts connections and sends nothing, and returns its
// address.
func silentServer(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	t.Cleanup(func() { l.Close(); <-ended })
	return l.Addr().String()
}

// verdicts runs "locus verify --json" and returns a line for each link. The line contains the URL
// without its base, the verdict, and the status.
func verdicts(t *testing.T, base map[string]string, status int, args ...string) (lines []string, byURL map[string]verdict) {
	t.Helper()
	r := locus(t, append([]string{"verify", "--json", "--rate", "0"}, args...)...)
	if r.status != status {
		t.Errorf("status %d, want %d; %s%s", r.status, status, r.out, r.err)
	}
	byURL = map[string]verdict{}
	for line := range strings.Lines(r.out) {
		var v verdict
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatalf("%q: %v", line, err)
		}
		text := fmt.Sprint(v.URL, " ", v.Verdict)
		if v.Status != 0 {
			text += fmt.Sprint(" ", v.Status)
		}
		for from, to := range base {
			text = strings.ReplaceAll(text, from, to)
			v.To = strings.ReplaceAll(v.To, from, to)
		}
		if v.To != "" {
			text += " -> " + v.To
		}
		lines = append(lines, text)
		byURL[strings.Fields(text)[0]] = v
	}
	return lines, byURL
}

type verdict struct {
	URL, Verdict, Detail, To string
	Status, Tries            int
	Permanent, Cached        bool
}

func wantLines(t *testing.T, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("got\n\t%s\nwant\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

const verifyLocations = `
location = /moved { return 301 http://127.0.0.1:PORT/page.html; }
location = /for-now { return 302 /page.html; }
location = /loop { return 302 http://127.0.0.1:PORT/loop2; }
location = /loop2 { return 302 http://127.0.0.1:PORT/loop; }
location = /tofile { return 302 file:///etc/passwd; }
location = /inside { return 302 http://10.0.0.1/admin; }
location = /busy { add_header Retry-After 1 always; return 429; }
location = /closed { return 444; }
location = /broken { proxy_pass http://127.0.0.1:1; }
location = /slow { proxy_pass http://MUTE; }
location = /forbidden { return 403; }
location = /gone { return 410; }
location = /get-only { limit_except GET { deny all; } default_type text/plain; try_files /page.html =404; }
`

// An nginx site contains links with many different verdicts.
func TestVerifySite(t *testing.T) {
	silent := silentServer(t)
	p := nginx(t, strings.ReplaceAll(verifyLocations, "MUTE", silent))
	links := []string{
		"page.html", "page.html#part", "page.html#none", "missing", "gone", "moved#part", "for-now", "loop", "tofile", "busy", "closed", "broken",
		"slow", "forbidden", "auth/x", "get-only", "dir/", "text.txt", "http://127.0.0.1:1/", "notes.md#a-heading",
	}
	var page strings.Builder
	for _, link := range links {
		fmt.Fprintf(&page, "<a href=\"%s\">x</a>\n", link)
	}
	write(t, filepath.Join(p.pub, "index.html"), page.String(), 0o644)
	write(t, filepath.Join(p.pub, "page.html"), "<h1 id=part>Part</h1><a href='dir/'>d</a>", 0o644)
	write(t, filepath.Join(p.pub, "dir/index.html"), "<a href='../missing2'>m</a>", 0o644)
	write(t, filepath.Join(p.pub, "text.txt"), "text", 0o644)
	write(t, filepath.Join(p.pub, "notes.md"), "# A heading", 0o644)
	base := map[string]string{"http://" + p.addr(): ""}
	got, _ := verdicts(t, base, 4, "--timeout", "2s", "--max-wait", "5s", "--retry", "1", "http://"+p.addr()+"/")
	wantLines(t, got,
		"/ alive", "/page.html alive", "/page.html#part alive", "/page.html#none fragment", "/missing dead 404", "/gone dead 410",
		"/moved#part moved -> /page.html", "/for-now moved -> /page.html", "/loop warning", "/tofile denied -> file:///etc/passwd", "/busy warning 429", "/closed warning",
		"/broken warning 502", "/slow warning", "/forbidden warning 403", "/auth/x warning 401", "/get-only alive", "/dir/ alive", "/text.txt alive",
		"http://127.0.0.1:1/ denied", "/notes.md#a-heading alive",
		"/dir/ alive", "/dir/ alive", "/missing2 dead 404", // in page.html, in get-only (the same page), and in dir
	)
	log := p.whole()
	for _, once := range []string{"GET /page.html ", "GET /dir/ ", "GET /missing ", "GET /robots.txt "} {
		if n := strings.Count(log, once); n != 1 && once != "GET /page.html " || n == 0 {
			t.Errorf("%d times %q", n, once)
		}
	}
	if n := strings.Count(log, "GET /busy "); n != 2 {
		t.Errorf("a busy page was asked for %d times", n)
	}
	if strings.Contains(log, "#") {
		t.Error("a fragment was sent")
	}
}

// A host that answers with a Retry-After of an hour receives no more requests.
func TestVerifyRetryAfter(t *testing.T) {
	p := nginx(t, `location / { add_header Retry-After 3600 always; return 429; }`)
	var doc strings.Builder
	for i := range 10 {
		fmt.Fprintf(&doc, "http://%s/%d\n", p.addr(), i)
	}
	dir := t.TempDir()
	write(t, filepath.Join(dir, "doc.txt"), doc.String(), 0o644)
	got, _ := verdicts(t, nil, 0, "--per-host", "1", "--allow-private", "--no-cache", filepath.Join(dir, "doc.txt"))
	if len(got) != 10 || strings.Count(strings.Join(got, "\n"), "warning") != 10 {
		t.Errorf("verdicts after Retry-After: 3600 = %q, want 10 warnings", got)
	}
	if n := strings.Count(p.whole(), "\n"); n != 1 {
		t.Errorf("%d requests", n)
	}
}

// publicly returns a client for which the server p has a public name and address.
func publicly(t *testing.T, p *peer) *access.Client {
	t.Helper()
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, policy.Policy{}, &access.Options{
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			if host == "inside.example" {
				return []netip.Addr{netip.MustParseAddr("192.168.1.1")}, nil
			}
			return []netip.Addr{netip.MustParseAddr("1.1.1.1")}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if !strings.HasPrefix(address, "1.1.1.1:") {
				t.Errorf("%s is dialed", address)
			}
			return new(net.Dialer).DialContext(ctx, network, p.addr())
		},
	})
	t.Cleanup(func() {
		for _, s := range registry.All() {
			if closer, ok := s.Access.Opener.(io.Closer); ok {
				closer.Close()
			}
		}
		c.Close()
	})
	return c
}

// Redirects from a public server to a private address are denied.
func TestVerifyPrivateRedirects(t *testing.T) {
	p := nginx(t, `
location = /inside { return 302 http://10.0.0.1/admin; }
location = /inside-name { return 302 http://inside.example/; }
location = /loopback { return 301 http://127.0.0.1:PORT/; }
location = /metadata { return 302 http://169.254.169.254/latest/; }
location = /mapped { return 302 http://[::ffff:10.0.0.1]/; }
location = /page { default_type text/html; return 200 '<a href="http://10.0.0.1/">x</a><a href="/inside">y</a>'; }
`)
	c := publicly(t, p)
	text := "http://site.example/inside http://site.example/inside-name http://site.example/loopback http://site.example/metadata http://site.example/mapped"
	sources := []verify.Source{
		{Name: "doc.txt", URL: root.MustParse("file:///doc.txt"), Open: func(context.Context) (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(text)), nil }},
		{Name: "site", URL: root.MustParse("http://site.example/page")},
	}
	var got []string
	for r := range verify.New(c, &verify.Options{Politeness: access.Politeness{Interval: access.None}, Reserved: true}).Run(t.Context(), slices.Values(sources)) {
		got = append(got, r.Link()+" "+r.Verdict.String())
	}
	wantLines(t, got,
		"http://site.example/inside denied", "http://site.example/inside-name denied", "http://site.example/loopback denied",
		"http://site.example/metadata denied", "http://site.example/mapped denied",
		"http://site.example/page alive", "http://10.0.0.1/ denied", "http://site.example/inside denied",
	)
}

// The verifier checks links in other schemes on servers of other projects.
func TestVerifySchemes(t *testing.T) {
	f, g, py := vsftpd(t), gophernicus(t), pygopherd(t)
	write(t, filepath.Join(f.pub, "pub/a.txt"), "text", 0o644)
	write(t, filepath.Join(f.pub, "pub/a.md"), "# Part", 0o644)
	write(t, filepath.Join(g.pub, "about.txt"), "about\n", 0o644)
	write(t, filepath.Join(g.pub, "sub/gophermap"), "0About\t/about.txt\n1Here\t/sub\n0There\t/none.txt\t127.0.0.1\t"+fmt.Sprint(py.port)+"\n", 0o644)
	dir := t.TempDir()
	doc := strings.NewReplacer("FTP", "ftp://"+f.addr(), "GOPHER", "gopher://"+g.addr(), "PY", "gopher://"+py.addr()).Replace(`
FTP/pub/a.txt FTP/pub/a.txt;type=i FTP/pub/ FTP/pub/;type=d FTP/pub/a.md#part FTP/pub/a.md#none FTP/pub/none FTP/none/
GOPHER/0/about.txt GOPHER/1/ GOPHER/1/sub PY/0/about.txt PY/0/none.txt PY/1/none PY/1/`)
	write(t, filepath.Join(dir, "doc.txt"), doc, 0o644)
	base := map[string]string{f.addr(): "F", g.addr(): "G", py.addr(): "P"}
	got, _ := verdicts(t, base, 1, "--allow-private", "--no-cache", "--retry", "0", filepath.Join(dir, "doc.txt"))
	wantLines(t, got,
		"ftp://F/pub/a.txt alive", "ftp://F/pub/a.txt;type=i alive", "ftp://F/pub/ alive", "ftp://F/pub/;type=d alive",
		"ftp://F/pub/a.md#part alive", "ftp://F/pub/a.md#none fragment", "ftp://F/pub/none dead 550", "ftp://F/none/ dead 550",
		"gopher://G/0/about.txt alive", "gopher://G/1/ alive", "gopher://G/1/sub alive",
		"gopher://P/0/about.txt alive", "gopher://P/0/none.txt dead", "gopher://P/1/none dead", "gopher://P/1/ alive",
	)
	log := f.whole()
	if strings.Contains(log, `"RETR a.txt"`) || !strings.Contains(log, `"SIZE a.txt"`) || strings.Contains(log, `"LIST`) {
		t.Errorf("sent\n%s", log)
	}
	// The verifier also accepts a menu as a site.
	got, _ = verdicts(t, base, 1, "--no-cache", "gopher://"+g.addr()+"/1/sub")
	wantLines(t, got, "gopher://G/1/sub alive", "gopher://G/0/about.txt alive", "gopher://G/1/sub alive", "gopher://P/0/none.txt dead")
}

func TestVerifySessionAndNews(t *testing.T) {
	s, n := telnetd(t), startNews(t)
	dir := t.TempDir()
	id := strings.Trim(parse(t, thread[0]).Header.Get("Message-Id"), "<>")
	write(t, filepath.Join(dir, "doc.txt"), fmt.Sprintf("<URL:telnet://%[1]s/> <URL:telnet://%[2]s/>\n<URL:nntp://%[3]s/local.test> <URL:nntp://%[3]s/local.test/1> <URL:nntp://%[3]s/local.test/999> <URL:nntp://%[3]s/no.such>\n<URL:news:%[4]s> <URL:news:none@nowhere.test>\n",
		s.addr(), silentServer(t), n.addr(), id), 0o644)
	r := locusEnv(t, []string{"NNTPSERVER=" + n.addr()}, "verify", "--json", "--allow-private", "--no-cache", "--rate", "0", "--allow-port", fmt.Sprint(n.port), filepath.Join(dir, "doc.txt"))
	var got []string
	for line := range strings.Lines(r.out) {
		var v verdict
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		got = append(got, v.Verdict)
	}
	if text := strings.Join(got, " "); text != "alive alive alive alive dead dead alive dead" || r.status != 1 {
		t.Errorf("%d: %s\n%s%s", r.status, text, r.out, r.err)
	}
}

// The next run continues a run that was killed.
func TestVerifyKilled(t *testing.T) {
	p := nginx(t, `location /n/ { default_type text/plain; return 200 "x"; }`)
	dir := t.TempDir()
	var doc strings.Builder
	for i := range 400 {
		fmt.Fprintf(&doc, "http://%s/n/%d\n", p.addr(), i)
	}
	write(t, filepath.Join(dir, "doc.txt"), doc.String(), 0o644)
	cmd := command(dir, "verify", "--allow-private", "--rate", "100", "--per-host", "1", "doc.txt")
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for deadline := time.Now().Add(maxSession); strings.Count(p.log(), "HEAD /n/") < 150; {
		if time.Now().After(deadline) {
			t.Fatal("nothing happens")
		}
		time.Sleep(20 * time.Millisecond)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	before := strings.Count(p.whole(), "HEAD /n/")
	if before >= 400 {
		t.Fatal("it was too fast to be killed")
	}
	r := locusIn(t, dir, "verify", "--allow-private", "--json", "--rate", "0", "--per-host", "8", "doc.txt")
	after := strings.Count(p.whole(), "HEAD /n/") - before
	if cached := strings.Count(r.out, `"cached":true`); r.status != 0 || cached == 0 || cached+after != 400 {
		t.Errorf("status %d: %d before the kill, %d known after it, %d asked for then; %s", r.status, before, cached, after, r.err)
	}
	if _, err := os.Stat(filepath.Join(dir, ".cache/locus/verify.db")); err != nil {
		t.Error(err)
	}
}
