package lines

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/locus-url/locus/warc"
)

// Format is the format of a source.
type Format uint8

// These are the formats of a source.
const (
	Detect Format = iota // detect the format from the content
	Text                 // one URL per line
	CDX                  // a CDX index; if the header is missing, field 3 is the URL
	CDXJ                 // a CDXJ index, with JSON
	WARC                 // a web archive in any format of package warc
)

var formatNames = []string{"", "text", "cdx", "cdxj", "warc"}

// Formats returns the names of the formats.
func Formats() []string { return formatNames[Text:] }

// ParseFormat returns the format with the given name.
func ParseFormat(name string) (Format, error) {
	if i := slices.Index(formatNames, name); i > 0 {
		return Format(i), nil
	}
	return Detect, fmt.Errorf("unknown format %q: choose %s", name, strings.Join(Formats(), ", "))
}

// readContent delivers the lines of a decompressed source.
func (r *reader) readContent(in *bufio.Reader) error {
	r.finder = r.o.Finder
	if r.o.Column != "" || r.finder != nil {
		return r.readTable(in)
	}
	format := r.o.Format
	var first []byte
	var err error
	if format != Text {
		first = firstLine(in)
	}
	if format == Detect {
		if format = formatOf(first); format == Text {
			err = r.recognize(in)
		}
	}
	if err != nil {
		return err
	}
	switch format {
	case CDX:
		r.finder, err = newCDX(first)
	case CDXJ:
		r.finder = newCDXJ()
	case WARC:
		r.unit = "record"
		return r.lines(&targetReader{in: warc.NewReader(in)})
	}
	if err != nil {
		return err
	}
	return r.lines(in)
}

// readTable delivers the lines of a source whose URLs are in fields or in JSON.
func (r *reader) readTable(in *bufio.Reader) error {
	in.Peek(1) // the next read repeats an error
	if err := recognizeParquet(in); err != nil {
		return err
	}
	if r.o.Column != "" {
		if err := r.readHeader(in); err != nil {
			return err
		}
	}
	return r.lines(in)
}

// firstLine returns the first line without the line end. If the line is longer than the
// buffer, firstLine returns the beginning of the line. The next read repeats an error.
func firstLine(in *bufio.Reader) []byte {
	for {
		head, err := in.Peek(in.Buffered())
		if end := bytes.IndexByte(head, '\n'); end >= 0 {
			return bytes.TrimSuffix(head[:end], []byte{'\r'})
		}
		if err == nil {
			_, err = in.Peek(in.Buffered() + 1)
		}
		if err != nil {
			return head
		}
	}
}

// formatOf determines the format of a source from the source's first line.
func formatOf(line []byte) Format {
	switch {
	case warc.IsFirstLine(line):
		return WARC
	case isCDXHeader(line), isCDX(line):
		return CDX
	case isCDXJ(line):
		return CDXJ
	}
	return Text
}

// targetReader reads a web archive as text, with a line for each record. The line contains the
// record's target if the record holds a resource or a fetch. Otherwise, the line is empty.
type targetReader struct {
	in   *warc.Reader
	line []byte // unread bytes of the current line
	kept bytes.Buffer
}

// maxWAT is the maximum size of a WAT record's block in which to search for the target.
const maxWAT = 16 << 20

// Read returns bytes from only one line, so that lines from a pipe are not delayed.
func (t *targetReader) Read(p []byte) (int, error) {
	if len(t.line) == 0 {
		record, err := t.in.Next()
		if err != nil {
			return 0, err
		}
		t.line = append(append(t.line[:0], t.targetOf(record)...), '\n')
	}
	n := copy(p, t.line)
	t.line = t.line[n:]
	return n, nil
}

// targetOf returns the target of a record. For a request, targetOf returns "", because the
// response has the same target.
func (t *targetReader) targetOf(r *warc.Record) string {
	typ := r.Type
	if typ == "metadata" && strings.HasPrefix(r.Get("Content-Type"), "application/json") {
		typ = t.describedType(r)
	}
	switch typ {
	case "response", "resource", "revisit", "conversion":
		return r.Target()
	}
	return ""
}

// describedType returns the type of the record that a WAT record describes.
func (t *targetReader) describedType(r *warc.Record) string {
	t.kept.Reset()
	if _, err := io.CopyN(&t.kept, r, maxWAT); err != io.EOF {
		return "response" // the record is truncated or too long; most long records are responses
	}
	typ, err := warc.WATType(t.kept.Bytes())
	if err != nil {
		return "response"
	}
	return typ
}
