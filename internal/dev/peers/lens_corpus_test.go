package peers

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"net"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	docs "github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/lens"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// systemPath is a PATH with the programs of the system, and without the private programs of a
// developer.
const systemPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// corpusPrograms maps the parsers that the tests need to the programs that run them.
var corpusPrograms = map[string]string{
	"urllib": "/usr/bin/python3", "perl-uri": "/usr/bin/perl", "node": "/usr/bin/node", "node-legacy": "/usr/bin/node",
	"php": "/usr/bin/php", "ruby": "/usr/bin/ruby", "curl": "/usr/bin/curl", "wget": "/usr/bin/wget",
}

// testTimeout is the time that a busy machine may need for a batch of URLs.
const testTimeout = 10 * time.Minute

// newLens returns a lens with the parsers in this process and the named programs. Without names,
// the lens uses all installed programs.
func newLens(t *testing.T, programs ...string) (*lens.Lens, *scheme.Registry) {
	t.Helper()
	t.Setenv("PATH", systemPath)
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	o := lens.Options{Registry: r, With: map[string]string{}, Only: len(programs) > 0, Timeout: testTimeout}
	if !o.Only {
		programs = slices.Collect(maps.Keys(corpusPrograms))
	}
	for _, name := range programs {
		o.With[name] = need(t, corpusPrograms[name])
	}
	readers := slices.Concat(lens.Standards(r), lens.InProcess(r), lens.Programs(context.Background(), o))
	return lens.New(r, readers...), r
}

func corpusReports(t *testing.T, l *lens.Lens, urls []string) []lens.Report {
	t.Helper()
	reports, err := l.Compare(context.Background(), urls)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range reports[0].Results {
		if a.Failure != "" {
			t.Fatalf("%s: %s", a.Name, a.Failure)
		}
	}
	return reports
}

// The corpus shows at least 300 different behaviors, and few entries repeat the behavior of
// another entry.
func TestLensCorpusBehaviours(t *testing.T) {
	long(t)
	l, _ := newLens(t, "urllib", "perl-uri", "node", "node-legacy", "php", "ruby")
	entries := lens.Corpus()
	var urls []string
	for _, e := range entries {
		urls = append(urls, e.URL)
	}
	first := map[string]string{}
	doubles := 0
	for i, r := range corpusReports(t, l, urls) {
		behavior := l.Behavior(entries[i], r)
		if before, ok := first[behavior]; ok {
			doubles++
			t.Logf("%q shows what %q shows", entries[i].URL, before)
			continue
		}
		first[behavior] = entries[i].URL
	}
	t.Logf("%d entries, %d behaviors", len(entries), len(first))
	if len(first) < 300 {
		t.Errorf("%d behaviors, want 300", len(first))
	}
	// With another version of a program, a few entries may show the same behavior.
	if doubles > len(entries)/20 {
		t.Errorf("%d of %d entries show what another one shows", doubles, len(entries))
	}
}

