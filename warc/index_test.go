package warc

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/bulk"
)

// Lines in a temporary file and in memory become one sorted index.
func TestIndexSpill(t *testing.T) {
	dir := t.TempDir()
	x := index{lines: bulk.NewSorter(bulk.SorterOptions{Memory: 20_000, Folder: dir})}
	var want []string
	for i := range 1000 {
		c := CDXJ{Key: fmt.Sprint(i * 7919 % 1000), Offset: int64(i)}
		x.add(c)
		want = append(want, string(c.Append(nil)))
	}
	if x.lines.Spilled() == 0 {
		t.Error("nothing is in the temporary file")
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

// The lines of a long index are in a temporary file before they exceed maxIndex.
func TestIndexMemory(t *testing.T) {
	x := newIndex(t.TempDir())
	defer x.release()
	c := CDXJ{Key: strings.Repeat("k", 32<<10), URL: "http://h.example/"}
	size, added := len(c.Append(nil)), 0
	for ; x.lines.Spilled() == 0 && added <= 2*maxIndex; added += size {
		if x.add(c); x.err != nil {
			t.Fatal(x.err)
		}
	}
	if added < maxIndex/4 || added > maxIndex {
		t.Errorf("spilled after %d octets; maxIndex is %d", added, maxIndex)
	}
}

// The writer remembers no more than maxSeen payloads, and writes other payloads again.
func TestSeenIsBounded(t *testing.T) {
	w := &Writer{seen: map[string]original{}}
	for i := range maxSeen + 100 {
		if _, ok := w.firstRecord(fmt.Sprint(i), original{id: fmt.Sprint(i)}); ok {
			t.Fatalf("%d is there", i)
		}
	}
	last := fmt.Sprint(maxSeen - 1)
	if found, ok := w.firstRecord(last, original{}); !ok || found.id != last {
		t.Errorf("%+v, %v", found, ok)
	}
	if _, ok := w.firstRecord(fmt.Sprint(maxSeen), original{}); ok || len(w.seen) != maxSeen {
		t.Errorf("%d are remembered, and the next is %v", len(w.seen), ok)
	}
}

func TestIndexName(t *testing.T) {
	for name, want := range map[string]string{"a.warc.gz": "a.cdxj", "d.x/a-00001.warc": "d.x/a-00001.cdxj"} {
		if got := indexName(name); got != want {
			t.Errorf("%s: %s", name, got)
		}
	}
}
