package menufs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

const (
	// keepRead is how many of the first octets are kept of what is read: those by
	// which a reader that then goes back tells what the object is.
	keepRead = 4 << 10
	// keepMeasured is how many are kept of what is read to find the size.
	keepMeasured = 1 << 20
	// mostMeasured is the most that is read for that.
	mostMeasured = 1 << 30
	// shortSkip is what is rather read and thrown away than asked for anew.
	shortSkip = 64 << 10
)

// open opens what name names.
func (f *FS) open(name string) (fs.File, error) {
	e, err := f.lookup(name)
	if err != nil {
		return nil, err
	}
	if e.state.Load().place == nil {
		file, err := f.openFile(name, e)
		if !errors.Is(err, errDirectory) {
			return file, err
		}
		if err := f.turn(e); err != nil {
			return nil, err
		}
	}
	l, err := f.listing(e.state.Load().place, "")
	if err != nil {
		return nil, err
	}
	return &dir{path: name, info: e.info(path.Base(name), true), rest: l.entries, err: l.err}, nil
}

// openFile opens an object. The error is errDirectory if it is a menu.
func (f *FS) openFile(name string, e *entry) (fs.File, error) {
	file := &file{fs: f, path: name, entry: e}
	file.ctx, file.cancel = context.WithCancel(f.ctx)
	r, o, err := file.ask(access.Request{URL: e.item.URL, From: e.from})
	if err != nil {
		file.cancel()
		return nil, err
	}
	file.object, file.size = *o, o.Size
	file.body, file.at = o.Body, o.Start
	file.source = Source{URL: r.URL, Item: e.item}
	file.describe()
	return file, nil
}

// file is an open object.
type file struct {
	fs     *FS
	path   string
	entry  *entry
	ctx    context.Context
	cancel context.CancelFunc
	object scheme.Object // what was opened; its Body may be another by now
	source Source

	mu   sync.Mutex // held while something is read, before gate
	head []byte     // the first octets, as far as they are kept
	pos  int64      // where the next Read begins
	at   int64      // where body is
	end  error      // that body came to; nil: none yet
	size int64      // -1: unknown

	// restarts: the object can't be opened in its middle.
	restarts bool

	gate   sync.Mutex
	body   io.ReadCloser // changed under mu and gate
	closed bool
}

var (
	_ fs.File   = (*file)(nil)
	_ io.Seeker = (*file)(nil)
)

// ask opens an object.
func (f *file) ask(req access.Request) (*access.Result, *scheme.Object, error) {
	r, err := f.fs.client.Do(f.ctx, req)
	if err != nil {
		return nil, nil, err
	}
	switch o := r.Resource.(type) {
	case *scheme.Object:
		return r, o, nil
	case *scheme.Menu:
		err = errDirectory
	default:
		err = fmt.Errorf("%w: %s is no file", scheme.ErrUnsupported, locus.Quote(r.URL.Redacted()))
	}
	r.Resource.Close()
	return nil, nil, err
}

// describe takes over what the object tells of itself.
func (f *file) describe() {
	o, item := &f.object, &f.source.Item
	f.entry.learn(o.Size, o.ModTime)
	if o.Type != "" {
		item.Type = o.Type
	}
	if o.Size >= 0 {
		item.Size = o.Size
	}
	if !o.ModTime.IsZero() {
		item.ModTime = o.ModTime
	}
}

// Stat describes the file. Its Size may have to be found: see the package's text.
func (f *file) Stat() (fs.FileInfo, error) {
	if f.isClosed() {
		return nil, f.fail("stat", fs.ErrClosed)
	}
	i := f.entry.info(path.Base(f.path), true)
	i.source = f.source
	return &fileInfo{i, f}, nil
}

// fileInfo describes an open file.
type fileInfo struct {
	*info
	file *file
}

// Size returns the size of the object. If nobody told it, and the file is still
// open, the object is read to its end for it.
func (i *fileInfo) Size() int64 {
	f := i.file
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.size < 0 && f.isClosed() {
		return i.info.Size()
	}
	if f.measure() != nil {
		return -1
	}
	return f.size
}

func (i *fileInfo) String() string { return fs.FormatFileInfo(i) }

// measure finds the size. f.mu is held.
func (f *file) measure() error {
	if f.size >= 0 {
		return nil
	}
	buffer := make([]byte, 32<<10)
	for f.end == nil {
		if f.at > mostMeasured {
			return fmt.Errorf("%w: its size is more than %d octets, and nobody told it", scheme.ErrTooLarge, mostMeasured)
		}
		f.fetch(buffer, keepMeasured)
	}
	if f.end != io.EOF {
		return f.end
	}
	return nil
}

