package mailstore

import (
	"bufio"
	"fmt"
	"os"
	"path/filepath"
	"testing"
)

// messageCount is the number of messages in the benchmarks.
const messageCount = 100_000

// writeMbox writes an mbox of n messages. Message i has the identifier id(i).
func writeMbox(b testing.TB, path string, n int) {
	b.Helper()
	f, err := os.Create(path)
	if err != nil {
		b.Fatal(err)
	}
	w := bufio.NewWriterSize(f, 1<<20)
	for i := range n {
		fmt.Fprintf(w, "From joe@host.dom Sat Jan  3 01:05:34 1996\nReceived: from a.dom by b.dom; Sat, 3 Jan 1996 01:05:34 +0000\n"+
			"From: Joe <joe@host.dom>\nTo: list@host.dom\nSubject: message %d\nDate: Sat, 3 Jan 1996 01:05:34 +0000\nMessage-ID: <%s>\n\n", i, id(i))
		for range 12 {
			w.WriteString("One line of a message that is as long as lines of messages are.\n")
		}
		w.WriteString(">From here on nothing is said.\n\n")
	}
	if err := w.Flush(); err != nil {
		b.Fatal(err)
	}
	if err := f.Close(); err != nil {
		b.Fatal(err)
	}
}

func id(i int) string { return fmt.Sprintf("%d.%d@host.dom", i*7919%1_000_003, i) }

func BenchmarkIndex(b *testing.B) {
	dir := b.TempDir()
	writeMbox(b, filepath.Join(dir, "mbox"), messageCount)
	for b.Loop() {
		s, err := Open(b.Context(), Options{Sources: []string{filepath.Join(dir, "mbox")}, Cache: b.TempDir()})
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Refresh(b.Context(), nil); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(messageCount)*float64(b.N)/b.Elapsed().Seconds(), "messages/s")
}

func BenchmarkFind(b *testing.B) {
	dir := b.TempDir()
	writeMbox(b, filepath.Join(dir, "mbox"), messageCount)
	s, err := Open(b.Context(), Options{Sources: []string{filepath.Join(dir, "mbox")}, Cache: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Refresh(b.Context(), nil); err != nil {
		b.Fatal(err)
	}
	i := 0
	for b.Loop() {
		i = (i + 104729) % messageCount
		if list, err := s.Find(b.Context(), id(i)); err != nil || len(list) != 1 {
			b.Fatalf("%s: %v, %v", id(i), list, err)
		}
	}
}

// If an identifier is missing, Find reads the files that have changed.
func BenchmarkFindNothing(b *testing.B) {
	dir := b.TempDir()
	writeMbox(b, filepath.Join(dir, "mbox"), messageCount)
	s, err := Open(b.Context(), Options{Sources: []string{filepath.Join(dir, "mbox")}, Cache: b.TempDir()})
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		if list, err := s.Find(b.Context(), "nobody@host.dom"); err != nil || len(list) != 0 {
			b.Fatalf("%v, %v", list, err)
		}
	}
}
