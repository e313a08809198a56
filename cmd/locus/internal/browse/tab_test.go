package browse

import (
	"fmt"
	"iter"
	"testing"

	"github.com/locus-url/locus/scheme"
)

// A history has a maximum number of entries. Only the nearest entries keep their text, up to a
// maximum size.
func TestHistoryIsBounded(t *testing.T) {
	for _, test := range []struct{ at, octets, want int }{
		{maxEntries - 1, 0, maxPages}, {maxEntries / 2, 0, maxPages}, {0, 0, maxPages},
		{maxEntries - 1, 1 << 20, maxPageSource / (3 << 20)}, {0, maxPageSource, 1},
	} {
		tab := new(tab)
		for range maxEntries + 100 {
			tab.push(&entry{page: &page{}})
		}
		if len(tab.entries) != maxEntries || tab.at != maxEntries-1 {
			t.Fatalf("%d entries, at %d", len(tab.entries), tab.at)
		}
		octets := make([]byte, test.octets)
		for _, e := range tab.entries {
			e.page.octets = octets
		}
		tab.at = test.at
		tab.forget(tab.entries[tab.at])
		kept, far := 0, 0
		for i, e := range tab.entries {
			if e.page != nil {
				kept++
				far = max(far, i-tab.at, tab.at-i)
			}
		}
		if kept != test.want || far > test.want || tab.entries[tab.at].page == nil {
			t.Errorf("at %d, pages of %d octets: %d are kept, want %d; the farthest is %d away", test.at, test.octets, kept, test.want, far)
		}
	}
}

// The browser shows only the first maxItems items of an endless menu, and reports this limit.
func TestLongMenu(t *testing.T) {
	items := func(n int) iter.Seq2[scheme.Item, error] {
		return func(yield func(scheme.Item, error) bool) {
			for i := 0; i < n && yield(scheme.Item{Title: "x", Kind: scheme.KindInfo, Size: -1}, nil); i++ {
			}
		}
	}
	for n, note := range map[int]string{maxItems: "", maxItems + 1: fmt.Sprintf("only the first %d items are shown", maxItems), 1 << 30: fmt.Sprintf("only the first %d items are shown", maxItems)} {
		p, counted := new(page), 0
		if err := p.addItems(items(n), 0, func() { counted++ }); err != nil || counted != maxItems || len(p.blocks) != maxItems || p.note != note {
			t.Errorf("%d items: %d are shown, %q, %v", n, len(p.blocks), p.note, err)
		}
	}
}
