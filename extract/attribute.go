package extract

import (
	"slices"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// holds says what the value of an attribute holds.
type holds uint8

const (
	noURL      holds = iota
	oneURL           // a URL or a partial form
	urls             // those, with white space between them
	candidates       // those, each with a descriptor: the images of srcset
	style            // declarations of CSS
	refresh          // seconds, and where to go then
	commas           // URLs or partial forms with "," between them
	markup           // an HTML document
	referred         // one, if another attribute says so
)

// holdsOf returns what an attribute of element holds. Both names are in lower
// case.
func holdsOf(element, name []byte) holds {
	only := func(of string, h holds) holds {
		if string(element) == of {
			return h
		}
		return noURL
	}
	switch string(name) {
	case "href", "src", "xlink:href", "cite", "longdesc", "poster", "background", "formaction", "codebase", "lowsrc":
		return oneURL
	case "ping":
		return urls
	case "srcset", "imagesrcset":
		return candidates
	case "style":
		return style
	case "action":
		return only("form", oneURL)
	case "data":
		return only("object", oneURL)
	case "profile":
		return only("head", oneURL)
	case "manifest":
		return only("html", oneURL)
	case "content":
		return only("meta", refresh)
	case "archive":
		if string(element) == "object" {
			return urls
		}
		return only("applet", commas)
	case "srcdoc":
		return only("iframe", markup)
	case "value":
		return only("param", referred)
	}
	return noURL
}

// attributes reports what the attributes of a start tag hold, from i on, and
// returns the place behind the tag. Of two with the same name the first counts.
func (d *document) attributes(s, element string, i int) (next int) {
	var (
		keyBuf  [2*maxElement + 1]byte
		seenBuf [8]string
	)
	key := append(lowerName(keyBuf[:0], element), ' ')
	if sameName(element, "link") && isConnection(s, i) {
		key = append(key, "preconnect "...)
	}
	size, seen := len(key), seenBuf[:0]
	refreshes := sameName(element, "meta") && hasAttribute(s, i, "http-equiv", "refresh")
	refers := sameName(element, "param") && hasAttribute(s, i, "valuetype", "ref")
	for !d.done {
		a, next, ok := nextAttribute(s, i)
		if !ok {
			return next
		}
		i = next
		key = lowerName(key[:size], a.name)
		h := holdsOf(key[:size-1], key[size:])
		if h == noURL || h == refresh && !refreshes || h == referred && !refers {
			d.hidden(a.start, a.end)
			continue
		}
		if name := d.elementName(key); !slices.Contains(seen, name) {
			seen = append(seen, name)
			d.value(a.start, a.end, h, name)
		}
	}
	return i
}

// elementName returns key, the same one for the same key as long as there are not
// too many.
func (d *document) elementName(key []byte) string {
	const many = 256
	name, ok := d.elements[string(key)]
	if !ok {
		name = string(key)
		if len(d.elements) < many {
			d.elements[name] = name
		}
	}
	return name
}

// hasAttribute reports whether the first attribute of that name, among those at i, has
// that value, in either case.
func hasAttribute(s string, i int, name, value string) bool {
	for {
		a, next, ok := nextAttribute(s, i)
		if !ok {
			return false
		}
		if sameName(a.name, name) {
			return sameName(s[a.start:a.end], value)
		}
		i = next
	}
}

// isConnection reports whether the link element with the attributes at i names a
// host that will be wanted, and no document there (HTML 4.6.8.4 and 4.6.8.14).
func isConnection(s string, i int) bool {
	for {
		a, next, ok := nextAttribute(s, i)
		if !ok {
			return false
		}
		if sameName(a.name, "rel") {
			n := 0
			for rel := range strings.FieldsSeq(s[a.start:a.end]) {
				if !sameName(rel, "preconnect") && !sameName(rel, "dns-prefetch") {
					return false
				}
				n++
			}
			return n > 0
		}
		i = next
	}
}

// source is a decoded part of a document, and where in the document it begins.
type source struct {
	decoded
	start   int
	element string
}

// value reports what the value of an attribute holds, which is written from start
// to end.
func (d *document) value(start, end int, h holds, element string) {
	if end-start > maxPiece {
		return
	}
	v := source{decode(d.text[start:end], htmlValue), start, element}
	switch h {
	case oneURL, referred:
		d.one(&v, 0, len(v.text), htmlValue)
	case commas:
		for i := 0; i < len(v.text); i++ {
			first := i
			for i < len(v.text) && v.text[i] != ',' {
				i++
			}
			d.one(&v, first, i, htmlValue)
		}
	case markup:
		d.within(v)
	case urls:
		for i := skipSpace(v.text, 0); i < len(v.text); i = skipSpace(v.text, i) {
			first := i
			i = wordEnd(v.text, i)
			d.one(&v, first, i, htmlValue)
		}
	case candidates:
		d.srcset(&v)
	case style:
		d.css(&v)
	case refresh:
		if from, to, ok := refreshed(v.text); ok {
			d.one(&v, from, to, htmlValue)
		}
	}
}

// maxWithin is how many documents may be within each other ("srcdoc").
const maxWithin = 4

// within reports what a document has that is the value of an attribute. Its partial
// forms are relative to what they are in the document around it (HTML 4.8.5), and the
// places are where it is written there.
func (d *document) within(v source) {
	if d.depth == maxWithin {
		return
	}
	inner := newDocument(v.text, &d.o, func(m Match) bool {
		m.Start, m.End = int64(v.start+v.place(int(m.Start))), int64(v.start+v.place(int(m.End)))
		if v.edits != nil {
			m.URL, m.Alternative = d.own(m.URL, m), d.own(m.Alternative, m)
			m.Ref = strings.Clone(m.Ref)
		}
		if !d.yield(m) {
			d.done = true
		}
		return !d.done
	})
	inner.depth, inner.base, inner.xml = d.depth+1, d.base, false
	inner.html(0, len(v.text))
}

// one reports what v has between from and to: a URL or a partial form.
func (d *document) one(v *source, from, to int, n notation) {
	for from < to && isSpace(v.text[from]) {
		from++
	}
	for from < to && isSpace(v.text[to-1]) {
		to--
	}
	written := v.text[from:to]
	if n == cssText {
		written = decode(written, cssText).text
	}
	if strings.ContainsAny(written, "\t\r\n") {
		written = strings.NewReplacer("\t", "", "\r", "", "\n", "").Replace(written)
	}
	d.refer(written, Match{
		Element: v.element,
		Form:    Attribute,
		Start:   int64(v.start + v.place(from)),
		End:     int64(v.start + v.place(to)),
	})
	if v.element == "base href" && written != "" && !d.based {
		d.base, d.based = written, true
	}
}

func wordEnd(s string, i int) int {
	for i < len(s) && !isSpace(s[i]) {
		i++
	}
	return i
}

// srcset reports the images of srcset (HTML 4.8.4.2.2). A "," at the end of a URL
// ends the candidate; within it, it is part of the URL.
func (d *document) srcset(v *source) {
	s := v.text
	for i := 0; !d.done; {
		for i < len(s) && (isSpace(s[i]) || s[i] == ',') {
			i++
		}
		if i == len(s) {
			return
		}
		start := i
		i = wordEnd(s, i)
		end := start + len(strings.TrimRight(s[start:i], ","))
		d.one(v, start, end, htmlValue)
		if end == i {
			i = descriptorsEnd(s, i)
		}
	}
}

// descriptorsEnd returns where the "," is that ends the descriptors at i.
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

// refreshed returns where in the content of a refresh the URL is: "5; url=a.html"
// (HTML 4.2.5.3, "shared declarative refresh steps").
func refreshed(s string) (from, to int, ok bool) {
	i := skipSpace(s, 0)
	time := i
	for i < len(s) && (octet.Is(s[i], octet.Digit) || s[i] == '.') {
		i++
	}
	if i == time || i == len(s) || !isSpace(s[i]) && s[i] != ';' && s[i] != ',' {
		return 0, 0, false
	}
	i = skipSpace(s, i)
	if i < len(s) && (s[i] == ';' || s[i] == ',') {
		i = skipSpace(s, i+1)
	}
	if name := i + len("url"); name < len(s) && sameName(s[i:name], "url") {
		if equals := skipSpace(s, name); equals < len(s) && s[equals] == '=' {
			i = skipSpace(s, equals+1)
		}
	}
	to = len(s)
	if i < len(s) && (s[i] == '"' || s[i] == '\'') {
		if n := strings.IndexByte(s[i+1:], s[i]); n >= 0 {
			to = i + 1 + n
		}
		i++
	}
	return i, to, true
}
