package policy_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/secrettest"
	"github.com/locus-url/locus/policy"
)

// No error about a pattern shows the password of a mistyped URL, in any case.
func TestPatternHidesPasswords(t *testing.T) {
	for _, text := range secrettest.URLs(secrettest.Password, "host.example") {
		_, err := policy.ParsePattern(text, nil)
		if err != nil && strings.Contains(strings.ToLower(err.Error()), strings.ToLower(secrettest.Half)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}
