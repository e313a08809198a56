package locus

import (
	"strings"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
)

// FromWindowsPath returns the file URL for a Windows path such as C:\Users\joe, C:/Users/joe,
// or \\server\share\joe. ok reports whether text is a Windows path. [Parse] rejects
// C:\Users\joe and \\server\share, but reads C:/Users/joe as a URL with the scheme "c".
func FromWindowsPath(text string) (url string, ok bool) {
	slashes := strings.ReplaceAll(text, `\`, "/")
	prefix := "file:"
	switch {
	case strings.HasPrefix(text, `\\`) && len(text) > 2:
	case len(text) > 2 && octet.Is(text[0], octet.Alpha) && text[1] == ':' && slashes[2] == '/' && !strings.HasPrefix(text[2:], "//"):
		prefix = "file:///"
	default:
		return "", false
	}
	return prefix + escape.Encode(slashes, escape.Unreserved().With("/:")), true
}
