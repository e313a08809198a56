package main

import (
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/scheme"
)

// menu writes a list as whoever reads it wants it. Items are written as they
// come, so a list can have any length; what came before an error stands.
func (g *getter) menu(f found, m *scheme.Menu, to stream) error {
	switch {
	case g.a.flags.json && to.standard:
		return g.menuJSON(f, m)
	case to.tty:
		return writeTable(to.prompt(), m)
	}
	return writeLines(to.w, m)
}

// writeLines writes title, TAB and URL of each item. An item that locates
// nothing has an empty URL.
func writeLines(w io.Writer, m *scheme.Menu) error {
	for item, err := range m.Items {
		if err != nil {
			return err
		}
		if _, err := fmt.Fprintf(w, "%s\t%s\n", title(item), shareable(item.URL)); err != nil {
			return err
		}
	}
	return nil
}

// writeTable writes a list for people: number, kind, size, date and title. A
// line that locates nothing is text and has no number.
func writeTable(w io.Writer, m *scheme.Menu) error {
	number := 0
	for item, err := range m.Items {
		if err != nil {
			return err
		}
		row := strings.Repeat(" ", tableIndent) + title(item)
		if !item.URL.IsZero() {
			number++
			row = fmt.Sprintf("%5d  %-7s  %8s  %-16s  %s", number, item.Kind, humanSize(item.Size), humanTime(item.ModTime), title(item))
		}
		if item.Note != "" {
			row += "  " + term.Safe(characters(item.Note))
		}
		if _, err := io.WriteString(w, strings.TrimRight(row, " ")+"\n"); err != nil {
			return err
		}
	}
	return nil
}

// tableIndent is where the titles begin.
const tableIndent = 5 + 2 + 7 + 2 + 8 + 2 + 16 + 2

// title is an item's title in one safe line.
func title(item scheme.Item) string { return term.Safe(characters(item.Title)) }

// shareable is the text of a URL that may be shown and used: without a password.
func shareable(u locus.URL) string {
	if _, ok := u.Password(); !ok {
		return u.String()
	}
	parts := u.Parts()
	parts.Password = nil
	v, err := parts.URL()
	if err != nil {
		return u.Redacted()
	}
	return v.String()
}

// humanSize is a number of octets in four digits at most; empty: unknown.
func humanSize(n int64) string {
	if n < 0 {
		return ""
	}
	if n < 1024 {
		return fmt.Sprintf("%d", n)
	}
	value, unit := float64(n), 0
	for value >= 1023.5 && unit < len("KMGTPE") {
		value /= 1024
		unit++
	}
	if value < 9.95 {
		return fmt.Sprintf("%.1f %ciB", value, "KMGTPE"[unit-1])
	}
	return fmt.Sprintf("%.0f %ciB", value, "KMGTPE"[unit-1])
}

func humanTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format("2006-01-02 15:04")
}

// referral writes where a referral leads, one URL a line.
func (g *getter) referral(f found, r *scheme.Referral, to stream) error {
	if g.a.flags.json && to.standard {
		g.a.writeJSON(describeReferral(f, r))
		return nil
	}
	for _, u := range r.To {
		if _, err := fmt.Fprintln(to.w, shareable(u)); err != nil {
			return err
		}
	}
	return nil
}
