package browse

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/markup"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// unseen are the elements whose text is not shown.
var unseen = map[string]bool{"script": true, "style": true, "template": true, "iframe": true, "object": true, "svg": true, "select": true, "textarea": true}

// gap are the elements that begin a line, and the empty lines before it.
var gap = map[string]int{
	"address": 0, "article": 0, "aside": 0, "dd": 0, "details": 0, "div": 0, "dt": 0, "fieldset": 0, "figure": 0, "figcaption": 0, "footer": 0, "form": 0,
	"header": 0, "li": 0, "main": 0, "nav": 0, "section": 0, "summary": 0, "tr": 0, "hr": 0, "title": 0,
	"blockquote": 1, "dl": 1, "h1": 1, "h2": 1, "h3": 1, "h4": 1, "h5": 1, "h6": 1, "ol": 1, "p": 1, "pre": 1, "table": 1, "ul": 1,
}

// htmlPage makes blocks of HTML.
type htmlPage struct {
	*page
	registry *scheme.Registry
	base     locus.URL
	hidden   string // the element of unseen that is open
	b        block
	blank    bool // a blank comes before the next text
	above    bool // an empty line comes before the next block
	heading  bool
	link     int
	pre      int
	lists    int
	quotes   int
	title    strings.Builder
	inTitle  bool
}

// addHTML adds the text of an HTML page with its links.
func (p *page) addHTML(r *scheme.Registry, source string) {
	h := &htmlPage{page: p, registry: r, base: p.base(), link: noLink}
	p.anchor = map[string]int{}
	tokens := markup.HTML{Source: source, XML: markup.IsXML(source)}
	for tokens.Next() {
		h.token(&tokens)
	}
	h.end()
	if title := strings.Join(strings.Fields(h.title.String()), " "); title != "" {
		p.title = term.Safe(title)
	}
}

func (h *htmlPage) token(t *markup.HTML) {
	text := t.Source[t.Start:t.End]
	switch t.Kind {
	case markup.Text:
		h.text(markup.Decode(text, markup.HTMLText).Text)
	case markup.Verbatim:
		h.text(text)
	case markup.StartTag, markup.EndTag:
		name, begins := strings.ToLower(t.Name), t.Kind == markup.StartTag
		switch {
		case h.hidden == "" && begins && unseen[name]:
			h.hidden = name
		case h.hidden == "":
			h.element(name, begins, t)
		case h.hidden == name && !begins:
			h.hidden = ""
		}
	}
}

func (h *htmlPage) text(text string) {
	switch {
	case h.hidden != "":
	case h.inTitle:
		h.title.WriteString(text)
	case h.pre > 0:
		for i, line := range strings.Split(lineEnds(text), "\n") {
			if i > 0 {
				h.end()
				if line == "" {
					h.above = true
				}
			}
			h.put(expandTabs(line))
		}
	default:
		text = strings.ReplaceAll(text, "\u00a0", " ")
		for i, word := range strings.FieldsFunc(text, isBlank) {
			if i > 0 || isBlank(rune(text[0])) {
				h.blank = true
			}
			h.put(term.Safe(word))
		}
		if text != "" && isBlank(rune(text[len(text)-1])) {
			h.blank = true
		}
	}
}

func isBlank(c rune) bool { return c < 0x80 && markup.IsSpace(byte(c)) }

// put adds text to the block.
func (h *htmlPage) put(text string) {
	if text == "" {
		return
	}
	r := run{text: text, link: h.link}
	if h.heading {
		r.style = bold
	}
	if h.blank && len(h.b.runs) > 0 {
		blank := run{text: " ", link: noLink, style: r.style}
		if last := h.b.runs[len(h.b.runs)-1]; last.link == h.link {
			blank.link = h.link
		}
		h.b.runs = append(h.b.runs, blank)
	}
	h.blank = false
	h.b.runs = append(h.b.runs, r)
}

// end ends the block.
func (h *htmlPage) end() {
	h.blank = false
	if len(h.b.runs) == 0 {
		return
	}
	if h.above && len(h.blocks) > 0 {
		h.addText(plain, "")
	}
	h.above = false
	h.b.quote = strings.Repeat("> ", min(h.quotes, 5))
	h.add(h.b)
	h.b = block{}
}

// element takes a tag.
func (h *htmlPage) element(name string, begins bool, t *markup.HTML) {
	empty, breaks := gap[name]
	if breaks || name == "br" {
		h.end()
		h.above = h.above || empty > 0 && !(h.lists > 0 && (name == "ul" || name == "ol"))
	}
	if begins {
		for _, attribute := range [...]string{"id", "name"} {
			if value := t.Value(attribute); value != "" && (attribute == "id" || name == "a") {
				if _, ok := h.anchor[value]; !ok {
					h.anchor[value] = len(h.blocks)
				}
			}
		}
	}
	depth := -1
	if begins {
		depth = 1
	}
	switch name {
	case "title":
		h.inTitle = begins
	case "a":
		h.anchorTag(begins, t)
	case "base":
		if u, err := h.resolve(h.registry, h.page.base(), strings.TrimSpace(t.Value("href"))); err == nil && begins {
			h.base = u
		}
	case "pre":
		h.pre = max(h.pre+depth, 0)
	case "blockquote":
		h.quotes = max(h.quotes+depth, 0)
	case "ul", "ol", "dl":
		h.lists = max(h.lists+depth, 0)
	case "h1", "h2", "h3", "h4", "h5", "h6":
		h.heading = begins
	case "td", "th":
		h.blank = true
		if begins && len(h.b.runs) > 0 {
			h.put("|")
			h.blank = true
		}
	}
	if begins {
		h.mark(name, t)
	}
}

// mark adds what an element without text stands for.
func (h *htmlPage) mark(name string, t *markup.HTML) {
	switch name {
	case "li":
		h.b.margin = strings.Repeat("  ", min(max(h.lists-1, 0), 8)) + "* "
	case "dd":
		h.b.margin = "  "
	case "hr":
		h.put("----")
		h.end()
	case "img":
		if alt := strings.Join(strings.Fields(t.Value("alt")), " "); alt != "" {
			h.put(term.Safe("[" + alt + "]"))
		}
	case "frame", "iframe", "embed":
		if u, err := h.resolve(h.registry, h.base, strings.TrimSpace(t.Value("src"))); err == nil {
			h.end()
			h.addLink(name+": "+term.Safe(u.Redacted()), link{place: h.follow(u)})
		}
	}
}

// anchorTag begins or ends a link.
func (h *htmlPage) anchorTag(begins bool, t *markup.HTML) {
	h.link = noLink
	if !begins {
		return
	}
	href := strings.TrimSpace(t.Value("href"))
	if href == "" || len(href) > locus.MaxLen {
		return
	}
	u, err := h.resolve(h.registry, h.base, href)
	if err != nil {
		return
	}
	h.links = append(h.links, link{place: h.follow(u)})
	h.link = len(h.links) - 1
	mark := run{mark(len(h.links)), h.link, faint}
	if h.blank && len(h.b.runs) > 0 {
		h.b.runs = append(h.b.runs, run{text: " ", link: noLink})
	}
	h.blank = false
	h.b.runs = append(h.b.runs, mark)
}
