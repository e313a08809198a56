package mailstore

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/locus-url/locus/internal/dev/faults"
)

// faultVar names the directory of the mail, for all processes of the test.
const faultVar = "LOCUS_TEST_MAIL"

// faultMessages is the number of messages in the mbox, and faultFiles is the number of files.
// Message numbers wrap around.
const faultMessages, faultFiles = 300, 30

// faultIndex is a mail index, tested as a store. Find must return every message despite any
// fault of the index.
type faultIndex struct{ *Store }

// Put rebuilds the index, or finds a message.
func (s faultIndex) Put(i int) error {
	if i%3 == 0 {
		return s.Rebuild(context.Background(), nil)
	}
	_, err := s.Get(i)
	return err
}

func (s faultIndex) Get(i int) (bool, error) {
	if found, err := s.finds(id(i % faultMessages)); !found || err != nil {
		return found, err
	}
	return s.finds(faultFile(i))
}

func faultFile(i int) string { return fmt.Sprintf("file%d@a", i%faultFiles) }

func (s faultIndex) finds(want string) (bool, error) {
	list, err := s.Find(context.Background(), want)
	if err != nil {
		return false, err
	}
	for _, l := range list {
		m, err := s.Open(l)
		if err != nil {
			return true, err
		}
		m.Close()
		if l.MessageID != want {
			return true, fmt.Errorf("%w: %s", faults.ErrWrong, l)
		}
	}
	return len(list) == 1, nil
}

func TestFaults(t *testing.T) {
	if os.Getenv(faultVar) == "" {
		dir := t.TempDir()
		t.Setenv(faultVar, dir)
		write(t, filepath.Join(dir, "mail", "mbox"), "")
		writeMbox(t, filepath.Join(dir, "mail", "mbox"), faultMessages)
		for i := range faultFiles {
			write(t, filepath.Join(dir, "mail", "files", fmt.Sprint(i)), messageText(faultFile(i), "x"))
		}
		readable(t, dir)
	}
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			s, err := Open(context.Background(), Options{Cache: dir, Sources: []string{filepath.Join(os.Getenv(faultVar), "mail")}})
			if err != nil {
				return nil, err
			}
			s.batch = 50
			return faultIndex{s}, nil
		},
		Promise:   faults.Always,
		Shared:    true,
		Entries:   30,
		DiskSpace: 24 << 10,
	})
}

// readable lets every user read a directory of a test.
func readable(t *testing.T, dir string) {
	t.Helper()
	for _, name := range []string{filepath.Dir(dir), dir} {
		if err := os.Chmod(name, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	err := filepath.WalkDir(filepath.Join(dir, "mail"), func(name string, e fs.DirEntry, err error) error {
		if err == nil {
			err = os.Chmod(name, 0o755)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}
