package advice_test

import (
	"testing"

	"github.com/locus-url/locus/internal/advice"
	"github.com/locus-url/locus/scheme"
)

func TestValueText(t *testing.T) {
	for _, c := range []struct {
		value any
		want  string
	}{
		{"a b", "a b"},
		{"caf\xe9", "café (ISO Latin 1)"},
		{[]string{"pub", "\xe9"}, `["pub", "é (ISO Latin 1)"]`},
		{[]string{}, "[]"},
		{[][]scheme.Field{{{Name: "number", Value: 1}, {Name: "content", Value: "x"}}, {{Name: "number", Value: 2}}}, "number 1, content x; number 2"},
		{true, "true"},
	} {
		if got := advice.ValueText(c.value); got != c.want {
			t.Errorf("%v: %s, want %s", c.value, got, c.want)
		}
	}
}
