package browse

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/advice"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/internal/tour"
)

// show opens a page that the browser itself creates.
func (m *model) show(name string, make func() *page) {
	m.visit(place{opener: m.current().opener(), name: name, own: make})
}

// home returns the page with the bookmarks and the tour.
func (m *model) home() place {
	return place{opener: m.opener, name: "bookmarks", own: func() *page {
		p := &page{title: "Locus: bookmarks and the tour"}
		if m.archived != nil {
			p.addLink("Archived pages", link{place: m.archived.hosts("")})
			p.addText(plain, "")
		}
		p.addText(bold, "Bookmarks")
		list, err := m.marks.read()
		switch {
		case err != nil:
			p.addText(plain, messageOf(err))
		case len(list) == 0:
			p.addText(faint, "(none: press a to bookmark a page, g to go to a URL)")
		}
		for i, b := range list {
			title := term.Safe(b.Title)
			if title == "" {
				title = term.Safe(b.URL.Shown())
			}
			p.addLink(title, link{place: place{opener: m.opener, url: b.URL}})
			p.marks = append(p.marks, i)
		}
		p.addText(plain, "")
		p.addText(bold, "The tour")
		p.addLink("Demo servers for each scheme, inside this program; they need no network", link{label: "Enter starts the servers", act: (*model).startTour})
		p.addText(plain, "")
		p.addText(faint, "? shows the keys.")
		return p
	}}
}

// startTour starts the servers of the tour, unless they are running, and shows the stops of the
// tour.
func (m *model) startTour() {
	m.say("Starting the servers ...")
	m.later(func() tea.Msg {
		p, err := m.tour()
		if err != nil {
			return saidMsg(messageOf(err))
		}
		return tourMsg{p}
	})
}

type tourMsg struct{ page *page }

// tourPage returns a page that lists the stops of the tour.
func tourPage(o opener, rooms []tour.Server) *page {
	p := &page{title: "The tour"}
	for i, room := range rooms {
		if i > 0 {
			p.addText(plain, "")
		}
		p.addText(bold, term.Safe(room.Name))
		p.addText(plain, term.Safe(room.About))
		for _, stop := range room.Stops {
			to := place{opener: o, url: stop.URL}
			if !stop.From.IsZero() {
				to.from = &access.Result{URL: stop.From}
			}
			p.addLink(term.Safe(stop.Title), link{place: to}).detail = fmt.Sprintf("%-18s  ", term.Safe(stop.Name))
		}
	}
	return p
}

func (m *model) history() {
	t := m.tab()
	entries := append([]*entry(nil), t.entries...)
	m.show("history", func() *page {
		p := &page{title: "History"}
		for i := len(entries) - 1; i >= 0; i-- {
			e := entries[i]
			if !e.place.url.IsZero() {
				p.addLink(e.safeTitle()+"  "+e.place.shown(), link{place: e.place})
			}
		}
		if len(p.blocks) == 0 {
			p.addText(faint, "(empty)")
		}
		return p
	})
}

func (m *model) help() {
	m.show("keys", func() *page {
		p := &page{title: "Keys"}
		for _, b := range bindings() {
			var names []string
			for _, key := range b.keys {
				names = append(names, keyName(key))
			}
			p.addText(plain, fmt.Sprintf("%-22s %s", strings.Join(names, " "), b.text))
			p.blocks[len(p.blocks)-1].indent = 23
		}
		p.addText(plain, "", "Mouse: click opens a link, the wheel scrolls, the right button goes back.")
		return p
	})
}

// keyName returns the display name of a key.
func keyName(key string) string {
	if len(key) == 1 {
		return key
	}
	name := ""
	for i, part := range strings.Split(key, "+") {
		if i > 0 {
			name += "-"
		}
		name += strings.ToUpper(part[:1]) + part[1:]
	}
	return name
}

