package lens

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// A password with thousands of pieces must cost no more than one with a few, and no
// piece of it may be shown.
func TestPasswordOfManyPieces(t *testing.T) {
	var password strings.Builder
	for i := 0; password.Len() < locus.MaxLen-100; i++ {
		fmt.Fprintf(&password, "%05xq:", i)
	}
	for _, url := range []string{"http://u:" + password.String() + "@h.example/", `http:\\u:` + strings.ReplaceAll(password.String(), ":", "/") + "@h.example/"} {
		reports, err := newLens(t).Compare(t.Context(), []string{url})
		if err != nil {
			t.Fatal(err)
		}
		m := newMask(&reports[0])
		if n := len(m.secrets); n > maxSecrets+1 {
			t.Errorf("%d texts are looked for", n)
		}
		text, err := json.Marshal(reports[0])
		if err != nil || strings.Contains(string(text), "0q") || !strings.Contains(string(text), replacement) {
			t.Errorf("%.2000s, %v", text, err)
		}
	}
}
