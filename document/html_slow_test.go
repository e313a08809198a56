package document_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
)

// slowTag is a tag with the offsets of its attribute values. It is an end tag if closing is true.
type slowTag struct {
	name       string
	closing    bool
	attributes []slowAttribute
}

type slowAttribute struct {
	name       string
	start, end int
}

// slowTags reads the tags in a document one character at a time, with the states in section 13.2.5
// of the HTML standard. Each case has the name of a state. Like the standard, slowTags ignores a
// truncated tag at the end of the document. The tests compare the fast code with this simple code.
func slowTags(s string) (tags []slowTag) {
	state, back := "data", ""
	var tag slowTag
	var attribute slowAttribute
	var quote byte
	raw, temporary := "", ""
	escaped := "" // set in the states of a script
	open := false // whether an attribute is open
	comment := 0  // start of the text of a comment
	finish := func(i int) {
		if open {
			attribute.end = i
			tag.attributes = append(tag.attributes, attribute)
			open = false
		}
	}
	emit := func() {
		tags = append(tags, tag)
		state = "data"
		if tag.closing {
			return
		}
		switch tag.name {
		case "script", "style", "iframe", "textarea", "title", "xmp":
			state, raw, escaped = "raw text", tag.name, ""
		case "plaintext":
			state = "plaintext"
		}
	}
	lower := func(c byte) string { return string(asciiLower([]byte{c})) }
	message := func(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }
	space := func(c byte) bool { return strings.IndexByte(" \t\n\f\r", c) >= 0 }
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch state {
		case "data":
			if c == '<' {
				state = "tag open"
			}
		case "tag open":
			switch {
			case c == '!':
				state = "markup declaration open"
			case c == '/':
				state = "end tag open"
			case message(c):
				tag = slowTag{}
				state = "tag name"
				i--
			case c == '?':
				state = "bogus comment"
			default:
				state = "data"
				i--
			}
		case "end tag open":
			switch {
			case message(c):
				tag = slowTag{closing: true}
				state = "tag name"
				i--
			case c == '>':
				state = "data"
			default:
				state = "bogus comment"
			}
		case "tag name":
			switch {
			case space(c):
				state = "before attribute name"
			case c == '/':
				state = "self-closing start tag"
			case c == '>':
				emit()
			default:
				tag.name += lower(c)
			}
		case "self-closing start tag":
			if c == '>' {
				emit()
			} else {
				state = "before attribute name"
				i--
			}
		case "before attribute name":
			switch {
			case space(c):
			case c == '/' || c == '>':
				state = "after attribute name"
				i--
			default:
				attribute, open = slowAttribute{start: i, end: i}, true
				if c == '=' {
					attribute.name = "="
				} else {
					i--
				}
				state = "attribute name"
			}
		case "attribute name":
			switch {
			case space(c) || c == '/' || c == '>':
				state = "after attribute name"
				i--
			case c == '=':
				state = "before attribute value"
			default:
				attribute.name += lower(c)
			}
		case "after attribute name":
			switch {
			case space(c):
			case c == '/':
				if open {
					finish(attribute.start)
				}
				state = "self-closing start tag"
			case c == '=' && open:
				state = "before attribute value"
			case c == '>':
				if open {
					finish(attribute.start)
				}
				emit()
			default:
				if open {
					finish(attribute.start)
				}
				state = "before attribute name"
				i--
			}
		case "before attribute value":
			switch {
			case space(c):
			case c == '"' || c == '\'':
				quote, attribute.start, state = c, i+1, "attribute value (quoted)"
			case c == '>':
				attribute.start = i
				finish(i)
				emit()
			default:
				attribute.start, state = i, "attribute value (unquoted)"
				i--
			}
		case "attribute value (quoted)":
			if c == quote {
				finish(i)
				state = "before attribute name"
			}
		case "attribute value (unquoted)":
			switch {
			case space(c):
				finish(i)
				state = "before attribute name"
			case c == '>':
				finish(i)
				emit()
			}
		case "bogus comment":
			if c == '>' {
				state = "data"
			}
		case "markup declaration open":
			if strings.HasPrefix(s[i:], "--") {
				state, comment = "comment", i+2
				i++
			} else {
				state = "bogus comment"
				i--
			}
		case "comment":
			text := s[comment : i+1]
			if text == ">" || text == "->" || strings.HasSuffix(text, "-->") || strings.HasSuffix(text, "--!>") {
				state = "data"
			}
		case "raw text":
			begins := func(text string) bool {
				n := i + len(text)
				return n < len(s) && string(asciiLower([]byte(s[i:n]))) == text && (space(s[n]) || s[n] == '/' || s[n] == '>')
			}
			switch {
			case raw != "script":
			case escaped == "" && strings.HasPrefix(s[i:], "<!--"):
				escaped = "escaped"
				i++
				continue
			case escaped != "" && strings.HasPrefix(s[i:], "-->"):
				escaped = ""
			case escaped == "escaped" && begins("<script"):
				escaped = "double escaped"
			case escaped == "double escaped" && begins("</script"):
				escaped = "escaped"
				continue
			case escaped == "double escaped":
				continue
			}
			if strings.HasPrefix(s[i:], "</") {
				state, temporary, back = "raw text end tag name", "", s[i:]
				i++
			}
		case "raw text end tag name":
			switch {
			case (space(c) || c == '/' || c == '>') && temporary == raw:
				i -= len(temporary) + 1
				state = "tag name"
				tag = slowTag{closing: true}
			case message(c):
				temporary += lower(c)
			default:
				i = len(s) - len(back) + 1
				state = "raw text"
			}
		}
	}
	// Unlike the standard, preserve the attributes of a truncated tag, because a document in
	// transit may be truncated anywhere.
	if !strings.HasPrefix(state, "raw text") && !tag.closing && strings.Contains(state, "attribute") || state == "self-closing start tag" {
		tags = append(tags, tag)
	}
	return tags
}

