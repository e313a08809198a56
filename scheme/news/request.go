package news

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/scheme/internal/line"
)

// maxCommand is the maximum length of a command line in octets, including CR LF (RFC 3977
// section 3.1).
const maxCommand = 512

// appendCommand appends the words to dst as a command line. Only a user or password may
// contain spaces. The caller must have checked words from a URL with [URL.sendable].
func appendCommand(dst []byte, words ...string) ([]byte, error) {
	b, err := line.Append(dst, words...)
	if err != nil {
		return dst, err
	}
	if n := len(b) - len(dst); n > maxCommand {
		return dst, fmt.Errorf("%w: the command has %d bytes, and RFC 3977 section 3.1 allows %d", locus.ErrValue, n, maxCommand)
	}
	return b, nil
}

// sendable returns an error if no command can contain the parts of the URL. A newsgroup or
// message-id must not contain a space or a control character. A message-id must not contain
// "<" or ">" (RFC 3977 section 3.6). The command must not be too long.
func (n URL) sendable() error {
	text := path(n.url)
	part, octets, forbidden := "group", n.newsgroup, ""
	command := []string{"GROUP", n.newsgroup}
	switch {
	case n.messageID != "":
		part, octets, forbidden = "article", n.messageID, "<>"
		command = []string{"ARTICLE", bracketed(n.messageID)}
	case isNNTP(n.url):
		text, _, _ = strings.Cut(text, "/")
	}
	i := strings.IndexFunc(octets, func(r rune) bool { return r <= ' ' || r == 0x7F || strings.ContainsRune(forbidden, r) })
	if i >= 0 {
		return n.url.Errorf(n.url.PathOffset()+bnf.OctetOffset(text, i), part, "%w: %s cannot be part of a name that is sent to a server", locus.ErrValue, locus.Quote(octets[i:i+1]))
	}
	if _, err := appendCommand(nil, command...); err != nil {
		return n.url.Errorf(n.url.PathOffset(), part, "%w", err)
	}
	return nil
}

// bracketed returns a message-id with the "<" and ">" that commands require.
func bracketed(id string) string { return "<" + id + ">" }

// unbracketed returns a message-id without "<" and ">".
func unbracketed(text string) string {
	return strings.TrimSuffix(strings.TrimPrefix(text, "<"), ">")
}
