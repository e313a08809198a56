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

// URL is a mid or cid URL. URLs are comparable with ==, and the zero URL is invalid.
type URL struct {
	url                  locus.URL
	messageID, contentID string
}

// Parse parses the URL u as a mid or cid URL. It returns a [*locus.SyntaxError] if u has another
// scheme or no identifier.
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

// split splits the text of a mid URL at the first "/" after an "@". If there is no such "/", or no
// text follows the "/", isPair is false.
func split(text string) (messageID, contentID string, isPair bool) {
	at := max(strings.IndexByte(text, '@'), 0)
	slash := at + strings.IndexByte(text[at:], '/')
	if at == 0 || slash <= at || slash+1 == len(text) {
		return text, "", false
	}
	return text[:slash], text[slash+1:], true
}

// URL returns the URL that was parsed.
func (m URL) URL() locus.URL { return m.url }

// MessageID returns the decoded Message-ID without "<" and ">". For a cid URL, it returns "". The
// Message-ID may contain any octets.
func (m URL) MessageID() string { return m.messageID }

// ContentID returns the decoded Content-ID of the body part without "<" and ">". The Content-ID
// may contain any octets. If the URL names a whole message, ok is false.
func (m URL) ContentID() (id string, ok bool) { return m.contentID, m.contentID != "" }

// Parts are the decoded parts of a URL. Identifiers are written without "<" and ">". At least one
// identifier must be set.
type Parts struct {
	MessageID string // Message-ID; empty for a cid URL
	ContentID string // Content-ID; empty for the whole message
}

// URL returns the URL with these parts. It escapes each "/" in an identifier. It returns a
// [*locus.SyntaxError] if there is no identifier, or if both identifiers are set and MessageID
// contains no "@".
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

// Format writes the URL for every verb, and replaces a password with "***". See
// [github.com/locus-url/locus.Mask].
func (m URL) Format(s fmt.State, verb rune) { m.url.Format(s, verb) }

// LogValue returns the URL, in which "***" replaces a password.
func (m URL) LogValue() slog.Value { return slog.StringValue(m.url.Shown()) }
