package command_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// same reports the first differences between what the pipeline and the command found.
func same(t *testing.T, got, want map[string]int) {
	t.Helper()
	if len(want) == 0 {
		t.Fatal("nothing to compare")
	}
	shown := 0
	for key := range maps.Keys(want) {
		if got[key] != want[key] {
			if shown++; shown < 5 {
				t.Errorf("%q: %d, want %d", key, got[key], want[key])
			}
		}
	}
	for key := range got {
		if want[key] == 0 {
			if shown++; shown < 9 {
				t.Errorf("%q: %d, want none", key, got[key])
			}
		}
	}
}

// tabbed reads lines of keys and a number at the end.
func tabbed(t *testing.T, lines []string) map[string]int {
	t.Helper()
	m := map[string]int{}
	for _, line := range lines {
		i := strings.LastIndexByte(line, '\t')
		n := 0
		if _, err := fmt.Sscan(line[i+1:], &n); err != nil || m[line[:i]] > 0 {
			t.Fatalf("line %q: %v, or the key comes twice", line, err)
		}
		m[line[:i]] = n
	}
	return m
}

// TestSameAsCommand compares every pipeline with the command for one machine.
func TestSameAsCommand(t *testing.T) {
	locus := newSingle(t)
	folder := t.TempDir()
	a, b := lists(t, folder, "a", 1), lists(t, folder, "b", 11)

	t.Run("unique", func(t *testing.T) {
		want := counted(locus.lines(t, folder, a, "canonical", "--quiet", "-"))
		mustRun(t, folder, "unique", "--input", "a-*", "--output", "out/unique", "--num_shards", "3")
		same(t, tabbed(t, output(t, folder, "out/unique")), want)
		dead := objects[struct{ Record, Reason, File, At string }](t, output(t, folder, "out/unique-dead"))
		records := 0
		for _, n := range want {
			records += n
		}
		blank := 0
		for line := range bytes.Lines(a) {
			if len(bytes.TrimSpace(line)) == 0 {
				blank++
			}
		}
		if all := bytes.Count(a, []byte("\n")); records+len(dead)+blank != all || len(dead) == 0 {
			t.Errorf("%d records, %d dead letters and %d blank lines of %d lines", records, len(dead), blank, all)
		}
		for _, d := range dead {
			if strings.Contains(d.Reason, "secret") || d.Reason == "" || d.At == "" || !strings.HasPrefix(d.File, "a-") {
				t.Fatalf("dead letter %+v", d)
			}
		}
	})

	t.Run("check", func(t *testing.T) {
		type finding struct{ Kind, Rule string }
		type verdict struct {
			Input             string
			OK, Conforms      bool
			Violations, Notes []finding
		}
		want := map[string]int{}
		for _, v := range objects[verdict](t, locus.lines(t, folder, a, "check", "--json", "-")) {
			for _, f := range append(v.Violations, v.Notes...) {
				want["rule\t"+f.Kind+" "+f.Rule]++
			}
		}
		mustRun(t, folder, "check", "a-*", "--output", "out/check", "--format", "ndjson")
		got := map[string]int{}
		hosts := map[string]int64{}
		for _, row := range objects[struct {
			By, Name       string
			Findings, URLs int64
			Samples        []string
		}](t, output(t, folder, "out/check")) {
			if row.By == "rule" {
				got[row.By+"\t"+row.Name] = int(row.Findings)
			}
			if row.By == "host" {
				hosts[row.Name] = row.URLs
			}
			if len(row.Samples) > 3 || row.Findings > 0 && len(row.Samples) == 0 || strings.Contains(strings.Join(row.Samples, ""), "secret") {
				t.Errorf("samples %q of %s", row.Samples, row.Name)
			}
		}
		same(t, got, want)
		canonical := locus.lines(t, folder, a, "canonical", "--quiet", "-")
		hot := int64(0)
		for _, u := range canonical {
			if strings.Contains(u, "://hot.example") {
				hot++
			}
		}
		if hosts["hot.example"] != hot || hot == 0 {
			t.Errorf("%d URLs of the hot host, want %d", hosts["hot.example"], hot)
		}
	})

	t.Run("join", func(t *testing.T) {
		in, with := counted(locus.lines(t, folder, a, "canonical", "--quiet", "-")), counted(locus.lines(t, folder, b, "canonical", "--quiet", "-"))
		want := map[string]int{}
		for u, n := range in {
			if with[u] > 0 {
				want[fmt.Sprintf("%s\t%d", u, n)] = with[u]
			}
		}
		mustRun(t, folder, "join", "--input", "a-*", "--with", "b-*", "--output", "out/join")
		same(t, tabbed(t, output(t, folder, "out/join")), want)
	})

	t.Run("graph", func(t *testing.T) {
		write(t, folder, "pairs.tsv", pairs(a, b))
		var from, to bytes.Buffer
		for line := range bytes.Lines(pairs(a, b)) {
			x, y, _ := bytes.Cut(line, []byte("\t"))
			from.Write(append(x, '\n'))
			to.Write(y)
		}
		type canonical struct {
			Canonical *string
		}
		sources := objects[canonical](t, locus.lines(t, folder, from.Bytes(), "canonical", "--json", "-"))
		targets := objects[canonical](t, locus.lines(t, folder, to.Bytes(), "canonical", "--json", "-"))
		if len(sources) != len(targets) {
			t.Fatalf("%d and %d answers", len(sources), len(targets))
		}
		want := map[string]int{}
		for i := range sources {
			if sources[i].Canonical != nil && targets[i].Canonical != nil {
				want[hostOf(t, *sources[i].Canonical)+"\t"+hostOf(t, *targets[i].Canonical)]++
			}
		}
		mustRun(t, folder, "graph", "pairs.tsv", "--output", "out/graph", "--format", "ndjson")
		got := map[string]int{}
		for _, row := range objects[struct {
			From, To string
			Count    int
		}](t, output(t, folder, "out/graph")) {
			got[row.From+"\t"+row.To] += row.Count
		}
		same(t, got, want)
	})

	t.Run("extract", func(t *testing.T) {
		write(t, folder, "doc.html", []byte("<!DOCTYPE html><a href='http://a.example/?x&amp;y'>x</a> &lt;URL:ftp://f.example/&gt; <a href=rel>"))
		write(t, folder, "doc.md", []byte("[a](http://m.example/) and <gopher://g.example/>\n\nhttp://bare.example/x.\n"))
		write(t, folder, "doc.txt.gz", gzipped(t, corpus(21, size(t)/50)))
		write(t, folder, "doc.warc.gz", gzipped(t, archive(200)))
		write(t, folder, "doc.bin", []byte("\x00\x01 http://no.example/"))
		files, _ := filepath.Glob(filepath.Join(folder, "doc.*"))
		var names []string
		for _, name := range files {
			names = append(names, filepath.Base(name))
		}
		type link struct {
			File, Member, URL, Form, Element string
			Line, Column, Start, End         int64
		}
		want, got := map[string]int{}, map[string]int{}
		for _, l := range objects[link](t, locus.lines(t, folder, nil, append([]string{"extract", "--json"}, names...)...)) {
			want[fmt.Sprintf("%+v", l)]++
		}
		mustRun(t, folder, "extract", "doc.*", "--output", "out/extract", "--format", "ndjson")
		for _, l := range objects[link](t, output(t, folder, "out/extract")) {
			got[fmt.Sprintf("%+v", l)]++
		}
		same(t, got, want)
		dead := strings.Join(output(t, folder, "out/extract-dead"), "\n")
		if !strings.Contains(dead, "doc.bin") || strings.Count(dead, "\n") > 0 {
			t.Errorf("dead letters:\n%s", dead)
		}
	})

	t.Run("graph of an archive", func(t *testing.T) {
		mustRun(t, folder, "graph", "doc.warc.gz", "--output", "out/web")
		want := map[string]int{}
		for i := range 200 {
			page := fmt.Sprintf("page%d.example\t", i%50)
			want[page+strings.TrimSuffix(page, "\t")]++
			want[page+"hot.example"]++
			want[page+fmt.Sprintf("f%d.example", i%7)]++
		}
		same(t, tabbed(t, output(t, folder, "out/web")), want)
	})
}

