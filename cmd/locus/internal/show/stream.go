package show

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// Stream is the destination of resources.
type Stream struct {
	Writer       *bufio.Writer
	ForPeople    bool   // the output is for display, not for programs
	IsStdout     bool   // the stream is standard output, to which locus writes JSON
	BinaryAdvice string // advice for users who try to show binary data on a terminal
}

// Stdout returns the stream for standard output.
func (v *Viewer) Stdout() Stream {
	return Stream{
		Writer: v.App.Out, ForPeople: v.App.OutTTY, IsStdout: true,
		BinaryAdvice: "write it to a file with -o or -O, or use --raw",
	}
}

// Unbuffered returns a writer that flushes the stream after each write.
func (s Stream) Unbuffered() io.Writer { return flushWriter{s.Writer} }

type flushWriter struct{ w *bufio.Writer }

func (f flushWriter) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err == nil {
		err = f.w.Flush()
	}
	return n, err
}

// Fetch fetches the URL u with the options that the flags select.
func (v *Viewer) Fetch(ctx context.Context, u locus.URL) (*access.Result, error) {
	return v.Client.Do(ctx, access.Request{
		URL: u, From: v.From(u), NoFollow: v.NoFollow, Accept: v.View, AcceptLanguage: v.Language, Items: v.Items.ItemRange,
		Like: v.Examples,
	})
}

// Show writes a resource to a stream.
func (v *Viewer) Show(ctx context.Context, f Found, resource scheme.Resource, to Stream) error {
	if v.Part != "" {
		return v.showPart(ctx, f, resource, to)
	}
	switch r := resource.(type) {
	case *scheme.Object:
		return v.object(ctx, f, r, to)
	case *scheme.Menu:
		return v.menu(f, r, to)
	case *scheme.Redirect:
		return v.redirect(f, r, to)
	case *scheme.Session:
		if v.RunSession != nil {
			return v.RunSession(ctx, f, r, to)
		}
	}
	return fmt.Errorf("%w: a %T", scheme.ErrUnsupported, resource)
}

// object writes or describes an object. On a terminal, it formats mail and news messages.
func (v *Viewer) object(ctx context.Context, f Found, o *scheme.Object, to Stream) error {
	if !v.App.Flags.JSON {
		defer v.NoteOf(f.Asked, o.Note)
	}
	view := to.ForPeople && !v.Raw && !v.App.Flags.JSON
	var m *message.Message
	var broken error
	if IsMessage(o.Type) && o.Encoding == "" && (view || v.App.Flags.JSON) {
		l := v.read(ctx, f, o, !to.ForPeople)
		defer l.Close()
		if view && l.message != nil {
			return errors.Join(l.writeText(to.Unbuffered()), l.broken)
		}
		if l.broken != nil && !view {
			return l.broken
		}
		m, o, broken = l.message, &l.object, l.broken
	}
	if v.App.Flags.JSON {
		d := DescribeObject(f, o)
		d.Part, d.Message = v.Part, describeMessage(v.App.Registry.Scheme(o.URL).Traits.Has(scheme.News), m)
		v.App.WriteJSON(d)
		if to.IsStdout {
			return nil
		}
	}
	return errors.Join(v.octets(ctx, f, o, to), broken)
}

// octets writes the data of an object. It writes only text to a terminal.
func (v *Viewer) octets(ctx context.Context, f Found, o *scheme.Object, to Stream) error {
	w := to.Unbuffered()
	if to.ForPeople && !v.Raw && o.Encoding != "" {
		return scheme.Hint(fmt.Errorf("%w: %s", transfer.ErrCoded, locus.Quote(o.Encoding)), "use --raw to write the encoded data")
	}
	if to.ForPeople && !v.Raw {
		body := bufio.NewReaderSize(o.Body, firstBlock)
		// Ignore the error, because the next read returns the same error.
		_, _ = body.Peek(1)
		if first, _ := body.Peek(body.Buffered()); bytes.IndexByte(first, 0) >= 0 {
			return scheme.Hint(errBinary, to.BinaryAdvice)
		}
		shown, closeText := v.showText(w, f, o.Type)
		defer closeText()
		w = shown
		// The caller closes the object.
		text := *o
		text.Body = io.NopCloser(body)
		o = &text
	}
	progress := v.NewProgress(!to.ForPeople, f.Asked.Shown())
	defer progress.Close()
	_, err := transfer.Copy(ctx, w, o, progress.Report)
	return err
}

// firstBlock is the number of bytes from which the viewer determines whether data is text or
// binary.
const firstBlock = 4 << 10

var errBinary = errors.New("binary data is not written to a terminal")

// safeWriter writes text to a terminal and escapes control characters. A character may be split
// over several writes.
type safeWriter struct {
	w    io.Writer
	rest []byte // bytes of an unfinished character or CR LF
}

func (s *safeWriter) Write(p []byte) (int, error) {
	text := append(s.rest, p...)
	end := len(text) - unfinished(text)
	if err := s.write(text[:end]); err != nil {
		return 0, err
	}
	s.rest = append(s.rest[:0], text[end:]...)
	return len(p), nil
}

// Close writes an unfinished character unchanged.
func (s *safeWriter) Close() error {
	rest := s.rest
	s.rest = nil
	return s.write(rest)
}

// write writes complete characters. It removes the CR from each line end.
func (s *safeWriter) write(text []byte) error {
	_, err := io.WriteString(s.w, term.SafeLines(string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))))
	return err
}

// unfinished is like Incomplete, but also counts a CR at the end of the text.
func unfinished(text []byte) int {
	if n := len(text); n > 0 && text[n-1] == '\r' {
		return 1
	}
	return Incomplete(text)
}

// Incomplete returns the length of an unfinished UTF-8 character at the end of text.
func Incomplete(text []byte) int {
	for n := 1; n <= min(len(text), utf8.UTFMax-1); n++ {
		if tail := text[len(text)-n:]; utf8.RuneStart(tail[0]) {
			if utf8.FullRune(tail) {
				return 0
			}
			return n
		}
	}
	return 0
}

// CountWriter counts the bytes that it passes to the underlying writer.
type CountWriter struct {
	Writer io.Writer
	Count  int64
}

func (c *CountWriter) Write(p []byte) (int, error) {
	n, err := c.Writer.Write(p)
	c.Count += int64(n)
	return n, err
}

// showText returns a writer for a text of the given media type. It decodes the charset of the
// text, escapes control characters, and writes the result to w. The caller must call the function
// done at the end of the text.
func (v *Viewer) showText(w io.Writer, f Found, mediaType string) (text io.Writer, done func()) {
	safe := &safeWriter{w: w}
	name := charset.OfType(mediaType)
	switch {
	case !charset.IsKnown(name):
		v.NoteLater("%s: unknown charset %s; bytes that are not UTF-8 are shown as escapes", f.Asked.Shown(), locus.Quote(name))
	case !charset.IsUTF8(name):
		decoder := charset.NewWriter(name, safe)
		seen := &asciiCheck{w: decoder}
		return seen, func() {
			decoder.Close()
			safe.Close()
			if seen.other {
				v.NoteLater("%s: decoded from %s", f.Asked.Shown(), locus.Quote(name))
			}
		}
	}
	return safe, func() { safe.Close() }
}

// asciiCheck records whether a text contains bytes outside US-ASCII.
type asciiCheck struct {
	w     io.Writer
	other bool
}

func (c *asciiCheck) Write(p []byte) (int, error) {
	for _, octet := range p {
		c.other = c.other || octet >= utf8.RuneSelf
	}
	return c.w.Write(p)
}
