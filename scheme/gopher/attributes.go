package gopher

import (
	"bytes"
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

// Attributes are those of one item (RFC 1738 sections 3.4.6 and 3.4.7), as a server
// sent them: text that is not safe for a terminal.
type Attributes struct {
	Info     Line       // +INFO: the item's line on its menu; zero if it did not come
	Admin    Admin      // +ADMIN
	Views    []View     // +VIEWS, what the server would rather send first
	Abstract string     // +ABSTRACT, with "\n" between its lines
	Ask      []Question // +ASK
	Blocks   []Block    // all of them, in order, those above and others; a name may come again
}

// Block is one attribute as it came.
type Block struct {
	Name string // without "+"; letter case matters
	// Descriptor is what is on the line of the name. If there are no Lines, it may
	// be a line of a menu, for the item that has them; +INFO is always so.
	Descriptor string
	Lines      []string // without the blank before each
}

// The blocks that [Attributes] knows.
const (
	blockInfo     = "INFO"
	blockAdmin    = "ADMIN"
	blockViews    = "VIEWS"
	blockAbstract = "ABSTRACT"
	blockAsk      = "ASK"
)

// Admin tells who keeps an item, and since when. Of a field that comes again the
// first counts.
//
// The dates of Gopher+ have no zone. Servers write their local time, and do not say
// which it is; it is taken for UTC here, and may so be some hours off.
type Admin struct {
	Name, Address    string        // of "Admin: Name <address>"
	ModTime          time.Time     // Mod-Date; zero: unknown, or not a date
	Created, Expires time.Time     // Creation-Date and Expiration-Date, likewise
	TTL              time.Duration // how long it may be kept for, to the second; 0: unknown
	Fields           []AdminField  // all of them, in order
}

// AdminField is one line of +ADMIN. Name is empty if the line has no colon.
type AdminField struct{ Name, Value string }

// The most of a reply that is about attributes, and the most lines about one item, in
// which each TAB counts as one more: the choices of a form are between them. The latter
// bounds what a reply of very short lines, or choices, makes of the memory.
const (
	attributeOctets = 16 << 20
	attributeLines  = 1 << 16
)

// ReadAttributes reads the sets of attributes that r is: that of one item, after
// "!", or those of all items of a menu, after "$". r is what follows the header of
// the reply. A set ends where the next +INFO begins, at a lone dot, or at the end of
// r, and comes then. What is before the first block is left out, so that a text
// that is no attributes has none. o may be nil. The sets can be
// ranged over once: a second loop yields only an error.
//
// An error ends them, and what came before it is good. With the error comes the set
// that was being read, as far as it is there. If there is more than the limits
// allow, the error wraps [scheme.ErrTooLarge].
func ReadAttributes(r io.Reader, o *Limits) iter.Seq2[Attributes, error] {
	var used atomic.Bool
	return func(yield func(Attributes, error) bool) {
		if used.Swap(true) {
			yield(Attributes{}, errUsed)
			return
		}
		sets := newSetReader(r, o)
		var before byte // the type of the item before, which a mirror is of
		for left := o.items(); ; left-- {
			set, err := sets.next()
			last := err != nil
			if err == io.EOF {
				if len(set) == 0 {
					return
				}
				err = nil
			}
			if left == 0 {
				set, err, last = nil, fmt.Errorf("%w: attributes of more than %d items", scheme.ErrTooLarge, o.items()), true
			}
			a := newAttributes(set)
			switch {
			case a.Info.Type == TypeMirror:
				a.Info.Mirrors = before
			case a.Info.Type != TypeInfo && !a.Info.isError():
				before = a.Info.Type
			}
			if !yield(a, err) || last {
				return
			}
		}
	}
}

// errUsed is the error of a second loop over sets of attributes.
var errUsed = errors.New("gopher: the attributes have been read already; call ReadAttributes again with a new reader")

// setReader reads blocks that belong to the same item.
type setReader struct {
	lines *line.Reader
	begun []Block // what the next set begins with
	rest  []byte  // what follows a CR within a line
	more  bool    // there is such a rest, perhaps empty
}

func newSetReader(r io.Reader, o *Limits) *setReader {
	lines := line.NewReader(r, o.line())
	lines.Allow(o.octets(attributeOctets))
	return &setReader{lines: lines}
}

// next returns the next set. With the last, which may be empty, the error is io.EOF,
// or what else ended it.
func (r *setReader) next() ([]Block, error) {
	set := r.begun
	r.begun = nil
	for lines := 0; lines < attributeLines; lines++ {
		text, err := r.line()
		if err != nil {
			return set, err
		}
		if lines += bytes.Count(text, []byte("\t")); lines >= attributeLines {
			break
		}
		switch {
		case len(text) > 0 && text[0] == '+':
			b := newBlock(string(text[1:]))
			if b.Name == blockInfo && len(set) > 0 {
				r.begun = []Block{b}
				return set, nil
			}
			set = append(set, b)
		case len(set) > 0:
			b := &set[len(set)-1]
			b.Lines = append(b.Lines, string(bytes.TrimPrefix(text, []byte(" "))))
		}
	}
	return set, fmt.Errorf("%w: more than %d lines, or choices, of attributes of one item", scheme.ErrTooLarge, attributeLines)
}

// line returns the next line, which ends as those of a menu do. A lone dot ends
// them all: what is in a block has a blank before it.
func (r *setReader) line() (text []byte, err error) {
	if !r.more {
		if r.rest, err = r.read(); err != nil {
			return nil, err
		}
	}
	text, r.rest, r.more = bytes.Cut(r.rest, []byte("\r"))
	if string(text) == "." {
		return nil, io.EOF
	}
	return text, nil
}

// read returns what is before the next LF, or the end, and before CRs there.
func (r *setReader) read() ([]byte, error) {
	text, err := r.lines.Line()
	switch {
	case err == io.ErrUnexpectedEOF && len(text) > 0:
		err = nil
	case errors.Is(err, line.ErrLong), errors.Is(err, line.ErrTotal):
		err = fmt.Errorf("%w: attributes: %w", scheme.ErrTooLarge, err)
	}
	return bytes.TrimRight(text, "\r"), err
}

// Only returns a with the attributes of these names alone, and +INFO, which says
// whose they are. Names may have their "+". Without names it returns a: a server
// that is asked for some attributes may send all.
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

// newAttributes reads what is known of the blocks.
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

// newBlock reads the line that begins a block, without its "+". The colon may be
// missing: what is after a blank is the descriptor then, even if it is a colon,
// which is a type of item.
func newBlock(text string) Block {
	end := strings.IndexAny(text, ": ")
	if end < 0 {
		return Block{Name: text}
	}
	return Block{Name: text[:end], Descriptor: strings.TrimLeft(strings.TrimPrefix(text[end:], ":"), " ")}
}

// info returns the line of the menu that a +INFO block is.
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

// setDate sets t, if it is not yet set, to the date that value ends in.
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

// parseDate returns the time that YYYYMMDD, YYYYMMDDhhmm or YYYYMMDDhhmmss is, and
// the zero time for what is none.
func parseDate(digits string) time.Time {
	switch layout := "20060102150405"; len(digits) {
	case 8, 12, 14:
		// What Parse refuses, such as a 30th of February, comes as the zero time.
		t, _ := time.Parse(layout[:len(digits)], digits)
		return t
	}
	return time.Time{}
}
