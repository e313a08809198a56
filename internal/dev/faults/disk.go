package faults

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// full fills a small disk, and then frees space.
func full(t *testing.T, d *Driver) {
	dir := folder(t)
	grow := smallDisk(t, dir, d.room())
	if grow == nil {
		fullForUser(t, d, dir)
		return
	}
	s, err := d.Open(dir)
	if err != nil { // the disk is too small for an empty store
		isFull(t, d, dir, err)
		grow()
		check(t, d, dir, 0, nothing)
		return
	}
	n, limit := 0, d.room()/256+200
	for ; n < limit && err == nil; n++ {
		err = s.Put(n)
	}
	acknowledged := n
	if err != nil {
		acknowledged = n - 1
		isFull(t, d, dir, err)
	} else {
		t.Logf("%d entries, and no error", n)
	}
	closed := s.Close()
	if closed != nil {
		isFull(t, d, dir, closed)
	}
	if err == nil && closed == nil && (d.Promise == AtPut || d.Promise == AtClose) {
		t.Errorf("the disk did not become full with %d entries", n)
	}
	if d.Promise == AtClose && (err != nil || closed != nil) {
		acknowledged = 0
	}
	// On the full disk, the store must open or return an error.
	if s, err = d.Open(dir); err != nil {
		isFull(t, d, dir, err)
	} else {
		for i := range n {
			found, err := s.Get(i)
			switch {
			case err != nil:
				isFull(t, d, dir, err)
			case !found && i < acknowledged && d.Promise != Never:
				t.Errorf("entry %d is lost while the disk is full", i)
			}
		}
		s.Close() // ignore the error, because Close may write to the full disk
	}
	grow()
	check(t, d, dir, n, func(i int) bool { return i < acknowledged })
}

// isFull checks the error from a full disk.
func isFull(t *testing.T, d *Driver, dir string, err error) {
	t.Helper()
	if !errors.Is(err, syscall.ENOSPC) {
		t.Errorf("not an error of a full disk: %v", err)
	}
	says(t, dir, err)
}

// fullForUser is the version of the test full for a process that is not permitted to mount a disk.
// It limits the size of each file instead.
func fullForUser(t *testing.T, d *Driver, dir string) {
	cmd, lines := start(t, roleSized+" "+strconv.Itoa(d.room()/2), dir, nil)
	texts := outcome(t, cmd, lines)
	n := 0
	for _, text := range texts {
		if rest, ok := strings.CutPrefix(text, "put "); ok {
			n, _ = strconv.Atoi(rest)
		}
	}
	check(t, d, dir, n, func(i int) bool { return d.Promise == AtPut })
}

// trySized limits the size of each file to the number of bytes in most, and then stores entries.
func trySized(d *Driver, dir string, most int) error {
	if err := limitSize(most); err != nil {
		return err
	}
	s, err := d.Open(dir)
	opened, n := err == nil, 0
	for ; n < d.room()/256+200 && err == nil; n++ {
		if err = s.Put(n); err == nil {
			say("put", n+1)
		}
	}
	if err != nil && !errors.Is(err, syscall.EFBIG) {
		return err
	}
	if opened {
		s.Close() // ignore the error, because Close fails for the same reason
	}
	return nil
}

// readOnly opens a store in a read-only directory.
func readOnly(t *testing.T, d *Driver) {
	needsLinux(t)
	dir := folder(t)
	n := 5
	fill(t, d, dir, n)
	setModes(t, dir, 0o555, 0o444)
	defer setModes(t, dir, 0o755, 0o644)
	cmd, lines := start(t, roleRead+" "+strconv.Itoa(n), dir, asOrdinaryUser)
	for _, text := range outcome(t, cmd, lines) {
		t.Log(text)
	}
}

// needsLinux skips a test that limits a process: see system_other.go.
func needsLinux(t *testing.T) {
	t.Helper()
	if runtime.GOOS != "linux" {
		t.Skip("only Linux limits a process here")
	}
}

func setModes(t *testing.T, dir string, folder, file os.FileMode) {
	t.Helper()
	err := filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case e.IsDir():
			// A directory must be readable, so that the walk can enter it.
			return os.Chmod(path, folder)
		}
		return os.Chmod(path, file)
	})
	if err != nil {
		t.Error(err)
	}
}

