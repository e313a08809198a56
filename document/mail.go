package document

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/locus-url/locus/message"
)

func (f *finder) mail(it item, h *head) {
	m, err := f.parseMessage(&it, h)
	if m == nil {
		if err != nil {
			f.fail(it, err)
		}
		// The item is plain text, although it has the name of a message.
		h.all = false
		it.typ = "text/plain"
		f.text(it, h, plain)
		return
	}
	f.readHeader(it, m.Header, "header")
	for _, p := range m.Parts() {
		if p.Multipart() {
			continue
		}
		if enclosed, ok := p.Enclosed(); ok {
			f.readHeader(it, enclosed, p.Path+"/header")
			continue
		}
		if !f.countMember(it) {
			return
		}
		if strings.HasPrefix(p.Type, "text/") {
			part := it.newMember(unpacked{p.Text(), f}, p.Name, p.Path)
			part.typ, part.mixed, part.ready = p.Type, false, true
			f.find(part)
			continue
		}
		part := it.newMember(unpacked{p.Open(), f}, p.Name, p.Path)
		if types[p.Type] != plain {
			part.typ = p.Type
		}
		f.find(part)
	}
	if err != nil {
		f.fail(it, err)
	}
}

// readHeader reports the links in a message header, which it does not decode.
func (f *finder) readHeader(it item, h message.Header, label string) {
	if f.done {
		return
	}
	part := it.newMember(strings.NewReader(h.Lines()), "", label)
	part.typ, part.mixed, part.ready = "text/plain", false, true
	f.find(part)
}

// parseMessage parses an item as a message. If the item is not a message, it returns nil and leaves
// the item unchanged. If the message is too large, it also returns an error.
func (f *finder) parseMessage(it *item, h *head) (*message.Message, error) {
	whole, size, failure := f.wholeReader(it, h, "a message")
	if whole == nil {
		return nil, fmt.Errorf("%w; it is read as plain text", failure)
	}
	m, err := message.Parse(whole, size, &message.Limits{Part: f.o.MaxUnpacked})
	if failure != nil {
		it.r, err = io.MultiReader(it.r, failed{failure}), failure
	}
	if errors.Is(err, message.ErrNoMessage) {
		return nil, nil
	}
	return m, err
}

// readMbox reports the links in the messages of an mbox. Message numbers begin at 1.
func (f *finder) readMbox(it item, h *head) {
	r := it.r
	if whole := it.inPlace(len(h.octets)); whole != nil {
		r = whole
	}
	m := message.NewMbox(r)
	for n := 1; m.Next(); n++ {
		if !f.countMember(it) {
			return
		}
		part := it.newMember(m, "", strconv.Itoa(n))
		part.typ = "message/rfc822"
		f.find(part)
	}
	if err := m.Err(); err != nil {
		f.fail(it, err)
	}
}

// isMail reports whether a text begins with a message header. All lines before the first empty
// line must be header fields. At least two of the fields must be common mail fields.
func isMail(text []byte) bool {
	known := 0
	for line := range bytes.Lines(text) {
		line, whole := bytes.CutSuffix(line, []byte{'\n'})
		line = bytes.TrimSuffix(line, []byte{'\r'})
		if !whole || len(line) == 0 {
			break
		}
		if line[0] == ' ' || line[0] == '\t' {
			continue
		}
		name := message.FieldName(line)
		if len(name) == 0 {
			return false
		}
		switch strings.ToLower(string(name)) {
		case "from", "date", "message-id", "received", "return-path", "newsgroups", "mime-version", "path":
			known++
		}
	}
	return known >= 2
}
