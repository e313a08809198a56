package peers

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	root "github.com/locus-url/locus"
	documents "github.com/locus-url/locus/document"
	"github.com/locus-url/locus/internal/lines"
	"github.com/locus-url/locus/internal/tour"
)

// inputsOf returns the URLs in the lines of a file.
func inputsOf(t *testing.T, file string) (list []string) {
	t.Helper()
	for b := range lines.Blocks(t.Context(), []string{file}, nil) {
		if b.Err != nil {
			t.Fatal(b.Err)
		}
		for line := range strings.Lines(string(b.Text)) {
			line = strings.TrimRight(line, "\r\n")
			start, end, err := b.Finder.Find([]byte(line))
			if err == lines.ErrNoURL || line == "" {
				continue
			}
			if err != nil {
				t.Fatalf("%s: %q: %v", file, line, err)
			}
			url, err := b.Finder.Decode(new([]byte), []byte(line[start:end]))
			if err != nil {
				t.Fatalf("%s: %q: %v", file, line, err)
			}
			list = append(list, string(url))
		}
		b.Release()
	}
	return list
}

// Locus reads the archive files that wget writes for the servers of the tour. It finds the HTTP
// and FTP targets in the WARC file, and the URLs in the CDX index.
func TestLinesOfWget(t *testing.T) {
	wget := need(t, "wget")
	museum, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer museum.Close()
	var wanted []string
	for _, stop := range museum.Stops() {
		if u := stop.URL; u.Scheme() == "http" || u.Scheme() == "ftp" && !strings.Contains(u.String(), ";") {
			text, _, _ := strings.Cut(u.String(), "#")
			wanted = append(wanted, text)
		}
	}
	if len(wanted) < 3 {
		t.Fatal(wanted)
	}
	for name, flag := range map[string]string{"x.warc.gz": "--warc-compression", "x.warc": "--no-warc-compression"} {
		dir := t.TempDir()
		cmd := exec.CommandContext(t.Context(), wget, append([]string{"-q", "--no-proxy", "--tries=1", "--warc-file=x", "--warc-cdx", flag}, wanted...)...)
		cmd.Dir = dir
		// Ignore the exit status, because some stops are errors. Only the stored files
		// count.
		out, err := cmd.CombinedOutput()
		index, targets := inputsOf(t, filepath.Join(dir, "x.cdx")), inputsOf(t, filepath.Join(dir, name))
		if len(index) == 0 || len(targets) < len(index) {
			t.Fatalf("%d URLs in the index, %d in the archive; wget: %v %s", len(index), len(targets), err, out)
		}
		t.Logf("%s: %d stops, %d URLs in the index, %d in the archive", name, len(wanted), len(index), len(targets))
		for _, url := range index {
			if !slices.Contains(targets, url) {
				t.Errorf("%s: %s is in the index only", name, url)
			}
		}
		for _, url := range wanted {
			// wget stores a directory listing under another name.
			if !slices.Contains(targets, url) && !strings.HasSuffix(url, "/") {
				t.Errorf("%s: %s is not in the archive", name, url)
			}
		}
	}
}

// crawl is the path of a WARC file with the beginning of a Common Crawl crawl. The WAT and WET
// files for this file are next to it. The files come from the npm package warc@1.0.1.
var crawl = unpacked("npm/warc/test/fixtures/CC-MAIN-20140820021334-00006-ip-10-180-136-8.ec2.internal.warc")

// linksOf returns the links in the pages of a web archive. The URL of the page precedes each link.
func linksOf(t *testing.T, file string) map[string]bool {
	t.Helper()
	f, err := os.Open(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	links := map[string]bool{}
	for l, err := range documents.Links(f, file, nil) {
		if err != nil {
			t.Fatal(err)
		}
		if u, err := l.Resolve(root.URL{}); err == nil {
			links[l.Member+" "+u.String()] = true
		}
	}
	return links
}

// Common Crawl files can be read, and the links in a WAT file match the links in its page.
func TestCommonCrawl(t *testing.T) {
	if _, err := os.Stat(crawl); err != nil {
		t.Skip(err)
	}
	pages := inputsOf(t, crawl)
	if len(pages) != 4 || pages[1] != "http://0pointer.de/photos/?gallery=Australia&photo=496" {
		t.Errorf("targets of the WARC file: %q", pages)
	}
	for ext, n := range map[string]int{".wat": 2, ".wet": 3} {
		targets := inputsOf(t, crawl+ext)
		if len(targets) != n {
			t.Errorf("%d targets of the %s file, want %d", len(targets), ext, n)
		}
		for _, url := range targets {
			if !slices.Contains(pages, url) {
				t.Errorf("%s is in the %s file only", url, ext)
			}
		}
	}
	inPages, listed := linksOf(t, crawl), linksOf(t, crawl+".wat")
	if len(listed) < 10 {
		t.Errorf("%d links in the WAT file", len(listed))
	}
	for link := range listed {
		if !inPages[link] {
			t.Errorf("%s is in the WAT file only", link)
		}
	}
	t.Logf("%d links of pages, %d in the WAT file", len(inPages), len(listed))
}
