package transfer

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// source is the content of NAME.part.json. It describes the resource to which a part belongs.
type source struct {
	URL     string    `json:"url"` // URL without password and fragment
	Tag     string    `json:"tag,omitempty"`
	ModTime time.Time `json:"modified,omitzero"`
	Size    int64     `json:"size"` // -1 if unknown
}

const maxSource = 1 << 20

func sourceURL(u locus.URL) string { return u.WithoutFragment().Shown() }

// matches reports whether the object o may be the object that s describes. It compares only the
// properties that are known for both.
func (s source) matches(o *scheme.Object) bool {
	return (s.Tag == "" || o.Tag == "" || s.Tag == o.Tag) &&
		(s.ModTime.IsZero() || o.ModTime.IsZero() || s.ModTime.Equal(o.ModTime)) &&
		(s.Size < 0 || o.Size < 0 || s.Size == o.Size)
}

// overlap is the number of bytes at the end of a part that Run requests again. If these bytes
// differ, the object has changed or the part is damaged. The overlap also avoids a request for zero
// bytes if the part is complete, because some servers reject such a request.
const overlap = 4 << 10

// part is an incomplete file with a temporary name.
type part struct {
	folder *os.Root
	file   string // the final name
	source source // source of the part; without a URL, no part exists
	size   int64
	f      *os.File // open during the transfer
	lock   *os.File // lock file; open while this process holds the lock
}

func (p *part) partName() string   { return shorten(p.file) + partSuffix }
func (p *part) sourceName() string { return shorten(p.file) + sourceSuffix }

func (p *part) path(name string) string { return filepath.Join(p.folder.Name(), name) }

func (p *part) err(name string, err error) error {
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case errors.As(err, &onPath):
		err = onPath.Err
	case errors.As(err, &onLink):
		err = onLink.Err
	}
	return &fileError{p.path(name), err}
}

// load looks for an existing part. It returns an error if the file is not a part.
func (p *part) load() error {
	p.source, p.size = source{}, 0
	info, err := p.folder.Lstat(p.partName())
	there := err == nil
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return p.err(p.partName(), err)
	}
	s, err := p.readSource()
	switch {
	case errors.Is(err, fs.ErrNotExist) && !there:
		return nil
	case errors.Is(err, fs.ErrNotExist) || there && !info.Mode().IsRegular():
		return p.foreign(p.partName())
	case err != nil:
		return err
	}
	if p.source = s; there {
		p.size = info.Size()
	}
	return nil
}

func (p *part) foreign(name string) error {
	return scheme.Hint(fmt.Errorf("%s: %w", p.path(name), ErrForeign), "move it away")
}

func (p *part) readSource() (source, error) {
	var s source
	f, err := p.folder.Open(p.sourceName())
	if err != nil {
		return s, p.err(p.sourceName(), err)
	}
	defer f.Close()
	text, err := io.ReadAll(io.LimitReader(f, maxSource))
	if err != nil {
		return s, p.err(p.sourceName(), err)
	}
	if json.Unmarshal(text, &s) != nil || s.URL == "" {
		return s, p.foreign(p.sourceName())
	}
	return s, nil
}

// offset returns the offset from which to resume the download of u. Zero means the
// beginning.
func (p *part) offset(u locus.URL) int64 {
	if p.source.URL != sourceURL(u) {
		return 0
	}
	return max(p.size-overlap, 0)
}

// resume opens the part to append the rest of the object o. The body of o must begin at the offset
// that p.offset returned. The result ok is false if the object has changed.
func (p *part) resume(o *scheme.Object) (ok bool, err error) {
	if !p.source.matches(o) {
		return false, nil
	}
	if p.f, err = p.folder.OpenFile(p.partName(), os.O_RDWR, 0); err != nil {
		return false, p.err(p.partName(), err)
	}
	ok, err = p.compare(o)
	if !ok {
		p.close()
	}
	return ok, err
}

