package cid_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/cid"
)

func FuzzParse(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		laws.Text(t, text)
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		c, err := cid.Parse(u)
		if err != nil {
			return
		}
		if again, err := cid.Parse(c.URL()); again != c || err != nil {
			t.Errorf("%q: read again: %v", text, err)
		}
		made, err := cid.Parts{ContentID: c.ContentID()}.URL()
		if err != nil {
			// Escapes may be longer than what they stand for.
			if u.Len() < locus.MaxLen/3 {
				t.Errorf("%q: %q: %v", text, c.ContentID(), err)
			}
			return
		}
		if made.ContentID() != c.ContentID() {
			t.Errorf("%q: %q made %q", text, c.ContentID(), made.URL())
		}
	})
}
