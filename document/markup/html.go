package markup

import (
	"iter"
	"strings"

	"github.com/locus-url/locus/internal/octet"
)

// Kind is the kind of a [Token].
type Kind uint8

const (
	// Text is running text with character references.
	Text Kind = iota
	// Verbatim is running text without them: of xmp, plaintext, and CDATA in XML.
	Verbatim
	// StartTag is a start tag.
	StartTag
	// EndTag is an end tag.
	EndTag
	// Comment is a comment, a declaration or a processing instruction.
	Comment
	// Content is what is between the tags of script, style and iframe.
	Content
)

// Token is a piece of a page.
type Token struct {
	Kind       Kind
	Start, End int    // offsets in the source
	Name       string // of the element, for tags, Content, and the text of title, textarea and xmp
}

// HTML reads Source from Offset to its end as the HTML standard does (section 13.2.5).
// No error exists: elements may be open and attributes may lack quotes. One exception
// is a URL in "<" and ">", which is text.
type HTML struct {
	Source string
	Offset int
	// XML: an element may end with "/>", and CDATA is text; see [IsXML].
	XML bool

	raw string // the element that was opened, if its content has no tags
}

// IsXML reports whether a page says that it is XML.
func IsXML(source string) bool {
	return strings.HasPrefix(strings.TrimLeft(source, "\uFEFF \t\r\n"), "<?xml")
}

// Next returns the next token; ok is false at the end.
func (h *HTML) Next() (t Token, ok bool) {
	s, i := h.Source, h.Offset
	if h.raw != "" {
		t = h.content()
		h.raw = ""
	} else if i < len(s) && isMarkup(s, i) {
		t = h.markup()
	} else {
		t = Token{Start: i}
		for i < len(s) {
			n := strings.IndexByte(s[i:], '<')
			if n < 0 {
				i = len(s)
				break
			}
			if i += n; isMarkup(s, i) {
				break
			}
			i++
		}
		t.End = i
	}
	h.Offset = t.End
	return t, t.Start < len(s)
}

// isMarkup reports whether a tag, a comment or a declaration begins at i, and not a URL
// in brackets that an author wrote into HTML as it was.
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

// markup reads the token that begins with "<".
func (h *HTML) markup() Token {
	s, i := h.Source, h.Offset
	const characters = "<![CDATA["
	switch c := s[i+1]; {
	case strings.HasPrefix(s[i:], "<!--"):
		return Token{Kind: Comment, Start: i, End: commentEnd(s, i)}
	case h.XML && strings.HasPrefix(s[i:], characters):
		return Token{Kind: Verbatim, Start: i + len(characters), End: After(s, i, "]]>")}
	case c == '/' && i+2 < len(s) && octet.Is(s[i+2], octet.Alpha):
		return tag(s, i, i+len("</"), EndTag)
	case c == '!' || c == '?' || c == '/':
		return Token{Kind: Comment, Start: i, End: After(s, i, ">")}
	}
	t := tag(s, i, i+len("<"), StartTag)
	if !h.XML || !strings.HasSuffix(s[i:t.End], "/>") {
		h.raw = rawElement(t.Name)
	}
	return t
}

// tag reads the tag at i, whose name begins at name. The attributes of an end tag mean
// nothing, but may hold a ">".
func tag(s string, i, name int, kind Kind) Token {
	t := Token{Kind: kind, Start: i, Name: s[name:nameEnd(s, name)]}
	next := name + len(t.Name)
	for ok := true; ok; {
		_, next, ok = nextAttribute(s, next)
	}
	t.End = next
	return t
}

// rawElement returns the name in lower case of an element that has no tags in it.
func rawElement(name string) string {
	for _, raw := range [...]string{"script", "style", "iframe", "textarea", "title", "xmp", "plaintext"} {
		if SameName(name, raw) {
			return raw
		}
	}
	return ""
}

// content reads the content of the element that was opened.
func (h *HTML) content() Token {
	t := Token{Kind: Content, Start: h.Offset, End: len(h.Source), Name: h.raw}
	switch h.raw {
	case "plaintext":
		t.Kind = Verbatim
		return t
	case "xmp":
		t.Kind = Verbatim
	case "textarea", "title":
		t.Kind = Text
	}
	t.End = contentEnd(h.Source, h.Offset, h.raw)
	return t
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
		if end := nameEnd(s, name); end < len(s) && SameName(s[name:end], element) {
			return i
		}
		i = name
	}
}

// After returns the offset after the first mark from i on, or the end of s.
func After(s string, i int, mark string) int {
	if n := strings.Index(s[i:], mark); n >= 0 {
		return i + n + len(mark)
	}
	return len(s)
}

// commentEnd returns the offset after the comment at i. "<!-->" and "<!--->" are whole
// comments, and "--!>" ends one too.
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

// nameEnd returns where the name of a tag ends that begins at i.
func nameEnd(s string, i int) int {
	for i < len(s) && !IsSpace(s[i]) && s[i] != '/' && s[i] != '>' {
		i++
	}
	return i
}

// Attribute is an attribute of a start tag. Start and End are the offsets of its value
// in the source, quotes left out.
type Attribute struct {
	Name       string
	Start, End int
}

// Attributes returns the attributes of the start tag t of source, as they are written. A
// name may come more than once; in HTML the first counts.
func (t Token) Attributes(source string) iter.Seq[Attribute] {
	return func(yield func(Attribute) bool) {
		next := t.Start + len("<") + len(t.Name)
		for {
			var a Attribute
			var ok bool
			if a, next, ok = nextAttribute(source, next); !ok || !yield(a) {
				return
			}
		}
	}
}

// Value returns the value of the first attribute of that name, decoded; "" if there is
// none.
func (t Token) Value(source, name string) string {
	for a := range t.Attributes(source) {
		if SameName(a.Name, name) {
			return Decode(source[a.Start:a.End], HTMLValue).Text
		}
	}
	return ""
}

// nextAttribute reads the attribute at i or after it. If there is none, next is the
// offset after the tag. A tag that is not closed ends with the text, and its last
// attribute, which may be cut, does not count.
func nextAttribute(s string, i int) (a Attribute, next int, ok bool) {
	for i < len(s) && (IsSpace(s[i]) || s[i] == '/') {
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
