package http

import (
	"fmt"
	"log/slog"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (h URL) Format(s fmt.State, verb rune) { h.url.Format(s, verb) }

// LogValue is the URL with "***" for a password.
func (h URL) LogValue() slog.Value { return slog.StringValue(h.url.Shown()) }
