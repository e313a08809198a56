package base

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// readByFlags returns the result of a command with the flags for args: the URL in each line, or
// the flag error.
func readByFlags(t *testing.T, stdin string, args ...string) string {
	t.Helper()
	var out strings.Builder
	a := New(t.Context(), strings.NewReader(stdin), os.Stdout, &out, func(string) string { return "" })
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
				f.Fail(b.Err)
				fmt.Fprintf(&out, "status %d\n", a.ExitStatus())
			}
			if b.Header != nil {
				fmt.Fprintf(&out, "# %s\n", b.Header)
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
	t.Chdir(t.TempDir())
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
		{"", []string{"--field=1", "http://h/"}, `! --field applies to lines of input: name the files after --files, or use "-" for standard input`},
		{"", []string{"--key=u", "-", "-"}, `! --key applies to lines of input: name the files after --files, or use "-" for standard input`},
		{"", []string{"--field=0", "-"}, "! --field: field 0 does not exist: count from 1, or from the end with -1"},
		{"", []string{"--field=", "-"}, "! --field: write a number, 1 for the first field, -1 for the last, or the name of a column"},
		{"", []string{"--field=url", "--delimiter=", "-"}, "! --field: the delimiter must not be empty"},
		{"id\turl\n1\tx\n", []string{"--field=url", "-"}, "# id\turl\nx\n"},
		{"id,\"a \"\"url\"\"\"\r\n1,x\r\n", []string{"--field", `a "url"`, "--delimiter=,", "-"}, "# id,\"a \"\"url\"\"\"\nx\n"},
		{"", []string{"--field=url", "-"}, ""},
		{"url", []string{"--field=url", "-"}, "# url\n"},
		{"2\t1\na\tb\n", []string{"--field=1", "-"}, "2\na\n"},
		{"id,url,status\n1,x,y\n", []string{"--field=ulr", "--delimiter=,", "-"}, "locus: standard input: no column \"ulr\" in the first line: choose id, url, status\nstatus 2\n"},
		{"id,url\n1,x\n", []string{"--field=url", "-"}, "locus: standard input: no column \"url\" in the first line: choose id,url; CSV needs --delimiter , or ;\nstatus 2\n"},
		{"url\turl\n", []string{"--field=url", "-"}, "locus: standard input: column \"url\" appears twice in the first line: choose it by number\nstatus 2\n"},
		{"id,url\n1,http://h/\n", []string{"--files", "table"}, "locus: \"table\": it looks like CSV, with URLs in field 2: use --field url --delimiter ,\nstatus 2\n"},
		{"id;the url\n1;http://h/\n", []string{"--files", "table"}, "locus: \"table\": it looks like CSV, with URLs in field 2: use --field 'the url' --delimiter ';'\nstatus 2\n"},
		{"id\t7\n1\thttp://h/\n", []string{"--files", "table"}, "locus: \"table\": it looks like TSV, with URLs in field 2: use --field 2\nstatus 2\n"},
		{"{\"a\":[{\"u\":\"http://h/\"}]}\n", []string{"--files", "table"}, "locus: \"table\": it looks like JSON lines, with URLs at a[0].u: use --key 'a[0].u'\nstatus 2\n"},
		{"{}\n", []string{"--files", "table"}, "locus: \"table\": it looks like JSON lines: use --key PATH\nstatus 2\n"},
		{"PAR1\x15\x00", []string{"--key=url", "-"}, "locus: standard input: it looks like Parquet: convert it to CSV or JSON lines, or use locus-beam with --key COLUMN\nstatus 2\n"},
		{"{}\n", []string{"-"}, "{}\n"},
		{"{}\n", []string{"--as=text", "--files", "table"}, "{}\n"},
		{"", []string{"--field=1", "--delimiter=", "-"}, "! --field: the delimiter must not be empty"},
		{"", []string{"--delimiter=,", "-"}, "! --delimiter needs --field"},
		{"", []string{"--key=", "-"}, "! --key: the path is empty"},
		{"", []string{"--key=a[*]", "-"}, "! --key: byte 1 of the path: invalid index: write one index such as [0], or a name in quotes"},
		{"", []string{"--as=csv", "-"}, `! --as: unknown format "csv": choose text, cdx, cdxj, warc`},
	} {
		// A file is recognized, and a pipe is not.
		if err := os.WriteFile("table", []byte(row.stdin), 0o666); err != nil {
			t.Fatal(err)
		}
		if got := readByFlags(t, row.stdin, row.args...); got != row.want {
			t.Errorf("%q: %s\nwant %s", row.args, got, row.want)
		}
	}
	if got := readByFlags(t, "", "--key=a", "--field=1", "-"); !strings.Contains(got, "field key") {
		t.Errorf("readByFlags(, --key=a, --field=1, -) = %q, want %q", got, "field key")
	}
	// A line of a megabyte may have a key.
	long := `{"text":"` + strings.Repeat("x", 1<<20) + `","u":"y"}` + "\n"
	if got := readByFlags(t, long, "--key=u", "-"); got != "\"y\"\n" {
		t.Errorf("readByFlags(%q, --key=u, -) = %.100s, want %q", long, got, "\"y\"\n")
	}
}
