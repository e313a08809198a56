package browse

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
)

// longMenu returns a library that contains a menu of n items.
func longMenu(n int) *library {
	items := make([]scheme.Item, n)
	for i := range items {
		items[i] = item(fmt.Sprintf("ftp://h.example/pub/file-%d.txt", i), fmt.Sprintf("file-%d.txt", i), scheme.KindObject)
	}
	return &library{open: map[string]func() scheme.Resource{"ftp://h.example/pub/": menu("pub", items...)}}
}

// BenchmarkScrollLongMenu measures scrolling by a screen in a menu of 20,000 items.
func BenchmarkScrollLongMenu(b *testing.B) {
	t := newTester(b, longMenu(20_000), "ftp://h.example/pub/", 80, 24)
	t.keys("end")
	for b.Loop() {
		t.keys("pgup pgdown down")
		t.m.View()
	}
}

// BenchmarkKeys measures single keys at the end of a menu of 20,000 items.
func BenchmarkKeys(b *testing.B) {
	for _, names := range []string{"down", "up", "tab", "shift+tab", "pgup", "pgdown", "home", "end", "n", "1 9 9 9 9 y"} {
		b.Run(strings.ReplaceAll(names, " ", ""), func(b *testing.B) {
			t := newTester(b, longMenu(20_000), "ftp://h.example/pub/", 80, 24)
			t.keys("/").typing("file-19990.txt")
			t.keys("end")
			for b.Loop() {
				t.keys(names)
				t.m.View()
			}
		})
	}
}

// BenchmarkOpen measures the time from the items of a menu to the first screen.
func BenchmarkOpen(b *testing.B) {
	for _, n := range []int{20, 20_000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			l := longMenu(n)
			for b.Loop() {
				newTester(b, l, "ftp://h.example/pub/", 80, 24).m.View()
			}
		})
	}
}

// BenchmarkLayLongMenu measures the layout of a menu of 20,000 items for a new width.
func BenchmarkLayLongMenu(b *testing.B) {
	t := newTester(b, longMenu(20_000), "ftp://h.example/pub/", 80, 24)
	p, width := t.m.current().page, 80
	for b.Loop() {
		width = 120 - width
		p.lay(width)
	}
}

// heap returns the number of heap bytes in use.
func heap() uint64 {
	runtime.GC()
	var s runtime.MemStats
	runtime.ReadMemStats(&s)
	return s.HeapAlloc
}

// After 1,000 pages, a history uses little more memory than after 100 pages.
func TestHistoryMemory(t *testing.T) {
	l := &library{open: map[string]func() scheme.Resource{}}
	text := strings.Repeat("A line of a page with a link to <URL:http://h.example/>.\n", 1000)
	for i := range 1000 {
		l.open[fmt.Sprintf("gopher://h.example/0/%d", i)] = object("text/plain", text)
	}
	b := newTester(t, l, "gopher://h.example/0/0", 80, 24)
	var early uint64
	for i := range 1000 {
		b.m.typed(fmt.Sprintf("gopher://h.example/0/%d", i))
		b.do(b.m.commands())
		if i == 100 {
			early = heap()
		}
	}
	if late := heap(); late > early+8<<20 {
		t.Errorf("%d octets after 1,000 pages, %d after 100", late, early)
	} else {
		t.Logf("%d octets after 1,000 pages, %d after 100", late, early)
	}
	// The browser opens a dropped page again.
	n := len(l.asked)
	for range 100 {
		b.keys("b")
	}
	b.wants("A line of a page")
	if len(l.asked) == n {
		t.Error("no page was dropped")
	}
}

// The time for breaking a long line is proportional to its length.
func TestLongLine(t *testing.T) {
	l := &library{open: map[string]func() scheme.Resource{}}
	l.open["gopher://h.example/0/x"] = object("text/plain", strings.Repeat("x", 4<<20))
	l.open["gopher://h.example/0/blank"] = object("text/plain", strings.Repeat(" ", 4<<20)+"\u0301")
	l.open["gopher://h.example/0/mark"] = object("text/plain; charset=utf-8", "a"+strings.Repeat("\u0301", 1<<20))
	for _, name := range []string{"x", "blank", "mark"} {
		b := newTester(t, l, "gopher://h.example/0/"+name, 80, 24)
		b.keys("end")
		b.screen()
	}
}
