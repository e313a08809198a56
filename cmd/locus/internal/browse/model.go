package browse

import (
	"context"
	"strings"
	"sync"
	"time"

	tea "charm.land/bubbletea/v2"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme"
)

// model is the state of the browser, a [tea.Model]. Only Update modifies it.
type model struct {
	app      *base.App
	ctx      context.Context
	opener   opener // opens URLs that the user types
	marks    bookmarks
	colors   bool
	mouse    bool
	archived *archivedList // may be nil

	tabs    []*tab
	at      int // index of the tab on the screen
	width   int
	height  int
	prompt  *prompt
	message string // message on the last line but one, until the next key
	digits  string // digits of a link number that the user has typed so far
	letters string // while the user chooses a link, one letter for each link on the screen
	search  string
	found   found
	status  int // exit status
	saves   sync.WaitGroup

	next      []tea.Cmd // commands to run after Update
	do        terminal
	elsewhere func(locus.URL) error
	tick      func(time.Duration, func(time.Time) tea.Msg) tea.Cmd
	tour      func() (*page, error)
}

// terminal holds the functions that need the terminal itself.
type terminal interface {
	// converse runs and closes a session. The parameter safe selects the filter of "locus open
	// --safe".
	converse(ctx context.Context, s *scheme.Session, safe bool) error
	// compose lets the user write a mail message.
	compose(ctx context.Context, u locus.URL) error
}

func (m *model) tab() *tab { return m.tabs[m.at] }

// current returns the history entry that the tab shows, which always exists.
func (m *model) current() *entry { return m.tab().entries[m.tab().at] }

// Init implements [tea.Model]. It opens the first page.
func (m *model) Init() tea.Cmd {
	e := m.current()
	m.open(m.tab(), e.place, e)
	return m.commands()
}

// Update implements [tea.Model].
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.resize(msg.Width, msg.Height)
	case tea.KeyPressMsg:
		m.key(msg)
	case tea.PasteMsg:
		if m.prompt != nil {
			m.prompt.insert(msg.Content)
		}
	case tea.MouseClickMsg:
		m.click(tea.Mouse(msg))
	case tea.MouseWheelMsg:
		switch msg.Button {
		case tea.MouseWheelUp:
			m.scroll(-3)
		case tea.MouseWheelDown:
			m.scroll(3)
		}
	case loadedMsg:
		m.loaded(msg)
	case tickMsg:
		if m.tab().loading != nil {
			m.later(m.ticking())
		}
	case tourMsg:
		m.say("")
		m.visit(place{opener: m.opener, name: "tour", own: func() *page { return msg.page }})
	case saidMsg:
		m.say(string(msg))
	case terminalMsg:
		m.later(tea.Exec(msg, msg.ended))
	}
	return m, m.commands()
}

// later adds a command to the commands that Update returns.
func (m *model) later(c tea.Cmd) { m.next = append(m.next, c) }

func (m *model) commands() tea.Cmd {
	list := m.next
	m.next = nil
	return tea.Batch(list...)
}

// say shows a message until the user presses a key. The message must be safe for the terminal.
func (m *model) say(text string) { m.message = text }

type saidMsg string

// terminalMsg requests exclusive use of the terminal for a function. It implements
// [tea.ExecCommand].
type terminalMsg struct {
	screen
	run func() error
}

func (t terminalMsg) Run() error { return t.run() }

// ended returns a message that shows the error of the function run, if any.
func (terminalMsg) ended(err error) tea.Msg {
	if err == nil {
		return nil
	}
	return saidMsg(messageOf(err))
}

// loadedMsg is a loaded page, or a session.
type loadedMsg struct {
	tab     *tab
	loading *loading
	page    *page
	session *access.Result
}

type tickMsg struct{}

// tickTime is the interval between updates of the progress.
const tickTime = 200 * time.Millisecond

func (m *model) ticking() tea.Cmd {
	return m.tick(tickTime, func(time.Time) tea.Msg { return tickMsg{} })
}

// open opens a place in a tab. The parameter back is a history entry whose page the browser
// dropped, or nil for a new entry.
func (m *model) open(t *tab, pl place, back *entry) {
	m.stop(t)
	if !pl.url.IsZero() && pl.opener.Registry().Scheme(pl.url).Traits.Has(scheme.Composes) {
		m.compose(pl)
		return
	}
	ctx, cancel := context.WithCancel(m.ctx)
	l := &loading{place: pl, ctx: ctx, cancel: cancel, back: back}
	t.loading = l
	if pl.own != nil {
		p, _ := l.load()
		m.loaded(loadedMsg{tab: t, loading: l, page: p})
		return
	}
	m.later(func() tea.Msg {
		p, session := l.load()
		return loadedMsg{t, l, p, session}
	})
	m.later(m.ticking())
}

