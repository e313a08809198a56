package pipeline

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/lines"
	"github.com/locus-url/locus/internal/unpack"
	"github.com/locus-url/locus/warc"
)

// Source is a file to read.
type Source struct {
	Path string
	Size int64 // in octets, as it is stored
	Text bool  // it is plain text: workers can share it
	Seek bool  // reading can begin anywhere
	Side int   // of Join: 1 is the other list
}

// Pattern is a name of files.
type Pattern struct {
	Glob string
	Side int
}

// matchFn finds the files of a pattern, and what they are.
type matchFn struct {
	Lines bool // every file has lines, whatever its first octets
}

// ProcessElement implements the SDK's DoFn.
func (f *matchFn) ProcessElement(ctx context.Context, p Pattern, emit func(Source)) error {
	fs, err := filesystem.New(ctx, p.Glob)
	if err != nil {
		return err
	}
	defer fs.Close()
	paths, err := fs.List(ctx, p.Glob)
	if err != nil {
		return fmt.Errorf("%s: %w", shown(p.Glob), err)
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s: no such file, and no file matches", shown(p.Glob))
	}
	slices.Sort(paths)
	files := 0
	for _, path := range slices.Compact(paths) {
		s := Source{Path: path, Side: p.Side}
		if s.Size, err = fs.Size(ctx, path); err == nil {
			err = f.look(ctx, fs, &s)
		}
		if errors.Is(err, errFolder) {
			continue
		}
		if err != nil {
			return fmt.Errorf("%s: %w", shown(path), err)
		}
		files++
		if s.Size > 0 {
			emit(s)
		}
	}
	if files == 0 {
		return fmt.Errorf("%s: it is a folder; name its files, as with /*", shown(p.Glob))
	}
	return nil
}

var errFolder = errors.New("it is a folder")

// shown returns the name of a file for a message.
func shown(path string) string { return locus.Quote(locus.MaskText(path)) }

// look looks at the first octets of s.
func (f *matchFn) look(ctx context.Context, fs filesystem.Interface, s *Source) error {
	in, err := fs.OpenRead(ctx, s.Path)
	if err != nil {
		return err
	}
	defer in.Close()
	if file, ok := in.(*os.File); ok {
		info, err := file.Stat()
		if err != nil {
			return err
		}
		if info.IsDir() {
			return errFolder
		}
		if !info.Mode().IsRegular() {
			return errors.New("it is not a regular file")
		}
	}
	_, s.Seek = in.(io.Seeker)
	head, err := io.ReadAll(io.LimitReader(in, headSize))
	if err != nil {
		return err
	}
	s.Text = isText(ctx, head, f.Lines)
	return nil
}

// headSize is how many octets of a file show what it is.
const headSize = 64 << 10

// isText reports whether a file that begins with head is text with a URL a line, or with
// fields: not compressed, and not in a format whose lines depend on others.
func isText(ctx context.Context, head []byte, fields bool) bool {
	if format, _ := unpack.Detect(head); format != unpack.None || bytes.HasPrefix(head, []byte("\xFE\xFF")) || bytes.HasPrefix(head, []byte("\xFF\xFE")) {
		return false
	}
	if fields {
		return true
	}
	first, _, _ := bytes.Cut(head, []byte{'\n'})
	if warc.IsFirstLine(bytes.TrimSuffix(first, []byte{'\r'})) {
		return false
	}
	for b := range lines.Blocks(ctx, []string{"-"}, &lines.Options{Stdin: bytes.NewReader(head)}) {
		return b.Err == nil && b.Finder == nil
	}
	return true
}

// open opens s at an offset.
func open(ctx context.Context, s Source, offset int64) (*reading, error) {
	fs, err := filesystem.New(ctx, s.Path)
	if err != nil {
		return nil, err
	}
	in, err := fs.OpenRead(ctx, s.Path)
	if err != nil {
		fs.Close()
		return nil, err
	}
	r := &reading{in: in, fs: fs}
	if offset == 0 {
		return r, nil
	}
	if seeker, ok := in.(io.Seeker); ok {
		_, err = seeker.Seek(offset, io.SeekStart)
	} else {
		_, err = io.CopyN(io.Discard, in, offset)
	}
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// reading is an open file. It remembers whether reading failed: the runner then tries
// again. What is wrong with the content of a file stays wrong.
type reading struct {
	in     io.ReadCloser
	fs     filesystem.Interface
	octets int64
	err    error
}

func (r *reading) Read(p []byte) (int, error) {
	n, err := r.in.Read(p)
	r.octets += int64(n)
	if err != nil && err != io.EOF {
		r.err = err
	}
	return n, err
}

func (r *reading) Close() error { return errors.Join(r.in.Close(), r.fs.Close()) }

// document returns r with what package document needs to read a zip archive in place.
func (r *reading) document() io.Reader {
	file, ok := r.in.(interface {
		io.ReaderAt
		io.Seeker
	})
	if !ok {
		return r
	}
	return struct {
		io.Reader
		io.ReaderAt
		io.Seeker
	}{r, file, file}
}

// skipLine reads to the end of a line, and returns how many octets that are.
func skipLine(in *bufio.Reader) (n int64, err error) {
	for {
		part, err := in.ReadSlice('\n')
		n += int64(len(part))
		if err != bufio.ErrBufferFull {
			return n, err
		}
	}
}
