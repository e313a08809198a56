package cid_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/cid"
)

func FuzzParse(f *testing.F) {
	laws.Fuzz(f, seeds, func(t *testing.T, u locus.URL) {
		c, _ := cid.Parse(u)
		made, err := cid.Parts{ContentID: c.ContentID()}.URL()
		laws.Remade(t, u, made.URL(), err)
	})
}
