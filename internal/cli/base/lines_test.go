package base

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// readByFlags returns what a command with the flags makes of args: the URL of each line, or
// the error of the flags.
func readByFlags(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	a := New(t.Context(), strings.NewReader(stdin), os.Stdout, os.Stderr, func(string) string { return "" })
	var out strings.Builder
	cmd := &cobra.Command{Use: "x", SilenceErrors: true, SilenceUsage: true}
	f := AddLineFlags(a, cmd)
	cmd.RunE = func(_ *cobra.Command, args []string) error {
		reads, err := f.Reads(args)
		if err != nil || !reads {
			out.WriteString(strings.Join(args, " "))
			return err
		}
		for b := range f.Blocks(args) {
			if b.Err != nil {
				out.WriteString("! " + b.Err.Error() + "\n")
			}
			for line := range strings.Lines(string(b.Text)) {
				line = strings.TrimRight(line, "\r\n")
				start, end, err := b.Finder.Find([]byte(line))
				if err != nil {
					out.WriteString("! " + err.Error() + "\n")
					continue
				}
				out.WriteString(line[start:end] + "\n")
			}
			b.Release()
		}
		return nil
	}
	cmd.SetArgs(args)
	if err := cmd.ExecuteContext(context.Background()); err != nil {
		return "! " + err.Error()
	}
	return out.String()
}

func TestLineFlags(t *testing.T) {
	file := filepath.Join(t.TempDir(), "a.tsv")
	if err := os.WriteFile(file, []byte("a\tb\nc\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct {
		stdin string
		args  []string
		want  string
	}{
		{"", []string{"http://h/"}, "http://h/"},
		{"a\nb\n", []string{"-"}, "a\nb\n"},
		{"x\n", []string{"--files", file, "-"}, "a\tb\nc\nx\n"},
		{"", []string{"--files", file, "--field", "2"}, "b\n! the line has no field 2: it has 1 field\n"},
		{"a|b|c\n", []string{"--field=-1", "--delimiter", "|", "-"}, "c\n"},
		{"a\tb,c\td\n", []string{"--field=2", "--delimiter", `\t`, "-"}, "b,c\n"},
		{"a,\"b,\"\n", []string{"--field=2", "--delimiter=,", "-"}, "\"b,\"\n"},
		{"{\"u\":\"x\"}\n", []string{"--key=u", "-"}, "\"x\"\n"},
		{"k 2026 x y\n", []string{"--as=cdx", "-"}, "x\n"},
		{"k 20260102030405 x y\n", []string{"--as=text", "-"}, "k 20260102030405 x y\n"},
		{"", []string{"--field=1", "http://h/"}, `! --field is for lines: add --files before their files, or write "-" for standard input`},
		{"", []string{"--key=u", "-", "-"}, `! --key is for lines: add --files before their files, or write "-" for standard input`},
		{"", []string{"--field=0", "-"}, "! --field: fields count from 1, or from -1 at the end"},
		{"", []string{"--field=url", "-"}, "! --field: write a number: 1 for the first field, -1 for the last"},
		{"", []string{"--field=", "-"}, "! --field: write a number: 1 for the first field, -1 for the last"},
		{"", []string{"--field=1", "--delimiter=", "-"}, "! --field: the delimiter is empty"},
		{"", []string{"--delimiter=,", "-"}, "! --delimiter needs --field"},
		{"", []string{"--key=", "-"}, "! --key: the path is empty"},
		{"", []string{"--key=a[*]", "-"}, "! --key: octet 1 of the path: write the index of one element, from 0, or a name in quotes: [0]"},
		{"", []string{"--as=csv", "-"}, `! --as: unknown format "csv": choose text, cdx, cdxj, warc`},
	} {
		if got := readByFlags(t, row.stdin, row.args...); got != row.want {
			t.Errorf("%q: %s\nwant %s", row.args, got, row.want)
		}
	}
	if got := readByFlags(t, "", "--key=a", "--field=1", "-"); !strings.Contains(got, "field key") {
		t.Error(got)
	}
	// A line of a megabyte may have a key.
	long := `{"text":"` + strings.Repeat("x", 1<<20) + `","u":"y"}` + "\n"
	if got := readByFlags(t, long, "--key=u", "-"); got != "\"y\"\n" {
		t.Errorf("%.100s", got)
	}
}