func asciiLower(b []byte) []byte {
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c | 0x20
		}
	}
	return b
}

// slowHrefs returns the links that HTML must find in some attributes: href, archive, and value of
// param. It also reads srcdoc documents.
func slowHrefs(s string) []string { return slowWithin(s, 0, 0) }

// slowWithin is like slowHrefs, but for a document that is nested in another document at the given
// offset.
func slowWithin(s string, offset, depth int) (lines []string) {
	for _, tag := range slowTags(s) {
		if tag.closing {
			continue
		}
		element := tag.name[:min(len(tag.name), 64)]
		first := map[string]string{} // attribute values by name
		for _, a := range tag.attributes {
			if _, seen := first[a.name]; !seen {
				first[a.name] = string(asciiLower([]byte(s[a.start:a.end])))
			}
		}
		seen := map[string]bool{}
		for _, a := range tag.attributes {
			if seen[a.name] {
				continue
			}
			seen[a.name] = true
			value := s[a.start:a.end]
			add := func(name string, from, to int) {
				text := value[from:to]
				from += len(text) - len(strings.TrimLeft(text, " \t\r\n\f"))
				if text = strings.Trim(text, " \t\r\n\f"); text != "" {
					lines = append(lines, fmt.Sprintf("%s %d %d", name, offset+a.start+from, offset+a.start+from+len(text)))
				}
			}
			switch {
			case a.name == "href" && element == "link" && slowConnection(s, tag):
				add("link preconnect href", 0, len(value))
			case a.name == "href" && slowReference(element), a.name == "value" && element == "param" && first["valuetype"] == "ref":
				add(element+" "+a.name, 0, len(value))
			case a.name == "archive" && (element == "object" || element == "applet"):
				separators := ","
				if element == "object" {
					separators = " \t\r\n\f"
				}
				from := 0
				for _, part := range strings.FieldsFunc(value, func(r rune) bool { return strings.ContainsRune(separators, r) }) {
					from += strings.Index(value[from:], part)
					add(element+" archive", from, from+len(part))
					from += len(part)
				}
			case a.name == "srcdoc" && element == "iframe" && depth < 4:
				lines = append(lines, slowWithin(value, offset+a.start, depth+1)...)
			}
		}
	}
	return lines
}

