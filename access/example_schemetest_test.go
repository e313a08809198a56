package access_test

import (
	"testing"

	"github.com/locus-url/locus/scheme/schemetest"
)

// The scheme in the example passes the test suite for schemes.
func TestExampleScheme(t *testing.T) {
	schemetest.Run(t, finger(), schemetest.Config{
		Good:       []string{"x-finger://host.example", "x-finger://host.example:79/tim%20bl", "x-finger://host.example/"},
		Bad:        []string{"x-finger:tim", "x-finger:/host/tim", "x-finger://host/a/b", "x-finger://host/a?b", "x-finger://host/a%0D%0Ab", "x-finger://host/%00"},
		Unsendable: []string{"x-finger://host/a%0D%0Ab", "x-finger://host/%0a", "x-finger://host/%00"},
	})
}
