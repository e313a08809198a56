package extract

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/command/clitest"
)

// The command finds URLs of all registered schemes.
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

// The progress bar is not displayed on a terminal that shows the results.
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

// For a long file, which is read in concurrent parts, the output is the same as for a stream.
func TestLongFileMatchesStream(t *testing.T) {
	var text strings.Builder
	for i := range 60_000 {
		fmt.Fprintf(&text, "See http://h%d.example/%d, and <URL:ftp://h.example/%d/\n  b>.\n\nMore of it.\n", i%100, i, i)
	}
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, set := range []func(*extractor){
		func(*extractor) {},
		func(x *extractor) { x.context = true },
		func(x *extractor) { x.unique = true },
		func(x *extractor) { x.hosts = []string{"h7.example"} },
		func(x *extractor) { x.a.Flags.JSON = true },
	} {
		run := func(name string) string {
			a, _ := clitest.NewScreen(t)
			var out bytes.Buffer
			a.RedirectOutput(&out)
			a.In = strings.NewReader(text.String())
			registry, err := a.NewRegistry()
			if err != nil {
				t.Fatal(err)
			}
			a.Registry = registry
			x := &extractor{a: a}
			set(x)
			if err := x.run([]string{name}); err != nil {
				t.Fatal(err)
			}
			a.Out.Flush()
			return strings.ReplaceAll(out.String(), fmt.Sprintf("%q", name), "NAME")
		}
		got, want := run(file), run("-")
		if got != want || strings.Count(want, "\n") < 100 {
			t.Errorf("%d octets from the file, %d from the stream", len(got), len(want))
		}
	}
}

// Waiting parts of a later file do not prevent the command from reading an earlier file.
func TestSeveralLongFiles(t *testing.T) {
	const links = 1 << 17
	var files []string
	for i := range 6 {
		file := filepath.Join(t.TempDir(), fmt.Sprintf("a name that makes each line long %d.txt", i))
		if err := os.WriteFile(file, bytes.Repeat([]byte("http://h.example/a\n"), links), 0o666); err != nil {
			t.Fatal(err)
		}
		files = append(files, file)
	}
	a, _ := clitest.NewScreen(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	a.Context = ctx
	var out bytes.Buffer
	a.RedirectOutput(&out)
	x := &extractor{a: a, prefix: true}
	x.o.Extract.Schemes = extract.Named(extract.Any, "http")
	found := x.write(files)
	a.Out.Flush()
	var want strings.Builder
	for _, file := range files {
		want.WriteString(strings.Repeat(file+":http://h.example/a\n", links))
	}
	if found != int64(len(files)*links) || out.String() != want.String() {
		t.Errorf("%d links, %d octets instead of %d", found, out.Len(), want.Len())
	}
}

// An interrupted run ends even while parts of a long file are waiting.
func TestInterruptedLongFile(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.txt")
	if err := os.WriteFile(file, bytes.Repeat([]byte("http://h.example/a\n"), 1<<19), 0o666); err != nil {
		t.Fatal(err)
	}
	a, _ := clitest.NewScreen(t)
	ctx, cancel := context.WithCancel(t.Context())
	a.Context = ctx
	a.RedirectOutput(writerFunc(func(p []byte) (int, error) { cancel(); return len(p), nil }))
	x := &extractor{a: a}
	x.o.Extract.Schemes = extract.Named(extract.Any, "http")
	if found := x.write([]string{file}); found == 0 || found == 1<<19 {
		t.Errorf("%d links", found)
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

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
			t.Errorf("%q on %q: %v, want %v", row.host, row.name, got, row.want)
		}
	}
}
