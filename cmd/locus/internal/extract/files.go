package extract

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"iter"
	"os"
	"runtime"
	"runtime/debug"
	"sync"

	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/walk"
)

// The command "locus extract" reads several files concurrently, and writes the links in the order
// of the files. Each batch of files has its own channel. The writer reads these channels in order.

type chunk struct {
	text  []byte
	links int64      // number of links in the text
	ends  []int      // end offset of each link in the text; used for --unique
	keys  []bulk.Key // keys of the links; used for --unique
	err   error      // error to report after the text
	part  *reading   // part of a file to write after the text and the error
	flush bool       // a user may be waiting for the text
}

const (
	// chunkSize is the number of bytes per write.
	chunkSize = 32 << 10
	// together is the number of files per batch when a directory is read. It would take as long to
	// pass a single small file to another goroutine as to read the file.
	together = 16
	// chunksAhead is the maximum number of waiting chunks per batch. The value of filesAhead is
	// the maximum number of batches with waiting chunks.
	chunksAhead = 4
	filesAhead  = 64
	// partAhead is like chunksAhead, but for a part of a long file. partAhead is large enough for
	// all chunks of a typical part.
	partAhead = 32
	// garbage is the percentage of garbage at which the garbage collector runs. With the default
	// value, the collector runs too often if little memory is in use.
	garbage = 400
)

// reading is a batch of files that one goroutine reads in order.
type reading struct {
	x       *extractor
	files   []listed
	chunks  chan chunk
	pending chunk
	prefix  string // text that precedes each line
	octets  int64  // number of bytes read; used to show the progress
	ctx     context.Context
}

// write extracts links from all files, and returns the number of links that it wrote.
func (x *extractor) write(args []string) (found int64) {
	ctx, cancel := context.WithCancel(x.a.Context)
	defer cancel()
	if x.a.Getenv("GOGC") == "" {
		defer debug.SetGCPercent(debug.SetGCPercent(garbage))
	}
	x.hasher = bulk.NewHasher()
	x.free = make(chan []byte, filesAhead)
	x.parts = make(chan struct{}, runtime.GOMAXPROCS(0))
	ordered := make(chan *reading, filesAhead)
	defer x.readers.Wait()
	// When the writer returns, stop the goroutines that wait for a channel.
	defer cancel()
	x.readers.Go(func() { x.list(ctx, args, ordered) })
	progress := new(base.Progress)
	if !x.a.OutTTY {
		progress = base.StartProgress(x.a, "URLs in documents")
	}
	defer progress.Close()
	files, octets := 0, int64(0)
	var seen *bulk.Set
	if x.unique {
		seen = bulk.NewSet(bulk.SetOptions{Memory: x.memory.Room(), Folder: x.memory.Folder()})
		defer seen.Close()
	}
	var writeAll func(*reading) bool
	writeAll = func(r *reading) bool {
		for c := range r.chunks {
			found += x.writeChunk(c, seen)
			x.reuse(c.text)
			if x.a.OutputFailed() || x.failed != nil {
				return false
			}
			progress.Update(octets, "%d files, %d URLs", files, found)
			if c.part != nil && !writeAll(c.part) {
				return false
			}
		}
		files += len(r.files)
		octets += r.octets
		return true
	}
	for r := range ordered {
		if !writeAll(r) {
			break
		}
	}
	return found + x.writeRest(seen)
}

// reuse saves the buffer of a chunk for later chunks.
func (x *extractor) reuse(b []byte) {
	if cap(b) == 0 || cap(b) > 4*chunkSize {
		return
	}
	select {
	case x.free <- b[:0]:
	default:
	}
}

// list starts to read the files in args, with one goroutine per processor.
func (x *extractor) list(ctx context.Context, args []string, ordered chan<- *reading) {
	defer close(ordered)
	var readers sync.WaitGroup
	defer readers.Wait()
	busy := make(chan struct{}, runtime.GOMAXPROCS(0))
	start := func(files []listed) bool {
		r := &reading{x: x, files: files, ctx: ctx, chunks: make(chan chunk, chunksAhead)}
		select {
		case ordered <- r:
		case <-ctx.Done():
			return false
		}
		busy <- struct{}{}
		readers.Go(func() {
			r.readAll()
			<-busy
		})
		return true
	}
	var files []listed
	for f, err := range x.files(ctx, args) {
		files = append(files, listed{f, err})
		if f.Named || len(files) == together {
			if !start(files) {
				return
			}
			files = nil
		}
	}
	start(files)
}