func (p *part) compare(o *scheme.Object) (ok bool, err error) {
	var here, there [overlap]byte
	if _, err := io.ReadFull(io.NewSectionReader(p.f, o.Start, overlap), here[:]); err != nil {
		return false, p.err(p.partName(), err)
	}
	switch _, err := io.ReadFull(o.Body, there[:]); {
	case err == io.EOF || err == io.ErrUnexpectedEOF:
		return false, nil
	case err != nil:
		return false, err
	case !bytes.Equal(here[:], there[:]):
		return false, nil
	}
	if _, err := p.f.Seek(p.size, io.SeekStart); err != nil {
		return false, p.err(p.partName(), err)
	}
	return true, nil
}

// createFiles creates an empty part. It writes the source file first, because a part file without a
// source file belongs to another program. It does not follow symbolic links.
func (p *part) createFiles(s source) error {
	p.discard()
	name := p.sourceName()
	err := p.writeSource(s)
	if err == nil {
		name, p.source = p.partName(), s
		p.f, err = p.folder.OpenFile(name, create, 0o666)
	}
	if err != nil {
		p.discard()
		return p.err(name, err)
	}
	return nil
}

const create = os.O_RDWR | os.O_CREATE | os.O_EXCL

func (p *part) writeSource(s source) error {
	f, err := p.folder.OpenFile(p.sourceName(), create, 0o666)
	if err != nil {
		return err
	}
	return errors.Join(json.NewEncoder(f).Encode(s), f.Close())
}

// Write appends bytes to the part.
func (p *part) Write(b []byte) (int, error) {
	n, err := p.f.Write(b)
	p.size += int64(n)
	if err != nil {
		return n, p.err(p.partName(), err)
	}
	return n, nil
}

func (p *part) close() {
	if p.f != nil {
		p.f.Close()
		p.f = nil
	}
}

// discard removes the part. It ignores errors, because creating the part again would report the
// same errors.
func (p *part) discard() {
	p.close()
	p.folder.Remove(p.partName())
	p.folder.Remove(p.sourceName())
	p.source, p.size = source{}, 0
}

// finish closes an incomplete part and reports whether a later run can resume it.
func (p *part) finish() bool {
	p.close()
	if p.source.URL != "" && p.size == 0 {
		p.discard()
	}
	return p.source.URL != ""
}

// publish renames the complete part to its final name. Unless modTime is zero, publish also sets
// the modification time.
func (p *part) publish(overwrite bool, modTime time.Time) error {
	if err := p.sync(); err != nil {
		return p.err(p.partName(), err)
	}
	if !modTime.IsZero() {
		// Some file systems can't store this time.
		_ = p.folder.Chtimes(p.partName(), time.Now(), modTime)
	}
	if err := p.rename(overwrite); err != nil {
		return err
	}
	p.folder.Remove(p.sourceName())
	p.source, p.size = source{}, 0
	return nil
}

// sync writes the part to the disk and closes the file. Without sync, the file could lose its
// content if there is a power failure after the rename.
func (p *part) sync() error {
	defer p.close()
	if old, err := p.folder.Lstat(p.file); err == nil {
		// Give the new file the permissions of the old file.
		if err := p.f.Chmod(old.Mode().Perm()); err != nil {
			return err
		}
	}
	if err := p.f.Sync(); err != nil {
		return err
	}
	mine, err := p.f.Stat()
	if err != nil {
		return err
	}
	there, err := p.folder.Lstat(p.partName())
	if err != nil {
		return err
	}
	if !os.SameFile(mine, there) {
		p.source = source{}
		return errors.New("another process restarted the download")
	}
	f := p.f
	p.f = nil
	return f.Close()
}

func (p *part) rename(overwrite bool) error {
	if overwrite {
		if err := p.folder.Rename(p.partName(), p.file); err != nil {
			return p.err(p.file, err)
		}
		return nil
	}
	// A link, unlike renaming, does not replace a file that another process created.
	err := p.folder.Link(p.partName(), p.file)
	switch {
	case err == nil:
		if err := p.folder.Remove(p.partName()); err != nil {
			return p.err(p.partName(), err)
		}
		return nil
	case errors.Is(err, fs.ErrExist):
		return exists(p.path(p.file))
	}
	// Some file systems do not support links.
	if _, err := p.folder.Lstat(p.file); err == nil {
		return exists(p.path(p.file))
	}
	return p.rename(true)
}

func exists(path string) error { return fmt.Errorf("%s: %w", path, ErrExists) }
