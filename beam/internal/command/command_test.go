package command_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestOnlyInput runs the command with nothing but an input.
func TestOnlyInput(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "list", []byte("http://h/\nHTTP://H:80\n"))
	stderr := mustRun(t, folder, "list")
	if got := output(t, folder, "unique"); !slices.Equal(got, []string{"http://h/\t2"}) {
		t.Errorf("output %q", got)
	}
	if want := "2 records, 22 octets read, 1 keys"; !strings.HasPrefix(stderr, want) {
		t.Errorf("standard error %q, want %q", stderr, want)
	}
	write(t, folder, "other", []byte("http://o/\n"))
	for _, args := range [][]string{{"other"}, {"other", "list"}} {
		if status, stderr := run(t, folder, args...); status != 2 || !strings.Contains(stderr, "--overwrite") {
			t.Errorf("%q: status %d, %q", args, status, stderr)
		}
	}
	mustRun(t, folder, "other", "--overwrite")
	if got := output(t, folder, "unique"); !slices.Equal(got, []string{"http://o/\t1"}) {
		t.Errorf("output %q", got)
	}
}

// TestMistakes has what is wrong with the arguments and the files.
func TestMistakes(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "list", []byte("http://h/\n"))
	if err := os.Mkdir(filepath.Join(folder, "sub"), 0o777); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		status int
		want   string
		args   []string
	}{
		{2, "no input", nil},
		{2, "-nonsense", []string{"list", "--nonsense"}},
		{2, "second list", []string{"join", "list"}},
		{2, "with is for join", []string{"list", "--with", "list"}},
		{2, "choose text, ndjson, parquet", []string{"list", "--format", "csv"}},
		{2, "choose none, gzip, zstd", []string{"list", "--compression", "lz4"}},
		{2, "leave out compression", []string{"list", "--format", "parquet", "--compression", "gzip"}},
		{2, "shards", []string{"list", "--num_shards", "-1"}},
		{2, "salts", []string{"list", "--salts", "300"}},
		{2, "choose field or key", []string{"list", "--field", "1", "--key", "a"}},
		{2, "a delimiter needs", []string{"list", "--delimiter", ","}},
		{2, "graph reads", []string{"graph", "list", "--field", "1"}},
		{2, "extract reads", []string{"extract", "list", "--key", "a"}},
		{2, "no rules", []string{"check", "list", "--rules", "nonsense"}},
		{2, "prefix", []string{"list", "--output", "folder/"}},
		{2, "takes no input", []string{"worker", "list"}},
		{2, "out of range", []string{"server", "--port", "99999"}},
		{3, "no such file", []string{"uniq"}},
		{3, "folder", []string{"sub"}},
		{3, "not registered", []string{"hdfs://h/x"}},
	} {
		status, stderr := run(t, folder, test.args...)
		if status != test.status || !strings.Contains(stderr, test.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%q: status %d, %q; want %d, %q", test.args, status, stderr, test.status, test.want)
		}
	}
	if status, _ := run(t, folder, "--help"); status != 0 {
		t.Errorf("--help: status %d", status)
	}
	if entries, _ := os.ReadDir(folder); len(entries) != 2 {
		t.Errorf("a mistake leaves %v", entries)
	}
}

// TestEmpty has inputs without a record: there is output all the same, without a row.
func TestEmpty(t *testing.T) {
	for _, format := range []string{"text", "ndjson", "parquet"} {
		folder := t.TempDir()
		write(t, folder, "list", nil)
		mustRun(t, folder, "list", "--format", format)
		if files, _ := filepath.Glob(filepath.Join(folder, "unique-00000-of-00001.*")); len(files) != 1 {
			t.Errorf("%s: output %q", format, files)
		}
	}
}

// TestDamage has files that end too early, or are too long: their other records count.
func TestDamage(t *testing.T) {
	folder := t.TempDir()
	cut := gzipped(t, corpus(5, 200_000))
	write(t, folder, "cut.gz", cut[:len(cut)/2])
	write(t, folder, "long", []byte("http://h/1\nhttp://h/"+strings.Repeat("x", 1<<20)+"\nhttp://h/2\n"))
	mustRun(t, folder, "cut.gz", "long")
	rows := output(t, folder, "unique")
	if len(rows) < 100 || !slices.Contains(rows, "http://h/1\t1") || !slices.Contains(rows, "http://h/2\t1") {
		t.Errorf("%d rows", len(rows))
	}
	dead := strings.Join(output(t, folder, "unique-dead"), "\n")
	for _, want := range []string{"the file is cut", "octet 11", "1048586 octets"} {
		if !strings.Contains(dead, want) {
			t.Errorf("no dead letter with %q", want)
		}
	}
	for line := range strings.Lines(dead) {
		if len(line) > 200_000 {
			t.Errorf("a dead letter of %d octets", len(line))
		}
	}
}

// TestLifting compares the ways to count, with a hot key.
func TestLifting(t *testing.T) {
	folder := t.TempDir()
	lists(t, folder, "a", 1)
	var first []string
	shuffled := map[string]int64{}
	for _, args := range [][]string{{}, {"--lift=false"}, {"--lift=false", "--salts", "0"}, {"--salts", "2"}} {
		prefix := "out" + strings.Join(args, "")
		stderr := mustRun(t, folder, append([]string{"check", "a-*", "--output", prefix}, args...)...)
		var records, read, keys, octets int64
		if _, err := fmt.Sscanf(stderr, "%d records, %d octets read, %d keys and %d octets shuffled", &records, &read, &keys, &octets); err != nil {
			t.Fatalf("%q: %v", stderr, err)
		}
		t.Logf("%q: %.3f octets shuffled for each that is read", args, float64(octets)/float64(read))
		shuffled[prefix] = octets
		got := output(t, folder, prefix)
		slices.Sort(got)
		if first == nil {
			first = got
		}
		if !slices.Equal(got, first) {
			t.Errorf("%q: %d rows that differ from %d", args, len(got), len(first))
		}
	}
	if shuffled["out"]*5 > shuffled["out--lift=false"] {
		t.Errorf("lifting saves little: %v", shuffled)
	}
}
