// Package warc reads and writes web archives.
//
// A [Reader] reads WARC 1.0 and 1.1 (ISO 28500) and the older ARC format. It also accepts
// the mistakes of common writers. A Reader limits the length of headers but not the length
// of blocks. The caller must limit how much it reads from a block, because the block may be
// compressed. The memory usage does not depend on the size of the file.
//
// A [Writer] writes WARC 1.1 with digests, revisit records and an index of [CDXJ] lines. It
// rejects values that a reader would parse as another field or record.
package warc

import (
	"bufio"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
)

var (
	// ErrFormat means that the archive is damaged, or that the file is not an archive.
	ErrFormat = errors.New("warc: not a record of a WARC or ARC file")
	// ErrLimit means that a record header exceeds the limit of this package.
	ErrLimit = errors.New("warc: header too long")
)

const (
	// maxLine is the maximum length of a header line, in bytes.
	maxLine = 64 << 10
	// maxHeader is the maximum length of a header, in bytes.
	maxHeader = 1 << 20
	// maxGap is the maximum number of bytes between two records.
	maxGap = 1 << 20
)

// Field is a named header field as written. The value is unfolded, and white space around
// it is removed.
type Field struct{ Name, Value string }

// Record is a record of an archive. The method Read reads the block of the record.
type Record struct {
	// Version is "WARC/1.1", or "ARC/1" for an ARC file.
	Version string
	// Type is the type of the record in lower case, such as "response". In an ARC file, the
	// type of the first record is "warcinfo". The type of a record whose block begins like
	// an HTTP response is "response", and the type of any other record is "resource".
	Type string
	// Fields contains the named fields of a WARC record. For an ARC record, Fields contains
	// the corresponding WARC fields: WARC-Target-URI, WARC-Date, WARC-IP-Address,
	// Content-Type and Content-Length.
	Fields []Field
	// Offset is the offset of the record in the file. For a compressed record, it is the offset
	// of the gzip member.
	Offset int64
	// Length is the length of the block in bytes. If the header contains no length, Length
	// is -1, and the block ends with the file.
	Length int64

	block io.Reader
}

// Get returns the value of the first field with the given name, ignoring case. If there is
// no such field, Get returns "".
func (r *Record) Get(name string) string {
	for _, f := range r.Fields {
		if strings.EqualFold(f.Name, name) {
			return f.Value
		}
	}
	return ""
}

// Target returns the target URI as written, without the "<" and ">" that some writers add.
// It returns "" for a record without a target.
func (r *Record) Target() string {
	uri := r.Get("WARC-Target-URI")
	if inner, ok := strings.CutPrefix(uri, "<"); ok && strings.HasSuffix(inner, ">") {
		return inner[:len(inner)-1]
	}
	return uri
}

// Date returns the time when the record was made. If the date is missing or malformed, Date
// returns the zero time.
func (r *Record) Date() time.Time {
	t, err := time.Parse(time.RFC3339Nano, r.Get("WARC-Date"))
	if err != nil {
		return time.Time{}
	}
	return t
}

// Read reads the block of the record. If the file ends before the end of the block, the
// error is io.ErrUnexpectedEOF.
func (r *Record) Read(p []byte) (int, error) { return r.block.Read(p) }

// Reader reads the records in an archive. It may be used by one goroutine at a time.
type Reader struct {
	in     *counter
	z      *gzip.Reader // nil if the file is not compressed, and between gzip members
	r      *bufio.Reader
	start  int64 // file offset of the record
	record *Record
	arc    bool
	err    error
}

// counter counts the bytes read from a file, to find the offset of each gzip member. It implements
// io.ByteReader, so that compress/gzip does not read beyond the end of a member.
type counter struct {
	*bufio.Reader
	n int64
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.n += int64(n)
	return n, err
}

func (c *counter) ReadByte() (byte, error) {
	b, err := c.Reader.ReadByte()
	if err == nil {
		c.n++
	}
	return b, err
}

