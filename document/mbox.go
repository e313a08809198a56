package document

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/locus-url/locus/message"
)

// mbox reports the links of the messages of an mbox, which are numbered from 1.
func (f *finder) mbox(it item, h *head) {
	r := it.r
	if whole := it.inPlace(len(h.octets)); whole != nil {
		r = whole
	}
	m := message.NewMbox(r)
	for n := 1; m.Next(); n++ {
		if !f.next(it) {
			return
		}
		part := it.part(m, "", strconv.Itoa(n))
		part.typ = "message/rfc822"
		f.find(part)
	}
	if err := m.Err(); err != nil {
		f.fail(it, err)
	}
}

// isMail reports whether a text begins with the header of a message: only fields up to an
// empty line or the end of text, and at least two of the usual ones.
func isMail(text []byte) bool {
	known := 0
	for len(text) > 0 {
		line, rest, ok := bytes.Cut(text, []byte{'\n'})
		if !ok {
			break // The line is cut.
		}
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if len(line) == 0 {
			break
		}
		if line[0] != ' ' && line[0] != '\t' {
			name := message.FieldName(line)
			if len(name) == 0 {
				return false
			}
			switch strings.ToLower(string(name)) {
			case "from", "date", "message-id", "received", "return-path", "newsgroups", "mime-version", "path":
				known++
			}
		}
		text = rest
	}
	return known >= 2
}
