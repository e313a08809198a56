package extract

import (
	"iter"

	"github.com/locus-url/locus"
)

// Match is a URL found in a text.
type Match struct {
	// URL is what was found, line breaks and blanks inside its wrapper left out.
	URL locus.URL
	// Alternative is the other reading of a URL that was broken after a hyphen:
	// without that hyphen, which a typesetter may have put there (RFC 1738
	// appendix). It is zero if there is none.
	Alternative locus.URL
	// Start and End are the octets of the text that it was read from, the wrapper
	// left out.
	Start, End int64
	// Form is how it is written.
	Form Form
	// IRI reports that what was found has characters that are not US-ASCII (RFC 3987),
	// which no URL has (RFC 1738 section 2.2). It is not fit to be sent as it is: its
	// host is a name of another script, or other parts of it need escapes.
	IRI bool
	// Assumed reports that the text does not have the scheme of URL: it is "http" for
	// the name of a web server, "mailto" for an address ([Options.Schemeless]).
	Assumed bool
}

// Form is the way in which a URL is written in a text.
type Form uint8

const (
	// Bare: between other characters, with nothing that delimits it.
	Bare Form = iota
	// Wrapped: "<URL:...>", the wrapper of RFC 1738's appendix.
	Wrapped
	// Bracketed: "<scheme:...>", the wrapper without its prefix.
	Bracketed
	// Link: the destination of a Markdown link.
	Link
	// Image: the destination of a Markdown image.
	Image
	// Definition: the destination of a Markdown link reference definition.
	Definition
	// Attribute: the value of an HTML attribute, or a part of it.
	Attribute
)

// String returns the form's name in lower case: "bare", "wrapped".
func (f Form) String() string {
	switch f {
	case Wrapped:
		return "wrapped"
	case Bracketed:
		return "bracketed"
	case Link:
		return "link"
	case Image:
		return "image"
	case Definition:
		return "definition"
	case Attribute:
		return "attribute"
	}
	return "bare"
}

// Options say what to look for. The zero Options, and nil, are sensible.
type Options struct {
	// Schemes are looked for where no prefix "URL:" announces a URL. Nil: [Standard].
	Schemes *Schemes
	// NoBare leaves out URLs that nothing delimits.
	NoBare bool
	// Schemeless: look also for what a reader takes for a URL though it has no scheme,
	// as the autolinks extension of GitHub Flavored Markdown has it (section 6.9): the
	// name of a web server, "www.example.org/a", and a mail address. Their scheme is
	// assumed: [Match.Assumed].
	Schemeless bool
	// Clone: what [All] finds keeps no more of the text in memory than its own.
	Clone bool
}

// All returns the URLs in text, in order; they do not overlap. Each is a part of
// text unless its wrapper had blanks in it, so nothing is allocated for it but with
// [Options.Clone].
func All(text string, o *Options) iter.Seq[Match] {
	return func(yield func(Match) bool) { newScanner(o).all(text, yield) }
}

// all yields the URLs in text.
func (s *scanner) all(text string, yield func(Match) bool) {
	var m Match
	for pos := 0; ; {
		next, v := s.next(text, pos, true, &m)
		if v != found || !yield(m) {
			return
		}
		pos = next
	}
}