// listed is a file or an error that occurred while files were listed.
type listed struct {
	walk.File
	err error
}

func (r *reading) readAll() {
	defer close(r.chunks)
	if r.ctx.Err() != nil {
		return
	}
	for _, f := range r.files {
		if f.err == nil && !r.read(f.File) || f.err != nil && !r.fail(f.err) {
			return
		}
	}
	r.flush()
}

func (x *extractor) files(ctx context.Context, args []string) iter.Seq2[walk.File, error] {
	return func(yield func(walk.File, error) bool) {
		for _, arg := range args {
			if arg == "-" || !x.recursive {
				if !yield(walk.File{Path: arg, Named: true}, nil) {
					return
				}
				continue
			}
			for f, err := range walk.Files(ctx, []string{arg}, &walk.Options{NoIgnore: x.noIgnore, Hidden: x.hidden, Global: walk.GlobalIgnore(x.a.Getenv)}) {
				if ctx.Err() != nil || !yield(f, err) {
					return
				}
			}
		}
	}
}

// writeNew writes the new links in a chunk and returns their number.
func (x *extractor) writeNew(c chunk, seen *bulk.Set) (found int64) {
	b := bulk.Batch{Keys: c.keys, Ends: c.ends, Text: c.text}
	if err := seen.Add(&b); err != nil {
		x.fail(err)
		return 0
	}
	start := 0
	for i, isNew := range b.New {
		if isNew {
			x.a.Out.Write(c.text[start:c.ends[i]])
			found++
		}
		start = c.ends[i]
	}
	return found
}

// fail ends the run after an error in the comparison of links, because later links can't be
// compared.
func (x *extractor) fail(err error) {
	if x.failed == nil {
		x.failed = err
		x.a.Fail(base.StatusAccess, err)
	}
}

// writeRest writes the links that the extractor has not written yet because the set had no memory
// for them. writeRest returns the number of links that it wrote.
func (x *extractor) writeRest(seen *bulk.Set) (found int64) {
	if seen == nil || x.failed != nil {
		return 0
	}
	err := seen.Rest(x.a.Context, func(text []byte, _ uint64) error {
		x.a.Out.Write(text)
		found++
		if x.a.OutputFailed() {
			return io.ErrClosedPipe
		}
		return nil
	})
	if err != nil && x.a.Context.Err() == nil && !x.a.OutputFailed() {
		x.fail(err)
	}
	return found
}

// writeChunk writes a chunk, and returns the number of links that it wrote.
func (x *extractor) writeChunk(c chunk, seen *bulk.Set) (found int64) {
	a := x.a
	if seen == nil {
		a.Out.Write(c.text)
		found = c.links
	} else {
		found = x.writeNew(c, seen)
	}
	if c.flush || a.OutTTY || c.err != nil {
		a.Out.Flush()
	}
	switch {
	case errors.Is(c.err, document.ErrBinary):
		a.Note("%s; use --as text to read it", c.err)
	case c.err != nil:
		a.Fail(base.StatusAccess, c.err)
	}
	return found
}

func (r *reading) read(file walk.File) bool {
	in, err := r.open(file)
	if err != nil {
		return r.fail(err)
	}
	defer in.Close()
	name := file.Path
	if r.x.prefix {
		r.prefix = r.x.shown(name) + ":"
	}
	o := r.x.o
	if name == "-" && o.Type == "" {
		o.Type = "text/plain"
	}
	if cap(r.x.parts) > 1 {
		o.Parts = func(links iter.Seq2[document.Link, error]) bool { return r.part(file, links) }
	}
	if !r.links(file, document.Links(in, name, &o)) {
		return false
	}
	if f, ok := in.(io.Seeker); ok && r.x.a.ErrTTY {
		octets, _ := f.Seek(0, io.SeekCurrent)
		r.octets += octets
	}
	return r.ctx.Err() == nil
}

