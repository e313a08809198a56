package gopher

import (
	"bytes"
	"io"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// These constants are the codes of a [ReplyError] (Gopher+ section 2.3).
const (
	CodeNone         = 0 // a plain Gopher error has no code
	CodeNotAvailable = 1
	CodeTryLater     = 2
	CodeMoved        = 3
)

// ReplyError is an error that a server sends instead of an item. Its texts are unchanged from
// the reply, and are not safe for a terminal. The method Error returns one line that is safe
// for a terminal.
//
// A ReplyError wraps [scheme.ErrUnreachable] if the server suggests a later retry, and
// [scheme.ErrNotFound] otherwise.
type ReplyError struct {
	Code    int
	Message string    // message, with "\n" between lines
	Admin   string    // the server's maintainer, as "name <address>"
	moved   *menuLine // the item's new menu line, if the code is CodeMoved
}

func (e *ReplyError) Error() string {
	text := e.Unwrap().Error()
	switch e.Code {
	case CodeTryLater:
		text = "unavailable now: try later"
	case CodeMoved:
		text = "moved"
		if e.moved != nil {
			text += " to " + locus.Quote(e.moved.Name)
		}
	}
	if e.Message != "" {
		text += ": the server says " + locus.Quote(e.Message)
	} else if e.moved == nil {
		text += ", without a reason from the server"
	}
	if e.Admin != "" {
		text += "; contact " + locus.Quote(e.Admin)
	}
	return text
}

// Unwrap returns the error of package scheme that corresponds to the code.
func (e *ReplyError) Unwrap() error {
	if e.Code == CodeTryLater {
		return scheme.ErrUnreachable
	}
	return scheme.ErrNotFound
}

// maxFailure is the maximum number of bytes that the client reads from an error.
const maxFailure = 16 << 10

// readFailure reads the body of a Gopher+ error and returns a [*ReplyError]. If reading fails
// before the first byte, it returns the error of r. If the body contains no code, the whole
// body is the message.
func readFailure(r io.Reader) error {
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

func cutCode(line string) (code int, rest string, ok bool) {
	line = strings.TrimLeft(line, " ")
	if line == "" || line[0] < '0'+CodeNotAvailable || line[0] > '0'+CodeMoved || len(line) > 1 && line[1] != ' ' {
		return 0, "", false
	}
	return int(line[0] - '0'), strings.TrimSpace(line[1:]), true
}

// readMoved finds the new menu line of a moved item in the first or second of the given lines,
// and stores it in e.moved. It returns the other lines.
func (e *ReplyError) readMoved(lines []string) []string {
	if e.Code != CodeMoved {
		return lines
	}
	for i, text := range lines[:min(len(lines), 2)] {
		text = strings.TrimPrefix(text, infoPrefix)
		if strings.IndexByte(text, '\t') < 0 {
			continue
		}
		if l, ok := parseLine([]byte(text)); ok && l.Fault == nil {
			e.moved = &l
			return append(lines[:i:i], lines[i+1:]...)
		}
	}
	return lines
}

// readAdmin finds the server's maintainer in the first of the given lines, and stores the text
// in e.Admin. It returns the remaining lines.
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

// plusFailure returns the Gopher+ error in the reply to a plain request, or nil if the reply
// is not an error. Some servers send such an error in reply to any request. The first line of
// the error is "--1" or "--2", and the second line begins with a code. The error must be
// complete. If whole is true, the argument reply is the server's whole reply. Otherwise, a
// line that contains only a dot must end the error.
func plusFailure(reply []byte, whole bool) error {
	first, rest, _ := bytes.Cut(reply, []byte("\n"))
	h := plusHeader{Plus: true, Failed: true, Length: lengthDot}
	switch string(bytes.TrimSuffix(first, []byte("\r"))) {
	case "--1":
	case "--2":
		h.Length = lengthClose
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
	return readFailure(h.Body(bytes.NewReader(rest), true))
}

// plainError returns the error in a whole reply without Gopher+, or nil if the reply is not an
// error. Plain Gopher does not mark errors. Servers send an error as a menu line with type 3
// or the host "error.host", even if the client does not expect a menu. Only information lines
// may follow.
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
		l, _ := parseLine(text)
		switch {
		case first == nil && l.isError():
			first = &ReplyError{Message: l.Name}
		case first == nil || l.Type != infoType:
			return nil
		}
	}
	if first == nil {
		return nil
	}
	return first
}
