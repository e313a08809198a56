package verify_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	verifycommand "github.com/locus-url/locus/internal/command/verify"
	"github.com/locus-url/locus/verify"
)

// verifyServer serves a small site.
func verifyServer(t *testing.T, slow http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		switch r.URL.Path {
		case "/":
			io.WriteString(rw, `<a href="page">page</a> <a href="gone">gone</a> <a href="moved#x">moved</a> <a href="busy">busy</a>`)
		case "/page":
			io.WriteString(rw, "<p id=x>")
		case "/moved":
			http.Redirect(rw, r, "/page", http.StatusMovedPermanently)
		case "/busy":
			rw.WriteHeader(http.StatusForbidden)
		case "/slow":
			slow(rw, r)
		case "/words":
			rw.WriteHeader(http.StatusTeapot)
		default:
			rw.WriteHeader(http.StatusNotFound)
		}
	}))
	t.Cleanup(s.Close)
	return s.URL
}

// runVerify runs "locus verify" in this process, without a cache.
func runVerify(t *testing.T, ctx context.Context, env map[string]string, args ...string) (out, errOut string, status int) {
	t.Helper()
	var o, e bytes.Buffer
	if env["HOME"]+env["XDG_CACHE_HOME"] == "" {
		// A note says that there is no directory for stored results.
		args = append([]string{"--no-cache"}, args...)
	}
	a := base.New(ctx, strings.NewReader(""), &o, &e, func(name string) string { return env[name] })
	status = runCommand(a, append([]string{"verify"}, args...))
	return o.String(), e.String(), status
}