// NewReader returns a Reader for the archive file that r reads. The reader r must be at the
// beginning of the file. The file may be compressed with gzip.
func NewReader(r io.Reader) *Reader {
	return &Reader{in: &counter{Reader: bufio.NewReaderSize(r, 64<<10)}}
}

// Next skips the rest of the previous record and returns the next record. At the end of the file
// the error is io.EOF. Next also returns a truncated record, but reading the block of such a record
// fails. After any other error, every call returns the same error.
func (r *Reader) Next() (*Record, error) {
	if r.err == nil {
		r.record, r.err = r.next()
	}
	if r.err != nil {
		return nil, r.err
	}
	return r.record, nil
}

func (r *Reader) next() (*Record, error) {
	if r.record != nil {
		if _, err := io.Copy(io.Discard, r.record.block); err != nil {
			return nil, fmt.Errorf("%w: the record at offset %d is truncated", err, r.record.Offset)
		}
	}
	first := r.r == nil
	for {
		if r.r == nil {
			if err := r.beginMember(); err != nil {
				return nil, err
			}
		}
		line, err := r.readFirstLine()
		if err == io.EOF && r.z != nil {
			r.r = nil // continue with the next gzip member
			continue
		}
		if err != nil {
			return nil, err
		}
		rec, err := r.header(line, first)
		if err != nil {
			return nil, err
		}
		return rec, nil
	}
}

// beginMember begins the next gzip member, or the file if the file is not compressed.
func (r *Reader) beginMember() error {
	r.start = r.in.n
	head, err := r.in.Peek(2)
	if len(head) == 0 {
		return err
	}
	if string(head) != "\x1F\x8B" {
		if r.z != nil { // the bytes after the last gzip member, such as zeros, are not a gzip member
			return fmt.Errorf("%w: offset %d", ErrFormat, r.in.n)
		}
		r.r = bufio.NewReaderSize(r.in, maxLine)
		return nil
	}
	if r.z == nil {
		r.z, err = gzip.NewReader(r.in)
	} else {
		err = r.z.Reset(r.in)
	}
	if err != nil {
		return fmt.Errorf("warc: offset %d: %w", r.start, err)
	}
	r.z.Multistream(false)
	r.r = bufio.NewReaderSize(r.z, maxLine)
	return nil
}

// readFirstLine returns the first line of the next record.
func (r *Reader) readFirstLine() (string, error) {
	for skipped := 0; ; {
		if r.z == nil {
			r.start = r.in.n - int64(r.r.Buffered())
		}
		line, err := r.readLine()
		switch {
		case err != nil:
			return "", err
		case strings.HasPrefix(line, "WARC/"), isARC(line):
			return line, nil
		case line != "" && !r.hasRecord():
			return "", fmt.Errorf("%w: offset %d", ErrFormat, r.start)
		}
		// Empty lines end a record. There may be other lines if the record's length was too
		// small.
		if skipped += len(line) + 1; skipped > maxGap {
			return "", fmt.Errorf("%w: offset %d", ErrFormat, r.start)
		}
	}
}

// hasRecord reports whether the Reader has already read a record. In that case, invalid text
// means that the archive is damaged. Otherwise, the file is not a web archive.
func (r *Reader) hasRecord() bool { return r.record != nil }

// readLine reads a line without its newline. For a line without a newline at the end of the
// file, it returns io.EOF.
func (r *Reader) readLine() (string, error) {
	text, err := r.r.ReadSlice('\n')
	switch {
	case err == bufio.ErrBufferFull && r.hasRecord():
		return "\x00", nil // an invalid header line, in place of a line that is too long
	case err == bufio.ErrBufferFull:
		return "", fmt.Errorf("%w: offset %d", ErrFormat, r.start)
	case err == io.EOF:
		return "", io.EOF
	case err != nil:
		return "", fmt.Errorf("warc: offset %d: %w", r.start, err)
	}
	return strings.TrimRight(string(text), "\r\n"), nil
}

