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

// reply describes the reply that a client expects for a URL.
type reply struct {
	form      replyForm
	mediaType string // media type of an object; if empty, the name and octets determine the media type
}

type replyForm uint8

const (
	replyBinary replyForm = iota
	replyText
	replyHTML
	replyMenu
	replyAttributes
)

// reply returns the reply that the client expects. If g requests a view, the view
// determines the reply. Otherwise the type does.
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
	case types[g.gtype].isText:
		what.form = replyText
	}
	return what
}

// replyOfView returns the kind of reply for the media type of a view, in lower case.
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

func (g URL) viewType() string {
	view, ok := strings.CutPrefix(g.plus, "+")
	if !ok {
		return ""
	}
	view, _, _ = strings.Cut(view, "\t")
	view, _, _ = strings.Cut(view, " ")
	return view
}

// viewsOf returns the views of an item with the given attributes. If the attributes list no
// views, the item has exactly one view (Gopher+ section 2.5).
func (g URL) viewsOf(a attributes) []plusView {
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
	return []plusView{{Type: what.mediaType, Size: -1}}
}

func (g URL) name() string {
	name := strings.TrimRight(g.selector, "/")
	return name[strings.LastIndexByte(name, '/')+1:]
}

// describe returns the media type of an object. The argument name is the name of the
// object, and head its first octets. The argument mediaType is the known type, or "". If
// head is valid UTF-8, the charset is UTF-8; otherwise it is ISO Latin 1.
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

// isUTF8 reports whether head is the beginning of a UTF-8 text. The last
// character may be truncated.
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

// maxErrors is the maximum number of lines that the client reads to distinguish a menu from
// an error.
const maxErrors = 32

// firstLines reads lines up to the first item. If the menu has no items but has an error
// line, firstLines returns the error in that line. If reading fails, firstLines returns the
// valid lines and the error.
func firstLines(r *menuReader) (lines []menuLine, err error) {
	var message *string
	for len(lines) < maxErrors {
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
		case l.Type != infoType:
			return lines, nil
		}
	}
	return lines, nil
}

// closeAtEnd yields the items of the iterator list and then closes c. The caller may
// iterate only once: a second loop yields only an error.
func closeAtEnd(list iter.Seq2[scheme.Item, error], c io.Closer) iter.Seq2[scheme.Item, error] {
	used := false
	return func(yield func(scheme.Item, error) bool) {
		if used {
			yield(scheme.Item{}, errors.New("gopher: the items of a menu can only be read once"))
			return
		}
		used = true
		defer c.Close()
		list(yield)
	}
}

// attributesMenu returns the attributes of one item as a menu, with the item's form. If the
// attributes are truncated, the argument failure is the reason; otherwise it is nil.
func attributesMenu(g URL, a attributes, failure error) *scheme.Menu {
	m := &scheme.Menu{URL: g.url, Title: a.Info.Name}
	if len(a.Ask) > 0 && failure == nil {
		m.Form = newForm(g, plusView{}, a.Info.Name, a.Ask)
	}
	m.Items = func(yield func(scheme.Item, error) bool) {
		for item := range a.items(g) {
			if !yield(item, nil) {
				return
			}
		}
		if failure != nil {
			yield(scheme.Item{}, fmt.Errorf("gopher: %w", failure))
		}
	}
	return m
}

// attributesMenu returns the attributes of all items of a menu, with one line for each item.
func (x *exchange) attributesMenu(g URL) *scheme.Menu {
	items := func(yield func(scheme.Item, error) bool) {
		for a, err := range readAttributes(x.body, &x.op.client.o.Limits) {
			if len(a.Blocks) > 0 && !yield(a.item(g), nil) {
				return
			}
			if err != nil {
				yield(scheme.Item{}, fmt.Errorf("gopher: %w", err))
				return
			}
		}
	}
	return &scheme.Menu{URL: g.url, Items: closeAtEnd(items, x), Closer: x}
}

func (a attributes) item(g URL) scheme.Item {
	item := a.Info.Item(g)
	if len(a.Views) > 0 {
		item.Type, item.Size = a.Views[0].Type, a.Views[0].Size
	}
	item.ModTime = a.ModTime
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

// items yields the item, its views and the lines of the other attributes. It omits the
// form.
func (a attributes) items(g URL) iter.Seq[scheme.Item] {
	return func(yield func(scheme.Item) bool) {
		if a.Info.Type != 0 && !yield(a.item(g)) {
			return
		}
		for _, v := range a.Views {
			if !yield(v.item(g)) {
				return
			}
		}
		for _, b := range a.Blocks {
			if b.Name == blockInfo || b.Name == blockViews || b.Name == blockAsk {
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

func (v plusView) item(g URL) scheme.Item {
	item := scheme.Item{Title: v.String(), Kind: scheme.KindObject, Type: v.Type, Size: v.Size}
	if f := replyOfView(strings.ToLower(v.Type)).form; f == replyMenu || f == replyAttributes {
		item.Kind = scheme.KindMenu
	}
	to, err := g.withPlus("+" + v.String())
	if err != nil {
		item.Kind, item.Note = scheme.KindUnknown, "no request can name this view"
	}
	item.URL = to.url
	return item
}

func infoItem(title string) scheme.Item {
	return scheme.Item{Title: title, Kind: scheme.KindInfo, Size: -1}
}

// of returns the URL of the item l in the menu g, or g if l is not a link.
func (g URL) of(l menuLine) URL {
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

// withPlus returns the URL of the same item and the same search with another
// Gopher+ string.
func (g URL) withPlus(plus string) (URL, error) {
	p := g.parts()
	p.Plus = &plus
	return p.URL()
}

// attributeNames returns the names of the attributes that a Gopher+ string requests.
// If there are none, it requests all.
func attributeNames(plus string) []string {
	return strings.FieldsFunc(plus[1:], func(r rune) bool { return r == '+' || r == ' ' })
}

func (g URL) asksPhone() bool { return g.gtype == TypePhone && !g.hasPlus }

// words returns the words to search for in a phone book. RFC 1738 does not define the
// position of the words. Some programs write them as a search, others after a "?".
func (g URL) words() (words string, ok bool) {
	words = g.search
	if !g.hasSearch {
		_, words, _ = strings.Cut(g.selector, "?")
	}
	return words, strings.Trim(words, " ") != ""
}

// wantsWords reports whether g is a search without words (section 3.4.2). An empty
// search in the URL counts as words, except before a Gopher+ string, which requires
// it.
func (g URL) wantsWords() bool {
	if g.gtype != TypeSearch || g.search != "" {
		return false
	}
	if !g.hasPlus {
		return !g.hasSearch
	}
	return g.plus == "" || g.plus[0] == '+' && !g.isForm()
}

// asksAttributes reports whether g requests attributes (sections 3.4.5 and 3.4.6).
func (g URL) asksAttributes() bool {
	return g.hasPlus && g.plus != "" && (g.plus[0] == '!' || g.plus[0] == '$')
}
