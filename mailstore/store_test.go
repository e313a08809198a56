package mailstore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.etcd.io/bbolt"
	"go.uber.org/goleak"
)

const from = "From joe@host.dom Sat Jan  3 01:05:34 1996\n"

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// notes collects the notes of a store.
type notes struct {
	mu   sync.Mutex
	list []string
}

func (n *notes) add(err error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.list = append(n.list, err.Error())
}

// hasNote reports whether a note contains all of texts.
func (n *notes) hasNote(texts ...string) bool {
	n.mu.Lock()
	defer n.mu.Unlock()
	return slices.ContainsFunc(n.list, func(note string) bool {
		return !slices.ContainsFunc(texts, func(text string) bool { return !strings.Contains(note, text) })
	})
}

func openStore(t testing.TB, cache string, sources ...string) (*Store, *notes) {
	t.Helper()
	n := new(notes)
	s, err := Open(t.Context(), Options{Cache: cache, Sources: sources, Note: n.add})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s, n
}

func write(t testing.TB, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func appendTo(t testing.TB, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err == nil {
		_, err = f.WriteString(text)
	}
	if err != nil {
		t.Fatal(err)
	}
	f.Close()
}

// makeOld sets the modification time of a path to a time long ago.
func makeOld(t testing.TB, path string) {
	t.Helper()
	then := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func messageText(id, body string) string {
	return "From: joe@host.dom\nMessage-ID: <" + id + ">\n\n" + body + "\n"
}

func inMbox(id, body string) string { return from + messageText(id, body) + "\n" }

// checkFind checks that Find returns the given paths for the identifier, and that each message
// has the given body.
func checkFind(t testing.TB, s *Store, id, body string, paths ...string) {
	t.Helper()
	list, err := s.Find(t.Context(), id)
	if err != nil {
		t.Fatalf("%s: %v", id, err)
	}
	var got []string
	for _, l := range list {
		got = append(got, l.Path)
		m, err := s.Open(l)
		if err != nil {
			t.Fatalf("%s: %v", id, err)
		}
		text, err := io.ReadAll(m)
		if want := messageText(id, body); string(text) != want || err != nil {
			t.Errorf("%s: %q, %v; want %q", id, text, err, want)
		}
		if m.Close(); l.MessageID != id {
			t.Errorf("%s: found by %q", id, l.MessageID)
		}
	}
	if !slices.Equal(got, paths) {
		t.Errorf("%s: in %q, want %q", id, got, paths)
	}
}

// checkRefresh checks that the next refresh finds as many messages as want.
func checkRefresh(t testing.TB, s *Store, want int64) {
	t.Helper()
	got := int64(-1)
	if err := s.Refresh(t.Context(), func(p Progress) { got = p.Messages }); err != nil {
		t.Fatal(err)
	}
	if got != want {
		t.Errorf("%d messages are read, want %d", got, want)
	}
}

func TestSources(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write(t, at("mail/inbox"), inMbox("1@a", "one")+inMbox("2@a", "two"))
	write(t, at("mail/sub/deep/old.mbox"), inMbox("3@a", "three"))
	write(t, at("mail/one.eml"), messageText("4@a", "four"))
	write(t, at("mail/mh/17"), messageText("5@a", "five"))
	write(t, at("mail/Maildir/cur/1.a.host:2,S"), messageText("6@a", "six"))
	write(t, at("mail/Maildir/new/2.a.host"), messageText("7@a", "seven"))
	write(t, at("mail/Maildir/tmp/3.a.host"), messageText("no@a", "not yet delivered"))
	write(t, at("mail/Maildir/.Sent.2026/cur/4.a.host:2,"), messageText("8@a", "eight"))
	write(t, at("mail/Maildir/.Sent.2026/new/.hidden"), messageText("no@a", "hidden"))
	write(t, at("mail/Maildir/dovecot-uidlist"), "3 V1 N1\n")
	write(t, at("mail/notes.txt"), "To do: nothing\n")
	write(t, at("mail/empty"), "")
	write(t, at("mail/binary"), "\x00\x01\x02")
	write(t, at("lone.eml"), "\xFF: no header\n")
	write(t, at("single"), messageText("9@a", "nine"))
	write(t, at("box"), inMbox("10@a", "ten"))
	s, n := openStore(t, at("cache"), at("mail"), at("single"), at("box"), at("lone.eml"), at("missing"))
	for range 2 {
		checkFind(t, s, "1@a", "one", at("mail/inbox"))
		checkFind(t, s, "2@a", "two", at("mail/inbox"))
		checkFind(t, s, "3@a", "three", at("mail/sub/deep/old.mbox"))
		checkFind(t, s, "4@a", "four", at("mail/one.eml"))
		checkFind(t, s, "5@a", "five", at("mail/mh/17"))
		checkFind(t, s, "6@a", "six", at("mail/Maildir/cur/1.a.host:2,S"))
		checkFind(t, s, "7@a", "seven", at("mail/Maildir/new/2.a.host"))
		checkFind(t, s, "8@a", "eight", at("mail/Maildir/.Sent.2026/cur/4.a.host:2,"))
		checkFind(t, s, "9@a", "nine", at("single"))
		checkFind(t, s, "10@a", "ten", at("box"))
		checkFind(t, s, "no@a", "")
		checkFind(t, s, "", "")
		checkFind(t, s, "<>", "")
		// From here on, s is another store with the same index.
		s, _ = openStore(t, at("cache"), at("box"), at("lone.eml"), at("missing"), at("mail"), at("mail"), at("single"))
		checkRefresh(t, s, 0)
	}
	if !n.hasNote("missing") {
		t.Errorf("%q", n.list)
	}
	if list, err := s.Find(t.Context(), "<1@a>"); len(list) != 1 || err != nil {
		t.Errorf("with < and >: %v, %v", list, err)
	}
}

func TestNoSources(t *testing.T) {
	s, n := openStore(t, "")
	checkFind(t, s, "1@a", "")
	if !n.hasNote("temporary") {
		t.Errorf("%q", n.list)
	}
}

func TestSameIdentifier(t *testing.T) {
	dir := t.TempDir()
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	write(t, a, inMbox("1@a", "same")+inMbox("2@a", "x")+inMbox("1@a", "same"))
	write(t, b, messageText("1@a", "same"))
	s, _ := openStore(t, filepath.Join(dir, "cache"), b, a)
	checkFind(t, s, "1@a", "same", a, a, b)
	list, _ := s.Find(t.Context(), "1@a")
	if list[0].Offset != 0 || list[1].Offset <= 0 || !list[0].Mbox || list[2].Mbox || list[1].String() != fmt.Sprintf("%s at byte %d", a, list[1].Offset) || list[2].String() != b {
		t.Errorf("%v", list)
	}
	n := 0
	for m, err := range s.Messages(t.Context(), "1@a") {
		if err != nil {
			t.Fatal(err)
		}
		info, err := m.Stat()
		if err != nil || info.Size() != int64(len(messageText("1@a", "same"))) || info.IsDir() || info.Mode() != 0o400 || info.ModTime().IsZero() || info.Sys() != nil || info.Name() != filepath.Base(list[n].Path) {
			t.Errorf("%v, %v", info, err)
		}
		if n++; m.Close() != nil || n == 2 {
			break
		}
	}
	if n != 2 {
		t.Errorf("%d messages", n)
	}
}

// The number of messages with one identifier must be limited.
func TestManyOfOneIdentifier(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "a"), strings.Repeat(inMbox("1@a", "x"), maxFound+7))
	s, _ := openStore(t, filepath.Join(dir, "cache"), filepath.Join(dir, "a"))
	if list, err := s.Find(t.Context(), "1@a"); len(list) != maxFound || err != nil {
		t.Errorf("%d, %v", len(list), err)
	}
}

