package store

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"go.etcd.io/bbolt"

	"github.com/locus-url/locus/internal/filelock"
)

func testFile(dir string) *File {
	return &File{Path: filepath.Join(dir, "test.db"), Version: "test 1", Buckets: []string{"a", "b"}, Wait: 10 * time.Millisecond}
}

// fill writes entries 0 to n-1.
func fill(t *testing.T, f *File, n int) {
	t.Helper()
	err := f.Update(func(tx *bbolt.Tx) error {
		for i := range n {
			key := binary.BigEndian.AppendUint32(nil, uint32(i))
			if err := tx.Bucket([]byte("a")).Put(key, bytes.Repeat(key, 1+i%50)); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// countEntries returns the number of entries.
func countEntries(f *File) (n int, err error) {
	err = f.View(func(tx *bbolt.Tx) error {
		return tx.Bucket([]byte("a")).ForEach(func(k, v []byte) error {
			n++
			return nil
		})
	})
	return n, err
}

func open(t *testing.T, f *File) (damage error) {
	t.Helper()
	damage, err := f.Open()
	if err != nil {
		t.Fatal(err)
	}
	return damage
}

func unlock(t *testing.T, f *File) {
	t.Helper()
	if err := f.Unlock(); err != nil {
		t.Fatal(err)
	}
}

func has(t *testing.T, f *File, want int) {
	t.Helper()
	if n, err := countEntries(f); n != want || err != nil {
		t.Errorf("%d entries, want %d; %v", n, want, err)
	}
}

func TestOpen(t *testing.T) {
	f := testFile(t.TempDir())
	if _, err := countEntries(f); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("without a file: %v", err)
	}
	for round := range 3 {
		if damage := open(t, f); damage != nil {
			t.Errorf("round %d: %v", round, damage)
		}
		fill(t, f, 100)
		has(t, f, 100)
		unlock(t, f)
		has(t, f, 100) // the caller does not hold the lock
	}
	f.Version = "test 2"
	if damage := open(t, f); !errors.Is(damage, ErrDamaged) {
		t.Errorf("another version: %v", damage)
	}
	has(t, f, 0)
	unlock(t, f)
	f.Check = func(*bbolt.Tx) error { return fmt.Errorf("%w: by the caller", ErrDamaged) }
	if _, err := f.Open(); err != nil && !errors.Is(err, ErrDamaged) {
		t.Errorf("%v", err)
	}
}

// Between two updates other processes may read.
func TestUpdateWithoutOpen(t *testing.T) {
	dir := t.TempDir()
	f, other := testFile(dir), testFile(dir)
	if err := f.Lock(); err != nil {
		t.Fatal(err)
	}
	for n := 1; n < 4; n++ {
		if err := f.Verify(); err != nil {
			t.Fatal(err)
		}
		fill(t, f, n*100)
		has(t, other, n*100)
	}
	unlock(t, f)
	if err := other.Lock(); err != nil {
		t.Fatal(err)
	}
	if err := other.Verify(); err != nil {
		t.Error(err)
	}
	if other.state.State != stateClean {
		t.Errorf("the state is %q", other.state.State)
	}
	if err := other.Remove(); err != nil {
		t.Error(err)
	}
	unlock(t, other)
}

func TestBusy(t *testing.T) {
	dir := t.TempDir()
	f, other := testFile(dir), testFile(dir)
	open(t, f)
	_, err := other.Open()
	var busy *BusyError
	if !errors.Is(err, ErrBusy) || !errors.As(err, &busy) || busy.Process != os.Getpid() || !strings.Contains(err.Error(), fmt.Sprint(os.Getpid())) {
		t.Errorf("%v", err)
	}
	if err := f.Lock(); !errors.Is(err, ErrBusy) {
		t.Errorf("locked twice: %v", err)
	}
	unlock(t, f)
	open(t, other)
	unlock(t, other)
	if _, err := (&File{Path: filepath.Join(f.Path, "below")}).Open(); err == nil || errors.Is(err, ErrDamaged) || errors.Is(err, ErrBusy) {
		t.Errorf("below a file: %v", err)
	}
}

// Whatever the lock file contains, it can be locked, and the database remains.
func TestLockFile(t *testing.T) {
	f := testFile(t.TempDir())
	open(t, f)
	fill(t, f, 10)
	unlock(t, f)
	for _, text := range []string{"", "garbage", strings.Repeat("x", 1<<16), "{}", `{"process":1}`} {
		write(t, f.Path+".lock", []byte(text))
		if damage := open(t, f); damage != nil {
			t.Errorf("%.10q: %v", text, damage)
		}
		if process := filelock.Process(f.lock); process != os.Getpid() {
			t.Errorf("%.10q: process %d", text, process)
		}
		has(t, f, 10)
		unlock(t, f)
	}
}

// forEachDamage calls fn with octets that differ from whole.
func forEachDamage(whole []byte, rounds int, fn func(name string, octets []byte)) {
	fn("garbage", bytes.Repeat([]byte("garbage "), 10_000))
	fn("short", []byte("short"))
	fn("a page", whole[:4096])
	fn("cut", whole[:len(whole)/2+17])
	fn("zeros", make([]byte, len(whole)))
	for at := 0; at < len(whole); at += 4096 {
		octets := bytes.Clone(whole)
		clear(octets[at : at+4096])
		if !bytes.Equal(octets, whole) {
			fn(fmt.Sprint("zeros at ", at), octets)
		}
	}
	for round := range rounds {
		r := rand.New(rand.NewPCG(1738, uint64(round)))
		octets := bytes.Clone(whole)
		switch round % 3 {
		case 0:
			for range 1 + r.IntN(20) {
				octets[r.IntN(len(octets))] ^= byte(1 + r.IntN(255))
			}
		case 1: // a page's header and first elements
			page := r.IntN(len(octets)/4096) * 4096
			for range 1 + r.IntN(4) {
				octets[page+r.IntN(64)] ^= byte(1 + r.IntN(255))
			}
		case 2: // a page at another offset
			copy(octets[r.IntN(len(octets)/4096)*4096:], whole[r.IntN(len(octets)/4096)*4096:][:4096])
		}
		if !bytes.Equal(octets, whole) {
			fn(fmt.Sprint("round ", round), octets)
		}
	}
}

// A clean file that has changed is set aside, and bbolt never sees it.
func TestDamage(t *testing.T) {
	dir := t.TempDir()
	f := testFile(dir)
	open(t, f)
	fill(t, f, 1000)
	unlock(t, f)
	whole, lock := read(t, f.Path), read(t, f.Path+".lock")
	forEachDamage(whole, 100, func(name string, octets []byte) {
		f := testFile(dir)
		write(t, f.Path, octets)
		write(t, f.Path+".lock", lock)
		if damage := open(t, f); !errors.Is(damage, ErrDamaged) {
			t.Errorf("%s: %v", name, damage)
		}
		has(t, f, 0)
		fill(t, f, 10)
		has(t, f, 10)
		unlock(t, f)
		if got := read(t, f.Path+".damaged"); !bytes.Equal(got, octets) {
			t.Errorf("%s: another file was set aside", name)
		}
	})
}

const childEnv = "LOCUS_TEST_STORE"

// child opens a database after its last process was killed, and writes to it.
func child(t *testing.T, path string) {
	debug.SetMaxStack(16 << 20) // makes the stack overflow sooner
	f := testFile(filepath.Dir(path))
	open(t, f)
	err := f.Update(func(tx *bbolt.Tx) error { return tx.Bucket([]byte("a")).Put([]byte("key"), []byte("value")) })
	if err != nil && !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	if err := f.Unlock(); err != nil && !errors.Is(err, ErrDamaged) {
		t.Error(err)
	}
	if err == nil {
		return
	}
	if damage := open(t, f); damage == nil {
		t.Error("what could not be written is not taken as damaged")
	}
	unlock(t, f)
}

// A file may be damaged and not closed if its process was killed and the disk failed. Such
// a file may end the process that checks it, but only one process.
func TestDamageAfterKill(t *testing.T) {
	if path := os.Getenv(childEnv); path != "" {
		child(t, path)
		return
	}
	dir := t.TempDir()
	f := testFile(dir)
	open(t, f)
	fill(t, f, 1000)
	unlock(t, f)
	whole := read(t, f.Path)
	run := func() error {
		cmd := exec.Command(os.Args[0], "-test.run", "^TestDamageAfterKill$")
		cmd.Env = append(os.Environ(), childEnv+"="+f.Path)
		return cmd.Run()
	}
	for round := range 10 {
		r := rand.New(rand.NewPCG(1739, uint64(round)))
		octets := bytes.Clone(whole)
		page := r.IntN(len(octets)/4096) * 4096
		for range 1 + r.IntN(4) {
			octets[page+r.IntN(64)] ^= byte(1 + r.IntN(255))
		}
		write(t, f.Path, octets)
		write(t, f.Path+".lock", nil)
		if run() != nil {
			t.Logf("round %d ends the process", round)
			if err := run(); err != nil {
				t.Errorf("round %d ends the next one, too: %v", round, err)
			}
		}
	}
	// The state is as after a process that ended during its check.
	write(t, f.Path, whole)
	write(t, f.Path+".lock", []byte(`{"process":1,"state":"trial"}`))
	if damage := open(t, f); !errors.Is(damage, ErrDamaged) {
		t.Errorf("checked again: %v", damage)
	}
	has(t, f, 0)
	unlock(t, f)
}

func read(t *testing.T, path string) []byte {
	t.Helper()
	octets, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return octets
}

func write(t *testing.T, path string, octets []byte) {
	t.Helper()
	if err := os.WriteFile(path, octets, 0o600); err != nil {
		t.Fatal(err)
	}
}
