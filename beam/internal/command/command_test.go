package command_test

import (
	"fmt"
	"net"
	"os"
	"path/filepath"
	"runtime"
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
	if want := "2 records, 22 bytes read, 1 keys"; !strings.HasPrefix(stderr, want) {
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

// TestVersion shows the version, the Go version and the platform.
func TestVersion(t *testing.T) {
	for _, arg := range []string{"version", "--version"} {
		out, err := locusBeam(t, t.TempDir(), arg).Output()
		if want := ", " + runtime.Version() + ", " + runtime.GOOS + "/" + runtime.GOARCH + "\n"; err != nil || !strings.HasPrefix(string(out), "locus-beam version ") || !strings.HasSuffix(string(out), want) {
			t.Errorf("%s: %q, %v, want the end %q", arg, out, err, want)
		}
	}
}

// TestMistakes tests invalid arguments and files.
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
		{2, "applies only to join", []string{"list", "--with", "list"}},
		{2, "choose text, ndjson, parquet", []string{"list", "--format", "csv"}},
		{2, "choose none, gzip, zstd", []string{"list", "--compression", "lz4"}},
		{2, "omit compression", []string{"list", "--format", "parquet", "--compression", "gzip"}},
		{2, "shards", []string{"list", "--num_shards", "-1"}},
		{2, "salts", []string{"list", "--salts", "300"}},
		{2, "field and key exclude each other", []string{"list", "--field", "1", "--key", "a"}},
		{2, "a delimiter needs", []string{"list", "--delimiter", ","}},
		{2, "graph reads", []string{"graph", "list", "--field", "1"}},
		{2, "extract reads", []string{"extract", "list", "--key", "a"}},
		{2, "unknown rules", []string{"check", "list", "--rules", "nonsense"}},
		{2, "prefix", []string{"list", "--output", "folder/"}},
		{2, "takes no input", []string{"worker", "list"}},
		{2, "out of range", []string{"server", "--port", "99999"}},
		{2, "pattern character", []string{"list", "--output", "a*"}},
		{2, "no name after the bucket", []string{"list", "--output", "s3://bucket"}},
		{2, "unknown runner", []string{"list", "--runner", "nonsense"}},
		{2, "needs --endpoint", []string{"list", "--runner", "flink"}},
		{2, "unknown flag --nonsense", []string{"list", "--nonsense"}},
		{2, "argument: --output", []string{"list", "--output"}},
		{2, "flag --salts", []string{"list", "--salts", "x"}},
		{2, "service must be HOST:PORT", []string{"list", "--runner", "flink", "--endpoint", "user:secret@localhost:1"}},
		{2, "service must be HOST:PORT", []string{"list", "--runner", "flink", "--endpoint", "user:secret@localhost"}},
		{2, "service must be HOST:PORT", []string{"list", "--runner", "flink", "--endpoint", "localhost"}},
		{2, "standard input", []string{"-"}},
		{3, "no job service", []string{"list", "--runner", "flink", "--endpoint", closedPort(t)}},
		{3, "no pool of workers", []string{"list", "--environment_type", "EXTERNAL", "--environment_config", closedPort(t)}},
		{3, "not a directory", []string{"list", "--output", "list/out"}},
		{3, "no such file", []string{"uniq"}},
		{3, "directory", []string{"sub"}},
		{3, "not registered", []string{"hdfs://h/x"}},
	} {
		status, stderr := run(t, folder, test.args...)
		if status != test.status || !strings.Contains(stderr, test.want) || strings.Count(stderr, "\n") != 1 || strings.Contains(stderr, "secret") {
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

// TestEmpty runs pipelines on inputs without records. They must write output files without rows.
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

// closedPort returns an address where no program listens.
func closedPort(t *testing.T) string {
	t.Helper()
	l, err := net.Listen("tcp", "localhost:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return l.Addr().String()
}

// TestOverwrite checks that an earlier output remains until the new output is complete.
func TestOverwrite(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "list", []byte("http://h/\nbad\n"))
	write(t, folder, "other", []byte("http://o/\n"))
	mustRun(t, folder, "list", "--num_shards", "3")
	if info, err := os.Stat(filepath.Join(folder, "unique-dead-00000-of-00001.ndjson")); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("dead letters: %v, %v", info, err)
	}
	if status, stderr := run(t, folder, "no such file", "--overwrite"); status != 3 {
		t.Errorf("status %d, %s", status, stderr)
	}
	if got := output(t, folder, "unique"); !slices.Equal(got, []string{"http://h/\t1"}) {
		t.Errorf("a job that failed leaves %q", got)
	}
	mustRun(t, folder, "other", "--overwrite", "--num_shards", "2")
	files, _ := filepath.Glob(filepath.Join(folder, "unique-*"))
	if got := output(t, folder, "unique"); len(files) != 2 || !slices.Equal(got, []string{"http://o/\t1"}) {
		t.Errorf("files %q, %q", files, got)
	}
}

// TestFields reads lines that contain more than a URL, in the formats of the command locus.
func TestFields(t *testing.T) {
	long := strings.Repeat("x", 1<<18)
	for _, test := range []struct {
		name, text string
		args       []string
		want       []string
		dead       int
	}{
		{"a first field that is empty", "\thttp://h/\n", []string{"--field", "2"}, []string{"http://h/\t1"}, 0},
		{"from the end", "a\tb\thttp://h/\r\n\n  \n", []string{"--field", "-1"}, []string{"http://h/\t1"}, 0},
		{"missing", "http://h/\n", []string{"--field", "2"}, []string{}, 1},
		{"a TAB by its escape", "a\thttp://h/\n", []string{"--field", "2", "--delimiter", `\t`}, []string{"http://h/\t1"}, 0},
		{"CSV with escapes", "\"http://h/1\",x\n\"gopher://h/1\"\"long\"\"er\",y\nhttp://h/2,z\n", []string{"--field", "1", "--delimiter", ","},
			[]string{"gopher://h/1%22long%22er\t1", "http://h/1\t1", "http://h/2\t1"}, 0},
		{"JSON", `{"u":"http:\/\/h\/"}` + "\n{}\n", []string{"--key", "u"}, []string{"http://h/\t1"}, 1},
		{"a long line of JSON", `{"x":"` + long + `","u":"http://h/"}`, []string{"--key", "u"}, []string{"http://h/\t1"}, 0},
		{"CDX", " CDX N b a\ncom,h)/ 20260102030405 http://h/\n", nil, []string{"http://h/\t1"}, 0},
		{"CDXJ", `com,h)/ 20260102030405 {"url":"http://h/%7e"}` + "\ncom,h)/ 20260102030405 {}\n", nil, []string{"http://h/%7E\t1"}, 1},
	} {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			write(t, folder, "plain", []byte(test.text))
			write(t, folder, "packed", gzipped(t, []byte(test.text)))
			for _, input := range []string{"plain", "packed"} {
				mustRun(t, folder, append(test.args, input, "--output", input)...)
				got := output(t, folder, input)
				if slices.Sort(got); !slices.Equal(got, test.want) {
					t.Errorf("%s: %q, want %q", input, got, test.want)
				}
				dead := 0
				if files, _ := filepath.Glob(filepath.Join(folder, input+"-dead-*")); len(files) > 0 {
					dead = len(output(t, folder, input+"-dead"))
				}
				if dead != test.dead {
					t.Errorf("%s: %d dead letters, want %d", input, dead, test.dead)
				}
			}
		})
	}
}

