package wais

import (
	"errors"
	"io/fs"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
)

func TestDiagnostic(t *testing.T) {
	for _, c := range []struct {
		d    Diagnostic
		kind error
		text string
	}{
		{Diagnostic{Code: "S1", Text: "The following database is not available: /wais/nosuch"}, scheme.ErrNotFound, `wais: no such database (S1): the server says "The following database is not available: /wais/nosuch"`},
		{Diagnostic{Code: "S1", Text: "query syntax error: (("}, scheme.ErrProtocol, `wais: permanent system error (S1): the server says "query syntax error: (("`},
		{Diagnostic{Code: "S2"}, scheme.ErrUnreachable, "wais: temporary system error (S2)"},
		{Diagnostic{Code: "S5", Text: "the"}, scheme.ErrUnsupported, `wais: only stop words (S5): the server says "the"`},
		{Diagnostic{Code: "SF", Text: "Missing DocID in request"}, scheme.ErrNotFound, `wais: out of range (SF): the server says "Missing DocID in request"`},
		{Diagnostic{Code: "SF"}, fs.ErrNotExist, "wais: out of range (SF)"},
		{Diagnostic{Code: "SJ"}, scheme.ErrTooLarge, "wais: record larger than maximum size (SJ)"},
		{Diagnostic{Code: "T2"}, scheme.ErrAuth, "wais: access refused (T2)"},
		{Diagnostic{Code: "T2"}, fs.ErrPermission, "wais: access refused (T2)"},
		{Diagnostic{Code: "zz"}, scheme.ErrProtocol, `wais: diagnostic "zz"`},
		{Diagnostic{Code: "\x1b\n", Text: "\x1b[2J"}, scheme.ErrProtocol, `wais: diagnostic "\x1b\n": the server says "\x1b[2J"`},
		{Diagnostic{}, scheme.ErrProtocol, `wais: diagnostic ""`},
	} {
		if !errors.Is(c.d, c.kind) || c.d.Error() != c.text {
			t.Errorf("%+v: %v; want %s", c.d, c.d.Error(), c.text)
		}
	}
}

// Each known code must have an error kind and a meaning.
func TestMeanings(t *testing.T) {
	kinds := []error{scheme.ErrNotFound, scheme.ErrAuth, scheme.ErrUnreachable, scheme.ErrProtocol, scheme.ErrTooLarge, scheme.ErrUnsupported}
	for code, m := range meanings {
		n := 0
		for _, kind := range kinds {
			if errors.Is(Diagnostic{Code: code}, kind) {
				n++
			}
		}
		if n != 1 || len(code) != 2 || m.text == "" || strings.ToLower(m.text[:1]) != m.text[:1] {
			t.Errorf("%s: %+v, %d kinds", code, m, n)
		}
	}
	if len(meanings) != 37 {
		t.Errorf("%d codes", len(meanings))
	}
}
