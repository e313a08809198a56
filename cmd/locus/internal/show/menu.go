package show

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"iter"
	"strings"

	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// menu writes a menu for display or for programs. It writes each item when the item arrives, so a
// menu may contain any number of items. If an error occurs, the output contains the items before
// the error.
func (v *Viewer) menu(f Found, m *scheme.Menu, to Stream) error {
	if v.App.Flags.JSON && to.IsStdout {
		return v.menuJSON(f, m)
	}
	l := new(form.TextDecoder)
	if !v.App.Flags.JSON {
		defer v.NoteOf(f.Asked, m.Note)
	}
	items, err := writeMenu(m, to, l)
	if l.Latin1 {
		v.NoteLater("%s: text that is not UTF-8 is read as ISO Latin 1", f.Asked.Shown())
	}
	if m.Form != nil && err == nil && items == 0 {
		v.NoteLater("%s", form.Hint(m.Form))
	}
	return err
}

// writeMenu writes a menu and returns the number of items. For programs, it writes the form
// only if there are no items.
func writeMenu(m *scheme.Menu, to Stream, l *form.TextDecoder) (items int, err error) {
	if to.ForPeople {
		t := table{w: to.Unbuffered(), TextDecoder: l}
		err = t.write(m.Items)
		items = t.items
	} else if items, err = WriteLines(to.Writer, m.Items, l); items > 0 {
		return items, err
	}
	for _, row := range form.Rows(m.Form, l) {
		if err != nil {
			return items, err
		}
		if !to.ForPeople {
			// Write the row in the form of an item without a URL.
			row = strings.TrimSpace(row) + "\t"
		}
		_, err = io.WriteString(to.Writer, row+"\n")
	}
	return items, err
}

