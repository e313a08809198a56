package ftp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
	"github.com/locus-url/locus/scheme/internal/lineconn"
)

// maxReply is the default value of Options.MaxReply. Real banners contain a few dozen lines.
const maxReply = 256 << 10

// reply is the reply to a command (RFC 959 section 4.2).
type reply struct {
	code  int      // three-digit code
	lines []string // received lines, without line endings
}

// text returns the text of the last line, without the code.
func (r reply) text() string { return strings.TrimSpace(r.lines[len(r.lines)-1][3:]) }

// preliminary reports whether another reply to the command follows.
func (r reply) preliminary() bool { return r.code < 200 }

func (r reply) completed() bool { return r.code >= 200 && r.code < 300 }

// readReply reads one reply of at most limit bytes. A multi-line reply begins with a code and
// "-", and ends with a line that begins with the same code and a space. The lines in the
// middle may begin with digits too.
func readReply(r *line.Reader, limit int) (reply, error) {
	r.Allow(int64(limit))
	first, err := r.Line()
	if err != nil {
		return reply{}, replyError(err)
	}
	code, more, ok := replyCode(first)
	if !ok {
		return reply{}, fmt.Errorf("%w: %s is not an FTP reply", scheme.ErrProtocol, locus.Quote(string(first)))
	}
	whole := reply{code: code, lines: []string{string(first)}}
	last := append([]byte(nil), first[:3]...)
	for more {
		text, err := r.Line()
		if err != nil {
			return reply{}, replyError(err)
		}
		whole.lines = append(whole.lines, string(text))
		more = !bytes.HasPrefix(text, last) || len(text) > 3 && text[3] != ' '
	}
	return whole, nil
}

// replyCode parses the code at the beginning of a reply. If other lines follow, more is true.
func replyCode(text []byte) (code int, more, ok bool) {
	code, ok = lineconn.ReplyCode(text)
	if !ok || len(text) == 3 {
		return code, false, ok
	}
	return code, text[3] == '-', text[3] == '-' || text[3] == ' '
}

// replyError translates an error from reading a reply.
func replyError(err error) error {
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return fmt.Errorf("%w: the server closed the connection", scheme.ErrProtocol)
	case errors.Is(err, line.ErrLong), errors.Is(err, line.ErrTotal):
		return fmt.Errorf("%w: the reply exceeds the limit: %w", scheme.ErrProtocol, err)
	}
	return scheme.ProtocolError(err)
}

// refusal returns the error for an unexpected reply.
func refusal(command string, r reply) error {
	verb, _, _ := strings.Cut(command, " ")
	return failed(command, r, kindOf(verb, r.code))
}

// failed returns an error of the given kind for a reply.
func failed(command string, r reply, kind error) error {
	err := &lineconn.ReplyError{Command: command, Code: r.code, Text: r.text(), Kind: kind}
	if r.code >= 400 && r.code < 500 && kind == scheme.ErrProtocol {
		return &scheme.RetryAfterError{Err: err} // by RFC 959 section 4.2, the code means a temporary failure
	}
	return err
}

// kindOf returns the kind of error for a code in the reply to the given verb (RFC 959 section
// 4.2.2).
func kindOf(verb string, code int) error {
	login := verb == "USER" || verb == "PASS"
	list := verb == "NLST" || verb == "LIST" || verb == "MLSD"
	switch {
	case code == 530 || code == 532 || code == 332 || login && code >= 500:
		return scheme.ErrAuth
	case code == 550 || code == 553 || list && code == 450:
		// Some servers reply 450 for a missing directory.
		return scheme.ErrNotFound
	case code >= 500 && code <= 504 || code == 522 || code == 534 || code == 536:
		return scheme.ErrUnsupported
	case code >= 400 && code < 500 && code != 426 && code != 451:
		// These codes mean temporary errors. Codes 426 and 451 mean that the transfer was
		// interrupted.
		return scheme.ErrUnreachable
	}
	return scheme.ErrProtocol
}

// passivePort returns the port in a reply to EPSV (RFC 2428: "(|||6446|)") or to PASV
// (RFC 959: h1,h2,h3,h4,p1,p2). It ignores the host in the reply to PASV, because a
// server must not send the client to another host.
func passivePort(r reply) (port uint16, ok bool) {
	switch r.code {
	case 229:
		_, text, _ := strings.Cut(r.text(), "(")
		text, _, closed := strings.Cut(text, ")")
		if !closed || len(text) < 5 || text[1] != text[0] || text[2] != text[0] || text[len(text)-1] != text[0] {
			return 0, false
		}
		n, err := strconv.ParseUint(text[3:len(text)-1], 10, 16)
		if err != nil {
			return 0, false
		}
		return uint16(n), n != 0
	case 227:
		// The parentheses may be missing (RFC 1123 section 4.1.2.6), so search for the
		// numbers.
		text := r.text()
		start := strings.IndexAny(text, "0123456789")
		if start < 0 {
			return 0, false
		}
		text = text[start:]
		if end := strings.IndexFunc(text, func(c rune) bool { return c != ',' && (c < '0' || c > '9') }); end >= 0 {
			text = text[:end]
		}
		numbers := strings.Split(text, ",")
		if len(numbers) != 6 {
			return 0, false
		}
		for _, s := range numbers {
			n, err := strconv.ParseUint(s, 10, 8)
			if err != nil {
				return 0, false
			}
			port = port<<8 | uint16(n)
		}
		return port, port != 0
	}
	return 0, false
}

// directoryName returns the quoted name in the reply to PWD, or "" if the reply contains none.
// The command CWD accepts this name in any directory (RFC 959 appendix II).
func directoryName(r reply) string {
	text, ok := strings.CutPrefix(r.text(), `"`)
	if r.code != 257 || !ok || line.Index(text) >= 0 {
		return ""
	}
	name, _, _ := strings.Cut(strings.ReplaceAll(text, `""`, "\x00"), `"`)
	return strings.ReplaceAll(name, "\x00", `"`)
}

// sizeReply parses the reply to SIZE (RFC 3659 section 4). If the reply contains no size, it
// returns -1.
func sizeReply(r reply) int64 {
	if r.code != 213 {
		return -1
	}
	return parseSize(r.text())
}

func parseSize(text string) int64 {
	n, err := strconv.ParseInt(text, 10, 64)
	if err != nil || n < 0 {
		return -1
	}
	return n
}

// timeReply parses the reply to MDTM (RFC 3659 section 3). If the reply contains no time, it
// returns the zero time.
func timeReply(r reply) time.Time {
	if r.code != 213 {
		return time.Time{}
	}
	return parseTimeVal(r.text())
}

// parseTimeVal parses a time-val (RFC 3659 section 2.3), which is a UTC time as YYYYMMDDHHMMSS
// with an optional fraction.
func parseTimeVal(text string) time.Time {
	t, err := time.Parse("20060102150405", text)
	if err != nil {
		return time.Time{}
	}
	return t
}

// offersMLSD reports whether a reply to FEAT lists MLST, which includes MLSD (RFC 3659
// section 7.8).
func offersMLSD(r reply) bool {
	if r.code != 211 {
		return false
	}
	for _, text := range r.lines[1:] {
		if name, _, _ := strings.Cut(strings.TrimSpace(text), " "); strings.EqualFold(name, "MLST") {
			return true
		}
	}
	return false
}
