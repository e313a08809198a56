package mid_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/mid"
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
		m, err := mid.Parse(u)
		if err != nil {
			return
		}
		if again, err := mid.Parse(m.URL()); again != m || err != nil {
			t.Errorf("%q: read again: %v", text, err)
		}
		id, _ := m.ContentID()
		parts := mid.Parts{MessageID: m.MessageID(), ContentID: id}
		made, err := parts.URL()
		if err != nil {
			// Escapes may be longer than what they stand for.
			if u.Len() < locus.MaxLen/3 {
				t.Errorf("%q: %+v: %v", text, parts, err)
			}
			return
		}
		if again, _ := made.ContentID(); made.MessageID() != m.MessageID() || again != id {
			t.Errorf("%q: %+v made %q", text, parts, made.URL())
		}
	})
}
