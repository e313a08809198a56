package message

import (
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/locus-url/locus/internal/markup"
)

const (
	maxToken  = 1 << 20 // octets of a tag, a comment or a script
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

// htmlText makes text of HTML: it leaves out the tags, and shows the blocks and links
// that they stand for.
type htmlText struct {
	w io.Writer

	hidden string // the element of unseen that is open
	out    []byte
	wrote  bool // there is text
	blank  bool // white space came before the next text
	ends   int  // line ends before the next text
	prefix string
	pre    int // depths of elements
	quotes int

	links  []string
	href   string // of the link that is open
	anchor []byte // its text, as far as it may be the URL
}

// writeHTML writes the text of a part that is HTML, and returns the URLs of its links,
// whose texts are followed by their numbers: [1] is the first. It holds one token at a
// time; a token that is too long is a [Fault], and ends the text.
func writeHTML(w io.Writer, p Part) (links []string, err error) {
	h := &htmlText{w: w}
	var tokens markup.HTML
	r, buf := p.Text(), make([]byte, 0, 16<<10)
	for err == nil {
		if len(buf) == maxToken {
			err = Fault{Rule: RuleLimit, Offset: p.Offset(), Path: p.Path, Text: "a tag, a comment or a script of HTML has more than 1 MiB: the text ends there"}
			break
		}
		buf = slices.Grow(buf, min(max(len(buf), 16<<10), maxToken-len(buf)))
		var n int
		n, err = io.ReadFull(r, buf[len(buf):min(cap(buf), maxToken)])
		buf = buf[:len(buf)+n]
		tokens.Source, tokens.Offset = string(buf), 0
		h.read(&tokens, err != nil)
		buf = buf[:copy(buf, buf[tokens.Offset:])]
		if flushErr := h.flush(); flushErr != nil {
			return h.links, flushErr
		}
	}
	if err == io.EOF || err == io.ErrUnexpectedEOF {
		err = nil
	}
	return h.links, err
}

// read takes the tokens that are whole. Nothing follows the source if it is final.
func (h *htmlText) read(tokens *markup.HTML, final bool) {
	for {
		before := *tokens
		if !tokens.Next() {
			return
		}
		if t := tokens.Token; t.End == len(tokens.Source) && !final {
			*tokens = before
			if t.Kind != markup.Text || t.Name != "" {
				return
			}
			// What may begin a character reference or a tag waits for what follows.
			if n := strings.LastIndexAny(tokens.Source[t.Start:], "&<"); n >= 0 && len(tokens.Source)-t.Start-n < maxReference {
				t.End = t.Start + n
			}
			tokens.Token, tokens.Offset = t, t.End
			h.token(tokens)
			return
		}
		h.token(tokens)
	}
}

// maxReference is more octets than a character reference has.
const maxReference = 64

// token takes one token.
func (h *htmlText) token(t *markup.HTML) {
	text := t.Source[t.Start:t.End]
	switch t.Kind {
	case markup.Text:
		decoded := markup.Decode(text, markup.HTMLText)
		h.text(decoded.Text)
	case markup.Verbatim:
		h.text(text)
	case markup.StartTag, markup.EndTag:
		name := strings.ToLower(t.Name)
		switch {
		case h.hidden == "" && t.Kind == markup.StartTag && unseen[name]:
			h.hidden = name
		case h.hidden == "":
			h.element(name, t)
		case h.hidden == name && t.Kind == markup.EndTag:
			h.hidden = ""
		}
	}
}

// flush writes what is made.
func (h *htmlText) flush() error {
	_, err := h.w.Write(h.out)
	h.out = h.out[:0]
	return err
}

func (h *htmlText) text(text string) {
	if h.hidden != "" {
		return
	}
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case !markup.IsSpace(c):
			if strings.HasPrefix(text[i:], "\u00a0") {
				i, c = i+1, ' '
			}
			h.space()
			h.add(c)
		case h.pre == 0:
			h.blank = true
		case c == '\n':
			h.ends++
			h.put("")
		case c != '\r':
			h.put(string(c))
		}
	}
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

func (h *htmlText) add(c byte) {
	h.out = append(h.out, c)
	if h.href != "" && len(h.anchor) <= maxLink {
		h.anchor = append(h.anchor, c)
	}
}

func (h *htmlText) put(text string) {
	h.space()
	for i := range len(text) {
		h.add(text[i])
	}
}

// apart has what comes on a line of its own.
func (h *htmlText) apart(ends int) { h.ends, h.blank = max(h.ends, ends), false }

// element takes a tag of the element of that name.
func (h *htmlText) element(name string, t *markup.HTML) {
	begins := t.Kind == markup.StartTag
	if name == "a" {
		h.endLink()
	}
	switch n := breaks[name]; {
	case n > 0:
		h.apart(n)
	case name == "br":
		h.apart(min(h.ends+1, 2))
	case name == "td" || name == "th":
		h.blank = true
	}
	depth := -1
	if begins {
		depth = 1
	}
	switch {
	case name == "blockquote":
		h.quotes = max(h.quotes+depth, 0)
	case name == "pre":
		h.pre = max(h.pre+depth, 0)
	case !begins:
	case name == "a":
		h.href = linkOf(t.Value("href"))
	case name == "li":
		h.prefix = "* "
	case name == "hr":
		h.put("----")
		h.apart(1)
	case name == "img":
		if alt := strings.TrimSpace(oneLine(t.Value("alt"))); alt != "" {
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
		h.links = append(h.links, strings.Clone(href)) // Without the text around it.
	}
	h.blank = false
	h.put("[" + join("", i+1) + "]")
}

// linkOf returns the URL of a link, or "" if it is not to be listed.
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
