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

// folder opens and renames the files of a replacement, in an [os.Root] or by path name.
type folder interface {
	OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error)
	Rename(old, new string) error
	Remove(name string) error
}

// paths is the folder of names that are not relative to an [os.Root].
type paths struct{}

func (paths) OpenFile(name string, flag int, mode fs.FileMode) (*os.File, error) {
	return os.OpenFile(name, flag, mode)
}
func (paths) Rename(old, new string) error { return os.Rename(old, new) }
func (paths) Remove(name string) error     { return os.Remove(name) }

// NewReplacement creates a replacement of a file that the user named, which need not exist. It
// follows a symbolic link and preserves the mode of an existing file. Several processes may
// replace the same file. The caller must finally call Discard.
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
	// The process's umask applies to a new file. An existing file may be private, so its mode
	// does not change.
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

// NewReplacementIn creates a file that can replace the file with the name target. The new
// file has the name temporary. Both names are relative to root; if root is nil, they are
// paths. It follows no symbolic link at either name. If the process is killed, the
// temporary file remains, and the next replacement removes the file.
//
// The caller must hold a lock, so that no other process uses the temporary name, and must
// finally call Discard.
func NewReplacementIn(root *os.Root, target, temporary string, mode fs.FileMode) (*Replacement, error) {
	r := &Replacement{Target: target, temporary: temporary, folder: paths{}, sync: (*os.File).Sync}
	if root != nil {
		r.folder = root
	}
	removing := r.folder.Remove(temporary) // if that fails, OpenFile also fails
	var err error
	if r.File, err = r.folder.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode); err != nil {
		if errors.Is(err, fs.ErrExist) && removing != nil {
			err = removing
		}
		return nil, &fs.PathError{Op: "create", Path: target, Err: errors.Unwrap(err)}
	}
	return r, nil
}

// Commit closes the file and renames it to the target. After a power failure, the target
// has either its old or its new content, because Commit writes the file to the disk
// before the rename. If the system supports it, the rename is also on the disk when
// Commit returns.
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
	// Some systems can't open a directory, and some file systems can't sync one.
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
	// After Commit, Close and Remove fail, which is not an error.
	_ = r.Close()
	if r.Target != "" {
		_ = r.folder.Remove(r.temporary)
	}
}
