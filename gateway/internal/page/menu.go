package page

import (
	"cmp"
	"io"
	"iter"
	"slices"
	"strings"
	"unicode"

	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/scheme"
)

// Menu writes the form of a menu, and the menu items as they arrive. The first link
// determines how the items are listed. To sort by [Show.Sort], Menu buffers the items up to
// a limit.
func (p *Printer) Menu(w io.Writer, h *Head, m *scheme.Menu) error {
	k := p.kindOfMenu(h.URL)
	if m.Form != nil && (k == kindMenu || k == kindDirectory) {
		k = kindOfForm(m.Form)
	}
	title, items := m.Title, m.Items
	if name := p.registry.Title(h.URL); title == "" && h.Title == "" {
		if name == "" {
			title, items = peekTitle(items)
		} else if words := searchWords(m.Form); words != "" && !strings.Contains(name, words) {
			title = words + " in " + name
		}
	}
	g := p.beginPage(w, h, nil, k, title)
	if m.Form != nil {
		g.writeForm(m.Form, nil, nil)
	}
	l := list{page: g, form: m.Form}
	return g.endPage(l.writeItems(items))
}

// searchWords returns the search words that the user entered in the form f. If the form was not
// submitted, it returns "".
func searchWords(f *scheme.Form) string {
	if f == nil || !isSearch(f) {
		return ""
	}
	return f.Fields[0].Default
}

// maxPeeked is the maximum number of lines in which peekTitle looks for the title of a menu.
const maxPeeked = 8

// peekTitle returns the title of a menu. The title is a text line before the first link. If
// there is no such line, peekTitle returns "". The iterator allItems yields all items of the
// menu.
func peekTitle(items iter.Seq2[scheme.Item, error]) (title string, allItems iter.Seq2[scheme.Item, error]) {
	if items == nil {
		return "", nil
	}
	type entry struct {
		item scheme.Item
		err  error
	}
	next, stop := iter.Pull2(items)
	var peeked []entry
	for title == "" && len(peeked) < maxPeeked {
		item, err, ok := next()
		if !ok {
			break
		}
		peeked = append(peeked, entry{item, err})
		if err != nil || !item.URL.IsZero() {
			break
		}
		title = titleIn(item.Title)
	}
	return title, func(yield func(scheme.Item, error) bool) {
		defer stop()
		for _, e := range peeked {
			if !yield(e.item, e.err) {
				return
			}
		}
		for {
			item, err, ok := next()
			if !ok || !yield(item, err) {
				return
			}
		}
	}
}

// titleIn returns the title in a line of text, without ornaments. If the line is a drawing or is
// too long, titleIn returns "".
func titleIn(line string) string {
	const most = 80
	line = strings.Trim(safeText(line), " =-*_~#|+.:<>")
	letters, others := 0, 0
	for _, r := range line {
		switch {
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			letters++
		case r != ' ':
			others++
		}
	}
	if letters < 3 || letters < 4*others || len(line) > most {
		return ""
	}
	return line
}

const (
	// maxHeld is the maximum number of lines that the list buffers before the first link.
	maxHeld = 100
	// maxSorted is the maximum number of items that the list sorts.
	maxSorted = 10_000
	// maxThreaded is the maximum number of articles that the list sorts into threads.
	maxThreaded = 2_000
)

// list writes the items of a menu.
type list struct {
	*page
	listing scheme.Listing // listing of the first link; empty before that link
	held    []scheme.Item  // buffered items, until the listing is known or the items are sorted
	order   order
	links   int
	form    *scheme.Form // form before the list; may be nil
	best    int64        // highest score of an item
	low     int64        // lowest number of an article
}

// writeItems writes each item as soon as the item arrives. If the items are incomplete, it
// returns the reason.
func (l *list) writeItems(items iter.Seq2[scheme.Item, error]) (incomplete error) {
	if items == nil {
		return nil
	}
	l.order = parseOrder(l.h.Show.Sort)
	for item, failure := range items {
		if failure != nil {
			incomplete = failure
			break
		}
		if l.addItem(item); l.err != nil {
			return nil
		}
	}
	l.finish()
	return incomplete
}

// addItem writes or buffers an item.
func (l *list) addItem(item scheme.Item) {
	if l.listing == "" {
		if item.URL.IsZero() && len(l.held) < maxHeld {
			l.held = append(l.held, item)
			return
		}
		l.setListing(l.listingOf(&item))
	}
	if most := l.maxHeld(); most > 0 {
		if len(l.held) < most {
			l.held = append(l.held, item)
			return
		}
		// There are too many items to sort.
		l.order = order{by: tooMany}
		l.writeHeld()
	}
	l.writeItem(&item, 0)
}

