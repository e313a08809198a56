package mirror

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
	// keepRead is the number of bytes at the start of an object to buffer, because some
	// readers detect the type and then seek back.
	keepRead = 4 << 10
	// keepMeasured is the maximum number of bytes to buffer while determining the size.
	keepMeasured = 1 << 20
	// maxMeasured is the maximum number of bytes to read in order to determine the size.
	maxMeasured = 1 << 30
	// shortSkip is the maximum number of bytes that the file skips by reading them. If a
	// forward seek is longer, the file opens the object again.
	shortSkip = 64 << 10
)

func (f *FS) open(name string) (fs.File, error) {
	e, err := f.lookup(name)
	if err != nil {
		return nil, err
	}
	if e.state.Load().menu == nil {
		file, err := f.openFile(name, e)
		if !errors.Is(err, errDirectory) {
			return file, err
		}
		if err := f.toMenu(e); err != nil {
			return nil, err
		}
	}
	l, err := f.listing(e.state.Load().menu, "")
	if err != nil {
		return nil, err
	}
	return &openDir{path: name, info: e.info(path.Base(name), true), rest: l.entries, err: l.err}, nil
}

// openFile opens an object. If the entry is a menu, openFile returns errDirectory.
func (f *FS) openFile(name string, e *fsEntry) (fs.File, error) {
	file := &openFile{fs: f, path: name, entry: e}
	file.ctx, file.cancel = context.WithCancel(f.ctx)
	r, o, err := file.ask(access.Request{URL: e.item.URL, From: e.from})
	if err != nil {
		file.cancel()
		return nil, err
	}
	file.object, file.size = *o, o.Size
	file.body, file.at = o.Body, o.Start
	file.source = FSSource{URL: r.URL, Item: e.item}
	file.describe()
	return file, nil
}

type openFile struct {
	fs     *FS
	path   string
	entry  *fsEntry
	ctx    context.Context
	cancel context.CancelFunc
	object scheme.Object // the opened object; its Body may have been replaced
	source FSSource

	mu   sync.Mutex // locked during reads; lock it before bodyMu
	head []byte     // the buffered bytes at the start
	pos  int64      // offset at which the next Read begins
	at   int64      // position of body
	end  error      // error of body; nil if reading has not failed
	size int64      // -1 if unknown

	// restarts means that the scheme can't open the object at an offset.
	restarts bool

	bodyMu sync.Mutex    // locked only briefly, so that Close can interrupt Read
	body   io.ReadCloser // changed only while mu and bodyMu are locked
	closed bool
}

var (
	_ fs.File   = (*openFile)(nil)
	_ io.Seeker = (*openFile)(nil)
)

func (f *openFile) ask(req access.Request) (*access.Result, *scheme.Object, error) {
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
		err = fmt.Errorf("%w: %s is not a file", scheme.ErrUnsupported, locus.Quote(r.URL.Shown()))
	}
	r.Resource.Close()
	return nil, nil, err
}

func (f *openFile) describe() {
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

// Stat describes the file. The method Size of the result may read the whole file; see the
// package documentation.
func (f *openFile) Stat() (fs.FileInfo, error) {
	if f.isClosed() {
		return nil, f.fail("stat", fs.ErrClosed)
	}
	i := f.entry.info(path.Base(f.path), true)
	i.source = f.source
	return &openFileInfo{i, f}, nil
}

type openFileInfo struct {
	*entryInfo
	file *openFile
}

// Size returns the size of the object. If the size is unknown and the file is still open, Size
// reads the object to its end.
func (i *openFileInfo) Size() int64 {
	f := i.file
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.size < 0 && f.isClosed() {
		return i.entryInfo.Size()
	}
	if f.measure() != nil {
		return -1
	}
	return f.size
}

func (i *openFileInfo) String() string { return fs.FormatFileInfo(i) }

// measure determines the size of the object. The caller must hold f.mu.
func (f *openFile) measure() error {
	if f.size >= 0 {
		return nil
	}
	buffer := make([]byte, 32<<10)
	for f.end == nil {
		if f.at > maxMeasured {
			return fmt.Errorf("%w: the size is unknown and more than %d bytes", scheme.ErrTooLarge, maxMeasured)
		}
		f.fetch(buffer, keepMeasured)
	}
	if f.end != io.EOF {
		return f.end
	}
	return nil
}

func (f *openFile) Read(p []byte) (int, error) {
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

// fetch reads from the body. Up to keep bytes at the start of the object are also buffered.
func (f *openFile) fetch(p []byte, keep int) (int, error) {
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

// goTo moves the body to the offset pos. If the body ends before pos, goTo returns the body's
// error.
func (f *openFile) goTo(pos int64) error {
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

// reopen opens the object again. If the scheme can open the object at an offset, the body then
// begins at pos. Otherwise, the body begins at the start of the object.
func (f *openFile) reopen(pos int64) error {
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
	f.bodyMu.Lock()
	defer f.bodyMu.Unlock()
	if f.closed {
		o.Close()
		return fs.ErrClosed
	}
	f.body, f.at, f.end = o.Body, o.Start, nil
	f.restarts = o.Start < pos
	return nil
}

// differs reports whether a and b are certainly different versions of an object.
func differs(a, b *scheme.Object) bool {
	return a.Tag != "" && b.Tag != "" && a.Tag != b.Tag ||
		a.Size >= 0 && b.Size >= 0 && a.Size != b.Size ||
		!a.ModTime.IsZero() && !b.ModTime.IsZero() && !a.ModTime.Equal(b.ModTime)
}

// Seek implements [io.Seeker]. A seek relative to the end may read the whole file; see the
// package documentation.
func (f *openFile) Seek(offset int64, whence int) (int64, error) {
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

// Close closes the object and interrupts a concurrent Read.
func (f *openFile) Close() error {
	f.bodyMu.Lock()
	if f.closed {
		f.bodyMu.Unlock()
		return f.fail("close", fs.ErrClosed)
	}
	f.closed = true
	body := f.body
	f.bodyMu.Unlock()
	err := body.Close()
	f.cancel()
	return f.fail("close", err)
}

func (f *openFile) isClosed() bool {
	f.bodyMu.Lock()
	defer f.bodyMu.Unlock()
	return f.closed
}

// fail adds the path to err, unless err is io.EOF. After Close, fail returns fs.ErrClosed
// instead.
func (f *openFile) fail(op string, err error) error {
	if err == nil || err == io.EOF {
		return err
	}
	if op == "read" && f.isClosed() {
		err = fs.ErrClosed
	}
	return pathError(op, f.path, err)
}
