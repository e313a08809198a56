package browse

import "github.com/locus-url/locus/internal/term"

// tab is a history of pages.
type tab struct {
	entries []*entry
	at      int      // index of the shown entry
	loading *loading // may be nil
}

// entry is a page in a history. If the browser dropped the page to save memory, it loads the page
// again.
type entry struct {
	place    place
	title    string
	page     *page // nil if the browser dropped the page
	top      int   // first line on the screen
	selected int   // selected link, or noLink
	cursor   int   // line of the cursor if no link is selected
	fresh    bool  // the browser has not yet shown the page
}

const (
	maxEntries    = 500      // maximum number of entries in a history
	maxPages      = 20       // maximum number of pages in a history that keep their text
	maxPageSource = 32 << 20 // maximum total size of these pages, in bytes
	maxTabs       = 20
)

// newEntry returns an entry for a place that the browser is about to open.
func newEntry(pl place) *entry {
	return &entry{place: pl, title: pl.shown(), page: &page{title: pl.shown()}, selected: noLink, fresh: true}
}

// opener returns the opener for URLs that the user types while the entry is shown.
func (e *entry) opener() opener { return e.place.opener }

// push adds a history entry after the current entry, and removes all later entries.
func (t *tab) push(e *entry) {
	if len(t.entries) > 0 {
		t.entries = t.entries[:t.at+1]
	}
	t.entries = append(t.entries, e)
	if n := len(t.entries) - maxEntries; n > 0 {
		t.entries = append([]*entry(nil), t.entries[n:]...)
	}
	t.at = len(t.entries) - 1
}

// forget drops the text of some pages if the history exceeds its limits. It begins with the pages
// that are farthest from the entry e.
func (t *tab) forget(e *entry) {
	pages, kept := 0, 0
	for distance := range len(t.entries) {
		for _, i := range []int{t.at - distance, t.at + distance} {
			if i < 0 || i >= len(t.entries) || distance == 0 && i != t.at {
				continue
			}
			other := t.entries[i]
			if other.page == nil || distance == 0 && pages > 0 {
				continue
			}
			pages++
			kept += other.page.size()
			if other != e && (pages > maxPages || kept > maxPageSource) {
				other.page = nil
			}
		}
	}
}

// size returns the approximate memory use of the page in bytes.
func (p *page) size() int { return 3*len(p.octets) + 200*len(p.blocks) + 400*len(p.links) }

func (m *model) stop(t *tab) {
	if l := t.loading; l != nil {
		l.canceled = true
		l.cancel()
		t.loading = nil
	}
}

// halt stops loading. The browser then shows the part of the page that has arrived.
func (m *model) halt() {
	if l := m.tab().loading; l != nil {
		l.canceled = true
		l.cancel()
		m.say("Stopped")
	}
}

func (m *model) back() { m.move(-1, "This is the first page") }

func (m *model) forward() { m.move(1, "This is the last page") }

func (m *model) move(by int, end string) {
	t := m.tab()
	if t.loading != nil && by < 0 {
		m.stop(t)
		m.say("Stopped")
		return
	}
	to := t.at + by
	if to < 0 || to >= len(t.entries) {
		m.say(end)
		return
	}
	t.at = to
	m.found = found{}
	m.reopen(t)
}

// reopen loads the current entry of the tab t again if the browser dropped its page.
func (m *model) reopen(t *tab) {
	e := t.entries[t.at]
	if e.page != nil {
		e.page.lay(m.width)
		m.settle(e)
		return
	}
	e.page = &page{place: e.place, title: e.title}
	e.page.addText(faint, "Reloading ...")
	m.open(t, e.place, e)
}

func (m *model) reload() {
	e := m.current()
	m.open(m.tab(), e.place, e)
}

// safeTitle returns the title of an entry as one line, escaped for the terminal.
func (e *entry) safeTitle() string {
	if e.title != "" {
		return e.title
	}
	return term.Safe(e.place.shown())
}
