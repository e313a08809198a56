package command_test

import (
	"bytes"
	"fmt"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// same reports the first differences between the results of a pipeline and of the command
// locus.
func same(t *testing.T, got, want map[string]int) {
	t.Helper()
	if len(want) == 0 {
		t.Fatal("nothing to compare")
	}
	shown := 0
	for key := range maps.Keys(want) {
		if got[key] != want[key] && shown < 5 {
			shown++
			t.Errorf("%q: %d, want %d", key, got[key], want[key])
		}
	}
	for key := range got {
		if want[key] == 0 && shown < 9 {
			shown++
			t.Errorf("%q: %d, want none", key, got[key])
		}
	}
}

// tabbed parses lines that contain a key and, in the last column, a number.
func tabbed(t *testing.T, lines []string) map[string]int {
	t.Helper()
	m := map[string]int{}
	for _, line := range lines {
		i := strings.LastIndexByte(line, '\t')
		n, err := strconv.Atoi(line[i+1:])
		if err != nil || m[line[:i]] > 0 {
			t.Fatalf("line %q: %v, or the key comes twice", line, err)
		}
		m[line[:i]] = n
	}
	return m
}

// comparison compares the pipelines with the command for one machine.
type comparison struct {
	locus  single
	folder string
	flags  []string

	want map[string]map[string]int // maps names to results of the command
}

// TestSameAsCommand compares every pipeline with the command locus. It runs the pipelines in an
// embedded runner, and on a separate job server with a worker.
func TestSameAsCommand(t *testing.T) {
	c := &comparison{locus: newSingle(t), folder: t.TempDir(), want: map[string]map[string]int{}}
	a, b := lists(t, c.folder, "a", 1), lists(t, c.folder, "b", 11)
	write(t, c.folder, "pairs.tsv", pairs(a, b))
	c.writeDocuments(t)
	t.Run("embedded", c.compare)
	if testing.Short() && os.Getenv("CI") == "" {
		return // skip the test with three more processes
	}
	_, c.flags = separate(t)
	t.Run("separate", c.compare)
}

func (c *comparison) compare(t *testing.T) {
	t.Run("unique", c.unique)
	t.Run("check", c.check)
	t.Run("join", c.join)
	t.Run("graph", c.graph)
	t.Run("graph of archives", c.archives)
	t.Run("extract", c.extract)
}

// beam runs a pipeline, and returns the lines of its output and of its dead letters.
func (c *comparison) beam(t *testing.T, args ...string) (rows []string, dead []deadLetter) {
	t.Helper()
	prefix := filepath.Join(c.folder, "out", strings.ReplaceAll(t.Name(), "/", "-"))
	mustRun(t, c.folder, append(append(args, "--output", prefix), c.flags...)...)
	if files, _ := filepath.Glob(prefix + "-dead-*"); len(files) > 0 {
		dead = objects[deadLetter](t, output(t, "", prefix+"-dead"))
	}
	return output(t, "", prefix), dead
}

type deadLetter struct{ File, At, Reason, Record string }

// files returns the names of the files that match the pattern.
func (c *comparison) files(t *testing.T, pattern string) []string {
	t.Helper()
	names, err := filepath.Glob(filepath.Join(c.folder, pattern))
	if err != nil || len(names) == 0 {
		t.Fatalf("%s: %q, %v", pattern, names, err)
	}
	return names
}

// counts returns the counts that the command writes for the matching files. The command writes
// "COUNT TAB KEY", with U+FFFD in host names that are not UTF-8.
func (c *comparison) counts(t *testing.T, pattern string, args ...string) map[string]int {
	t.Helper()
	name := strings.Join(append(args, pattern), " ")
	if c.want[name] == nil {
		m := map[string]int{}
		for _, line := range c.locus.lines(t, c.folder, nil, append(append(args, "--files"), c.files(t, pattern)...)...) {
			count, key, _ := strings.Cut(line, "\t")
			n, err := strconv.Atoi(count)
			if err != nil {
				t.Fatalf("%q: %v", line, err)
			}
			m[strings.ReplaceAll(key, "\uFFFD", "\xe9")] += n
		}
		c.want[name] = m
	}
	return c.want[name]
}

// invalid returns the lines that the command can't read, and the number of occurrences of each
// line.
func (c *comparison) invalid(t *testing.T, pattern string, args ...string) map[string]int {
	t.Helper()
	name := filepath.Join(t.TempDir(), "invalid")
	c.locus.lines(t, c.folder, nil, append(append(args, "--quiet", "--invalid", name, "--files"), c.files(t, pattern)...)...)
	content, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]int{}
	for _, r := range objects[struct{ Text string }](t, slices.Collect(strings.Lines(string(content)))) {
		m[r.Text]++
	}
	return m
}