// Without a cache directory, verify writes a note that it stores no results.
func TestVerifyWithoutHome(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("no link\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	const says = "locus: results are not cached: neither XDG_CACHE_HOME nor HOME is set"
	for _, row := range []struct {
		env  map[string]string
		args []string
		says bool
	}{
		{nil, []string{"verify", file}, true},
		{map[string]string{"XDG_CACHE_HOME": "relative"}, []string{"verify", file}, true},
		{nil, []string{"verify", "--no-cache", file}, false},
		{nil, []string{"verify", "--quiet", file}, false},
		{map[string]string{"HOME": t.TempDir()}, []string{"verify", file}, false},
	} {
		got := clitest.Run(t, runCommand, func(a *base.App) { a.Getenv = func(name string) string { return row.env[name] } }, row.args...)
		if strings.Contains(got.Err, says) != row.says {
			t.Errorf("%v, %v: %+v, want the note %t", row.env, row.args, got, row.says)
		}
	}
}

func TestVerifySite(t *testing.T) {
	site := verifyServer(t, nil)
	out, errOut, status := runVerify(t, t.Context(), nil, "--rate", "0", "--moved", site+"/")
	want := fmt.Sprintf(`%[1]s/
  1:34     dead        %[1]s/gone
                       404; not found: 404 "Not Found"
  1:58     moved       %[1]s/moved#x
                       has permanently moved to %[1]s/page
  1:86     warning     %[1]s/busy
                       403; not permitted: 403 "Forbidden"

5 links in 1 document, 5 URLs: 1 dead, 1 warning, 1 moved, 2 alive
`, site)
	want = strings.ReplaceAll(want, "404; not", "not")
	want = strings.ReplaceAll(want, "403; not", "not")
	if out != want || status != base.StatusNo || errOut != "" {
		t.Errorf("%s%s%d; want\n%s", out, errOut, status, want)
	}
	if out, _, _ := runVerify(t, t.Context(), nil, "--rate", "0", site+"/"); strings.Contains(out, "has moved") || !strings.Contains(out, "1 moved") {
		t.Errorf("without --moved: %s", out)
	}
	if _, _, status := runVerify(t, t.Context(), nil, "--rate", "0", "--strict", site+"/page"); status != base.StatusDone {
		t.Errorf("runVerify(--rate, 0, --strict) = status %d, want status %d", status, base.StatusDone)
	}
	if _, _, status := runVerify(t, t.Context(), nil, "--rate", "0", "--strict", "--depth", "0", site+"/busy"); status != base.StatusNo {
		t.Errorf("runVerify(--rate, 0, --strict, --depth, 0) = status %d, want status %d", status, base.StatusNo)
	}
}

// A link is not dead if the proxy is unreachable.
func TestVerifyDeadProxy(t *testing.T) {
	site := verifyServer(t, nil)
	proxy := "http://" + clitest.DeadAddress(t)
	out, _, status := runVerify(t, t.Context(), map[string]string{"http_proxy": proxy}, "--no-cache", "--retry", "0", "--json", "--depth", "0", site+"/page")
	var r verifiedLink
	if err := json.Unmarshal([]byte(out), &r); err != nil || r.Verdict != verify.Warning || !strings.Contains(string(r.Detail), "through "+proxy) || status != base.StatusDone {
		t.Errorf("%v, %d: %s, want no error, r.Verdict %d, %q in r.Detail and status %d", err, status, out, verify.Warning, "through "+proxy, base.StatusDone)
	}
}

// A run uses the stored results of the previous run.
func TestVerifyCache(t *testing.T) {
	site := verifyServer(t, nil)
	dir := t.TempDir()
	env := map[string]string{"XDG_CACHE_HOME": dir}
	doc := filepath.Join(dir, "doc.txt")
	if err := os.WriteFile(doc, []byte(site+"/page "+site+"/gone"), 0o600); err != nil {
		t.Fatal(err)
	}
	cached := func(args ...string) (n int) {
		t.Helper()
		out, _, status := runVerify(t, t.Context(), env, append(args, "--allow-private", "--json", doc)...)
		if status != base.StatusNo {
			t.Errorf("runVerify(...) = status %d, want status %d", status, base.StatusNo)
		}
		return strings.Count(out, `"cached":true`)
	}
	for i, c := range []struct {
		args []string
		want int
	}{{nil, 0}, {nil, 2}, {[]string{"--no-cache"}, 0}, {[]string{"--max-age", "0"}, 0}, {[]string{"--max-age", "1h"}, 2}} {
		if got := cached(c.args...); got != c.want {
			t.Errorf("run %d: %d were known, want %d", i, got, c.want)
		}
	}
}

func TestVerifySuggest(t *testing.T) {
	site := verifyServer(t, nil)
	archive := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.URL.Query().Get("url") != site+"/gone" {
			rw.WriteHeader(http.StatusNotFound)
		}
	}))
	defer archive.Close()
	env := map[string]string{"LOCUS_VERIFY_ARCHIVE": archive.URL + "/?url={escaped}"}
	out, _, status := runVerify(t, t.Context(), env, "--rate", "0", "--suggest", "--depth", "0", "--json", site+"/gone")
	var r verifiedLink
	if err := json.Unmarshal([]byte(out), &r); err != nil || status != base.StatusNo {
		t.Fatalf("%v, %d: %s, want no error and status %d", err, status, out, base.StatusNo)
	}
	if string(r.Archive) != archive.URL+"/?url="+strings.NewReplacer(":", "%3A", "/", "%2F").Replace(site+"/gone") {
		t.Errorf("archive %q", r.Archive)
	}
	for _, text := range []string{"archive.example", "http://archive.example/", "not a url {url}"} {
		if _, errOut, status := runVerify(t, t.Context(), map[string]string{"LOCUS_VERIFY_ARCHIVE": text}, site); status != base.StatusUsage || !strings.Contains(errOut, "{url}") {
			t.Errorf("%q: %d, %s, want status %d and %q in errOut", text, status, errOut, base.StatusUsage, "{url}")
		}
	}
}

