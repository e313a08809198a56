package gopher

import (
	"fmt"
	"log/slog"
)

// Format writes the URL for every verb, with "***" instead of a password (see
// [github.com/locus-url/locus.Mask]).
func (g URL) Format(s fmt.State, verb rune) { g.url.Format(s, verb) }

// LogValue returns the URL with "***" instead of a password.
func (g URL) LogValue() slog.Value { return slog.StringValue(g.url.Shown()) }
