package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus/scheme"
)

// order is the order of a list. The zero order is the order from the server.
type order struct {
	by         scheme.ColumnKind
	descending bool
}

// These orders do not belong to a column of a list.
const (
	byThread scheme.ColumnKind = "thread"
	byKind   scheme.ColumnKind = "kind"
	tooMany  scheme.ColumnKind = "too many" // there are too many items to sort
)

// parseOrder parses the order in a request. If the text is not the name of an order, it returns the
// zero order.
func parseOrder(text string) order {
	by, down := strings.CutPrefix(text, "-")
	o := order{scheme.ColumnKind(by), down}
	for _, l := range [...]scheme.Listing{scheme.ListFiles, scheme.ListArticles, scheme.ListGroups, scheme.ListResults} {
		if o.by != "" && o.isSupported(l) {
			return o
		}
	}
	return order{}
}

// isSupported reports whether a list with the listing l supports the order.
func (o order) isSupported(l scheme.Listing) bool {
	switch o.by {
	case "":
		return true
	case byThread:
		return l == scheme.ListArticles
	case byKind:
		return l == scheme.ListFiles
	}
	return slices.ContainsFunc(l.Columns(), func(c scheme.Column) bool { return c.Kind == o.by })
}

// sort sorts items, and returns the depth of each item in its thread.
func (o order) sort(p *Printer, items []scheme.Item) (depths []int) {
	if o.by == byThread {
		return sortThreads(items, o.descending)
	}
	if o.by != "" && o.by != tooMany {
		slices.SortStableFunc(items, func(a, b scheme.Item) int {
			n := o.compare(p, &a, &b)
			if o.descending {
				n = -n
			}
			return cmp.Or(n, byName(&a, &b))
		})
	}
	return make([]int, len(items))
}

func (o order) compare(p *Printer, a, b *scheme.Item) int {
	switch o.by {
	case scheme.ColumnTitle:
		// Directories come before files.
		return cmp.Or(cmp.Compare(notMenu(a), notMenu(b)), byName(a, b))
	case scheme.ColumnDate:
		return a.ModTime.Compare(b.ModTime)
	case scheme.ColumnFrom:
		return cmp.Compare(strings.ToLower(a.Note), strings.ToLower(b.Note))
	case byKind:
		return cmp.Compare(p.kindOfItem(a).Label, p.kindOfItem(b).Label)
	}
	x, _ := a.Number(o.by)
	y, _ := b.Number(o.by)
	return cmp.Compare(x, y)
}

func notMenu(i *scheme.Item) int {
	if i.Kind == scheme.KindMenu {
		return 0
	}
	return 1
}

func byName(a, b *scheme.Item) int {
	return cmp.Or(cmp.Compare(strings.ToLower(a.Title), strings.ToLower(b.Title)), cmp.Compare(a.Title, b.Title))
}

// sortThreads sorts articles, so that each reply follows the article to which it replies. It
// returns the depth of each article. The first articles of the threads determine the order of
// the threads. If descending is true, this order is reversed.
func sortThreads(items []scheme.Item, descending bool) []int {
	byID := make(map[string]int, len(items))
	for n := range items {
		if id, _ := items[n].Thread(); id != "" {
			byID[id] = n
		}
	}
	replies := make([][]int, len(items))
	var roots []int
	for n := range items {
		_, references := items[n].Thread()
		parent := -1
		for k := len(references) - 1; k >= 0 && parent < 0; k-- {
			// Only an earlier article can be a parent. This prevents cycles.
			if at, ok := byID[references[k]]; ok && at < n {
				parent = at
			}
		}
		if parent < 0 {
			roots = append(roots, n)
		} else {
			replies[parent] = append(replies[parent], n)
		}
	}
	if descending {
		slices.Reverse(roots)
	}
	type node struct{ at, depth int }
	sorted, depths := make([]scheme.Item, 0, len(items)), make([]int, 0, len(items))
	for _, first := range roots {
		for stack := []node{{first, 0}}; len(stack) > 0; {
			top := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			sorted, depths = append(sorted, items[top.at]), append(depths, top.depth)
			for _, reply := range slices.Backward(replies[top.at]) {
				stack = append(stack, node{reply, top.depth + 1})
			}
		}
	}
	copy(items, sorted)
	return depths
}

func itoa(n int64) string { return strconv.FormatInt(n, 10) }
