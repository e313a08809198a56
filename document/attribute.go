package document

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/internal/octet"
)

// content is the type of data in an attribute value.
type content uint8

const (
	noURL      content = iota
	oneURL             // one URL or relative reference
	urls               // several URLs, separated by white space
	candidates         // several URLs with descriptors, as in srcset
	style              // CSS declarations
	refresh            // seconds and a URL
	commas             // several URLs, separated by ","
	page               // an HTML document
	referred           // one URL, if another attribute of the tag requires a URL
)

// contentOf returns the type of an attribute value. Both names must be in lower case.
func contentOf(element, name string) content {
	switch name {
	case "src", "xlink:href", "poster", "background", "lowsrc":
		return oneURL
	case "srcset", "imagesrcset":
		return candidates
	case "style", "clip-path", "cursor", "fill", "filter", "marker", "marker-end", "marker-mid", "marker-start", "mask", "stroke":
		// Presentation attributes contain CSS values (SVG 2 section 6.6).
		return style
	case "href":
		if isReference(element) {
			return oneURL
		}
	case "action", "archive", "cite", "content", "data", "formaction", "longdesc", "manifest", "ping", "profile", "srcdoc", "value":
		// Check only attributes with these names, because the check is slow.
		switch element + " " + name {
		case "form action", "object data", "head profile", "html manifest", "button formaction", "input formaction",
			"blockquote cite", "q cite", "ins cite", "del cite", "img longdesc", "iframe longdesc", "frame longdesc":
			return oneURL
		case "meta content":
			return refresh
		case "a ping", "area ping", "object archive":
			return urls
		case "applet archive":
			return commas
		case "iframe srcdoc":
			return page
		case "param value":
			return referred
		}
	}
	return noURL
}

// isReference reports whether HTML or SVG defines the attribute "href" for an element. On other
// elements, only scripts use this attribute.
func isReference(element string) bool {
	switch element[strings.IndexByte(element, ':')+1:] {
	case "a", "area", "base", "link",
		"altglyph", "animate", "animatecolor", "animatemotion", "animatetransform", "color-profile", "cursor", "discard", "feimage", "filter",
		"font-face-uri", "glyphref", "image", "lineargradient", "mpath", "pattern", "radialgradient", "script", "set", "textpath", "tref", "use":
		return true
	}
	return false
}

// maxElement is the maximum length of the element name in a link. The limit is needed because a
// tag can contain many links, and each link stores the name.
const maxElement = 64

// readAttributes reports the links in the attributes of a start tag. If several attributes have the
// same name, it uses the first attribute.
func (d *linkFinder) readAttributes(h *markup.HTML) {
	element := octet.ToLower(h.Name[:min(len(h.Name), maxElement)])
	var buf [8]string
	seen := buf[:0]
	for !d.done {
		a, ok := h.Attribute()
		if !ok {
			return
		}
		name := octet.ToLower(a.Name)
		c := contentOf(element, name)
		if d.mdx && name == "href" && isComponent(h.Name) {
			c = oneURL
		}
		if c != noURL {
			if slices.Contains(seen, name) {
				continue
			}
			seen = append(seen, name)
			c = refineContent(h, c, name)
		}
		if c == noURL || d.mdx && strings.HasPrefix(d.text[a.Start:a.End], "{") && d.text[a.Start-1] != '"' && d.text[a.Start-1] != '\'' {
			d.readHidden(a.Start, a.End)
			continue
		}
		role := d.roleOf(h, element, name)
		if c == style {
			name = "style"
		}
		role = d.elementName(role, name)
		if d.o.Templates && c == oneURL && h.Has("th:"+name) {
			role = "template"
		}
		d.value(a.Start, a.End, c, role)
	}
}

// isComponent reports whether an element name is the name of an MDX component.
func isComponent(name string) bool { return octet.Is(name[0], octet.Alpha) && name[0] < 'a' }

// refineContent returns the type of data in an attribute value, considering the other attributes of
// the tag.
func refineContent(h *markup.HTML, c content, name string) content {
	switch {
	case c == refresh && isPreview(h):
		return oneURL
	case c == refresh && !has(h, "http-equiv", "refresh"),
		c == referred && !has(h, "valuetype", "ref"),
		// These URLs are relative to the codebase, not to the document.
		name == "archive" && h.Has("codebase"):
		return noURL
	}
	return c
}

// isPreview reports whether a meta element contains the URL of the page's preview image (Open
// Graph, Twitter).
func isPreview(h *markup.HTML) bool {
	switch strings.ToLower(cmp.Or(h.Value("property"), h.Value("name"))) {
	case "og:image", "og:image:url", "og:image:secure_url", "twitter:image", "twitter:image:src":
		return true
	}
	return false
}

// roleOf returns the element name to report for a link. It appends "preconnect" for an early
// connection, and "post" for a form that browsers submit with POST.
func (d *linkFinder) roleOf(h *markup.HTML, element, name string) string {
	switch {
	case element == "link" && isConnection(h):
		return "link preconnect"
	case name == "action" && has(h, "method", "post"):
		return "form post"
	case name != "formaction" || !has(h, "formmethod", "post") && (!d.posts || h.Has("formmethod")):
		return element
	case element == "button":
		return "button post"
	}
	return "input post"
}

const maxElements = 256

// elementName returns the value of [Link].Element. Equal names share one string.
func (d *linkFinder) elementName(element, attribute string) string {
	var buf [2 * maxElement]byte
	key := append(append(append(buf[:0], element...), ' '), attribute...)
	name, ok := d.elements[string(key)]
	if !ok {
		name = string(key)
		if len(d.elements) < maxElements {
			d.elements[name] = name
		}
	}
	return name
}

