package mailstore

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What the index knows is counted: without what is gone, and each message once.
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
	// Whoever looks something up is told of the indexing, too.
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
	if _, err := s.Summary(); !errors.Is(err, errDamaged) {
		t.Error(err)
	}
}
