package ftp

import (
	"fmt"
	"maps"
	"os"
	"path"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/scheme"
)

// foreignLine is a row of a table in testdata/foreign. It contains a line of a listing, and
// the entry that another program reads from the line.
type foreignLine struct {
	place       string // file:line
	verb        string // LIST or MLSD
	text        string
	name        string
	kind        scheme.ItemKind
	size, stamp string
}

func foreignLines(t testing.TB, file string) (list []foreignLine) {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for text := range strings.SplitSeq(strings.TrimSuffix(string(b), "\n"), "\n") {
		if n++; strings.HasPrefix(text, "#") {
			continue
		}
		f := strings.Split(text, " | ")
		if len(f) != 6 {
			t.Fatalf("%s:%d: %d fields", file, n, len(f))
		}
		l := foreignLine{place: fmt.Sprintf("%s:%d", path.Base(file), n), verb: f[0], size: f[4], stamp: f[5]}
		l.kind = map[string]scheme.ItemKind{"file": scheme.KindObject, "dir": scheme.KindMenu, "link": scheme.KindUnknown}[f[3]]
		if l.text, err = strconv.Unquote(f[1]); err == nil {
			l.name, err = strconv.Unquote(f[2])
		}
		if err != nil {
			t.Fatalf("%s: %v", l.place, err)
		}
		list = append(list, l)
	}
	return list
}

// read returns the entry that this package reads from the line.
func (l foreignLine) read(now time.Time) scheme.Item {
	for text := range strings.SplitSeq(l.text, "\r\n") {
		parse := parseMLSD
		if l.verb == "LIST" {
			parse = func(text string) (scheme.Item, bool) { return parseLIST(text, now) }
		}
		if e, ok := parse(text); ok && e.Title != "" {
			return e
		}
	}
	return scheme.Item{}
}

// differences returns the fields in which the entry e differs from that of the other program.
// It does not compare the sizes of directories and links, because this package does not return
// them.
func (l foreignLine) differences(e scheme.Item) (list []string) {
	switch {
	case e.Title == "" && l.name != "":
		return []string{"unread"}
	case l.name == "" && e.Title != "":
		return []string{"read"}
	case l.name == "":
		return nil
	}
	stamp := "-"
	if !e.ModTime.IsZero() {
		stamp = e.ModTime.Format("2006-01-02T15:04:05")
	}
	for _, f := range []struct {
		name string
		same bool
	}{
		{"name", e.Title == l.name},
		{"kind", e.Kind == l.kind},
		{"size", l.kind != scheme.KindObject || fmt.Sprint(e.Size) == l.size},
		{"time", l.stamp == "?" || stamp == l.stamp},
	} {
		if !f.same {
			list = append(list, f.name)
		}
	}
	return list
}

// TestForeignListings runs the parsers on the test data of other programs. The file
// expected_differences.txt must contain a line with a reason for each difference.
func TestForeignListings(t *testing.T) {
	want := map[string]bool{}
	b, err := os.ReadFile("testdata/foreign/expected_differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(string(b)) {
		difference, reason, ok := strings.Cut(strings.TrimSuffix(text, "\n"), " | ")
		if text[0] == '#' || strings.HasPrefix(text, "curl-") {
			continue
		}
		if !ok || reason == "" || want[difference] {
			t.Errorf("%q: without a reason, or twice", text)
		}
		want[difference] = true
	}
	lines := 0
	for file, now := range map[string]time.Time{
		"filezilla-listings.txt": time.Date(2026, 11, 20, 22, 0, 0, 0, time.UTC),
		"jlaffaye-listings.txt":  time.Date(2017, 3, 10, 23, 0, 0, 0, time.UTC),
	} {
		for _, l := range foreignLines(t, "testdata/foreign/"+file) {
			lines++
			e := l.read(now)
			for _, field := range l.differences(e) {
				difference := l.place + " " + field
				if !want[difference] {
					t.Errorf("%s: %q is read as %+v; want %+v", difference, l.text, e, l)
				}
				delete(want, difference)
			}
			if e.Title != "" && l.name != "" && e.Title != l.name {
				t.Errorf("%s: a wrong name, %q", l.place, e.Title)
			}
		}
	}
	for _, difference := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("%s: expected, and there is no such difference", difference)
	}
	if lines < 120 {
		t.Errorf("%d lines", lines)
	}
}