// tryReadOnly opens the store, reads its n entries, and tries to store another entry.
func tryReadOnly(d *Driver, dir string, n int) error {
	if f, err := os.CreateTemp(dir, ""); err == nil {
		return fmt.Errorf("the directory is not read-only: created %s", f.Name())
	}
	s, err := d.Open(dir)
	if err != nil {
		fmt.Println("opening:", err)
		return isDenied(dir, err)
	}
	for i := range n {
		found, err := s.Get(i)
		if err == nil && !found && d.Promise != Never {
			err = fmt.Errorf("entry %d is lost", i)
		}
		if err != nil {
			return err
		}
	}
	if err = s.Put(n); err == nil {
		err = s.Close()
	} else {
		s.Close() // ignore the error, because no entry was stored
	}
	if err != nil {
		fmt.Println("putting:", err)
		return isDenied(dir, err)
	}
	if d.Promise == AtPut || d.Promise == AtClose {
		return errors.New("no error from Put and Close in a read-only directory")
	}
	return nil
}

func isDenied(dir string, err error) error {
	if !errors.Is(err, fs.ErrPermission) && !errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("not a permission error: %w", err)
	}
	if !strings.Contains(err.Error(), dir) {
		return fmt.Errorf("the error names no file: %w", err)
	}
	return nil
}

// descriptors uses the store in a child process with few or no free file descriptors.
func descriptors(t *testing.T, d *Driver) {
	needsLinux(t)
	dir := folder(t)
	fill(t, d, dir, 5)
	cmd, lines := start(t, roleFiles, dir, nil)
	for _, text := range outcome(t, cmd, lines) {
		t.Log(text)
	}
}

// spareFiles is the maximum number of free descriptors.
const spareFiles = 8

// tryDescriptors opens and uses the store with 0, 1, ... free descriptors. Each time it looks up
// all acknowledged entries.
func tryDescriptors(d *Driver, dir string) error {
	acknowledged := map[int]bool{}
	for i := range 5 {
		acknowledged[i] = d.Promise != Never
	}
	next, refused := 5, 0
	for spare := range spareFiles {
		for _, opened := range []bool{false, true} {
			entry := next
			next++
			err := putWithFew(d, dir, entry, spare, opened)
			switch {
			case err == nil && d.Promise != Never:
				acknowledged[entry] = true
			case err != nil && !isFew(err):
				return fmt.Errorf("with %d descriptors: %w", spare, err)
			case err != nil:
				refused++
			}
			if err := lookAll(d, dir, next, acknowledged); err != nil {
				return fmt.Errorf("after %d descriptors: %w", spare, err)
			}
		}
	}
	if refused == 0 && d.Promise != Never {
		return errors.New("the store works without descriptors")
	}
	return nil
}

func isFew(err error) bool {
	return errors.Is(err, syscall.EMFILE) || strings.Contains(err.Error(), "too many open files")
}

// putWithFew stores an entry while few file descriptors are free. If opened is true, it opens the
// store before it limits the descriptors.
func putWithFew(d *Driver, dir string, entry, spare int, opened bool) (err error) {
	var s Store
	if opened {
		if s, err = d.Open(dir); err != nil {
			return err
		}
	}
	restore, err := limitFiles(spare)
	if err != nil {
		return err
	}
	defer restore()
	if !opened {
		if s, err = d.Open(dir); err != nil {
			return err
		}
	}
	err = s.Put(entry)
	restore()
	return errors.Join(err, s.Close())
}

func lookAll(d *Driver, dir string, end int, acknowledged map[int]bool) error {
	s, err := d.Open(dir)
	if err != nil {
		return err
	}
	for i := range end {
		found, err := s.Get(i)
		if err == nil && !found && acknowledged[i] {
			err = errors.New("lost")
		}
		if err != nil {
			return fmt.Errorf("entry %d: %w", i, err)
		}
	}
	return s.Close()
}

// clock changes the modification times of all files in a store to past and future times, and then
// checks the store.
func clock(t *testing.T, d *Driver) {
	dir := folder(t)
	fill(t, d, dir, 5)
	end := 5
	for _, at := range []time.Time{time.Now().AddDate(20, 0, 0), time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC), time.Unix(0, 0), time.Now().Add(time.Hour)} {
		for _, name := range d.files(t, dir) {
			if err := os.Chtimes(filepath.Join(dir, name), at, at); err != nil {
				t.Fatal(err)
			}
		}
		check(t, d, dir, end, everything)
		end++
	}
}

