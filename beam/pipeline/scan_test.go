package pipeline

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"
)

// scan is a scanFn that counts in one process.
type scan struct {
	*scanFn
	t      *testing.T
	source Source
	got    map[string]int64
	dead   int
	split  func(*sdf.LockRTracker) // called for each dead letter
}

func newScan(t *testing.T, text string) *scan {
	t.Helper()
	name := filepath.Join(t.TempDir(), "list")
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	o, err := Options{Input: []string{name}, Output: filepath.Join(filepath.Dir(name), "out")}.Checked()
	if err != nil {
		t.Fatal(err)
	}
	s := &scan{scanFn: &scanFn{Options: o}, t: t, source: Source{Path: name, Size: int64(len(text)), Text: true, Seek: true}, got: map[string]int64{}}
	if err := s.Setup(); err != nil {
		t.Fatal(err)
	}
	return s
}

// run counts the lines in a restriction.
func (s *scan) run(r offsetrange.Restriction) {
	s.t.Helper()
	tracker := s.CreateTracker(r)
	add := func(key []byte, t Tally) { s.got[string(key)] += t.N }
	hot := func(key []byte, t Tally) { s.got[string(key[1:])] += t.N }
	bury := func(Row) {
		s.dead++
		if s.split != nil {
			s.split(tracker)
		}
	}
	ctx := context.Background()
	s.StartBundle(ctx, add, hot, bury)
	if err := s.ProcessElement(ctx, tracker, s.source, add, hot, bury); err != nil {
		s.t.Fatal(err)
	}
	s.counts.flush()
	if !tracker.IsDone() || tracker.GetError() != nil {
		s.t.Fatalf("the restriction %v is not done: %v", r, tracker.GetError())
	}
}

// numbered returns different lines of different lengths, and some invalid lines among them.
func numbered(n, bad int) (text string, want map[string]int64) {
	var b strings.Builder
	want = map[string]int64{}
	r := rand.New(rand.NewPCG(1, 2))
	for i := range n {
		u := fmt.Sprintf("http://h/%d%s", i, strings.Repeat("x", r.IntN(40)))
		want[u]++
		b.WriteString(u + "\n")
		if bad > 0 && i%bad == 0 {
			b.WriteString("bad\n")
		}
	}
	return b.String(), want
}

// TestSplits reads a text in parts, with parts of each size. Each line must count once.
func TestSplits(t *testing.T) {
	text, want := numbered(30, 0)
	for _, end := range []string{"", "last"} {
		for size := int64(1); size <= int64(len(text)); size = size*2 + 1 {
			s := newScan(t, text+strings.Repeat("http://last/", len(end)/4))
			if end != "" {
				want["http://last/"] = 1
			}
			for _, r := range (offsetrange.Restriction{End: s.source.Size}).SizedSplits(size) {
				s.run(r)
			}
			if !maps.Equal(s.got, want) {
				t.Fatalf("in parts of %d octets: %d keys, want %d", size, len(s.got), len(want))
			}
		}
	}
}

// TestSplitWhileReading splits the rest of the input at each dead letter.
func TestSplitWhileReading(t *testing.T) {
	text, want := numbered(60_000, 5000)
	s := newScan(t, text)
	var rest []offsetrange.Restriction
	splits := 0
	s.split = func(tracker *sdf.LockRTracker) {
		_, residual, err := tracker.TrySplit(0.3)
		if err != nil {
			t.Fatal(err)
		}
		if residual != nil {
			splits++
			rest = append(rest, residual.(offsetrange.Restriction))
		}
	}
	s.run(offsetrange.Restriction{End: s.source.Size})
	for len(rest) > 0 {
		next := rest[0]
		rest = rest[1:]
		s.run(next)
	}
	if splits < 2 || s.dead != 12 || !maps.Equal(s.got, want) {
		t.Errorf("%d splits, %d dead letters, %d keys; want %d keys", splits, s.dead, len(s.got), len(want))
	}
}

// TestLongLines reads lines whose lengths are near the chunk size, and splits the text at each
// position.
func TestLongLines(t *testing.T) {
	for _, n := range []int{maxLine - 1, maxLine, 2*maxLine - 1, 2 * maxLine, 2*maxLine + 1, 6 * maxLine} {
		text := "http://h/1\n" + strings.Repeat("x", n) + "\nhttp://h/2\n"
		for _, at := range []int64{1, 11, 12, int64(n), int64(n) + 12, int64(len(text)) - 1} {
			s := newScan(t, text)
			s.run(offsetrange.Restriction{End: at})
			s.run(offsetrange.Restriction{Start: at, End: s.source.Size})
			if s.dead != 1 || s.got["http://h/1"] != 1 || s.got["http://h/2"] != 1 {
				t.Errorf("a line of %d octets, split at %d: %d dead letters, %v", n, at, s.dead, s.got)
			}
		}
	}
}

// TestIsText checks which files can be split, by their first bytes.
func TestIsText(t *testing.T) {
	for _, test := range []struct {
		head         string
		fields, want bool
		first        string
	}{
		{"http://h/\n", false, true, ""},
		{"", false, true, ""},
		{"\uFEFFhttp://h/\n", false, true, ""},
		{"\x1f\x8b\x08", false, false, ""},
		{"\xFF\xFEh\x00", false, false, ""},
		{"WARC/1.0\r\n", false, false, ""},
		{"WARC/1.0\r\n", true, true, ""},
		{" CDX N b a\ncom,example)/ 20260102030405 http://h/\n", false, true, " CDX N b a"},
		{" CDX N b\n", false, false, ""},
		{"com,example)/ 20260102030405 http://h/ cut", false, false, "com,example)/ 20260102030405 http://h/ cut"},
		{`com,example)/ 20260102030405 {"url":"http://h/"}` + "\n", false, true, `com,example)/ 20260102030405 {"url":"http://h/"}`},
	} {
		if got, first := isText(context.Background(), []byte(test.head), test.fields); got != test.want || first != test.first {
			t.Errorf("%q, fields %t: %t, %q", test.head, test.fields, got, first)
		}
	}
}

// TestNoSeek checks that a file without random access is split into only a few parts.
func TestNoSeek(t *testing.T) {
	s := &scanFn{}
	whole := offsetrange.Restriction{End: 100 * splitSize}
	if n := len(s.SplitRestriction(Source{Text: true, Size: whole.End}, whole)); n != maxPasses {
		t.Errorf("%d parts", n)
	}
	if n := len(s.SplitRestriction(Source{Text: true, Seek: true, Size: whole.End}, whole)); n != 100 {
		t.Errorf("%d parts of a file", n)
	}
	if n := len(s.SplitRestriction(Source{Size: whole.End}, s.CreateInitialRestriction(Source{Size: whole.End}))); n != 1 {
		t.Errorf("%d parts of a compressed file", n)
	}
}
