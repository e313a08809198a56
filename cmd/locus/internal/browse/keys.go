package browse

import (
	"strconv"
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/locus-url/locus/internal/command/base"
)

// binding maps keys to an action. The keys have the names that [tea.Key.Keystroke] returns, except
// that the name of a letter is the letter itself.
type binding struct {
	keys []string
	text string
	do   func(*model)
}

// bindings returns all key bindings, in the order of the help page.
func bindings() []binding {
	return []binding{
		{[]string{"down", "j", "ctrl+n"}, "next link, or down a line", func(m *model) { m.step(1) }},
		{[]string{"up", "k", "ctrl+p"}, "previous link, or up a line", func(m *model) { m.step(-1) }},
		{[]string{"tab"}, "next link, even off screen", func(m *model) { m.link(1) }},
		{[]string{"shift+tab"}, "previous link, even off screen", func(m *model) { m.link(-1) }},
		{[]string{"space", "pgdown", "ctrl+f"}, "next screen", func(m *model) { m.scroll(m.body()) }},
		{[]string{"-", "pgup", "ctrl+b"}, "previous screen", func(m *model) { m.scroll(-m.body()) }},
		{[]string{"home", "<"}, "start of the page", func(m *model) { m.first(m.current()) }},
		{[]string{"end", ">"}, "end of the page", (*model).end},
		{[]string{"enter", "right", "l"}, "open the link; digits and Enter open it by number", (*model).follow},
		{[]string{"f"}, "open a link on the screen by a letter", (*model).chooseByLetter},
		{[]string{"b", "left", "h", "backspace", "alt+left"}, "back", (*model).back},
		{[]string{"w", "alt+right"}, "forward", (*model).forward},
		{[]string{"u"}, "up: the menu above this page", (*model).up},
		{[]string{"g"}, "go to a URL", func(m *model) { m.askURL("") }},
		{[]string{"G"}, "go to a URL, starting from this one", func(m *model) { m.askURL(m.editable()) }},
		{[]string{"r"}, "reload the page", (*model).reload},
		{[]string{"esc"}, "stop loading", (*model).halt},
		{[]string{"/"}, "find in the page", (*model).askSearch},
		{[]string{"n"}, "find the next", func(m *model) { m.find(1) }},
		{[]string{"N"}, "find the previous", func(m *model) { m.find(-1) }},
		{[]string{"a"}, "bookmark this page", (*model).bookmark},
		{[]string{"B"}, "bookmarks and the tour", func(m *model) { m.visit(m.home()) }},
		{[]string{"D"}, "delete the selected bookmark", (*model).unmark},
		{[]string{"H"}, "history", (*model).history},
		{[]string{"\\"}, "source of the page", (*model).source},
		{[]string{"="}, "parts of the URL", (*model).parts},
		{[]string{"c"}, "transcript: what was sent and received", (*model).conversation},
		{[]string{"s"}, "save the page to a file", (*model).save},
		{[]string{"y"}, "copy the URL of the link", (*model).yankLink},
		{[]string{"Y"}, "copy the URL of the page", (*model).yankPage},
		{[]string{"o"}, "open the link with another program", (*model).openLinkElsewhere},
		{[]string{"O"}, "open the page with another program", (*model).openPageElsewhere},
		{[]string{"t"}, "open the link in a new tab", (*model).newTab},
		{[]string{"]", "ctrl+pgdown"}, "next tab", func(m *model) { m.turn(1) }},
		{[]string{"[", "ctrl+pgup"}, "previous tab", func(m *model) { m.turn(-1) }},
		{[]string{"x"}, "close the tab", (*model).closeTab},
		{[]string{"ctrl+l"}, "redraw the screen", func(m *model) { m.later(tea.ClearScreen) }},
		{[]string{"ctrl+z"}, "suspend", func(m *model) { m.later(tea.Suspend) }},
		{[]string{"?", "f1"}, "this page", (*model).help},
		{[]string{"q"}, "quit", func(m *model) { m.quit(base.StatusDone) }},
		{[]string{"ctrl+c"}, "stop loading, or quit with status 130", (*model).interrupt},
	}
}

func (m *model) key(k tea.KeyPressMsg) {
	m.message = ""
	if m.prompt != nil {
		m.promptKey(k)
		return
	}
	name := k.Keystroke()
	if len(k.Text) > 0 && k.Text != " " {
		name = k.Text
	}
	switch {
	case m.letters != "":
		m.letterKey(name)
	case len(name) == 1 && name[0] >= '0' && name[0] <= '9' && len(m.digits) < 9:
		m.digits += name
	case m.digits != "":
		m.digitKey(name)
	default:
		m.command(name)
	}
}

// command runs the command for a key.
func (m *model) command(name string) {
	for _, b := range bindings() {
		for _, key := range b.keys {
			if key == name {
				b.do(m)
				return
			}
		}
	}
	m.say("Unknown key; ? shows the keys")
}

// digitKey handles a key that follows a typed number. The key is a command for the link with that
// number.
func (m *model) digitKey(name string) {
	number, _ := strconv.Atoi(m.digits)
	digits := m.digits
	m.digits = ""
	switch name {
	case "backspace":
		m.digits = digits[:len(digits)-1]
	case "esc", "ctrl+c":
	default:
		e := m.current()
		if number < 1 || number > len(e.page.links) {
			m.say("No link " + digits + "; the last one is " + strconv.Itoa(len(e.page.links)))
			return
		}
		m.choose(e, number-1)
		m.command(name)
	}
}

// hintLetters contains the letters that select links on the screen. The letters that are easiest
// to type come first.
const hintLetters = "asdfghjklqwertyuiopzxcvbnmASDFGHJKLQWERTYUIOPZXCVBNM"

func (m *model) chooseByLetter() {
	n := len(m.visible(m.current()))
	if n == 0 {
		m.say("No link is on the screen")
		return
	}
	m.letters = hintLetters[:min(n, len(hintLetters))]
}

func (m *model) letterKey(name string) {
	letters := m.letters
	m.letters = ""
	e := m.current()
	if i := strings.Index(letters, name); i >= 0 && len(name) == 1 {
		e.selected = m.visible(e)[i]
		m.follow()
	} else if name != "esc" && name != "ctrl+c" {
		m.say("No link has that letter")
	}
}

// interrupt handles Ctrl-C.
func (m *model) interrupt() {
	if m.tab().loading != nil {
		m.halt()
		return
	}
	m.quit(base.StatusInterrupted)
}

// quit ends the browser with the given exit status.
func (m *model) quit(status int) {
	for _, t := range m.tabs {
		m.stop(t)
	}
	m.status = status
	m.later(tea.Quit)
}

// click handles the mouse buttons. The first button selects and opens the link under the mouse.
func (m *model) click(at tea.Mouse) {
	m.message = ""
	switch {
	case m.prompt != nil:
		return
	case at.Button == tea.MouseBackward || at.Button == tea.MouseRight:
		m.back()
		return
	case at.Button == tea.MouseForward:
		m.forward()
		return
	case at.Button != tea.MouseLeft && at.Button != tea.MouseMiddle:
		return
	}
	e := m.current()
	if at.Y == 0 && len(m.tabs) > 1 {
		column := 0
		for i, t := range m.tabs {
			if column += len([]rune(m.tabLabel(i, t))); at.X < column {
				m.turnTo(i)
				return
			}
		}
		return
	}
	link, ok := m.linkAt(e, at.X, at.Y)
	if !ok {
		return
	}
	e.selected = link
	if at.Button == tea.MouseMiddle {
		m.newTab()
		return
	}
	m.follow()
}
