package markup

import (
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// Kind is the kind of a [Token].
type Kind uint8

const (
	// Text is running text with character references.
	Text Kind = iota
	// Verbatim is running text without character references, as in xmp, plaintext and XML CDATA.
	Verbatim
	// StartTag is a start tag.
	StartTag
	// EndTag is an end tag.
	EndTag
	// Comment is a comment, a declaration or a processing instruction.
	Comment
	// Content is the text in script, style and iframe elements.
	Content
)

// Token is a piece of a page.
type Token struct {
	Kind       Kind
	Start, End int    // offsets in the source
	Name       string // element name of a tag, of Content, or of the text in title, textarea and xmp
}

// HTML is a tokenizer for the text in Source (HTML section 13.2.5). HTML begins at Offset. HTML
// accepts all input, for example elements without end tags and attributes without quotes. Unlike
// the standard, it treats a URL between "<" and ">" as text.
type HTML struct {
	Source string
	Offset int
	// XML enables the syntax of XML, in which "/>" ends an element and CDATA is text. See [IsXML].
	XML bool
	// JSX allows attribute values that are expressions in braces. The value includes the braces.
	JSX bool
	// Token is the current token. Next does not return the token, because the copy would take a
	// third of the time (BenchmarkHTML).
	Token

	inTag bool   // whether Offset is in a tag
	atTag bool   // whether isMarkup is true at Offset
	raw   string // name of the open element, if its content has no tags
}

// IsXML reports whether a page declares that it is XML.
func IsXML(source string) bool {
	return strings.HasPrefix(strings.TrimLeft(source, "\uFEFF \t\r\n"), "<?xml")
}

// Next reads the next token. At the end of Source, it returns false.
func (h *HTML) Next() bool {
	ok := h.Begin()
	h.endTag()
	return ok
}

// Begin is like [HTML.Next], but reads only the name of a tag. [HTML.Attribute] reads the
// attributes.
func (h *HTML) Begin() bool {
	h.endTag()
	s, i := h.Source, h.Offset
	h.Kind, h.Start, h.Name = Text, i, ""
	switch {
	case i == len(s):
	case h.raw != "":
		h.readContent()
	case h.atTag || isMarkup(s, i):
		h.atTag = false
		h.readMarkup()
	default:
		h.End = textEnd(s, i+1)
		h.atTag = h.End < len(s)
	}
	h.Offset = h.End
	return i < len(s)
}

// endTag moves Offset to the end of the current tag.
func (h *HTML) endTag() {
	for h.inTag {
		h.Attribute()
	}
}

// textEnd returns the end offset of the text that contains the offset i.
func textEnd(s string, i int) int {
	for i < len(s) {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 {
			break
		}
		if i += n; isMarkup(s, i) {
			return i
		}
		i++
	}
	return len(s)
}

// isMarkup reports whether a tag, a comment or a declaration begins at the offset i. isMarkup
// returns false for a URL in angle brackets, which authors forget to escape.
func isMarkup(s string, i int) bool {
	if s[i] != '<' || i+1 == len(s) {
		return false
	}
	rest := s[i+1:]
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

// readMarkup reads the token that begins with the "<" at Offset.
func (h *HTML) readMarkup() {
	s, i := h.Source, h.Start
	const characters = "<![CDATA["
	h.Kind = Comment
	switch c := s[i+1]; {
	case strings.HasPrefix(s[i:], "<!--"):
		h.End = commentEnd(s, i)
	case h.XML && strings.HasPrefix(s[i:], characters):
		h.Kind, h.Start, h.End = Verbatim, i+len(characters), After(s, i, "]]>")
	case c == '/' && i+2 < len(s) && octet.Is(s[i+2], octet.Alpha):
		h.readTag(EndTag, i+len("</"))
	case c == '!' || c == '?' || c == '/':
		h.End = After(s, i, ">")
	default:
		h.readTag(StartTag, i+len("<"))
		h.raw = rawElement(h.Name)
	}
}

// readTag reads the name of a tag. The name begins at the offset i.
func (h *HTML) readTag(kind Kind, i int) {
	h.Kind, h.End, h.inTag = kind, nameEnd(h.Source, i), true
	h.Name = h.Source[i:h.End]
}

// rawElement returns the given element name in lower case if the content of such elements has no
// tags. Otherwise it returns "".
func rawElement(name string) string {
	for _, raw := range [...]string{"script", "style", "iframe", "textarea", "title", "xmp", "plaintext"} {
		if SameName(name, raw) {
			return raw
		}
	}
	return ""
}

func (h *HTML) readContent() {
	h.Name, h.raw = h.raw, ""
	switch h.Name {
	case "plaintext":
		h.Kind, h.End = Verbatim, len(h.Source)
		return
	case "xmp":
		h.Kind = Verbatim
	case "script", "style", "iframe":
		h.Kind = Content
	}
	if h.Name == "script" {
		h.End = scriptEnd(h.Source, h.Start)
		return
	}
	h.End = contentEnd(h.Source, h.Start, h.Name)
}

// contentEnd returns the offset of the first end tag of an element. The search begins at the
// offset i.
func contentEnd(s string, i int, element string) int {
	for {
		n := strings.Index(s[i:], "</")
		if n < 0 {
			return len(s)
		}
		i += n
		name := i + len("</")
		if end := nameEnd(s, name); end < len(s) && SameName(s[name:end], element) {
			return i
		}
		i = name
	}
}

// scriptEnd is like contentEnd for a script element. If the script contains a comment with a
// nested script, the end tag of the nested script is content (HTML 13.2.5.18 to 13.2.5.31).
func scriptEnd(s string, i int) int {
	end := contentEnd(s, i, "script")
	for {
		open := strings.Index(s[i:end], "<!--")
		if open < 0 {
			return end
		}
		i += open + len("<!") // "<!-->" is a complete comment
		for {
			after, limit := strings.Index(s[i:end], "-->"), end
			if after >= 0 {
				limit = i + after
			}
			inner := scriptStart(s[:limit], i)
			if inner >= 0 {
				i = inner
				after = strings.Index(s[i:end], "-->")
			}
			if after >= 0 {
				i += after + len("-->")
				break
			}
			if inner < 0 || end == len(s) {
				return end
			}
			i = nameEnd(s, end+len("</"))
			end = contentEnd(s, i, "script")
		}
	}
}

// scriptStart returns the offset after the first "<script" that follows the offset i, or -1 if
// there is none.
func scriptStart(s string, i int) int {
	const name = "script"
	for {
		n := strings.IndexByte(s[i:], '<')
		if n < 0 {
			return -1
		}
		i += n + len("<")
		if after := i + len(name); after < len(s) && SameName(s[i:after], name) && nameEnd(s, after) == after {
			return after
		}
	}
}

// After searches s for substr, beginning at the offset i. After returns the offset after the first
// occurrence, or len(s) if there is none.
func After(s string, i int, substr string) int {
	if n := strings.Index(s[i:], substr); n >= 0 {
		return i + n + len(substr)
	}
	return len(s)
}

// commentEnd returns the offset after the comment at the offset i. The texts "<!-->" and "<!--->"
// are complete comments. Both "-->" and "--!>" end a comment.
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

// nameEnd returns the end offset of the tag name that begins at the offset i.
func nameEnd(s string, i int) int {
	for i < len(s) && !IsSpace(s[i]) && s[i] != '/' && s[i] != '>' {
		i++
	}
	return i
}

// Attribute is an attribute of a start tag. Start and End are the offsets of the value in the
// source, without quotes.
type Attribute struct {
	Name       string
	Start, End int
}

// Attribute returns the next attribute of the tag that Begin read. If several attributes have the
// same name, callers must use the first value, as HTML requires. The attributes of an end tag have
// no meaning, but may contain a ">".
func (h *HTML) Attribute() (a Attribute, ok bool) {
	if !h.inTag {
		return a, false
	}
	if a, h.Offset, ok = nextAttribute(h.Source, h.Offset, h.JSX); !ok {
		h.inTag, h.End = false, h.Offset
		if h.XML && strings.HasSuffix(h.Source[:h.Offset], "/>") {
			h.raw = ""
		}
	}
	return a, ok
}

// Value returns the decoded value of the first attribute with the given name, or "" if there is
// none.
func (h *HTML) Value(name string) string {
	a := h.findAttribute(name)
	return Decode(h.Source[a.Start:a.End], HTMLValue).Text
}

// Has reports whether the start tag contains an attribute with the given name and a value.
func (h *HTML) Has(name string) bool {
	a := h.findAttribute(name)
	return a.Start < a.End
}

// findAttribute returns the first attribute with the given name, or the zero Attribute.
func (h *HTML) findAttribute(name string) Attribute {
	next := h.Start + len("<") + len(h.Name)
	for {
		a, after, ok := nextAttribute(h.Source, next, h.JSX)
		if !ok {
			return Attribute{}
		}
		if SameName(a.Name, name) {
			return a
		}
		next = after
	}
}

// nextAttribute reads the next attribute after the offset i. If there is none, next is the offset
// after the tag. A tag without ">" extends to the end of the text. The last attribute of such a
// tag does not count, because it may be truncated.
func nextAttribute(s string, i int, jsx bool) (a Attribute, next int, ok bool) {
	for i < len(s) && (IsSpace(s[i]) || s[i] == '/' || jsx && s[i] == '{') {
		if s[i] == '{' { // a JSX spread such as "{...properties}"
			i = expressionEnd(s, i) - 1
		}
		i++
	}
	name := i
	for i < len(s) && !IsSpace(s[i]) && s[i] != '/' && s[i] != '>' && (s[i] != '=' || i == name) {
		i++
	}
	if i == name {
		return a, min(i+1, len(s)), false
	}
	a = Attribute{Name: s[name:i], Start: i, End: i}
	equals := SkipSpace(s, i)
	if equals == len(s) || s[equals] != '=' {
		return a, i, true
	}
	i = SkipSpace(s, equals+1)
	if i == len(s) {
		return a, i, false
	}
	a.Start = i
	if jsx && s[i] == '{' {
		a.End = expressionEnd(s, i)
		return a, a.End, a.End < len(s)
	}
	if quote := s[i]; quote == '"' || quote == '\'' {
		n := strings.IndexByte(s[i+1:], quote)
		if n < 0 {
			return a, len(s), false
		}
		a.Start, a.End = i+1, i+1+n
		return a, a.End + 1, true
	}
	for i < len(s) && !IsSpace(s[i]) && s[i] != '>' {
		i++
	}
	a.End = i
	return a, i, i < len(s)
}
