package extract

import (
	"iter"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// HTML returns what an HTML document links to, in order, and the URLs in its
// running text.
//
// The document is read as the HTML standard (section 13.2.5) has it: nothing in
// it is an error, elements may be open, attributes may lack quotes. XHTML, which
// says so with "<?xml", and SVG within HTML are read too. What is reported:
//
//	<a href="a.html">                   any href, src, xlink:href, cite, longdesc, poster, background,
//	                                    formaction, codebase, lowsrc; ping, which may have more than one
//	<form action="..."> <object data="..."> <head profile="..."> <html manifest="...">
//	<object archive="a.jar b.jar">      each of its archives; for applet with "," between them
//	<param valuetype=ref value="...">
//	<iframe srcdoc="<a href=a.html>">   what the document in it links to
//	<img srcset="a.png 1x, b.png 2x">   each of its images; imagesrcset too
//	<meta http-equiv=refresh content="5; url=a.html">
//	<p style="background: url(a.png)">  and url(...) and @import in <style>
//	<link rel=preconnect href="...">    a host and no document: its Element is "link preconnect href"; dns-prefetch too
//	<base href="...">                   itself, and as the Base of all that follows it
//	See http://host/?a&amp;b            running text, its character references decoded
//	&lt;URL:ftp://host/&gt;             and with them the wrappers
//
// These have the Form Attribute, and as Element "a href", "img srcset" or, in a
// style sheet, "style"; those of running text are as [All] has them.
//
// A value is read as a browser reads it: character references are decoded, white
// space around it, and line ends and tabs within it, are left out. If it is a URL
// it is in URL, of whatever scheme unless [Options.Schemes] says which; else it
// is in Ref: a partial form, or something that a browser may make a URL of and
// [locus.Parse] does not. Start and End are where it is written. An empty value,
// which means the document itself, is not reported, nor is one longer than
// [locus.MaxLen].
//
// What a reader doesn't see is looked into only for [Options.Hidden], and there
// every URL is as in plain text: comments, scripts and "javascript:", style
// sheets, declarations, and all other attributes.
func HTML(text string, o *Options) iter.Seq[Match] {
	return func(yield func(Match) bool) {
		newDocument(text, o, yield).html(0, len(text))
	}
}

// html reports what is between i and end.
func (d *document) html(i, end int) {
	s := d.text[:end]
	for run := i; !d.done; {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 {
			d.prose(run, end, htmlText)
			return
		}
		i += n
		if !isMarkup(s, i) {
			i++
			continue
		}
		d.prose(run, i, htmlText)
		i = d.markup(s, i)
		run = i
	}
}

// isMarkup reports whether the "<" at i begins a tag, a comment or a declaration,
// and no URL in brackets that somebody put into HTML as it was.
func isMarkup(s string, i int) bool {
	rest := s[i+1:]
	if rest == "" {
		return false
	}
	switch rest[0] {
	case '!', '/', '?':
		return true
	}
	if !octet.Is(rest[0], octet.Alpha) {
		return false
	}
	colon, _ := octet.SchemeEnd(rest)
	return colon == len(rest) || rest[colon] != ':' ||
		!strings.HasPrefix(rest[colon:], "://") && !strings.EqualFold(rest[:colon], "URL")
}

// markup reads what begins with the "<" at i, and returns where to go on.
func (d *document) markup(s string, i int) int {
	switch c := s[i+1]; {
	case c == '!':
		return d.declaration(s, i)
	case c == '/' && i+2 < len(s) && octet.Is(s[i+2], octet.Alpha):
		return endTag(s, i+len("</"))
	case c == '?' || c == '/':
		return d.unseen(i, after(s, i, ">"))
	default:
		return d.startTag(s, i+len("<"))
	}
}

// declaration reads a comment, a section of characters, or the type of the
// document.
func (d *document) declaration(s string, i int) int {
	const characters = "<![CDATA["
	switch {
	case strings.HasPrefix(s[i:], "<!--"):
		return d.unseen(i, commentEnd(s, i))
	case d.xml && strings.HasPrefix(s[i:], characters):
		end := after(s, i, "]]>")
		d.prose(i+len(characters), end, literal)
		return end
	default:
		return d.unseen(i, after(s, i, ">"))
	}
}

// unseen is hidden for what can be skipped over.
func (d *document) unseen(start, end int) int {
	d.hidden(start, end)
	return end
}

// after returns the place behind the first mark from i on, or the end.
func after(s string, i int, mark string) int {
	if n := strings.Index(s[i:], mark); n >= 0 {
		return i + n + len(mark)
	}
	return len(s)
}

// commentEnd returns the place behind the comment that begins at i. "<!-->" and
// "<!--->" are whole comments, and "--!>" ends one too.
func commentEnd(s string, i int) int {
	first := i + len("<!--")
	for j := i + len("<!"); ; j++ {
		n := strings.Index(s[j:], "--")
		if n < 0 {
			return len(s)
		}
		j += n
		switch rest := s[j+len("--"):]; {
		case strings.HasPrefix(rest, ">"):
			return j + len("-->")
		case j >= first && strings.HasPrefix(rest, "!>"):
			return j + len("--!>")
		}
	}
}

// attribute is an attribute of a tag, and where its value is.
type attribute struct {
	name       string
	start, end int
}

// nextAttribute reads the attribute at i or after it. If there is none, next is
// the place behind the tag. A tag that is not closed ends with the text, and its
// last attribute may be cut and is none.
func nextAttribute(s string, i int) (a attribute, next int, ok bool) {
	for i < len(s) && (isSpace(s[i]) || s[i] == '/') {
		i++
	}
	name := i
	for i < len(s) && !isSpace(s[i]) && s[i] != '/' && s[i] != '>' && (s[i] != '=' || i == name) {
		i++
	}
	if i == name {
		return a, min(i+1, len(s)), false
	}
	a = attribute{name: s[name:i], start: i, end: i}
	equals := skipSpace(s, i)
	if equals == len(s) || s[equals] != '=' {
		return a, i, true
	}
	i = skipSpace(s, equals+1)
	if i == len(s) {
		return a, i, false
	}
	a.start = i
	if quote := s[i]; quote == '"' || quote == '\'' {
		n := strings.IndexByte(s[i+1:], quote)
		if n < 0 {
			return a, len(s), false
		}
		a.start, a.end = i+1, i+1+n
		return a, a.end + 1, true
	}
	for i < len(s) && !isSpace(s[i]) && s[i] != '>' {
		i++
	}
	a.end = i
	return a, i, i < len(s)
}

func skipSpace(s string, i int) int {
	for i < len(s) && isSpace(s[i]) {
		i++
	}
	return i
}

// tagName returns where the name of a tag ends that begins at i.
func tagName(s string, i int) int {
	for i < len(s) && !isSpace(s[i]) && s[i] != '/' && s[i] != '>' {
		i++
	}
	return i
}

// endTag returns the place behind an end tag whose name begins at i. Its
// attributes mean nothing, but may hold a ">".
func endTag(s string, i int) (next int) {
	next = tagName(s, i)
	for ok := true; ok; {
		_, next, ok = nextAttribute(s, next)
	}
	return next
}

// startTag reads a start tag from its name on, and the content of an element that
// has no tags in it.
func (d *document) startTag(s string, i int) (next int) {
	element := s[i:tagName(s, i)]
	next = d.attributes(s, element, i+len(element))
	if d.xml && next >= len("/>") && s[next-len("/>")] == '/' {
		return next
	}
	var name [maxElement]byte
	content, end := next, next
	switch string(lowerName(name[:0], element)) {
	case "script", "iframe":
		end = contentEnd(s, content, element)
		d.hidden(content, end)
	case "style":
		end = contentEnd(s, content, element)
		d.css(&source{decoded{text: s[content:end]}, content, "style"})
		d.hidden(content, end)
	case "textarea", "title":
		end = contentEnd(s, content, element)
		d.prose(content, end, htmlText)
	case "xmp":
		end = contentEnd(s, content, element)
		d.prose(content, end, literal)
	case "plaintext":
		end = len(s)
		d.prose(content, end, literal)
	}
	return end
}

// contentEnd returns where the end tag of element begins, from i on.
func contentEnd(s string, i int, element string) int {
	for {
		n := strings.Index(s[i:], "</")
		if n < 0 {
			return len(s)
		}
		i += n
		name := i + len("</")
		if end := tagName(s, name); end < len(s) && sameName(s[name:end], element) {
			return i
		}
		i = name
	}
}

// maxElement is the most octets of the name of an element, and of an attribute,
// that is looked at.
const maxElement = 64

// lowerName appends name in lower case.
func lowerName(dst []byte, name string) []byte {
	for i := range min(len(name), maxElement) {
		c := name[i]
		if octet.Is(c, octet.Upper) {
			c |= 0x20
		}
		dst = append(dst, c)
	}
	return dst
}

// sameName reports whether two names are the same in ASCII's upper and lower
// case. EqualFold alone would fold a "K" that is a sign for a temperature.
func sameName(a, b string) bool { return len(a) == len(b) && strings.EqualFold(a, b) }
