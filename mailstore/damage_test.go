package mailstore

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// damagedStore returns a store with an index, and the index's octets.
func damagedStore(t *testing.T) (dir string, octets []byte) {
	t.Helper()
	dir = t.TempDir()
	write(t, filepath.Join(dir, "mail", "mbox"), "")
	writeMbox(t, filepath.Join(dir, "mail", "mbox"), 300)
	for i := range 100 {
		write(t, filepath.Join(dir, "mail", "files", fmt.Sprint(i)), messageText(fmt.Sprintf("file%d@a", i), "x"))
	}
	s, _ := openStore(t, filepath.Join(dir, "cache"), filepath.Join(dir, "mail"))
	checkRefresh(t, s, 400)
	octets, err := os.ReadFile(s.index.Path)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.index.Lock(); err != nil {
		t.Fatal(err)
	}
	s.index.Doubt()
	if err := errors.Join(s.index.Verify(), s.index.Unlock()); err != nil {
		t.Fatal(err)
	}
	return dir, octets
}

// checkAnswers checks that every answer of a store is correct with the given index.
func checkAnswers(t *testing.T, what, dir string, octets []byte) *notes {
	t.Helper()
	s, n := openStore(t, filepath.Join(dir, "cache"), filepath.Join(dir, "mail"))
	if err := os.WriteFile(s.index.Path, octets, 0o600); err != nil {
		t.Fatal(err)
	}
	for i := 0; i < 300; i += 7 {
		if list, err := s.Find(t.Context(), id(i)); len(list) != 1 || err != nil {
			t.Fatalf("%s: %d: %v, %v; %q", what, i, list, err, n.list)
		}
	}
	for i := 0; i < 100; i += 7 {
		checkFind(t, s, fmt.Sprintf("file%d@a", i), "x", filepath.Join(dir, "mail", "files", fmt.Sprint(i)))
	}
	checkFind(t, s, "nobody@a", "")
	return n
}

func TestDamagedIndex(t *testing.T) {
	dir, whole := damagedStore(t)
	if n := checkAnswers(t, "whole", dir, whole); len(n.list) > 0 {
		t.Errorf("%q", n.list)
	}
	for _, version := range []string{"", "locus mailstore 0"} {
		other := newIndex(filepath.Join(dir, "other"+version), 0)
		if other.Version = version; version == "" {
			other.Buckets = []string{"foreign"}
		}
		if _, err := other.Open(); err != nil {
			t.Fatal(err)
		}
		if err := other.Unlock(); err != nil {
			t.Fatal(err)
		}
		octets, err := os.ReadFile(other.Path)
		if err != nil {
			t.Fatal(err)
		}
		if n := checkAnswers(t, "of another program", dir, octets); !n.hasNote("set aside") {
			t.Errorf("%q", n.list)
		}
	}
	for name, octets := range map[string][]byte{
		"garbage":  []byte(strings.Repeat("garbage ", 10_000)),
		"short":    []byte("short"),
		"a page":   whole[:4096],
		"half":     whole[:len(whole)/2/4096*4096],
		"cut":      whole[:len(whole)/2+17],
		"all zero": make([]byte, len(whole)),
	} {
		if n := checkAnswers(t, name, dir, octets); !n.hasNote("set aside") {
			t.Errorf("%s: %q", name, n.list)
		}
	}
	if _, err := filepath.Glob(filepath.Join(dir, "cache", "*.damaged")); err != nil {
		t.Error(err)
	}
	if n := checkAnswers(t, "empty", dir, nil); len(n.list) > 0 {
		t.Errorf("%q", n.list)
	}
}

// A damaged lock file must be replaced, like the index.
func TestDamagedLock(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mbox")
	write(t, path, inMbox("1@a", "one"))
	s, _ := openStore(t, filepath.Join(dir, "cache"), path)
	write(t, s.index.Path+".lock", "garbage")
	checkFind(t, s, "1@a", "one", path)
	write(t, s.index.Path+".lock", "garbage")
	if err := s.Rebuild(t.Context(), nil); err != nil {
		t.Error(err)
	}
}

// Whatever octets are changed, no answer may be wrong, and nothing may panic or hang.
func TestRandomDamage(t *testing.T) {
	dir, whole := damagedStore(t)
	rounds := 60
	if testing.Short() {
		rounds = 20
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(1738, uint64(round)))
		octets := append([]byte(nil), whole...)
		switch round % 3 {
		case 0: // a few octets
			for range 1 + r.IntN(20) {
				octets[r.IntN(len(octets))] = byte(r.IntN(256))
			}
		case 1: // a page's header
			page := r.IntN(len(octets)/4096) * 4096
			for range 1 + r.IntN(4) {
				octets[page+r.IntN(64)] = byte(r.IntN(256))
			}
		case 2: // a piece from another offset
			n := r.IntN(8192)
			copy(octets[r.IntN(len(octets)-n):], whole[r.IntN(len(octets)-n):][:n])
		}
		checkAnswers(t, fmt.Sprint("round ", round), dir, octets)
	}
}
