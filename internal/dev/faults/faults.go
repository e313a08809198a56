// Package faults tests stores on disk against system failures: a killed process, a full disk, a
// read-only directory, a lack of file descriptors, clock changes, concurrent processes and damaged
// bytes. A package with a store calls [Run] with a [Driver] from a test named TestFaults. A test
// in this package finds packages without this test.
//
// After each fault, the store must open, repair itself, or fail with a message that names the file
// and the reason. A store must not lose acknowledged entries or return wrong content.
package faults

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
)

// Fault is a kind of system failure. Its text is the name of the subtest.
type Fault string

const (
	Kill        Fault = "kill"        // SIGKILL at any moment
	Full        Fault = "full"        // a full disk
	ReadOnly    Fault = "read-only"   // a directory that the user can't write
	Descriptors Fault = "descriptors" // no free file descriptors
	Clock       Fault = "clock"       // files with past and future modification times
	Two         Fault = "two"         // two processes that open the store at the same time
	Damage      Fault = "damage"      // changed bytes
)

// all lists the faults in the order in which they run.
var all = []struct {
	fault Fault
	run   func(t *testing.T, d *Driver)
}{
	{Kill, kill}, {Full, full}, {ReadOnly, readOnly}, {Descriptors, descriptors}, {Clock, clock}, {Two, two}, {Damage, damage},
}

// Promise is the time at which a store acknowledges an entry. Later Get calls must find an
// acknowledged entry.
type Promise int

const (
	AtPut   Promise = iota // Put has returned nil
	AtClose                // Close has returned nil
	Never                  // for a cache, which may lose entries but must not return wrong content
	Always                 // for an index of other data, in which Get finds each entry even without Put
)

// Store is an open store of entries, numbered from 0. Each test uses it from one goroutine.
type Store interface {
	// Put stores entry i.
	Put(i int) error
	// Get looks up entry i. If the content of the entry is wrong, the error wraps [ErrWrong].
	Get(i int) (found bool, err error)
	Close() error
}

// ErrWrong reports that the store returned content that the test did not write.
var ErrWrong = errors.New("wrong content")

// Driver opens the stores of one kind.
type Driver struct {
	// Open opens the store in the existing directory dir. If the store is missing, Open
	// creates it.
	Open func(dir string) (Store, error)
	// Promise is the time at which the store acknowledges an entry.
	Promise Promise
	// Shared reports whether several processes may have the store open. If false, the error of
	// Open must report that another process uses the store.
	Shared bool
	// Entries is the number of entries in a store for a test. Zero means 60.
	Entries int
	// DiskSpace is the size of the disk that becomes full, in bytes. Zero means 256 KiB.
	DiskSpace int
	// IsInput reports whether a file belongs to the caller, not to the store. The name is
	// relative to the directory. The tests do not damage such a file. If IsInput is nil, all
	// files belong to the store.
	IsInput func(name string) bool
	// Litter lists patterns for the base names of temporary files. No such file may remain
	// after a kill and another run.
	Litter []string
	// Silent reports whether the store can't detect a changed byte, for example because users
	// may edit the file. If Silent is true, Get may miss entries after damage, but must not
	// fail.
	Silent bool
	// Cannot maps a fault that can't occur to the reason why it can't.
	Cannot map[Fault]string
}

func (d *Driver) entries() int {
	if d.Entries == 0 {
		return 60
	}
	return d.Entries
}

func (d *Driver) room() int {
	if d.DiskSpace == 0 {
		return 256 << 10
	}
	return d.DiskSpace
}

// Run tests a store with all faults. If the environment contains CI=true, Run tests all cases;
// otherwise it tests only some kills and some kinds of damage. The calling test must contain no
// other code, because Run starts the test again in child processes and kills them.
func Run(t *testing.T, d Driver) {
	if role := os.Getenv(roleVar); role != "" {
		if err := child(&d, role, os.Getenv(folderVar)); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	for _, f := range all {
		t.Run(string(f.fault), func(t *testing.T) {
			if reason := d.Cannot[f.fault]; reason != "" {
				t.Skip("cannot occur: " + reason)
			}
			f.run(t, &d)
		})
	}
}

// thorough reports whether a test may take minutes. This requires CI=true and no -short.
func thorough() bool { return os.Getenv("CI") == "true" && !testing.Short() }

// fill stores the first n entries.
func fill(t *testing.T, d *Driver, dir string, n int) {
	t.Helper()
	s, err := d.Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for i := range n {
		if err := s.Put(i); err != nil {
			t.Fatalf("entry %d: %v", i, err)
		}
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// check opens the store and looks up each entry with a number below the value of end. The store
// must contain an entry if the function isThere returns true for the entry number. The store must
// also accept a new entry.
func check(t *testing.T, d *Driver, dir string, end int, isThere func(i int) bool) {
	t.Helper()
	s, err := d.Open(dir)
	if err != nil {
		t.Errorf("open: %v", err)
		return
	}
	look(t, d, s, end, isThere)
	another(t, d, s, end)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if s, err = d.Open(dir); err != nil {
		t.Errorf("second open: %v", err)
		return
	}
	if found, err := s.Get(end); err != nil || !found && d.Promise != Never {
		t.Errorf("another entry, opened again: %v, %v", found, err)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

func look(t *testing.T, d *Driver, s Store, end int, isThere func(i int) bool) {
	t.Helper()
	for i := range end {
		found, err := s.Get(i)
		switch {
		case err != nil:
			t.Errorf("entry %d: %v", i, err)
		case !found && (d.Promise == Always || d.Promise != Never && isThere(i)):
			t.Errorf("entry %d is lost", i)
		}
	}
}

// another stores entry i and looks it up.
func another(t *testing.T, d *Driver, s Store, i int) {
	t.Helper()
	if err := s.Put(i); err != nil {
		t.Errorf("put another entry: %v", err)
		return
	}
	if found, err := s.Get(i); err != nil || !found && d.Promise == AtPut {
		t.Errorf("another entry: %v, %v", found, err)
	}
}

func everything(int) bool { return true }
func nothing(int) bool    { return false }

// files returns the files in the store, relative to dir.
func (d *Driver) files(t *testing.T, dir string) (names []string) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err != nil || !e.Type().IsRegular() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err == nil && (d.IsInput == nil || !d.IsInput(filepath.ToSlash(name))) {
			names = append(names, name)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}

// says checks the text of err. The text must name a file in the store, and must not contain text
// from package runtime.
func says(t *testing.T, dir string, err error) {
	t.Helper()
	text := err.Error()
	if strings.Contains(text, "\n") && !errors.Is(err, fs.ErrPermission) {
		t.Errorf("a message of several lines: %q", text)
	}
	if !strings.Contains(text, dir) && !strings.Contains(text, filepath.Base(dir)) {
		t.Errorf("a message that names no file: %q", text)
	}
	for _, bad := range []string{"runtime error", "index out of range", "nil pointer", "goroutine"} {
		if strings.Contains(text, bad) {
			t.Errorf("a message for programmers: %q", text)
		}
	}
}

// allocated returns the number of bytes that f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
