package page

import (
	"bytes"
	"cmp"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/microcosm-cc/bluemonday"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
	"golang.org/x/net/html/charset"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
)

// documentPage writes a page with HTML from a server, without scripts, styles, forms and frames. It
// replaces links and images by paths of the site. It reads the document into memory. If the
// document is too large, the page shows the document in a frame.
func (p *Printer) documentPage(w io.Writer, h *Head, o *scheme.Object) error {
	decoded, err := charset.NewReader(o.Body, o.Type)
	if err == io.EOF { // the document is empty
		decoded, err = strings.NewReader(""), nil
	}
	if err != nil {
		return err
	}
	text, broken := io.ReadAll(io.LimitReader(decoded, maxDocument+1))
	if len(text) > maxDocument {
		return p.embedPage(w, h, o, ClassFrame)
	}
	about := headOf(text)
	g := p.beginPage(w, h, o, kindDocument, about.title)
	base := cmp.Or(h.Found, h.URL)
	if to, err := locus.Parse(about.base); err == nil {
		base = to
	}
	g.addPiece("document-ways", struct{ Frame, Text string }{g.pagePath(h.URL, h.Show.withClass(ClassFrame)), g.pagePath(h.URL, h.Show.withClass(ClassText))})
	g.writeForeign(text, foreignOptions{base: base.WithoutFragment()})
	return g.endPage(broken)
}

// documentHead holds the title and base of a document.
type documentHead struct{ title, base string }

// maxHead is the number of bytes at the start of a document in which headOf searches for
// the head.
const maxHead = 64 << 10

// headOf returns the title and the base in the head of a document. It reads only tokens, because a
// hostile document could make a parser build a large tree.
func headOf(text []byte) (h documentHead) {
	tokens := html.NewTokenizer(bytes.NewReader(text[:min(len(text), maxHead)]))
	for h.title == "" || h.base == "" {
		switch tokens.Next() {
		case html.ErrorToken:
			return h
		case html.StartTagToken, html.SelfClosingTagToken:
			switch t := tokens.Token(); {
			case t.DataAtom == atom.Title && h.title == "" && tokens.Next() == html.TextToken:
				h.title = strings.Join(strings.Fields(tokens.Token().Data), " ")
			case t.DataAtom == atom.Base && h.base == "":
				for _, a := range t.Attr {
					if a.Key == "href" {
						h.base = strings.TrimSpace(a.Val)
					}
				}
			}
		}
	}
	return h
}

// allowedElements lists the allowed elements of HTML from a server. The sanitizer replaces any other
// element by its text.
var allowedElements = []string{
	"a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "br", "caption", "center", "cite", "code",
	"col", "colgroup", "dd", "del", "details", "dfn", "dir", "div", "dl", "dt", "em", "figcaption", "figure", "font", "footer", "h1", "h2",
	"h3", "h4", "h5", "h6", "header", "hr", "i", "img", "ins", "kbd", "li", "main", "mark", "menu", "nav", "ol", "p", "pre", "q", "s", "samp",
	"section", "small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
	"tt", "u", "ul", "var", "wbr",
}

// sanitiser removes active content from HTML. Later, [page.attributes] checks the links.
var sanitiser = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(allowedElements...)
	p.AllowNoAttrs().OnElements("a", "img", "span", "font", "bdo")
	p.AllowAttrs("href", "name").OnElements("a")
	p.AllowAttrs("id").Globally()
	p.AllowAttrs("src", "alt", "width", "height").OnElements("img")
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("td", "th")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("dir").Matching(bluemonday.Direction).OnElements("bdo", "p", "div", "span")
	p.AllowURLSchemesMatching(regexp.MustCompile(`.`)) // every scheme
	p.AllowRelativeURLs(true)
	p.RequireNoFollowOnLinks(false)
	return p
})

// foreignOptions controls how a page rewrites HTML from a server.
type foreignOptions struct {
	base locus.URL
	// partPath returns the path of the message part with the given Content-ID.
	partPath func(id string) string
	// onlyLocalImages suppresses images from other servers. Such images would reveal to the
	// sender that the user has read the message.
	onlyLocalImages bool
}

// replacementElements maps elements to their replacements. They are replaced because the page
// has its own "main" and "h1".
var replacementElements = map[string]string{"main": "div", "header": "div", "footer": "div", "nav": "div", "aside": "div", "center": "div", "dir": "ul", "menu": "ul", "font": "span", "big": "span", "tt": "code", "strike": "s", "h1": "h2"}

