// Package term makes text that came from elsewhere safe to show on a terminal.
//
// A server's line, a file's name or a URL can hold escape sequences that move
// the cursor, rename the window or answer for the person at the keyboard (RFC
// 1738 section 6: data that is taken for something else). Nothing of that kind
// is passed on; what it was is shown instead.
package term

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/mattn/go-runewidth"

	"github.com/locus-url/locus/internal/charset"
)

// Safe returns s with all that a terminal could obey written as visible escapes:
// control characters (also those of ISO Latin 1), the marks that turn the
// direction of writing, other characters without a shape, and octets that are
// no UTF-8. Line ends and tabs are among them; what may stay in lines is
// [SafeLines].
func Safe(s string) string { return safe(s, "") }

// SafeLines is [Safe] for text of several lines: it leaves line feeds and tabs.
func SafeLines(s string) string { return safe(s, "\n\t") }

// IsSafe reports whether a terminal only shows r. Line feeds and tabs are not
// safe.
func IsSafe(r rune) bool {
	if r < utf8.RuneSelf {
		return r >= ' ' && r != 0x7F
	}
	// Graphic leaves out the controls of ISO Latin 1, format characters, among
	// them every direction mark, the line and paragraph separators, and what is
	// private or unassigned.
	return unicode.IsGraphic(r)
}

// Characters returns octets as text: UTF-8 if they are, else ISO Latin 1, in which
// every octet is a character. The result is not safe for a terminal.
func Characters(octets string) string {
	return charset.Text(octets)
}

func safe(s, keep string) string {
	for i, r := range s {
		if r == utf8.RuneError || !IsSafe(r) && !strings.ContainsRune(keep, r) {
			return rewrite(s, i, keep)
		}
	}
	return s
}

// rewrite writes s with what is not safe as escapes; up to start all is safe.
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

// width is how wide characters are: the locale is not asked, so that the same
// text is laid out the same everywhere.
var width = runewidth.Condition{StrictEmojiNeutral: true}

// Width returns how many columns s takes, which must be safe.
func Width(s string) int { return width.StringWidth(s) }

// Truncate returns s, which must be safe, cut to n columns; "..." stands for
// what was cut off if there is room for it.
func Truncate(s string, n int) string {
	if n < len("...") {
		return width.Truncate(s, max(n, 0), "")
	}
	return width.Truncate(s, n, "...")
}
