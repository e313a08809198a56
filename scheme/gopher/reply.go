package gopher

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

// reply is what the reply to a request must be, as far as the URL tells.
type reply struct {
	form      replyForm
	mediaType string // of an object; empty: its name and its octets tell
}

type replyForm uint8

const (
	replyBinary replyForm = iota
	replyText
	replyHTML
	replyMenu
	replyAttributes
)

// reply tells by the view that is asked for, or else by the type.
func (g URL) reply() reply {
	if g.hasPlus && strings.HasPrefix(g.plus, "$") {
		return reply{form: replyAttributes}
	}
	if view := strings.ToLower(g.viewType()); view != "" {
		return replyOfView(view)
	}
	if g.gtype == TypeMenu || g.gtype == TypeSearch {
		return reply{form: replyMenu}
	}
	what := reply{mediaType: itemType(g.gtype, g.selector)}
	switch {
	case g.gtype == TypeHTML:
		what.form = replyHTML
	case isText(g.gtype):
		what.form = replyText
	}
	return what
}

// replyOfView tells by the media type of a view, in lower case.
func replyOfView(view string) reply {
	switch {
	case view == "application/gopher+-menu":
		return reply{form: replyAttributes}
	case view == "application/gopher-menu", view == "directory/recursive":
		return reply{form: replyMenu}
	case strings.HasPrefix(view, "text/"):
		return reply{replyText, view}
	}
	return reply{replyBinary, view}
}

// viewType is the media type that the Gopher+ string asks for.
func (g URL) viewType() string {
	view, ok := strings.CutPrefix(g.plus, "+")
	if !ok {
		return ""
	}
	view, _, _ = strings.Cut(view, "\t")
	view, _, _ = strings.Cut(view, " ")
	return view
}

// viewsOf are the views of an item with these attributes. One that lists none has
// one (Gopher+ section 2.5).
func (g URL) viewsOf(a Attributes) []View {
	if len(a.Views) > 0 {
		return a.Views
	}
	what := g.reply()
	switch {
	case what.form == replyMenu:
		what.mediaType = "application/gopher-menu"
	case what.mediaType == "":
		what.mediaType = media.Guess(g.name(), nil)
	}
	return []View{{Type: what.mediaType, Size: -1}}
}

// name is what the selector ends in.
func (g URL) name() string {
	name := strings.TrimRight(g.selector, "/")
	return name[strings.LastIndexByte(name, '/')+1:]
}

// describe returns the media type of an object of that name whose first octets are
// head; mediaType is what is known already. A text is UTF-8 if it can be, and else
// ISO Latin 1.
func describe(mediaType, name string, head []byte) string {
	if mediaType == "" {
		return media.Guess(name, head)
	}
	if mediaType != "text/plain" {
		return mediaType
	}
	if isUTF8(head) {
		return mediaType + "; charset=utf-8"
	}
	return mediaType + "; charset=iso-8859-1"
}

// isUTF8 reports whether head can begin a text in UTF-8; its last character may be
// cut.
func isUTF8(head []byte) bool {
	for len(head) > 0 {
		r, size := utf8.DecodeRune(head)
		if r == utf8.RuneError && size == 1 {
			return !utf8.FullRune(head)
		}
		head = head[size:]
	}
	return true
}

// mostErrors is the most lines that are read to tell a menu from an error that
// looks like one.
const mostErrors = 32

// firstLines reads lines up to the first that is something to follow. If there is
// none and one tells of an error, that is the error. Another error comes with the
// lines before it, which are good.
func firstLines(r *MenuReader) (lines []Line, err error) {
	var message *string
	for len(lines) < mostErrors {
		l, err := r.Next()
		if err != nil {
			if err == io.EOF && message != nil {
				return nil, &ReplyError{Message: *message}
			}
			return lines, err
		}
		lines = append(lines, l)
		switch {
		case l.isError():
			if message == nil {
				message = &l.Name
			}
		case l.Type != TypeInfo:
			return lines, nil
		}
	}
	return lines, nil
}

// closing are the items of list, and then the end of c. They can be asked for once.
func closing(list iter.Seq2[scheme.Item, error], c io.Closer) iter.Seq2[scheme.Item, error] {
	done := false
	return func(yield func(scheme.Item, error) bool) {
		if done {
			yield(scheme.Item{}, errors.New("gopher: the items of a menu can be read once"))
			return
		}
		done = true
		defer c.Close()
		list(yield)
	}
}

// attributesMenu shows the attributes of one item: what it is, its views as links,
// and the rest as text. A form that it has is the menu's. failure is where they are
// cut, or nil.
func attributesMenu(g URL, a Attributes, failure error) *scheme.Menu {
	m := &scheme.Menu{URL: g.url, Title: a.Info.Name}
	if len(a.Ask) > 0 && failure == nil {
		m.Form = NewForm(g, a.Info.Name, a.Ask)
	}
	m.Items = func(yield func(scheme.Item, error) bool) {
		yields := func(list iter.Seq[scheme.Item]) bool {
			for item := range list {
				if !yield(item, nil) {
					return false
				}
			}
			return true
		}
		if a.Info.Type != 0 && !yield(a.item(g), nil) {
			return
		}
		if yields(a.viewItems(g)) && yields(a.textItems()) && failure != nil {
			yield(scheme.Item{}, fmt.Errorf("gopher: %w", failure))
		}
	}
	return m
}