// An interrupt ends the run, and the command writes the results that are known.
func TestVerifyInterrupt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	site := verifyServer(t, func(rw http.ResponseWriter, r *http.Request) {
		cancel()
		<-r.Context().Done()
	})
	doc := filepath.Join(t.TempDir(), "doc.txt")
	if err := os.WriteFile(doc, []byte(site+"/gone\n"+site+"/slow\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	out, _, status := runVerify(t, ctx, nil, "--allow-private", "--per-host", "1", "--rate", "0", doc)
	if status != base.StatusInterrupted || !strings.Contains(out, site+"/gone") || !strings.Contains(out, "1 dead, 1 not verified") {
		t.Errorf("%d: %s, want status %d, %q in out and %q in out", status, out, base.StatusInterrupted, site+"/gone", "1 dead, 1 not verified")
	}
}

// brokenPipe is a writer that fails after a number of bytes.
type brokenPipe struct{ left int }

func (b *brokenPipe) Write(p []byte) (int, error) {
	if b.left -= len(p); b.left < 0 {
		return 0, io.ErrClosedPipe
	}
	return len(p), nil
}

// It is not an error if the reader of standard output closes the pipe.
func TestVerifyClosedPipe(t *testing.T) {
	dir := t.TempDir()
	doc := filepath.Join(dir, "doc.txt")
	if err := os.WriteFile(doc, []byte(strings.Repeat("<URL:file:///none/at/all>\n", 20_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	var errOut bytes.Buffer
	a := base.New(t.Context(), strings.NewReader(""), &brokenPipe{}, &errOut, func(string) string { return "" })
	if status := runCommand(a, []string{"verify", "--no-cache", "--json", doc}); status != base.StatusNo || errOut.Len() > 0 {
		t.Errorf("%d, %q, want status %d and no errOut", status, errOut.String(), base.StatusNo)
	}
}

// On a terminal, the command displays a progress bar, and removes it at the end.
func TestVerifyProgress(t *testing.T) {
	site := verifyServer(t, nil)
	var shown clitest.Screen
	a := base.New(t.Context(), strings.NewReader(""), &shown, &shown, func(string) string { return "" })
	a.OutTTY, a.ErrTTY = true, true
	if status := runCommand(a, []string{"verify", "--rate", "0", site + "/"}); status != base.StatusNo {
		t.Errorf("status %d, want status %d", status, base.StatusNo)
	}
	text := shown.String()
	for _, want := range []string{"URLs", "dead, ", "waiting, ", "/s", "\x1b[31mdead", "5 links in 1 document"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not shown: %q", want, text)
		}
	}
}

// Text from a server or a document can't control a terminal or corrupt a report.
func TestVerifyForeignText(t *testing.T) {
	evil := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		c, _, err := rw.(http.Hijacker).Hijack()
		if err != nil {
			t.Error(err)
			return
		}
		io.WriteString(c, "HTTP/1.1 418 \x1b]0;owned\x07 | `x` ](http://evil/)\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
		c.Close()
	}))
	defer evil.Close()
	dir := t.TempDir()
	doc := filepath.Join(dir, "a\x1b[2J|,:.html")
	page := "<a title=\"\x1b[2J\" href=\"" + evil.URL + "/\">x</a> <a href=\"\x1b[2J\u202e b\">y</a> <a href=\"http://u:secret@h.example:25/\">z</a>"
	if runtime.GOOS == "windows" {
		t.Skip("this system has no such names")
	}
	if err := os.WriteFile(doc, []byte(page), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, format := range verifycommand.FormatNames() {
		out, errOut, _ := runVerify(t, t.Context(), nil, "--allow-private", "--rate", "0", "--retry", "0", "--all", "--context", "--format", format, doc)
		for _, bad := range []string{"\x1b", "\x07", "\u202e", "secret"} {
			if strings.Contains(out+errOut, bad) {
				t.Errorf("%s has %q: %q", format, bad, out)
			}
		}
		if format == "markdown" && strings.Contains(out, "](http") {
			t.Errorf("a link: %s", out)
		}
		if !strings.Contains(out, evil.URL) {
			t.Errorf("%s: %s, want %q in out", format, out, evil.URL)
		}
	}
}

// verifiedLink holds the --json fields of a link that tests use.
type verifiedLink struct {
	Verdict verify.Verdict `json:"verdict"`
	Detail  string         `json:"detail"`
	Archive string         `json:"archive"`
}
