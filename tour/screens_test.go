package tour

import (
	"slices"
	"strings"
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
	if got := cut(strings.Repeat("x", 9), 8); got != "xxxxx..." || cut(got, 8) != got {
		t.Errorf("%q", got)
	}
}
