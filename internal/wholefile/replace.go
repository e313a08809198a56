package wholefile

import (
	"cmp"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// Replacement is a temporary file that replaces another file atomically. If the other file is
// not a regular file, such as a pipe, the Replacement writes to it directly.
type Replacement struct {
	*os.File
	Target    string // the file to replace; empty if File is the target
	temporary string // the name of File
	folder    folder
	sync      func(*os.File) error // writes a file or directory to the disk
}

// folder provides the file operations of a replacement. Names are relative to an [os.Root], or are
// paths.
type folder interface {
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	Rename(old, new string) error
	Remove(name string) error
}

// paths implements folder for names that are paths.
type paths struct{}

func (paths) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}
func (paths) Rename(old, new string) error { return os.Rename(old, new) }
func (paths) Remove(name string) error     { return os.Remove(name) }

// NewReplacement creates a replacement for the named file, which need not exist. It follows
// symbolic links, and preserves the mode of an existing file. Several processes may replace the
// same file. The caller must finally call Discard.
func NewReplacement(name string) (*Replacement, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a directory", name)
	case err == nil && !info.Mode().IsRegular():
		f, err := os.OpenFile(name, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		return &Replacement{File: f}, nil
	case err == nil:
		if name, err = filepath.EvalSymlinks(name); err != nil {
			return nil, err
		}
	}
	// The umask of the process applies to a new file. The mode of an existing file does not
	// change, because the file may be private.
	mode := fs.FileMode(0o666)
	if info != nil {
		mode = 0o600
	}
	temporary := filepath.Join(filepath.Dir(name), "."+rand.Text()+".tmp")
	r, err := NewReplacementIn(nil, name, temporary, mode)
	if err == nil && info != nil {
		if err = r.Chmod(info.Mode().Perm()); err != nil {
			r.Discard()
			return nil, err
		}
	}
	return r, err
}

// NewReplacementIn creates a temporary file that can replace a target file. The parameters target
// and temporary are the names of the two files, relative to root. If root is nil, they are paths.
// NewReplacementIn does not follow symbolic links at these names. If the process is killed, the
// temporary file remains until the next replacement removes it.
//
// The caller must hold a lock, so that no other process uses the temporary name, and must
// finally call Discard.
func NewReplacementIn(root *os.Root, target, temporary string, mode fs.FileMode) (*Replacement, error) {
	r := &Replacement{Target: target, temporary: temporary, folder: paths{}, sync: (*os.File).Sync}
	if root != nil {
		r.folder = root
	}
	removing := r.folder.Remove(temporary) // if Remove fails, OpenFile also fails
	var err error
	if r.File, err = r.folder.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode); err != nil {
		if errors.Is(err, fs.ErrExist) && removing != nil {
			err = removing
		}
		return nil, &fs.PathError{Op: "create", Path: target, Err: errors.Unwrap(err)}
	}
	return r, nil
}

// Commit closes the file and renames it to the target. After a power failure, the target has
// either its old or its new content, because Commit writes the file to the disk before the rename.
// If the system can sync directories, the rename is also on the disk when Commit returns.
func (r *Replacement) Commit() error {
	if r.Target == "" {
		return r.Close()
	}
	if err := cmp.Or(r.sync(r.File), r.Close()); err != nil {
		return err
	}
	if err := r.folder.Rename(r.temporary, r.Target); err != nil {
		return err
	}
	// Ignore errors, because some systems can't open directories, and some file systems can't
	// sync directories.
	dir, err := r.folder.OpenFile(filepath.Dir(r.Target), os.O_RDONLY, 0)
	if err != nil {
		return nil
	}
	defer dir.Close()
	if err := r.sync(dir); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// Discard removes the temporary file, unless Commit has renamed it.
func (r *Replacement) Discard() {
	// If the caller has called Commit, both Close and Remove fail. Discard ignores these
	// errors.
	_ = r.Close()
	if r.Target != "" {
		_ = r.folder.Remove(r.temporary)
	}
}