// TestDamage checks that the job fails with the names of truncated files.
func TestDamage(t *testing.T) {
	text := corpus(5, 20_000)
	half := func(b []byte) []byte { return b[:len(b)/2] }
	flipped := func(b []byte) []byte { b[len(b)-6] ^= 1; return b } // changes the gzip checksum
	pages := []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n" + strings.Repeat("<a href=http://h/>", 100))
	warc := fmt.Appendf(nil, "WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: http://p/\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: %d\r\n\r\n%s", len(pages), pages)
	packed := func(ext string) []byte {
		content, err := os.ReadFile("../../../document/testdata/links.txt" + ext)
		if err != nil {
			t.Fatal(err)
		}
		return content
	}
	for _, test := range []struct {
		pipeline, name string
		content        []byte
		want           string
	}{
		{"unique", "cut.gz", half(gzipped(t, text)), "the file is cut"},
		{"unique", "cut.zst", half(zstandard(t, text)), "the file is cut"},
		{"unique", "cut.bz2", half(packed(".bz2")), "bzip2 data invalid"},
		{"unique", "cut.xz", half(packed(".xz")), "xz: "},
		{"extract", "cut.xz", half(packed(".xz")), "xz: "},
		{"unique", "sum.gz", flipped(gzipped(t, text)), "checksum"},
		{"unique", "cut.warc", half(warc), "the file is cut"},
		{"check", "cut.gz", half(gzipped(t, text)), "the file is cut"},
		{"extract", "cut.gz", half(gzipped(t, text)), "unexpected EOF"},
		{"extract", "sum.gz", flipped(gzipped(t, text)), "checksum"},
		{"extract", "cut.warc", half(warc), "unexpected EOF"},
		{"graph", "cut.warc", half(warc), "unexpected EOF"},
		{"graph", "cut.warc.gz", half(gzipped(t, warc)), "unexpected EOF"},
		{"unique", "table", []byte("id,url\n1,http://h/\n"), "it looks like CSV, with URLs in field 2: choose them with field and delimiter"},
		{"unique", "table.gz", gzipped(t, []byte("{\"url\":\"http://h/\"}\n")), "it looks like JSON lines, with URLs at url"},
		{"unique", "x.parquet.gz", gzipped(t, []byte("PAR1\x15")), "compressed Parquet file"},
	} {
		folder := t.TempDir()
		write(t, folder, "good", []byte("http://h/\n"))
		write(t, folder, test.name, test.content)
		status, stderr := run(t, folder, test.pipeline, "good", test.name)
		if status != 3 || !strings.Contains(stderr, "\""+test.name+"\": ") || !strings.Contains(stderr, test.want) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%s %s: status %d, %q", test.pipeline, test.name, status, stderr)
		}
		if files, _ := os.ReadDir(folder); len(files) != 2 {
			t.Errorf("%s %s leaves %v", test.pipeline, test.name, files)
		}
	}
}

