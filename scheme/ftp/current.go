package ftp

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// No later standard replaces RFC 1738 section 3.2, so it still applies, together with the
// generic syntax of RFC 3986:
//
//	ftpurl = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]
//
// An empty path after the host is equivalent to "/" (RFC 3986 section 6.2.3, "in general").
var inForce = scheme.CurrentStandard{Check: checkURI, Clean: isClean, Normalize: normalizeURI, Root: true}

const typePrefix = ";type="

func isClean(u rfc3986.URI) bool {
	host, _ := u.Host()
	path := u.Path()
	i := strings.IndexByte(path, ';')
	if i >= 0 {
		code, ok := strings.CutPrefix(path[i:], typePrefix)
		if !ok || code != "a" && code != "i" && code != "d" {
			return false
		}
	}
	return host != "" && !current.HasQuery(u)
}

func checkURI(u rfc3986.URI) []locus.Violation {
	f := current.Findings{URI: u, Section: section}
	f.Host()
	if i, code := typecode(u.Path()); i >= 0 && (len(code) != 1 || !strings.Contains("aAiIdD", code)) {
		f.Section = "RFC 1738 3.2.2"
		start := i + strings.IndexByte(u.Path()[i:], '=') + len("=")
		f.Add("typecode", u.PathOffset()+start, len(u.Path())-start, "a typecode is a, i or d")
	}
	if _, ok := u.Query(); ok {
		f.Note("query", "RFC 3986 3.4", u.QueryOffset()-len("?"), len("?"), "RFC 3986 ends the path here: write %3F in a name")
	}
	return f.List()
}

// typecode returns the offset of ";type=" in the last segment of path, and the code after it.
// Letters may be escaped. If there is no typecode, it returns -1 and "".
func typecode(path string) (offset int, code string) {
	last := strings.LastIndexByte(path, '/') + 1
	i := strings.LastIndexByte(path[last:], ';')
	if i < 0 {
		return -1, ""
	}
	text := path[last+i:]
	if strings.IndexByte(text, '%') >= 0 {
		text = rfc3986.Parse("ftp:" + text).Normalize(nil).Path()
	}
	if len(text) < len(typePrefix) || !strings.EqualFold(text[:len(typePrefix)], typePrefix) {
		return -1, ""
	}
	return last + i, text[len(typePrefix):]
}

// normalizeURI changes the typecode to lower case, as in the BNF.
func normalizeURI(u rfc3986.URI) rfc3986.URI {
	path := u.Path()
	if i, code := typecode(path); i >= 0 && len(code) == 1 {
		return current.WithPath(u, path[:i]+strings.ToLower(path[i:]), false)
	}
	return u
}
