package data

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/current"
)

// inForce returns the rules of RFC 2397, which is still in force. By RFC 3986, a data URL consists
// of a path and an optional query.
func inForce() scheme.CurrentStandard {
	return scheme.CurrentStandard{
		Check: checkURI,
		Normalize: func(u rfc3986.URI) rfc3986.URI {
			text, start := textPart(u)
			var r reader
			if r.parse(text); len(r.faults) > 0 {
				return u
			}
			return rfc3986.Parse(u.String()[:start] + r.content.spell(escape.Xchar().With("~")) + u.String()[start+len(text):])
		},
	}
}

// textPart returns the text between "data:" and the fragment, and the offset of that text.
func textPart(u rfc3986.URI) (text string, offset int) {
	name, _ := u.Scheme()
	offset = len(name) + len(":")
	text, _, _ = strings.Cut(u.String()[offset:], "#")
	return text, offset
}

// section is the section that defines the syntax.
const section = "RFC 2397 3"

func checkURI(u rfc3986.URI) []locus.Violation {
	text, start := textPart(u)
	var r reader
	r.parse(text)
	f := current.Findings{URI: u, Section: section}
	for _, x := range r.faults {
		f.Add(x.part, start+x.offset, x.size, x.help)
	}
	if r.quoted > 0 {
		f.Note("quoted-string", section, start+r.quoted, 0, "write the value without quotes, and escapes in it")
	}
	if i := notASCII(r.content.octets); i >= 0 && len(r.faults) == 0 && r.content.isASCII() {
		f.Note("charset", "RFC 2397 2", start+strings.IndexByte(text, ',')+1, 0, "the data is not US-ASCII: write ;charset=utf-8, or its charset, before the data")
	}
	if _, ok := u.Fragment(); ok {
		f.Note("fragment", "RFC 3986 3.5", u.FragmentOffset()-len("#"), len("#"), `"#" ends the data: write %23 if it is part of the data`)
	}
	return f.List()
}

func notASCII(octets string) int {
	for i := range len(octets) {
		if octets[i] >= 0x80 {
			return i
		}
	}
	return -1
}

// isASCII reports whether the charset of the media type is US-ASCII.
func (c *content) isASCII() bool {
	for _, p := range c.parameters {
		if p.Name == "charset" {
			return strings.EqualFold(p.Value, usASCII)
		}
	}
	return c.mediaType == plainText
}
