package syntax_test

import (
	"context"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/internal/term"
)

var update = flag.Bool("update", false, "write the golden files again")

// drawn returns the drawing of "locus parse" for an input on a terminal with the given number of
// columns.
func drawn(t *testing.T, columns int, input string) string {
	t.Helper()
	var out strings.Builder
	a := base.New(context.Background(), strings.NewReader(""), &out, &out, func(name string) string {
		if name == "NO_COLOR" {
			return "1"
		}
		return ""
	})
	a.OutTTY, a.Width = true, columns
	commands.Run(a, []string{"parse", "--", input})
	return out.String()
}

func TestDrawing(t *testing.T) {
	for _, test := range []struct {
		name    string
		columns int
		input   string
	}{
		{"ftp", 80, "ftp://fred:secret@ftp.example.net:2121/pub/rfc/rfc1738.txt;type=a#section-3"},
		{"gopher", 80, "gopher://gopher.example.net/7search%09word"},
		{"mailto", 80, "mailto:fred@example.net"},
		{"marks", 80, "http://h/~fred/{a}|b"},
		{"narrow", 24, "ftp://fred:secret@ftp.example.net:2121/pub/rfc/rfc~1738.txt;type=a#section-3"},
		{"octets", 80, "http://h/caf\xe9/\u65e5\u672c/\u202etxt#\u009b31m"},
		{"empty", 80, "ftp://:@h:/#"},
		{"missing-slash", 80, "http://h?q"},
		{"error", 80, "http://h/100%"},
		{"error-control", 80, "http://h/\x1b[31m"},
		{"error-port", 80, "http://fred:secret@h:99999/"},
		{"no-form", 80, "ftp:x"},
		{"host", 80, "http://ex_ample.example.-net/"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := drawn(t, test.columns, test.input)
			golden := filepath.Join("testdata", "draw", test.name+".txt")
			if *update {
				if err := os.WriteFile(golden, []byte(got), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("got\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestDrawingHasColors(t *testing.T) {
	var out strings.Builder
	a := base.New(context.Background(), strings.NewReader(""), &out, &out, clitest.NoEnv)
	a.OutTTY = true
	commands.Run(a, []string{"parse", "http://h/~"})
	if !strings.Contains(out.String(), "\x1b[31m") {
		t.Errorf("no red in %q", out.String())
	}
}

// FuzzDrawing draws any text at any width. Every line must fit on the terminal, and the drawing
// must not contain control characters.
func FuzzDrawing(f *testing.F) {
	for _, input := range []string{"http://h/", "ftp://u:p@h:1/a#b", "x", "%", "mailto:\x9b", "http://h/\u202e\u65e5", "x:\xff\xfe#", "http://h/\x00"} {
		f.Add(input, 80)
		f.Add(input, 20)
	}
	f.Fuzz(func(t *testing.T, input string, columns int) {
		got := drawn(t, columns, input)
		for line := range strings.Lines(got) {
			if line = strings.TrimSuffix(line, "\n"); term.Safe(line) != line {
				t.Fatalf("%q at %d: %q, want term.Safe(line) %q", input, columns, line, line)
			}
		}
		// The list of findings follows the drawing.
		for _, line := range strings.Split(got, "\n") {
			if strings.HasPrefix(line, "scheme") || strings.HasPrefix(line, "^") {
				if w := term.Width(line); w > max(columns, 20) {
					t.Fatalf("%q at %d: %d columns in %q", input, columns, w, line)
				}
			}
		}
	})
}
