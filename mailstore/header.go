package mailstore

import (
	"bytes"
	"slices"
	"strconv"

	"github.com/locus-url/locus/message"
)

const (
	// mostID is how many octets of a Message-Id field are read, its folding included.
	mostID = 4 << 10
	// mostIDs is how many identifiers a message is found by. One should have one.
	mostIDs = 100
)

// header is what is to be known of a message's header.
type header struct {
	ids    []string // of every Message-Id field, in order, each once; at most mostIDs
	length int64    // Content-Length; -1: none
	body   int64    // where the body begins
	ended  bool     // there is an empty line between the header and the body
}

// header reads the header at at. In an mbox, a From_ line ends it too.
func (w *window) header(at int64, mbox bool) header {
	h := header{length: -1}
	var field []byte // the value of the field that is being read, if it matters
	var name string
	for at < w.size {
		text, next, ended := w.line(at)
		switch {
		case len(text) == 0:
			h.take(name, field)
			h.body, h.ended = next, ended
			return h
		case text[0] == ' ' || text[0] == '\t':
			if name != "" && len(field) <= mostID {
				field = append(append(field, '\n'), text...)
			}
		case isField(text):
			h.take(name, field)
			name, field = split(text, field[:0])
		case bytes.HasPrefix(text, []byte(">From ")) || bytes.HasPrefix(text, []byte("From ")) && !(mbox && w.isFrom(at, false)):
			// Some programs leave a From_ line there when they forward a message.
			h.take(name, field)
			name = ""
		default:
			h.take(name, field)
			h.body = at
			return h
		}
		at = next
	}
	h.take(name, field)
	h.body = w.size
	return h
}

// split returns the name of a field that matters, and its value appended to dst.
func split(text, dst []byte) (name string, value []byte) {
	colon := bytes.IndexByte(text, ':')
	field := bytes.TrimRight(text[:colon], " \t")
	for _, name := range []string{"Message-ID", "Content-Length"} {
		if len(field) == len(name) && bytes.EqualFold(field, []byte(name)) {
			return name, append(dst, text[colon+1:]...)
		}
	}
	return "", dst
}

// take takes over what a field says.
func (h *header) take(name string, value []byte) {
	switch {
	case name == "Message-ID" && len(value) <= mostID && len(h.ids) < mostIDs:
		for _, id := range message.MessageIDs(string(value)) {
			if len(h.ids) < mostIDs && !slices.Contains(h.ids, id) {
				h.ids = append(h.ids, id)
			}
		}
	case name == "Content-Length" && h.length < 0:
		if n, err := strconv.ParseUint(string(bytes.TrimSpace(value)), 10, 63); err == nil {
			h.length = int64(n)
		}
	}
}

// isField reports whether text begins as a header field does: with a name and a
// colon (RFC 5322 section 2.2; section 4.5 allows blanks between them).
func isField(text []byte) bool {
	n := 0
	for n < len(text) && text[n] > ' ' && text[n] < 0x7F && text[n] != ':' {
		n++
	}
	rest := bytes.TrimLeft(text[n:], " \t")
	return n > 0 && len(rest) > 0 && rest[0] == ':'
}
