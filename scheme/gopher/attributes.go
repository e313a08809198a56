package gopher

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/locus-url/locus/internal/line"
	"github.com/locus-url/locus/scheme"
)

// Attributes are those of one item (RFC 1738 sections 3.4.6 and 3.4.7). Their texts
// are as the server sent them, and not safe for a terminal.
type Attributes struct {
	Info     Line       // +INFO: the item's line on its menu; zero if missing
	Admin    Admin      // +ADMIN
	Views    []View     // +VIEWS, the server's preferred view first
	Abstract string     // +ABSTRACT, with "\n" between its lines
	Ask      []Question // +ASK
	Blocks   []Block    // all attributes in the server's order, including those above; names may repeat
}

// Block is one attribute as the server sent it.
type Block struct {
	Name string // without "+"; case-sensitive
	// Descriptor is the rest of the name's line. It may be the menu line of an item
	// that has the Lines, as it always is for +INFO.
	Descriptor string
	Lines      []string // without the leading blank of each
}

// The blocks that [Attributes] parses.
const (
	blockInfo     = "INFO"
	blockAdmin    = "ADMIN"
	blockViews    = "VIEWS"
	blockAbstract = "ABSTRACT"
	blockAsk      = "ASK"
)

// Admin is the +ADMIN attribute: who maintains an item, and its dates. If a field
// repeats, the first one counts.
//
// The dates of Gopher+ have no time zone, and servers write local time. They are read
// as UTC here, so they may be off by some hours.
type Admin struct {
	Name, Address    string        // of "Admin: Name <address>"
	ModTime          time.Time     // Mod-Date; zero: unknown or invalid
	Created, Expires time.Time     // Creation-Date and Expiration-Date, likewise
	TTL              time.Duration // how long a copy stays fresh, in whole seconds; 0: unknown
	Fields           []AdminField  // all fields in the server's order
}

// AdminField is one line of +ADMIN. Name is empty if the line has no colon.
type AdminField struct{ Name, Value string }

const (
	// attributeOctets is the default limit of a reply with attributes or of a phone book.
	attributeOctets = 16 << 20
	// attributeLines is the limit of lines about one item. A TAB counts as a line,
	// because it separates the choices of a form. It bounds the memory that a reply
	// of very short lines or choices can take.
	attributeLines = 1 << 16
)

// ReadAttributes reads sets of attributes from r, the reply without its header: one
// set after "!", one for each item of a menu after "$". A set ends before the next
// +INFO, at a lone dot, or at the end of r. Lines before the first block are
// ignored. Nil limits mean the defaults. The iterator is single-use: a second loop
// yields only an error.
//
// An error ends the iterator and comes with the set that was being read, which may
// be incomplete. Earlier sets are valid. The error wraps [scheme.ErrTooLarge] if the
// reply exceeds a limit.
func ReadAttributes(r io.Reader, limits *Limits) iter.Seq2[Attributes, error] {
	var used atomic.Bool
	l := limits.orDefault(attributeOctets)
	return func(yield func(Attributes, error) bool) {
		if used.Swap(true) {
			yield(Attributes{}, errUsed)
			return
		}
		var set []Block
		var before byte // the type of the last item
		lines, items := 0, 0
		take := func(err error) (more bool) {
			if items++; items > l.Items {
				yield(Attributes{}, fmt.Errorf("%w: attributes of more than %d items", scheme.ErrTooLarge, l.Items))
				return false
			}
			a := newAttributes(set)
			set, lines = nil, 0
			switch {
			case a.Info.Type == TypeMirror:
				a.Info.Mirrors = before
			case a.Info.Type != TypeInfo && !a.Info.isError():
				before = a.Info.Type
			}
			return yield(a, err) && err == nil
		}
		for text, err := range attributeText(r, l) {
			if lines += 1 + strings.Count(text, "\t"); lines > attributeLines {
				err = fmt.Errorf("%w: the attributes of one item have more than %d lines or choices", scheme.ErrTooLarge, attributeLines)
			}
			if err != nil {
				take(err)
				return
			}
			switch first, ok := strings.CutPrefix(text, "+"); {
			case ok:
				b := newBlock(first)
				if b.Name == blockInfo && len(set) > 0 && !take(nil) {
					return
				}
				set = append(set, b)
			case len(set) > 0:
				b := &set[len(set)-1]
				b.Lines = append(b.Lines, strings.TrimPrefix(text, " "))
			}
		}
		if len(set) > 0 {
			take(nil)
		}
	}
}

var errUsed = errors.New("gopher: the attributes can only be read once: call ReadAttributes again with a new reader")

