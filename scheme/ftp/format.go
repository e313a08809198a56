package ftp

import (
	"fmt"
	"log/slog"

	"github.com/locus-url/locus/internal/bnf"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (u URL) Format(s fmt.State, verb rune) { bnf.Format(s, verb, "ftp", u.u) }

// LogValue is the URL with "***" for a password.
func (u URL) LogValue() slog.Value { return slog.StringValue(u.u.Redacted()) }