func TestMboxChanges(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mbox")
	long := strings.Repeat("x\n", headSize)
	write(t, path, inMbox("1@a", long)+inMbox("2@a", "two"))
	makeOld(t, path)
	s, _ := openStore(t, filepath.Join(dir, "cache"), path)
	checkRefresh(t, s, 2)
	checkRefresh(t, s, 0)

	// The mbox grows: the last message and the new part must be read.
	appendTo(t, path, inMbox("3@a", "three"))
	checkRefresh(t, s, 2)
	checkRefresh(t, s, 0)
	checkFind(t, s, "1@a", long, path)
	checkFind(t, s, "2@a", "two", path)
	checkFind(t, s, "3@a", "three", path)

	// The mbox was changed just now, but its modification time is set to long ago.
	makeOld(t, path)
	checkRefresh(t, s, 3) // another modification time, but the same size
	checkRefresh(t, s, 0)

	// The mbox is written again with one message less.
	write(t, path, inMbox("1@a", long)+inMbox("3@a", "three")+inMbox("4@a", "longer than what was there"))
	checkFind(t, s, "4@a", "longer than what was there", path)
	checkFind(t, s, "3@a", "three", path)
	checkFind(t, s, "2@a", "")
	checkFind(t, s, "1@a", long, path)

	// The file is overwritten with the same size.
	write(t, path, inMbox("1@b", long)+inMbox("3@b", "three")+inMbox("4@b", "longer than what was there"))
	checkFind(t, s, "1@a", "")
	checkFind(t, s, "1@b", long, path)
	checkFind(t, s, "3@b", "three", path)

	// Even if size and time are the same, the message's own Message-ID must decide.
	makeOld(t, path)
	checkRefresh(t, s, 3)
	info, _ := os.Stat(path)
	write(t, path, inMbox("1@b", long)+inMbox("3@c", "three")+inMbox("4@b", "longer than what was there"))
	if err := os.Chtimes(path, info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	checkFind(t, s, "3@b", "")
	checkFind(t, s, "3@c", "three", path)

	// The file is no longer an mbox, and is then removed.
	write(t, path, messageText("5@a", "five"))
	checkFind(t, s, "5@a", "five", path)
	checkFind(t, s, "1@b", "")
	write(t, path, inMbox("6@a", "six"))
	checkFind(t, s, "6@a", "six", path)
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	checkFind(t, s, "6@a", "")
	checkEmpty(t, s)
}

// checkEmpty checks that the index is empty.
func checkEmpty(t *testing.T, s *Store) {
	t.Helper()
	err := s.index.View(func(tx *bbolt.Tx) error {
		for _, name := range []string{bucketPlaces, bucketContainers, bucketFiles} {
			if key, value := tx.Bucket([]byte(name)).Cursor().First(); key != nil {
				t.Errorf("%s: %x is %q", name, key, value)
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// An mbox that is replaced during a refresh must be read again, even if its size or time
// suggests that it only grew or did not change.
func TestMboxRewritten(t *testing.T) {
	long := strings.Repeat("a line of the first message\n", 2*headSize/20)
	box := func(first, second, third string) string {
		return inMbox(first, long) + inMbox(second, "two") + inMbox(third, "three")
	}
	for name, test := range map[string]struct {
		text, id string
		same     bool // the time does not change
	}{
		"start":          {box("x@a", "2@a", "3@a") + inMbox("4@a", "four"), "x@a", false},
		"end":            {box("1@a", "x@a", "3@a") + inMbox("4@a", "four"), "x@a", false},
		"same size":      {box("1@a", "x@a", "3@a"), "x@a", false},
		"in that second": {box("1@a", "x@a", "3@a"), "x@a", true},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "mbox")
			// A time in the future must never count as old.
			soon := time.Now().Add(time.Hour)
			rewrite := func(text string, at time.Time) {
				write(t, path, text)
				if err := os.Chtimes(path, at, at); err != nil {
					t.Fatal(err)
				}
			}
			rewrite(box("1@a", "2@a", "3@a"), soon)
			s, _ := openStore(t, filepath.Join(dir, "cache"), path)
			checkRefresh(t, s, 3)
			if test.same {
				rewrite(test.text, soon)
			} else {
				rewrite(test.text, soon.Add(time.Minute))
			}
			if list, err := s.Find(t.Context(), test.id); len(list) != 1 || err != nil {
				t.Errorf("%v, %v", list, err)
			}
		})
	}
}

func TestMboxGrowsInTheMiddle(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mbox")
	whole := inMbox("1@a", "one") + inMbox("2@a", "two") + inMbox("3@a", "three")
	s, _ := openStore(t, filepath.Join(dir, "cache"), path)
	for n := 40; n < len(whole); n += 7 {
		write(t, path, whole[:n])
		if err := s.Refresh(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		appendTo(t, path, whole[n:])
		for id, body := range map[string]string{"1@a": "one", "2@a": "two", "3@a": "three"} {
			checkFind(t, s, id, body, path)
		}
	}
}

func TestCutMbox(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mbox")
	write(t, path, inMbox("1@a", "one")+from+"Message-ID: <2@a>\n\nthis is not al")
	s, _ := openStore(t, filepath.Join(dir, "cache"), path)
	for id, cut := range map[string]bool{"1@a": false, "2@a": true} {
		list, err := s.Find(t.Context(), id)
		if len(list) != 1 || err != nil {
			t.Fatalf("%v, %v", list, err)
		}
		m, err := s.Open(list[0])
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(m)
		if m.Cut != cut || err != nil || cut && string(text) != "Message-ID: <2@a>\n\nthis is not al" {
			t.Errorf("%s: cut: %v, %q, %v", id, m.Cut, text, err)
		}
		m.Close()
	}
}

func TestQuotes(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mbox")
	write(t, path, inMbox("1@a", ">From a\n>>From b\n>From c"))
	s, _ := openStore(t, filepath.Join(dir, "cache"), path)
	checkFind(t, s, "1@a", "From a\n>From b\nFrom c", path)
	list, _ := s.Find(t.Context(), "1@a")
	m, err := s.Open(list[0])
	if err != nil || m.Quoted != 2 {
		t.Fatalf("%v, %v", m, err)
	}
	m.Close()
}

func TestMaildirChanges(t *testing.T) {
	dir := t.TempDir()
	maildir := filepath.Join(dir, "Maildir")
	at := func(name string) string { return filepath.Join(maildir, filepath.FromSlash(name)) }
	rename := func(from, to string) {
		t.Helper()
		if err := os.Rename(at(from), at(to)); err != nil {
			t.Fatal(err)
		}
	}
	write(t, at("cur/1.host:2,"), messageText("1@a", "one"))
	write(t, at("new/2.host"), messageText("2@a", "two"))
	makeOld(t, at("cur"))
	makeOld(t, at("new"))
	s, _ := openStore(t, filepath.Join(dir, "cache"), maildir)
	checkRefresh(t, s, 2)
	checkRefresh(t, s, 0)
	checkFind(t, s, "2@a", "two", at("new/2.host"))

	list, err := s.Find(t.Context(), "2@a")
	if err != nil {
		t.Fatal(err)
	}
	rename("new/2.host", "cur/2.host:2,")
	if m, err := s.Open(list[0]); err != nil || m.Location.Path != at("cur/2.host:2,") {
		t.Errorf("%v, %v", m, err)
	} else {
		m.Close()
	}
	checkFind(t, s, "2@a", "two", at("cur/2.host:2,"))
	rename("cur/2.host:2,", "cur/2.host:2,S")
	checkFind(t, s, "2@a", "two", at("cur/2.host:2,S"))
	rename("cur/1.host:2,", "cur/1.host:2,RS")
	rename("cur/2.host:2,S", "cur/2.host:2,FS")
	checkFind(t, s, "1@a", "one", at("cur/1.host:2,RS"))
	checkFind(t, s, "2@a", "two", at("cur/2.host:2,FS"))

	write(t, at("new/3.host"), messageText("3@a", "three"))
	checkRefresh(t, s, 1)
	checkFind(t, s, "3@a", "three", at("new/3.host"))

	list, _ = s.Find(t.Context(), "1@a")
	if err := os.Remove(at("cur/1.host:2,RS")); err != nil {
		t.Fatal(err)
	}
	if m, err := s.Open(list[0]); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("%v, %v", m, err)
	}
	checkFind(t, s, "1@a", "")
	checkFind(t, s, "2@a", "two", at("cur/2.host:2,FS"))

	write(t, at(".Sent/cur/4.host:2,S"), messageText("4@a", "four"))
	if err := os.MkdirAll(at(".Sent/new"), 0o700); err != nil {
		t.Fatal(err)
	}
	checkFind(t, s, "4@a", "four", at(".Sent/cur/4.host:2,S"))
	if err := os.RemoveAll(maildir); err != nil {
		t.Fatal(err)
	}
	checkFind(t, s, "4@a", "")
	checkEmpty(t, s)
}

func TestFolderChanges(t *testing.T) {
	dir := t.TempDir()
	mail := filepath.Join(dir, "mail")
	at := func(name string) string { return filepath.Join(mail, name) }
	write(t, at("1"), messageText("1@a", "one"))
	write(t, at("other"), "nothing\n")
	s, _ := openStore(t, filepath.Join(dir, "cache"), mail)
	checkRefresh(t, s, 1)
	checkRefresh(t, s, 0)
	write(t, at("2"), messageText("2@a", "two"))
	write(t, at("other"), messageText("3@a", "no longer nothing"))
	checkRefresh(t, s, 2)
	checkFind(t, s, "3@a", "no longer nothing", at("other"))
	// The file is overwritten with the same size and modification time.
	info, _ := os.Stat(at("1"))
	write(t, at("1"), messageText("1@b", "one"))
	if err := os.Chtimes(at("1"), info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	checkFind(t, s, "1@a", "")
	checkFind(t, s, "1@b", "one", at("1"))
	checkFind(t, s, "2@a", "two", at("2"))
	if err := os.Remove(at("2")); err != nil {
		t.Fatal(err)
	}
	checkFind(t, s, "2@a", "")
	checkFind(t, s, "1@b", "one", at("1"))
}

// A message file may begin with a From_ line, which does not belong to the message.
func TestFromLineOfFile(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "Maildir", "cur", "1.host:2,")
	write(t, path, inMbox("1@a", ">From you"))
	if err := os.Mkdir(filepath.Join(dir, "Maildir", "new"), 0o700); err != nil {
		t.Fatal(err)
	}
	s, _ := openStore(t, "", dir)
	checkFind(t, s, "1@a", ">From you\n", path)
}

func TestSymlinks(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, filepath.FromSlash(name)) }
	write(t, at("mail/a/mbox"), inMbox("1@a", "one"))
	write(t, at("elsewhere/mbox"), inMbox("2@a", "two"))
	write(t, at("elsewhere/deep/3.eml"), messageText("3@a", "three"))
	write(t, at("else/4.eml"), messageText("4@a", "four"))
	for link, to := range map[string]string{
		"mail/a/loop": "..", "mail/a/self": "self", "mail/a/nowhere": "nothing", "mail/a/same": "mbox", "mail/b": "a",
		"mail/out": "../elsewhere", "mail/out2": "../elsewhere", "elsewhere/back": "../mail", "mail/4": "../else/4.eml", "mail/5": "../else/4.eml",
		"source": "mail", "elsewhere/up": "..",
	} {
		if err := os.Symlink(to, at(link)); err != nil {
			t.Skip(err)
		}
	}
	s, n := openStore(t, at("cache"), at("source"), at("mail"))
	checkFind(t, s, "1@a", "one", at("mail/a/mbox"))
	checkFind(t, s, "2@a", "two", at("elsewhere/mbox"))
	checkFind(t, s, "3@a", "three", at("elsewhere/deep/3.eml"))
	checkFind(t, s, "4@a", "four", at("else/4.eml"))
	for _, name := range []string{"a/loop", "a/self", "a/nowhere"} {
		if !n.hasNote(filepath.FromSlash(name)) {
			t.Errorf("nothing about %s: %q", name, n.list)
		}
	}
}

func TestDirectoryDepthLimit(t *testing.T) {
	dir := t.TempDir()
	deep := filepath.Join(dir, strings.Repeat("d/", maxDepth+2))
	write(t, filepath.Join(deep, "1.eml"), messageText("1@a", "one"))
	s, n := openStore(t, "", dir)
	checkFind(t, s, "1@a", "")
	if !n.hasNote("deep") {
		t.Errorf("%q", n.list)
	}
}

// Offsets of more than 32 bits must be correct. The large message is skipped by its
// Content-Length.
func TestLargeMbox(t *testing.T) {
	const size = int64(5) << 30
	dir := t.TempDir()
	path := filepath.Join(dir, "mbox")
	head := fmt.Sprintf("%sMessage-ID: <1@a>\nContent-Length: %d\n\n", from, size)
	write(t, path, head)
	end := int64(len(head)) + size
	err := os.Truncate(path, end)
	if err == nil {
		appendTo(t, path, "\n"+inMbox("2@a", "two"))
		var info fs.FileInfo
		info, err = os.Stat(path)
		if err == nil && info.Size() < end {
			err = errors.New("the file is too short")
		}
	}
	if err != nil {
		t.Skip(err)
	}
	s, _ := openStore(t, filepath.Join(dir, "cache"), path)
	checkFind(t, s, "2@a", "two", path)
	list, err := s.Find(t.Context(), "2@a")
	if err != nil || list[0].Offset != end+1 {
		t.Errorf("%v, %v", list, err)
	}
	if list, err := s.Find(t.Context(), "1@a"); err != nil || len(list) != 1 {
		t.Errorf("%v, %v", list, err)
	}
}

func TestTemporaryIndex(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "mbox"), inMbox("1@a", "one"))
	write(t, filepath.Join(dir, "file"), "")
	// A directory cannot be created below a file.
	s, n := openStore(t, filepath.Join(dir, "file", "cache"), filepath.Join(dir, "mbox"))
	checkFind(t, s, "1@a", "one", filepath.Join(dir, "mbox"))
	if !n.hasNote("temporary") {
		t.Errorf("%q", n.list)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(s.temporary); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the temporary index is there still: %v", err)
	}
}

