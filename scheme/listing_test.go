package scheme_test

import (
	"slices"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// The fields, size and time of its first link must determine the Listing of a menu.
func TestListing(t *testing.T) {
	u := locus.MustParse("gopher://h/1x")
	link := scheme.Item{URL: u, Size: -1}
	with := func(i scheme.Item, list ...any) scheme.Item {
		for n := 0; n < len(list); n += 2 {
			i.Fields = append(i.Fields, scheme.Field{Name: list[n].(string), Value: list[n+1]})
		}
		return i
	}
	sized, dated := link, link
	sized.Size, dated.ModTime = 0, time.Unix(0, 0)
	for want, list := range map[scheme.Listing][]scheme.Item{
		scheme.ListLinks: {
			link, {Size: 1}, with(scheme.Item{Size: -1}, "count", 1), with(link, "lines", 3), with(link, "messageId", "a@h"), with(link, "number", 1),
			with(link, "count", "1"), with(link, "score", nil), with(link, "number", 1, "messageId", 2), with(link, "count", nil, "count", 1),
		},
		scheme.ListFiles:    {sized, dated, with(sized, "number", 1)},
		scheme.ListArticles: {with(sized, "number", 1, "messageId", ""), with(link, "messageId", "a@h", "score", 1, "count", 2, "number", 3)},
		scheme.ListGroups:   {with(sized, "count", 0), with(link, "score", 1, "count", 2)},
		scheme.ListResults:  {with(sized, "score", 0)},
	} {
		for _, i := range list {
			if got := i.Listing(); got != want {
				t.Errorf("%+v: %s, want %s", i, got, want)
			}
		}
	}
}

func TestColumns(t *testing.T) {
	item := scheme.Item{Size: 5, Fields: []scheme.Field{
		{Name: "number", Value: 1}, {Name: "count", Value: 2}, {Name: "score", Value: -3}, {Name: "size", Value: 4}, {Name: "date", Value: "1994"},
		{Name: "messageId", Value: "a@h"}, {Name: "references", Value: []string{"b@h", "c@h"}}, {Name: "wtypes", Value: []string{"TEXT", "PS"}},
	}}
	want := map[scheme.ColumnKind]int64{scheme.ColumnNumber: 1, scheme.ColumnCount: 2, scheme.ColumnScore: -3, scheme.ColumnSize: 5}
	for _, l := range []scheme.Listing{scheme.ListLinks, scheme.ListFiles, scheme.ListArticles, scheme.ListGroups, scheme.ListResults} {
		seen := map[scheme.ColumnKind]bool{}
		for _, c := range l.Columns() {
			if n, ok := item.Number(c.Kind); ok != c.Number || n != want[c.Kind] || c.Title == "" || seen[c.Kind] {
				t.Errorf("%s: %+v is %d, %v", l, c, n, ok)
			}
			seen[c.Kind] = true
		}
		if seen[scheme.ColumnTitle] != (l != scheme.ListLinks) {
			t.Errorf("%s has the columns %v", l, seen)
		}
	}
	if n, ok := (&scheme.Item{Size: -1}).Number(scheme.ColumnSize); ok || n != -1 {
		t.Errorf("an unknown size is %d, %v", n, ok)
	}
	id, references := item.Thread()
	if id != "a@h" || !slices.Equal(references, []string{"b@h", "c@h"}) || !slices.Equal(item.Types(), []string{"TEXT", "PS"}) {
		t.Errorf("%q, %q, %q", id, references, item.Types())
	}
}
