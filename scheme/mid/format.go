package mid

import (
	"fmt"
	"log/slog"

	"github.com/locus-url/locus/internal/bnf"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (m URL) Format(s fmt.State, verb rune) { bnf.Format(s, verb, "mid", m.url) }

// LogValue is the URL with "***" for a password.
func (m URL) LogValue() slog.Value { return slog.StringValue(m.url.Redacted()) }
