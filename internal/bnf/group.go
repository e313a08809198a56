package bnf

import (
	"strconv"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
)

// IsGroup reports whether text is a group of section 5, for news and nntp:
//
//	group = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
func IsGroup(text string) bool {
	return text != "" && octet.Is(text[0], octet.Alpha) && octet.All(text)&octet.Group != 0
}

// Group adds the findings about a group at offset. In the URI draft a group is a letter
// and xalphas.
func (f *Findings) Group(offset int, text string) {
	section, set := "RFC 1738 5", octet.Group
	if f.Profile == locus.RFC1630 {
		section, set = "URI draft, group", octet.Xalpha
	}
	if text == "" {
		f.Add("group", section, offset, "", "write the name of a newsgroup")
		return
	}
	if octet.Is(text[0], set) && !octet.Is(text[0], octet.Alpha) {
		f.Add("group", section, offset, text[:1], "a newsgroup's name begins with a letter, not with "+strconv.Quote(text[:1]))
	}
	f.Chars("group", offset, text, set)
}
