package pipeline

import (
	"bytes"
	"context"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"

	"github.com/locus-url/locus"
)

// page is a row with columns of several kinds.
type page struct {
	ID    int64    `parquet:"id"`
	URL   *string  `parquet:"url,optional,zstd"`
	Links []string `parquet:"links,list"`
	From  struct {
		Host string `parquet:"host,dict"`
	} `parquet:"from"`
}

// pages returns n rows, some of which contain no URL or an invalid URL.
func pages(n int) (rows []page, urls map[string]int64) {
	urls = map[string]int64{}
	for i := range n {
		p := page{ID: int64(i), Links: []string{"http://l/1", "http://l/2"}[:i%3%2*2]}
		p.From.Host = fmt.Sprintf("http://h%d/", i%7)
		if url := fmt.Sprintf("http://h/%d", i/2); i%5 > 0 {
			urls[url]++
			p.URL = &url
		}
		rows = append(rows, p)
	}
	bad := "bad"
	rows[n-1].URL = &bad
	if url := fmt.Sprintf("http://h/%d", (n-1)/2); (n-1)%5 > 0 {
		if urls[url]--; urls[url] == 0 {
			delete(urls, url)
		}
	}
	return rows, urls
}

// parquetOf returns a Parquet file with small pages and row groups.
func parquetOf[T any](t testing.TB, rows []T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := parquet.NewGenericWriter[T](&b, parquet.MaxRowsPerRowGroup(300), parquet.PageBufferSize(1000))
	if _, err := w.Write(rows); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// readParquet counts the records of a Parquet file.
func readParquet(t testing.TB, content []byte, o Options) (got map[string]int64, dead []Row, err error) {
	t.Helper()
	name := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(name, content, 0o666); err != nil {
		t.Fatal(err)
	}
	o.Input, o.Output = []string{name}, filepath.Join(filepath.Dir(name), "out")
	if o, err = o.Checked(); err != nil {
		t.Fatal(err)
	}
	f := &scanFn{Options: o}
	if err := f.Setup(); err != nil {
		t.Fatal(err)
	}
	source := Source{Path: name, Size: int64(len(content)), Parquet: true}
	got = map[string]int64{}
	add := func(key []byte, t Tally) { got[string(key)] += t.N }
	hot := func(key []byte, t Tally) { got[string(key[1:])] += t.N }
	bury := func(r Row) { dead = append(dead, r) }
	ctx := context.Background()
	f.StartBundle(ctx, add, hot, bury)
	err = f.ProcessElement(ctx, f.CreateTracker(f.CreateInitialRestriction(source)), source, add, hot, bury)
	f.counts.cold, f.counts.hot = add, hot
	f.counts.flush()
	return got, dead, err
}

func TestParquet(t *testing.T) {
	rows, urls := pages(1000)
	content := parquetOf(t, rows)
	if !slices.Equal(content[:4], []byte("PAR1")) {
		t.Fatal("no Parquet")
	}
	links := map[string]int64{}
	for _, r := range rows {
		for _, link := range r.Links {
			links[link]++
		}
	}
	for _, row := range []struct {
		o    Options
		want map[string]int64
		dead int
	}{
		{Options{Key: "url"}, urls, 1},
		{Options{Field: 2}, urls, 1},
		{Options{Key: "links"}, links, 0},
		{Options{Key: "links.list.element"}, links, 0},
		{Options{Key: "from.host"}, nil, 0},
		{Options{Field: -1}, nil, 0},
	} {
		got, dead, err := readParquet(t, content, row.o)
		if err != nil || row.want != nil && !maps.Equal(got, row.want) || row.want == nil && len(got) != 7 || len(dead) != row.dead {
			t.Errorf("%+v: %v, %d keys, dead letters %v", row.o, err, len(got), dead)
		}
		if row.dead > 0 && (dead[0].Cells[1] != "row 1000" || dead[0].Cells[3] != "bad") {
			t.Errorf("%+v: dead letter %q", row.o, dead[0].Cells)
		}
	}
	long := strings.Repeat("x", maxLine+1)
	if got, dead, err := readParquet(t, parquetOf(t, []page{{URL: &long}}), Options{Key: "url"}); err != nil || len(got) != 0 || len(dead) != 1 || len(dead[0].Cells[3]) > maxLine/2 {
		t.Errorf("a long value: %v, %v, %d dead letters", err, got, len(dead))
	}
	if got, _, err := readParquet(t, parquetOf(t, []page{}), Options{Key: "url"}); err != nil || len(got) != 0 {
		t.Errorf("no rows: %v, %v", err, got)
	}
}

// TestParquetColumns reads columns that the pipeline does not support.
func TestParquetColumns(t *testing.T) {
	rows, _ := pages(10)
	content := parquetOf(t, rows)
	for _, row := range []struct {
		o    Options
		want string
	}{
		{Options{}, "choose a column of this Parquet file with key: id, url, links.list.element, from.host"},
		{Options{Key: "ulr"}, "with key: id, url"},
		{Options{Field: 5}, "with key: id, url"},
		{Options{Field: -5}, "with key: id, url"},
		{Options{Key: "id"}, "column id has values of type INT"},
		{Options{Pipeline: Graph}, "graph can't read Parquet"},
	} {
		if _, _, err := readParquet(t, content, row.o); err == nil || !strings.Contains(err.Error(), row.want) || !strings.Contains(err.Error(), "file\": ") {
			t.Errorf("%+v: %v, want %s", row.o, err, row.want)
		}
	}
}

// TestParquetDamage reads truncated and changed files. The pipeline must not treat any of them as
// complete.
func TestParquetDamage(t *testing.T) {
	rows, urls := pages(1000)
	content := parquetOf(t, rows)
	for n := 0; n < len(content); n += 1 + n/10 {
		if _, _, err := readParquet(t, content[:n], Options{Key: "url"}); err == nil || !strings.Contains(err.Error(), "truncated") {
			t.Errorf("the first %d octets of %d: %v", n, len(content), err)
		}
	}
	huge := slices.Clone(content)
	copy(huge[len(huge)-footerEnd:], "\xff\xff\xff\xff")
	if _, _, err := readParquet(t, huge, Options{Key: "url"}); err == nil || !strings.Contains(err.Error(), "truncated") {
		t.Errorf("a footer of 4 GiB: %v", err)
	}
	// A changed byte causes an error, or does not affect the result.
	for i := 4; i < len(content)-footerEnd; i += 97 {
		changed := slices.Clone(content)
		changed[i] ^= 0xFF
		if got, dead, err := readParquet(t, changed, Options{Key: "url"}); err == nil && (len(dead) != 1 || !maps.Equal(got, urls)) {
			t.Errorf("octet %d of %d is changed, and nothing is wrong: %d dead letters, %d keys", i, len(content), len(dead), len(got))
		}
	}
}

func FuzzParquet(f *testing.F) {
	rows, _ := pages(20)
	content := parquetOf(f, rows)
	f.Add(content)
	f.Add(content[:len(content)/2])
	f.Add([]byte("PAR1\x00\x00\x00\x00PAR1"))
	f.Fuzz(func(t *testing.T, content []byte) {
		got, dead, err := readParquet(t, content, Options{Key: "url"})
		again, deadAgain, errAgain := readParquet(t, content, Options{Key: "url"})
		if !maps.Equal(got, again) || len(dead) != len(deadAgain) || (err == nil) != (errAgain == nil) {
			t.Errorf("%d keys, %d dead letters, %v; again %d, %d, %v", len(got), len(dead), err, len(again), len(deadAgain), errAgain)
		}
		for url := range got {
			if _, err := locus.Parse(url); err != nil {
				t.Errorf("key %q: %v", url, err)
			}
		}
	})
}
