package mailto_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/mailto"
)

func FuzzParse(f *testing.F) {
	f.Add("mailto:?to=%22a,b%22@c&body=%0D%0A")
	invariants.Fuzz(f, seeds, func(t *testing.T, u locus.URL) {
		m, _ := mailto.Parse(u)
		made, err := mailto.Parts{AddrSpec: m.AddrSpec()}.URL()
		invariants.Remade(t, u, made.URL(), err)
		if address, err := m.Address(); err == nil && strings.ContainsAny(address, "\r\n\x00") {
			t.Errorf("%q: Address gives %q", u, address)
		}
		h, err := m.Headers()
		if err != nil {
			return
		}
		for _, to := range h.To {
			if strings.ContainsAny(to, "\r\n\x00") {
				t.Errorf("%q: to %q", u, to)
			}
		}
		for _, field := range h.Fields {
			if !strings.EqualFold(field.Name, "body") && strings.ContainsAny(field.Name+field.Value, "\r\n\x00") {
				t.Errorf("%q: field %q", u, field)
			}
		}
	})
}