// TestDeadLetters reads some unreadable records among valid records.
func TestDeadLetters(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "long", []byte("http://h/1\nhttp://h/"+strings.Repeat("x", 1<<20)+"\nhttp://h/2\n"))
	mustRun(t, folder, "long")
	if rows := output(t, folder, "unique"); len(rows) != 2 || !slices.Contains(rows, "http://h/1\t1") || !slices.Contains(rows, "http://h/2\t1") {
		t.Errorf("rows %q", rows)
	}
	dead := output(t, folder, "unique-dead")
	if len(dead) != 1 || len(dead[0]) > 200_000 || !strings.Contains(dead[0], "octet 11") || !strings.Contains(dead[0], "1048586 bytes") {
		t.Errorf("%d dead letters: %.200q", len(dead), dead)
	}
}

// TestLeftovers checks that the command reports the temporary files of a killed run, and does not
// remove them.
func TestLeftovers(t *testing.T) {
	folder := t.TempDir()
	write(t, folder, "list", []byte("http://h/\n"))
	left := filepath.Join(folder, ".locus-beam-KILLED")
	if err := os.Mkdir(left, 0o777); err != nil {
		t.Fatal(err)
	}
	write(t, left, "begun", nil)
	status, stderr := run(t, folder, "list")
	if want := `".locus-beam-KILLED" contains temporary files of an unfinished run: remove it if no other run writes here`; status != 0 || !strings.Contains(stderr, want) {
		t.Errorf("status %d, %s", status, stderr)
	}
	if files, _ := filepath.Glob(filepath.Join(folder, ".locus-beam-*")); len(files) != 1 {
		t.Errorf("files %q", files)
	}
}

// TestLifting compares the results of counting with and without lifted combiners, with a hot key.
func TestLifting(t *testing.T) {
	folder := t.TempDir()
	lists(t, folder, "a", 1)
	var first []string
	shuffled := map[string]int64{}
	for _, args := range [][]string{{}, {"--lift=false"}, {"--lift=false", "--salts", "0"}, {"--salts", "2"}} {
		prefix := "out" + strings.Join(args, "")
		stderr := mustRun(t, folder, append([]string{"check", "a-*", "--output", prefix}, args...)...)
		var records, read, keys, octets int64
		if _, err := fmt.Sscanf(stderr, "%d records, %d bytes read, %d keys and %d bytes shuffled", &records, &read, &keys, &octets); err != nil {
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
