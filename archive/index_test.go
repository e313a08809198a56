package archive

import (
	"bytes"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// Sorting with a temporary file gives the same distinct lines as sorting in memory.
func TestSorter(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for _, memory := range []int64{2000, 20_000, sortMemory} {
		var want []string
		dir := t.TempDir()
		s := bulk.NewSorter(bulk.SorterOptions{Memory: memory, Folder: dir})
		for range 2000 {
			line := strings.Repeat(string(rune('a'+random.IntN(26))), random.IntN(300)) + fmt.Sprint(random.IntN(50)) + "\n"
			want = append(want, line)
			if err := s.Add(nil, []byte(line)); err != nil {
				t.Fatal(err)
			}
		}
		var got bytes.Buffer
		if err := writeSorted(t.Context(), &got, s); err != nil {
			t.Fatal(err)
		}
		if spilled := s.Spilled() > 0; spilled != (memory < sortMemory) {
			t.Errorf("memory %d: %d octets in the temporary file", memory, s.Spilled())
		}
		s.Close()
		slices.Sort(want)
		want = slices.Compact(want)
		if got.String() != strings.Join(want, "") {
			t.Errorf("memory %d: %d octets", memory, got.Len())
		}
		if left, _ := os.ReadDir(dir); len(left) > 0 {
			t.Errorf("memory %d: %d files are left", memory, len(left))
		}
	}
}

// The lines of a large archive are in a temporary file before they exceed sortMemory.
func TestSorterMemory(t *testing.T) {
	s := newSorter(t.TempDir())
	defer s.Close()
	line, added := make([]byte, 64<<10), 0
	for ; s.Spilled() == 0 && added <= 2*sortMemory; added += len(line) {
		if err := s.Add(nil, line); err != nil {
			t.Fatal(err)
		}
	}
	if added < sortMemory/4 || added > sortMemory {
		t.Errorf("spilled after %d octets; sortMemory is %d", added, sortMemory)
	}
}

// An index finds the same entries as a search through all lines.
func TestIndexFind(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	for _, count := range []int{0, 1, 2, 7, 300} {
		var keys []string
		for range count {
			keys = append(keys, strings.Repeat("x", random.IntN(2000)*random.IntN(2))+fmt.Sprint(random.IntN(200)))
		}
		slices.Sort(keys)
		keys = slices.Compact(keys)
		text := []byte("head\n")
		for _, k := range keys {
			e := entry{key: k, time: "20010101000000", kind: kindWhole, url: "u:" + k}
			text = e.append(text)
		}
		name := filepath.Join(t.TempDir(), "index")
		if err := os.WriteFile(name, append(text, indexEnd...), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		x, err := openIndex(f, "head\n")
		if err != nil {
			t.Fatal(err)
		}
		for _, prefix := range append([]string{"", "x", "xx5", "z", "\xFF", "1", "\t"}, keys...) {
			i, _ := slices.BinarySearch(keys, prefix)
			var got []string
			for e, err := range x.entriesFrom(prefix) {
				if err != nil {
					t.Fatal(err)
				}
				got = append(got, e.key)
			}
			if !slices.Equal(got, keys[i:]) {
				t.Errorf("%d keys, from %.20q: %d, want %d", count, prefix, len(got), len(keys)-i)
			}
		}
	}
}

// sealed returns a line with its checksum, without a newline.
func sealed(line string) string { return fmt.Sprintf("%s\t%x", line, checksum(line+"\t")) }

func TestIndexDamaged(t *testing.T) {
	e := entry{key: "h web //h/", time: "20010101000000", kind: kindWhole, url: "http://h/"}
	line := string(e.append(nil))
	whole := "head\n" + line + indexEnd
	changed := func(old, new string) string {
		fields := line[:strings.LastIndexByte(line, '\t')]
		return "head\n" + sealed(strings.Replace(fields, old, new, 1)) + "\n" + indexEnd
	}
	for _, text := range []string{
		"", "head\n", "other\n" + indexEnd, whole[:len(whole)-3], strings.Replace(whole, "20010101000000", "20010101000001", 1),
		"head\n0\n" + indexEnd, // the checksum of an empty line
		changed("20010101000000", "x"), changed("\t0\t", "\t-1\t"), changed("http", "http\t"),
	} {
		name := filepath.Join(t.TempDir(), "index")
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		x, err := openIndex(f, "head\n")
		if err != nil {
			continue
		}
		for _, entryErr := range x.entriesFrom("h") {
			err = entryErr
		}
		if err == nil {
			t.Errorf("%q is an index", text)
		}
	}
}

// A damaged entry next to the position of a missing URL is an error.
func TestNearWithDamagedIndex(t *testing.T) {
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	e := entry{key: keyOf(registry, locus.MustParse("http://h/a")), time: "20010101000000", kind: kindWhole, url: "http://h/a"}
	line := string(e.append(nil))
	broken := strings.Replace(line[:strings.LastIndexByte(line, '\t')], "20010101000000", "x", 1)
	name := filepath.Join(t.TempDir(), "index")
	if err := os.WriteFile(name, []byte("head\n"+sealed(broken)+"\n"+indexEnd), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := &Store{registry: registry}
	if s.index, err = openIndex(f, "head\n"); err != nil {
		t.Fatal(err)
	}
	for _, text := range []string{"http://h/b", "http://h/b/c?d"} {
		u := locus.MustParse(text)
		if near, err := s.Near(u); !errors.Is(err, errEntry) || !near.IsZero() {
			t.Errorf("near %s: %v, %v", u, near, err)
		}
		if _, err := s.Open(t.Context(), &scheme.Request{URL: u}); !errors.Is(err, errEntry) || !strings.Contains(err.Error(), name) {
			t.Errorf("open %s: %v", u, err)
		}
	}
}

// FuzzEntry checks that an entry survives a round trip, and that any line is an entry or an
// error.
func FuzzEntry(f *testing.F) {
	e := entry{key: "h web //h/", time: "20010101000000", kind: kindWhole, file: 3, offset: 5, status: 200, media: "text/html", digest: "sha1:A", url: "http://h/"}
	f.Add(string(e.append(nil)))
	f.Add("h web //h/\t20010101000000\ta\t3\t5\t200\ttext/html\tsha1:A\thttp://h/")
	f.Add("0")
	f.Add("\tA\t20010101000000\ta\t0\t0\t0\t\t\thttp://h/")
	f.Fuzz(func(t *testing.T, line string) {
		line, _, _ = strings.Cut(line, "\n")
		if _, err := parseEntry(line); err == nil && !isWhole(line) {
			t.Errorf("%q has no checksum, and is read", line)
		}
		e, err := parseEntry(sealed(line))
		if err != nil {
			return
		}
		if again, err := parseEntry(strings.TrimSuffix(string(e.append(nil)), "\n")); err != nil || again != e {
			t.Errorf("%q: %+v, %+v, %v", line, e, again, err)
		}
	})
}
