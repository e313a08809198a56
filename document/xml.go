package document

import (
	"bytes"
	"iter"
	"strings"

	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/internal/octet"
)

// isXML reports whether a text declares that it is XML.
func isXML(octets []byte) bool {
	return bytes.HasPrefix(bytes.TrimLeft(bytes.TrimPrefix(octets, []byte("\uFEFF")), " \t\r\n"), []byte("<?xml "))
}

// xmlLinks yields the URLs in the text, comments and attribute values of an XML document. xmlLinks
// omits URLs that are not links: names of namespaces, schemas and document types, and relationship
// types in office documents.
func xmlLinks(text string, o *Options) iter.Seq[Link] {
	return func(yield func(Link) bool) {
		d := newLinkFinder(text, o, yield)
		h := markup.HTML{Source: text, XML: true}
		for !d.done && h.Begin() {
			switch h.Kind {
			case markup.Text:
				d.readProse(h.Start, h.End, markup.HTMLText)
			case markup.StartTag:
				d.xmlAttributes(&h)
			case markup.Comment:
				d.xmlComment(h.Start, h.End)
			case markup.Verbatim, markup.Content:
				d.readProse(h.Start, h.End, markup.Literal)
			}
		}
	}
}

// xmlComment reports the URLs in an XML comment. The URLs in a declaration are only names, so they
// count as invisible.
func (d *linkFinder) xmlComment(start, end int) {
	if s := d.text[start:end]; strings.HasPrefix(s, "<!") && !strings.HasPrefix(s, "<!--") {
		d.readHidden(start, end)
		return
	}
	d.readProse(start, end, markup.Literal)
}

// xmlAttributes reports the URLs in the attributes of a start tag.
func (d *linkFinder) xmlAttributes(h *markup.HTML) {
	element := localName(h.Name)
	for !d.done {
		a, ok := h.Attribute()
		if !ok {
			return
		}
		if isName(element, a.Name) {
			d.readHidden(a.Start, a.End)
		} else {
			d.readProse(a.Start, a.End, markup.HTMLValue)
		}
	}
}

// isName reports whether the value of an attribute is a name that looks like a URL.
func isName(element, attribute string) bool {
	switch {
	case attribute == "xmlns", strings.HasPrefix(attribute, "xmlns:"):
		return true
	case attribute == "Type":
		return element == "relationship"
	}
	local := localName(attribute)
	return local == "schemalocation" || local == "nonamespaceschemalocation"
}

// localName returns a name in lower case and without the namespace prefix.
func localName(name string) string {
	if i := strings.IndexByte(name, ':'); i >= 0 {
		name = name[i+1:]
	}
	return octet.ToLower(name[:min(len(name), maxElement)])
}
