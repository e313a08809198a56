package gopher

import (
	"fmt"
	"log/slog"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (g URL) Format(s fmt.State, verb rune) { g.url.Format(s, verb) }

// LogValue is the URL with "***" for a password.
func (g URL) LogValue() slog.Value { return slog.StringValue(g.url.Shown()) }
