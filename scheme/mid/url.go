package mid

import (
	"fmt"
	"log/slog"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
)

// URL is a mid or cid URL. It is a comparable value; the zero URL is invalid.
type URL struct {
	url                  locus.URL
	messageID, contentID string
}

// Parse reads u as a mid or cid URL. The error is a [*locus.SyntaxError]: u has
// another scheme, or no identifier.
func Parse(u locus.URL) (URL, error) {
	text, offset := bnf.SchemePart(u)
	switch {
	case u.Scheme() != "mid" && u.Scheme() != "cid":
		return URL{}, u.Errorf(0, "scheme", "%w: not a mid or cid URL", locus.ErrForm)
	case text == "" && isCID(u):
		return URL{}, u.Errorf(offset, "content-identifier", `%w: write a content-id after "cid:"`, locus.ErrForm)
	case text == "":
		return URL{}, u.Errorf(offset, "addr-spec", `%w: write a message-id after "mid:"`, locus.ErrForm)
	case isCID(u):
		return URL{url: u, contentID: bnf.Decode(text)}, nil
	}
	messageID, contentID, _ := split(text)
	return URL{url: u, messageID: bnf.Decode(messageID), contentID: bnf.Decode(contentID)}, nil
}

func isCID(u locus.URL) bool { return u.Scheme() == "cid" }

// split splits the text of a mid URL at the first "/" after an "@". If no text follows the
// "/", pair is false.
func split(text string) (messageID, contentID string, pair bool) {
	at := max(strings.IndexByte(text, '@'), 0)
	slash := at + strings.IndexByte(text[at:], '/')
	if at == 0 || slash <= at || slash+1 == len(text) {
		return text, "", false
	}
	return text[:slash], text[slash+1:], true
}

// URL returns the URL from which m was parsed.
func (m URL) URL() locus.URL { return m.url }

// MessageID returns the decoded Message-ID without "<" and ">". For a cid URL it
// returns "". The Message-ID may contain any octets.
func (m URL) MessageID() string { return m.messageID }

// ContentID returns the decoded Content-ID of the body part without "<" and ">".
// It may contain any octets. If m names a whole message, ok is false.
func (m URL) ContentID() (id string, ok bool) { return m.contentID, m.contentID != "" }

// Parts are the decoded parts of a URL. Identifiers have no "<" and ">". At least
// one of them must be set.
type Parts struct {
	MessageID string // empty means a cid URL
	ContentID string // empty means the whole message
}

// URL returns the URL. It escapes a "/" of an identifier. The error is a
// [*locus.SyntaxError]: there is no identifier, or a MessageID with a ContentID has
// no "@".
func (p Parts) URL() (URL, error) {
	scheme, text := "cid", addrspec.Encode(p.ContentID, escape.Unreserved())
	if p.MessageID != "" {
		messageID := addrspec.Encode(p.MessageID, escape.Unreserved())
		if scheme = "mid"; p.ContentID != "" {
			messageID += "/" + text
		}
		text = messageID
	}
	u, err := locus.Parts{Scheme: scheme, SchemePart: &text}.URL()
	if err != nil {
		return URL{}, err
	}
	m, err := Parse(u)
	if err == nil && m.messageID != p.MessageID {
		return URL{}, u.Errorf(len("mid:"), "addr-spec", `%w: a message-id before a content-id must have an "@"`, locus.ErrValue)
	}
	return m, err
}

// Format writes the URL for every verb, with "***" in place of a password: see
// [github.com/locus-url/locus.Mask].
func (m URL) Format(s fmt.State, verb rune) { m.url.Format(s, verb) }

// LogValue returns the URL with "***" in place of a password.
func (m URL) LogValue() slog.Value { return slog.StringValue(m.url.Shown()) }