// part reads the links in a part of a file. Other goroutines read other parts. If the caller must
// stop, part returns false.
func (r *reading) part(file walk.File, links iter.Seq2[document.Link, error]) bool {
	select {
	case r.x.parts <- struct{}{}:
	default:
		// Do not wait for a free goroutine, because parts of later files may wait for this part.
		return r.links(file, links)
	}
	p := &reading{x: r.x, ctx: r.ctx, prefix: r.prefix, chunks: make(chan chunk, partAhead)}
	r.x.readers.Go(func() {
		defer func() { <-r.x.parts }()
		defer close(p.chunks)
		if p.links(file, links) {
			p.flush()
		}
	})
	r.pending.part = p
	return r.flush()
}

// links adds the links in a file to the pending chunk. If the caller must stop, links returns
// false.
func (r *reading) links(file walk.File, links iter.Seq2[document.Link, error]) bool {
	for l, err := range links {
		if err != nil && r.ctx.Err() != nil {
			return false
		}
		if err != nil {
			// Skip binary files in directories and containers without a message.
			var in *document.Error
			if errors.Is(err, document.ErrBinary) && (!file.Named || errors.As(err, &in) && in.Member != "") {
				continue
			}
			if !r.fail(err) {
				return false
			}
			continue
		}
		if r.x.wants(&l) && !r.add(file.Path, &l) {
			return false
		}
	}
	return r.ctx.Err() == nil
}

func (r *reading) open(file walk.File) (io.ReadCloser, error) {
	name := file.Path
	if name == "-" {
		r.x.a.NoteKeyboard("text")
		return waitedReader{io.NopCloser(nil), r, r.x.a.In}, nil
	}
	if !file.Named {
		f, err := walk.Open(name)
		return stoppedFile{f, r.ctx}, err
	}
	f, err := base.OpenContext(r.ctx, name)
	if err != nil {
		return nil, err
	}
	info, err := f.Stat()
	switch {
	case err != nil:
	case info.IsDir():
		err = fmt.Errorf("%s is a directory; use -r to read its files", name)
	case !info.Mode().IsRegular():
		// A pipe may not end until the user presses Ctrl-C.
		return waitedReader{f, r, f}, nil
	default:
		return stoppedFile{f, r.ctx}, nil
	}
	f.Close()
	return nil, err
}

type stoppedFile struct {
	*os.File
	ctx context.Context
}

func (f stoppedFile) Read(p []byte) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.Read(p)
}

func (f stoppedFile) ReadAt(p []byte, at int64) (int, error) {
	if err := f.ctx.Err(); err != nil {
		return 0, err
	}
	return f.File.ReadAt(p, at)
}

// waitedReader flushes the pending links before it waits for input.
type waitedReader struct {
	io.Closer
	r  *reading
	in io.Reader
}

func (w waitedReader) Read(p []byte) (int, error) {
	w.r.pending.flush = true
	if !w.r.flush() {
		return 0, w.r.ctx.Err()
	}
	return base.ReadContext(w.r.ctx, w.in, p)
}

func (r *reading) add(name string, l *document.Link) bool {
	c := &r.pending
	if c.text == nil {
		select {
		case c.text = <-r.x.free:
		default:
			c.text = make([]byte, 0, chunkSize+chunkSize/8)
		}
	}
	if r.x.a.Flags.JSON {
		line := bytes.NewBuffer(c.text)
		e := json.NewEncoder(line)
		e.SetEscapeHTML(false)
		if err := e.Encode(r.x.object(name, l)); err != nil {
			return r.fail(err)
		}
		c.text = line.Bytes()
	} else {
		c.text = r.x.lines(c.text, r.prefix, l)
	}
	c.links++
	if r.x.unique {
		c.ends = append(c.ends, len(c.text))
		key := l.URL.String()
		if key == "" {
			key = l.Ref + "\x00" + l.Base
		}
		c.keys = append(c.keys, r.x.hasher.KeyOf(key))
	}
	return len(c.text) < chunkSize || r.flush()
}

// fail sends an error after the pending chunk. If the caller must stop, fail returns false.
func (r *reading) fail(err error) bool {
	r.pending.err = err
	return r.flush()
}

// flush sends the pending chunk to the writer. If the caller must stop, flush returns false.
func (r *reading) flush() bool {
	c := r.pending
	r.pending = chunk{}
	if len(c.text) == 0 && c.err == nil && c.part == nil {
		return r.ctx.Err() == nil
	}
	select {
	case r.chunks <- c:
		return true
	case <-r.ctx.Done():
		return false
	}
}
