package mid

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
)

// URL is a mid URL. It is a comparable value; the zero URL is none.
type URL struct {
	url                  locus.URL
	messageID, contentID string
}

// Parse reads u as a mid URL. The error is a [*locus.SyntaxError]: u has another
// scheme, or no identifier.
func Parse(u locus.URL) (URL, error) {
	if u.Scheme() != "mid" {
		return URL{}, u.Errorf(0, "scheme", "%w: it is no mid URL", locus.ErrForm)
	}
	text, offset := bnf.SchemePart(u)
	if text == "" {
		return URL{}, u.Errorf(offset, "addr-spec", `%w: a message-id follows "mid:"`, locus.ErrForm)
	}
	messageID, contentID, _ := split(text)
	return URL{url: u, messageID: bnf.Decode(messageID), contentID: bnf.Decode(contentID)}, nil
}

// split splits text at the first "/" behind an "@", if something follows it.
func split(text string) (messageID, contentID string, pair bool) {
	at := max(strings.IndexByte(text, '@'), 0)
	slash := at + strings.IndexByte(text[at:], '/')
	if at == 0 || slash <= at || slash+1 == len(text) {
		return text, "", false
	}
	return text[:slash], text[slash+1:], true
}

// URL returns the URL as it was parsed.
func (m URL) URL() locus.URL { return m.url }

// MessageID returns the identifier of the message, decoded and without "<" and
// ">". It may hold any octets.
func (m URL) MessageID() string { return m.messageID }

// ContentID returns the identifier of the body part, decoded and without "<" and
// ">". ok is false if m is about the whole message.
func (m URL) ContentID() (id string, ok bool) { return m.contentID, m.contentID != "" }

// Parts are what a mid URL is made of, decoded.
type Parts struct {
	MessageID string // without "<" and ">"; needed
	ContentID string // the same of a body part; empty: the whole message
}

// URL makes the URL. A "/" of an identifier is encoded. The error is a
// [*locus.SyntaxError]: there is no MessageID, or one without "@" beside a
// ContentID.
func (p Parts) URL() (URL, error) {
	text := addrspec.Encode(p.MessageID, escape.Unreserved())
	if p.ContentID != "" {
		text += "/" + addrspec.Encode(p.ContentID, escape.Unreserved())
	}
	u, err := locus.Parts{Scheme: "mid", SchemePart: &text}.URL()
	if err != nil {
		return URL{}, err
	}
	m, err := Parse(u)
	if err == nil && m.messageID != p.MessageID {
		return URL{}, u.Errorf(len("mid:"), "addr-spec", `%w: beside a content-id, a message-id has an "@"`, locus.ErrValue)
	}
	return m, err
}
