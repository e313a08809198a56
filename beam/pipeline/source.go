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

// Source is an input file of a pipeline.
type Source struct {
	Path string
	Side int   // index of the input list for the pipeline Join; 1 means the second list
	Size int64 // size of the stored file, in bytes
	Text bool  // plain text, so that several workers can share the file
	Seek bool  // reading can begin at any offset
	// Packed reports whether the file is compressed.
	Packed bool
	// Parquet reports whether the file is Apache Parquet.
	Parquet bool
	// First is the first line of a web archive index. It shows which field of each line
	// contains the URL. If First is empty, each line is a URL.
	First string
}

// Pattern is a pattern of file names.
type Pattern struct {
	Glob string
	Side int
}

// matchFn finds the files that match a pattern. It ignores directories.
type matchFn struct{}

// ProcessElement implements the Beam DoFn method.
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

// isFolder reports whether a local path is a directory. Other file systems have no directories.
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

// lookFn detects the formats of files. The files are distributed over the workers, because a file
// on gs:// or s3:// needs several requests.
type lookFn struct {
	Lines bool // all files consist of lines, so lookFn ignores their first bytes
	Lists bool // the files are lists of URLs
}

// ProcessElement implements the Beam DoFn method.
func (f *lookFn) ProcessElement(ctx context.Context, s Source, emit func(Source)) error {
	if err := f.look(ctx, &s); err != nil {
		return fmt.Errorf("%s: %w", shown(s.Path), err)
	}
	if s.Size > 0 {
		emit(s)
	}
	return nil
}

// look sets the fields of s from its size and first bytes.
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

// recognize returns an error for compressed Parquet files, and for lists with lines that
// contain more than a URL.
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

// unpacked returns the first decompressed bytes of a file that begins with head. If it returns no
// bytes, the file is damaged, and a later read of the file reports the damage.
func unpacked(head []byte, format unpack.Format) []byte {
	in, err := unpack.NewReader(bytes.NewReader(head), format)
	if err != nil {
		return nil
	}
	defer in.Close()
	head, _ = io.ReadAll(io.LimitReader(in, headSize))
	return head
}

// headSize is the number of bytes from which lookFn detects the format of a file.
const headSize = 64 << 10

// isText reports whether a file consists of independent lines, so that it is neither compressed
// nor an archive. The parameter head holds the first bytes of the file. For CDX and CDXJ files,
// isText also returns the first line. If the parameter fields is true, isText treats all files
// without compression as lines.
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
