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

// menu shows an answer: head, the hits, and behind what is good the diagnostics. It
// has the form for another search.
func (j *job) menu(title, words string, head []scheme.Item, r *SearchReply) *scheme.Menu {
	return &scheme.Menu{URL: j.url.url, Title: title, Form: j.form(words), Items: j.items(head, r)}
}

func (j *job) items(head []scheme.Item, r *SearchReply) iter.Seq2[scheme.Item, error] {
	return func(yield func(scheme.Item, error) bool) {
		for _, item := range head {
			if !yield(item, nil) {
				return
			}
		}
		var room [4]scheme.Item
		for i := range r.Hits {
			for _, item := range j.appendHit(room[:0], &r.Hits[i]) {
				if !yield(item, nil) {
					return
				}
			}
		}
		for _, item := range j.tail(r) {
			if !yield(item, nil) {
				return
			}
		}
	}
}

// tail is what stands behind the hits.
func (j *job) tail(r *SearchReply) (list []scheme.Item) {
	if most := j.client.o.Max; len(r.Hits) >= most {
		list = append(list, infoItem(fmt.Sprintf("There may be more: no more than %d were asked for.", most)))
	}
	for _, d := range r.Diagnostics {
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

// appendHit appends the items of a hit: one for each of its types. A score of 0 says
// that the search found nothing, and the document is what is shown instead.
func (j *job) appendHit(list []scheme.Item, h *Hit) []scheme.Item {
	title := cmp.Or(h.Headline, h.ID.LocalID(), "(no title)")
	if h.Score == 0 {
		list = append(list, infoItem(title))
		title = "Catalogue"
	}
	for i, wtype := range j.ordered(h.Wtypes) {
		item := j.item(h, wtype)
		item.Title = title
		if i == 0 {
			item.Note = h.note()
		} else {
			item.Note = "the same document, as " + wtype
			item.Fields = append(item.Fields, scheme.Field{Name: "alternative", Value: true})
		}
		if u, err := j.hitURL(h, wtype); err != nil {
			item.Note = joined(item.Note, noURL(err))
		} else {
			item.URL = u
		}
		list = append(list, item)
	}
	return list
}

// ordered are types, the one that is wanted most first.
func (j *job) ordered(wtypes []string) []string {
	if j.prefer == (scheme.Preference{}) || len(wtypes) == 1 {
		return wtypes
	}
	wtypes = slices.Clone(wtypes)
	slices.SortStableFunc(wtypes, func(a, b string) int {
		return cmp.Compare(j.prefer.Quality(MediaType(b)), j.prefer.Quality(MediaType(a)))
	})
	return wtypes
}

// item is a hit as a document of one of its types, without its title and URL.
func (j *job) item(h *Hit, wtype string) scheme.Item {
	item := scheme.Item{Kind: scheme.KindObject, Type: MediaType(wtype), Size: -1, ModTime: h.time(), Fields: h.fields(wtype)}
	if wtype == wtypeURL {
		item.Kind, item.Type = scheme.KindUnknown, ""
	}
	if wtype == h.Wtypes[0] && wtype != wtypeURL {
		item.Size = h.Length // it is of the first type, and no other
	}
	return item
}

// hitURL returns the URL that fetches a document. That of the type URL is its
// headline.
func (j *job) hitURL(h *Hit, wtype string) (locus.URL, error) {
	if wtype == wtypeURL {
		return locus.Parse(strings.Trim(h.Headline, blanks))
	}
	if err := checkDocument(h.ID, wtype); err != nil {
		return locus.URL{}, err
	}
	p := j.parts()
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
		return locus.URL{}, errors.New("its document-id reads as another")
	}
	return x.url, nil
}

// noURL is why there is no URL, for people: of a text that is none they have no use
// for all of it.
func noURL(err error) string {
	text := strings.TrimPrefix(err.Error(), "wais: ")
	if e := (*locus.SyntaxError)(nil); errors.As(err, &e) {
		text = e.Part + ": " + e.Err.Error()
	}
	return "no URL: " + text
}

// joined are texts with commas between those that are not empty.
func joined(texts ...string) string {
	return strings.Join(slices.DeleteFunc(texts, func(text string) bool { return text == "" }), ", ")
}

// note is what is known of a hit, for people.
func (h *Hit) note() string {
	score := ""
	switch {
	case h.Score == 0:
		score = "not a hit"
	case h.Score > 0:
		score = fmt.Sprintf("score %d", h.Score)
	}
	return joined(score, countOf(h.Lines, "line"))
}

// countOf is a number of things; empty: it is not known.
func countOf(n int64, thing string) string {
	switch {
	case n < 0:
		return ""
	case n == 1:
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// fields are what is known of a hit, for programs.
func (h *Hit) fields(wtype string) []scheme.Field {
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

// time is the date of a hit, or the zero time if it is none. Years of two digits are
// those from 1969 on.
func (h *Hit) time() time.Time {
	for _, layout := range [...]string{"060102", "20060102"} {
		if len(h.Date) == len(layout) {
			t, _ := time.Parse(layout, h.Date)
			return t
		}
	}
	return time.Time{}
}

// items are what a source description says, line by line.
func (s *Source) items() (list []scheme.Item) {
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
