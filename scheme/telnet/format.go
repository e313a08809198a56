package telnet

import (
	"fmt"
	"log/slog"

	"github.com/locus-url/locus/internal/bnf"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (t URL) Format(s fmt.State, verb rune) { bnf.Format(s, verb, "telnet", t.url) }

// LogValue is the URL with "***" for a password.
func (t URL) LogValue() slog.Value { return slog.StringValue(t.url.Redacted()) }
