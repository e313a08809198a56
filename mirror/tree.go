package mirror

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/filelock"
	"github.com/locus-url/locus/internal/wholefile"
)

const (
	partFolder     = stateFolder + "/part"
	originalFolder = stateFolder + "/original"
	lockFile       = stateFolder + "/lock"
)

// ErrBusy means that another run is using the directory. Errors of this package wrap ErrBusy.
var ErrBusy = errors.New("another run is writing to this directory")

// ErrForeign means that a file that does not belong to the mirror, or a symbolic link,
// prevents writing a file. Errors of this package wrap ErrForeign.
var ErrForeign = errors.New("in the way")

// FileError is the error of reading or writing a file in the mirror.
type FileError struct {
	Path string
	Err  error
}

func (e *FileError) Error() string { return locus.Quote(e.Path) + ": " + e.Err.Error() }
func (e *FileError) Unwrap() error { return e.Err }

// isDiskFull reports whether err means that the file system is full, over quota or read-only.
func isDiskFull(err error) bool {
	var file *FileError
	return errors.As(err, &file) && (errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) || errors.Is(err, syscall.EROFS))
}

// tree is the directory of a mirror. The methods of a tree do not follow symbolic links, and
// may be called concurrently.
type tree struct {
	root *os.Root
	lock *os.File

	parts atomic.Bool // whether part files may exist

	mu      sync.Mutex
	folders map[string]bool    // existing directories
	open    map[string]*folder // recently used directories
	uses    int
}

// folder is an open directory in the tree.
type folder struct {
	*os.Root
	dir   *os.File
	users int
	last  int // value of tree.uses at the last use
}

// openTree opens the directory dir and locks it for this run. If the directory is missing,
// openTree creates it.
func openTree(dir string) (*tree, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, err
	}
	t := &tree{root: root, folders: map[string]bool{}, open: map[string]*folder{}}
	if err = t.mkdir(partFolder); err == nil {
		err = t.takeLock()
	}
	if err != nil {
		t.close()
		return nil, err
	}
	names, err := fs.ReadDir(root.FS(), partFolder)
	t.parts.Store(err != nil || len(names) > 0)
	return t, nil
}

// takeLock locks the directory. If the file system does not support locks, takeLock does
// nothing.
func (t *tree) takeLock() (err error) {
	if info, err := t.root.Lstat(lockFile); err == nil && !info.Mode().IsRegular() {
		return t.fail(lockFile, ErrForeign)
	}
	if t.lock, err = t.root.OpenFile(lockFile, os.O_RDWR|os.O_CREATE, 0o666); err != nil {
		return t.fail(lockFile, err)
	}
	err = filelock.Try(t.lock)
	if errors.Is(err, filelock.ErrLocked) {
		if n := filelock.Process(t.lock); n != 0 {
			return fmt.Errorf("%w: process %d", ErrBusy, n)
		}
		return ErrBusy
	}
	if err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return t.fail(lockFile, err)
	}
	// The lock also works without the process ID in the file.
	_ = t.lock.Truncate(0)
	_, _ = t.lock.WriteAt(fmt.Appendf(nil, "{\"process\":%d}\n", os.Getpid()), 0)
	return nil
}

func (t *tree) close() {
	if t.lock != nil {
		t.lock.Close()
	}
	for _, f := range t.open {
		f.close()
	}
	t.root.Close()
}

func (f *folder) close() {
	f.Close()
	f.dir.Close()
}

// maxOpen is the maximum number of open directories.
const maxOpen = 32

// enter returns the directory of the file name, and creates the directory if it is missing.
// The caller must call leave.
func (t *tree) enter(name string) (*folder, error) {
	name = path.Dir(name)
	if err := t.mkdir(name); err != nil {
		return nil, err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.uses++
	f := t.open[name]
	if f == nil {
		root, err := t.root.OpenRoot(name)
		if err != nil {
			return nil, t.fail(name, err)
		}
		dir, err := root.Open(".")
		if err != nil {
			root.Close()
			return nil, t.fail(name, err)
		}
		f = &folder{Root: root, dir: dir}
		t.open[name] = f
	}
	f.users++
	f.last = t.uses
	return f, nil
}

// leave ends the use of a directory, so that the tree may close the directory.
func (t *tree) leave(f *folder) {
	t.mu.Lock()
	defer t.mu.Unlock()
	f.users--
	if len(t.open) <= maxOpen {
		return
	}
	oldest := ""
	for name, f := range t.open {
		if f.users == 0 && (oldest == "" || f.last < t.open[oldest].last) {
			oldest = name
		}
	}
	t.forget(oldest)
}

// forget closes an unused directory. The caller must hold t.mu.
func (t *tree) forget(name string) {
	if f := t.open[name]; f != nil && f.users == 0 {
		f.close()
		delete(t.open, name)
	}
}

func (t *tree) fail(name string, err error) error {
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case errors.As(err, &onPath):
		err = onPath.Err
	case errors.As(err, &onLink):
		err = onLink.Err
	}
	return &FileError{name, err}
}

