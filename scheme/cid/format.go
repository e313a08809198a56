package cid

import (
	"fmt"
	"log/slog"

	"github.com/locus-url/locus/internal/bnf"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (c URL) Format(s fmt.State, verb rune) { bnf.Format(s, verb, "cid", c.url) }

// LogValue is the URL with "***" for a password.
func (c URL) LogValue() slog.Value { return slog.StringValue(c.url.Redacted()) }
