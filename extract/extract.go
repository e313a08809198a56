package extract

import (
	"iter"

	"github.com/locus-url/locus"
)

// Match is a URL found in a text.
type Match struct {
	// URL is the URL without the line breaks and blanks inside its wrapper, and without the
	// backslashes that TeX and Markdown write before some characters.
	URL locus.URL
	// Alternative is the other reading of a URL that was broken after a hyphen: without
	// that hyphen, which a typesetter may have added (RFC 1738 appendix). It is zero
	// for other URLs.
	Alternative locus.URL
	// Start and End are its offsets in the text, wrapper excluded.
	Start, End int64
	// Form is how it is written.
	Form Form
	// IRI: URL has characters that are not US-ASCII (RFC 3987), which no URL has (RFC
	// 1738 section 2.2). Before it is sent, its host needs the ASCII form, and other
	// parts need escapes.
	IRI bool
	// Assumed: the text does not have the scheme of URL, which is "http" for the name of
	// a web server and "mailto" for an address ([Options.Schemeless]).
	Assumed bool
	// Escaped reports whether the text has a "%" that begins no escape. URL has "%25" in
	// its place, as browsers request it, because no URL has such a "%" (RFC 1738 section
	// 2.2).
	Escaped bool
}

// Form is how a URL is written in a text or a document.
type Form uint8

const (
	// Bare: in running text, without delimiters.
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

var formNames = [...]string{"bare", "wrapped", "bracketed", "link", "image", "definition", "attribute"}

// String returns the form's name in lower case: "bare", "wrapped".
func (f Form) String() string { return formNames[f] }

// Options say what to look for. Nil means the zero Options.
type Options struct {
	// Schemes are looked for where no prefix "URL:" announces a URL. Nil: [Standard].
	Schemes *Schemes
	// NoBare: leave out URLs without delimiters.
	NoBare bool
	// Schemeless: also look for the autolinks of GitHub Flavored Markdown (section 6.9):
	// the name of a web server, "www.example.org/a", and a mail address. Their scheme is
	// assumed: [Match.Assumed].
	Schemeless bool
	// Clone: the URLs that [All] finds do not keep the text in memory.
	Clone bool
	// Borrow: each URL that [Stream] finds is valid only until the next one, which saves
	// a copy.
	Borrow bool
}

// All returns the URLs in text, in order; they do not overlap. Each is a part of text unless
// its wrapper has blanks, so only [Options.Clone] allocates for each.
func All(text string, o *Options) iter.Seq[Match] {
	return func(yield func(Match) bool) { newScanner(o).all(text, yield) }
}

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
