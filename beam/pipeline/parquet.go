package pipeline

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/parquet-go/parquet-go"

	"github.com/locus-url/locus"
)

// parquet counts the values of a column in a Parquet file. It holds one page of the column in
// memory.
func (f *scanFn) parquet(ctx context.Context, s Source, bury deadLetterWriter) (err error) {
	in, err := open(ctx, s, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	file, done, err := in.file(s.Size)
	if err != nil {
		return reasonOf(err)
	}
	defer done()
	defer func() {
		// The library panics on some damaged files.
		if r := recover(); r != nil {
			err = fmt.Errorf("the file is damaged: %v", r)
		}
		if err != nil && in.err() == nil && ctx.Err() == nil {
			err = &damageError{err}
		}
	}()
	column, err := f.Options.columnOf(file, s.Size)
	if err != nil {
		return reasonOf(err)
	}
	f.read += s.Size
	return f.column(ctx, s, column, bury)
}

// file returns the whole file, and a function that releases the file. If the file does not support
// random access, file copies it to a temporary file. Such a file must not be larger than the
// number of bytes in size.
func (r *reading) file(size int64) (file io.ReaderAt, done func(), err error) {
	if file, ok := r.in.(io.ReaderAt); ok {
		return file, func() {}, nil
	}
	copied, err := os.CreateTemp("", "locus-beam-*.parquet")
	if err != nil {
		return nil, nil, err
	}
	done = func() {
		copied.Close()
		os.Remove(copied.Name())
	}
	n, err := io.Copy(copied, io.LimitReader(r, size+1))
	if err == nil && n > size {
		err = fmt.Errorf("the file has more than the %d bytes that its file system reports", size)
	}
	if err != nil {
		done()
		return nil, nil, err
	}
	return copied, done, nil
}

// parquetColumn is a text column of a Parquet file.
type parquetColumn struct {
	file  *parquet.File
	index int // index of the column in each row group
}

// columnOf opens the column that contains the URLs.
func (o Options) columnOf(in io.ReaderAt, size int64) (c parquetColumn, err error) {
	if err := checkFooter(in, size); err != nil {
		return c, err
	}
	file, err := parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return c, fmt.Errorf("the file is damaged: %w", err)
	}
	paths := file.Schema().Columns()
	var names []string
	for _, path := range paths {
		names = append(names, strings.Join(path, "."))
	}
	c = parquetColumn{file, o.leaf(names)}
	if c.index < 0 {
		return c, fmt.Errorf("choose a column of this Parquet file with key: %s", strings.Join(names, ", "))
	}
	leaf, _ := file.Schema().Lookup(paths[c.index]...)
	if kind := leaf.Node.Type().Kind(); kind != parquet.ByteArray && kind != parquet.FixedLenByteArray {
		return c, fmt.Errorf("column %s has values of type %s, not text", names[c.index], leaf.Node.Type())
	}
	return c, nil
}

// leaf returns the index of the column that contains the URLs. Options.Field selects the column by
// number, and Options.Key by name. If there is no column with this name, leaf returns the only
// column whose name begins with the key and a dot. If there are no such columns or several, it
// returns -1.
func (o Options) leaf(names []string) int {
	switch {
	case o.Field > 0 && o.Field <= len(names):
		return o.Field - 1
	case o.Field < 0 && -o.Field <= len(names):
		return len(names) + o.Field
	case o.Key == "":
		return -1
	}
	found := -1
	for i, name := range names {
		switch {
		case name == o.Key:
			return i
		case strings.HasPrefix(name, o.Key+".") && found >= 0:
			return -1
		case strings.HasPrefix(name, o.Key+"."):
			found = i
		}
	}
	return found
}

const (
	// footerEnd is the size of the last field in a Parquet file, which contains the footer
	// length and the magic number.
	footerEnd = 8
	// maxFooter is the maximum size of the footer, in bytes.
	maxFooter = 256 << 20
)

// checkFooter returns an error for a truncated file, so that the library allocates no memory for a
// wrong footer length.
func checkFooter(in io.ReaderAt, size int64) error {
	var end [footerEnd]byte
	if size < footerEnd {
		return errCutParquet
	}
	if _, err := in.ReadAt(end[:], size-footerEnd); err != nil && err != io.EOF {
		return err
	}
	length := int64(end[0]) | int64(end[1])<<8 | int64(end[2])<<16 | int64(end[3])<<24
	switch {
	case string(end[4:]) != "PAR1":
		return errCutParquet
	case length > size-footerEnd:
		return errCutParquet
	case length > maxFooter:
		return fmt.Errorf("the footer has %d bytes: the limit is %d", length, maxFooter)
	}
	return nil
}

var errCutParquet = errors.New("the Parquet file is truncated: its footer is missing")

// column counts the values of a column.
func (f *scanFn) column(ctx context.Context, s Source, c parquetColumn, bury deadLetterWriter) error {
	row := int64(0)
	for i, group := range c.file.RowGroups() {
		if err := c.checkPages(ctx, i); err != nil {
			return err
		}
		pages := group.ColumnChunks()[c.index].Pages()
		err := f.pages(ctx, s, pages, &row, bury)
		if closeErr := pages.Close(); err == nil {
			err = closeErr
		}
		if err != nil {
			return err
		}
	}
	if rows := c.file.NumRows(); row != rows {
		return fmt.Errorf("the file is damaged: the column has %d of %d rows", row, rows)
	}
	return nil
}

// pages counts the values in pages. The parameter row points to the number of the last row before
// these pages.
func (f *scanFn) pages(ctx context.Context, s Source, pages parquet.Pages, row *int64, bury deadLetterWriter) error {
	for ctx.Err() == nil {
		page, err := pages.ReadPage()
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("after row %d: %w", *row, err)
		}
		err = f.values(s, page.Values(), row, bury)
		parquet.Release(page)
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// values counts the values that it reads from in. The parameter row points to the number of the
// last row before these values.
func (f *scanFn) values(s Source, in parquet.ValueReader, row *int64, bury deadLetterWriter) error {
	var values [256]parquet.Value
	for {
		n, err := in.ReadValues(values[:])
		for _, v := range values[:n] {
			if v.RepetitionLevel() == 0 {
				*row++
			}
			if !v.IsNull() {
				f.value(s, v.ByteArray(), place{unitRow, *row}, bury)
			}
		}
		switch {
		case err == io.EOF:
			return nil
		case err != nil:
			return fmt.Errorf("after row %d: %w", *row, err)
		}
	}
}

// value counts a column value as a record.
func (f *scanFn) value(s Source, value []byte, at place, bury deadLetterWriter) {
	if len(value) > maxLine {
		f.lines++
		bury(at, value[:locus.MaxLen], fmt.Errorf("the value has %d bytes: the limit is %d", len(value), maxLine))
		return
	}
	f.line(s, nil, value, at, bury)
}
