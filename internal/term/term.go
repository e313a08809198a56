// Package term makes untrusted text safe to show on a terminal, and edits input lines.
//
// A server's line, a file's name or a URL can have escape sequences that move the cursor,
// rename the window or type for the user (RFC 1738 section 6). None of them is passed on;
// they are shown as visible escapes instead.
package term

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/charset"
	"github.com/mattn/go-runewidth"
)

// Safe returns s with everything that a terminal could interpret as visible escapes:
// control characters (also those of ISO Latin 1), direction marks, other invisible
// characters, and octets that are not UTF-8. That includes line ends and tabs; see
// [SafeLines].
func Safe(s string) string { return safe(s, "") }

// SafeLines is [Safe] for several lines: it keeps line feeds and tabs.
func SafeLines(s string) string { return safe(s, "\n\t") }

// Text returns octets of a server, a file or a user as one safe line, as [Safe] does. They are
// ISO Latin 1 if they are not all UTF-8.
func Text(octets string) string { return Safe(charset.Text(octets)) }

// IsSafe reports whether a terminal only shows r. Line feeds and tabs are not safe.
func IsSafe(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7F
	}
	// Not graphic are the controls of ISO Latin 1, format characters with all direction
	// marks, line and paragraph separators, and private or unassigned characters.
	return unicode.IsGraphic(r)
}

func safe(s, keep string) string {
	for i, r := range s {
		if r == utf8.RuneError || !IsSafe(r) && !strings.ContainsRune(keep, r) {
			return rewrite(s, i, keep)
		}
	}
	return s
}

// rewrite escapes what is not safe from start on.
func rewrite(s string, start int, keep string) string {
	var b strings.Builder
	b.WriteString(s[:start])
	for i := start; i < len(s); {
		r, n := utf8.DecodeRuneInString(s[i:])
		switch {
		case r == utf8.RuneError && n == 1:
			fmt.Fprintf(&b, `\x%02x`, s[i])
		case IsSafe(r) || strings.ContainsRune(keep, r):
			b.WriteString(s[i : i+n])
		case r < 0x80:
			fmt.Fprintf(&b, `\x%02x`, r)
		case r <= 0xFFFF:
			fmt.Fprintf(&b, `\u%04x`, r)
		default:
			fmt.Fprintf(&b, `\U%08x`, r)
		}
		i += n
	}
	return b.String()
}

// width does not depend on the locale, so that text is laid out the same everywhere.
var width = runewidth.Condition{StrictEmojiNeutral: true}

// Width returns how many columns s takes. s must be safe.
func Width(s string) int { return width.StringWidth(s) }

// Truncate cuts s, which must be safe, to n columns. "..." replaces what was cut if there
// is room for it.
func Truncate(s string, n int) string {
	if n < len("...") {
		return width.Truncate(s, max(n, 0), "")
	}
	return width.Truncate(s, n, "...")
}
