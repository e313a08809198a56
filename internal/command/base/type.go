package base

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// shortTypes are short names of media types.
var shortTypes = map[string]string{
	"text": "text/plain", "markdown": "text/markdown", "html": "text/html", "mail": "message/rfc822", "mbox": "application/mbox",
}

// DocumentType returns the media type that the value of the flag --as selects. The value is a
// short name or a media type.
func DocumentType(as string) (string, error) {
	if short, ok := shortTypes[as]; ok {
		return short, nil
	}
	if as != "" && !strings.Contains(as, "/") {
		return "", fmt.Errorf(`unknown type %q: choose text, markdown, html, mail, mbox, or any media type`, as)
	}
	return as, nil
}

// DocumentTypes returns the short names for shell completion.
func DocumentTypes() []string { return slices.Sorted(maps.Keys(shortTypes)) }
