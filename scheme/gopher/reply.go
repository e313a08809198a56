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
	mediaType string // media type of an object; if empty, the client detects it from the name and contents
}

type replyForm uint8

const (
	replyBinary replyForm = iota
	replyText
	replyHTML
	replyMenu
	replyAttributes
)

// reply returns the kind of reply that the client expects. If g requests a view, the view
// determines the kind. Otherwise, the type determines it.
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

// replyOfView returns the kind of reply for a view. The argument is the media type of the
// view, in lower case.
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

// viewsOf returns the views that the attributes list. If they list none, the item has exactly
// one view (Gopher+ section 2.5).
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

// describe returns the media type of an object. The argument mediaType is the known type, or
// "". The argument name is the name of the object, and head is the beginning of its contents.
// The charset of a text is UTF-8 if head is valid UTF-8, and ISO Latin 1 otherwise.
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

// isUTF8 reports whether head is valid UTF-8, except that the last character may be truncated.
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

// maxErrors is the maximum number of lines that the client reads to distinguish an error from
// a menu.
const maxErrors = 32

// firstLines reads the lines of a menu up to the first item. If the menu contains an error
// line but no items, firstLines returns the error in this line. If reading fails, firstLines
// returns the valid lines and the error.
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

// closeAtEnd returns an iterator that yields the items of list, and then closes c. The caller
// may iterate only once, because a second iteration yields only an error.
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

// attributesMenu returns the attributes of one item as a menu, with the item's form. The
// argument failure is the reason if the attributes are truncated, and nil otherwise.
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

// attributesMenu returns the attributes of all items in a menu, as a menu with one line for
// each item.
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

// items yields the item itself, the item's views, and the lines of the other attributes, but
// not the form.
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

// of returns the URL of the item l in the menu g. If l is not a link, it returns g.
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

// withPlus returns g with another Gopher+ string.
func (g URL) withPlus(plus string) (URL, error) {
	p := g.parts()
	p.Plus = &plus
	return p.URL()
}

// attributeNames returns the names of the attributes that a Gopher+ string requests. If the
// result is empty, the string requests all attributes.
func attributeNames(plus string) []string {
	return strings.FieldsFunc(plus[1:], func(r rune) bool { return r == '+' || r == ' ' })
}

func (g URL) asksPhone() bool { return g.gtype == TypePhone && !g.hasPlus }

// words returns the words to search for in a phone book. RFC 1738 does not define where a URL
// contains these words. Some programs write them as a search, and others after a "?" in the
// selector.
func (g URL) words() (words string, ok bool) {
	words = g.search
	if !g.hasSearch {
		_, words, _ = strings.Cut(g.selector, "?")
	}
	return words, strings.Trim(words, " ") != ""
}

// wantsWords reports whether g is a search without words (RFC 1738 section 3.4.2). An empty
// search in the URL counts as words. An exception is an empty search before a Gopher+ string,
// because the URL syntax requires it.
func (g URL) wantsWords() bool {
	if g.gtype != TypeSearch || g.search != "" {
		return false
	}
	if !g.hasPlus {
		return !g.hasSearch
	}
	return g.plus == "" || g.plus[0] == '+' && !g.isForm()
}

// asksAttributes reports whether g requests attributes (RFC 1738 sections 3.4.5 and 3.4.6).
func (g URL) asksAttributes() bool {
	return g.hasPlus && g.plus != "" && (g.plus[0] == '!' || g.plus[0] == '$')
}
