package extract

import (
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/cli/base"
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
		if _, ok := x.o.Extract.Schemes.Lookup(s.Name); !ok {
			t.Errorf("extract does not look for %s", s.Name)
		}
	}
}

func TestExtractProgress(t *testing.T) {
	a, s := clitest.NewScreen(t)
	x := &extractor{a: a}
	show := x.startProgress()
	show.files.Store(12)
	show.links.Store(345)
	show.octets.Store(2048)
	const want = "2.0 KiB, 12 files, 345 URLs"
	for deadline := time.Now().Add(time.Minute); !strings.Contains(s.String(), want) && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	show.close()
	if !strings.Contains(s.String(), want) {
		t.Errorf("%q does not have %q", s.String(), want)
	}
}

// Bars are for people who look at a terminal on which nothing else is written.
func TestExtractProgressOff(t *testing.T) {
	for name, change := range map[string]func(*base.App){
		"pipe":                func(a *base.App) { a.ErrTTY = false },
		"results on the same": func(a *base.App) { a.OutTTY = true },
		"quiet":               func(a *base.App) { a.Flags.Quiet = true },
		"json":                func(a *base.App) { a.Flags.JSON = true },
	} {
		a, s := clitest.NewScreen(t)
		change(a)
		(&extractor{a: a}).startProgress().close()
		if a.ShowsProgress() || s.String() != "" {
			t.Errorf("%s: %q", name, s.String())
		}
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
