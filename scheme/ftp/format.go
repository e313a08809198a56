package ftp

import (
	"fmt"
	"log/slog"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (u URL) Format(s fmt.State, verb rune) { u.u.Format(s, verb) }

// LogValue is the URL with "***" for a password.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.u.Redacted()) }
