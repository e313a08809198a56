package syntax

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// wrapWidth is the length of a line of --wrap, in octets. It leaves room for quote
// marks in 80 columns.
const wrapWidth = 72

const wrapHelp = "write URLs as <URL:...> in lines of 72 octets"

func wrap(u locus.URL) (string, error) {
	wrapped, err := locus.Wrap(u, wrapWidth)
	if err != nil {
		return "", fmt.Errorf("--wrap: %w", err)
	}
	return wrapped, nil
}

func indented(text string, column int) string {
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", column))
}
