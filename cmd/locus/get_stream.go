package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// stream is where resources go one after another.
type stream struct {
	w        *bufio.Writer
	tty      bool   // people read it
	standard bool   // it is standard output, and --json goes there instead
	whereTo  string // advice for what is no text, if tty
}

// standardOutput is the stream that a.out is.
func (g *getter) standardOutput() stream {
	return stream{
		w: g.a.out, tty: g.a.outTTY, standard: true,
		whereTo: "write it to a file with -o or -O, or insist with --raw",
	}
}

// prompt returns a writer that holds nothing back for more to come.
func (s stream) prompt() io.Writer { return flushWriter{s.w} }

type flushWriter struct{ w *bufio.Writer }

func (f flushWriter) Write(p []byte) (int, error) {
	n, err := f.w.Write(p)
	if err == nil {
		err = f.w.Flush()
	}
	return n, err
}

// toStream gets the URLs in the order of the input.
func (g *getter) toStream(ctx context.Context, args []string, to stream) error {
	for text, err := range g.a.inputs(args) {
		u, ok := g.url(text, err)
		if !ok {
			continue
		}
		if err := g.a.withoutOutput(g.one(ctx, u, to)); err != nil {
			g.failed(u.Redacted(), err)
		}
		g.tellNotes()
	}
	return nil
}

// one gets one URL.
func (g *getter) one(ctx context.Context, u locus.URL, to stream) error {
	result, err := g.fetch(ctx, u)
	if err != nil {
		return err
	}
	defer result.Resource.Close()
	return g.show(ctx, found{asked: u, at: result.URL}, result.Resource, to)
}

func (g *getter) fetch(ctx context.Context, u locus.URL) (*access.Result, error) {
	return g.client.Do(ctx, access.Request{
		URL: u, From: g.from(u), NoFollow: g.noFollow, Accept: g.view, AcceptLanguage: g.language, Items: g.items.ItemRange,
		Like: g.examples,
	})
}

// show writes a resource.
func (g *getter) show(ctx context.Context, f found, resource scheme.Resource, to stream) error {
	if g.part != "" {
		return g.showPart(ctx, f, resource, to)
	}
	switch r := resource.(type) {
	case *scheme.Object:
		return g.object(ctx, f, r, to)
	case *scheme.Menu:
		return g.menu(f, r, to)
	case *scheme.Referral:
		return g.referral(f, r, to)
	case *scheme.Session:
		return g.session(ctx, f, r, to)
	}
	return fmt.Errorf("%w: a %T", scheme.ErrUnsupported, resource)
}

// object writes an object's octets, or with --json what is known of it. People see
// a message as it is meant to be read.
func (g *getter) object(ctx context.Context, f found, o *scheme.Object, to stream) error {
	if !g.a.flags.json {
		defer g.noteOf(f.asked, o.Note)
	}
	view := to.tty && !g.raw && !g.a.flags.json
	var m *message.Message
	var broken error
	if isMessage(o.Type) && o.Encoding == "" && (view || g.a.flags.json) {
		l := g.read(ctx, f, o, !to.tty)
		defer l.Close()
		if view && l.message != nil {
			return errors.Join(l.writeText(to.prompt()), l.broken)
		}
		if l.broken != nil && !view {
			return l.broken
		}
		m, o, broken = l.message, &l.object, l.broken
	}
	if g.a.flags.json {
		d := describe(f, o)
		d.Part, d.Message = g.part, describeMessage(o.URL, m)
		g.a.writeJSON(d)
		if to.standard {
			return nil
		}
	}
	return errors.Join(g.octets(ctx, f, o, to), broken)
}

// octets writes an object's octets. To people, only text is shown.
func (g *getter) octets(ctx context.Context, f found, o *scheme.Object, to stream) error {
	w := to.prompt()
	if to.tty && !g.raw && o.Encoding != "" {
		return scheme.Hint(fmt.Errorf("%w: %s", transfer.ErrCoded, locus.Quote(o.Encoding)), "--raw writes the octets in that coding")
	}
	if to.tty && !g.raw {
		body := bufio.NewReaderSize(o.Body, firstBlock)
		// An error is met again by who reads.
		_, _ = body.Peek(1)
		if first, _ := body.Peek(body.Buffered()); bytes.IndexByte(first, 0) >= 0 {
			return scheme.Hint(errBinary, to.whereTo)
		}
		shown, closeText := g.showText(w, f, o.Type)
		defer closeText()
		w = shown
		// The object is the caller's to close; only its octets are read here.
		text := *o
		text.Body = io.NopCloser(body)
		o = &text
	}
	progress := g.newProgress(!to.tty, []string{f.asked.Redacted()})
	defer progress.Close()
	_, err := transfer.Copy(ctx, w, o, progress.report)
	return err
}

// firstBlock is the most of an object that is looked at to tell text from other
// data.
const firstBlock = 4 << 10

// errBinary refuses what would only disturb a terminal.
var errBinary = errors.New("the object is not text, and standard output is a terminal")

// toFile gets one URL into the file of -o.
func (g *getter) toFile(ctx context.Context, args []string) error {
	dir, name, err := g.place()
	if errors.As(err, new(*linkError)) {
		g.failed(locus.Mask(args[0]), err)
		return nil
	}
	if err != nil {
		return err
	}
	if name != "" && g.part != "" {
		return g.partsToFolder(ctx, args, dir, name)
	}
	if u, err := locus.ParseWrapped(args[0]); err == nil && isSession(u) && name != "" {
		if err := g.sessionToFile(ctx, u, dir, name); err != nil {
			g.failed(u.Redacted(), err)
		}
		return nil
	}
	if name != "" {
		return g.toFolder(ctx, args, dir, func(locus.URL) string { return name })
	}
	// A device or pipe has no use for a temporary name.
	f, err := os.OpenFile(dir, os.O_WRONLY, 0)
	if err != nil {
		g.a.problem(statusAccess, err)
		return nil
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	if err := g.toStream(ctx, args, stream{w: w}); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		g.a.problem(statusAccess, err)
	}
	return nil
}

// safeWriter passes text on to a terminal with everything the terminal could
// obey made visible. A character may come in pieces.
type safeWriter struct {
	w    io.Writer
	rest []byte // the beginning of what may be a character, or a CR LF
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

// Close writes what turned out to be no character's beginning.
func (s *safeWriter) Close() error {
	rest := s.rest
	s.rest = nil
	return s.write(rest)
}

// write writes whole characters. The CR of a line end moves nothing that is
// seen, and is left out.
func (s *safeWriter) write(text []byte) error {
	_, err := io.WriteString(s.w, term.SafeLines(string(bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n")))))
	return err
}

// unfinished returns how many octets at the end of text need those that follow:
// the start of a character in UTF-8, or a CR.
func unfinished(text []byte) int {
	if n := len(text); n > 0 && text[n-1] == '\r' {
		return 1
	}
	return incomplete(text)
}
