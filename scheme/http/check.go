package http

import (
	"bytes"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/internal/octet"
)

const section = "RFC 1738 3.3"

// Check returns all violations that u contains, in order of offset. If there are no
// violations, Check returns nil.
//
// For [locus.RFC1630], Check applies the following production of the URI draft:
//
//	httpaddress = "http://" hostport [ "/" path ] [ "?" search ]
//
// Here, path and search consist of xalphas and "+". The path may also contain "/".
func Check(u locus.URL, p locus.Profile) []locus.Violation {
	if p == locus.RFC1738 && conforms(u) {
		return nil
	}
	return findings(u, p)
}

// findings returns the same result as [Check], without the fast path for valid URLs.
func findings(u locus.URL, p locus.Profile) []locus.Violation {
	f := bnf.Findings{URL: u, Profile: p}
	f.Scheme()
	if f.Internet(bnf.Login{Section: section, NoSlash: p == locus.RFC1630}) {
		if err, ok := checkForm(u).(*locus.SyntaxError); ok && u.Host() != "" {
			// In err.Input, "*" replaces each character of a password.
			f.Add("form", section, err.Offset, err.Input[err.Offset:err.Offset+1], err.Err.Error())
		}
		path, text, isSearch := splitSearch(u)
		if offset := u.PathOffset(); p == locus.RFC1630 {
			f.DraftPath("path", offset, path)
			if isSearch {
				f.Empty("search", offset+len(path)+1, text)
			}
			f.Chars("search", offset+len(path)+1, text, octet.Xalpha)
		} else {
			f.Chars("hpath", offset, path, octet.Hsegment)
			f.Chars("search", offset+len(path)+1, text, octet.Search)
		}
	}
	return f.List()
}

// conforms reports whether u has no violations of RFC 1738. It does not allocate memory.
func conforms(u locus.URL) bool {
	return u.Facts().Has(locus.PathSearch) && bnf.SoundHostPort(u) && defaultPort(u) != 0
}

// inSearch is the set of characters that have the same meaning as their escapes in a search.
// It excludes "+", which may mean a space.
var inSearch = escape.Unreserved().Without("+")

// Canonical returns the canonical form of u, and the set of changes that were necessary. The
// error is a [*locus.SyntaxError].
func Canonical(u locus.URL) (locus.URL, locus.Change, error) {
	path, search, isSearch := splitSearch(u)
	dotted := hasDots(path)
	if !dotted && isSpelled(u) {
		return u, 0, nil
	}
	if err := checkForm(u); err != nil {
		return locus.URL{}, 0, err
	}
	var c bnf.Canon
	c.Internet(u, defaultPort(u))
	if dotted {
		c.Change |= locus.DotSegments
		c.Path(octet.View(appendWithoutDots(make([]byte, 0, 256), path)), escape.Unreserved())
	} else {
		c.Path(path, escape.Unreserved())
	}
	if isSearch {
		c.Raw("?")
		c.Path(search, inSearch)
	}
	return c.End()
}

// isSpelled reports whether u is in canonical form and matches the syntax of RFC 1738 section
// 3.3. It ignores dot segments.
func isSpelled(u locus.URL) bool {
	const hosts = locus.HostName | locus.HostNumber
	f, own := u.Facts(), defaultPort(u)
	return f.Has(locus.Internet|locus.Slash) && f&hosts != 0 && own != 0 && bnf.Spelled(u, own)
}

// hasDots reports whether the path contains a segment "." or "..".
func hasDots(path string) bool {
	if octet.HasDots(path) && hasDotSegment(path) {
		return true
	}
	for i := strings.IndexByte(path, '%'); i >= 0; {
		if octet.IsEscape(path, i) && octet.Unescape(path, i) == '.' {
			return hasDotSegment(path)
		}
		n := strings.IndexByte(path[i+1:], '%')
		if n < 0 {
			break
		}
		i += 1 + n
	}
	return false
}

func hasDotSegment(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if dotCount(segment) > 0 {
			return true
		}
	}
	return false
}

// dotCount returns 1 for the segment ".", 2 for "..", and 0 for any other segment. The dots
// may be escaped.
func dotCount(segment string) (n int) {
	for segment != "" {
		switch {
		case segment[0] == '.':
			segment = segment[1:]
		case strings.HasPrefix(segment, "%2E"), strings.HasPrefix(segment, "%2e"):
			segment = segment[3:]
		default:
			return 0
		}
		if n++; n > 2 {
			return 0
		}
	}
	return n
}

// appendWithoutDots resolves the segments "." and ".." of a path (RFC 3986 section 5.2.4), and
// appends the result to dst. The path has no "/" at its beginning. Other segments do not
// change.
func appendWithoutDots(dst []byte, path string) []byte {
	for start := len(dst); ; {
		segment, rest, more := strings.Cut(path, "/")
		n := dotCount(segment)
		if n == 2 {
			before := dst[start:]
			dst = dst[:start+bytes.LastIndexByte(before[:max(len(before)-1, 0)], '/')+1]
		}
		if n == 0 {
			dst = append(dst, segment...)
			if more {
				dst = append(dst, '/')
			}
		}
		if !more {
			return dst
		}
		path = rest
	}
}

// loginNotes returns a note that explains when the client sends the user and password in u.
// RFC 3986 allows them.
func loginNotes(u locus.URL) []locus.Violation {
	user, ok := u.User()
	if !ok {
		return nil
	}
	return []locus.Violation{{
		Rule: "login", Kind: locus.Note, Section: section, Offset: len(u.Scheme()) + len("://"), Text: user,
		Help: "section 3.3 allows no login in http: it is sent only if the server requests one (RFC 9110 11)",
	}}
}