// asText decodes bytes in the same way as the JSON output. If the bytes are not valid UTF-8, it
// treats all of them as ISO Latin 1.
func asText(octets string) string {
	if strings.ToValidUTF8(octets, "") == octets {
		return octets
	}
	runes := make([]rune, len(octets))
	for i := range len(octets) {
		runes[i] = rune(octets[i])
	}
	return string(runes)
}

// sameDead compares dead letters with the lines that the command can't read.
func sameDead(t *testing.T, dead []deadLetter, want map[string]int) {
	t.Helper()
	got := map[string]int{}
	for _, d := range dead {
		if d.Reason == "" || d.At == "" || d.File == "" || strings.Contains(d.Reason, "secret") {
			t.Fatalf("dead letter %+v", d)
		}
		got[d.Record]++
	}
	same(t, got, want)
}

func (c *comparison) unique(t *testing.T) {
	rows, dead := c.beam(t, "unique", "--input", filepath.Join(c.folder, "a-*"), "--num_shards", "3")
	same(t, tabbed(t, rows), c.counts(t, "a-*", "canonical", "--count"))
	sameDead(t, dead, c.invalid(t, "a-*", "canonical"))
}

func (c *comparison) check(t *testing.T) {
	rows, dead := c.beam(t, "check", filepath.Join(c.folder, "a-*"), "--format", "ndjson")
	findings, urls, all := map[string]map[string]int{}, map[string]map[string]int{}, map[string]int{}
	for _, row := range objects[struct {
		By, Name       string
		Findings, URLs int
		Samples        []string
	}](t, rows) {
		if findings[row.By] == nil {
			findings[row.By], urls[row.By] = map[string]int{}, map[string]int{}
		}
		if row.Findings > 0 {
			findings[row.By][row.Name] = row.Findings
		}
		urls[row.By][row.Name] = row.URLs
		all[row.By] += row.URLs
		if len(row.Samples) > 3 || row.Findings > 0 && len(row.Samples) == 0 || strings.Contains(strings.Join(row.Samples, ""), "secret") {
			t.Errorf("samples %q of %s", row.Samples, row.Name)
		}
	}
	for _, by := range []string{"rule", "scheme", "host"} {
		want := map[string]int{}
		for name, n := range c.counts(t, "a-*", "check", "--by", by) {
			want[asText(name)] = n
		}
		same(t, findings[by], want)
	}
	hosts := c.counts(t, "a-*", "canonical", "--by", "host")
	const hot = "hot.example"
	want := hosts[hot]
	for _, d := range dead {
		if strings.Contains(d.Record, "://"+hot) {
			want++
		}
	}
	if got := urls["host"][hot]; got != want || hosts[hot] == 0 {
		t.Errorf("%d URLs of the hot host, want %d", got, want)
	}
	if records := total(hosts) + len(dead); all["scheme"] != records || all["host"] != records {
		t.Errorf("%v URLs, want %d", all, records)
	}
	sameDead(t, dead, c.invalid(t, "a-*", "canonical"))
}

func total(counts map[string]int) (n int) {
	for _, count := range counts {
		n += count
	}
	return n
}

func (c *comparison) join(t *testing.T) {
	rows, dead := c.beam(t, "join", "--input", filepath.Join(c.folder, "a-*"), "--with", filepath.Join(c.folder, "b-*"))
	in, with := c.counts(t, "a-*", "canonical", "--count"), c.counts(t, "b-*", "canonical", "--count")
	want := map[string]int{}
	for u, n := range in {
		if with[u] > 0 {
			want[fmt.Sprintf("%s\t%d", u, n)] = with[u]
		}
	}
	same(t, tabbed(t, rows), want)
	sameDead(t, dead, c.invalid(t, "[ab]-*", "canonical"))
}

