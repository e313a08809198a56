package wais

import (
	"fmt"
	"log/slog"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (x URL) Format(s fmt.State, verb rune) { x.url.Format(s, verb) }

// LogValue is the URL with "***" for a password.
func (x URL) LogValue() slog.Value { return slog.StringValue(x.url.Shown()) }
