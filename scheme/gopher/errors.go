package gopher

import (
	"bytes"
	"io"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// The codes of a [ReplyError] (Gopher+ section 2.3).
const (
	CodeNone         = 0 // plain Gopher has none
	CodeNotAvailable = 1
	CodeTryLater     = 2
	CodeMoved        = 3
)

// ReplyError is what a server says instead of giving an item. Its texts are as they
// came; Error makes a line of them that is safe for a terminal.
//
// It is [scheme.ErrNotFound], or [scheme.ErrUnreachable] if the server says to try
// later.
type ReplyError struct {
	Code    int
	Message string // perhaps lines, with "\n" between them
	Admin   string // who keeps the server: a name, and an address in <>
	Moved   *Line  // where the item is now, for CodeMoved
}

func (e *ReplyError) Error() string {
	text := e.Unwrap().Error()
	switch e.Code {
	case CodeTryLater:
		text = "not available now, try later"
	case CodeMoved:
		text = "moved"
		if e.Moved != nil {
			text += " to " + locus.Quote(e.Moved.Name)
		}
	}
	if e.Message != "" {
		text += ": the server says " + locus.Quote(e.Message)
	} else if e.Moved == nil {
		text += ", and the server does not say why"
	}
	if e.Admin != "" {
		text += "; ask " + locus.Quote(e.Admin)
	}
	return text
}

// Unwrap returns what the code is among the errors of package scheme.
func (e *ReplyError) Unwrap() error {
	if e.Code == CodeTryLater {
		return scheme.ErrUnreachable
	}
	return scheme.ErrNotFound
}

// maxFailure is the most octets that are read of an error.
const maxFailure = 16 << 10

// ReadFailure reads the body of a Gopher+ reply that is an error, from r as
// [Header.Body] gives it, and returns a [*ReplyError]. Only if nothing can be read
// is it the error of r. What does not begin with a code is all message.
func ReadFailure(r io.Reader) error {
	octets, err := io.ReadAll(io.LimitReader(r, maxFailure))
	if err != nil && len(octets) == 0 {
		return err
	}
	lines := strings.FieldsFunc(string(octets), func(c rune) bool { return c == '\r' || c == '\n' })
	e := new(ReplyError)
	if len(lines) > 0 {
		if code, rest, ok := cutCode(lines[0]); ok {
			e.Code = code
			lines[0] = rest
			lines = e.readMoved(lines)
			lines = e.readAdmin(lines)
		}
	}
	e.Message = strings.TrimSpace(strings.Join(lines, "\n"))
	return e
}

// cutCode reads the code that the first line of an error begins with.
func cutCode(line string) (code int, rest string, ok bool) {
	line = strings.TrimLeft(line, " ")
	if line == "" || line[0] < '0'+CodeNotAvailable || line[0] > '0'+CodeMoved || len(line) > 1 && line[1] != ' ' {
		return 0, "", false
	}
	return int(line[0] - '0'), strings.TrimSpace(line[1:]), true
}

// readMoved takes the line of the item that moved from lines: it is the first, or
// the one behind that.
func (e *ReplyError) readMoved(lines []string) []string {
	if e.Code != CodeMoved {
		return lines
	}
	for i, text := range lines[:min(len(lines), 2)] {
		text = strings.TrimPrefix(text, infoPrefix)
		if strings.IndexByte(text, '\t') < 0 {
			continue
		}
		if l, ok := ParseLine([]byte(text)); ok && l.Fault == nil {
			e.Moved = &l
			return append(lines[:i:i], lines[i+1:]...)
		}
	}
	return lines
}

// readAdmin takes who keeps the server from the first of lines.
func (e *ReplyError) readAdmin(lines []string) []string {
	if len(lines) == 0 {
		return lines
	}
	if open := strings.IndexByte(lines[0], '<'); open >= 0 && strings.IndexByte(lines[0][open:], '>') >= 0 {
		e.Admin = lines[0]
		return lines[1:]
	}
	return lines
}

// plusFailure returns the error of Gopher+ that a reply to a plain request is, or
// nil: servers of Gopher+ may answer so whatever was asked for. It has a first line
// "--1" or "--2", a code in the second line, and an end. whole: there is no more of
// the reply; else the end is a line that is only a dot.
func plusFailure(reply []byte, whole bool) error {
	first, rest, _ := bytes.Cut(reply, []byte("\n"))
	h := Header{Plus: true, Failed: true, Length: LengthDot}
	switch string(bytes.TrimSuffix(first, []byte("\r"))) {
	case "--1":
	case "--2":
		h.Length = LengthClose
	default:
		return nil
	}
	second, _, _ := bytes.Cut(rest, []byte("\n"))
	if _, _, ok := cutCode(string(bytes.TrimSuffix(second, []byte("\r")))); !ok {
		return nil
	}
	text := bytes.TrimRight(rest, "\r\n")
	if !whole && !bytes.HasSuffix(text, []byte("\n.")) {
		return nil
	}
	return ReadFailure(h.Body(bytes.NewReader(rest), true))
}

// plainError returns the error that a whole reply without Gopher+ is, or nil. No
// reply of this kind has a mark; it is a line of a menu where no menu is expected,
// of type 3 or with the host that stands for none, and nothing but lines of
// information behind it.
func plainError(reply []byte) error {
	var first *ReplyError
	for len(reply) > 0 {
		text, rest, _ := bytes.Cut(reply, []byte("\n"))
		text = bytes.TrimRight(text, "\r")
		if first != nil && string(text) == "." {
			break
		}
		reply = rest
		if bytes.Count(text, []byte("\t")) < 3 {
			return nil
		}
		l, _ := ParseLine(text)
		switch {
		case first == nil && l.isError():
			first = &ReplyError{Message: l.Name}
		case first == nil || l.Type != TypeInfo:
			return nil
		}
	}
	if first == nil {
		return nil
	}
	return first
}
