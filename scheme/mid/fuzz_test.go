package mid_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/mid"
)

func FuzzParse(f *testing.F)    { fuzzParse(f, invariants, seeds) }
func FuzzParseCID(f *testing.F) { fuzzParse(f, cidInvariants, cidSeeds) }

func fuzzParse(f *testing.F, invariants bnftest.Invariants, seeds []string) {
	invariants.Fuzz(f, seeds, func(t *testing.T, u locus.URL) {
		m, _ := mid.Parse(u)
		id, _ := m.ContentID()
		made, err := mid.Parts{MessageID: m.MessageID(), ContentID: id}.URL()
		invariants.Remade(t, u, made.URL(), err)
	})
}
