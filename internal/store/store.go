// Package store manages a bbolt database in a file. The package adds a format version, a lock that
// names its holder, and detection of damage.
//
// The bbolt library trusts its file. If the file is damaged, bbolt panics, sometimes in its own
// goroutine, reads unmapped memory, or recurses until the stack overflows. So this package records
// the state of the database in a lock file beside the database (PATH.lock). The state is "clean"
// with a checksum of the whole file, or "open" during writes. If a file does not match its
// checksum, the file is damaged, and this package does not open it with bbolt. If a killed process
// left a file in the state "open", the next process reads the file once from beginning to end.
// Meanwhile the state is "trial". If reading kills this process too, or if a write fails because of
// damage, the next process treats the file as damaged.
package store

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"

	"github.com/locus-url/locus/internal/filelock"
)

var (
	// ErrDamaged means that a file is not a database, or that its version differs from the
	// expected version. Other errors of this package wrap ErrDamaged.
	ErrDamaged = errors.New("damaged")
	// ErrBusy means that another process uses the database. [BusyError] wraps ErrBusy.
	ErrBusy = errors.New("in use by another process")
)

// A BusyError means that another process uses the database. It wraps [ErrBusy].
type BusyError struct {
	Path    string
	Process int           // process ID; 0 if unknown
	Wait    time.Duration // time that this process waited for the other process
}

func (e *BusyError) Error() string {
	holder := "another process"
	if e.Process != 0 {
		holder = fmt.Sprint("process ", e.Process)
	}
	return fmt.Sprintf("%q is in use by %s (waited %v)", e.Path, holder, e.Wait)
}

func (e *BusyError) Unwrap() error { return ErrBusy }

// DefaultWait is the default of [File].Wait.
const DefaultWait = 2 * time.Second

// File is a database in a file. The exported fields must not change after the first call.
// Its methods may be called concurrently, except methods that require the lock.
type File struct {
	Path    string
	Version string
	Buckets []string      // names of the buckets, except the bucket "meta"
	Wait    time.Duration // maximum wait for another process; 0 means [DefaultWait]
	// Check, if not nil, verifies the content of the database before this package uses it.
	Check func(*bbolt.Tx) error

	held  sync.Mutex // locked while this File holds the file lock
	lock  *os.File
	state state
	wrote bool  // whether the database has been modified since the call of Lock
	sound stamp // stamp of the file after the last verification or write

	mu     sync.RWMutex
	db     *bbolt.DB   // open database; nil if the file is open only during View and Update
	failed atomic.Bool // whether a write found damage
}

// Meta is the name of the bucket with the version. The caller may use other keys in this
// bucket.
const Meta = "meta"

var versionKey = []byte("version")

// state is the JSON content of the lock file.
type state struct {
	Process int    `json:"process"`
	State   string `json:"state,omitempty"`
	Size    int64  `json:"size,omitempty"` // size of the database, if the state is clean
	Sum     uint32 `json:"sum,omitempty"`  // CRC-32C of the database
}

const (
	stateClean = "clean"
	stateOpen  = "open"
	stateTrial = "trial"
)

// stamp contains the size and the modification time of a file, to detect changes.
type stamp struct{ size, time int64 }

func (f *File) stamp() stamp {
	info, err := os.Stat(f.Path)
	if err != nil {
		return stamp{}
	}
	return stamp{info.Size(), info.ModTime().UnixNano()}
}

func (f *File) wait() time.Duration { return cmp.Or(f.Wait, DefaultWait) }

// lockPause is the pause between two attempts to lock the file.
const lockPause = 20 * time.Millisecond

