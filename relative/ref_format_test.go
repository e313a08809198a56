package relative_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus/relative"
)

// No verb of package fmt may show the password in a reference.
func TestRefFormatMasks(t *testing.T) {
	for _, text := range []string{"ftp://user:Secret@h/", "//user:Secret@h/"} {
		r := relative.MustParse(text)
		for _, verb := range []string{"%v", "%+v", "%#v", "%s", "%q"} {
			if got := fmt.Sprintf(verb, r); strings.Contains(got, "ecret") || !strings.Contains(got, "user:***@h") {
				t.Errorf("%s: %s", verb, got)
			}
		}
		if r.String() != text {
			t.Errorf("String: %s", r.String())
		}
	}
}
