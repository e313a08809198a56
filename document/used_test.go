package document

import (
	"errors"
	"strings"
	"testing"
)

// A second loop over the links of a document must yield an error.
func TestSecondLoop(t *testing.T) {
	links := Links(strings.NewReader("see http://a.example/x"), "a.txt", nil)
	n := 0
	for range 2 {
		for _, err := range links {
			var e *Error
			switch {
			case err == nil:
				n++
			case !errors.Is(err, ErrUsed) || !errors.As(err, &e) || e.Name != "a.txt":
				t.Error(err)
			default:
				n += 100
			}
		}
	}
	if n != 101 {
		t.Error(n)
	}
}
