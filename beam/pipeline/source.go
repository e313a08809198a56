package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/locus-url/locus/internal/lines"
	"github.com/locus-url/locus/internal/unpack"
	"github.com/locus-url/locus/warc"
)

// Source is a file to read.
type Source struct {
	Path string
	Side int   // of Join: 1 is the other list
	Size int64 // in octets, as it is stored
	Text bool  // it is plain text: workers can share it
	Seek bool  // reading can begin anywhere
	// Packed: the file is compressed.
	Packed bool
	// Parquet: the file is Apache Parquet.
	Parquet bool
	// First is the first line of an index of a web archive, which tells where its lines
	// have the URL; empty: each line is a URL.
	First string
}

// Pattern is a name of files.
type Pattern struct {
	Glob string
	Side int
}

// matchFn finds the files of a pattern. Folders are not files.
type matchFn struct{}

// ProcessElement implements the SDK's DoFn.
func (*matchFn) ProcessElement(ctx context.Context, p Pattern, emit func(Source)) error {
	paths, err := listFiles(ctx, p.Glob)
	if err != nil {
		return fmt.Errorf("%s: %w", shown(p.Glob), err)
	}
	if len(paths) == 0 {
		return fmt.Errorf("%s: no such file, and no file matches", shown(p.Glob))
	}
	files := 0
	for _, path := range paths {
		folder, err := isFolder(path)
		if err != nil {
			return fmt.Errorf("%s: %w", shown(path), err)
		}
		if !folder {
			files++
			emit(Source{Path: path, Side: p.Side})
		}
	}
	if files == 0 {
		return fmt.Errorf("%s: is a directory: name its files, as with /*", shown(p.Glob))
	}
	return nil
}

// isFolder reports whether a local path is a folder. The other file systems have none.
func isFolder(path string) (bool, error) {
	if strings.Contains(path, "://") {
		return false, nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return false, reasonOf(err)
	case !info.IsDir() && !info.Mode().IsRegular():
		return false, errors.New("not a regular file")
	}
	return info.IsDir(), nil
}

// lookFn finds out what files are. Each one takes several requests on gs:// and s3://, so
// workers share them.
type lookFn struct {
	Lines bool // every file has lines, whatever its first octets
	Lists bool // the files are lists of URLs
}

// ProcessElement implements the SDK's DoFn.
func (f *lookFn) ProcessElement(ctx context.Context, s Source, emit func(Source)) error {
	if err := f.look(ctx, &s); err != nil {
		return fmt.Errorf("%s: %w", shown(s.Path), err)
	}
	if s.Size > 0 {
		emit(s)
	}
	return nil
}

// look looks at the size and the first octets of s.
func (f *lookFn) look(ctx context.Context, s *Source) error {
	in, err := open(ctx, *s, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	if s.Size, err = in.fs.Size(ctx, s.Path); err != nil {
		return err
	}
	_, s.Seek = in.in.(io.Seeker)
	head, err := io.ReadAll(io.LimitReader(in, headSize))
	if err != nil {
		return reasonOf(err)
	}
	format, _ := unpack.Detect(head)
	s.Packed = format != unpack.None
	if s.Parquet = lines.IsParquet(head); s.Parquet {
		return nil
	}
	s.Text, s.First = isText(ctx, head, f.Lines)
	if !f.Lists {
		return nil
	}
	return f.recognize(unpacked(head, format))
}

// recognize returns an error for a list whose lines have more than a URL. Parquet is read only
// if it is not compressed as a file.
func (f *lookFn) recognize(head []byte) error {
	switch err := lines.Recognize(head, false); {
	case lines.IsParquet(head):
		return errors.New("compressed Parquet file: decompress it first")
	case f.Lines || err == nil:
		return nil
	default:
		return fmt.Errorf("%w: choose them with field and delimiter, or with key", err)
	}
}

// unpacked returns the first octets of a file that begins with head. It is damage if there are
// none, which reading the file reports.
func unpacked(head []byte, format unpack.Format) []byte {
	in, err := unpack.NewReader(bytes.NewReader(head), format)
	if err != nil {
		return nil
	}
	defer in.Close()
	head, _ = io.ReadAll(io.LimitReader(in, headSize))
	return head
}

// headSize is how many octets of a file show what it is.
const headSize = 64 << 10

// isText reports whether a file that begins with head has lines that can be read without
// those before: it is not compressed, and no archive. For CDX and CDXJ it returns the first
// line. fields: all files have lines.
func isText(ctx context.Context, head []byte, fields bool) (text bool, index string) {
	if format, _ := unpack.Detect(head); format != unpack.None || bytes.HasPrefix(head, []byte("\xFE\xFF")) || bytes.HasPrefix(head, []byte("\xFF\xFE")) {
		return false, ""
	}
	if fields {
		return true, ""
	}
	first, _, whole := bytes.Cut(head, []byte{'\n'})
	if warc.IsFirstLine(bytes.TrimSuffix(first, []byte{'\r'})) {
		return false, ""
	}
	for b := range lines.Blocks(ctx, []string{"-"}, &lines.Options{Stdin: bytes.NewReader(head)}) {
		if b.Finder == nil {
			return b.Err == nil, ""
		}
		return whole, string(first)
	}
	return true, ""
}