// source shows the source of the page.
func (m *model) source() {
	e := m.current()
	p := e.page
	if !p.whole || p.octets == nil {
		m.say("The page has no source")
		return
	}
	octets, mediaType := p.octets, p.mediaType
	m.show("source of "+e.place.shown(), func() *page {
		s := &page{title: "Source of " + e.safeTitle(), octets: octets, mediaType: mediaType, whole: true}
		for text := range strings.SplitSeq(strings.TrimSuffix(lineEnds(decode(mediaType, octets)), "\n"), "\n") {
			s.addText(plain, expandTabs(text))
		}
		return s
	})
}

// conversation shows the transcript of the page.
func (m *model) conversation() {
	e := m.current()
	lines := e.page.trace
	m.show("transcript of "+e.place.shown(), func() *page {
		p := &page{title: "Transcript: sent (>) and received (<)"}
		p.addText(plain, lines...)
		if len(lines) == 0 {
			p.addText(faint, "Nothing was sent for this page.")
		}
		return p
	})
}

// parts shows the parts of two URLs: the URL of the selected link and the URL of the page.
func (m *model) parts() {
	e := m.current()
	var list []place
	if !e.place.url.IsZero() {
		list = append(list, e.place)
	}
	if l := m.chosen(); l != nil && !l.place.url.IsZero() {
		list = append(list, l.place)
	}
	if len(list) == 0 {
		m.say("The page has no URL")
		return
	}
	shown := e.page
	m.show("parts of "+list[0].shown(), func() *page {
		p := &page{title: "Parts of the URL"}
		for i, pl := range list {
			if i == 0 && !e.place.url.IsZero() {
				p.addText(bold, "This page")
			} else {
				p.addText(plain, "")
				p.addText(bold, "The link")
			}
			p.addURL(pl)
		}
		p.addFacts(shown)
		return p
	})
}

// addURL adds the parts of a URL and the rules that the URL violates.
func (p *page) addURL(pl place) {
	p.addText(plain, pl.shown())
	if pl.hidden {
		return
	}
	r, u := pl.opener.Registry(), pl.url
	for _, s := range r.Spans(u) {
		text := s.Text
		if s.Name == "password" {
			text = "***"
		}
		if s.Name != "" {
			p.addText(plain, fmt.Sprintf("  %-12s %s", term.Safe(s.Name), term.Safe(text)))
		}
	}
	if fields, err := r.Fields(u); err == nil {
		for _, f := range fields {
			if f.Value != nil && f.Name != "password" {
				p.addText(plain, fmt.Sprintf("  %-12s %s (decoded)", term.Safe(f.Name), term.Safe(f.Text())))
			}
		}
	}
	for _, v := range advice.Findings(r, u, locus.RFC1738) {
		p.addText(plain, fmt.Sprintf("  %s: %s", term.Safe(v.Rule), term.Safe(locus.MaskText(v.Help))))
	}
	origin := "typed"
	if pl.from != nil {
		origin = "a link in " + term.Safe(pl.from.URL.Shown())
	}
	p.addText(plain, "  "+fmt.Sprintf("%-12s %s", "origin", origin))
}

// addFacts adds the properties of the resource that the page shows.
func (p *page) addFacts(of *page) {
	if of.result == nil {
		return
	}
	p.addText(plain, "")
	p.addText(bold, "The resource")
	if of.mediaType != "" {
		p.addText(plain, fmt.Sprintf("  %-12s %s", "type", term.Text(of.mediaType)))
	}
	if len(of.octets) > 0 {
		p.addText(plain, fmt.Sprintf("  %-12s %s", "size", human.Size(int64(len(of.octets)))))
	}
	if of.place.hidden {
		return
	}
	for i, hop := range of.result.Hops {
		if len(of.result.Hops) > 1 {
			p.addText(plain, fmt.Sprintf("  %-12s %s", fmt.Sprintf("request %d", i+1), term.Safe(hop.Shown())))
		}
	}
}