// slowReference reports whether HTML defines the attribute href for an element.
func slowReference(element string) bool {
	_, local, prefixed := strings.Cut(element, ":")
	if !prefixed {
		local = element
	}
	return slices.Contains(strings.Fields(`a area base link
		a altglyph animate animatecolor animatemotion animatetransform color-profile cursor discard feimage filter font-face-uri glyphref image
		lineargradient mpath pattern radialgradient script set textpath tref use`), local)
}

// slowConnection reports whether a tag is a link element with only connection types in its rel
// attribute.
func slowConnection(s string, tag slowTag) bool {
	n := slices.IndexFunc(tag.attributes, func(a slowAttribute) bool { return a.name == "rel" })
	if tag.name != "link" || n < 0 {
		return false
	}
	rels := strings.Fields(string(asciiLower([]byte(s[tag.attributes[n].start:tag.attributes[n].end]))))
	return len(rels) > 0 && !slices.ContainsFunc(rels, func(rel string) bool { return rel != "preconnect" && rel != "dns-prefetch" })
}

// fastHrefs returns the links that HTML finds.
func fastHrefs(s string) (lines []string) {
	for m := range document.HTML(s, &document.Options{Extract: extract.Options{NoBare: true}}) {
		if _, name, _ := strings.Cut(strings.TrimPrefix(m.Element, "link preconnect"), " "); slices.Contains([]string{"href", "archive", "value"}, name) {
			lines = append(lines, fmt.Sprintf("%s %d %d", m.Element, m.Start, m.End))
		}
	}
	return lines
}

// slowSame reports whether both functions must read a document in the same way. The document must
// not be XML, and must not contain a URL in brackets, "javascript:" or a character reference.
func slowSame(s string) bool {
	lower := string(asciiLower([]byte(s)))
	return !strings.Contains(s, "<?") && !strings.ContainsAny(s, "&") && !strings.Contains(lower, "javascript") && !strings.Contains(s, ":")
}

func FuzzHTMLTags(f *testing.F) {
	for _, s := range []string{
		`<a href=b>`, `<a HREF = 'b' href="c"/><b href=d`, `</a href=b><a/href=c/>`, `<!--><a href=b><!--<a href=c>--!><a href=d>`,
		`<script><a href=b></SCRIPT x><a href=c>`, `<style></styles></style/><a href=b>`, `<plaintext><a href=b>`, `<a =href=b href= >`,
		`<title><a href=b></title href=c><area href=d>`, `<!a <a href=b><a href=c></ <a href=d><xmp></</xmp ><e href="f`, "<a\x00 href\n=\nb\f>", `<a href="b"c href>`,
		`<link href=a rel="Preconnect dns-prefetch" rel=x><LINK rel=stylesheet rel=preconnect href=b><link rel="" href=c><a rel=preconnect href=d>`,
		`<object archive=" a  b,c " href=d><applet archive="a, ,b c,"><param VALUETYPE=Ref value=" a " value=b><param valuetype=data valuetype=ref value=c>`,
		`<iframe href=a srcdoc="<a href=b><iframe srcdoc='<area href= c >'><script><a href=d>"></iframe><a href=e>`,
		`<script><!--<script></script><a href=b>--></script><a href=c>`, `<script><!--><script></script><a href=b>`, `<script><!--<scripts></script><a href=b>`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !slowSame(s) {
			return
		}
		if fast, slow := fastHrefs(s), slowHrefs(s); !slices.Equal(fast, slow) {
			t.Errorf("%q\n fast %q\n slow %q", s, fast, slow)
		}
	})
}
