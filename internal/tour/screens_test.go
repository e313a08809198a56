package tour

import (
	"slices"
	"testing"
)

func TestWrap(t *testing.T) {
	for text, want := range map[string][]string{
		"":                 {""},
		"a b c":            {"a b c"},
		"one two three":    {"one", "two", "three"},
		"aa bb cc":         {"aa bb", "cc"},
		"incomprehensible": {"incomprehensible"},
	} {
		if got := wrap(text, 5); !slices.Equal(got, want) {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
