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

// Replacement is a temporary file that takes the place of another file in one step. Something
// else than a regular file, such as a pipe, is written to directly.
type Replacement struct {
	*os.File
	Target string               // the file to replace; empty if File is the target
	sync   func(*os.File) error // writes a file or a folder to the disk
}

// NewReplacement creates a replacement of a file, which need not exist. A symbolic link is
// followed. The caller must call Discard in the end.
func NewReplacement(name string) (*Replacement, error) {
	info, err := os.Stat(name)
	switch {
	case err == nil && info.IsDir():
		return nil, fmt.Errorf("%s is a folder", name)
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
	// The system's mask applies to a new file. One that exists keeps its mode, and may be
	// private.
	mode := fs.FileMode(0o666)
	if info != nil {
		mode = 0o600
	}
	temporary := filepath.Join(filepath.Dir(name), "."+rand.Text()+".tmp")
	f, err := os.OpenFile(temporary, os.O_RDWR|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return nil, &fs.PathError{Op: "create", Path: name, Err: errors.Unwrap(err)}
	}
	r := &Replacement{f, name, (*os.File).Sync}
	if info != nil {
		if err := f.Chmod(info.Mode().Perm()); err != nil {
			r.Discard()
			return nil, err
		}
	}
	return r, nil
}

// Commit closes the file and puts it in place. After a loss of power, the target has
// either its old or its new content: the file is on the disk before it is renamed. Where
// the system can do that, the new name is on the disk when Commit returns.
func (r *Replacement) Commit() error {
	if r.Target == "" {
		return r.Close()
	}
	if err := cmp.Or(r.sync(r.File), r.Close()); err != nil {
		return err
	}
	if err := os.Rename(r.Name(), r.Target); err != nil {
		return err
	}
	// Some systems can't open a folder, and some file systems can't sync one.
	folder, err := os.Open(filepath.Dir(r.Target))
	if err != nil {
		return nil
	}
	defer folder.Close()
	if err := r.sync(folder); !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) && !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return nil
}

// Discard removes the temporary file, unless it is in place.
func (r *Replacement) Discard() {
	// After Commit both fail, which is right.
	_ = r.Close()
	if r.Target != "" {
		_ = os.Remove(r.Name())
	}
}
