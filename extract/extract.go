package extract

import (
	"iter"

	"github.com/locus-url/locus"
)

// Match is a URL found in a text.
type Match struct {
	// URL is the URL without the line breaks and blanks in its wrapper. Backslashes that TeX and
	// Markdown require before some characters are also removed.
	URL locus.URL
	// Alternative is the URL without a hyphen at the end of a line, if the URL continues on the
	// next line. A typesetter may have added the hyphen (RFC 1738 appendix). For other URLs,
	// Alternative is zero.
	Alternative locus.URL
	// Start and End are the offsets of the URL in the text, without the wrapper.
	Start, End int64
	// Form is the notation of the URL.
	Form Form
	// IRI reports whether URL contains characters outside US-ASCII (RFC 3987), which are invalid
	// in a URL (RFC 1738 section 2.2). Before a request, the caller must convert the host to ASCII
	// and escape the characters in the other parts.
	IRI bool
	// Assumed reports whether the scheme of URL is missing in the text ([Options].Schemeless). The
	// assumed scheme is "http" for the name of a web server and "mailto" for a mail address.
	Assumed bool
	// Escaped reports whether the text contains a "%" outside an escape, which is invalid in a URL
	// (RFC 1738 section 2.2). Like browsers, All replaces such a "%" by "%25".
	Escaped bool
}

// Form is the notation of a URL in a text or a document.
type Form uint8

const (
	// Bare is a URL in running text, without delimiters.
	Bare Form = iota
	// Wrapped is a URL in the wrapper "<URL:...>" (RFC 1738 appendix).
	Wrapped
	// Bracketed is a URL in the wrapper "<scheme:...>", which has no prefix.
	Bracketed
	// Link is the destination of a Markdown link.
	Link
	// Image is the destination of a Markdown image.
	Image
	// Definition is the destination of a Markdown link reference definition.
	Definition
	// Attribute is the value, or a part of the value, of an HTML attribute.
	Attribute
)

var formNames = [...]string{"bare", "wrapped", "bracketed", "link", "image", "definition", "attribute"}

// String returns the name of the form in lower case, such as "bare" or "wrapped".
func (f Form) String() string { return formNames[f] }

// Options selects the URLs to find. A nil pointer has the same meaning as the zero Options.
type Options struct {
	// Schemes holds the known schemes for URLs without the prefix "URL:". If Schemes is nil, the
	// [Standard] schemes are known.
	Schemes *Schemes
	// NoBare omits URLs without delimiters.
	NoBare bool
	// Schemeless adds the autolinks of GitHub Flavored Markdown (section 6.9). Such autolinks are
	// web server names, as in "www.example.org/a", and mail addresses. See [Match].Assumed.
	Schemeless bool
	// Clone makes [All] copy each URL, so that the URL does not retain the text.
	Clone bool
	// Borrow makes [Stream] return URLs without copying them. Each URL is then valid only until
	// Stream yields the next URL.
	Borrow bool
}

// All yields the URLs in text, in order. The URLs do not overlap. Unless [Options].Clone is set,
// most URLs are substrings of text and need no allocation.
func All(text string, o *Options) iter.Seq[Match] {
	return func(yield func(Match) bool) { newScanner(o).all(text, yield) }
}

func (s *scanner) all(text string, yield func(Match) bool) {
	var m Match
	for pos := 0; ; {
		next, v := s.findURL(text, pos, true, &m)
		if v != foundURL || !yield(m) {
			return
		}
		pos = next
	}
}