// attributesMenu shows the attributes of all items of a menu: one line each.
func (x *exchange) attributesMenu(g URL) *scheme.Menu {
	items := func(yield func(scheme.Item, error) bool) {
		for a, err := range ReadAttributes(x.body, &x.job.client.o.Limits) {
			if len(a.Blocks) > 0 && !yield(a.item(g), nil) {
				return
			}
			if err != nil {
				yield(scheme.Item{}, fmt.Errorf("gopher: %w", err))
				return
			}
		}
	}
	return &scheme.Menu{URL: g.url, Items: closing(items, x), Closer: x}
}

// item is the item that has the attributes, with what they tell of it.
func (a Attributes) item(g URL) scheme.Item {
	item := a.Info.Item(g)
	if len(a.Views) > 0 {
		item.Type, item.Size = a.Views[0].Type, a.Views[0].Size
	}
	item.ModTime = a.Admin.ModTime
	if item.Note == "" {
		item.Note, _, _ = strings.Cut(a.Abstract, "\n")
	}
	if len(a.Ask) > 0 && item.Kind != scheme.KindForm {
		if form, err := g.of(a.Info).withPlus("?"); err == nil {
			item.Kind, item.URL = scheme.KindForm, form.url
		}
	}
	return item
}

// viewItems are the views as links.
func (a Attributes) viewItems(g URL) iter.Seq[scheme.Item] {
	return func(yield func(scheme.Item) bool) {
		for _, v := range a.Views {
			item := scheme.Item{Title: v.String(), Kind: scheme.KindObject, Type: v.Type, Size: v.Size}
			if f := replyOfView(strings.ToLower(v.Type)).form; f == replyMenu || f == replyAttributes {
				item.Kind = scheme.KindMenu
			}
			to, err := g.withPlus("+" + v.String())
			if err != nil {
				item.Kind, item.Note = scheme.KindUnknown, "no request can ask for this view"
			} else {
				item.URL = to.url
			}
			if !yield(item) {
				return
			}
		}
	}
}

// textItems are the blocks that are neither links nor a form, as lines of text.
func (a Attributes) textItems() iter.Seq[scheme.Item] {
	return func(yield func(scheme.Item) bool) {
		for _, b := range a.Blocks {
			switch b.Name {
			case blockInfo, blockViews, blockAsk:
				continue
			}
			if !yield(infoItem(strings.TrimRight(b.Name+": "+b.Descriptor, " "))) {
				return
			}
			for _, line := range b.Lines {
				if !yield(infoItem("  " + line)) {
					return
				}
			}
		}
	}
}

func infoItem(title string) scheme.Item {
	return scheme.Item{Title: title, Kind: scheme.KindInfo, Size: -1}
}

// of returns the item that l is on the menu g, or g if that is nothing to follow.
func (g URL) of(l Line) URL {
	u, err := l.URL(g)
	if err != nil || u.IsZero() {
		return g
	}
	item, err := Parse(u)
	if err != nil {
		return g
	}
	return item
}

// withPlus returns the URL of the same item, and the same search, with another
// Gopher+ string.
func (g URL) withPlus(plus string) (URL, error) {
	p := g.parts()
	p.Plus = &plus
	return p.URL()
}

// attributeNames are the names of the attributes that a Gopher+ string asks for;
// none is all.
func attributeNames(plus string) []string {
	return strings.FieldsFunc(plus[1:], func(r rune) bool { return r == '+' || r == ' ' })
}

// asksPhone reports whether g is of a phone book.
func (g URL) asksPhone() bool { return g.gtype == TypePhone && !g.hasPlus }

// words are those to look up in a phone book, if there are any. RFC 1738 has no form
// for them; both that of a search and a "?" are in use.
func (g URL) words() (words string, ok bool) {
	words = g.search
	if !g.hasSearch {
		_, words, _ = strings.Cut(g.selector, "?")
	}
	return words, strings.Trim(words, " ") != ""
}

// wantsWords reports whether g is a search that lacks its words (section 3.4.2). An
// empty search is one if it is written, except before a Gopher+ string, which has
// no other way to be there.
func (g URL) wantsWords() bool {
	if g.gtype != TypeSearch || g.search != "" {
		return false
	}
	if !g.hasPlus {
		return !g.hasSearch
	}
	return g.plus == "" || g.plus[0] == '+' && !g.isForm()
}

// asksAttributes reports whether g is about attributes (sections 3.4.5 and 3.4.6).
func (g URL) asksAttributes() bool {
	return g.hasPlus && g.plus != "" && (g.plus[0] == '!' || g.plus[0] == '$')
}

// queryAsSearch returns g with what follows a "?" in the selector of a search as
// its words, in which "+" is a blank.
func (g URL) queryAsSearch() (URL, error) {
	path, _ := g.url.Path()
	if g.gtype != TypeSearch || g.hasSearch {
		return g, nil
	}
	before, query, ok := strings.Cut(path, "?")
	if !ok {
		return g, nil
	}
	p := g.url.Parts()
	text := before + tab + strings.ReplaceAll(query, "+", "%20")
	p.Path = &text
	u, err := p.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}