// maxHeld returns the maximum number of items that the list buffers for sorting.
func (l *list) maxHeld() int {
	switch l.order.by {
	case "", tooMany:
		return 0
	case byThread:
		return maxThreaded
	}
	return maxSorted
}

// setListing sets the listing and writes the beginning of the list.
func (l *list) setListing(listing scheme.Listing) {
	l.listing = listing
	if listing == scheme.ListArticles && l.order.by == "" {
		l.order.by = byThread
	}
	if !l.order.isSupported(listing) {
		l.order = order{}
	}
	head := l.held
	l.held = nil
	if listing != scheme.ListLinks && len(head) > 0 {
		// Write the text before a table as lines.
		l.addPiece("begin-links", nil)
		for i := range head {
			l.addPiece("line", l.row(&head[i], 0))
		}
		l.addPiece("end-links", nil)
		head = nil
	}
	l.addPiece("begin-"+string(listing), l.columns())
	if link, ok := l.parentLink(); ok && listing == scheme.ListFiles {
		l.addPiece("parent-files", link)
	}
	for i := range head {
		l.writeItem(&head[i], 0)
	}
	l.flush()
}

// parentLink returns the link to the parent directory.
func (l *list) parentLink() (link string, ok bool) {
	parents := l.registry.Parents(l.h.URL)
	if len(parents) == 0 || !l.registry.Scheme(l.h.URL).Traits.Has(scheme.Directories) {
		return "", false
	}
	link = l.pagePath(parents[len(parents)-1].URL, Show{})
	return link, link != ""
}

// writeHeld sorts and writes the buffered items.
func (l *list) writeHeld() {
	held := l.held
	l.held = nil
	depths := l.order.sort(l.Printer, held)
	for i := range held {
		l.writeItem(&held[i], depths[i])
	}
}

// finish writes the end of the list.
func (l *list) finish() {
	switch {
	case l.listing != "":
	case len(l.held) > 0:
		l.setListing(scheme.ListLinks)
	case l.form == nil:
		l.writePiece("empty", nil)
		return
	case searchWords(l.form) == "":
		return
	default:
		l.writePiece("nothing", searchWords(l.form))
		return
	}
	l.writeHeld()
	l.writePiece("end-"+string(l.listing), l.more())
}

// writeItem writes an item. The depth is the depth of the item in its thread.
func (l *list) writeItem(i *scheme.Item, depth int) {
	name := "line"
	switch {
	case l.listing == scheme.ListLinks:
	case i.URL.IsZero() && i.Kind != scheme.KindError:
		name = "text-" + string(l.listing)
	default:
		name = "item-" + string(l.listing)
	}
	l.writePiece(name, l.row(i, depth))
}

// listingOf returns the listing of a menu whose first link is i. A directory is listed as files,
// even if no sizes and times are known. If the menus of a scheme are texts, the listing contains no
// file columns.
func (l *list) listingOf(i *scheme.Item) scheme.Listing {
	listing, traits := i.Listing(), l.registry.Scheme(i.URL).Traits
	switch {
	case i.URL.IsZero():
	case listing == scheme.ListFiles && traits.Has(scheme.Lines):
		return scheme.ListLinks
	case listing == scheme.ListLinks && traits.Has(scheme.Directories) && !traits.Has(scheme.Lines):
		return scheme.ListFiles
	}
	return listing
}

// line is the data for the item templates.
type line struct {
	Number  int // number of the link in the list, from 1; zero if the item is not a link
	Kind    kind
	Link    string
	Title   string
	Address string // URL of an item that cannot be a link
	Size    string
	Octets  int64
	Day     string
	Clock   string
	Stamp   string
	Note    string
	From    string
	Score   int64
	Best    int64
	Count   string
	Depth   int
	Article int64
	Info    bool
	Fault   bool
}

// maxDepth is the maximum indentation of replies.
const maxDepth = 8

func (l *list) row(i *scheme.Item, depth int) line {
	u := withoutPassword(i.URL)
	r := line{
		Kind: l.kindOfItem(i), Title: safeText(i.Title), Note: safeText(i.Note), Octets: i.Size, Depth: min(depth, maxDepth),
		Info: i.Kind == scheme.KindInfo, Fault: i.Kind == scheme.KindError,
	}
	if i.URL.IsZero() {
		return r
	}
	l.links++
	r.Number = l.links
	r.Title = cmp.Or(r.Title, u.String())
	if r.Link = l.pagePath(u, showOfItem(i)); r.Link == "" {
		r.Address = safeText(u.String())
	}
	r.Size = human.Size(i.Size)
	if !i.ModTime.IsZero() {
		r.Day, r.Clock, _ = strings.Cut(human.Time(i.ModTime), " ")
		r.Stamp = formatTime(i.ModTime)
	}
	switch l.listing {
	case scheme.ListArticles:
		r.From, r.Note = r.Note, ""
		r.Kind = kindArticle
		r.Article, _ = i.Number(scheme.ColumnNumber)
		if l.low == 0 || r.Article < l.low {
			l.low = r.Article
		}
	case scheme.ListGroups:
		if n, ok := i.Number(scheme.ColumnCount); ok {
			r.Count = groupDigits(n)
		}
	case scheme.ListResults:
		r.Score, _ = i.Number(scheme.ColumnScore)
		// A bar shows the score instead.
		r.Note = strings.TrimPrefix(strings.TrimPrefix(r.Note, "score "+itoa(r.Score)), ", ")
		l.best = max(l.best, r.Score, 1000)
		r.Best = l.best
	}
	return r
}

