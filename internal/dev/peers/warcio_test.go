package peers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/warc"
)

// modules returns the directory node_modules that contains the package warcio.
func modules(t testing.TB) string {
	t.Helper()
	dir := unpacked("node_modules")
	if _, err := os.Stat(filepath.Join(dir, "warcio")); err != nil {
		missing(t, "the npm package warcio is not installed: .ci/peers does that")
	}
	return dir
}

// recordSome records pages, files and menus from test servers, and returns the name of the
// archive.
func recordSome(t testing.TB) string {
	t.Helper()
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/moved":
			http.Redirect(w, r, "/page", http.StatusFound)
		case "/none":
			http.NotFound(w, r)
		case "/chunks":
			for i := range 3 {
				fmt.Fprintf(w, "chunk %d\n", i)
				w.(http.Flusher).Flush()
			}
		case "/long":
			io.WriteString(w, strings.Repeat("0123456789abcdef", 1<<17))
		default:
			io.WriteString(w, "<p>a page")
		}
	}))
	t.Cleanup(site.Close)
	files, err := ftptest.Start(ftptest.Files{"pub/a.txt": {Data: "text\r\n"}, "pub/b.bin": {Data: "\x00\r\n\r\nWARC/1.1\r\n\xff"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { files.Close() })
	menus, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{{Name: "About", Selector: "/about", Data: "one\ntwo\n"}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { menus.Close() })
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	name := filepath.Join(t.TempDir(), "a.warc.gz")
	w, err := warc.Create(name, &warc.WriterOptions{Info: []warc.Field{{Name: "software", Value: "locus"}}})
	if err != nil {
		t.Fatal(err)
	}
	rules, err := policy.New(policy.Rules{AllowPrivate: true})
	if err != nil {
		t.Fatal(err)
	}
	r := archive.NewRecorder(w, registry, nil)
	c := access.New(registry, rules, &access.Options{Record: r.Record})
	for _, url := range []string{
		site.URL + "/page", site.URL + "/moved", site.URL + "/none", site.URL + "/chunks", site.URL + "/long", site.URL + "/page?again", site.URL + "/Page~%7E?b=2&a=1",
		"ftp://" + files.Addr() + "/pub/a.txt", "ftp://" + files.Addr() + "/pub/b.bin", "ftp://" + files.Addr() + "/pub/", "ftp://" + files.Addr() + "/none",
		"gopher://" + menus.Addr() + "/", "gopher://" + menus.Addr() + "/0/about", "gopher://" + menus.Addr() + "/0/about",
	} {
		res, err := c.Open(t.Context(), url)
		if err != nil {
			continue
		}
		switch r := res.Resource.(type) {
		case *scheme.Object:
			io.Copy(io.Discard, r.Body)
		case *scheme.Menu:
			for range r.Items {
			}
		}
		res.Close()
	}
	for _, s := range registry.All() {
		if opener, ok := s.Access.Opener.(io.Closer); ok {
			opener.Close()
		}
	}
	c.Close()
	if err := r.Close(); err != nil {
		t.Fatal(err)
	}
	return name
}

// warcio reads the same records, digests and offsets in our archive, and writes the same bytes
// again.
func TestWarcio(t *testing.T) {
	node, dir := need(t, "node"), modules(t)
	name := recordSome(t)
	script := filepath.Join(t.TempDir(), "warcio.mjs")
	text, err := os.ReadFile("testdata/warcio.mjs")
	if err != nil {
		t.Fatal(err)
	}
	write(t, script, string(text), 0o644)
	// Node looks for modules in the parent directories of the script.
	if err := os.Symlink(dir, filepath.Join(filepath.Dir(script), "node_modules")); err != nil {
		t.Fatal(err)
	}
	again := filepath.Join(t.TempDir(), "again.warc.gz")
	process := exec.CommandContext(t.Context(), node, script, name, again)
	process.Stderr = t.Output()
	out, err := process.Output()
	if err != nil {
		t.Fatal(err)
	}
	ours, theirs := recordsOf(t, name), recordsOf(t, again)
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if len(lines) != len(ours) || len(theirs) != len(ours) {
		t.Fatalf("%d records; warcio reads %d, and writes %d", len(ours), len(lines), len(theirs))
	}
	types := map[string]int{}
	for i, one := range ours {
		var line struct{ Type, ID, Target, Payload, PayloadAgain, Block, BlockAgain string }
		if err := json.Unmarshal(lines[i], &line); err != nil {
			t.Fatalf("%s: %v", lines[i], err)
		}
		types[one.Type]++
		if line.Type != one.Type || line.ID != one.Get("WARC-Record-ID") || line.Target != one.Target() {
			t.Errorf("%s %s is read as %s", one.Type, one.Target(), lines[i])
		}
		// warcio treats the data after the HTTP header as the payload, even in a request.
		if line.Payload != "" && line.PayloadAgain != "" && line.PayloadAgain != line.Payload || line.BlockAgain != "" && line.BlockAgain != line.Block {
			t.Errorf("the digests differ: %s", lines[i])
		}
		if theirs[i].text != one.text || theirs[i].Type != one.Type {
			t.Errorf("%s %s is written as %.200q", one.Type, one.Target(), theirs[i].text)
		}
	}
	for typ, least := range map[string]int{"warcinfo": 1, "response": 5, "request": 8, "resource": 3, "revisit": 2, "metadata": 5} {
		if types[typ] < least {
			t.Errorf("%d records of type %s: %v", types[typ], typ, types)
		}
	}

	cli := exec.CommandContext(t.Context(), node, filepath.Join(dir, "warcio/dist/cli.js"), "cdx-index", "--format", "cdxj", name)
	cli.Stderr = t.Output()
	if out, err = cli.Output(); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(strings.TrimSuffix(name, ".warc.gz") + ".cdxj")
	if err != nil {
		t.Fatal(err)
	}
	if got, want := places(t, string(index)), places(t, string(out)); !slices.Equal(got, want) {
		t.Errorf("the index is\n%s\nand that of warcio\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

// places returns the index entries of the records that have a target URI, in order.
func places(t testing.TB, index string) (list []string) {
	t.Helper()
	for line := range strings.Lines(index) {
		c, err := warc.ParseCDXJ(line)
		if err != nil {
			if strings.Contains(line, "application/x-locus-conversation") {
				continue // the record has no target URI, so warcio has no index key for it
			}
			t.Fatal(err)
		}
		if c.URL == "" {
			continue
		}
		media, _, _ := strings.Cut(c.Type, ";")
		list = append(list, fmt.Sprintf("%09d %d %s %s %s %d %s", c.Offset, c.Length, c.Time, c.URL, media, c.Status, strings.TrimPrefix(c.Digest, "sha1:")))
	}
	slices.Sort(list)
	return list
}

// storedRecord is a record and its bytes.
type storedRecord struct {
	*warc.Record
	text string
}

func recordsOf(t testing.TB, name string) (list []storedRecord) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for in := warc.NewReader(bytes.NewReader(data)); ; {
		rec, err := in.Next()
		if err == io.EOF {
			return list
		}
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(rec)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, storedRecord{rec, string(text)})
	}
}
