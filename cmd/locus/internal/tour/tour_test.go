package tour_test

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/command/base"
)

func TestTour(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	got := commandtest.Run(t, nil, "tour", "--scheme", "gopher", "nntps-group")
	if got.Status != 0 || got.Err != "" || !strings.HasSuffix(got.Out, "\n\n12 stops, 0 failed\n") {
		t.Errorf("Run(tour, --scheme, gopher, nntps-group) = status %d, %s\n%s, want status 0, no err and %q at the end of out", got.Status, got.Err, got.Out, "\n\n12 stops, 0 failed\n")
	}
	got = commandtest.Run(t, nil, "tour", "--json", "--scheme", "ftp")
	lines := strings.Split(strings.TrimSuffix(got.Out, "\n"), "\n")
	for i, line := range lines {
		var s struct {
			Name, Scheme, Section, Title, URL string
			Conversation                      []struct {
				Sent bool
				Line string
			}
			Found *struct{ Summary string }
			Error *struct{}
		}
		if err := json.Unmarshal([]byte(line), &s); err != nil {
			t.Fatalf("%v: %s, want no error", err, line)
		}
		if s.Scheme != "ftp" || !strings.HasPrefix(s.Name, "ftp-") || !strings.HasPrefix(s.Section, "RFC 1738") || !strings.HasPrefix(s.URL, "ftp://127.0.0.1:") || s.Found == nil || s.Error != nil ||
			len(s.Conversation) < 4 || i == 0 && (s.Conversation[0].Sent || !s.Conversation[1].Sent || s.Conversation[1].Line != "USER anonymous") {
			t.Errorf("%+v, want s.Scheme %q, %q at the start of s.Name, %q at the start of s.Section, %q at the start of s.URL, s.Found other than nil, s.Error nil and len(s.Conversation) at least 4", s, "ftp", "ftp-", "RFC 1738", "ftp://127.0.0.1:")
		}
	}
	if got.Status != 0 || len(lines) < 3 {
		t.Errorf("status %d, %d stops, %s", got.Status, len(lines), got.Err)
	}
	for _, args := range [][]string{{"--scheme", "afs"}, {"--serve", "--scheme", "ftp"}, {"--listen", "127.0.0.1:0"}, {"x"}, {"--serve", "ftp-file"}, {"--serve", "--full"}, {"--serve", "--listen", "127.0.0.1:x"}} {
		if got := commandtest.Run(t, nil, append([]string{"tour"}, args...)...); got.Status != base.StatusUsage || got.Out != "" {
			t.Errorf("%q: %+v, want status %d and no out", args, got, base.StatusUsage)
		}
	}
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	if got := commandtest.Run(t, nil, "tour", "--serve", "--listen", taken.Addr().String()); got.Status != base.StatusAccess {
		t.Errorf("a port that is taken: %+v", got)
	}
}

// A tour without arguments must print a greeting, the list of its stops, and three lines for each
// stop. If a stop is named, the output has at most 25 lines, unless --full is set.
func TestTourLength(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	got := commandtest.Run(t, nil, "tour")
	if n := strings.Count(got.Out, "\n"); got.Status != 0 || n >= 400 || !strings.HasPrefix(got.Out, "Welcome to the museum of the network") || strings.Contains(got.Out, "failed:") {
		t.Errorf("status %d, %d lines, %s\n%s", got.Status, n, got.Err, got.Out)
	}
	_, rest, _ := strings.Cut(got.Out, "\n\n")
	list, shown, _ := strings.Cut(rest, "\n\nftp-file  ftp://")
	var names []string
	for line := range strings.Lines(list) {
		if name, ok := strings.CutPrefix(line, "  "); ok {
			names = append(names, strings.Fields(name)[0])
		}
	}
	if len(names) < 60 {
		t.Errorf("only %d stops are listed", len(names))
	}
	for _, name := range names[1:] {
		if !strings.Contains(shown, "\n\n"+name+"  ") {
			t.Errorf("%s is not shown", name)
		}
	}
	longer := 0
	for _, full := range []bool{false, true} {
		args := []string{"tour"}
		if full {
			args = append(args, "--full")
		}
		got := commandtest.Run(t, nil, append(args, names...)...)
		if got.Status != 0 || !strings.HasPrefix(got.Out, names[0]+": ") {
			t.Fatalf("status %d, %s\n%s, want status 0 and %q at the start of out", got.Status, got.Err, got.Out, names[0]+": ")
		}
		rest := got.Out
		for i, name := range names {
			next := fmt.Sprintf("%d stops, ", len(names))
			if i+1 < len(names) {
				next = names[i+1] + ": "
			}
			stop, after, ok := strings.Cut(rest, "\n\n"+next)
			if n := strings.Count(stop, "\n") + 2; !ok || !full && n > 25 {
				t.Errorf("%s has %d lines:\n%s", name, n, stop)
			} else if n > 25 {
				longer++
			}
			rest = after
		}
	}
	if longer < 10 {
		t.Errorf("only %d stops have more than 25 lines with --full", longer)
	}
}

