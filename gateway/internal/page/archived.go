package page

import (
	"fmt"
	"io"
	"time"
)

// archivedTimes is the data for the banner on the page of an archived resource.
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

// stampLayout is the time layout of Show.At.
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
		if link := g.pagePath(g.h.URL, s); link != "" {
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

// Index is a page with links to archived resources.
type Index struct {
	Title, Text string
	Examples    []IndexEntry // URLs to show first on the page
	Entries     []IndexEntry
	Next        string // link to the next page; empty on the last page
}

// IndexEntry is a link in an [Index]. The Printer escapes its texts.
type IndexEntry struct {
	Text, Link, Note string
	Time             time.Time // capture time; optional
}

// Index writes a page with links to archived resources.
func (p *Printer) Index(w io.Writer, h *Head, list Index) error {
	g := p.beginPage(w, h, nil, kindArchive, list.Title)
	g.writePiece("index", list)
	return g.endPage(nil)
}
