package page

import (
	"bytes"
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
)

// Document writes HTML that somebody else wrote: what is said in it, its links led
// through the site, its pictures through [Site.Raw]. Scripts, styles, forms and frames
// are left out. It is read whole; one that is too large for that is shown as
// [ClassFrame] has it.
func (p *Printer) Document(w io.Writer, h *Head, r io.Reader) error {
	decoded, err := charset.NewReader(r, h.Type)
	if err == io.EOF { // nothing is in it
		decoded, err = strings.NewReader(""), nil
	}
	if err != nil {
		return err
	}
	text, broken := io.ReadAll(io.LimitReader(decoded, maxDocument+1))
	if len(text) > maxDocument {
		return p.Embed(w, h, ClassFrame)
	}
	about := headOf(text)
	copied := *h
	if copied.Title == "" {
		copied.Title = about.title
	}
	g, err := p.begin(w, &copied, kindDocument)
	if err != nil {
		return err
	}
	base := h.URL
	if !h.Found.IsZero() {
		base = h.Found
	}
	if to, err := locus.Parse(about.base); err == nil {
		base = to
	}
	if err := g.add("document-ways", struct{ Frame, Text string }{g.link(h.URL, h.Show.as(ClassFrame)), g.link(h.URL, h.Show.as(ClassText))}); err != nil {
		return err
	}
	if err := g.add("begin-foreign", nil); err != nil {
		return err
	}
	if err := g.foreign(text, foreignOptions{base: base.WithoutFragment()}); err != nil {
		return err
	}
	if err := g.put("end-foreign", nil); err != nil {
		return err
	}
	return g.end(broken)
}

// documentHead is what the head of a document says.
type documentHead struct{ title, base string }

