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

// Format is what the lines of a source are.
type Format uint8

// The formats.
const (
	Detect Format = iota // the content tells
	Text                 // a URL a line
	CDX                  // an index with fields that a header names, or the third is the URL
	CDXJ                 // an index with JSON
	WARC                 // a web archive, in any form that package warc reads
)

var formatNames = []string{"", "text", "cdx", "cdxj", "warc"}

// Formats returns the names of the formats.
func Formats() []string { return formatNames[Text:] }

// ParseFormat returns the format of that name.
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

// table delivers the lines of a source whose URLs are in fields or in JSON.
func (r *reader) table(in *bufio.Reader) error {
	in.Peek(1) // an error comes again
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

// firstLine returns the first line without its end, or as much of it as the buffer holds.
// An error comes again.
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

// formatOf returns the format of a source by its first line.
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

// targets reads a web archive as lines: the target of each record that is a resource or
// how it was fetched, and an empty line for the others.
type targets struct {
	in   *warc.Reader
	line []byte // the rest of the line
	kept bytes.Buffer
}

// maxWAT is the longest block that is read to learn what a record of a WAT file is about.
const maxWAT = 16 << 20

// Read reads the rest of the line of one record, so that a pipe's are not held back.
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

// target returns the target of a record, or "" if another record stands for it: each
// request has a response.
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

// described returns the type of the record that a record of a WAT file describes.
func (t *targets) described(r *warc.Record) string {
	t.kept.Reset()
	if _, err := io.CopyN(&t.kept, r, maxWAT); err != io.EOF {
		return "response" // most of such length are; the record is cut, or too long
	}
	typ, err := warc.WATType(t.kept.Bytes())
	if err != nil {
		return "response"
	}
	return typ
}
