// Package term makes untrusted text safe to show on a terminal, and edits input lines.
//
// Escape sequences in server text, file names and URLs can move the cursor, rename the window or
// simulate the user's input (RFC 1738 section 6). The package replaces such sequences with visible
// escapes.
package term

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locus-url/locus/internal/charset"
	"github.com/mattn/go-runewidth"
)

// Safe replaces each character in s that a terminal could interpret with a visible escape. Such
// characters are the control characters of US-ASCII and ISO Latin 1, direction marks, other
// invisible characters, and bytes that are not valid UTF-8. Unlike [SafeLines], Safe also escapes
// line ends and tabs.
func Safe(s string) string { return safe(s, "") }

// SafeLines is like [Safe], but preserves line feeds and tabs.
func SafeLines(s string) string { return safe(s, "\n\t") }

// Text returns bytes from a server, a file or a user as one safe line, like [Safe]. If the bytes
// are not valid UTF-8, Text decodes all bytes as ISO Latin 1.
func Text(octets string) string { return Safe(charset.Text(octets)) }

// IsSafe reports whether a terminal displays the character r without any other effect. Line feeds
// and tabs are not safe.
func IsSafe(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7F
	}
	// IsGraphic rejects control characters of ISO Latin 1, format characters including
	// direction marks, line and paragraph separators, and private or unassigned characters.
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

// rewrite escapes the unsafe characters of s, except those in keep. All characters before the
// offset start must be safe.
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

// width does not depend on the locale, so that the layout of text is the same everywhere.
var width = runewidth.Condition{StrictEmojiNeutral: true}

// Width returns the width of s in terminal columns. The string s must be safe.
func Width(s string) int { return width.StringWidth(s) }

// Truncate shortens the string s to at most n columns. The string s must be safe. If there is
// room, Truncate replaces the removed text with "...".
func Truncate(s string, n int) string {
	if n < len("...") {
		return width.Truncate(s, max(n, 0), "")
	}
	return width.Truncate(s, n, "...")
}
