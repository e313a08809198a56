package mirror

import (
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/http"
)

func TestSafeSegment(t *testing.T) {
	for octets, want := range map[string]string{
		"a.txt": "a.txt", "": "%", ".": "%2E", "..": ".%2E", "a/b": "a%2Fb", "a\\b": "a%5Cb", "nul": "%6Eul", "NUL.txt": "%4EUL.txt", "CONx": "CONx",
		"a:b?c*": "a%3Ab%3Fc%2A", "100%": "100%25", "x.": "x%2E", "x ": "x%20", " x": "%20x", "-rf": "%2Drf", "a\x00b": "a%00b", "\xff": "%FF",
		".menu": "%2Emenu", ".MENU.html": "%2EMENU.html", ".locus-mirror": "%2Elocus-mirror", ".bashrc": ".bashrc", "é": "é", "a\u202eb": "a%E2%80%AEb",
	} {
		if got := safeSegment(octets); got != want {
			t.Errorf("%q: %q, not %q", octets, got, want)
		}
	}
	long, other := strings.Repeat("é", 200)+".tar", strings.Repeat("é", 199)+"è.tar"
	if a, b := safeSegment(long), safeSegment(other); a == b || len(a) > maxSegment || !strings.HasSuffix(a, ".tar") || !utf8.ValidString(a) {
		t.Errorf("%q, %q", a, b)
	}
}

// Names are valid everywhere, and short ones can be read back.
func FuzzSafeSegment(f *testing.F) {
	for _, seed := range []string{"a", "..", "con", "a:b", "%41", "\xff\x00", ".menu", "é", strings.Repeat("%", 100)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, octets string) {
		name := safeSegment(octets)
		if name == "" || name == "." || name == ".." || len(name) > maxSegment || !utf8.ValidString(name) || strings.ContainsAny(name, "\"*:<>?|\\/\x00") ||
			strings.HasSuffix(name, ".") || strings.HasSuffix(name, " ") || !filepath.IsLocal(name) || isOwn(name) {
			t.Fatalf("%q: %q", octets, name)
		}
		if octets != "" && !strings.Contains(name, "~") {
			if back, err := url.PathUnescape(name); err != nil || back != octets {
				t.Fatalf("%q: %q: %q, %v", octets, name, back, err)
			}
		}
	})
}

// No two URLs have one file, on any file system.
func FuzzPlaces(f *testing.F) {
	f.Add("a\nA\na/b\na/B\na?x\na%3Fx\n\nindex.html\n.menu", uint8(0))
	f.Add("a\na/\na/index.html\nCON\ncon", uint8(3))
	f.Fuzz(func(t *testing.T, text string, layout uint8) {
		r, err := scheme.NewRegistry(http.Scheme(nil))
		if err != nil {
			t.Fatal(err)
		}
		layouts := []Layout{LayoutHost, LayoutURL, LayoutFlat, LayoutType}
		p := newPlacer(r, layouts[layout%4])
		files, folders := map[string]bool{}, map[string]bool{}
		seen := map[locus.URL]bool{}
		for path := range strings.Lines(text) {
			u, err := locus.Parse("http://h/" + strings.TrimSuffix(path, "\n"))
			if err != nil {
				continue
			}
			if u, _, err = r.Canonical(u.WithoutFragment()); err != nil || seen[u] {
				continue
			}
			seen[u] = true
			at := p.place(u, len(path)%3 == 0, "text/plain")
			for _, name := range []string{at.file, at.page} {
				if name == "" {
					continue
				}
				if !isLocal(name) {
					t.Fatalf("%s: %q", u, name)
				}
				folded := strings.ToLower(strings.ToUpper(name))
				if files[folded] || folders[folded] {
					t.Fatalf("%s: %q is taken", u, name)
				}
				files[folded] = true
				for i, c := range folded {
					if c == '/' {
						if files[folded[:i]] {
							t.Fatalf("%s: %q is below a file", u, name)
						}
						folders[folded[:i]] = true
					}
				}
			}
		}
	})
}

func FuzzGemtext(f *testing.F) {
	f.Add("=> a.gmi label\n```\n=> no\n```\n=>http://h/ \r\n=>\n=> \t b")
	f.Fuzz(func(t *testing.T, text string) {
		end := int64(0)
		for l := range gemtextLinks(text) {
			written := l.Ref
			if written == "" {
				written = l.URL.String()
			}
			if l.Start < end || l.End > int64(len(text)) || text[l.Start:l.End] != written {
				t.Fatalf("%q: %d-%d %q", text, l.Start, l.End, written)
			}
			end = l.End
		}
	})
}

// Anyone may have written the files in the directory.
func FuzzLedger(f *testing.F) {
	head := `{"mirror":{"layout":"host","time":"2026-01-01T00:00:00Z"}}` + "\n"
	f.Add(head+`{"url":"http://h/","file":"h/index.html","size":1,"digest":"sha256:00","fetched":"2026-01-01T00:00:00Z","start":"http://h/","depth":0}`+"\n",
		`{"begin":{"layout":"host","options":"o","time":"2026-01-01T00:00:00Z"}}`+"\n"+`{"job":{"url":"http://h/","start":"http://h/"}}`+"\n"+`{"done":{"status":"added","url":"http://h/","file":"h/a","size":1}}`+"\n"+`{"links":1}`+"\n")
	f.Add(head, `{"write":{"url":"a","file":"../b"}}`+"\n"+`{"same":"x"}`+"\n{")
	f.Add("", "")
	f.Fuzz(func(t *testing.T, manifest, journal string) {
		dir := t.TempDir()
		os.Mkdir(filepath.Join(dir, stateFolder), 0o777)
		os.WriteFile(filepath.Join(dir, manifestFile), []byte(manifest), 0o666)
		os.WriteFile(filepath.Join(dir, journalFile), []byte(journal), 0o666)
		root, err := os.OpenRoot(dir)
		if err != nil {
			t.Fatal(err)
		}
		defer root.Close()
		l, err := openLedger(root, begin{Layout: LayoutHost, Options: "o", Time: time.Unix(0, 0).UTC()}, func(at place) {
			if !isLocal(at.file) {
				t.Fatalf("%q", at.file)
			}
		})
		if err != nil {
			if !errors.Is(err, ErrManifest) && !errors.Is(err, ErrLayout) {
				t.Fatal(err)
			}
			return
		}
		defer l.close()
		for range 100 {
			j, err := l.nextJob()
			if err != nil || j == nil {
				break
			}
			l.records(j.URL)
		}
		if err := l.finish(func(r *Record) bool {
			if !r.isSafe() {
				t.Fatalf("%+v", r)
			}
			return true
		}); err != nil {
			t.Fatal(err)
		}
		if _, err := fs.Stat(root.FS(), manifestFile); err != nil {
			t.Fatal(err)
		}
		again, err := openLedger(root, begin{Layout: LayoutHost, Options: "o"}, func(place) {})
		if err != nil {
			t.Fatalf("what was written can't be read: %v", err)
		}
		again.close()
	})
}
