package http

import (
	"fmt"
	"log/slog"
)

// Format writes the URL for every verb, with "***" instead of a password (see
// [github.com/locus-url/locus.Mask]).
func (h URL) Format(s fmt.State, verb rune) { h.url.Format(s, verb) }

// LogValue returns the URL with "***" instead of a password.
func (h URL) LogValue() slog.Value { return slog.StringValue(h.url.Shown()) }
