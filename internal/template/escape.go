package template

import (
	"fmt"
	"strings"
)

// escape is how a value is escaped.
type escape uint8

const (
	escapeText     escape = iota // in text and in attributes
	escapeURL                    // the beginning of a URL: its scheme is checked
	escapeURLRest                // after the beginning, before "?" and "#"
	escapeURLQuery               // after "?" or "#": nothing in the value delimits anything
)

// escape returns how a value is escaped in c, or why it must not stand there.
func (c context) escape() (_ escape, why string) {
	switch c.place {
	case inText, inEscapable:
		return escapeText, ""
	case inAttr:
	case inCode:
		return 0, "a value in a " + c.tag
	default:
		return 0, "a value stands in text or in double quotes"
	}
	switch name := c.attr; {
	case strings.Contains(name, ":"), strings.HasPrefix(name, "on"), name == "style", name == "srcdoc", name == "srcset", name == "imagesrcset", name == "http-equiv":
		return 0, fmt.Sprintf("a value in the attribute %q", name)
	case !isURLAttr(name):
		return escapeText, ""
	}
	switch c.url {
	case atStart:
		return escapeURL, ""
	case beforeQuery:
		return escapeURLRest, ""
	case afterQuery:
		return escapeURLQuery, ""
	}
	return 0, `a value after a part of a scheme, or one that is not http, https or mailto; write "/" or "?" before it`
}

// urlPart is how much of a URL stands before a value.
type urlPart uint8

const (
	atStart     urlPart = iota
	inBeginning         // what stands there may be a part of a scheme
	notWeb              // after a scheme that may be a script, or may be written as one
	beforeQuery
	afterQuery // or in the fragment
)

// after returns the part of the URL after a text.
func (u urlPart) after(text string) urlPart {
	if u == atStart {
		text = strings.TrimLeft(text, blanks)
	}
	if text != "" && (u == atStart || u == inBeginning) {
		switch i := strings.IndexAny(text, ":/?#&"); {
		case i < 0:
			return inBeginning
		case text[i] == '&', text[i] == ':' && (u == inBeginning || !isSafeURL(text)):
			return notWeb
		}
		u = beforeQuery
	}
	if u == beforeQuery && strings.ContainsAny(text, "?#") {
		return afterQuery
	}
	return u
}

// isURLAttr reports whether an attribute has a URL, or might have one.
func isURLAttr(name string) bool {
	name = strings.TrimPrefix(name, "data-")
	switch name {
	case "action", "archive", "background", "cite", "classid", "codebase", "data", "formaction", "href", "icon", "longdesc", "manifest", "ping", "poster", "profile", "usemap", "xmlns":
		return true
	}
	return strings.Contains(name, "src") || strings.Contains(name, "uri") || strings.Contains(name, "url")
}

// unsafeURL stands in place of a URL whose scheme is not one of the web or of mail: it
// might be a script.
const unsafeURL = "#ZgotmplZ"

// text returns a value as HTML.
func (e escape) text(value string) string {
	if e == escapeURL && !isSafeURL(value) {
		return unsafeURL
	}
	if e != escapeText {
		value = encodeURL(value, e != escapeURLQuery)
	}
	return htmlText.Replace(value)
}

// htmlText escapes what has a meaning in HTML. "+" is among it because of UTF-7.
var htmlText = strings.NewReplacer(
	"\x00", "\uFFFD", `"`, "&#34;", "&", "&amp;", "'", "&#39;", "+", "&#43;", "<", "&lt;", ">", "&gt;",
)

func isSafeURL(url string) bool {
	scheme, _, ok := strings.Cut(url, ":")
	if !ok || strings.Contains(scheme, "/") {
		return true
	}
	return strings.EqualFold(scheme, "http") || strings.EqualFold(scheme, "https") || strings.EqualFold(scheme, "mailto")
}

// encodeURL encodes what can't stand in a URL; delimiters and escapes only if keep is not set.
func encodeURL(url string, keep bool) string {
	const hex = "0123456789abcdef"
	var b strings.Builder
	for i := range len(url) {
		c := url[i]
		if isUnreserved(c) || keep && (strings.IndexByte("!#$&*+,/:;=?@[]", c) >= 0 || c == '%' && isEscape(url[i:])) {
			b.WriteByte(c)
			continue
		}
		b.Write([]byte{'%', hex[c>>4], hex[c&15]})
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func isEscape(text string) bool { return len(text) >= 3 && isHex(text[1]) && isHex(text[2]) }

func isHex(c byte) bool { return '0' <= c && c <= '9' || 'a' <= c|0x20 && c|0x20 <= 'f' }
