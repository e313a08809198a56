package message

import (
	"bytes"
	"strings"
)

// flowed joins the lines of format=flowed text (RFC 3676 section 4). What comes out
// has a line for each paragraph, and "> " before it for each depth of quotes.
type flowed struct {
	delSp   bool // section 4.1: DelSp=yes
	flowing bool // the line before ended with a space: this may go on
	depth   int  // of quotes of the line before
}

func (l *flowed) step(dst []byte, f *fragment) ([]byte, error) {
	text := f.text
	if f.begins {
		var depth int
		text, depth = unquote(text)
		// Section 4.5: lines of another depth are of another paragraph, though the one
		// before it ended as if it went on.
		if l.flowing && (depth != l.depth || isSignature(text)) {
			dst = append(dst, '\n')
			l.flowing = false
		}
		if !l.flowing && depth > 0 {
			dst = append(append(dst, bytes.Repeat([]byte{'>'}, depth)...), ' ')
		}
		l.depth = depth
	}
	l.flowing = f.ends && f.eol != "" && len(text) > 0 && text[len(text)-1] == ' ' && !(f.begins && isSignature(text))
	if l.flowing && l.delSp {
		text = text[:len(text)-1]
	}
	dst = append(dst, text...)
	if f.eol != "" && !l.flowing {
		dst = append(dst, '\n')
	}
	return dst, nil
}

// unquote takes the quote marks and the space-stuffing off a line (sections 4.4 and
// 4.5).
func unquote(line []byte) (text []byte, depth int) {
	text = bytes.TrimLeft(line, ">")
	return bytes.TrimPrefix(text, []byte(" ")), len(line) - len(text)
}

// isSignature reports whether text is the line before a signature, which is never
// flowed (section 4.3).
func isSignature(text []byte) bool { return string(text) == "-- " }

// isFlowed reports whether a text with these parameters is flowed.
func isFlowed(params map[string]string) bool { return strings.EqualFold(params["format"], "flowed") }
