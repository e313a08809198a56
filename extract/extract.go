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
	// Alternative is the URL without a hyphen at the end of a line, for a URL that continues
	// on the next line. A typesetter may have added the hyphen (RFC 1738 appendix). It is
	// zero for other URLs.
	Alternative locus.URL
	// Start and End are the offsets of the URL in the text, without the wrapper.
	Start, End int64
	// Form is the notation of the URL.
	Form Form
	// IRI reports whether URL contains characters outside US-ASCII (RFC 3987), which are
	// invalid in a URL (RFC 1738 section 2.2). Before a request, the caller must convert the
	// host to its ASCII form and escape the other parts.
	IRI bool
	// Assumed reports whether the text lacks the scheme of URL: "http" for the name of a web
	// server, or "mailto" for a mail address ([Options].Schemeless).
	Assumed bool
	// Escaped reports whether the text contains a "%" outside an escape, which is invalid in
	// a URL (RFC 1738 section 2.2). Like browsers, All replaces it by "%25" in URL.
	Escaped bool
}

// Form is the notation of a URL in a text or a document.
type Form uint8

const (
	// Bare is a URL in running text, without delimiters.
	Bare Form = iota
	// Wrapped is a URL in the wrapper "<URL:...>" of the appendix of RFC 1738.
	Wrapped
	// Bracketed is a URL in the wrapper without the prefix: "<scheme:...>".
	Bracketed
	// Link is the destination of a Markdown link.
	Link
	// Image is the destination of a Markdown image.
	Image
	// Definition is the destination of a Markdown link reference definition.
	Definition
	// Attribute is the value of an HTML attribute, or a part of it.
	Attribute
)

var formNames = [...]string{"bare", "wrapped", "bracketed", "link", "image", "definition", "attribute"}

// String returns the name of the form in lower case, such as "bare" or "wrapped".
func (f Form) String() string { return formNames[f] }

// Options selects the URLs to find. Nil means the zero Options.
type Options struct {
	// Schemes holds the schemes of URLs without the prefix "URL:". If nil, they are the
	// [Standard] schemes.
	Schemes *Schemes
	// NoBare omits URLs without delimiters.
	NoBare bool
	// Schemeless also finds the autolinks of GitHub Flavored Markdown (section 6.9): web
	// server names such as "www.example.org/a", and mail addresses. See [Match].Assumed.
	Schemeless bool
	// Clone copies each URL that [All] finds, so that it does not retain the text.
	Clone bool
	// Borrow saves copies in [Stream]: each URL is valid only until the next one.
	Borrow bool
}

// All yields the URLs in text, in order. They do not overlap. Most URLs are substrings of
// text and need no allocation without [Options].Clone.
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
