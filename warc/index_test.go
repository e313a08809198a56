package warc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Lines in temporary files and in memory become one sorted index.
func TestIndexSpill(t *testing.T) {
	dir := t.TempDir()
	x := index{dir: dir}
	var want []string
	for i := range 1000 {
		c := CDXJ{Key: fmt.Sprint(i * 7919 % 1000), Offset: int64(i)}
		x.add(c)
		want = append(want, string(c.Append(nil)))
		if i%300 == 299 {
			if err := x.spill(); err != nil {
				t.Fatal(err)
			}
		}
	}
	slices.Sort(want)
	name := filepath.Join(dir, "a.cdxj")
	if err := x.write(name); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil || string(text) != strings.Join(want, "") {
		t.Errorf("%d octets, %v", len(text), err)
	}
	if list, err := os.ReadDir(dir); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestIndexName(t *testing.T) {
	for name, want := range map[string]string{"a.warc.gz": "a.cdxj", "d.x/a-00001.warc": "d.x/a-00001.cdxj"} {
		if got := indexName(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
