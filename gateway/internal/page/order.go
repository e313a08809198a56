package page

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/locus-url/locus/scheme"
)

// order is the order of a list. The zero order is the server's.
type order struct {
	by   string
	down bool
}

const (
	byThread = "thread"
	tooMany  = "too many" // too many items to be sorted
)

// orders are the orders that each layout can have.
var orders = map[layout][]string{
	listing:  {"name", "size", "date", "kind"},
	groups:   {"name", "count"},
	articles: {byThread, "number", "date", "from", "name"},
	results:  {"name", "score", "date", "size"},
}

func parseOrder(text string) order {
	by, down := strings.CutPrefix(text, "-")
	for _, list := range orders {
		if slices.Contains(list, by) {
			return order{by, down}
		}
	}
	return order{}
}

// suits reports whether a layout can have the order.
func (o order) suits(l layout) bool {
	return o.by == "" || slices.Contains(orders[l], o.by)
}

// sort sorts items, and returns the depth of each in a thread.
func (o order) sort(p *Printer, items []scheme.Item) (depths []int) {
	if o.by == byThread {
		return threads(items, o.down)
	}
	if o.by != "" && o.by != tooMany {
		slices.SortStableFunc(items, func(a, b scheme.Item) int {
			n := o.compare(p, &a, &b)
			if o.down {
				n = -n
			}
			return cmp.Or(n, byName(&a, &b))
		})
	}
	return make([]int, len(items))
}

func (o order) compare(p *Printer, a, b *scheme.Item) int {
	switch o.by {
	case "size":
		return cmp.Compare(a.Size, b.Size)
	case "date":
		return a.ModTime.Compare(b.ModTime)
	case "from":
		return cmp.Compare(strings.ToLower(a.Note), strings.ToLower(b.Note))
	case "kind":
		return cmp.Compare(p.kindOfItem(a).Label, p.kindOfItem(b).Label)
	case "score", "number", "count":
		x, _ := number(a, o.by)
		y, _ := number(b, o.by)
		return cmp.Compare(x, y)
	}
	// Folders come before files.
	return cmp.Or(cmp.Compare(notMenu(a), notMenu(b)), byName(a, b))
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

// threads sorts articles so that replies follow, and returns the depth of each. Threads
// are in the order of their first article, or with down in reverse.
func threads(items []scheme.Item, down bool) []int {
	byID := make(map[string]int, len(items))
	for n := range items {
		if id, _ := fieldOf[string](&items[n], "messageId"); id != "" {
			byID[id] = n
		}
	}
	replies := make([][]int, len(items))
	var roots []int
	for n := range items {
		references, _ := fieldOf[[]string](&items[n], "references")
		parent := -1
		for k := len(references) - 1; k >= 0 && parent < 0; k-- {
			// Only earlier articles count, so that there are no cycles.
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
	if down {
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
