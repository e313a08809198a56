package mid

import (
	"fmt"
	"log/slog"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (m URL) Format(s fmt.State, verb rune) { m.url.Format(s, verb) }

// LogValue is the URL with "***" for a password.
func (m URL) LogValue() slog.Value { return slog.StringValue(m.url.Redacted()) }
