package boltcheck

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"
	"time"

	"go.etcd.io/bbolt"
	berrors "go.etcd.io/bbolt/errors"
)

// Lock opens a database in which nothing is, so that nobody else does before it is
// closed: one that is open is locked on every system. The error wraps ErrTimeout of
// package bbolt if somebody has it open, and goes on for longer than wait. A file that
// is damaged is made anew.
func Lock(path string, wait time.Duration) (*bbolt.DB, error) {
	db, err := lock(path, wait)
	if errors.Is(err, ErrDamaged) {
		os.Remove(path) // nobody has it: a lock comes before a look
		db, err = lock(path, wait)
	}
	return db, err
}

func lock(path string, wait time.Duration) (db *bbolt.DB, err error) {
	err = Guard(func() (err error) {
		db, err = bbolt.Open(path, 0o600, &bbolt.Options{Timeout: wait, NoStatistics: true})
		return OpenFailure(err)
	})
	return db, err
}

// OpenFailure says of which kind an error is that comes of opening a database: what
// is not the system's is the file's, and wraps [ErrDamaged]. It returns nil for nil.
func OpenFailure(err error) error {
	_, ofFile := errors.AsType[*fs.PathError](err)
	_, ofSystem := errors.AsType[syscall.Errno](err)
	if err == nil || ofFile || ofSystem || errors.Is(err, berrors.ErrTimeout) {
		return err
	}
	return fmt.Errorf("%w: %w", ErrDamaged, err)
}
