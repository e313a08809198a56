package browse

import (
	"fmt"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/locus-url/locus/internal/term"
)

// View implements [tea.Model]. It places the cursor on the selection, because a screen reader
// reads the line that contains the cursor.
func (m *model) View() tea.View {
	if m.width <= 0 || m.height <= 0 {
		return tea.NewView("")
	}
	e := m.current()
	e.page.lay(m.width)
	lines := []string{m.titleLine(e)}
	for i := e.top; i < e.top+m.body(); i++ {
		text := ""
		if i < len(e.page.lines) {
			text = m.bodyLine(e, i)
		}
		lines = append(lines, text)
	}
	last, cursor := m.lastLine()
	lines = append(lines, m.statusLine(e), last)
	v := tea.NewView(strings.Join(lines[:min(len(lines), m.height)], "\n"))
	v.AltScreen = true
	if m.mouse {
		v.MouseMode = tea.MouseModeCellMotion
	}
	v.WindowTitle = "locus: " + term.Truncate(e.safeTitle(), 100)
	if m.prompt != nil {
		v.Cursor = tea.NewCursor(cursor, m.height-1)
	} else {
		x, y := m.cursor(e)
		v.Cursor = tea.NewCursor(x, y)
	}
	return v
}

// cursor returns the cursor position, which is the selected link, the search match, or the first
// line.
func (m *model) cursor(e *entry) (x, y int) {
	if e.selected != noLink {
		if at, column, ok := e.page.linkLine(e.selected, e.top, e.top+m.body()); ok {
			return min(column, m.width-1), 1 + at - e.top
		}
	}
	y = 1 + max(e.cursor-e.top, 0)
	if m.found.ok && e.cursor < len(e.page.lines) && e.page.lines[e.cursor].block == m.found.block {
		l := e.page.lines[e.cursor]
		text := e.page.blocks[l.block].text()
		if l.offset <= m.found.start && m.found.start <= len(text) {
			x = term.Width(l.prefix) + term.Width(text[l.offset:m.found.start])
		}
	}
	return min(x, m.width-1), y
}

// sgr wraps text in SGR parameters, unless they are empty.
func sgr(parameters, text string) string {
	if parameters == "" || text == "" {
		return text
	}
	return "\x1b[" + parameters + "m" + text + "\x1b[m"
}

// SGR parameters. NO_COLOR turns off the colors of links and titles.
const (
	reverse   = "7"
	boldface  = "1"
	dim       = "2"
	underline = "4"
	linkColor = "36"
)

// titleLine returns the first line of the screen. The line contains the tabs, or the title and the
// position in the page.
func (m *model) titleLine(e *entry) string {
	where := position(e.top, m.body(), len(e.page.lines))
	room := max(m.width-term.Width(where)-1, 0)
	text := ""
	if len(m.tabs) > 1 {
		for i, t := range m.tabs {
			text += m.tabLabel(i, t)
		}
	} else {
		text = e.safeTitle()
	}
	text = fill(term.Truncate(text, room), room)
	return sgr(boldface+";"+reverse, fill(term.Truncate(text+" "+where, m.width), m.width))
}

// tabLabel returns the label that the first line of the screen shows for a tab.
func (m *model) tabLabel(i int, t *tab) string {
	width := max(m.width/len(m.tabs)-4, 4)
	mark := " "
	if i == m.at {
		mark = "*"
	}
	return fmt.Sprintf("%s%d %s ", mark, i+1, fill(term.Truncate(t.entries[t.at].safeTitle(), width-3), width-3))
}

// position returns the position in a text in the notation of a pager, such as "Top" or "42%".
func position(top, height, n int) string {
	switch {
	case n <= height:
		return "All"
	case top == 0:
		return "Top"
	case top+height >= n:
		return "End"
	}
	return fmt.Sprintf("%d%%", (top+height)*100/n)
}

// fill pads a text to the given number of columns.
func fill(text string, width int) string {
	return text + strings.Repeat(" ", max(width-term.Width(text), 0))
}

func (m *model) bodyLine(e *entry, i int) string {
	l := e.page.lines[i]
	var b strings.Builder
	prefix := l.prefix
	if m.letters != "" && len(l.runs) > 0 {
		prefix = m.withLetter(e, l, prefix)
	}
	b.WriteString(sgr(dim, prefix))
	for _, r := range l.runs {
		b.WriteString(sgr(m.parameters(e, i, r), r.text))
	}
	return b.String()
}

// withLetter returns the prefix of an item. If the user is choosing a link by its letter, the
// prefix contains the letter.
func (m *model) withLetter(e *entry, l line, prefix string) string {
	for n, link := range m.visible(e) {
		if link == l.runs[0].link && n < len(m.letters) && len(prefix) > 1 {
			return m.letters[n:n+1] + ")" + prefix[2:]
		}
	}
	return prefix
}

func (m *model) parameters(e *entry, at int, r run) string {
	var list []string
	switch {
	case r.link != noLink && r.link == e.selected:
		list = append(list, reverse)
	case r.link != noLink && m.colors:
		list = append(list, linkColor)
	case r.link != noLink:
		list = append(list, underline)
	}
	switch r.style {
	case bold:
		list = append(list, boldface)
	case faint:
		list = append(list, dim)
	}
	if m.found.ok && r.link == noLink && at == e.cursor && e.page.lines[at].block == m.found.block && strings.Contains(strings.ToLower(r.text), strings.ToLower(m.search)) {
		list = append(list, reverse)
	}
	return strings.Join(list, ";")
}

// statusLine returns the current message, the loading progress, or the URL of the selected link.
func (m *model) statusLine(e *entry) string {
	text := e.place.shown()
	switch l := m.chosen(); {
	case m.message != "":
		text = m.message
	case m.tab().loading != nil:
		text = m.tab().loading.progress() + " (Esc stops)"
	case l != nil && l.act != nil:
		text = l.label
	case l != nil:
		text = l.place.shown()
	}
	return sgr(dim, term.Truncate(text, m.width))
}

// lastLine returns the prompt, or help for the most common keys. The result cursor is the column
// of the cursor in the prompt.
func (m *model) lastLine() (text string, cursor int) {
	if m.prompt != nil {
		return m.prompt.draw(m.width)
	}
	if m.digits != "" {
		return term.Truncate("Link "+m.digits+"  (Enter opens it, t in a new tab, y copies its URL)", m.width), 0
	}
	if m.letters != "" {
		return term.Truncate("Type the letter of a link; Esc ends it", m.width), 0
	}
	return sgr(dim, shortHelp(m.width)), 0
}

// shortHelp returns help for as many of the most common keys as fit in the given width. The text
// always includes the keys for help and quit.
func shortHelp(width int) string {
	const last = "? keys  q quit"
	for keys := []string{"Enter open", "b back", "g go", "/ find", "a bookmark"}; len(keys) > 0; keys = keys[:len(keys)-1] {
		if text := strings.Join(keys, "  ") + "  " + last; term.Width(text) <= width {
			return text
		}
	}
	return term.Truncate(last, width)
}
