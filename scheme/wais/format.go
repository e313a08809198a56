package wais

import (
	"fmt"
	"log/slog"
)

// Format writes the URL for every verb, with "***" instead of a password (see
// [github.com/locus-url/locus.Mask]).
func (x URL) Format(s fmt.State, verb rune) { x.url.Format(s, verb) }

// LogValue returns the URL with "***" instead of a password.
func (x URL) LogValue() slog.Value { return slog.StringValue(x.url.Shown()) }
