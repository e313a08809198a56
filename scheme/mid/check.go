package mid

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
)

const (
	midSection = `URI draft, "Message-Id"`
	cidSection = `URI draft, "Content-Id"`
)

func check(u locus.URL, p locus.Profile) []locus.Violation {
	text, offset := bnf.SchemePart(u)
	section, form, part := midSection, `write a message-id after "mid:"`, "addr-spec"
	if isCID(u) {
		section, form, part = cidSection, `write a content-id after "cid:"`, "content-identifier"
	}
	if p == locus.RFC1738 && (isCID(u) || !strings.Contains(text, "/")) && addrspec.Sound(u) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	if text == "" {
		f.Add("form", section, offset, "", form)
		return f.List()
	}
	f.Xchars(part, offset, text)
	if isCID(u) {
		addrspec.Report(&f, offset, text)
		return f.List()
	}
	messageID, contentID, pair := split(text)
	identifier(&f, offset, messageID)
	if pair {
		offset += len(messageID)
		f.Note("content-id", "RFC 2392 2", offset, text[len(messageID):], `RFC 2392 added "/" and a content-id`)
		identifier(&f, offset+1, contentID)
	}
	return f.List()
}

func identifier(f *bnf.Findings, offset int, text string) {
	if i := strings.IndexByte(text, '/'); i >= 0 {
		f.Note("slash", "RFC 2392 2", offset+i, "/", `write "/" in an identifier as %2F: in RFC 2392 it separates message-id and content-id`)
	}
	addrspec.Report(f, offset, text)
}

// cidNotes returns the note that a cid URL is meaningful only in the message that contains the
// URL.
func cidNotes(u locus.URL) []locus.Violation {
	return []locus.Violation{{
		Rule: "within-message", Kind: locus.Note, Section: "RFC 2392 1", Text: u.String()[:len("cid")],
		Help: "a cid URL has a meaning only in the message that contains it: elsewhere write mid:, a message-id, \"/\" and the content-id",
	}}
}

func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	if _, err := Parse(u); err != nil {
		return locus.URL{}, 0, err
	}
	return addrspec.Canonical(u)
}