// visit opens a place (a page that the browser can show) in the current tab.
func (m *model) visit(pl place) {
	if e := m.current(); e.page != nil && pl.isSame(e.place) {
		if name, ok := pl.url.Fragment(); ok && m.jump(e, name) {
			return
		}
	}
	m.open(m.tab(), pl, nil)
}

// jump scrolls to the fragment of a page.
func (m *model) jump(e *entry, name string) bool {
	block, ok := e.page.anchor[scheme.Decoded(name)]
	if ok {
		e.page.lay(m.width)
		e.top = e.page.lineOf(block, 0)
		m.settle(e)
		m.selectVisible(e, 1)
	}
	return ok
}

// compose lets the user write a mail message at the terminal.
func (m *model) compose(pl place) {
	m.later(func() tea.Msg {
		return terminalMsg{run: func() error { return m.do.compose(m.ctx, pl.url) }}
	})
}

// loaded shows a loaded page, or runs a session.
func (m *model) loaded(msg loadedMsg) {
	l, t := msg.loading, msg.tab
	isCurrent := t.loading == l
	if isCurrent {
		t.loading = nil
	}
	switch {
	case msg.session != nil && isCurrent && m.tab() == t:
		m.later(m.converse(msg.session, l))
		return
	case msg.session != nil:
		msg.session.Close()
		l.cancel()
		return
	}
	l.cancel()
	// If the user stopped the request, show the part of the page that arrived, if any.
	if !isCurrent || l.canceled && len(msg.page.octets) == 0 && l.items.Load() == 0 {
		return
	}
	e := l.back
	if e == nil {
		e = &entry{place: l.place, fresh: true}
		t.push(e)
	}
	e.page, e.title = msg.page, msg.page.title
	fresh := e.fresh
	e.fresh = false
	m.found = found{}
	if fresh {
		m.first(e)
	}
	e.page.lay(m.width)
	m.settle(e)
	t.forget(e)
	if name, ok := l.place.url.Fragment(); ok && fresh {
		m.jump(e, name)
	}
	if m.tab() == t {
		if e.page.note != "" {
			m.say(e.page.note)
		}
		if f := e.page.form; f != nil && len(e.page.links) == 2 && fresh && m.prompt == nil {
			// Prompt for the query of a search without waiting for a key.
			e.page.links[0].act(m)
		}
	}
}

// converse runs a session at the terminal.
func (m *model) converse(r *access.Result, l *loading) tea.Cmd {
	return func() tea.Msg {
		return terminalMsg{run: func() error {
			defer l.cancel()
			// Use the safe filter for a link, because the user did not choose its
			// host.
			return m.do.converse(l.ctx, r.Resource.(*scheme.Session), l.place.from != nil)
		}}
	}
}

// typed opens the URL that the user typed.
func (m *model) typed(text string) {
	text = strings.TrimSpace(text)
	if text == "" {
		return
	}
	u, err := locus.ParseWrapped(text)
	mistake := err
	if err == nil && !m.opener.Registry().Known(u) {
		mistake = scheme.ErrNoScheme // perhaps a host and its port
	}
	meant, _ := m.app.Meant(text, mistake)
	if err == nil && meant.IsZero() {
		m.visit(place{opener: m.opener, url: u})
		return
	}
	if path := m.app.ExpandHome(text); strings.HasPrefix(path, "/") {
		if u, err := base.FileURL(path); err == nil {
			m.visit(place{opener: m.opener, url: u})
			return
		}
	}
	if !meant.IsZero() {
		m.say("Not a URL. Press Enter to open:")
		m.ask(prompt{label: "Go to: ", done: (*model).typed}, meant.String())
		return
	}
	m.say("Not a URL: " + messageOf(err))
}

// resize computes the lines for a new screen size. The text at the top of the screen remains at
// the top.
func (m *model) resize(width, height int) {
	m.width, m.height = width, height
	for _, t := range m.tabs {
		e := t.entries[t.at]
		if e.page == nil {
			continue
		}
		var first line
		if e.top < len(e.page.lines) {
			first = e.page.lines[e.top]
		}
		e.page.lay(width)
		if first.block > 0 || first.offset > 0 {
			e.top = e.page.lineOf(first.block, first.offset)
		}
		m.settle(e)
	}
}
