// Package jsonpath finds a value in a JSON text (RFC 8259) without decoding the rest.
package jsonpath

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// ErrMissing reports that the text contains no value at the path.
var ErrMissing = errors.New("missing")

// Path is the path of a value. It consists of member names and element indexes. The zero Path
// selects the whole text. A Path may be used concurrently.
type Path struct {
	text  string
	steps []step
}

// step is an element of a path. If the index is negative, the step is a member name.
type step struct {
	name  string
	index int
}

// Parse parses a path, such as "items[0].url". It consists of names, which are separated by dots,
// and indexes in brackets. A path may begin with "$." or ".". Unquoted names consist of letters,
// digits, "-", "_", "$" and characters outside US-ASCII. All other names must be quoted, and may
// be in brackets, as in data."a.b" and data['a.b']. Names in double quotes may contain JSON
// escapes; names in single quotes contain no escapes.
func Parse(text string) (Path, error) {
	p := parser{text: text}
	p.skipRoot()
	for first := p.pos == 0; p.pos < len(text); first = false {
		if err := p.step(first); err != nil {
			return Path{}, fmt.Errorf("byte %d of the path: %w", p.pos, err)
		}
	}
	if text == "" {
		return Path{}, errors.New("the path is empty")
	}
	return Path{text, p.steps}, nil
}

// Names returns the path of nested members. For the names a and b, it returns the path "a.b".
func Names(names ...string) Path {
	var p Path
	for _, name := range names {
		p.steps = append(p.steps, step{name, -1})
	}
	p.text = strings.Join(names, ".")
	return p
}

// String returns the text that was passed to [Parse].
func (p Path) String() string { return p.text }

type parser struct {
	text  string
	pos   int
	steps []step
}

// skipRoot skips a "$" that means the whole text.
func (p *parser) skipRoot() {
	rest, ok := strings.CutPrefix(p.text, "$")
	if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
		p.pos = 1
	}
}

func (p *parser) step(first bool) error {
	switch c := p.text[p.pos]; {
	case c == '[':
		return p.readBracket()
	case c == '.':
		p.pos++
	case !first:
		return errors.New(`missing "." or "["`)
	}
	name, err := p.name()
	if err == nil {
		p.steps = append(p.steps, step{name, -1})
	}
	return err
}

func (p *parser) name() (string, error) {
	rest := p.text[p.pos:]
	if rest != "" && (rest[0] == '"' || rest[0] == '\'') {
		return p.readName()
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return !isNameRune(r) })
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return "", errors.New("a name is missing: write names with other characters in quotes")
	}
	if !utf8.ValidString(rest[:end]) {
		return "", errors.New("invalid UTF-8")
	}
	p.pos += end
	return rest[:end], nil
}

func isNameRune(r rune) bool {
	return r >= utf8.RuneSelf || r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("-_$", r)
}

// readName reads a name in quotes.
func (p *parser) readName() (string, error) {
	rest := p.text[p.pos:]
	if rest[0] == '\'' {
		name, _, ok := strings.Cut(rest[1:], "'")
		if !ok || !utf8.ValidString(name) {
			return "", errors.New("the quoted name is not closed or not valid UTF-8")
		}
		p.pos += len(name) + len("''")
		return name, nil
	}
	s := scanner{text: []byte(rest)}
	if err := s.readString(); err != nil {
		return "", err.Err
	}
	name, err := Unquote(nil, s.text[:s.pos])
	p.pos += s.pos
	return string(name), err
}

// readBracket reads an index or a name in brackets.
func (p *parser) readBracket() error {
	inner := p.text[p.pos+1:]
	if inner != "" && (inner[0] == '"' || inner[0] == '\'') {
		p.pos++
		name, err := p.readName()
		if err != nil {
			return err
		}
		if !strings.HasPrefix(p.text[p.pos:], "]") {
			return errors.New(`missing "]"`)
		}
		p.pos++
		p.steps = append(p.steps, step{name, -1})
		return nil
	}
	digits, _, ok := strings.Cut(inner, "]")
	n, err := strconv.ParseUint(digits, 10, 31)
	if !ok || err != nil {
		return errors.New("invalid index: write one index such as [0], or a name in quotes")
	}
	p.pos += len("[]") + len(digits)
	p.steps = append(p.steps, step{index: int(n)})
	return nil
}
