package browse

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// place is the origin of a page. The browser can open it again.
type place struct {
	opener opener                 // of url
	url    locus.URL              // zero: own or read makes the page
	from   *access.Result         // of the page that links to url; nil: url is typed
	part   string                 // of the message at url; empty: all of it
	own    func() *page           // makes a page of the browser itself
	read   func(l *loading) *page // is own for what takes time
	name   string                 // of the page of own or read
	hidden bool                   // url contains an answer that must not be shown
}

// shown returns the URL for display, escaped and without passwords.
func (p place) shown() string {
	switch {
	case p.url.IsZero():
		return p.name
	case p.hidden:
		return p.url.Scheme() + "://" + term.Safe(p.url.Host()) + "/ (the rest contains a hidden answer)"
	case p.part != "":
		return term.Safe(p.url.Shown()) + " part " + p.part
	}
	return term.Safe(p.url.Shown())
}

// isSame reports whether q is the same page as p, possibly with another fragment.
func (p place) isSame(q place) bool {
	return !p.url.IsZero() && p.url.WithoutFragment() == q.url.WithoutFragment() && p.part == q.part && p.opener == q.opener
}

// style is how a run is shown.
type style uint8

const (
	plain style = iota
	bold
	faint
)

// noLink marks plain text.
const noLink = -1

// run is a text with one style. It is safe for a terminal and has no line end.
type run struct {
	text  string
	link  int // index among the links of the page, or noLink
	style style
}

// block is a paragraph or an item of a list, which has lines for a width.
type block struct {
	runs   []run
	margin string // before the first line
	detail string // before the text, if the screen is wide
	indent int    // of the other lines, besides the margin
	quote  string // before each line
	loose  bool   // among items: indented like them
}

// text returns the text of the block, without what stands before it.
func (b *block) text() string {
	if len(b.runs) == 1 {
		return b.runs[0].text
	}
	var t strings.Builder
	for _, r := range b.runs {
		t.WriteString(r.text)
	}
	return t.String()
}

// link is a link of a page, or a field of its form.
type link struct {
	place place
	act   func(*model) // in place of opening place; may be nil
	label string       // of act, for the last line
}

// page is a resource as it is displayed.
type page struct {
	place  place
	result *access.Result // without its resource; nil: the page is not from a server
	title  string         // safe
	note   string         // safe
	err    error          // the page is this error, or ends with it
	blocks []block
	links  []link
	anchor map[string]int // blocks by the names of fragments; may be nil
	form   *answers       // may be nil
	marks  []int          // numbers of the bookmarks that the first links are

	octets    []byte // the source, if it is whole
	whole     bool
	mediaType string
	notRead   bool // an object that was not read
	trace     []string

	lines []line // for width
	width int
}

// expandTabs replaces tabs by spaces, and escapes other control characters.
func expandTabs(text string) string {
	if !strings.Contains(text, "\t") {
		return term.Safe(text)
	}
	var b strings.Builder
	column := 0
	for i, piece := range strings.Split(text, "\t") {
		if i > 0 {
			n := 8 - column%8
			b.WriteString("        "[:n])
			column += n
		}
		piece = term.Safe(piece)
		column += term.Width(piece)
		b.WriteString(piece)
	}
	return b.String()
}

func (p *page) add(b block) { p.blocks = append(p.blocks, b) }

// addText adds lines of text.
func (p *page) addText(s style, lines ...string) {
	for _, text := range lines {
		p.add(block{runs: []run{{text: text, link: noLink, style: s}}})
	}
}

// addLink adds a link on its own line.
func (p *page) addLink(title string, l link) *block {
	p.links = append(p.links, l)
	p.add(block{runs: []run{{text: title, link: len(p.links) - 1}}})
	return &p.blocks[len(p.blocks)-1]
}

// titleOf returns the title of u by its scheme, or its host.
func titleOf(r *scheme.Registry, u locus.URL) string {
	for _, octets := range []string{r.Title(u), u.Host()} {
		if title := term.Text(octets); title != "" {
			return title
		}
	}
	return term.Safe(u.Shown())
}