// hostOf returns the host of a canonical URL. net/url is a second opinion, where it has one.
func hostOf(t *testing.T, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return strings.ToLower(u.Hostname())
}

// TestFormats reads the same result in every format.
func TestFormats(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "in.txt", []byte("http://h/a\nhttp://h/a\nftp://u:secret@h/~b\nhttp://h/\xe9\n"))
	mustRun(t, folder, "unique", "in.txt", "--output", "t")
	mustRun(t, folder, "unique", "in.txt", "--output", "j", "--format", "ndjson", "--compression", "gzip")
	mustRun(t, folder, "unique", "in.txt", "--output", "z", "--compression", "zstd")
	mustRun(t, folder, "check", "in.txt", "--output", "p", "--format", "parquet", "--samples", "1")
	text := output(t, folder, "t")
	if len(text) != 3 || !slices.Contains(text, "http://h/a\t2") {
		t.Errorf("text %q", text)
	}
	for _, name := range []string{"j-00000-of-00001.ndjson.gz", "z-00000-of-00001.txt.zst"} {
		if info, err := os.Stat(filepath.Join(folder, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
	rows, err := parquet.ReadFile[struct {
		By       string   `parquet:"by"`
		Name     string   `parquet:"name"`
		Findings int64    `parquet:"findings"`
		URLs     int64    `parquet:"urls"`
		Samples  []string `parquet:"samples,list"`
	}](filepath.Join(folder, "p-00000-of-00001.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for _, r := range rows {
		if found = r.By == "scheme" && r.Name == "ftp"; found {
			if r.Findings != 1 || r.URLs != 1 || !slices.Equal(r.Samples, []string{"ftp://u:******@h/~b"}) {
				t.Errorf("row %+v", r)
			}
			break
		}
	}
	if !found {
		t.Errorf("no row for ftp in %+v", rows)
	}
	// The compressed output is input again.
	mustRun(t, folder, "unique", "z-*.zst", "--field", "1", "--output", "again")
	mustRun(t, folder, "unique", "j-*.gz", "--key", "url", "--output", "key")
	if again := output(t, folder, "again"); len(again) != 3 {
		t.Errorf("again %q", again)
	}
	if key := output(t, folder, "key"); len(key) != 3 {
		t.Errorf("by key %q", key)
	}
}