func (r *Reader) header(line string, first bool) (*Record, error) {
	rec := &Record{Offset: r.start, Length: -1}
	if strings.HasPrefix(line, "WARC/") {
		if err := r.readFields(rec, line); err != nil {
			return nil, err
		}
	} else {
		head, _ := r.r.Peek(len("HTTP/"))
		rec.setARCFields(line, first || !r.arc, string(head) == "HTTP/")
		r.arc = true
	}
	if n, err := strconv.ParseInt(rec.Get("Content-Length"), 10, 64); err == nil && n >= 0 {
		rec.Length = n
	}
	rec.block = &block{r: r.r, left: rec.Length}
	return rec, nil
}

// readFields reads the named fields of a WARC record.
func (r *Reader) readFields(rec *Record, version string) error {
	rec.Version = strings.TrimSpace(version)
	for size := 0; ; {
		line, err := r.readLine()
		if err == io.EOF {
			err = fmt.Errorf("%w: the header at offset %d is truncated", io.ErrUnexpectedEOF, r.start)
		}
		if err != nil {
			return err
		}
		if line == "" {
			rec.Type = strings.ToLower(rec.Get("WARC-Type"))
			return nil
		}
		if size += len(line); size > maxHeader {
			return fmt.Errorf("%w: offset %d", ErrLimit, r.start)
		}
		name, value, ok := strings.Cut(line, ":")
		switch n := len(rec.Fields); {
		case line[0] == ' ' || line[0] == '\t':
			if n > 0 { // a folded line continues the previous field
				rec.Fields[n-1].Value += " " + strings.TrimSpace(line)
			}
		case ok:
			rec.Fields = append(rec.Fields, Field{strings.TrimSpace(name), strings.TrimSpace(value)})
		}
	}
}

// isARC reports whether a line is the header of a record in an ARC file. The line contains a URL,
// an address, a date of 14 digits, a type and a length. In version 2, the line contains five
// additional fields.
func isARC(line string) bool {
	f := strings.Split(line, " ")
	if len(f) != 5 && len(f) != 10 || !strings.Contains(f[0], ":") || len(f[2]) < 8 || len(f[2]) > 14 {
		return false
	}
	_, errDate := strconv.ParseUint(f[2], 10, 64)
	_, errLength := strconv.ParseUint(f[len(f)-1], 10, 63)
	return errDate == nil && errLength == nil
}

// setARCFields sets the fields of an ARC record from its first line.
func (r *Record) setARCFields(line string, first, isHTTP bool) {
	f := strings.Split(line, " ")
	r.Version, r.Type = "ARC/1", "resource"
	switch {
	case first && strings.HasPrefix(f[0], "filedesc:"):
		r.Type = "warcinfo"
	case isHTTP:
		r.Type = "response"
	}
	r.Fields = []Field{{"WARC-Target-URI", f[0]}, {"WARC-IP-Address", f[1]}, {"Content-Type", f[3]}, {"Content-Length", f[len(f)-1]}}
	if t, err := time.Parse("20060102150405", f[2]); err == nil {
		r.Fields = append(r.Fields, Field{"WARC-Date", t.Format(time.RFC3339)})
	}
}

type block struct {
	r    io.Reader
	left int64 // number of unread bytes; -1 means that the block ends with the file
	err  error
}

func (b *block) Read(p []byte) (n int, err error) {
	if b.left == 0 {
		return 0, io.EOF
	}
	if b.err != nil {
		return 0, b.err
	}
	if b.left > 0 && int64(len(p)) > b.left {
		p = p[:b.left]
	}
	n, err = b.r.Read(p)
	if b.left > 0 {
		b.left -= int64(n)
	}
	if err == io.EOF && b.left > 0 {
		err = io.ErrUnexpectedEOF
	}
	if b.err = err; b.left == 0 {
		b.err = nil
		err = nil
	}
	return n, err
}
