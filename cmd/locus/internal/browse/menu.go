package browse

import (
	"fmt"
	"iter"
	"strings"

	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// maxItems is the maximum number of menu items that the browser shows.
const maxItems = 200_000

// kindMark returns the suffix that shows the kind of an item after its title, if the menu has no
// columns.
func kindMark(k scheme.ItemKind) string {
	switch k {
	case scheme.KindMenu:
		return "/"
	case scheme.KindSearch, scheme.KindForm:
		return " ?"
	case scheme.KindSession:
		return " >_"
	}
	return ""
}

// addItems adds the items of a menu to the page. The parameter of holds the traits of the menu's
// scheme. For each item, addItems calls the function count. If an error ends the items early, it
// returns that error.
func (p *page) addItems(items iter.Seq2[scheme.Item, error], of scheme.Traits, count func()) error {
	for item, err := range items {
		switch {
		case err != nil:
			return err
		case len(p.blocks) >= maxItems:
			p.note = fmt.Sprintf("only the first %d items are shown", maxItems)
			return nil
		}
		p.addItem(item, of)
		count()
	}
	return nil
}

// addItem adds an item to the page. If the menu consists of text lines, the item is shown without
// columns.
func (p *page) addItem(item scheme.Item, of scheme.Traits) {
	title := expandTabs(strings.TrimRight(charset.Text(item.Title), " \r\n"))
	if note := term.Text(item.Note); note != "" {
		title += "  " + note
	}
	if item.URL.IsZero() {
		p.addLoose(item, title)
		return
	}
	if title == "" {
		title = term.Safe(item.URL.Shown())
	}
	b := p.addLink(title+kindMark(item.Kind), link{place: p.follow(item.URL)})
	if of.Has(scheme.Lines) {
		return
	}
	b.detail = fmt.Sprintf("%-7s  ", show.ShortKind(item))
	if n, ok := numberOf(item); ok {
		b.detail = fmt.Sprintf("%8d  ", n)
	}
	if of.Has(scheme.Directories) || item.HasDetails() {
		b.detail += fmt.Sprintf("%8s  %-16s  ", human.Size(item.Size), human.Time(item.ModTime))
	}
}

// numberOf returns the number of an article, the number of articles in a newsgroup, or the score
// of a search result.
func numberOf(item scheme.Item) (n int64, ok bool) {
	for _, k := range [...]scheme.ColumnKind{scheme.ColumnNumber, scheme.ColumnCount, scheme.ColumnScore} {
		if n, ok = item.Number(k); ok {
			break
		}
	}
	return n, ok
}

// addLoose adds an item without a URL.
func (p *page) addLoose(item scheme.Item, title string) {
	if item.Kind == scheme.KindError {
		title = "error: " + title
	}
	p.addText(plain, title)
	p.blocks[len(p.blocks)-1].loose = true
}
