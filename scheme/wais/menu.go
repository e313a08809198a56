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

// listing is what a menu shows: head, the hits of reply from the first on, of which
// most were asked for, and behind what is good the diagnostics.
type listing struct {
	head        []scheme.Item
	reply       *SearchReply
	first, most int
	links       bool // source descriptions lead to the databases that they describe
}

// menu shows a listing. It has the form for another search.
func (j *job) menu(title, words string, l *listing) *scheme.Menu {
	return &scheme.Menu{URL: j.url.url, Title: title, Form: j.form(words), Items: j.items(l)}
}

func (j *job) items(l *listing) iter.Seq2[scheme.Item, error] {
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
		for i := l.first - 1; i < len(l.reply.Hits); i++ {
			h := &l.reply.Hits[i]
			if !all(j.appendHit(room[:0], h)) {
				return
			}
			if sources == 0 || h.Score == 0 || !slices.Contains(h.Wtypes, wtypeSource) {
				continue
			}
			item, err := j.database(h)
			switch {
			case j.ctx.Err() != nil:
				yield(scheme.Item{}, err)
				return
			case err != nil && !errors.Is(err, scheme.ErrNotFound) && !errors.Is(err, locus.ErrValue):
				sources = 0 // the next would not be there either
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

// maxSources is how many source descriptions of one menu are fetched, and
// maxLinkedSource how many octets one has at most.
const (
	maxSources      = 40
	maxLinkedSource = 64 << 10
)

// database returns the item of the database that a source description describes. With
// an error it says that there is none.
func (j *job) database(h *Hit) (scheme.Item, error) {
	var s *Source
	err := j.run(func(x *exchange) (err error) {
		defer x.end()
		s, err = j.readSource(x, h.ID, maxLinkedSource)
		return err
	})
	var u locus.URL
	if err == nil {
		u, err = s.locator(j.url.url)
	}
	title := cmp.Or(h.Headline, h.ID.LocalID())
	if err != nil {
		return infoItem("The database of " + title + " can't be linked: " + strings.TrimPrefix(err.Error(), "wais: ")), err
	}
	return scheme.Item{URL: u, Title: cmp.Or(s.Database, title), Kind: scheme.KindSearch, Size: -1, Note: "the database that " + title + " describes"}, nil
}

// locator returns the URL of the database that s describes. A description without an
// address is one of the server that gave it.
func (s *Source) locator(server locus.URL) (locus.URL, error) {
	p := Parts{Host: cmp.Or(s.IPName, s.IPAddress), Port: s.Port, Database: s.Database}
	if p.Host == "" {
		p.Host = server.Host()
		if p.Port == 0 {
			p.Port, _ = server.Port()
		}
	}
	if p.Port == Port {
		p.Port = 0
	}
	x, err := p.URL()
	return x.url, err
}

// tail is what stands behind the hits.
func (l *listing) tail() (list []scheme.Item) {
	n := len(l.reply.Hits)
	switch {
	case n >= l.most:
		list = append(list, infoItem(fmt.Sprintf("There may be more: no more than %d were asked for.", l.most)))
	case n < l.first && n > 0:
		list = append(list, infoItem("There are no more than "+countOf(int64(n), "hit")+"."))
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