// mkdir creates a directory and its parents.
func (t *tree) mkdir(name string) error {
	t.mu.Lock()
	defer t.mu.Unlock()
	if name == "." || t.folders[name] {
		return nil
	}
	for end := 0; end < len(name); end++ {
		n := strings.IndexByte(name[end:], '/')
		if n < 0 {
			n = len(name) - end
		}
		end += n
		if err := t.oneFolder(name[:end]); err != nil {
			return err
		}
	}
	return nil
}

// maxFolders is the maximum number of cached directory names.
const maxFolders = 20_000

func (t *tree) oneFolder(name string) error {
	if t.folders[name] {
		return nil
	}
	info, err := t.root.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		if err = t.root.Mkdir(name, 0o777); err == nil || errors.Is(err, fs.ErrExist) {
			info, err = t.root.Lstat(name)
		}
	}
	switch {
	case err != nil:
		return t.fail(name, err)
	case !info.IsDir():
		return t.fail(name, fmt.Errorf("%w: not a directory", ErrForeign))
	}
	if len(t.folders) >= maxFolders {
		clear(t.folders)
	}
	t.folders[name] = true
	return nil
}

// stamp returns the size and time of a regular file, without following links. The result is
// nil if no such file exists.
func (t *tree) stamp(name string) *Stamp {
	f, err := t.enter(name)
	if err != nil {
		return nil
	}
	defer t.leave(f)
	info, err := f.Lstat(path.Base(name))
	if err != nil || !info.Mode().IsRegular() {
		return nil
	}
	return &Stamp{info.Size(), info.ModTime().UTC()}
}

// isFree reports whether no file with the given name exists.
func (t *tree) isFree(name string) (bool, error) {
	f, err := t.enter(name)
	if err != nil {
		return false, err
	}
	defer t.leave(f)
	_, err = f.Lstat(path.Base(name))
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	return false, err
}

// read opens a regular file for reading.
func (t *tree) read(name string) (*os.File, error) {
	if t.stamp(name) == nil {
		return nil, t.fail(name, fs.ErrNotExist)
	}
	f, err := t.root.Open(name)
	if err != nil {
		return nil, t.fail(name, err)
	}
	return f, nil
}

// publish renames the file temporary to name. Unless modTime is zero, publish also sets the
// time of the file. publish may replace a file, but never a directory.
func (t *tree) publish(temporary, name string, modTime time.Time) (*Stamp, error) {
	if err := t.mkdir(path.Dir(name)); err != nil {
		return nil, err
	}
	if !modTime.IsZero() {
		if err := t.root.Chtimes(temporary, modTime, modTime); err != nil {
			return nil, t.fail(name, err)
		}
	}
	info, err := t.root.Lstat(temporary)
	if err == nil {
		err = t.root.Rename(temporary, name)
	}
	if err != nil {
		return nil, t.fail(name, err)
	}
	return &Stamp{info.Size(), info.ModTime().UTC()}, nil
}

// write writes a file. The file gets its name only when it is complete.
func (t *tree) write(name string, octets []byte, modTime time.Time) (*Stamp, error) {
	f, err := t.enter(name)
	if err != nil {
		return nil, err
	}
	defer t.leave(f)
	if at, err := wholefile.Write(f.dir, path.Base(name), octets, modTime, false); err == nil {
		return &Stamp{int64(len(octets)), at}, nil
	}
	// The file replaces another file, or the system can't create a file without a name.
	temporary := partFolder + "/" + urlHash(name) + ".new"
	t.root.Remove(temporary)
	part, err := t.root.OpenFile(temporary, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	if err != nil {
		return nil, t.fail(name, err)
	}
	_, err = part.Write(octets)
	if err = errors.Join(err, part.Close()); err != nil {
		t.root.Remove(temporary)
		return nil, t.fail(name, err)
	}
	return t.publish(temporary, name, modTime)
}

// remove removes a file and then all directories above it that are empty.
func (t *tree) remove(name string) error {
	if err := t.root.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return t.fail(name, err)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	for dir := path.Dir(name); dir != "." && dir != stateFolder; dir = path.Dir(dir) {
		t.forget(dir)
		if t.root.Remove(dir) != nil {
			break // the directory is not empty
		}
		delete(t.folders, dir)
	}
	return nil
}

// copy copies a file with its modification time.
func (t *tree) copy(from, to string) error {
	f, err := t.read(from)
	if err != nil {
		return err
	}
	defer f.Close()
	octets, err := io.ReadAll(f)
	if err != nil {
		return t.fail(from, err)
	}
	_, err = t.write(to, octets, time.Time{})
	return err
}