// attributeText yields the lines of a reply with attributes, which end like those of a
// menu, up to a lone dot; a dot within a block follows a blank.
func attributeText(r io.Reader, limits Limits) iter.Seq2[string, error] {
	return func(yield func(string, error) bool) {
		lines := line.NewReader(r, limits.Line)
		lines.Allow(limits.Octets)
		for {
			octets, err := lines.Line()
			switch {
			case err == io.EOF:
				return
			case errors.Is(err, line.ErrLong), errors.Is(err, line.ErrTotal):
				err = fmt.Errorf("%w: attributes: %w", scheme.ErrTooLarge, err)
			case err == io.ErrUnexpectedEOF && len(octets) > 0:
				err = nil
			}
			if err != nil {
				yield("", err)
				return
			}
			for text := range strings.SplitSeq(strings.TrimRight(string(octets), "\r"), "\r") {
				if text == "." || !yield(text, nil) {
					return
				}
			}
		}
	}
}

// Only returns a with only +INFO and the named attributes, since a server may send all
// attributes when asked for some. Names may begin with "+". Without names it returns
// a.
func (a Attributes) Only(names ...string) Attributes {
	if len(names) == 0 {
		return a
	}
	wanted := map[string]bool{blockInfo: true}
	for _, name := range names {
		wanted[strings.TrimPrefix(name, "+")] = true
	}
	only := newAttributes(slices.DeleteFunc(slices.Clone(a.Blocks), func(b Block) bool { return !wanted[b.Name] }))
	only.Info = a.Info
	return only
}

// newAttributes parses the known blocks.
func newAttributes(blocks []Block) Attributes {
	a := Attributes{Blocks: blocks}
	var abstract []string
	for _, b := range blocks {
		switch b.Name {
		case blockInfo:
			a.Info = b.info()
		case blockAdmin:
			for _, text := range b.Lines {
				a.Admin.add(text)
			}
		case blockViews:
			for _, text := range b.Lines {
				if v, ok := ParseView(text); ok {
					a.Views = append(a.Views, v)
				}
			}
		case blockAbstract:
			abstract = append(abstract, b.Lines...)
		case blockAsk:
			for _, text := range b.Lines {
				a.Ask = append(a.Ask, ParseQuestion(text))
			}
		}
	}
	a.Abstract = strings.Join(abstract, "\n")
	return a
}

// newBlock reads the first line of a block, without its "+". If the colon is missing,
// the descriptor follows a blank, and may begin with a colon, which is a gophertype.
func newBlock(text string) Block {
	end := strings.IndexAny(text, ": ")
	if end < 0 {
		return Block{Name: text}
	}
	return Block{Name: text[:end], Descriptor: strings.TrimLeft(strings.TrimPrefix(text[end:], ":"), " ")}
}

// info returns the menu line in a +INFO block.
func (b Block) info() Line {
	text := b.Descriptor
	if text == "" && len(b.Lines) > 0 {
		text = b.Lines[0]
	}
	l, _ := ParseLine([]byte(text))
	return l
}

// add reads one line of +ADMIN.
func (a *Admin) add(text string) {
	name, value, ok := strings.Cut(text, ":")
	if !ok {
		a.Fields = append(a.Fields, AdminField{Value: text})
		return
	}
	value = strings.Trim(value, " ")
	a.Fields = append(a.Fields, AdminField{name, value})
	switch strings.ToLower(name) {
	case "admin":
		if a.Name == "" && a.Address == "" {
			name, address, _ := cutBrackets(value)
			a.Name, a.Address = strings.TrimRight(name, " "), address
		}
	case "mod-date":
		setDate(&a.ModTime, value)
	case "creation-date":
		setDate(&a.Created, value)
	case "expiration-date":
		setDate(&a.Expires, value)
	case "ttl":
		if seconds, err := strconv.ParseInt(value, 10, 64); a.TTL == 0 && err == nil && 0 < seconds && seconds <= math.MaxInt64/int64(time.Second) {
			a.TTL = time.Duration(seconds) * time.Second
		}
	}
}

// setDate sets t, unless it is set already, to the date at the end of value.
func setDate(t *time.Time, value string) {
	if _, digits, ok := cutBrackets(value); ok && t.IsZero() {
		*t = parseDate(digits)
	}
}

// cutBrackets splits "text <inner>" at its last brackets.
func cutBrackets(value string) (text, inner string, ok bool) {
	start := strings.LastIndexByte(value, '<')
	if start < 0 {
		return value, "", false
	}
	inner, _, ok = strings.Cut(value[start+1:], ">")
	if !ok {
		return value, "", false
	}
	return value[:start], inner, true
}

// parseDate parses YYYYMMDD, YYYYMMDDhhmm or YYYYMMDDhhmmss. It returns the zero time
// for anything else.
func parseDate(digits string) time.Time {
	switch layout := "20060102150405"; len(digits) {
	case 8, 12, 14:
		t, _ := time.Parse(layout[:len(digits)], digits)
		return t
	}
	return time.Time{}
}
