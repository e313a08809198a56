package message

import (
	"bufio"
	"html"
	"io"
	"slices"
	"strings"
	"unicode"
)

const (
	maxTag    = 8 << 10 // octets of a tag that are looked at
	maxEntity = 32
	maxLinks  = 200
	maxLink   = 2000 // octets of a URL that is listed
	maxQuotes = 20   // depth of quotes that is shown
)

// unseen are the elements whose content is not for people.
var unseen = map[string]bool{"script": true, "style": true, "title": true, "template": true}

// breaks says how many line ends are around a block: two are an empty line.
var breaks = map[string]int{
	"address": 1, "article": 1, "center": 1, "dd": 1, "div": 1, "dl": 1, "dt": 1, "figure": 1, "footer": 1, "form": 1,
	"header": 1, "hr": 1, "li": 1, "ol": 1, "section": 1, "table": 1, "tr": 1, "ul": 1,
	"blockquote": 2, "h1": 2, "h2": 2, "h3": 2, "h4": 2, "h5": 2, "h6": 2, "p": 2, "pre": 2,
}

// htmlText makes text of HTML as it comes, without holding it. It is no parser of HTML:
// it takes tags off, and shows the blocks and links that they stood for.
type htmlText struct {
	r *bufio.Reader
	w io.Writer

	out    []byte
	wrote  bool // there is text
	blank  bool // a blank came before what comes
	ends   int  // line ends that came before what comes
	prefix string
	pre    int // depths of elements
	quotes int

	links  []string
	href   string // of the link that is open
	anchor []byte // its text, as far as it may be the URL
}

// writeHTML writes the text of HTML, and returns the URLs of its links, which have
// their numbers behind their texts: [1] is the first.
func writeHTML(w io.Writer, r io.Reader) (links []string, err error) {
	h := &htmlText{r: bufio.NewReaderSize(r, 16<<10), w: w}
	for err == nil {
		var c byte
		if c, err = h.r.ReadByte(); err == nil {
			err = h.octet(c)
		}
		if len(h.out) >= 8<<10 {
			err = h.flush(err)
		}
	}
	if err == io.EOF {
		err = nil
	}
	return h.links, h.flush(err)
}

// flush writes what is made. It returns err, or what went wrong.
func (h *htmlText) flush(err error) error {
	if _, writeErr := h.w.Write(h.out); writeErr != nil {
		return writeErr
	}
	h.out = h.out[:0]
	return err
}

func (h *htmlText) octet(c byte) error {
	switch c {
	case '<':
		return h.markup()
	case '&':
		h.entity()
	case ' ', '\t', '\n', '\r', '\f':
		switch {
		case h.pre == 0:
			h.blank = true
		case c == '\n':
			h.ends++
			h.put("")
		case c != '\r':
			h.put(string(c))
		}
	default:
		h.space()
		h.add(c)
	}
	return nil
}

// space writes the line ends or the blank before a text.
func (h *htmlText) space() {
	begins := !h.wrote || h.ends > 0
	switch {
	case h.wrote && h.ends > 0:
		for range h.ends {
			h.out = append(h.out, '\n')
		}
	case h.wrote && h.blank:
		h.out = append(h.out, ' ')
	}
	if begins {
		for range min(h.quotes, maxQuotes) {
			h.out = append(h.out, "> "...)
		}
		h.out = append(h.out, h.prefix...)
		h.prefix = ""
	}
	h.wrote, h.blank, h.ends = true, false, 0
}

// add writes an octet of a text.
func (h *htmlText) add(c byte) {
	h.out = append(h.out, c)
	if h.href != "" && len(h.anchor) <= maxLink {
		h.anchor = append(h.anchor, c)
	}
}

// put writes text.
func (h *htmlText) put(text string) {
	h.space()
	for i := range len(text) {
		h.add(text[i])
	}
}

// apart has what comes on a line of its own.
func (h *htmlText) apart(ends int) { h.ends, h.blank = max(h.ends, ends), false }

// entity reads what begins with "&".
func (h *htmlText) entity() {
	head, _ := h.r.Peek(maxEntity)
	n := 0
	for n < len(head) && (head[n] == '#' || isAlnum(head[n])) {
		n++
	}
	if n < len(head) && head[n] == ';' {
		n++
	}
	text := html.UnescapeString("&" + string(head[:n]))
	_, _ = h.r.Discard(n)
	h.put(strings.ReplaceAll(text, "\u00a0", " "))
}

func isAlnum(c byte) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z'
}

// markup reads what begins with "<".
func (h *htmlText) markup() error {
	next, _ := h.r.Peek(3)
	switch {
	case len(next) == 0 || next[0] != '/' && next[0] != '!' && next[0] != '?' && !unicode.IsLetter(rune(next[0])):
		h.put("<")
		return nil
	case string(next) == "!--":
		return h.skipComment()
	}
	tag, err := h.tag()
	if err != nil {
		return err
	}
	n := 0
	for n < len(tag) && (isAlnum(tag[n]) || n == 0 && tag[n] == '/') {
		n++
	}
	name := strings.ToLower(tag[:n])
	if unseen[name] {
		return h.skipElement(name)
	}
	h.element(name, tag[n:])
	return nil
}

