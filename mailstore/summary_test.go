package mailstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/store"
)

// The index must count each message once, without removed ones.
func TestSummary(t *testing.T) {
	dir, cache := t.TempDir(), t.TempDir()
	write := func(name, octets string) {
		t.Helper()
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(octets), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	var mbox strings.Builder
	for i := range 2500 {
		fmt.Fprintf(&mbox, "From a@h Thu Dec  1 10:30:00 1994\nMessage-ID: <%d@h>\n\nx\n\n", i)
	}
	write("mbox", mbox.String())
	write("box/new/1", "Message-ID: <new@h>\n\nx\n")
	write("box/cur/2:2,S", "Message-ID: <cur@h>\n\nx\n")
	write("one.eml", "Message-ID: <one@h>\n\nx\n")
	write("no.eml", "Subject: it has none\n\nx\n")
	write("no.txt", "no message\n")

	var last Progress
	calls := 0
	s, err := Open(t.Context(), Options{Sources: []string{dir}, Cache: cache, Progress: func(p Progress) {
		last = p
		calls++
	}})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	want := func(n int64) {
		t.Helper()
		sum, err := s.Summary()
		if err != nil || sum.Messages != n || filepath.Dir(sum.Path) != cache || (sum.Size > 0) != (n > 0) {
			t.Errorf("%+v, %v, want %d messages", sum, err, n)
		}
	}
	want(0)
	// Find must report the progress of indexing, too.
	if list, err := s.Find(t.Context(), "one@h"); err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	want(2503)
	if calls < 3 || last.Messages < 2503 || last.Octets != int64(mbox.Len()) {
		t.Errorf("%d calls, %+v", calls, last)
	}
	if err := os.Remove(filepath.Join(dir, "one.eml")); err != nil {
		t.Fatal(err)
	}
	write("mbox", "From a@h Thu Dec  1 10:30:00 1994\nMessage-ID: <only@h>\n\nx\n\n")
	own := 0
	before := calls
	if err := s.Refresh(t.Context(), func(Progress) { own++ }); err != nil {
		t.Fatal(err)
	}
	want(3)
	if own == 0 || calls != before {
		t.Errorf("%d and %d calls", own, calls-before)
	}
	sum, _ := s.Summary()
	if err := os.WriteFile(sum.Path, []byte("damaged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Summary(); !errors.Is(err, store.ErrDamaged) {
		t.Error(err)
	}
}

// A message with several identifiers must count once, and a message without one must not count.
// The old messages of an mbox are not new when it grows.
func TestSummaryCounts(t *testing.T) {
	dir := t.TempDir()
	box := filepath.Join(dir, "mail", "box")
	text := inMbox("1@a", "one") +
		from + "Message-ID: (old <x@y>) <real@id>\n\nbody\n\n" +
		from + "Message-ID: <two@a>\nMessage-ID: <two-b@a>\n\nbody\n\n" +
		from + "Message-ID: <three@a> <three-b@a>\n\nbody\n\n" +
		from + "Subject: none\n\nbody\n\n"
	write(t, box, text)
	write(t, filepath.Join(dir, "mail", "a.eml"), "From: a@b\nMessage-ID: <four@a> <four-b@a>\n\nbody\n")
	write(t, filepath.Join(dir, "mail", "b.eml"), "From: a@b\nSubject: none\n\nbody\n")
	s, err := Open(t.Context(), Options{Sources: []string{filepath.Join(dir, "mail")}, Cache: filepath.Join(dir, "cache")})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	counts := func(messages, read, added, without int64) {
		t.Helper()
		var p Progress
		if err := s.Refresh(t.Context(), func(now Progress) { p = now }); err != nil {
			t.Fatal(err)
		}
		sum, err := s.Summary()
		if err != nil || sum.Messages != messages || p.Messages != read || p.New != added || p.WithoutID != without {
			t.Errorf("%d messages, %+v, %v; want %d, read %d, new %d, without an identifier %d", sum.Messages, p, err, messages, read, added, without)
		}
	}
	counts(5, 7, 5, 2)
	counts(5, 0, 0, 0)
	text += inMbox("5@a", "five")
	write(t, box, text)
	counts(6, 2, 1, 1) // the last old message has no identifier
	write(t, box, text+inMbox("6@a", "six"))
	counts(7, 2, 1, 0)
	for id, want := range map[string]int{"real@id": 1, "x@y": 0, "two-b@a": 1, "three-b@a": 1} {
		if list, err := s.Find(t.Context(), id); err != nil || len(list) != want {
			t.Errorf("%s: %v, %v; want %d", id, list, err, want)
		}
	}
}
