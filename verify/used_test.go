package verify

import (
	"slices"
	"testing"

	"github.com/locus-url/locus/policy"
)

// A second run and a second loop over the first run return an error, and do not succeed without
// results.
func TestSecondRun(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	v := New(w.client, nil)
	sources := slices.Values([]Source{textDoc("d", "http://none.example/")})
	first := v.Run(t.Context(), sources)
	if list := slices.Collect(first); len(list) != 1 || list[0].Err != nil {
		t.Fatalf("the first run: %+v", list)
	}
	for _, second := range [][]Result{slices.Collect(first), slices.Collect(v.Run(t.Context(), sources))} {
		if len(second) != 1 || second[0].Err != ErrUsed {
			t.Errorf("%+v", second)
		}
	}
}