// skipComment goes behind "-->".
func (h *htmlText) skipComment() error {
	_, _ = h.r.Discard(len("!--"))
	dashes := 2 // "<!-->" is a whole comment
	for {
		c, err := h.r.ReadByte()
		switch {
		case err != nil:
			return err
		case c == '-':
			dashes++
		case c == '>' && dashes >= 2:
			return nil
		default:
			dashes = 0
		}
	}
}

// tag reads a tag up to its ">" and returns what is before it.
func (h *htmlText) tag() (string, error) {
	var b []byte
	var quote byte
	for {
		c, err := h.r.ReadByte()
		switch {
		case err != nil:
			return "", err
		case quote == 0 && c == '>':
			return string(b), nil
		case quote == c:
			quote = 0
		case quote == 0 && (c == '"' || c == '\'') && len(b) > 0 && strings.IndexByte("= ", b[len(b)-1]) >= 0:
			quote = c
		}
		if len(b) < maxTag {
			b = append(b, c)
		}
	}
}

// skipElement goes behind the end of an element.
func (h *htmlText) skipElement(name string) error {
	for {
		c, err := h.r.ReadByte()
		if err != nil {
			return err
		}
		if c != '<' {
			continue
		}
		next, _ := h.r.Peek(1 + len(name))
		if len(next) == 1+len(name) && next[0] == '/' && strings.EqualFold(string(next[1:]), name) {
			_, err := h.tag()
			return err
		}
	}
}

// element takes a tag, whose name begins with "/" if it ends an element.
func (h *htmlText) element(name, attributes string) {
	base := strings.TrimPrefix(name, "/")
	begins := base == name
	if base == "a" {
		h.endLink()
	}
	switch n := breaks[base]; {
	case n > 0:
		h.apart(n)
	case base == "br":
		h.apart(min(h.ends+1, 2))
	case base == "td" || base == "th":
		h.blank = true
	}
	depth := -1
	if begins {
		depth = 1
	}
	switch {
	case base == "blockquote":
		h.quotes = max(h.quotes+depth, 0)
	case base == "pre":
		h.pre = max(h.pre+depth, 0)
	case !begins:
	case base == "a":
		h.href = linkOf(attribute(attributes, "href"))
	case base == "li":
		h.prefix = "* "
	case base == "hr":
		h.put("----")
		h.apart(1)
	case base == "img":
		if alt := strings.TrimSpace(oneLine(attribute(attributes, "alt"))); alt != "" {
			h.put("[" + alt + "]")
		}
	}
}

// endLink writes the number of the link that is open, unless its text is the URL.
func (h *htmlText) endLink() {
	href, text := h.href, strings.TrimSpace(string(h.anchor))
	h.href, h.anchor = "", h.anchor[:0]
	if href == "" || text == href || "mailto:"+text == href {
		return
	}
	i := slices.Index(h.links, href)
	if i < 0 {
		if len(h.links) == maxLinks {
			return
		}
		i = len(h.links)
		h.links = append(h.links, href)
	}
	h.blank = false
	h.put("[" + join("", i+1) + "]")
}

// linkOf returns the URL of a link, or nothing if it leads to nowhere that can be
// shown.
func linkOf(href string) string {
	href = strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1
		}
		return r
	}, href))
	scheme, _, _ := strings.Cut(strings.ToLower(href), ":")
	if href == "" || href[0] == '#' || len(href) > maxLink || scheme == "javascript" || scheme == "vbscript" || scheme == "data" {
		return ""
	}
	return href
}

// attribute returns the value of an attribute, decoded; empty if there is none.
func attribute(text, name string) string {
	for {
		text = strings.TrimLeft(text, " \t\r\n\f/")
		n := strings.IndexAny(text, "= \t\r\n\f")
		if n < 0 {
			return ""
		}
		key, rest := text[:n], strings.TrimLeft(text[n:], " \t\r\n\f")
		if n == 0 {
			text = text[1:]
			continue
		}
		value := ""
		if strings.HasPrefix(rest, "=") {
			value, rest = attributeValue(strings.TrimLeft(rest[1:], " \t\r\n\f"))
		}
		if strings.EqualFold(key, name) {
			return html.UnescapeString(value)
		}
		text = rest
	}
}

// attributeValue returns the value that text begins with, and what is behind it.
func attributeValue(text string) (value, rest string) {
	if text != "" && (text[0] == '"' || text[0] == '\'') {
		value, rest, _ = strings.Cut(text[1:], text[:1])
		return value, rest
	}
	if i := strings.IndexAny(text, " \t\r\n\f"); i >= 0 {
		return text[:i], text[i:]
	}
	return text, ""
}
