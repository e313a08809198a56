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

// The formats.
const (
	Detect Format = iota // detect the format from the content
	Text                 // one URL per line
	CDX                  // a CDX index; without a header, field 3 is the URL
	CDXJ                 // a CDXJ index, with JSON
	WARC                 // a web archive in any format of package warc
)

var formatNames = []string{"", "text", "cdx", "cdxj", "warc"}

// Formats returns the names of the formats.
func Formats() []string { return formatNames[Text:] }

// ParseFormat returns the format with the name.
func ParseFormat(name string) (Format, error) {
	if i := slices.Index(formatNames, name); i > 0 {
		return Format(i), nil
	}
	return Detect, fmt.Errorf("unknown format %q: choose %s", name, strings.Join(Formats(), ", "))
}

// content delivers the lines of a decompressed source.
func (r *reader) content(in *bufio.Reader) error {
	r.finder = r.o.Finder
	if r.o.Column != "" || r.finder != nil {
		return r.table(in)
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
		return r.lines(&targets{in: warc.NewReader(in)})
	}
	if err != nil {
		return err
	}
	return r.lines(in)
}

// table delivers the lines in a source with URLs in fields or in JSON.
func (r *reader) table(in *bufio.Reader) error {
	in.Peek(1) // the next read repeats an error
	if err := recognizeParquet(in); err != nil {
		return err
	}
	if r.o.Column != "" {
		if err := r.header(in); err != nil {
			return err
		}
	}
	return r.lines(in)
}

// firstLine returns the first line without its end, or the part that fits the buffer. The next read
// repeats an error.
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

// formatOf returns the format of a source from its first line.
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

// targets reads a web archive as lines, one for each record. If the record holds a resource or a
// fetch, the line is the target of the record; otherwise it is empty.
type targets struct {
	in   *warc.Reader
	line []byte // rest of the line
	kept bytes.Buffer
}

// maxWAT limits the block that is read to find the target of a record in a WAT file.
const maxWAT = 16 << 20

// Read reads from the line of one record only, so that lines from a pipe are not delayed.
func (t *targets) Read(p []byte) (int, error) {
	if len(t.line) == 0 {
		record, err := t.in.Next()
		if err != nil {
			return 0, err
		}
		t.line = append(append(t.line[:0], t.target(record)...), '\n')
	}
	n := copy(p, t.line)
	t.line = t.line[n:]
	return n, nil
}

// target returns the target of a record. For a request it returns "", because the response has the
// same target.
func (t *targets) target(r *warc.Record) string {
	typ := r.Type
	if typ == "metadata" && strings.HasPrefix(r.Get("Content-Type"), "application/json") {
		typ = t.described(r)
	}
	switch typ {
	case "response", "resource", "revisit", "conversion":
		return r.Target()
	}
	return ""
}

// described returns the type of the record that a WAT record describes.
func (t *targets) described(r *warc.Record) string {
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