// headOf reads the head of a document.
func headOf(text []byte) (h documentHead) {
	z := html.NewTokenizer(bytes.NewReader(text))
	for inTitle := false; ; {
		switch z.Next() {
		case html.ErrorToken:
			return h
		case html.TextToken:
			if inTitle && h.title == "" {
				h.title = strings.Join(strings.Fields(string(z.Text())), " ")
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			t := z.Token()
			switch inTitle = t.Data == "title"; t.Data {
			case "base":
				if href, ok := attribute(t, "href"); ok && h.base == "" {
					h.base = strings.TrimSpace(href)
				}
			case "body":
				return h
			}
		case html.EndTagToken:
			inTitle = false
		}
	}
}

func attribute(t html.Token, name string) (value string, ok bool) {
	for _, a := range t.Attr {
		if a.Key == name {
			return a.Val, true
		}
	}
	return "", false
}

// elements are those of foreign HTML that are shown; of others, their text is.
var elements = []string{
	"a", "abbr", "address", "article", "aside", "b", "bdi", "bdo", "big", "blockquote", "br", "caption", "center", "cite", "code",
	"col", "colgroup", "dd", "del", "details", "dfn", "dir", "div", "dl", "dt", "em", "figcaption", "figure", "font", "footer", "h1", "h2",
	"h3", "h4", "h5", "h6", "header", "hr", "i", "img", "ins", "kbd", "li", "main", "mark", "menu", "nav", "ol", "p", "pre", "q", "s", "samp",
	"section", "small", "span", "strike", "strong", "sub", "summary", "sup", "table", "tbody", "td", "tfoot", "th", "thead", "tr",
	"tt", "u", "ul", "var", "wbr",
}

// anyScheme lets every scheme through.
var anyScheme = regexp.MustCompile(`.`)

// sanitiser leaves out what could act. Links are looked at afterwards, when it is
// known what they lead to.
var sanitiser = sync.OnceValue(func() *bluemonday.Policy {
	p := bluemonday.NewPolicy()
	p.AllowElements(elements...)
	p.AllowNoAttrs().OnElements("a", "img", "span", "font", "bdo")
	p.AllowAttrs("href", "name").OnElements("a")
	p.AllowAttrs("id").Globally()
	p.AllowAttrs("src", "alt", "width", "height").OnElements("img")
	p.AllowAttrs("colspan", "rowspan").Matching(bluemonday.Integer).OnElements("td", "th")
	p.AllowAttrs("start").Matching(bluemonday.Integer).OnElements("ol")
	p.AllowAttrs("dir").Matching(bluemonday.Direction).OnElements("bdo", "p", "div", "span")
	p.AllowURLSchemesMatching(anyScheme)
	p.AllowRelativeURLs(true)
	p.RequireNoFollowOnLinks(false)
	return p
})

// foreignOptions say where foreign HTML stands.
type foreignOptions struct {
	base locus.URL
	// within finds the parts of a message by their Content-ID.
	within func(id string) string
	// letter: pictures that are elsewhere stay there, since asking for them tells the
	// sender that somebody reads.
	letter bool
}

// renamed are elements that are shown as others: the page has one "main" and one
// "h1" of its own.
var renamed = map[string]string{"main": "div", "header": "div", "footer": "div", "nav": "div", "aside": "div", "center": "div", "dir": "ul", "menu": "ul", "font": "span", "big": "span", "tt": "code", "strike": "s", "h1": "h2"}

// foreign adds HTML that somebody else wrote to the piece. It goes through a tree, so
// that nothing in it can end what it stands in.
func (g *page) foreign(text []byte, o foreignOptions) error {
	within := &html.Node{Type: html.ElementNode, Data: "div", DataAtom: atom.Div}
	nodes, err := html.ParseFragment(sanitiser().SanitizeReader(bytes.NewReader(text)), within)
	if err != nil || slices.ContainsFunc(nodes, func(n *html.Node) bool { return deeper(n, maxNested) }) {
		return g.add("too-deep", nil)
	}
	for _, n := range nodes {
		g.tame(n, o)
		for each := range n.Descendants() {
			g.tame(each, o)
		}
		if err := html.Render(&g.b, n); err != nil {
			return err
		}
	}
	return nil
}

// maxNested is how deep foreign elements may be in each other: readers of HTML end
// at some depth, each at its own, and take what is deeper for something else.
const maxNested = 200

// deeper reports whether there is anything so deep in n.
func deeper(n *html.Node, most int) bool {
	if most == 0 {
		return true
	}
	for child := range n.ChildNodes() {
		if deeper(child, most-1) {
			return true
		}
	}
	return false
}

// tame changes a node of foreign HTML into what is shown of it.
func (g *page) tame(n *html.Node, o foreignOptions) {
	switch n.Type {
	case html.TextNode:
		n.Data = shownLines(n.Data)
	case html.ElementNode:
		if name, ok := renamed[n.Data]; ok {
			n.Data = name
		}
		n.Attr = g.attributes(n, o)
	}
}

// attributes returns the attributes that a foreign element keeps.
func (g *page) attributes(n *html.Node, o foreignOptions) (list []html.Attribute) {
	keep := func(name, value string) { list = append(list, html.Attribute{Key: name, Val: value}) }
	alt := false
	for _, a := range n.Attr {
		switch {
		case a.Key == "id" || a.Key == "name":
			// The names of the page itself are not for others.
			keep("id", foreignName+shown(a.Val))
		case a.Key == "href":
			if to := g.foreignLink(a.Val, o); to != "" {
				keep("href", to)
			}
		case a.Key == "src":
			if to := g.foreignPicture(a.Val, o); to != "" {
				keep("src", to)
				keep("loading", "lazy")
			}
		case a.Key == "alt":
			alt = true
			keep("alt", shown(a.Val))
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

// foreignName begins the names of places in foreign HTML.
const foreignName = "there-"

func isNumber(text string) bool {
	return text != "" && len(text) < 6 && strings.Trim(text, "0123456789") == ""
}

// foreignLink is where a link of foreign HTML leads here; empty: nowhere.
func (g *page) foreignLink(href string, o foreignOptions) string {
	href = strings.TrimSpace(href)
	if fragment, ok := strings.CutPrefix(href, "#"); ok {
		return "#" + foreignName + fragment
	}
	u, ok := resolved(href, o.base)
	switch {
	case !ok:
		return ""
	case u.Scheme() == "cid" && o.within != nil:
		return o.within(decoded(u.SchemePart()))
	}
	link := g.link(u.WithoutFragment(), Show{})
	if fragment, ok := u.Fragment(); ok && fragment != "" && link != "" {
		link += "#" + foreignName + fragment
	}
	return link
}

// foreignPicture is where a picture of foreign HTML is here; empty: it is not shown.
func (g *page) foreignPicture(src string, o foreignOptions) string {
	u, ok := resolved(strings.TrimSpace(src), o.base)
	switch {
	case !ok:
		return ""
	case u.Scheme() == "cid" && o.within != nil:
		return o.within(decoded(u.SchemePart()))
	case o.letter:
		return ""
	}
	return g.raw(u.WithoutFragment(), Show{})
}

// resolved is the URL that a text in a document stands for.
func resolved(text string, base locus.URL) (locus.URL, bool) {
	if u, err := locus.Parse(text); err == nil {
		return u, true
	}
	ref, err := relative.Parse(text)
	if err != nil || !strings.HasPrefix(base.SchemePart(), "/") {
		return locus.URL{}, false // the base has no hierarchy
	}
	u, err := ref.Resolve(base)
	return u, err == nil
}
