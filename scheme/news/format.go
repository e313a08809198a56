package news

import (
	"fmt"
	"log/slog"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (n URL) Format(s fmt.State, verb rune) { n.url.Format(s, verb) }

// LogValue is the URL with "***" for a password.
func (n URL) LogValue() slog.Value { return slog.StringValue(n.url.Redacted()) }
