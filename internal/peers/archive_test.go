package peers

import (
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

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
			url, err := b.Finder.Decode(nil, []byte(line[start:end]))
			if err != nil {
				t.Fatalf("%s: %q: %v", file, line, err)
			}
			list = append(list, string(url))
		}
		b.Release()
	}
	return list
}

// What wget keeps of the tour's servers is read as lines: the targets of its WARC file, by
// HTTP and FTP, and the URLs of its CDX index.
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
		// Some stops are errors: what counts is what wget kept.
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
			// wget keeps the listing of a directory under another name.
			if !slices.Contains(targets, url) && !strings.HasSuffix(url, "/") {
				t.Errorf("%s: %s is not in the archive", name, url)
			}
		}
	}
}
