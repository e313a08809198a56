package pool

import (
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// conn is a connection whose Quit method records the name of the connection.
type conn struct {
	key, name string
	rank      int
	quit      *names
}

type names struct {
	mu   sync.Mutex
	list []string
}

func (c *conn) Key() string { return c.key }

func (c *conn) Quit() {
	c.quit.mu.Lock()
	defer c.quit.mu.Unlock()
	c.quit.list = append(c.quit.list, c.name)
}

func rank(c *conn) int { return c.rank }

func TestPool(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var quit names
		p := Pool[string, *conn]{PerKey: 2, IdleTime: time.Minute}
		put := func(key, name string, rank int) { p.Put(&conn{key, name, rank, &quit}) }
		take := func(key string) string {
			c, ok := p.Take(key, rank)
			if !ok {
				return ""
			}
			return c.name
		}
		gone := func(want ...string) {
			t.Helper()
			quit.mu.Lock()
			defer quit.mu.Unlock()
			slices.Sort(quit.list)
			if !slices.Equal(quit.list, want) {
				t.Errorf("%q quit, want %q", quit.list, want)
			}
			quit.list = nil
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
		gone("2") // the least recently used connection
		time.Sleep(time.Minute)
		synctest.Wait()
		gone("3", "4", "5")
		put("a", "6", 0)
		time.Sleep(time.Second)
		if take("a") != "6" {
			t.Error("it expired too early")
		}
		time.Sleep(time.Hour)
		gone() // a connection does not expire after Take has removed it
		for i := range Max {
			put(fmt.Sprint(i), fmt.Sprint(i), 0)
		}
		gone()
		put("x", "x", 0)
		gone("0")
		p.Close()
		if len(quit.list) != Max {
			t.Errorf("%d quit at the end", len(quit.list))
		}
		quit.list = nil
		put("a", "late", 0)
		gone("late")
		none := Pool[string, *conn]{IdleTime: time.Minute}
		none.Put(&conn{"a", "not kept", 0, &quit})
		gone("not kept")
	})
}