// browser follows all links on the pages of a gateway.
type browser struct {
	*testing.T
	base  string
	todo  []string
	seen  map[string]bool
	from  map[string]string // maps each path to the page that links to it
	types map[string]int
}

// A browser must reach all pages of the tour from its first page, but no other servers.
func TestTourServe(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	r, w := io.Pipe()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	a := base.New(ctx, strings.NewReader(""), w, io.Discard, func(string) string { return "" })
	ended := make(chan int, 1)
	go func() {
		ended <- commands.Run(a, []string{"tour", "--serve"})
		w.Close()
	}()
	line, err := bufio.NewReader(r).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	b := &browser{T: t, base: strings.TrimSuffix(line, "/\n"), todo: []string{"/"}, seen: map[string]bool{}, from: map[string]string{}, types: map[string]int{}}
	for len(b.todo) > 0 {
		path := b.todo[0]
		b.todo = b.todo[1:]
		b.visit(path)
	}
	t.Logf("%d pages: %v", len(b.seen), b.types)
	for _, path := range []string{"/ftp/127.0.0.1:1/", "/http/127.0.0.1:9/", "/http/localhost/", "/file//etc/passwd", "/gopher/gopher.micro.umn.edu/"} {
		if status, _ := b.get(path); status != http.StatusForbidden {
			t.Errorf("%s: status %d, want a refusal", path, status)
		}
	}
	http.DefaultClient.CloseIdleConnections()
	cancel()
	if status := <-ended; status != base.StatusInterrupted {
		t.Errorf("status %d, want status %d", status, base.StatusInterrupted)
	}
	for _, scheme := range []string{"ftp", "http", "gopher", "mailto", "news", "nntp", "telnet", "rlogin", "tn3270", "wais", "file", "prospero", "mid", "https", "ftps", "gophers", "nntps"} {
		if !slices.ContainsFunc(slices.Collect(keys(b.seen)), func(path string) bool {
			return strings.HasPrefix(path, "/"+scheme+"/") || strings.HasPrefix(path, "/"+scheme+":")
		}) {
			t.Errorf("no page is of %s", scheme)
		}
	}
}

func keys(m map[string]bool) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		for k := range m {
			if !yield(k) {
				return
			}
		}
	}
}

// get returns the response status and, if the response is HTML, the page.
func (b *browser) get(path string) (status int, page string) {
	b.Helper()
	response, err := http.Get(b.base + path)
	if err != nil {
		b.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		b.Errorf("%s: %v", path, err)
	}
	kind, _, _ := strings.Cut(response.Header.Get("Content-Type"), ";")
	b.types[kind]++
	if kind != "text/html" {
		return response.StatusCode, ""
	}
	return response.StatusCode, string(text)
}

// outside lists hosts that exhibits name but the tour does not run.
var outside = []string{"gopher.micro.umn.edu", "archie.mcgill.ca", "prospero.isi.edu", "/ftp/host/"}

func (b *browser) visit(path string) {
	b.Helper()
	path, _, _ = strings.Cut(path, "#")
	if b.seen[path] {
		return
	}
	b.seen[path] = true
	status, page := b.get(path)
	if slices.ContainsFunc(outside, func(host string) bool { return strings.Contains(path, host) }) {
		if status != http.StatusForbidden {
			b.Errorf("%s: status %d, want a refusal", path, status)
		}
		return
	}
	if strings.Contains(path, "key=other") || strings.Contains(path, "key%3Dother") {
		// This stop demonstrates a missing resource.
		if status != http.StatusNotFound {
			b.Errorf("%s: status %d, want 404", path, status)
		}
		return
	}
	if status != http.StatusOK {
		b.Errorf("%s: status %d; a link of %s", path, status, b.from[path])
		return
	}
	base, err := url.Parse(b.base + path)
	if err != nil {
		b.Error(err)
		return
	}
	for m := range document.HTML(page, &document.Options{Extract: extract.Options{NoBare: true}}) {
		// Skip links within the page, form actions, and all links in raw content, which
		// the gateway does not rewrite. In plain text, the extractor may cut a URL short
		// before punctuation.
		if m.Ref == "" || m.Ref[0] == '#' || strings.HasSuffix(m.Element, " action") || strings.HasPrefix(path, "/-/") || strings.HasSuffix(path, "as=text") {
			continue
		}
		to, err := base.Parse(m.Ref)
		if err != nil {
			b.Errorf("%s leads to %q: %v", path, m.Ref, err)
			continue
		}
		// Skip other sort orders of the same list.
		if base.Host == to.Host && !to.Query().Has("sort") {
			b.todo = append(b.todo, to.RequestURI())
			b.from[to.RequestURI()] = path
		}
	}
}
