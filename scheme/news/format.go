package news

import (
	"fmt"
	"log/slog"

	"github.com/locus-url/locus/internal/bnf"
)

// Format writes the URL with "***" for a password, whatever the verb: see
// [github.com/locus-url/locus.Mask].
func (n URL) Format(s fmt.State, verb rune) { bnf.Format(s, verb, "news", n.url) }

// LogValue is the URL with "***" for a password.
func (n URL) LogValue() slog.Value { return slog.StringValue(n.url.Redacted()) }
