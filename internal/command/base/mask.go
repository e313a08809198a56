package base

import (
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/locus-url/locus"
)

// quotedText matches a quoted text in a message.
var quotedText = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`"(?:[^"\\]|\\.)*"`) })

// maskUsage masks passwords in a message about arguments, the environment or the configuration.
// The packages that parse them may quote their text in errors.
func maskUsage(message string, args []string) string {
	for _, arg := range args {
		_, value, _ := strings.Cut(arg, "=")
		for _, text := range []string{arg, value} {
			if masked := locus.Mask(text); masked != text {
				message = strings.ReplaceAll(message, text, masked)
			}
		}
	}
	return quotedText().ReplaceAllStringFunc(message, func(quoted string) string {
		text, err := strconv.Unquote(quoted)
		if err != nil {
			text = quoted[1 : len(quoted)-1]
		}
		masked := locus.Mask(text)
		if masked == text {
			return quoted
		}
		return strconv.Quote(masked)
	})
}

// usageMessage is an error with masked passwords in its text.
type usageMessage struct {
	error
	text string
}

func (e usageMessage) Error() string { return e.text }
func (e usageMessage) Unwrap() error { return e.error }
