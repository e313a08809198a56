package cid

import (
	"fmt"
	"log/slog"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (c URL) Format(s fmt.State, verb rune) { c.url.Format(s, verb) }

// LogValue is the URL with "***" for a password.
func (c URL) LogValue() slog.Value { return slog.StringValue(c.url.Redacted()) }
