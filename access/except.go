package access

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// parseExceptions parses exceptions separated by commas or spaces. The error is a
// [*locus.SyntaxError].
func parseExceptions(text string) (list []policy.Pattern, err error) {
	isBreak := func(c byte) bool { return c == ',' || c == ' ' || c == '\t' }
	for start := 0; start < len(text); start++ {
		if isBreak(text[start]) {
			continue
		}
		end := start
		for end < len(text) && !isBreak(text[end]) {
			end++
		}
		e, ok := parseException(strings.ToLower(text[start:end]))
		if !ok {
			return nil, locus.NewSyntaxError(text, start, "exception", errException)
		}
		list = append(list, e)
		start = end
	}
	return list, nil
}

// errException lists the forms of an exception.
var errException = fmt.Errorf(`%w: write "host", ".domain", an IP address, a prefix like "10.0.0.0/8", each optionally with ":port", or "*"`, locus.ErrValue)

// parseException reads one exception. In no_proxy, "example.com" also matches subdomains,
// and ".example.com" matches only subdomains. A [policy.Pattern] with the same text has the
// opposite meaning.
func parseException(text string) (policy.Pattern, bool) {
	if name, below := strings.CutPrefix(text, "."); below {
		text = "*." + name
	} else if !strings.HasPrefix(text, "*") {
		if p, err := policy.ParsePattern("."+text, nil); err == nil && p.IsHost() {
			return p, true
		}
	}
	p, err := policy.ParsePattern(text, nil)
	return p, err == nil && p.IsHost()
}
