package browse

import (
	"strings"

	tea "charm.land/bubbletea/v2"

	"github.com/locus-url/locus/internal/term"
)

// prompt is an input line.
type prompt struct {
	label  string
	secret bool // the browser must not show the text
	lines  bool // the text may contain newlines
	done   func(m *model, text string)

	text []rune
	at   int // offset of the cursor
}

// maxPrompt is the maximum length of the input.
const maxPrompt = 64 << 10

// ask shows a prompt with an initial text.
func (m *model) ask(p prompt, initial string) {
	p.text = []rune(initial)
	p.at = len(p.text)
	m.prompt = &p
}

// insert adds typed or pasted text at the cursor.
func (p *prompt) insert(text string) {
	text = lineEnds(text)
	if !p.lines {
		text = strings.ReplaceAll(strings.Trim(text, "\n"), "\n", " ")
	}
	add := []rune(text)
	if len(p.text)+len(add) > maxPrompt {
		return
	}
	p.text = append(p.text[:p.at:p.at], append(add, p.text[p.at:]...)...)
	p.at += len(add)
}

// promptKey handles a key that the user presses in the prompt.
func (m *model) promptKey(k tea.KeyPressMsg) {
	p := m.prompt
	switch k.Keystroke() {
	case "enter":
		m.prompt = nil
		p.done(m, string(p.text))
	case "esc", "ctrl+c", "ctrl+g":
		m.prompt = nil
	case "ctrl+j", "alt+enter", "shift+enter":
		if p.lines {
			p.insert("\n")
		}
	case "left", "ctrl+b":
		p.at = max(p.at-1, 0)
	case "right", "ctrl+f":
		p.at = min(p.at+1, len(p.text))
	case "home", "ctrl+a":
		p.at = 0
	case "end", "ctrl+e":
		p.at = len(p.text)
	case "backspace", "ctrl+h":
		p.remove(p.at - 1)
	case "delete", "ctrl+d":
		p.remove(p.at)
	case "ctrl+u":
		p.text, p.at = p.text[p.at:], 0
	case "ctrl+k":
		p.text = p.text[:p.at]
	case "ctrl+w":
		for p.at > 0 && p.text[p.at-1] == ' ' {
			p.remove(p.at - 1)
		}
		for p.at > 0 && p.text[p.at-1] != ' ' {
			p.remove(p.at - 1)
		}
	default:
		if k.Text != "" {
			p.insert(k.Text)
		}
	}
}

// remove removes the character at offset i, if there is a character.
func (p *prompt) remove(i int) {
	if i < 0 || i >= len(p.text) {
		return
	}
	p.text = append(p.text[:i:i], p.text[i+1:]...)
	if p.at > i {
		p.at--
	}
}

// draw returns the prompt line and the column of the cursor. If the text is too long for the line,
// the line shows the part around the cursor.
func (p *prompt) draw(width int) (text string, cursor int) {
	label := term.Truncate(p.label, width/2)
	shown := func(text []rune) string {
		if p.secret {
			return strings.Repeat("*", len(text))
		}
		return term.Safe(strings.ReplaceAll(string(text), "\n", "⏎"))
	}
	room := max(width-term.Width(label)-1, 1)
	start := max(p.at-room, 0)
	for term.Width(shown(p.text[start:p.at])) > room {
		start++
	}
	cursor = term.Width(label) + term.Width(shown(p.text[start:p.at]))
	return label + fitting(shown(p.text[start:]), room), min(cursor, width-1)
}
