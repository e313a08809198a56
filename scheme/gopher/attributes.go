package gopher

import (
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
)

// attributes holds the attributes of one item (RFC 1738 sections 3.4.6 and 3.4.7). The texts
// are unchanged from the server's reply, and not safe for a terminal.
type attributes struct {
	Info menuLine // +INFO: the item's line in its menu; zero if missing
	// ModTime is the Mod-Date in +ADMIN, or the zero time if unknown. Gopher+ dates contain no
	// time zone, and servers send local time. The client interprets the dates as UTC, so
	// ModTime may be wrong by some hours.
	ModTime  time.Time
	Views    []plusView       // views in +VIEWS, the server's preferred view first
	Abstract string           // text of +ABSTRACT, with "\n" between its lines
	Ask      []question       // questions in +ASK
	Blocks   []attributeBlock // all attributes in the server's order, including the fields above; names may repeat
}

type attributeBlock struct {
	Name string // name without "+"; case-sensitive
	// Descriptor is the rest of the line after the name. It may be the menu line for the item
	// that the block describes. For +INFO, it is always this menu line.
	Descriptor string
	Lines      []string // lines of the block, without leading spaces
}

// These constants are the names of the blocks that this package parses.
const (
	blockInfo     = "INFO"
	blockAdmin    = "ADMIN"
	blockViews    = "VIEWS"
	blockAbstract = "ABSTRACT"
	blockAsk      = "ASK"
)

const (
	// attributeOctets is the default size limit for attributes and for replies of a phone
	// book.
	attributeOctets = 16 << 20
	// attributeLines is the maximum number of lines about one item. A TAB counts as a line,
	// because TABs separate the choices in a form. The limit bounds the memory for a reply
	// with very short lines or choices.
	attributeLines = 1 << 16
)

// readAttributes yields the sets of attributes in r, which must be a reply without its header.
// A set ends before the next +INFO, at a lone dot, or at the end of r. If an error occurs, the
// iterator yields the unfinished set together with the error, and ends. If limits is nil, the
// default limits apply.
func readAttributes(r io.Reader, limits *Limits) iter.Seq2[attributes, error] {
	l := limits.orDefault(attributeOctets)
	return func(yield func(attributes, error) bool) {
		var set []attributeBlock
		var before byte // the type of the previous item
		lines, items := 0, 0
		take := func(err error) (more bool) {
			if items++; items > l.Items {
				yield(attributes{}, fmt.Errorf("%w: attributes of more than %d items", scheme.ErrTooLarge, l.Items))
				return false
			}
			a := newAttributes(set)
			set, lines = nil, 0
			switch {
			case a.Info.Type == mirrorType:
				a.Info.Mirrors = before
			case a.Info.Type != infoType && !a.Info.isError():
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

// attributeText yields the lines of a reply with attributes, up to a lone dot. A line within a
// block cannot be a lone dot, because it begins with a space. The line endings are the same as
// in menus.
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

// Only returns a copy of a that contains only +INFO and the named attributes. The client needs
// Only because a server may send all attributes even if the client requests only some. Names
// may begin with "+". Without names, Only returns the list unchanged.
func (a attributes) Only(names ...string) attributes {
	if len(names) == 0 {
		return a
	}
	wanted := map[string]bool{blockInfo: true}
	for _, name := range names {
		wanted[strings.TrimPrefix(name, "+")] = true
	}
	only := newAttributes(slices.DeleteFunc(slices.Clone(a.Blocks), func(b attributeBlock) bool { return !wanted[b.Name] }))
	only.Info = a.Info
	return only
}

func newAttributes(blocks []attributeBlock) attributes {
	a := attributes{Blocks: blocks}
	var abstract []string
	for _, b := range blocks {
		switch b.Name {
		case blockInfo:
			a.Info = b.info()
		case blockAdmin:
			for _, text := range b.Lines {
				if name, value, _ := strings.Cut(text, ":"); a.ModTime.IsZero() && strings.EqualFold(name, "mod-date") {
					a.ModTime = parseDate(value)
				}
			}
		case blockViews:
			for _, text := range b.Lines {
				if v, ok := parseView(text); ok {
					a.Views = append(a.Views, v)
				}
			}
		case blockAbstract:
			abstract = append(abstract, b.Lines...)
		case blockAsk:
			for _, text := range b.Lines {
				a.Ask = append(a.Ask, parseQuestion(text))
			}
		}
	}
	a.Abstract = strings.Join(abstract, "\n")
	return a
}

// newBlock parses the first line of a block, without the leading "+". A colon or a space
// follows the name. After a space, the descriptor may begin with a colon, which is then a
// gophertype.
func newBlock(text string) attributeBlock {
	end := strings.IndexAny(text, ": ")
	if end < 0 {
		return attributeBlock{Name: text}
	}
	return attributeBlock{Name: text[:end], Descriptor: strings.TrimLeft(strings.TrimPrefix(text[end:], ":"), " ")}
}

func (b attributeBlock) info() menuLine {
	text := b.Descriptor
	if text == "" && len(b.Lines) > 0 {
		text = b.Lines[0]
	}
	l, _ := parseLine([]byte(text))
	return l
}

// parseDate parses a date in the format YYYYMMDD, YYYYMMDDhhmm or YYYYMMDDhhmmss. The date
// must be in the last pair of angle brackets in value. If there is no date, parseDate returns
// the zero time.
func parseDate(value string) time.Time {
	open := strings.LastIndexByte(value, '<')
	digits, _, ok := strings.Cut(value[open+1:], ">")
	if open < 0 || !ok {
		return time.Time{}
	}
	switch layout := "20060102150405"; len(digits) {
	case 8, 12, 14:
		t, _ := time.Parse(layout[:len(digits)], digits)
		return t
	}
	return time.Time{}
}
