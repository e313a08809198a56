package pool

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// conn has a place, a name and a rank; who took leave is written down.
type conn struct {
	place, name string
	rank        int
	left        *names
}

type names struct {
	mu   sync.Mutex
	list []string
}

func (c *conn) Place() string { return c.place }

func (c *conn) Quit() {
	c.left.mu.Lock()
	defer c.left.mu.Unlock()
	c.left.list = append(c.left.list, c.name)
}

func rank(c *conn) int { return c.rank }

func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var left names
		p := Pool[string, *conn]{Most: 2, Time: time.Minute}
		put := func(place, name string, rank int) { p.Put(&conn{place, name, rank, &left}) }
		take := func(place string) string {
			c, ok := p.Take(place, rank)
			if !ok {
				return ""
			}
			return c.name
		}
		gone := func(want ...string) {
			t.Helper()
			left.mu.Lock()
			defer left.mu.Unlock()
			slices.Sort(left.list)
			if !slices.Equal(left.list, want) {
				t.Errorf("%q took leave, want %q", left.list, want)
			}
			left.list = nil
		}
		put("a", "1", 0)
		put("b", "2", 0)
		put("a", "3", 0)
		if got := take("c") + take("a") + take("a") + take("a") + take("b"); got != "312" {
			t.Errorf("taken %q", got)
		}
		put("a", "1", 1)
		put("a", "2", 0)
		put("b", "3", -1)
		if got := take("a") + take("b"); got != "1" {
			t.Errorf("by rank %q", got)
		}
		put("a", "4", 0)
		put("a", "5", 0)
		gone("2") // the one used longest ago of too many
		time.Sleep(time.Minute)
		synctest.Wait()
		gone("3", "4", "5")
		put("a", "6", 0)
		time.Sleep(time.Second)
		if take("a") != "6" {
			t.Error("it was forgotten too early")
		}
		time.Sleep(time.Hour)
		gone() // who was taken does not expire
		for i := range Max {
			put(fmt.Sprint(i), fmt.Sprint(i), 0)
		}
		gone()
		put("x", "x", 0)
		gone("0")
		p.Close()
		if len(left.list) != Max {
			t.Errorf("%d took leave at the end", len(left.list))
		}
		left.list = nil
		put("a", "late", 0)
		gone("late")
		none := Pool[string, *conn]{Time: time.Minute}
		none.Put(&conn{"a", "kept by nobody", 0, &left})
		gone("kept by nobody")
	})
}
