package archive

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/warc"
)

// TranscriptType is the media type of a conversation, a transcript of the data that a
// client and a server exchanged: see docs/archive.md.
const TranscriptType = "application/x-locus-conversation"

const (
	// maxPiece limits the recorded bytes per piece. A longer piece is usually the object or
	// menu, which is also in a record of its own.
	maxPiece = 64 << 10
	// maxConversation limits the recorded bytes per conversation.
	maxConversation = 4 << 20
	// maxPieces limits the recorded pieces.
	maxPieces = 1 << 12
)

// conversation contains the data that the client sent and received. The zero value is
// empty.
type conversation struct {
	pieces  []piece
	octets  int             // number of bytes in pieces
	packets map[string]bool // connections that carry datagrams
	left    int64           // number of unrecorded bytes after the last piece
	err     error
}

// piece is the data that one side sent before the other side sent data on the same connection.
type piece struct {
	mark  byte // '>' for sent data, '<' for received data, '=' for a connection
	name  string
	text  []byte
	total int64 // number of bytes, including unrecorded bytes
}

func (c *conversation) isEmpty() bool {
	for _, p := range c.pieces {
		if p.mark != '=' {
			return false
		}
	}
	return true
}

func (c *conversation) connected(name string, remote net.Addr) {
	if len(c.pieces) >= maxPieces {
		return
	}
	address := "-"
	if remote != nil {
		address = remote.String()
		if strings.HasPrefix(remote.Network(), "udp") {
			if c.packets == nil {
				c.packets = make(map[string]bool)
			}
			c.packets[name] = true
		}
	}
	c.pieces = append(c.pieces, piece{mark: '=', name: name, text: []byte(address)})
}

func (c *conversation) add(name string, sent bool, p []byte) {
	mark := byte('<')
	if sent {
		mark = '>'
	}
	last := len(c.pieces) - 1
	if last < 0 || c.pieces[last].mark != mark || c.pieces[last].name != name || c.packets[name] {
		if len(c.pieces) >= maxPieces || c.octets >= maxConversation {
			c.left += int64(len(p))
			return
		}
		c.pieces = append(c.pieces, piece{mark: mark, name: name})
		last++
	}
	at := &c.pieces[last]
	at.total += int64(len(p))
	keep := p[:min(len(p), maxPiece-len(at.text), max(maxConversation-c.octets, 0))]
	at.text = append(at.text, keep...)
	c.octets += len(keep)
}

// countOmitted counts n bytes that are not recorded in the last piece.
func (c *conversation) countOmitted(n int64) { c.pieces[len(c.pieces)-1].total += n }

// setError stores the error that ended the conversation.
func (c *conversation) setError(err error) { c.err = err }

func (c *conversation) write(w io.Writer, u string, secrets []string) {
	fmt.Fprintf(w, "locus-conversation/1\r\nurl: %s\r\n\r\n", u)
	for _, p := range c.pieces {
		name := p.name
		if name == "" {
			name = "main"
		}
		if p.mark == '=' {
			fmt.Fprintf(w, "= %s %s\r\n", name, p.text)
			continue
		}
		text, total := hideSecrets(p.text, secrets), p.total
		if int(p.total) == len(p.text) {
			total = int64(len(text))
		}
		fmt.Fprintf(w, "%c %s %d/%d\r\n%s\r\n", p.mark, name, len(text), total, text)
	}
	if c.left > 0 {
		fmt.Fprintf(w, "? %d\r\n", c.left)
	}
	if c.err != nil {
		reason := locus.Quote(locus.MaskText(c.err.Error()))
		fmt.Fprintf(w, "! %s\r\n", hideSecrets([]byte(reason), secrets))
	}
}

// hidden is the text that replaces a secret in a record.
const hidden = "***"

// hideSecrets replaces secrets in text, including a truncated secret at the end of the text.
func hideSecrets(text []byte, secrets []string) []byte {
	for _, s := range secrets {
		text = bytes.ReplaceAll(text, []byte(s), []byte(hidden))
		for n := min(len(s)-1, len(text)); n >= minSecret; n-- {
			if bytes.HasSuffix(text, []byte(s[:n])) {
				text = append(bytes.Clone(text[:len(text)-n]), hidden...)
				break
			}
		}
	}
	return text
}

// conversationEntry returns the record for a conversation about u. The resourceID is the ID of
// the resource's record, or empty if there is no such record. The new record contains no
// target URI, so that an index does not treat the record as the resource.
func (r *Recorder) conversationEntry(u locus.URL, began time.Time, address, resourceID string, c *conversation, secrets []string) *warc.Entry {
	b := r.to.NewBlock()
	target := r.target(u)
	c.write(b, target, secrets)
	e := &warc.Entry{Type: "metadata", Date: began, ContentType: TranscriptType, Block: b, Fields: sharedFields(address, nil, nil)}
	if resourceID != "" {
		e.Fields = append(e.Fields, warc.Field{Name: "WARC-Refers-To", Value: "<" + resourceID + ">"}, concurrent(resourceID))
	}
	e.Fields = append(e.Fields, warc.Field{Name: "Locus-Target-URI", Value: target})
	return e
}
