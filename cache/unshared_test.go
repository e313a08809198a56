package cache

import (
	"fmt"
	"testing"
)

// The store remembers at most unsharedMax URLs with responses that can't be shared.
func TestUnsharedIsBounded(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	for i := range 3*unsharedMax + 10 {
		s.dontShare(keyOf(fmt.Sprint(i)))
		if n := len(s.unshared); n > unsharedMax {
			t.Fatalf("%d URLs are remembered", n)
		}
		if _, ok := s.unshared[keyOf(fmt.Sprint(i))]; !ok {
			t.Fatal("the newest is forgotten")
		}
	}
}
