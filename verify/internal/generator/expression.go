package generator

import (
	"regexp"
	"sync"
)

// expression returns a function that compiles a regular expression at its first call. Most runs of
// a program never need the expression.
func expression(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
