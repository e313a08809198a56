package page

import (
	"fmt"
	"io"
	"time"
)

// archivedTimes is the banner of a page whose resource was kept.
type archivedTimes struct {
	Time  time.Time
	Links []archivedLink
	All   string
	Count string
}

type archivedLink struct {
	Name, Link string
	Time       time.Time
}

// stampLayout is that of Show.At.
const stampLayout = "20060102150405"

func (g *page) archivedTimes() *archivedTimes {
	k := g.h.Archived
	if k == nil {
		return nil
	}
	d := &archivedTimes{Time: k.Time, All: k.All, Count: "once"}
	if k.Count > 1 {
		d.Count = fmt.Sprintf("%d times", k.Count)
	}
	add := func(name string, t time.Time) {
		if t.IsZero() || t.Equal(k.Time) {
			return
		}
		s := g.h.Show
		s.At = t.UTC().Format(stampLayout)
		if link := g.link(g.h.URL, s); link != "" {
			d.Links = append(d.Links, archivedLink{name, link, t})
		}
	}
	if !k.First.Equal(k.Prev) {
		add("First", k.First)
	}
	add("Earlier", k.Prev)
	add("Later", k.Next)
	if !k.Last.Equal(k.Next) {
		add("Last", k.Last)
	}
	return d
}

// Index is a page of links to what was kept.
type Index struct {
	Title, Text string
	Examples    []IndexEntry // to begin with
	Entries     []IndexEntry
	Next        string // the link to the page with what follows; empty: nothing does
}

// IndexEntry is a link of an [Index]. The texts need not be safe.
type IndexEntry struct {
	Text, Link, Note string
	Time             time.Time // zero: none
}

// Index writes a page of links to what was kept.
func (p *Printer) Index(w io.Writer, h *Head, list Index) error {
	g := p.begin(w, h, nil, kindArchive, list.Title)
	g.put("index", list)
	return g.end(nil)
}
