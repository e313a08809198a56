package browse

import (
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// place describes a page so that the browser can open the page again.
type place struct {
	opener opener                 // opens url
	url    locus.URL              // URL of the page; zero if the function own or read creates the page
	from   *access.Result         // result of the page that links to url; nil if the user typed url
	part   string                 // part of the message at url; empty for the whole message
	own    func() *page           // creates a page without a request; may be nil
	read   func(l *loading) *page // like own, but may take a long time; may be nil
	name   string                 // name of the page that own or read creates
	hidden bool                   // url contains a secret answer to a form
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

// isSame reports whether p and q are the same page. The fragments of the two URLs may differ.
func (p place) isSame(q place) bool {
	return !p.url.IsZero() && p.url.WithoutFragment() == q.url.WithoutFragment() && p.part == q.part && p.opener == q.opener
}

// style is the style of a run.
type style uint8

const (
	plain style = iota
	bold
	faint
)

// noLink is the link index of plain text.
const noLink = -1

// run is a text in one style. The text is safe for a terminal and contains no newline.
type run struct {
	text  string
	link  int // index in the page's links, or noLink
	style style
}

// block is a paragraph or a list item. The screen width determines its lines.
type block struct {
	runs   []run
	margin string // prefix of the first line
	detail string // details before the block, only on a wide screen
	indent int    // additional indentation of all lines except the first
	quote  string // prefix of each line
	loose  bool   // the block is a text between list items and is indented like an item
}

// text returns the text of the block without its margin, detail and quote.
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

// link is a link in a page, or a field in the page's form.
type link struct {
	place place
	act   func(*model) // function to call instead of opening the place; may be nil
	label string       // description of act, for the last line of the screen
}

// page is the displayed form of a resource.
type page struct {
	place  place
	result *access.Result // result without its resource; nil if the browser itself creates the page
	title  string         // title, safe for the terminal
	note   string         // note, safe for the terminal
	err    error          // error that the page reports, possibly after a part of the resource
	blocks []block
	links  []link
	anchor map[string]int // maps each fragment to a block index; may be nil
	form   *answers       // may be nil
	marks  []int          // bookmark indexes of the first links in the page

	octets    []byte // source bytes, if complete
	whole     bool
	mediaType string
	notRead   bool // the browser did not read the whole object
	trace     []string

	lines []line // lines of the page for the screen width in the field width
	width int
}

// expandTabs replaces tabs with spaces, and escapes other control characters.
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

// titleOf returns a title that the scheme of u defines, or the host of u.
func titleOf(r *scheme.Registry, u locus.URL) string {
	for _, octets := range []string{r.Title(u), u.Host()} {
		if title := term.Text(octets); title != "" {
			return title
		}
	}
	return term.Safe(u.Shown())
}