// showOfItem returns the Show value for the link to an item. If the item is available in several
// types, the Show value contains these types.
func showOfItem(i *scheme.Item) Show {
	types := slices.DeleteFunc(slices.Clone(i.Types()), func(name string) bool {
		// The view of type "URL" contains only the headline of the document.
		return name == "" || name == "URL" || strings.Contains(name, ",")
	})
	if len(types) < 2 {
		return Show{}
	}
	return Show{Types: strings.Join(types, ",")}
}

// column is a sortable column of a list.
type column struct {
	scheme.Column
	Link, Sorted string // value of aria-sort: "ascending", "descending" or ""
}

func (l *list) columns() []column {
	var list []column
	if l.listing == scheme.ListArticles {
		list = append(list, column{Column: scheme.Column{Kind: byThread, Title: "Threads"}})
	}
	for _, c := range l.listing.Columns() {
		list = append(list, column{Column: c})
	}
	for i := range list {
		c := &list[i]
		s := l.h.Show
		s.Sort = string(c.Kind)
		if l.order.by == c.Kind {
			c.Sorted = "descending"
			if !l.order.descending {
				c.Sorted, s.Sort = "ascending", "-"+s.Sort
			}
		}
		c.Link = l.pagePath(l.h.URL, s)
	}
	return list
}

// endNote is the data for the template "end-note".
type endNote struct {
	Older, Newest string
	TooMany       bool
}

// olderArticles is the number of articles on a page of older articles.
const olderArticles = 200

func (l *list) more() endNote {
	m := endNote{TooMany: l.order.by == tooMany}
	if l.listing == scheme.ListArticles && l.low > 1 {
		s := l.h.Show
		s.Items = scheme.ItemRange{Last: l.low - 1, Newest: olderArticles}
		m.Older = l.pagePath(l.h.URL, s)
		if l.h.Show.Items != (scheme.ItemRange{}) {
			s.Items = scheme.ItemRange{}
			m.Newest = l.pagePath(l.h.URL, s)
		}
	}
	return m
}

// groupDigits formats a number with thin spaces between groups of three digits, such as thousands.
func groupDigits(n int64) string {
	if n < 0 {
		return ""
	}
	if n < 1000 {
		return itoa(n)
	}
	tail := itoa(n % 1000)
	return groupDigits(n/1000) + "\u202f" + "000"[len(tail):] + tail
}

// Section is a section of the home page.
type Section struct {
	Title, Text string
	Items       []scheme.Item
}

// Home writes the home page with the URL box. Without sections, it lists the schemes.
func (p *Printer) Home(w io.Writer, h *Head, sections []Section) error {
	g := p.beginPage(w, h, nil, kindHome, "")
	g.writePiece("home", g.home(sections))
	return g.endPage(nil)
}

// Schemes writes the page of all registered schemes.
func (p *Printer) Schemes(w io.Writer, h *Head) error {
	g := p.beginPage(w, h, nil, kindNone, "Schemes")
	g.writePiece("schemes", p.registry.All())
	return g.endPage(nil)
}

// home is the data for the template "home".
type home struct {
	Site     *Site
	Sections []homeSection
	Schemes  []scheme.Scheme
}

type homeSection struct {
	Title, Text string
	Items       []line
}

func (g *page) home(sections []Section) home {
	d := home{Site: &g.site}
	for _, s := range sections {
		l := list{page: g}
		each := homeSection{Title: s.Title, Text: s.Text}
		for i := range s.Items {
			each.Items = append(each.Items, l.row(&s.Items[i], 0))
		}
		d.Sections = append(d.Sections, each)
	}
	if len(sections) == 0 {
		for _, s := range g.registry.All() {
			if s.Access.Protocol != "" {
				d.Schemes = append(d.Schemes, s)
			}
		}
		// The schemes of RFC 1738 come first, in the order of that RFC.
		slices.SortStableFunc(d.Schemes, func(a, b scheme.Scheme) int {
			// Section "3.10" comes after "3.2".
			return cmp.Or(cmp.Compare(a.Status, b.Status), len(a.Section)-len(b.Section), strings.Compare(a.Section, b.Section))
		})
	}
	return d
}
