package mailto_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/mailto"
)

func FuzzParse(f *testing.F) {
	for _, text := range seeds {
		f.Add(text)
	}
	f.Add("mailto:?to=%22a,b%22@c&body=%0D%0A")
	f.Fuzz(func(t *testing.T, text string) {
		laws.Text(t, text)
		u, err := locus.Parse(text)
		if err != nil {
			return
		}
		m, err := mailto.Parse(u)
		if err != nil {
			return
		}
		if again, err := mailto.Parse(m.URL()); again != m || err != nil {
			t.Errorf("%q: read again: %v", text, err)
		}
		if made, err := (mailto.Parts{AddrSpec: m.AddrSpec()}).URL(); err == nil && made.AddrSpec() != m.AddrSpec() {
			t.Errorf("%q: %q made %q", text, m.AddrSpec(), made.URL())
		}
		if address, err := m.Address(); err == nil && strings.ContainsAny(address, "\r\n\x00") {
			t.Errorf("%q: Address gives %q", text, address)
		}
		h, err := m.Headers()
		if err != nil {
			return
		}
		for _, to := range h.To {
			if strings.ContainsAny(to, "\r\n\x00") {
				t.Errorf("%q: to %q", text, to)
			}
		}
		for _, field := range h.Fields {
			if !strings.EqualFold(field.Name, "body") && strings.ContainsAny(field.Name+field.Value, "\r\n\x00") {
				t.Errorf("%q: field %q", text, field)
			}
		}
	})
}