// ordinaryURLs returns URLs from the documents in dir that all parsers should read in the same
// way.
func ordinaryURLs(t *testing.T, r *scheme.Registry, dir string, count int) []string {
	t.Helper()
	seen := map[string]bool{}
	o := docs.Options{Extract: extract.Options{Schemes: r.InText()}}
	err := filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || len(seen) >= count {
			return nil
		}
		f, err := os.Open(name)
		if err != nil {
			return nil
		}
		defer f.Close()
		n := 0
		for l, err := range docs.Links(f, name, &o) {
			if err != nil || n == 5 { // only a few URLs of each file, so that the URLs come from many authors
				break
			}
			if !l.URL.IsZero() && !l.IRI && !seen[l.URL.String()] && len(seen) < count {
				seen[l.URL.String()] = true
				n++
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	urls := make([]string, 0, len(seen))
	for url := range seen {
		urls = append(urls, url)
	}
	slices.Sort(urls)
	return urls
}

// All parsers read the URLs in documents in the same way, or differ only in harmless details.
func TestLensHasNoFalseAlarms(t *testing.T) {
	long(t)
	l, r := newLens(t)
	t.Logf("%d readers", len(l.Parsers()))
	urls := ordinaryURLs(t, r, "/usr/share/doc", 1000)
	if len(urls) < 1000 {
		t.Fatalf("/usr/share/doc has %d URLs", len(urls))
	}
	differ := 0
	for _, report := range corpusReports(t, l, urls) {
		if report.Danger {
			t.Errorf("%q: %s", report.Input, report.Why)
		}
		if len(report.Differences) > 0 {
			differ++
			t.Logf("%q: %q %s", report.Input, report.Differences, report.Why)
		}
	}
	t.Logf("%d of %d URLs have harmless differences", differ, len(urls))
}

// Within seconds, the search finds hosts about which two common programs disagree.
func TestLensGuard(t *testing.T) {
	long(t)
	for _, row := range []struct{ filter, fetch, program string }{
		{"net/url", "curl", "curl"},
		{"urllib", "curl", "curl"},
		{"node-legacy", "whatwg", "node-legacy"},
	} {
		t.Run(strings.ReplaceAll(row.filter+"-"+row.fetch, "/", "-"), func(t *testing.T) {
			need(t, corpusPrograms[row.program])
			got := locusEnv(t, []string{"PATH=" + systemPath}, "lens", "--from-nothing", "--json", "--max-tries", "2000", "--max-time", "10m", "--timeout", "10m",
				"--guard", "filter="+row.filter+",fetch="+row.fetch)
			if got.status != 1 {
				t.Fatalf("status %d: %s", got.status, got.err)
			}
			t.Log(got.err)
			hosts := 0
			for line := range strings.Lines(got.out) {
				var finding struct {
					Input       string
					Differences []string
					Danger      bool
				}
				if err := json.Unmarshal([]byte(line), &finding); err != nil || !finding.Danger {
					t.Fatalf("%v: %s", err, line)
				}
				if slices.Contains(finding.Differences, "host") {
					hosts++
					t.Logf("%q", finding.Input)
				}
			}
			if hosts == 0 {
				t.Errorf("no host confusion: %s", got.out)
			}
		})
	}
}

// matrix is the content of docs/dev/lens-matrix.md.
type matrix struct {
	urls     int
	versions map[string]string
	cells    map[string]int // "Both accept ...: net/url, curl"
}

var (
	readerRow = regexp.MustCompile(`^\| ([0-9]+) \| (\S+) \| (.*) \| ([0-9]+) \|$`)
	tableRow  = regexp.MustCompile(`^\| [0-9]+ (\S+) \| (.*) \|$`)
	urlCount  = regexp.MustCompile(`, ([0-9]+) URLs\.`)
)

func parseMatrix(t *testing.T, text string) matrix {
	t.Helper()
	m := matrix{versions: map[string]string{}, cells: map[string]int{}}
	var readers []string
	var title string
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if f := urlCount.FindStringSubmatch(line); f != nil {
			m.urls, _ = strconv.Atoi(f[1])
		}
		if after, ok := strings.CutPrefix(line, "## "); ok {
			title = after
		}
		if f := readerRow.FindStringSubmatch(line); f != nil && title == "" {
			readers = append(readers, f[2])
			m.versions[f[2]] = f[3]
			m.cells["accepts: "+f[2]], _ = strconv.Atoi(f[4])
		} else if f := tableRow.FindStringSubmatch(line); f != nil {
			cells := strings.Split(f[2], " | ")
			if len(cells) != len(readers) {
				t.Fatalf("%d cells for %d readers: %s", len(cells), len(readers), line)
			}
			for i, cell := range cells {
				if readers[i] == f[1] {
					continue
				}
				n, err := strconv.Atoi(strings.TrimSpace(cell))
				if err != nil {
					t.Fatalf("%s: %v", line, err)
				}
				m.cells[title+": "+f[1]+", "+readers[i]] = n
			}
		}
	}
	if want := len(readers) * (3*(len(readers)-1) + 1); len(readers) < 7 || len(m.cells) != want || m.urls < 300 {
		t.Fatalf("%d readers, %d cells instead of %d, %d URLs", len(readers), len(m.cells), want, m.urls)
	}
	return m
}

// docs/dev/lens-matrix.md matches the output of the command for readers of the same versions. For
// other versions, the test compares only the structure.
func TestLensMatrix(t *testing.T) {
	long(t)
	for _, program := range corpusPrograms {
		need(t, program)
	}
	const file = "../../../docs/dev/lens-matrix.md"
	got := locusEnv(t, []string{"PATH=" + systemPath}, "lens", "--corpus", "--format", "markdown", "--timeout", "10m")
	if got.status != 0 || got.err != "" {
		t.Fatalf("status %d: %s", got.status, got.err)
	}
	kept, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	want, made := parseMatrix(t, string(kept)), parseMatrix(t, got.out)
	if made.urls != want.urls || made.urls != len(lens.Corpus()) {
		t.Errorf("%d URLs, %s has %d, the corpus %d", made.urls, file, want.urls, len(lens.Corpus()))
	}
	for name := range corpusPrograms {
		if want.versions[name] == "" || made.versions[name] == "" {
			t.Errorf("%s is missing", name)
		}
	}
	for name, version := range want.versions {
		if made.versions[name] != version {
			t.Logf("%s is %q here and %q in %s: not compared", name, made.versions[name], version, file)
		}
	}
	for _, difference := range made.differences(want) {
		t.Errorf("%s in %s: write it again with locus lens --corpus --format markdown", difference, file)
	}
}

// differences returns the counts that differ between two matrices. It compares only parsers with
// the same version in both matrices.
func (m matrix) differences(kept matrix) (list []string) {
	same := func(reader string) bool { return m.versions[reader] == kept.versions[reader] }
	for _, cell := range slices.Sorted(maps.Keys(kept.cells)) {
		_, names, _ := strings.Cut(cell, ": ")
		a, b, two := strings.Cut(names, ", ")
		if same(a) && (!two || same(b)) && m.cells[cell] != kept.cells[cell] {
			list = append(list, fmt.Sprintf("%s: %d, %d", cell, m.cells[cell], kept.cells[cell]))
		}
	}
	return list
}

func TestMatrixOfOtherVersions(t *testing.T) {
	kept := matrix{versions: map[string]string{"a": "1", "b": "2", "c": "3"}, cells: map[string]int{"accepts: a": 1, "accepts: b": 2, "Any: a, b": 3, "Any: a, c": 4}}
	other := matrix{versions: map[string]string{"a": "1", "b": "2.1"}, cells: map[string]int{"accepts: a": 1, "accepts: b": 7, "Any: a, b": 8}}
	if list := other.differences(kept); list != nil {
		t.Errorf("another version and a missing reader are compared: %q", list)
	}
	other.cells["accepts: a"] = 5
	if list := other.differences(kept); !slices.Equal(list, []string{"accepts: a: 5, 1"}) {
		t.Errorf("differences(kept) = %q, want %q", list, []string{"accepts: a: 5, 1"})
	}
}

// For each URL in the corpus, the parser wget finds the host that `wget URL` contacts, although it
// does not pass the URL as an argument.
func TestLensWgetArgument(t *testing.T) {
	long(t)
	l, _ := newLens(t, "wget")
	var urls []string
	for _, e := range lens.Corpus() {
		if e.URL != "" && !strings.Contains(e.URL, "\x00") {
			urls = append(urls, e.URL)
		}
	}
	unseen := 0
	for _, r := range corpusReports(t, l, urls) {
		a := r.Results[len(r.Results)-1]
		got := "refused"
		switch {
		case slices.Contains(a.Unseen, "host"):
			unseen++
			continue
		case a.OK:
			got = *a.Host
		}
		if want := wgetHost(t, r.Input); got != want {
			t.Errorf("%q: the lens finds %q, wget contacts %q", r.Input, got, want)
		}
	}
	if unseen > 5 {
		t.Errorf("the lens does not tell the host of %d URLs", unseen)
	}
}

// wgetHost returns the host that `wget URL` requests from a proxy, or "refused" if it sends no
// request.
func wgetHost(t *testing.T, url string) string {
	t.Helper()
	host := "refused"
	conns, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		conn, err := conns.Accept()
		if err != nil {
			return
		}
		defer conn.Close()
		head := textproto.NewReader(bufio.NewReader(conn))
		line, _ := head.ReadLine()
		fields, _ := head.ReadMIMEHeader()
		target := fields.Get("Host")
		if connect, ok := strings.CutPrefix(line, "CONNECT "); ok {
			target, _, _ = strings.Cut(connect, " HTTP/")
		}
		if i := strings.LastIndexByte(target, ':'); i >= 0 && !strings.Contains(target[i:], "]") {
			target = target[:i]
		}
		host = target
		_, _ = io.WriteString(conn, "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
	}()
	at := "http://" + conns.Addr().String() + "/"
	cmd := exec.CommandContext(t.Context(), "/usr/bin/wget", "--no-config", "-e", "use_proxy=on", "-e", "no_proxy=", "-e", "http_proxy="+at, "-e", "https_proxy="+at, "-e", "ftp_proxy="+at,
		"--no-verbose", "--output-document=/dev/null", "--tries=1", "--timeout=60", "--max-redirect=0", "--no-hsts", "--no-netrc", "--no-cookies", "--", url)
	cmd.Env, cmd.Dir = []string{"LANG=C.UTF-8", "LC_ALL=C.UTF-8", "HOME=" + t.TempDir()}, t.TempDir()
	_ = cmd.Run() // it fails: the proxy knows no resource
	conns.Close()
	<-done
	return host
}
