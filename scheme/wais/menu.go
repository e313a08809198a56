package wais

import (
	"cmp"
	"errors"
	"fmt"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

type listing struct {
	head      []scheme.Item
	reply     *searchReply
	firstRank int  // rank of the first hit to list
	requested int  // number of requested hits
	links     bool // the menu contains a link to the database after each source description
}

func (op *operation) menu(title, words string, l *listing) *scheme.Menu {
	m := &scheme.Menu{URL: op.url.url, Title: title, Form: op.form(words), Items: op.items(l)}
	if op.archived != nil {
		m.Closer = op.archived.raw
	}
	op.answers.Attach(m, "")
	return m
}

func (op *operation) items(l *listing) iter.Seq2[scheme.Item, error] {
	return func(yield func(scheme.Item, error) bool) {
		all := func(list []scheme.Item) bool {
			for _, item := range list {
				if !yield(item, nil) {
					return false
				}
			}
			return true
		}
		if !all(l.head) {
			return
		}
		sources := maxSources
		if !l.links {
			sources = 0
		}
		var room [4]scheme.Item
		for i := l.firstRank - 1; i < len(l.reply.Hits); i++ {
			h := &l.reply.Hits[i]
			if !all(op.appendHit(room[:0], h)) {
				return
			}
			if sources == 0 || h.Score == 0 || !slices.Contains(h.Wtypes, wtypeSource) {
				continue
			}
			item, err := op.database(h)
			switch {
			case op.ctx.Err() != nil:
				yield(scheme.Item{}, err)
				return
			case err != nil && !errors.Is(err, scheme.ErrNotFound) && !errors.Is(err, locus.ErrValue):
				sources = 0 // requests for other source descriptions would fail too
			case err == nil:
				sources--
			}
			if !yield(item, nil) {
				return
			}
		}
		all(l.tail())
	}
}

const (
	maxSources      = 40       // maximum number of source descriptions that a menu fetches
	maxLinkedSource = 64 << 10 // maximum size of each description in bytes
)

// database fetches a source description, and returns a link to the database that it describes.
// If there can be no link, the item explains the reason.
func (op *operation) database(h *hit) (scheme.Item, error) {
	var u locus.URL
	s, err := op.readSource(h.ID, maxLinkedSource)
	if err == nil {
		u, err = s.urlOn(op.url.url)
	}
	title := cmp.Or(h.Headline, h.ID.LocalID())
	if err != nil {
		return infoItem("No link to the database of " + title + ": " + strings.TrimPrefix(err.Error(), "wais: ")), err
	}
	return scheme.Item{URL: u, Title: cmp.Or(s.Database, title), Kind: scheme.KindSearch, Size: -1, Note: "the database that " + title + " describes"}, nil
}

func (l *listing) tail() (list []scheme.Item) {
	n := len(l.reply.Hits)
	switch {
	case n >= l.requested:
		list = append(list, infoItem(fmt.Sprintf("There may be more hits: only %d were requested.", l.requested)))
	case n < l.firstRank && n > 0:
		list = append(list, infoItem("There are only "+countOf(int64(n), "hit")+"."))
	}
	for _, d := range l.reply.Diagnostics {
		list = append(list, errorItem(d))
	}
	return list
}

func infoItem(text string) scheme.Item {
	return scheme.Item{Title: text, Kind: scheme.KindInfo, Size: -1}
}

func errorItem(err error) scheme.Item {
	return scheme.Item{Title: strings.TrimPrefix(err.Error(), "wais: "), Kind: scheme.KindError, Size: -1}
}

// appendHit appends one item for each type of a hit. A score of 0 means that the search found
// nothing, and that the server lists this document instead.
func (op *operation) appendHit(list []scheme.Item, h *hit) []scheme.Item {
	title := cmp.Or(h.Headline, h.ID.LocalID(), "(no title)")
	if h.Score == 0 {
		list = append(list, infoItem(title))
		title = "Catalogue"
	}
	for i, wtype := range op.ordered(h.Wtypes) {
		item := op.item(h, wtype)
		item.Title = title
		if i == 0 {
			item.Note = h.note()
		} else {
			item.Note = "the same document, as " + wtype
			item.Fields = append(item.Fields, scheme.Field{Name: "alternative", Value: true})
		}
		if u, err := op.hitURL(h, wtype); err != nil {
			item.Note = joined(item.Note, noURLNote(err))
		} else {
			item.URL = u
		}
		list = append(list, item)
	}
	return list
}

// ordered returns the types in order of preference.
func (op *operation) ordered(wtypes []string) []string {
	if op.prefer == (scheme.Preference{}) || len(wtypes) == 1 {
		return wtypes
	}
	wtypes = slices.Clone(wtypes)
	slices.SortStableFunc(wtypes, func(a, b string) int {
		return cmp.Compare(op.prefer.Quality(mediaTypeOf(b)), op.prefer.Quality(mediaTypeOf(a)))
	})
	return wtypes
}

// item returns a menu item for one type of a hit, without title and URL.
func (op *operation) item(h *hit, wtype string) scheme.Item {
	item := scheme.Item{Kind: scheme.KindObject, Type: mediaTypeOf(wtype), Size: -1, ModTime: h.time(), Fields: h.fields(wtype)}
	if wtype == wtypeURL {
		item.Kind, item.Type = scheme.KindUnknown, ""
	}
	if wtype == h.Wtypes[0] && wtype != wtypeURL {
		item.Size = h.Length // the length applies only to the first type
	}
	return item
}

// hitURL returns the URL of a hit in the given type. If wtype is URL, the headline of the hit
// contains the URL.
func (op *operation) hitURL(h *hit, wtype string) (locus.URL, error) {
	if wtype == wtypeURL {
		return locus.Parse(strings.Trim(h.Headline, blanks))
	}
	if err := checkDocument(h.ID, wtype); err != nil {
		return locus.URL{}, err
	}
	p := op.parts()
	p.Document = &Document{Wtype: wtype}
	if fields, ok := h.ID.Fields(); ok {
		p.Document.Fields = fields
	} else {
		p.Document.Wpath = string(h.ID)
	}
	x, err := p.URL()
	if err != nil {
		return locus.URL{}, err
	}
	if id, ok := x.DocumentID(); !ok || id != h.ID {
		return locus.URL{}, errors.New("a URL can't express its document-id")
	}
	return x.url, nil
}

// noURLNote returns the message of err, without the full text of an invalid URL.
func noURLNote(err error) string {
	text := strings.TrimPrefix(err.Error(), "wais: ")
	if e := (*locus.SyntaxError)(nil); errors.As(err, &e) {
		text = e.Err.Error()
	}
	return "no link: " + text
}

func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), ", ")
}

