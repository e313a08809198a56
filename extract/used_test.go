package extract

import (
	"strings"
	"testing"
)

// A reader returns its text only once. So a second loop must yield an error and not an empty
// result.
func TestSecondLoop(t *testing.T) {
	const text = "see http://a.example/x"
	count := func(list func(func(Match, error) bool)) (n int, last error) {
		for _, err := range list {
			if last = err; err == nil {
				n++
			}
		}
		return n, last
	}
	once := Stream(strings.NewReader(text), nil)
	if n, err := count(once); n != 1 || err != nil {
		t.Fatal(n, err)
	}
	if n, err := count(once); n != 0 || err != ErrUsed {
		t.Error(n, err)
	}
}
