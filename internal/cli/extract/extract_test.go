package extract

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/cli/clitest"
)

// What the registry has is looked for in texts.
func TestSchemesAreLookedFor(t *testing.T) {
	a, _ := clitest.NewScreen(t)
	registry, err := a.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	a.Registry = registry
	x := &extractor{a: a}
	if err := x.prepare(); err != nil {
		t.Fatal(err)
	}
	for _, s := range registry.All() {
		// In running text, "data:" is a word.
		if _, ok := x.o.Extract.Schemes.Lookup(s.Name); ok != (s.Name != "data") {
			t.Errorf("extract looks for %s: %v", s.Name, ok)
		}
	}
}

// Bars and results do not share a terminal.
func TestExtractProgressOff(t *testing.T) {
	a, s := clitest.NewScreen(t)
	a.OutTTY = true
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte("http://h/"), 0o666); err != nil {
		t.Fatal(err)
	}
	x := &extractor{a: a}
	x.o.Extract.Schemes = extract.Named(extract.Any, "http")
	if found := x.write([]string{file}); found != 1 || s.String() != "" {
		t.Errorf("%d links, %q", found, s.String())
	}
}

func TestOnHost(t *testing.T) {
	for _, row := range []struct {
		host, name string
		want       bool
	}{
		{"H.Example", "h.example", true},
		{"a.h.example", "h.example", false},
		{"a.h.example", "*.example", true},
		{"example", "*.example", false},
		{"", "*.example", false},
	} {
		if got := onHost(row.host, row.name); got != row.want {
			t.Errorf("%q on %q: %v", row.host, row.name, got)
		}
	}
}