func has(h *markup.HTML, name, value string) bool {
	return markup.SameName(h.Value(name), value)
}

// isConnection reports whether a link element contains the URL of a host for an early connection
// instead of a document (HTML 4.6.8.4 and 4.6.8.14).
func isConnection(h *markup.HTML) bool {
	n := 0
	for rel := range strings.FieldsSeq(h.Value("rel")) {
		if !markup.SameName(rel, "preconnect") && !markup.SameName(rel, "dns-prefetch") {
			return false
		}
		n++
	}
	return n > 0
}

// source is a decoded part of a document and the offset of that part in the document.
type source struct {
	markup.Decoded
	start   int
	element string
}

func (d *linkFinder) value(start, end int, c content, element string) {
	if end-start > maxPiece {
		return
	}
	v := source{start: start, element: element}
	v.Decoded = markup.Decode(d.text[start:end], markup.HTMLValue)
	s := v.Text
	switch c {
	case oneURL, referred:
		d.emitOne(&v, 0, len(s), markup.HTMLValue)
	case page:
		d.readNested(v)
	case urls, commas:
		for i := 0; i < len(s); i++ {
			first := i
			for i < len(s) && (c != urls || !markup.IsSpace(s[i])) && (c != commas || s[i] != ',') {
				i++
			}
			d.emitOne(&v, first, i, markup.HTMLValue)
		}
	case candidates:
		d.readSrcset(&v)
	case style:
		d.readCSS(&v)
	case refresh:
		if from, to, ok := findRefreshURL(s); ok {
			d.emitOne(&v, from, to, markup.HTMLValue)
		}
	}
}

// maxWithin is the maximum depth of documents that are nested with the attribute "srcdoc".
const maxWithin = 4

// readNested reports the links in a document that is an attribute value. The nested document has
// the same base URL as the outer document (HTML 4.8.5).
func (d *linkFinder) readNested(v source) {
	if d.depth == maxWithin {
		return
	}
	inner := newLinkFinder(v.Text, &d.o, func(l Link) bool {
		l.Start, l.End = int64(v.start+v.Offset(int(l.Start))), int64(v.start+v.Offset(int(l.End)))
		if !d.yield(l) {
			d.done = true
		}
		return !d.done
	})
	inner.depth, inner.base, inner.xml = d.depth+1, d.base, false
	inner.o.Extract.Clone = d.o.Extract.Clone || v.Changed()
	inner.html(0, len(v.Text))
}

// emitOne reports the URL or relative reference between two offsets in v.
func (d *linkFinder) emitOne(v *source, start, end int, n markup.Notation) {
	for start < end && markup.IsSpace(v.Text[start]) {
		start++
	}
	for start < end && markup.IsSpace(v.Text[end-1]) {
		end--
	}
	written := v.Text[start:end]
	if n == markup.CSSText {
		decoded := markup.Decode(written, n)
		written = decoded.Text
	}
	if strings.ContainsAny(written, "\t\r\n") {
		written = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(written)
	}
	d.emitReference(written, v.start+v.Offset(start), v.start+v.Offset(end), extract.Attribute, v.element)
	if v.element == "base href" && written != "" && !d.based {
		d.base, d.based = strings.Clone(written), true
	}
}

func wordEnd(s string, i int) int {
	for i < len(s) && !markup.IsSpace(s[i]) {
		i++
	}
	return i
}

// readSrcset reports the images in the attribute "srcset" (HTML 4.8.4.2.2). A "," at the end of a
// URL ends the image candidate. In other positions, a "," is part of the URL.
func (d *linkFinder) readSrcset(v *source) {
	s := v.Text
	for i := 0; !d.done; {
		for i < len(s) && (markup.IsSpace(s[i]) || s[i] == ',') {
			i++
		}
		if i == len(s) {
			return
		}
		start := i
		i = wordEnd(s, i)
		end := start + len(strings.TrimRight(s[start:i], ","))
		d.emitOne(v, start, end, markup.HTMLValue)
		if end == i {
			i = descriptorsEnd(s, i)
		}
	}
}

// descriptorsEnd returns the offset of the "," that ends the descriptors. The offset of the
// descriptors is i.
func descriptorsEnd(s string, i int) int {
	for open := false; i < len(s) && (open || s[i] != ','); i++ {
		switch s[i] {
		case '(':
			open = true
		case ')':
			open = false
		}
	}
	return i
}

// refreshURL matches the text before the URL of a refresh such as "5; url=a.html" (HTML 4.2.5.3,
// "shared declarative refresh steps").
var refreshURL = sync.OnceValue(func() *regexp.Regexp {
	const space = `[\t\n\f\r ]*`
	return regexp.MustCompile(`^` + space + `[0-9.]+(?:` + space + `[;,]|[\t\n\f\r ])` + space + `(?:[Uu][Rr][Ll]` + space + `=` + space + `)?`)
})

// findRefreshURL returns the start and end offsets of the URL in a refresh.
func findRefreshURL(s string) (start, end int, ok bool) {
	before := refreshURL().FindStringIndex(s)
	if before == nil {
		return 0, 0, false
	}
	start, end = before[1], len(s)
	if start < end && (s[start] == '"' || s[start] == '\'') {
		start++
		if n := strings.IndexByte(s[start:], s[start-1]); n >= 0 {
			end = start + n
		}
	}
	return start, end, true
}