// maxAllocated is the maximum number of bytes that opening and reading a damaged store may
// allocate.
const maxAllocated = 512 << 20

// damage damages each file of a store in many ways, and opens the store after each change.
func damage(t *testing.T, d *Driver) {
	whole := folder(t)
	n := d.entries()
	fill(t, d, whole, n)
	names := d.files(t, whole)
	most, rounds := 3, 1
	if thorough() {
		most, rounds = 12, 4
	}
	if len(names) > most {
		rand.New(rand.NewPCG(1738, 0)).Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
		names = names[:most]
	}
	if len(names) == 0 {
		t.Fatal("the store has no files")
	}
	opened, refused := 0, 0
	for i, name := range names {
		octets, err := os.ReadFile(filepath.Join(whole, name))
		if err != nil {
			t.Fatal(err)
		}
		other, err := os.ReadFile(filepath.Join(whole, names[(i+1)%len(names)]))
		if err != nil {
			t.Fatal(err)
		}
		for kind, changed := range damages(octets, other, rounds) {
			if bytes.Equal(changed, octets) {
				continue
			}
			dir := folder(t)
			if err := os.CopyFS(dir, os.DirFS(whole)); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(filepath.Join(dir, name), changed, 0o600); err != nil {
				t.Fatal(err)
			}
			var ok bool
			if used := allocated(func() { ok = openDamaged(t, d, dir, kind+" of "+name, n) }); used > maxAllocated {
				t.Errorf("%s of %s: %d bytes were allocated", kind, name, used)
			}
			if ok {
				opened++
			} else {
				refused++
			}
			os.RemoveAll(dir)
		}
	}
	t.Logf("%d damaged stores opened, %d refused", opened, refused)
}

// openDamaged opens and uses a damaged store. It reports whether the store opened.
func openDamaged(t *testing.T, d *Driver, dir, what string, n int) bool {
	t.Helper()
	s, err := d.Open(dir)
	if err != nil {
		says(t, dir, fmt.Errorf("%w", err))
		return false
	}
	for i := range n {
		found, err := s.Get(i)
		switch {
		case errors.Is(err, ErrWrong):
			if !d.Silent {
				t.Errorf("%s: entry %d: %v", what, i, err)
			}
		case err != nil:
			says(t, dir, err)
		case !found && d.Promise == Always:
			t.Errorf("%s: entry %d is lost", what, i)
		}
	}
	if err := s.Put(n); err != nil {
		says(t, dir, err)
	}
	if err := s.Close(); err != nil {
		says(t, dir, err)
	}
	return true
}

// damages returns damaged copies of the content in octets. Each key describes the damage. For
// damage at a random position, the number of copies depends on the parameter rounds.
func damages(octets, other []byte, rounds int) map[string][]byte {
	size := len(octets)
	list := map[string][]byte{
		"an empty form":          nil,
		"garbage after":          append(bytes.Clone(octets), "\x00\xff garbage\n"...),
		"zeros after":            append(bytes.Clone(octets), make([]byte, 4096)...),
		"the content of another": other,
		"only zeros":             make([]byte, size),
		"a long line":            bytes.Repeat([]byte("x"), 1<<20),
	}
	if size == 0 {
		return list
	}
	for _, cut := range []int{1, size / 3, size / 2, size - 1} {
		list[fmt.Sprintf("a cut to %d bytes", cut)] = octets[:cut]
	}
	random := rand.New(rand.NewPCG(1738, uint64(size)))
	for round := range 3 * rounds {
		changed := bytes.Clone(octets)
		at := random.IntN(size)
		changed[at] ^= byte(1 + random.IntN(255))
		list[fmt.Sprintf("a flip at %d (%d)", at, round)] = changed
	}
	for round := range rounds {
		changed := bytes.Clone(octets)
		at := random.IntN(size) / 4096 * 4096
		clear(changed[at:min(at+4096, size)])
		list[fmt.Sprintf("a zero page at %d (%d)", at, round)] = changed
	}
	return list
}