// Read implements [io.Reader].
func (f *file) Read(p []byte) (int, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.isClosed():
		return 0, f.fail("read", fs.ErrClosed)
	case len(p) == 0:
		return 0, nil
	case f.pos < int64(len(f.head)):
		n := copy(p, f.head[f.pos:])
		f.pos += int64(n)
		return n, nil
	case f.pos != f.at && f.size >= 0 && f.pos >= f.size:
		return 0, io.EOF
	}
	if err := f.goTo(f.pos); err != nil {
		return 0, f.fail("read", err)
	}
	n, err := f.fetch(p, keepRead)
	f.pos += int64(n)
	return n, f.fail("read", err)
}

// fetch reads from the body. The octets are kept if they follow those that are,
// up to keep in all.
func (f *file) fetch(p []byte, keep int) (int, error) {
	if f.end != nil {
		return 0, f.end
	}
	n, err := f.body.Read(p)
	if room := keep - len(f.head); room > 0 && f.at == int64(len(f.head)) {
		f.head = append(f.head, p[:min(n, room)]...)
	}
	f.at += int64(n)
	f.end = err
	if err == io.EOF && f.size < 0 {
		f.size = f.at
		f.entry.learn(f.size, f.object.ModTime)
	}
	return n, err
}

// goTo has the body at pos. The error is that of the body if it ends before.
func (f *file) goTo(pos int64) error {
	if pos < f.at || pos-f.at > shortSkip && !f.restarts {
		if err := f.reopen(pos); err != nil {
			return err
		}
	}
	buffer := make([]byte, min(pos-f.at, 32<<10))
	for f.at < pos {
		if _, err := f.fetch(buffer[:min(pos-f.at, int64(len(buffer)))], keepRead); err != nil {
			return err
		}
	}
	return nil
}

// reopen opens the object again, from pos if that can be, else from its start.
func (f *file) reopen(pos int64) error {
	was := &f.object
	_, o, err := f.ask(access.Request{URL: f.entry.item.URL, From: f.entry.from, Offset: pos, Tag: was.Tag, ModTime: was.ModTime})
	if err != nil {
		return err
	}
	if differs(was, o) || o.Start > pos {
		o.Close()
		return fmt.Errorf("%w: %w", scheme.ErrProtocol, errChanged)
	}
	f.body.Close()
	f.gate.Lock()
	defer f.gate.Unlock()
	if f.closed {
		o.Close()
		return fs.ErrClosed
	}
	f.body, f.at, f.end = o.Body, o.Start, nil
	f.restarts = o.Start < pos
	return nil
}

// differs reports whether what two objects tell of themselves can't both be true of
// one.
func differs(a, b *scheme.Object) bool {
	return a.Tag != "" && b.Tag != "" && a.Tag != b.Tag ||
		a.Size >= 0 && b.Size >= 0 && a.Size != b.Size ||
		!a.ModTime.IsZero() && !b.ModTime.IsZero() && !a.ModTime.Equal(b.ModTime)
}

// Seek implements [io.Seeker]. From the end it may have to find the size: see the
// package's text.
func (f *file) Seek(offset int64, whence int) (int64, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.isClosed() {
		return 0, f.fail("seek", fs.ErrClosed)
	}
	switch whence {
	case io.SeekStart:
	case io.SeekCurrent:
		offset += f.pos
	case io.SeekEnd:
		if err := f.measure(); err != nil {
			return 0, f.fail("seek", err)
		}
		offset += f.size
	default:
		return 0, f.fail("seek", fs.ErrInvalid)
	}
	if offset < 0 {
		return 0, f.fail("seek", fs.ErrInvalid)
	}
	f.pos = offset
	return offset, nil
}

// Close closes the object. A Read that waits ends.
func (f *file) Close() error {
	f.gate.Lock()
	if f.closed {
		f.gate.Unlock()
		return f.fail("close", fs.ErrClosed)
	}
	f.closed = true
	body := f.body
	f.gate.Unlock()
	err := body.Close()
	f.cancel()
	return f.fail("close", err)
}

func (f *file) isClosed() bool {
	f.gate.Lock()
	defer f.gate.Unlock()
	return f.closed
}

// fail says what err is about, unless it is the end. Once the file is closed, that
// is the reason.
func (f *file) fail(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if op == "read" && f.isClosed() {
		err = fs.ErrClosed
	}
	return pathError(op, f.path, err)
}