// Lock locks the database, so that only this File may write until Unlock. The error is a
// [*BusyError] if another process, or another File in this process, holds the lock.
func (f *File) Lock() error {
	lock, err := os.OpenFile(f.Path+".lock", os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	for begin := time.Now(); ; time.Sleep(lockPause) {
		if f.held.TryLock() {
			// If the file system does not support these locks, only bbolt's own lock
			// protects the file.
			if err = filelock.Try(lock); err == nil || errors.Is(err, errors.ErrUnsupported) {
				break
			}
			f.held.Unlock()
		}
		if err != nil && !errors.Is(err, filelock.ErrLocked) {
			lock.Close()
			return err
		}
		if time.Since(begin) >= f.wait() {
			err = &BusyError{f.Path, filelock.Process(lock), f.wait()}
			lock.Close()
			return err
		}
	}
	f.lock, f.state, f.wrote = lock, state{}, false
	f.failed.Store(false)
	// If the lock file is unreadable, another version of the program wrote it, so the state
	// is unknown.
	_ = filelock.Read(lock, &f.state)
	f.state.Process = os.Getpid()
	if err := f.writeState(f.state); err != nil {
		f.held.Unlock()
		return errors.Join(err, lock.Close())
	}
	return nil
}

// writeState writes a state to the lock file. The length of the lock file never changes, so
// the write succeeds even on a full disk.
func (f *File) writeState(s state) error {
	text, err := json.Marshal(s)
	if err != nil {
		return err
	}
	padded := make([]byte, 127, 128)
	for i := range padded {
		padded[i] = ' '
	}
	copy(padded, text)
	if _, err := f.lock.WriteAt(append(padded, '\n'), 0); err != nil {
		return err
	}
	if err := f.lock.Truncate(128); err != nil {
		return err
	}
	f.state = s
	return nil
}

// recordWrite records that a write to the database will follow. The record must reach the disk
// before the write. Otherwise, after a power failure, a changed database would not match its
// checksum.
func (f *File) recordWrite() error {
	if f.wrote {
		return nil
	}
	f.wrote = true
	return f.markNow(stateOpen)
}

func (f *File) markNow(name string) error {
	if err := f.writeState(state{Process: os.Getpid(), State: name}); err != nil {
		return err
	}
	return f.lock.Sync()
}

// Unlock closes the database, records that it is clean, and releases the lock.
func (f *File) Unlock() (err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	defer f.held.Unlock()
	if f.db != nil {
		err = protect(f.db.Close)
		f.db = nil
	}
	switch {
	case f.failed.Load():
		err = errors.Join(err, f.writeState(state{Process: os.Getpid(), State: stateTrial}))
	case err == nil && f.wrote:
		var clean state
		if clean, err = f.cleanState(); err == nil {
			err = f.writeState(clean)
		}
		if errors.Is(err, fs.ErrNotExist) {
			err = nil // there is no database, because nothing was written
		}
	}
	return errors.Join(err, f.lock.Close())
}

// cleanState returns a clean state with the current size and checksum of the file.
func (f *File) cleanState() (s state, err error) {
	file, err := os.Open(f.Path)
	if err != nil {
		return s, err
	}
	defer file.Close()
	sum := crc32.New(crc32.MakeTable(crc32.Castagnoli))
	size, err := io.CopyBuffer(sum, file, make([]byte, 1<<18))
	return state{Process: os.Getpid(), State: stateClean, Size: size, Sum: sum.Sum32()}, err
}

// Verify returns an error that wraps [ErrDamaged] if the database is damaged. It accepts a
// missing database, and a database that has not changed since the last call. The caller
// must hold the lock.
func (f *File) Verify() error {
	now := f.stamp()
	if now.size == 0 || now == f.sound {
		return nil
	}
	trial := false
	switch f.state.State {
	case stateClean:
		if s, err := f.cleanState(); err != nil {
			return err
		} else if s != f.state {
			return fmt.Errorf("%w: the file changed after it was written", ErrDamaged)
		}
	case stateTrial:
		return fmt.Errorf("%w: a process ended while checking the file", ErrDamaged)
	default:
		trial = true
		if err := f.markNow(stateTrial); err != nil {
			return err
		}
	}
	err := f.view(trial, func(tx *bbolt.Tx) error {
		if trial {
			for _, name := range f.Buckets {
				if err := tx.Bucket([]byte(name)).ForEach(touch); err != nil {
					return err
				}
			}
		}
		if f.Check != nil {
			return f.Check(tx)
		}
		return nil
	})
	if trial && err != nil && !errors.Is(err, ErrDamaged) {
		// The error comes from the system and not from the file, so the next process checks
		// the file again.
		return errors.Join(err, f.markNow(stateOpen))
	}
	if err != nil {
		return err
	}
	if trial {
		if err := f.recordWrite(); err != nil {
			return err
		}
	}
	f.sound = now
	return nil
}

// touch reads all bytes of a database entry. In a damaged database, an entry may point to memory
// outside the file.
func touch(key, value []byte) error {
	crc32.ChecksumIEEE(key)
	crc32.ChecksumIEEE(value)
	return nil
}

// Doubt makes the next call of Verify check the database even if the database did not
// change.
func (f *File) Doubt() { f.sound = stamp{} }

// SetAside renames a damaged database to PATH.damaged. The caller must hold the lock.
func (f *File) SetAside() error {
	return f.away(func() error { return os.Rename(f.Path, f.Path+".damaged") })
}

// Remove removes the database. The caller must hold the lock.
func (f *File) Remove() error { return f.away(func() error { return os.Remove(f.Path) }) }

func (f *File) away(fn func() error) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.sound = stamp{}
	f.failed.Store(false)
	f.wrote = false
	if err := f.writeState(state{Process: os.Getpid()}); err != nil {
		return err
	}
	if err := fn(); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// Open locks and verifies the database and keeps it open until Unlock. If the database is
// damaged, Open renames the file, creates an empty database and returns the reason as the
// error damage.
func (f *File) Open() (damage, err error) {
	if err := f.Lock(); err != nil {
		return nil, err
	}
	if err = f.verifyAndOpen(); errors.Is(err, ErrDamaged) {
		damage = err
		if err = f.SetAside(); err == nil {
			err = f.verifyAndOpen()
		}
	}
	if err != nil {
		f.failed.Store(damage != nil || errors.Is(err, ErrDamaged))
		return nil, errors.Join(err, f.Unlock())
	}
	return damage, nil
}

func (f *File) verifyAndOpen() error {
	if err := f.Verify(); err != nil {
		return err
	}
	if err := f.recordWrite(); err != nil {
		return err
	}
	db, err := f.openDB(bbolt.Options{})
	if err != nil {
		return err
	}
	if err := protect(func() error { return db.Update(f.prepare) }); err != nil {
		return errors.Join(err, protect(db.Close))
	}
	f.db = db
	return nil
}

// View calls the function fn with a read-only transaction. If there is no database, the
// error is fs.ErrNotExist. If the database is damaged, the error wraps [ErrDamaged]. The
// caller need not hold the lock.
func (f *File) View(fn func(*bbolt.Tx) error) error { return f.view(false, fn) }

func (f *File) view(freelist bool, fn func(*bbolt.Tx) error) error {
	f.mu.RLock()
	defer f.mu.RUnlock()
	if f.db != nil {
		return protect(func() error { return f.db.View(fn) })
	}
	info, err := os.Stat(f.Path)
	if err != nil {
		return err
	}
	if info.Size() == 0 {
		return fs.ErrNotExist // another process is creating the database
	}
	db, err := f.openDB(bbolt.Options{ReadOnly: true, PreLoadFreelist: freelist})
	if err != nil {
		return err
	}
	err = protect(func() error {
		return db.View(func(tx *bbolt.Tx) error {
			if err := f.checkVersion(tx); err != nil {
				return err
			}
			return fn(tx)
		})
	})
	return errors.Join(err, protect(db.Close))
}

// Update calls the function fn with a read-write transaction. If an error occurs, Update
// writes nothing. It creates a missing database. The caller must hold the lock, and must
// have called Verify or Open.
func (f *File) Update(fn func(*bbolt.Tx) error) (err error) {
	defer func() {
		if errors.Is(err, ErrDamaged) {
			f.failed.Store(true)
		}
	}()
	f.mu.RLock()
	db := f.db
	f.mu.RUnlock()
	if db != nil {
		return protect(func() error { return db.Update(fn) })
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	if err := f.recordWrite(); err != nil {
		return err
	}
	if db, err = f.openDB(bbolt.Options{}); err != nil {
		return err
	}
	err = protect(func() error {
		return db.Update(func(tx *bbolt.Tx) error {
			if err := f.prepare(tx); err != nil {
				return err
			}
			return fn(tx)
		})
	})
	if err = errors.Join(err, protect(db.Close)); err == nil {
		f.sound = f.stamp()
	}
	return err
}

// openDB opens the database. It makes bbolt store the list of free pages in the file.
// Otherwise bbolt would read all pages in its own goroutine to find free pages, and this
// package can't recover a panic there.
func (f *File) openDB(o bbolt.Options) (db *bbolt.DB, err error) {
	o.Timeout, o.FreelistType, o.NoStatistics = f.wait(), bbolt.FreelistMapType, true
	var file *os.File
	o.OpenFile = func(name string, flag int, perm os.FileMode) (*os.File, error) {
		file, err = os.OpenFile(name, flag, perm)
		return file, err
	}
	err = protect(func() error {
		db, err = bbolt.Open(f.Path, 0o600, &o)
		_, ofFile := errors.AsType[*fs.PathError](err)
		_, ofSystem := errors.AsType[syscall.Errno](err)
		switch {
		case err == nil || ofFile || ofSystem:
			return err
		case errors.Is(err, berrors.ErrTimeout):
			return &BusyError{Path: f.Path, Wait: f.wait()}
		}
		return fmt.Errorf("%w: %w", ErrDamaged, err)
	})
	if err != nil && file != nil {
		file.Close() // after a panic, the file is still open and locked
	}
	return db, err
}

// prepare creates the buckets of a new database.
func (f *File) prepare(tx *bbolt.Tx) error {
	if name, _ := tx.Cursor().First(); name != nil {
		return f.checkVersion(tx)
	}
	for _, name := range f.Buckets {
		if _, err := tx.CreateBucket([]byte(name)); err != nil {
			return err
		}
	}
	meta, err := tx.CreateBucket([]byte(Meta))
	if err != nil {
		return err
	}
	return meta.Put(versionKey, []byte(f.Version))
}

func (f *File) checkVersion(tx *bbolt.Tx) error {
	for _, name := range append([]string{Meta}, f.Buckets...) {
		if tx.Bucket([]byte(name)) == nil {
			return fmt.Errorf("%w: missing bucket %q", ErrDamaged, name)
		}
	}
	if text := tx.Bucket([]byte(Meta)).Get(versionKey); string(text) != f.Version {
		return fmt.Errorf("%w: the database has another version", ErrDamaged)
	}
	return nil
}

// protect calls the function fn. It converts a panic in bbolt, or a fault in the mapped memory of
// the file, to an error that wraps ErrDamaged.
func protect(fn func() error) (err error) {
	defer debug.SetPanicOnFault(debug.SetPanicOnFault(true))
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("%w: %v", ErrDamaged, reason)
		}
	}()
	return fn()
}