// WriteLines writes a line for each item. The line contains the title, a TAB and the URL, which
// may be empty. It returns the number of items.
func WriteLines(w io.Writer, items iter.Seq2[scheme.Item, error], l *form.TextDecoder) (n int, err error) {
	for item, err := range items {
		if err == nil {
			n++
			_, err = fmt.Fprintf(w, "%s\t%s\n", l.Line(item.Title), item.URL.WithoutPassword().String())
		}
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// table writes a menu for display. A row contains the number, the kind and the title of a link. If
// the first link has a size and a date, columns for sizes and dates precede the titles. Articles
// and newsgroups have other columns. A text line without a URL has no number.
type table struct {
	w io.Writer
	*form.TextDecoder
	listing scheme.Listing // empty until the first link
	items   int
	links   int
}

// maxHeld is the maximum number of text lines that the table buffers before the first link. The
// first link determines the listing.
const maxHeld = 100

func (t *table) write(items iter.Seq2[scheme.Item, error]) error {
	var held []scheme.Item // items that arrived before the first link
	decide := func(l scheme.Listing) error {
		t.listing = cmp.Or(t.listing, l)
		for _, item := range held {
			if err := t.row(item); err != nil {
				return err
			}
		}
		held = held[:0]
		return nil
	}
	for item, err := range items {
		if err != nil {
			return errors.Join(decide(scheme.ListLinks), err)
		}
		t.items++
		held = append(held, item)
		if t.listing == "" && item.URL.IsZero() && len(held) <= maxHeld {
			continue
		}
		if err := decide(listingOf(item)); err != nil {
			return err
		}
	}
	return decide(scheme.ListLinks)
}

// listingOf returns the listing (the kind of columns) for a menu in which item is the first link.
// Scores of search results appear in notes, not in a column.
func listingOf(item scheme.Item) scheme.Listing {
	switch l := item.Listing(); {
	case l != scheme.ListResults:
		return l
	case item.HasDetails():
		return scheme.ListFiles
	}
	return scheme.ListLinks
}

// The screen columns at which titles begin, and the widths of the other columns.
const (
	wideIndent    = form.Indent + 8 + 2 + 16 + 2
	articleIndent = 8 + 2
	authorWidth   = 24
	groupWidth    = 36
)

func (t *table) row(item scheme.Item) error {
	number, numbered := item.Number(scheme.ColumnNumber)
	count, counted := item.Number(scheme.ColumnCount)
	var row string
	switch {
	case item.URL.IsZero():
		row = t.textRow(item)
	case t.listing == scheme.ListArticles && numbered:
		row = fmt.Sprintf("%8d  %-16s  %s  %s", number, human.Time(item.ModTime), column(t.Line(item.Note), authorWidth), t.Line(item.Title))
	case t.listing == scheme.ListGroups && counted:
		row = fmt.Sprintf("%-*s  %8d%s", groupWidth, t.Line(item.Title), count, t.noteOf(item))
	default:
		row = t.linkRow(item)
	}
	_, err := io.WriteString(t.w, strings.TrimRight(row, " ")+"\n")
	return err
}

// textRow returns the row for an item without a URL, which is a text, an error or a broken link.
// The row of an error or a broken link contains the kind.
func (t *table) textRow(item scheme.Item) string {
	indent := map[scheme.Listing]int{scheme.ListLinks: form.Indent, scheme.ListFiles: wideIndent, scheme.ListArticles: articleIndent}[t.listing]
	kind := ""
	if item.Kind != scheme.KindInfo && item.Kind != scheme.KindUnknown && indent >= form.Indent {
		kind = fmt.Sprintf("%7s%s", "", ShortKind(item))
	}
	return fmt.Sprintf("%-*s", indent, kind) + t.Line(item.Title) + t.noteOf(item)
}

func (t *table) linkRow(item scheme.Item) string {
	t.links++
	row := fmt.Sprintf("%5d  %-7s  ", t.links, ShortKind(item))
	title := t.Line(item.Title)
	switch {
	case t.listing == scheme.ListFiles:
		row += fmt.Sprintf("%8s  %-16s  %s", human.Size(item.Size), human.Time(item.ModTime), title)
	case item.HasDetails():
		row += fmt.Sprintf("%s  (%s)", title, strings.TrimSpace(human.Size(item.Size)+" "+human.Time(item.ModTime)))
	default:
		row += title
	}
	return row + t.noteOf(item)
}

func (t *table) noteOf(item scheme.Item) string {
	if item.Note == "" {
		return ""
	}
	return "  " + t.Line(item.Note)
}

// column pads or shortens a text to the given width, in columns. The text must be safe for a
// terminal.
func column(text string, width int) string {
	text = term.Truncate(text, width)
	return text + strings.Repeat(" ", max(width-term.Width(text), 0))
}

// shortNames contains the permitted characters in the short name of a media type.
const shortNames = "abcdefghijklmnopqrstuvwxyz0123456789+-."

// ShortKind returns the kind of an item, or the media type of an object, in at most seven
// characters.
func ShortKind(item scheme.Item) string {
	if item.Kind != scheme.KindObject {
		return string(item.Kind)
	}
	mediaType, _, _ := strings.Cut(item.Type, ";")
	top, sub, _ := strings.Cut(strings.ToLower(strings.TrimSpace(mediaType)), "/")
	switch {
	case top == "image", top == "audio", top == "video", top == "text" && sub == "plain":
		return top
	case sub == "octet-stream":
		return "binary"
	}
	if sub = strings.TrimPrefix(sub, "x-"); sub != "" && len(sub) <= 7 && strings.Trim(sub, shortNames) == "" {
		return sub
	}
	return string(item.Kind)
}

func (v *Viewer) redirect(f Found, r *scheme.Redirect, to Stream) error {
	if v.App.Flags.JSON && to.IsStdout {
		v.App.WriteJSON(shape.NewRedirect(f.Describe("referral"), r))
		return nil
	}
	for _, u := range r.To {
		if _, err := fmt.Fprintln(to.Writer, u.WithoutPassword().String()); err != nil {
			return err
		}
	}
	return nil
}
