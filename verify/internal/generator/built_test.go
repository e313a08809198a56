package generator

import (
	"io/fs"
	"os"
	"path"
	"slices"
	"strings"
	"testing"
)

// For each site in testdata, the pages and the fragments of headings are the same as those that
// the real generator created.
func TestBuilt(t *testing.T) {
	sites, err := fs.Glob(os.DirFS("testdata"), "*/expected.txt")
	if err != nil || len(sites) < 8 {
		t.Fatalf("Glob = %q, %v, want at least 8 sites", sites, err)
	}
	for _, name := range sites {
		t.Run(path.Dir(name), func(t *testing.T) {
			fsys := os.DirFS("testdata/" + path.Dir(name) + "/site")
			expected, err := os.ReadFile("testdata/" + name)
			if err != nil {
				t.Fatal(err)
			}
			checkBuilt(t, fsys, string(expected))
		})
	}
}

func checkBuilt(t *testing.T, fsys fs.FS, expected string) {
	preset, config := Detect(fsys)
	s, err := Open(t.Context(), fsys, preset)
	if err != nil || config == "" || s.Config != config {
		t.Fatalf("%q %q: %v, opened %q", preset, config, err, s.Config)
	}
	s.SetPrefix("/")
	reached := map[string]bool{}
	for line := range strings.Lines(expected) {
		fields := strings.Fields(line)
		target := s.At(fields[0])
		if target.Kind != File && target.Kind != Made && target.Kind != Undecided {
			t.Errorf("%s: %v", fields[0], target)
		}
		if target.Kind != File {
			continue
		}
		reached[target.Name] = true
		ids, any := s.IDs(readText(fsys, target.Name))
		for _, id := range fields[1:] {
			if !any && !slices.Contains(ids, id) {
				t.Errorf("%s: #%s is missing in %v", fields[0], id, ids)
			}
		}
	}
	for file, at := range s.paths {
		if !reached[file] {
			t.Errorf("%s: no page at %q", file, at)
		}
	}
}
