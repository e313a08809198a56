package command_test

import (
	"cmp"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
)

// TestFormats checks that every output format contains the same result.
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
	// Use the output as the input of another run.
	mustRun(t, folder, "unique", "in.txt", "--output", "q", "--format", "parquet")
	mustRun(t, folder, "unique", "q-*.parquet", "j-*.gz", "--key", "url", "--output", "both")
	for _, line := range output(t, folder, "both") {
		if !strings.HasSuffix(line, "\t2") {
			t.Errorf("of Parquet and NDJSON: %q", line)
		}
	}
	mustRun(t, folder, "unique", "p-*.parquet", "--key", "samples", "--output", "samples")
	if got := output(t, folder, "samples"); len(got) != 2 {
		t.Errorf("samples %q", got)
	}
	if status, stderr := run(t, folder, "unique", "q-*.parquet", "--output", "none"); status != 3 || !strings.Contains(stderr, `"q-00000-of-00001.parquet": choose a column of this Parquet file with key: url, count`) {
		t.Errorf("no column: status %d, %s", status, stderr)
	}
	mustRun(t, folder, "unique", "z-*.zst", "--field", "1", "--output", "again")
	mustRun(t, folder, "unique", "j-*.gz", "--key", "url", "--output", "key")
	if again := output(t, folder, "again"); len(again) != 3 {
		t.Errorf("again %q", again)
	}
	if key := output(t, folder, "key"); len(key) != 3 {
		t.Errorf("by key %q", key)
	}
}

// TestParquetElsewhere reads every column with the Parquet reader of another project.
func TestParquetElsewhere(t *testing.T) {
	root := cmp.Or(os.Getenv("LOCUS_PEERS"), "/opt/locus-peers")
	if _, err := os.Stat(root + "/node_modules/hyparquet-compressors"); err != nil {
		if os.Getenv("CI") != "" {
			t.Fatal(err)
		}
		t.Skipf("npm install --prefix %s hyparquet hyparquet-compressors", root)
	}
	folder := t.TempDir()
	write(t, folder, "in.txt", []byte("http://h/a\nhttp://h/a\nftp://u:secret@h/~b\nhttp://h/\xe9\n"))
	mustRun(t, folder, "check", "in.txt", "--output", "p", "--format", "parquet")
	mustRun(t, folder, "check", "in.txt", "--output", "j", "--format", "ndjson")
	script := filepath.Join(folder, "read.mjs")
	write(t, folder, "read.mjs", []byte(`
import { asyncBufferFromFile, parquetReadObjects } from '`+root+`/node_modules/hyparquet/src/node.js'
import { compressors } from '`+root+`/node_modules/hyparquet-compressors/src/index.js'
const file = await asyncBufferFromFile(process.argv[2])
for (const row of await parquetReadObjects({ file, compressors }))
  console.log(JSON.stringify(row, (_, v) => typeof v === 'bigint' ? Number(v) : v))
`))
	out, err := exec.Command("node", script, filepath.Join(folder, "p-00000-of-00001.parquet")).Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	type row struct {
		By, Name       string
		Findings, URLs int64
		Samples        []string
	}
	texts := func(lines []string) (list []string) {
		for _, r := range objects[row](t, lines) {
			text, _ := json.Marshal(r)
			list = append(list, string(text))
		}
		slices.Sort(list)
		return list
	}
	got, want := texts(strings.Split(strings.TrimSpace(string(out)), "\n")), texts(output(t, folder, "j"))
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
