package bulk

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/locus-url/locus/internal/wholefile"
)

// answeredText is a text and its count.
type answeredText struct {
	text  string
	count uint64
}

// distinct is a simple implementation of a Set.
func distinct(texts []string) (list []answeredText) {
	place := map[string]int{}
	for _, text := range texts {
		if i, ok := place[text]; ok {
			list[i].count++
			continue
		}
		place[text] = len(list)
		list = append(list, answeredText{text, 1})
	}
	return list
}

func viaSet(t testing.TB, texts []string, o SetOptions, batch int) (list []answeredText, s *Set) {
	t.Helper()
	h := NewHasher()
	s = NewSet(o)
	t.Cleanup(s.Close)
	var b Batch
	for part := range slices.Chunk(texts, batch) {
		b.Reset()
		for _, text := range part {
			b.Keys = append(b.Keys, h.Key([]byte(text)))
			b.Text = append(b.Text, text...)
			b.Ends = append(b.Ends, len(b.Text))
		}
		if err := s.Add(&b); err != nil {
			t.Fatal(err)
		}
		for i, isNew := range b.New {
			if isNew {
				list = append(list, answeredText{part[i], 1})
			}
		}
	}
	err := s.Rest(t.Context(), func(text []byte, count uint64) error {
		list = append(list, answeredText{string(text), count})
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, s
}

func checkSet(t testing.TB, texts []string, memory int64, batch int) (spilled int64) {
	t.Helper()
	want := distinct(texts)
	for _, count := range []bool{false, true} {
		got, s := viaSet(t, texts, SetOptions{Memory: memory, Folder: t.(interface{ TempDir() string }).TempDir(), Count: count}, batch)
		if !count {
			want := slices.Clone(want)
			for i := range want {
				want[i].count = 1
			}
			if !slices.Equal(got, want) {
				t.Errorf("%d octets of memory: %d texts, want %d in order of appearance", memory, len(got), len(want))
			}
		} else if !slices.Equal(got, want) {
			t.Errorf("%d octets of memory, counted: %d texts, want %d", memory, len(got), len(want))
		}
		if s.Texts() != int64(len(want)) {
			t.Errorf("%d texts are new, want %d", s.Texts(), len(want))
		}
		spilled = max(spilled, s.Spilled())
		s.Close()
	}
	return spilled
}

func randomTexts(seed uint64, n, kinds int) []string {
	r := rand.New(rand.NewPCG(seed, 1))
	list := make([]string, n)
	for i := range list {
		k := r.IntN(kinds)
		list[i] = fmt.Sprintf("http://h%d.example/%s%d\n", k%97, strings.Repeat("a", k%50), k)
	}
	return list
}

func TestSetEqualsMap(t *testing.T) {
	texts := randomTexts(1, 60_000, 20_000)
	if n := checkSet(t, texts, 64<<20, 1000); n != 0 {
		t.Errorf("%d octets spilled for no reason", n)
	}
	// With the smallest limit, tables hold 64 keys and must be divided several times.
	for _, memory := range []int64{1, 1 << 12, 1 << 16, 1 << 18, 1 << 20} {
		if n := checkSet(t, texts, memory, 777); n == 0 && memory < 1<<18 {
			t.Errorf("with %d octets of memory nothing was spilled", memory)
		}
	}
	checkSet(t, nil, 1, 1)
	checkSet(t, slices.Repeat([]string{"\n"}, 5000), 1, 100)
}

func TestSetOfLongTexts(t *testing.T) {
	var texts []string
	for i := range 200 {
		texts = append(texts, strings.Repeat(string(rune('a'+i%13)), 100_000+i%13), "", "\x00")
	}
	for i := range 3000 {
		texts = append(texts, fmt.Sprint(i%2000))
	}
	checkSet(t, texts, 1<<16, 50)
}

func FuzzSet(f *testing.F) {
	f.Add([]byte("a b c a b d"), int64(1), 2)
	f.Add([]byte(" "), int64(1<<20), 1)
	f.Add([]byte(strings.Join(randomTexts(2, 500, 300), " ")), int64(100), 7)
	f.Fuzz(func(t *testing.T, octets []byte, memory int64, batch int) {
		texts := strings.Split(string(octets), " ")
		// Add more texts than a small input contains, so that the tables become full.
		for i := range 300 {
			texts = append(texts, texts[i%len(texts)]+fmt.Sprint(i%(len(octets)%200+1)))
		}
		checkSet(t, texts, min(memory, 1<<24), max(batch, 1))
	})
}

// A file that can't be written fails as a full disk does.
func TestFullDisk(t *testing.T) {
	name := filepath.Join(t.TempDir(), "full")
	if err := os.WriteFile(name, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	full, err := os.Open(name) // for reading
	if err != nil {
		t.Fatal(err)
	}
	s := NewSet(SetOptions{Memory: 1})
	defer s.Close()
	s.store.file = &wholefile.Temporary{File: full}
	h := NewHasher()
	for i := range 100_000 {
		text := fmt.Appendln(nil, i)
		if err = s.Add(&Batch{Keys: []Key{h.Key(text)}, Text: text, Ends: []int{len(text)}}); err != nil {
			break
		}
	}
	if !errors.Is(err, ErrSpill) {
		t.Errorf("error %v", err)
	}
}

func TestNoFolder(t *testing.T) {
	s := NewSet(SetOptions{Memory: 1, Folder: "/nonexistent"})
	defer s.Close()
	h := NewHasher()
	var err error
	for i := 0; err == nil && i < 100_000; i++ {
		text := fmt.Appendln(nil, i)
		err = s.Add(&Batch{Keys: []Key{h.Key(text)}, Text: text, Ends: []int{len(text)}})
	}
	if !errors.Is(err, ErrSpill) || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error %v", err)
	}
}

func TestRestEndsWithContext(t *testing.T) {
	for _, count := range []bool{false, true} {
		s := NewSet(SetOptions{Memory: 1, Folder: t.TempDir(), Count: count})
		defer s.Close()
		h := NewHasher()
		for i := range 50_000 {
			text := fmt.Appendln(nil, i)
			if err := s.Add(&Batch{Keys: []Key{h.Key(text)}, Text: text, Ends: []int{len(text)}}); err != nil {
				t.Fatal(err)
			}
		}
		why := errors.New("enough")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(why)
		err := s.Rest(ctx, func([]byte, uint64) error { return nil })
		if !errors.Is(err, why) && !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if err := s.Rest(t.Context(), func([]byte, uint64) error { return why }); err != why && count {
			t.Errorf("error %v", err)
		}
	}
}

// The file is gone before the set is closed, where an open file can be removed.
func TestFileHasNoName(t *testing.T) {
	folder := t.TempDir()
	s := NewSet(SetOptions{Memory: 1, Folder: folder})
	h := NewHasher()
	for i := range 50_000 {
		text := fmt.Appendln(nil, i)
		if err := s.Add(&Batch{Keys: []Key{h.Key(text)}, Text: text, Ends: []int{len(text)}}); err != nil {
			t.Fatal(err)
		}
	}
	if s.Spilled() == 0 {
		t.Error("nothing was spilled")
	}
	if names, _ := os.ReadDir(folder); len(names) > 0 && os.PathSeparator == '/' {
		t.Errorf("%v is there", names)
	}
	s.Close()
	if names, _ := os.ReadDir(folder); len(names) > 0 {
		t.Errorf("%v is left", names)
	}
}

func sorted(t testing.TB, texts []string, o SorterOptions) (list []string, s *Sorter) {
	t.Helper()
	s = NewSorter(o)
	t.Cleanup(s.Close)
	head := make([]byte, o.Skip)
	for i, text := range texts {
		if len(head) == 8 {
			binary.BigEndian.PutUint64(head, uint64(i))
		}
		if err := s.Add(head, []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	err := s.Sorted(t.Context(), func(record []byte) error {
		if o.Skip == 8 && texts[binary.BigEndian.Uint64(record)] != string(record[8:]) {
			t.Errorf("%q has the head of another record", record)
		}
		list = append(list, string(record[o.Skip:]))
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return list, s
}

func TestSort(t *testing.T) {
	texts := randomTexts(3, 50_000, 30_000)
	texts = append(texts, "", "\x00", "\x00\x00", "a", "a\x00", "a\x00b", strings.Repeat("x", 70_000), strings.Repeat("x", 70_001))
	want := slices.Sorted(slices.Values(texts))
	for _, memory := range []int64{1 << 10, 1 << 16, 1 << 20, 64 << 20} {
		for _, skip := range []int{0, 8} {
			got, s := sorted(t, texts, SorterOptions{Memory: memory, Folder: t.TempDir(), Skip: skip})
			if !slices.Equal(got, want) {
				t.Errorf("with %d octets of memory %d of %d texts, or their order is wrong", memory, len(got), len(want))
			}
			if (s.Spilled() > 0) != (memory < 1<<23) {
				t.Errorf("with %d octets of memory %d were spilled", memory, s.Spilled())
			}
		}
	}
}

// However many runs there are, maxRuns are merged at once, and all are in one file.
func TestRunsAreBounded(t *testing.T) {
	s := NewSorter(SorterOptions{Memory: 256, Folder: t.TempDir()})
	defer s.Close()
	open := countOpen()
	const count = 6000 // two or three in a run
	most, merged := 0, 0
	for i := range count {
		before := len(s.runs)
		if err := s.Add(nil, fmt.Appendf(nil, "http://h.example/%05d", i*7919%count)); err != nil {
			t.Fatal(err)
		}
		if most = max(most, len(s.runs)); len(s.runs) < before {
			merged++
		}
	}
	if most >= maxRuns+1 || merged < 2 {
		t.Errorf("%d runs at once, merged %d times; the limit is %d", most, merged, maxRuns)
	}
	if more := countOpen() - open; more > 5 {
		t.Errorf("%d more files are open", more)
	}
	next := 0
	err := s.Sorted(t.Context(), func(record []byte) error {
		if want := fmt.Sprintf("http://h.example/%05d", next); string(record) != want {
			t.Fatalf("%q, want %q", record, want)
		}
		next++
		return nil
	})
	if err != nil || next != count {
		t.Errorf("%d records, %v", next, err)
	}
}

// countOpen returns the number of open files of this process, if the system reports it.
func countOpen() int {
	list, _ := os.ReadDir("/proc/self/fd")
	return len(list)
}

func FuzzSort(f *testing.F) {
	f.Add([]byte("b a c a \x00 "), int64(1))
	f.Add([]byte("http://a/ http://a/b http://a/\x00"), int64(1<<20))
	f.Fuzz(func(t *testing.T, octets []byte, memory int64) {
		texts := strings.Split(string(octets), " ")
		got, _ := sorted(t, texts, SorterOptions{Memory: min(memory, 1<<24), Folder: t.TempDir(), Skip: 8})
		if want := slices.Sorted(slices.Values(texts)); !slices.Equal(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	})
}

func TestEach(t *testing.T) {
	for _, unordered := range []bool{false, true} {
		var working, most atomic.Int64
		var committed, written []int
		count := func(n int) func(func(int) bool) {
			return func(yield func(int) bool) {
				for i := range n {
					if !yield(i) {
						return
					}
				}
			}
		}
		steps := Steps[int]{
			Work: func(int) {
				most.Store(max(most.Load(), working.Add(1)))
				for range rand.IntN(1000) {
					_ = bytes.Repeat([]byte("a"), 100)
				}
				working.Add(-1)
			},
			Commit: func(i int) error { committed = append(committed, i); return nil },
			Write:  func(i int) error { written = append(written, i); return nil },
		}
		if err := Each(t.Context(), count(2000), Options{Workers: 4, Unordered: unordered}, steps); err != nil {
			t.Fatal(err)
		}
		for _, list := range [][]int{committed, written} {
			if !unordered && !slices.IsSorted(list) {
				t.Error("not in order")
			}
			if slices.Sort(list); len(slices.Compact(list)) != 2000 {
				t.Errorf("%d items, want 2000", len(list))
			}
		}
		enough := errors.New("enough")
		written = nil
		steps.Write = func(i int) error {
			if written = append(written, i); len(written) == 10 {
				return enough
			}
			return nil
		}
		if err := Each(t.Context(), count(math.MaxInt32), Options{Workers: 3, Unordered: unordered}, steps); err != enough || len(written) != 10 {
			t.Errorf("%d written, error %v", len(written), err)
		}
		ctx, cancel := context.WithCancelCause(t.Context())
		steps.Write = func(i int) error {
			if i == 20 {
				cancel(enough)
			}
			return nil
		}
		if err := Each(ctx, count(math.MaxInt32), Options{Workers: 3, Unordered: unordered}, steps); err != enough {
			t.Errorf("error %v", err)
		}
	}
}