// writeForeign writes HTML from a server. It parses the HTML into a tree, so that the HTML
// can't close elements of the page.
func (g *page) writeForeign(text []byte, o foreignOptions) {
	g.addPiece("begin-foreign", nil)
	defer g.writePiece("end-foreign", nil)
	within := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(boundFormatting(sanitiser().SanitizeReader(bytes.NewReader(text))), within)
	if err != nil || slices.ContainsFunc(nodes, func(n *html.Node) bool { return isDeeper(n, maxNested) }) {
		g.addPiece("too-deep", nil)
		return
	}
	for _, n := range nodes {
		g.clean(n, o)
		for each := range n.Descendants() {
			g.clean(each, o)
		}
		if err := html.Render(&g.b, n); err != nil {
			g.err = cmp.Or(g.err, err)
		}
	}
}

// maxNested is the maximum depth of elements in HTML from a server. HTML parsers have their own
// limits, and interpret deeper elements differently.
const maxNested = 200

// isDeeper reports whether the node n has a descendant that is the given number of levels
// below n.
func isDeeper(n *html.Node, levels int) bool {
	if levels == 0 {
		return true
	}
	for child := range n.ChildNodes() {
		if isDeeper(child, levels-1) {
			return true
		}
	}
	return false
}

// clean makes a node of HTML from a server safe to show.
func (g *page) clean(n *html.Node, o foreignOptions) {
	switch n.Type {
	case html.TextNode:
		n.Data = safeLines(n.Data)
	case html.ElementNode:
		if name, ok := replacementElements[n.Data]; ok {
			n.Data = name
		}
		n.Attr = g.attributes(n, o)
	}
}

// attributes returns the allowed attributes of an element in HTML from a server. It rewrites links.
func (g *page) attributes(n *html.Node, o foreignOptions) (list []html.Attribute) {
	keep := func(name, value string) { list = append(list, html.Attribute{Key: name, Val: value}) }
	alt := false
	for _, a := range n.Attr {
		switch {
		case a.Key == "id" || a.Key == "name":
			// IDs in HTML from a server must differ from IDs in the page.
			keep("id", foreignName+safeText(a.Val))
		case a.Key == "href":
			if to := g.foreignLink(a.Val, o); to != "" {
				keep("href", to)
			}
		case a.Key == "src":
			if to := g.foreignImage(a.Val, o); to != "" {
				keep("src", to)
				keep("loading", "lazy")
			}
		case a.Key == "alt":
			alt = true
			keep("alt", safeText(a.Val))
		case a.Key == "colspan" || a.Key == "rowspan" || a.Key == "dir" || a.Key == "start":
			keep(a.Key, a.Val)
		case (a.Key == "width" || a.Key == "height") && isNumber(a.Val):
			keep(a.Key, a.Val)
		}
	}
	if n.Data == "img" && !alt {
		keep("alt", "")
	}
	return list
}

// foreignName is the prefix that the page adds to IDs in HTML from a server.
const foreignName = "there-"

func isNumber(text string) bool {
	return text != "" && len(text) < 6 && strings.Trim(text, "0123456789") == ""
}

// foreignLink returns the path for a link in HTML from a server. If the link has no path, it
// returns "".
func (g *page) foreignLink(href string, o foreignOptions) string {
	if fragment, ok := strings.CutPrefix(strings.TrimSpace(href), "#"); ok {
		return "#" + foreignName + fragment
	}
	u, part := g.resolveLink(href, o)
	if u.IsZero() {
		return part
	}
	link := g.pagePath(u.WithoutFragment(), Show{})
	if fragment, ok := u.Fragment(); ok && fragment != "" && link != "" {
		link += "#" + foreignName + fragment
	}
	return link
}

// foreignImage returns the path for an image in HTML from a server. If the page must not show the
// image, it returns "".
func (g *page) foreignImage(src string, o foreignOptions) string {
	u, part := g.resolveLink(src, o)
	if u.IsZero() || o.onlyLocalImages {
		return part
	}
	return g.rawPath(u.WithoutFragment(), Show{})
}

// resolveLink returns the URL of a link in HTML from a server, or the path of the message part
// to which the link refers. If the link is invalid, both results are empty.
func (g *page) resolveLink(text string, o foreignOptions) (u locus.URL, partPath string) {
	text = strings.TrimSpace(text)
	ref, err := relative.Parse(text)
	if err != nil {
		return locus.URL{}, ""
	}
	u, absolute := ref.URL()
	if !absolute {
		if o.base.IsZero() {
			return locus.URL{}, ""
		}
		if u, _, err = g.registry.Resolve(o.base, ref, relative.Options{}); err != nil {
			return locus.URL{}, ""
		}
	}
	if o.partPath != nil && g.registry.Scheme(u).Traits.Has(scheme.Contained) {
		return locus.URL{}, o.partPath(scheme.Decoded(u.SchemePart()))
	}
	return u, ""
}
