package http

import (
	"fmt"
	"log/slog"

	"github.com/locus-url/locus/internal/bnf"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (h URL) Format(s fmt.State, verb rune) { bnf.Format(s, verb, "http", h.url) }

// LogValue is the URL with "***" for a password.
func (h URL) LogValue() slog.Value { return slog.StringValue(h.url.Redacted()) }
