package message

import (
	"bytes"
	"strings"
)

// flowedJoiner joins the lines of each paragraph in a format=flowed text (RFC 3676 section 4). A
// ">" for each quote level precedes the joined line.
type flowedJoiner struct {
	delSp   bool // the parameter DelSp is yes (section 4.1)
	flowing bool // the previous line ended with a space, so that the paragraph may continue
	depth   int  // the quote level of the previous line
}

func (l *flowedJoiner) step(dst []byte, f *fragment) ([]byte, error) {
	text := f.text
	if f.begins {
		var depth int
		text, depth = unquote(text)
		// A different quote level begins a new paragraph, even after a line that ends with a space
		// (section 4.5).
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

// unquote removes the quote marks and the space-stuffing of a line (sections 4.4 and 4.5).
func unquote(line []byte) (text []byte, depth int) {
	text = bytes.TrimLeft(line, ">")
	return bytes.TrimPrefix(text, []byte(" ")), len(line) - len(text)
}

// isSignature reports whether text is the line before a signature, which is never flowed
// (section 4.3).
func isSignature(text []byte) bool { return string(text) == "-- " }

func isFlowed(params map[string]string) bool { return strings.EqualFold(params["format"], "flowed") }
