package mid

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
)

const section = `URI draft, "Message-Id"`

// check returns everything that is wrong with u.
func check(u locus.URL, p locus.Profile) []locus.Violation {
	text, offset := bnf.SchemePart(u)
	if p == locus.RFC1738 && strings.IndexByte(text, '/') < 0 && addrspec.Sound(u) {
		return nil
	}
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	if text == "" {
		f.Add("form", section, offset, "", `write a message-id after "mid:"`)
		return f.List()
	}
	f.Xchars("addr-spec", offset, text)
	messageID, contentID, pair := split(text)
	identifier(&f, offset, messageID)
	if pair {
		offset += len(messageID)
		f.Note("content-id", "RFC 2392 2", offset, text[len(messageID):], `a "/" and a content-id came with RFC 2392`)
		identifier(&f, offset+1, contentID)
	}
	return f.List()
}

// identifier looks at text, which begins at offset.
func identifier(f *bnf.Findings, offset int, text string) {
	if i := strings.IndexByte(text, '/'); i >= 0 {
		f.Note("slash", "RFC 2392 2", offset+i, "/", `write a "/" of an identifier as %2F: in RFC 2392 it stands between message-id and content-id`)
	}
	addrspec.Report(f, offset, text)
}

// canonical returns the one spelling of u, and what it changed. The error is a
// [*locus.SyntaxError]: u is no mid URL.
func canonical(u locus.URL) (locus.URL, locus.Change, error) {
	if _, err := Parse(u); err != nil {
		return locus.URL{}, 0, err
	}
	return addrspec.Canonical(u)
}
