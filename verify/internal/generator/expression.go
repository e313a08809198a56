package generator

import (
	"regexp"
	"sync"
)

// expression returns a function that compiles a regular expression once, when it is first
// needed: most runs of a program need none.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
