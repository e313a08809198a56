package browse

import (
	"fmt"
	"io"
	"os"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

// linkAt returns the link at a screen position. The link of a list item covers the whole line.
func (m *model) linkAt(e *entry, x, y int) (link int, ok bool) {
	i := e.top + y - 1
	if y < 1 || y > m.body() || i >= len(e.page.lines) {
		return 0, false
	}
	l := e.page.lines[i]
	column := term.Width(l.prefix)
	for _, r := range l.runs {
		if column += term.Width(r.text); x < column {
			return r.link, r.link != noLink && (x >= column-term.Width(r.text) || e.page.blocks[l.block].isItem())
		}
	}
	return 0, false
}

func (m *model) askURL(initial string) {
	m.ask(prompt{label: "Go to: ", done: (*model).typed}, initial)
}

// editable returns the URL of the page as text that the user can edit. The text contains no secret
// answers.
func (m *model) editable() string {
	if e := m.current(); !e.place.url.IsZero() && !e.place.hidden {
		return e.place.url.WithoutPassword().String()
	}
	return ""
}

// up opens the parent menu of the page, which the scheme of the URL defines.
func (m *model) up() {
	e := m.current()
	if !e.place.url.IsZero() {
		list := e.opener().Registry().Parents(e.page.base())
		for i := len(list) - 1; i >= 0; i-- {
			if u := list[i].URL; !u.IsZero() {
				// The parent URL has the same link origin as the URL of the page.
				m.visit(place{opener: e.opener(), url: u, from: e.place.from})
				return
			}
		}
	}
	m.say("There is no menu above this page")
}

func (m *model) askSearch() {
	m.ask(prompt{label: "Find: ", done: func(m *model, text string) {
		if text != "" {
			m.search, m.found = text, found{}
		}
		m.find(1)
	}}, "")
}

// copyable returns the URL of a place if the browser may show the URL. Otherwise copyable shows a
// message with the reason and returns false.
func (m *model) copyable(pl place) (u locus.URL, ok bool) {
	switch {
	case pl.url.IsZero():
		m.say("This item has no URL")
	case pl.hidden:
		m.say("The URL contains a hidden answer")
	default:
		return pl.url.WithoutPassword(), true
	}
	return u, false
}

// chosenURL returns the URL of the selected link.
func (m *model) chosenURL() (u locus.URL, ok bool) {
	l := m.chosen()
	if l == nil {
		m.say("No link is selected")
		return u, false
	}
	return m.copyable(l.place)
}

func (m *model) yankLink() { m.yank(m.chosenURL()) }
func (m *model) yankPage() { m.yank(m.copyable(m.current().place)) }

// yank copies a URL to the clipboard of the terminal (OSC 52).
func (m *model) yank(u locus.URL, ok bool) {
	if ok {
		m.later(tea.SetClipboard(u.String()))
		m.say("Copied, if the terminal allows it: " + term.Safe(u.Shown()))
	}
}

func (m *model) openLinkElsewhere() { m.openElsewhere(m.chosenURL()) }
func (m *model) openPageElsewhere() { m.openElsewhere(m.copyable(m.current().place)) }

func (m *model) openElsewhere(u locus.URL, ok bool) {
	if !ok {
		return
	}
	if err := m.elsewhere(u); err != nil {
		m.say(messageOf(err))
		return
	}
	m.say("Opened in another program: " + term.Safe(u.Shown()))
}

// newTab opens the selected link in a new tab, which becomes the current tab.
func (m *model) newTab() {
	l := m.chosen()
	switch {
	case l == nil || l.act != nil:
		m.say("No link is selected")
		return
	case len(m.tabs) >= maxTabs:
		m.say(fmt.Sprintf("%d tabs are already open; x closes one", maxTabs))
		return
	}
	t := &tab{}
	first := newEntry(l.place)
	t.push(first)
	m.tabs = append(m.tabs, t)
	m.turnTo(len(m.tabs) - 1)
	m.open(t, l.place, first)
}

func (m *model) turn(by int) {
	n := len(m.tabs)
	if n == 1 {
		m.say("There is only one tab; t opens a link in a new one")
		return
	}
	m.turnTo((m.at + by + n) % n)
}

func (m *model) turnTo(i int) {
	m.at = i
	m.found = found{}
	m.settle(m.current())
	if m.tab().loading != nil {
		m.later(m.ticking())
	}
}

// closeTab closes the current tab. If it is the last tab, the browser ends.
func (m *model) closeTab() {
	m.stop(m.tab())
	if len(m.tabs) == 1 {
		m.say("This is the last tab; q quits")
		return
	}
	m.tabs = append(m.tabs[:m.at:m.at], m.tabs[m.at+1:]...)
	m.turnTo(min(m.at, len(m.tabs)-1))
}

// save prompts for a file name and saves the page.
func (m *model) save() {
	e := m.current()
	name := "page.txt"
	if !e.place.url.IsZero() {
		if n := transfer.Name(e.opener().Registry(), e.page.base()); n != "" {
			name = n
		}
	}
	m.ask(prompt{label: "Save to: ", done: func(m *model, text string) {
		if text == "" {
			return
		}
		m.saveTo(e, m.app.ExpandHome(text))
	}}, name)
}

// saveTo writes the source bytes of the page to a new file. If there are no source bytes, it
// writes the displayed text.
func (m *model) saveTo(e *entry, path string) {
	p, ctx := e.page, m.ctx
	m.say("Saving to " + term.Safe(path))
	m.saves.Add(1)
	m.later(func() tea.Msg {
		defer m.saves.Done()
		f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
		if err != nil {
			return saidMsg(messageOf(err))
		}
		counter := &countWriter{w: f}
		err = p.write(counter, func(w io.Writer) error {
			result, err := e.opener().Do(ctx, access.Request{URL: e.place.url, From: e.place.from})
			if err != nil {
				return err
			}
			defer result.Close()
			o, ok := result.Resource.(*scheme.Object)
			if !ok {
				return fmt.Errorf("%w: the URL no longer returns an object", scheme.ErrUnsupported)
			}
			_, err = transfer.Copy(ctx, w, o, nil)
			return err
		})
		if err2 := f.Close(); err == nil {
			err = err2
		}
		if err != nil {
			os.Remove(path)
			return saidMsg("Not saved: " + messageOf(err))
		}
		return saidMsg(fmt.Sprintf("Saved %s to %s", human.Size(counter.n), term.Safe(path)))
	})
}

// write writes the page to w. If the page holds all source bytes, write writes these bytes. If the
// source bytes of an object are incomplete or missing, the function fetch writes them. For other
// pages, write writes the displayed text.
func (p *page) write(w io.Writer, fetch func(io.Writer) error) error {
	isObject := p.octets != nil || p.notRead
	switch {
	case p.whole && p.octets != nil:
		_, err := w.Write(p.octets)
		return err
	case isObject && p.place.part == "":
		return fetch(w)
	}
	for i := range p.blocks {
		b := &p.blocks[i]
		text := b.text()
		if b.isItem() {
			text += "\t" + p.links[b.runs[0].link].place.shown()
		}
		if _, err := io.WriteString(w, strings.TrimRight(text, " \t")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// countWriter counts the bytes that its caller writes.
type countWriter struct {
	w io.Writer
	n int64
}

func (c *countWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	c.n += int64(n)
	return n, err
}
