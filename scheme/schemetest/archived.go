package schemetest

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Archived opens the menu at the URL u with the dialer d, and then reads the menu again from its
// archived source. The test fails if the items differ, if u is not a menu, or if the menu has no
// source.
func Archived(t testing.TB, s scheme.Scheme, u locus.URL, d scheme.Dialer) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	res, err := s.Access.Opener.Open(ctx, &scheme.Request{URL: u, Dial: d, Source: true})
	if err != nil {
		t.Fatalf("%q: %v", u, err)
	}
	live, ok := res.(*scheme.Menu)
	if !ok {
		t.Fatalf("%q is a %T", u, res)
	}
	SameArchived(t, s, live, read(t, live))
}

// SameArchived reads a menu from the archived source of the menu live. The test fails if the
// result does not contain the given items.
func SameArchived(t testing.TB, s scheme.Scheme, live *scheme.Menu, items []scheme.Item) {
	t.Helper()
	if err := CheckArchived(s, live, items); err != nil {
		t.Error(err)
	}
}

// CheckArchived is like [SameArchived], but returns an error if there is a difference.
func CheckArchived(s scheme.Scheme, live *scheme.Menu, items []scheme.Item) error {
	if live.Source == nil {
		return fmt.Errorf("%q: the menu has no octets", live.URL)
	}
	octets, mediaType := live.Source()
	body := &closer{Reader: bytes.NewReader(octets)}
	res, err := s.Access.Archived(live.URL, mediaType, body)
	if err != nil {
		return fmt.Errorf("%q: %w; the octets are %.200q", live.URL, err, octets)
	}
	again, ok := res.(*scheme.Menu)
	if !ok {
		return fmt.Errorf("%q: the octets %.200q are a %T", live.URL, octets, res)
	}
	var list []scheme.Item
	for item, err := range again.Items {
		if err != nil {
			return fmt.Errorf("%q, item %d of %.200q: %w", live.URL, len(list), octets, err)
		}
		list = append(list, item)
	}
	again.Close()
	if again.URL != live.URL || again.Title != live.Title || again.Note != live.Note {
		return fmt.Errorf("%q: kept as %q, %q, %q; want %q, %q", live.URL, again.URL, again.Title, again.Note, live.Title, live.Note)
	}
	if (again.Form == nil) != (live.Form == nil) || live.Form != nil && !reflect.DeepEqual(again.Form.Fields, live.Form.Fields) {
		return fmt.Errorf("%q: the form differs: %+v; want %+v", live.URL, again.Form, live.Form)
	}
	for i := range min(len(list), len(items)) {
		if got, want := list[i], items[i]; !sameItem(got, want) {
			return fmt.Errorf("%q, item %d of %.200q: kept is\n%+v; want\n%+v", live.URL, i, octets, got, want)
		}
	}
	if len(list) != len(items) {
		return fmt.Errorf("%q: %d items of %.200q; want %d", live.URL, len(list), octets, len(items))
	}
	if !body.closed {
		return fmt.Errorf("%q: closing the menu does not close the body", live.URL)
	}
	return nil
}

// sameItem compares an archived item with a live item. If a reply is missing from the archive, the
// archived item must mention that.
func sameItem(kept, live scheme.Item) bool {
	a, b := kept, live
	if strings.Contains(a.Title, "is not in the archive") {
		a.Title = b.Title
	}
	if strings.Contains(a.Note, "is not in the archive") {
		a.Note = b.Note
	}
	if !a.ModTime.Equal(b.ModTime) {
		return false
	}
	a.ModTime = b.ModTime
	return reflect.DeepEqual(a, b)
}

// read returns the items of a menu and closes the menu.
func read(t testing.TB, m *scheme.Menu) (items []scheme.Item) {
	t.Helper()
	for item, err := range m.Items {
		if err != nil {
			t.Fatalf("%q: %v", m.URL, err)
		}
		items = append(items, item)
	}
	if err := m.Close(); err != nil {
		t.Errorf("%q: %v", m.URL, err)
	}
	return items
}

// ReadArchived reads a resource from arbitrary archived octets, for a fuzz test. The test fails if
// reading does not end, does not close the archived body, or opens a connection.
func ReadArchived(t *testing.T, s scheme.Scheme, u locus.URL, mediaType string, octets []byte) {
	t.Helper()
	body := &closer{Reader: bytes.NewReader(octets)}
	res, err := s.Access.Archived(u, mediaType, body)
	if err == nil {
		drain(res)
	}
	if !body.closed {
		t.Errorf("%q: the body of %q is not closed: %T, %v", u, octets, res, err)
	}
}

type closer struct {
	io.Reader
	closed bool
}

func (c *closer) Close() error {
	c.closed = true
	return nil
}
