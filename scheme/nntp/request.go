package nntp

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/line"
)

// maxCommand is how long a command line may be, in octets with its end (RFC 3977
// section 3.1).
const maxCommand = 512

// appendCommand appends the words as a command line. Only a user or password may
// have blanks in it; what else comes from a URL has been looked at with
// [badOctet].
func appendCommand(dst []byte, words ...string) ([]byte, error) {
	b, err := line.Append(dst, words...)
	if err != nil {
		return dst, err
	}
	if n := len(b) - len(dst); n > maxCommand {
		return dst, fmt.Errorf("%w: a command of %d octets, and %d are the most (RFC 3977 section 3.1)", locus.ErrValue, n, maxCommand)
	}
	return b, nil
}

// badOctet returns where the first octet of text is that can't be in an argument:
// a blank, which would end it, or a control character. It returns -1 if there is
// none.
func badOctet(text string) int {
	for i := 0; i < len(text); i++ {
		if text[i] <= ' ' || text[i] == 0x7F {
			return i
		}
	}
	return -1
}

// sendable says why the newsgroup of n can't be asked for, if it can't. Nobody
// connects to a server with a URL that has nothing to send.
func (n URL) sendable() error {
	text, _, _, offset := split(n.url)
	if i := badOctet(n.newsgroup); i >= 0 {
		return n.url.Errorf(offset+bnf.OctetOffset(text, i), "group",
			"%w: a blank or control character would end the command that it is sent in", locus.ErrValue)
	}
	if _, err := appendCommand(nil, "GROUP", n.newsgroup); err != nil {
		return n.url.Errorf(offset, "group", "%w", err)
	}
	return nil
}

// checkMessageID says why a message-id, without its "<" and ">", can't be asked
// for (RFC 3977 section 3.6).
func checkMessageID(id string) error {
	if id == "" || badOctet(id) >= 0 || strings.ContainsAny(id, "<>") {
		return fmt.Errorf(`%w: a message-id is printing characters, without blanks and without "<" and ">"; not so %s`, locus.ErrValue, locus.Quote(id))
	}
	_, err := appendCommand(nil, "ARTICLE", bracketed(id))
	return err
}

// bracketed is a message-id as commands have it.
func bracketed(id string) string { return "<" + id + ">" }

// unbracketed is a message-id without "<" and ">".
func unbracketed(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(text, "<"), ">")
}
