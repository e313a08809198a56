package gopher

import (
	"math/rand/v2"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/schemetest"
)

// If the fast path accepts a URL, findings must return nothing.
func TestFastPath(t *testing.T) {
	rnd := rand.New(rand.NewPCG(1738, 19))
	passed := 0
	for range 50_000 {
		u, err := locus.Parse(schemetest.Change(rnd, seeds))
		if err != nil || !isSound(u) {
			continue
		}
		passed++
		if found := findings(u, locus.RFC1738); found != nil {
			t.Fatalf("%q passes, and has %v", u, found)
		}
	}
	if passed < 100 {
		t.Errorf("%d of the URLs pass", passed)
	}
}
