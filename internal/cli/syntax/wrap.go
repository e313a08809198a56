package syntax

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// wrapWidth is the longest line of a URL that --wrap writes, in octets. It leaves
// room for the marks of quoted mail in 80 columns.
const wrapWidth = 72

// wrapHelp is the help of --wrap.
const wrapHelp = "write URLs as <URL:...> in lines of 72 octets"

// wrap returns u as --wrap writes it.
func wrap(u locus.URL) (string, error) {
	wrapped, err := locus.Wrap(u, wrapWidth)
	if err != nil {
		return "", fmt.Errorf("--wrap: %w", err)
	}
	return wrapped, nil
}

// indented returns text with its lines after the first indented to a column.
func indented(text string, column int) string {
	return strings.ReplaceAll(text, "\n", "\n"+strings.Repeat(" ", column))
}
