package pipeline

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// names returns an iterator of the type that the Beam SDK uses.
func names(list ...string) func(*string) bool {
	return func(s *string) bool {
		if len(list) == 0 {
			return false
		}
		*s, list = list[0], list[1:]
		return true
	}
}

// TestPublish checks that publishing renames the files of bundles, even on a second attempt,
// and removes the files of failed bundles.
func TestPublish(t *testing.T) {
	ctx := context.Background()
	folder := t.TempDir()
	o := Output{Prefix: filepath.Join(folder, "out"), Format: FormatText, Compression: compressNone, Job: "J", Pipeline: Unique}
	var list []string
	for _, name := range []string{"b", "a", "failed"} {
		f, err := o.create(ctx, Unique, name)
		if err != nil {
			t.Fatal(err)
		}
		f.rows.write(Row{[]string{name, "1"}})
		if err := f.close(); err != nil {
			t.Fatal(err)
		}
		list = append(list, f.name)
	}
	list = append(list[:2], "", list[0]) // a name may occur twice
	p := &publishFn{o}
	for range 2 {
		if err := p.ProcessElement(ctx, 0, names(list...)); err != nil {
			t.Fatal(err)
		}
	}
	entries, _ := os.ReadDir(folder)
	var got []string
	for _, e := range entries {
		text, _ := os.ReadFile(filepath.Join(folder, e.Name()))
		got = append(got, e.Name()+" "+string(text))
	}
	if want := "out-00000-of-00002.txt a\t1\n|out-00001-of-00002.txt b\t1\n"; strings.Join(got, "|") != want {
		t.Errorf("files %q, want %q", got, want)
	}
	if err := p.ProcessElement(ctx, 0, names(o.temporary()+"/unique-lost", o.temporary()+"/unique-gone", o.temporary()+"/unique-x")); err == nil {
		t.Error("a file that is missing is published")
	}
	if existing, err := o.Existing(ctx); err != nil || len(existing) != 2 {
		t.Errorf("existing %q, %v", existing, err)
	}
}

// TestDeadRow checks that the reason contains no password and the record is unchanged.
func TestDeadRow(t *testing.T) {
	r := deadRow("f", "line 1", []byte("ftp://u:secret@h /\r\n"), errors.New("ftp://u:secret@h: \x1b"))
	if got := strings.Join(r.Cells, "|"); strings.Count(got, "secret") != 1 || strings.Contains(r.Cells[2], "\x1b") || !strings.HasSuffix(got, "@h /") {
		t.Errorf("row %q", r.Cells)
	}
}

// TestAppendText checks that each row stays on one line.
func TestAppendText(t *testing.T) {
	got := string(appendText(nil, columns(Check), Row{[]string{"rule", "a\tb\nc", "1", "2", "x\ny"}}))
	if strings.Count(got, "\n") != 1 || strings.Count(got, "\t") != 5 || !strings.HasSuffix(got, "\tx\ty\n") {
		t.Errorf("line %q", got)
	}
}
