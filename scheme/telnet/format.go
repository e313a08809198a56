package telnet

import (
	"fmt"
	"log/slog"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (t URL) Format(s fmt.State, verb rune) { t.url.Format(s, verb) }

// LogValue is the URL with "***" for a password.
func (t URL) LogValue() slog.Value { return slog.StringValue(t.url.Redacted()) }