// graph compares the pipeline Graph with two runs of the command, which read the first and the
// second URL of each line.
func (c *comparison) graph(t *testing.T) {
	rows, dead := c.beam(t, "graph", filepath.Join(c.folder, "pairs.tsv"), "--format", "ndjson")
	if c.want["graph"] == nil {
		first := c.locus.lines(t, c.folder, nil, "canonical", "--quiet", "--invalid", "drop", "--field", "1", "--files", c.files(t, "pairs.tsv")[0])
		stdin := []byte(strings.Join(first, "\n"))
		want := map[string]int{}
		for _, line := range c.locus.lines(t, c.folder, stdin, "canonical", "--quiet", "--invalid", "drop", "--field", "2", "-") {
			from, to, _ := strings.Cut(line, "\t")
			want[asText(hostOf(t, from))+"\t"+asText(hostOf(t, to))]++
		}
		c.want["graph"] = want
	}
	got := map[string]int{}
	for _, row := range objects[struct {
		From, To string
		Count    int
	}](t, rows) {
		got[row.From+"\t"+row.To] += row.Count
	}
	same(t, got, c.want["graph"])
	content, err := os.ReadFile(filepath.Join(c.folder, "pairs.tsv"))
	if err != nil {
		t.Fatal(err)
	}
	if links, all := total(got), bytes.Count(content, []byte("\n")); links+len(dead) != all || len(dead) == 0 {
		t.Errorf("%d links and %d dead letters of %d", links, len(dead), all)
	}
}

// hostOf returns the host of a canonical URL. It uses net/url, which is independent of the pipeline.
func hostOf(t *testing.T, text string) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil {
		t.Fatalf("%q: %v", text, err)
	}
	return u.Hostname() // the host is lowercase
}

const pages = 200

// writeDocuments writes files of all kinds for extract and graph.
func (c *comparison) writeDocuments(t *testing.T) {
	t.Helper()
	for name, content := range map[string][]byte{
		"doc.html":    []byte("<!DOCTYPE html><a href='http://a.example/?x&amp;y'>x</a> &lt;URL:ftp://f.example/&gt; <a href=rel>"),
		"doc.md":      []byte("[a](http://m.example/) and <gopher://g.example/>\n\nhttp://bare.example/x.\n"),
		"doc.txt.gz":  gzipped(t, corpus(21, size(t)/20)),
		"doc.warc.gz": gzipped(t, archive(pages)),
		"doc.wat":     wat(),
		"doc.zip":     zipped(t, map[string]string{"in/x.html": "<a href=http://z.example/>z</a>", "y.txt": "see http://y.example/."}),
		"doc.tar":     tarred(t, map[string]string{"in/t.md": "<http://t.example/>"}),
		"doc.bin":     []byte("\x00\x01 http://no.example/"),
	} {
		write(t, c.folder, name, content)
	}
}

func (c *comparison) extract(t *testing.T) {
	rows, dead := c.beam(t, "extract", filepath.Join(c.folder, "doc.*"), "--format", "ndjson")
	type link struct {
		File, Member, URL, Form, Element string
		Line, Column, Start, End         int64
	}
	if c.want["extract"] == nil {
		want := map[string]int{}
		for _, l := range objects[link](t, c.locus.lines(t, c.folder, nil, append([]string{"extract", "--json"}, c.files(t, "doc.*")...)...)) {
			want[fmt.Sprintf("%+v", l)]++
		}
		c.want["extract"] = want
	}
	got, found := map[string]int{}, map[string]bool{}
	for _, l := range objects[link](t, rows) {
		got[fmt.Sprintf("%+v", l)]++
		found[filepath.Base(l.File)+" "+l.Member] = true
	}
	same(t, got, c.want["extract"])
	for _, member := range []string{"doc.html ", "doc.md ", "doc.txt.gz ", "doc.warc.gz http://page1.example/dir/", "doc.wat http://wat.example/", "doc.zip in/x.html", "doc.zip y.txt", "doc.tar in/t.md"} {
		if !found[member] {
			t.Errorf("nothing in %s", member)
		}
	}
	if len(dead) != 1 || filepath.Base(dead[0].File) != "doc.bin" || dead[0].Reason == "" {
		t.Errorf("dead letters %+v", dead)
	}
}

// archives counts the links in WARC and WAT files. A WARC file whose pages have no URL results in
// dead letters.
func (c *comparison) archives(t *testing.T) {
	rows, dead := c.beam(t, "graph", filepath.Join(c.folder, "doc.wa*"), filepath.Join(c.folder, "doc.html"))
	want := map[string]int{"wat.example\to.example": 1, "wat.example\twat.example": 1}
	for i := range pages {
		page := fmt.Sprintf("page%d.example", i%50)
		want[page+"\t"+page]++
		want[page+"\thot.example"]++
		want[page+"\t"+fmt.Sprintf("f%d.example", i%7)]++
	}
	same(t, tabbed(t, rows), want)
	if len(dead) == 0 || filepath.Base(dead[0].File) != "doc.html" || dead[0].Reason == "" {
		t.Errorf("dead letters %+v", dead)
	}
}