func (h *hit) note() string {
	score := ""
	switch {
	case h.Score == 0:
		score = "not a hit"
	case h.Score > 0:
		score = fmt.Sprintf("score %d", h.Score)
	}
	return joined(score, countOf(h.Lines, "line"))
}

// countOf returns the number n and the noun as text. If the number is unknown, it returns "".
func countOf(n int64, noun string) string {
	switch {
	case n < 0:
		return ""
	case n == 1:
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

func (h *hit) fields(wtype string) []scheme.Field {
	list := make([]scheme.Field, 0, 7)
	if h.Score >= 0 {
		list = append(list, scheme.Field{Name: "score", Value: int(h.Score)})
	}
	if h.Lines >= 0 {
		list = append(list, scheme.Field{Name: "lines", Value: int(h.Lines)})
	}
	list = append(list, scheme.Field{Name: "wtype", Value: wtype}, scheme.Field{Name: "wtypes", Value: h.Wtypes})
	if h.Source != "" {
		list = append(list, scheme.Field{Name: "source", Value: h.Source})
	}
	if h.Date != "" {
		list = append(list, scheme.Field{Name: "date", Value: h.Date})
	}
	return list
}

// time returns the date of a hit. If the date is missing or invalid, it returns the zero time.
// Two-digit years mean 1969 to 2068.
func (h *hit) time() time.Time {
	for _, layout := range [...]string{"060102", "20060102"} {
		if len(h.Date) == len(layout) {
			t, _ := time.Parse(layout, h.Date)
			return t
		}
	}
	return time.Time{}
}

func (s *source) items() (list []scheme.Item) {
	for line := range strings.Lines(strings.Trim(s.Description, "\r\n")) {
		list = append(list, infoItem(strings.TrimRight(line, blanks)))
	}
	if s.Maintainer != "" {
		list = append(list, infoItem("Maintainer: "+s.Maintainer))
	}
	if cost := strings.Trim(s.Cost+" "+s.CostUnit, " "); cost != "" {
		if s.CostUnit == "free" {
			cost = "free"
		}
		list = append(list, infoItem("Cost: "+cost))
	}
	return list
}
