package browse

import (
	"strings"

	"github.com/locus-url/locus/internal/term"
)

// body returns the number of screen lines that are available for the text of the page.
func (m *model) body() int { return max(m.height-3, 1) }

// settle adjusts the first visible line and the cursor so that both are within the page.
func (m *model) settle(e *entry) {
	p := e.page
	p.lay(m.width)
	e.top = max(min(e.top, len(p.lines)-m.body()), 0)
	if e.selected >= len(p.links) {
		e.selected = noLink
	}
	e.cursor = max(min(e.cursor, e.top+m.body()-1, len(p.lines)-1), e.top)
}

// first selects the first link on the first screen.
func (m *model) first(e *entry) {
	e.top, e.cursor, e.selected = 0, 0, noLink
	m.selectVisible(e, 1)
}

// isVisible reports whether a link begins on the screen.
func (m *model) isVisible(e *entry, link int) bool {
	if link == noLink {
		return false
	}
	_, _, ok := e.page.linkLine(link, e.top, e.top+m.body())
	return ok
}

// visible returns the links that begin on the screen, from top to bottom.
func (m *model) visible(e *entry) (list []int) {
	p := e.page
	p.lay(m.width)
	for i := e.top; i < min(e.top+m.body(), len(p.lines)); i++ {
		for _, r := range p.lines[i].runs {
			if r.link == noLink || len(list) > 0 && list[len(list)-1] == r.link {
				continue
			}
			if p.lines[i].offset > 0 && i == e.top {
				if _, _, ok := p.linkLine(r.link, 0, e.top); ok {
					continue
				}
			}
			list = append(list, r.link)
		}
	}
	return list
}

// selectVisible selects a link on the screen, unless the selected link is already on the screen.
// It selects the first link, or, if the value of by is negative, the last link.
func (m *model) selectVisible(e *entry, by int) {
	if m.isVisible(e, e.selected) {
		return
	}
	e.selected = noLink
	if list := m.visible(e); len(list) > 0 {
		e.selected = list[0]
		if by < 0 {
			e.selected = list[len(list)-1]
		}
	}
	e.cursor = e.top
}

// scroll scrolls the text by the given number of lines.
func (m *model) scroll(by int) {
	e := m.current()
	e.top += by
	m.settle(e)
	m.selectVisible(e, by)
}

// step selects the next or previous link if that link is on the screen. Otherwise it scrolls one
// line, and selects the link that becomes visible.
func (m *model) step(by int) {
	e := m.current()
	if n := e.selected + by; m.isVisible(e, e.selected) && n >= 0 && m.isVisible(e, n) {
		e.selected = n
		return
	}
	before := e.top
	e.top += by
	m.settle(e)
	if e.top == before {
		return
	}
	n := e.selected + by
	if e.selected == noLink {
		m.selectVisible(e, by)
	} else if n >= 0 && m.isVisible(e, n) {
		e.selected = n
	} else {
		m.selectVisible(e, by)
	}
}

// link selects the next or previous link, even if it is not on the screen.
func (m *model) link(by int) {
	e := m.current()
	n := len(e.page.links)
	if n == 0 {
		return
	}
	to := e.selected + by
	if e.selected == noLink {
		to = 0
		if by < 0 {
			to = n - 1
		}
	}
	m.choose(e, (to+n)%n)
}

// choose selects a link and scrolls to it.
func (m *model) choose(e *entry, link int) {
	e.selected = link
	if m.isVisible(e, link) {
		return
	}
	if at, _, ok := e.page.linkLine(link, 0, len(e.page.lines)); ok {
		e.top = at - m.body()/3
		m.settle(e)
	}
}

// end scrolls to the end of the page.
func (m *model) end() {
	e := m.current()
	e.top = len(e.page.lines)
	m.settle(e)
	e.selected = noLink
	m.selectVisible(e, -1)
}

// follow opens the selected link.
func (m *model) follow() {
	if l := m.chosen(); l == nil {
		m.say("No link is selected")
	} else if l.act != nil {
		l.act(m)
	} else {
		m.visit(l.place)
	}
}

// chosen returns the selected link, or nil.
func (m *model) chosen() *link {
	e := m.current()
	if e.selected == noLink || e.selected >= len(e.page.links) {
		return nil
	}
	return &e.page.links[e.selected]
}

// found is the position of a search match.
type found struct {
	ok         bool
	block      int
	start, end int // offsets in the text of the block
}

// find searches the page for the text m.search. If the value of by is 1, it searches forward from
// the last match; if the value is -1, it searches backward. The search wraps around at the ends of
// the page.
func (m *model) find(by int) {
	e := m.current()
	n := len(e.page.blocks)
	want := strings.ToLower(m.search)
	if want == "" || n == 0 {
		return
	}
	start := found{block: e.page.lines[e.top].block, end: 0, start: -1}
	if m.found.ok {
		start = m.found
	}
	for i := range n + 1 {
		b := ((start.block+by*i)%n + n) % n
		text := strings.ToLower(e.page.blocks[b].text())
		at := -1
		switch {
		case i == 0 && by > 0 && start.end <= len(text):
			if at = strings.Index(text[start.end:], want); at >= 0 {
				at += start.end
			}
		case i == 0 && by < 0:
			at = strings.LastIndex(text[:max(min(start.start, len(text)), 0)], want)
		case by > 0:
			at = strings.Index(text, want)
		case by < 0:
			at = strings.LastIndex(text, want)
		}
		if at >= 0 {
			m.showFound(e, found{true, b, at, at + len(want)})
			return
		}
	}
	m.found = found{}
	m.say("Not found: " + term.Safe(m.search))
}

// showFound scrolls to a match, and selects the link that contains the match.
func (m *model) showFound(e *entry, f found) {
	m.found = f
	at := e.page.lineOf(f.block, f.start)
	if at < e.top || at >= e.top+m.body() {
		e.top = at - m.body()/3
		m.settle(e)
	}
	e.cursor = at
	e.selected = noLink
	for _, r := range e.page.lines[at].runs {
		if r.link != noLink {
			e.selected = r.link
			break
		}
	}
}
