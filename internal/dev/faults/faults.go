// Package faults tests what is kept on disk against what happens to disks and processes:
// a kill, a full disk, a folder that can't be written, no file descriptors, clocks that
// jump, two processes at once, damaged bytes. A package that keeps something calls [Run]
// from a test named TestFaults, with a [Driver]; a test here finds the packages that do
// not.
//
// After each fault the store opens, repairs itself or refuses, with a message that says
// which file and why. It loses nothing that it acknowledged, and never gives anything
// wrong.
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

// Fault is a row of the matrix, and the name of a subtest.
type Fault string

const (
	Kill        Fault = "kill"        // SIGKILL at any moment
	Full        Fault = "full"        // a full disk
	ReadOnly    Fault = "read-only"   // a folder that the user can't write
	Descriptors Fault = "descriptors" // no file descriptors
	Clock       Fault = "clock"       // a clock that jumps, and files from the future and the past
	Two         Fault = "two"         // two processes at once
	Damage      Fault = "damage"      // bytes that changed
)

// All are the faults, in the order in which they are run.
var all = []struct {
	fault Fault
	run   func(t *testing.T, d *Driver)
}{
	{Kill, kill}, {Full, full}, {ReadOnly, readOnly}, {Descriptors, descriptors}, {Clock, clock}, {Two, two}, {Damage, damage},
}

// Promise says when an entry is acknowledged: from then on it must be found.
type Promise int

const (
	AtPut   Promise = iota // Put has returned nil
	AtClose                // Close has returned nil
	Never                  // a cache: it may forget, but not be wrong
	Always                 // an index of what is elsewhere: every entry is found, put or not
)

// Store is an open store of entries, which are numbered from 0. Each test uses it from
// one goroutine.
type Store interface {
	// Put stores entry i.
	Put(i int) error
	// Get looks for entry i. The error wraps [ErrWrong] if something else was found.
	Get(i int) (found bool, err error)
	Close() error
}

// ErrWrong is wrapped by an error of Get if the store gave something that was not put.
var ErrWrong = errors.New("wrong content")

// Driver opens the stores of one kind.
type Driver struct {
	// Open opens the store in a folder, which exists, and creates it if it is missing.
	Open func(dir string) (Store, error)
	// Promise is that of Put.
	Promise Promise
	// Shared is true if several processes may have the store open. Otherwise the error of
	// Open says that another process has it, or which.
	Shared bool
	// Entries is how many entries fill a store for a test; 0: 60.
	Entries int
	// Room is the size of the disk that becomes full, in bytes; 0: 256 KiB.
	DiskSpace int
	// IsInput reports whether a file, named from the folder, is not the store's but the
	// caller's. It is not damaged. nil: none is.
	IsInput func(name string) bool
	// Litter are patterns of the base names of temporary files. None of them may remain
	// after a kill and another run.
	Litter []string
	// Silent is true if damage to a byte may change an entry without anybody noticing: a
	// file that users edit. Then Get may miss entries, but not fail.
	Silent bool
	// Cannot has the faults that can't occur, each with the reason.
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

// Run runs the column of a store: with CI=true all of it, otherwise few of the kills and
// of the damages. It must be called by a test that has no other content,
// because the test is run again in processes that are killed.
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

// thorough reports whether a test may take minutes: with CI=true, and without -short.
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

// check opens the store and looks for each entry below end. The entries that isThere
// reports must be found, and the store must take another one.
func check(t *testing.T, d *Driver, dir string, end int, isThere func(i int) bool) {
	t.Helper()
	s, err := d.Open(dir)
	if err != nil {
		t.Errorf("it does not open: %v", err)
		return
	}
	look(t, d, s, end, isThere)
	another(t, d, s, end)
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if s, err = d.Open(dir); err != nil {
		t.Errorf("it does not open again: %v", err)
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

// another stores an entry and looks for it.
func another(t *testing.T, d *Driver, s Store, i int) {
	t.Helper()
	if err := s.Put(i); err != nil {
		t.Errorf("it takes no other entry: %v", err)
		return
	}
	if found, err := s.Get(i); err != nil || !found && d.Promise == AtPut {
		t.Errorf("another entry: %v, %v", found, err)
	}
}

func everything(int) bool { return true }
func nothing(int) bool    { return false }

// files returns the store's own files, named from dir.
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

// says checks that a message names a file of the store and has no text of package runtime.
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

// allocated returns how many bytes f allocates.
func allocated(f func()) uint64 {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc
}