// An index in a source must not be read as mail.
func TestIndexAmongMail(t *testing.T) {
	dir := t.TempDir()
	write(t, filepath.Join(dir, "mbox"), inMbox("1@a", "one"))
	s, _ := openStore(t, filepath.Join(dir, "cache"), dir)
	checkRefresh(t, s, 1)
	before, err := os.Stat(s.index.Path)
	if err != nil {
		t.Fatal(err)
	}
	checkRefresh(t, s, 0)
	if after, err := os.Stat(s.index.Path); err != nil || after.Size() != before.Size() || !after.ModTime().Equal(before.ModTime()) {
		t.Errorf("the index is written: %v, %v, %v", before, after, err)
	}
	s, _ = openStore(t, dir, dir)
	checkFind(t, s, "1@a", "one", filepath.Join(dir, "mbox"))
}

// An interrupted refresh must continue where it stopped.
func TestCanceledRefreshContinues(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mail", "mbox")
	write(t, path, "")
	writeMbox(t, path, 5000)
	for i := range 50 {
		write(t, filepath.Join(dir, "mail", "files", fmt.Sprint(i)), messageText(fmt.Sprintf("file%d@a", i), "x"))
	}
	s, _ := openStore(t, filepath.Join(dir, "cache"), filepath.Join(dir, "mail"))
	ctx, cancel := context.WithCancel(t.Context())
	err := s.Refresh(ctx, func(p Progress) {
		if p.Messages >= 3000 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	read := int64(0)
	if err := s.Refresh(t.Context(), func(p Progress) { read = p.Messages }); err != nil {
		t.Fatal(err)
	}
	if read > 2100 || read == 0 {
		t.Errorf("%d messages are read again", read)
	}
	for i := range 5000 {
		if list, err := s.Find(t.Context(), id(i)); len(list) != 1 || err != nil {
			t.Fatalf("%d: %v, %v", i, list, err)
		}
	}
	checkFind(t, s, "file49@a", "x", filepath.Join(dir, "mail", "files", "49"))
	if _, err := s.Find(ctx, "nobody@a"); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	if _, err := Open(ctx, Options{}); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

func TestBusy(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mbox")
	write(t, path, inMbox("1@a", "one"))
	s, err := open(t.Context(), Options{Cache: filepath.Join(dir, "cache"), Sources: []string{path}}, time.Millisecond)
	if err != nil {
		t.Fatal(err)
	}
	other, _ := openStore(t, filepath.Join(dir, "cache"), path)
	checkFind(t, s, "1@a", "one", path)
	appendTo(t, path, inMbox("2@a", "two"))
	if err := other.index.Lock(); err != nil {
		t.Fatal(err)
	}
	// Messages in the index must be found; others would have to be read.
	checkFind(t, s, "1@a", "one", path)
	if list, err := s.Find(t.Context(), "2@a"); !errors.Is(err, ErrBusy) {
		t.Errorf("%v, %v", list, err)
	}
	if err := other.index.Unlock(); err != nil {
		t.Fatal(err)
	}
	checkFind(t, s, "2@a", "two", path)
}

func TestConcurrent(t *testing.T) {
	dir := t.TempDir()
	path, cache := filepath.Join(dir, "mbox"), filepath.Join(dir, "cache")
	const n = 200
	writeMbox(t, path, n)
	a, _ := openStore(t, cache, path)
	b, _ := openStore(t, cache, path)
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			s := []*Store{a, b}[i%2]
			for j := i; j < n; j += 8 {
				list, err := s.Find(t.Context(), id(j))
				if len(list) != 1 || err != nil {
					t.Errorf("%d: %v, %v", j, list, err)
					return
				}
				m, err := s.Open(list[0])
				if err != nil {
					t.Error(err)
					return
				}
				if text, err := io.ReadAll(m); !strings.Contains(string(text), "\nFrom here on") || err != nil {
					t.Errorf("%d: %q, %v", j, text, err)
				}
				m.Close()
			}
			if i%4 == 0 {
				if err := s.Rebuild(t.Context(), nil); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
}

// If a Find has waited for a refresh that began after the call of Find, it must not start
// another refresh.
func TestRefreshOnce(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "mbox")
	write(t, path, inMbox("1@a", "one"))
	s, _ := openStore(t, filepath.Join(dir, "cache"), path)
	mark := s.refreshesBegun()
	checkRefresh(t, s, 1)
	for _, test := range []struct {
		options refreshOptions
		want    int
	}{
		{refreshOptions{since: mark}, 1},
		{refreshOptions{since: mark, reread: map[string]bool{path: true}}, 2},
		{refreshOptions{since: mark, rebuild: true}, 3},
		{refreshOptions{since: s.refreshesBegun() + 2}, 4},
	} {
		if err := s.refresh(t.Context(), nil, test.options); err != nil || s.refreshesBegun() != test.want {
			t.Errorf("%+v: %v, %d refreshes, want %d", test.options, err, s.refreshesBegun(), test.want)
		}
	}
}
