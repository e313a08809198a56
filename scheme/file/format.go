package file

import (
	"fmt"
	"log/slog"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (f URL) Format(s fmt.State, verb rune) { f.url.Format(s, verb) }

// LogValue is the URL with "***" for a password.
func (f URL) LogValue() slog.Value { return slog.StringValue(f.url.Redacted()) }
