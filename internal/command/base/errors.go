package base

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/transfer"
)

// Failure kinds that package access does not define.
const (
	KindFile   access.Kind = "file"   // a local file can't be used
	kindAnswer access.Kind = "answer" // a form rejects an answer from a flag
	kindInput  access.Kind = "input"  // the input at the terminal ended
)

// KindOf classifies err. For nil it returns "".
func KindOf(err error) access.Kind {
	var wrong *AnswerError
	var wrongField *scheme.AnswerError
	switch {
	case errors.As(err, &wrong), errors.As(err, &wrongField):
		return kindAnswer
	case errors.Is(err, ErrNoAnswer):
		return kindInput
	case errors.Is(err, transfer.ErrFile), errors.Is(err, transfer.ErrExists), errors.Is(err, transfer.ErrForeign),
		errors.Is(err, transfer.ErrName), errors.Is(err, transfer.ErrTwice):
		return KindFile
	case errors.Is(err, transfer.ErrNotObject), errors.Is(err, transfer.ErrCoded):
		return access.Unsupported
	}
	return access.KindOf(err)
}

// StatusOf returns the exit status for a kind of failure.
func StatusOf(kind access.Kind) int {
	switch kind {
	case access.Syntax, kindAnswer:
		return StatusUsage
	case access.Denied:
		return StatusDenied
	case access.Interrupted:
		return StatusInterrupted
	}
	return StatusAccess
}

// AnswerError reports an answer that a form rejects. Locus does not submit such a form. The error
// text never contains the answer.
type AnswerError struct{ error }

// NewWrongAnswer returns err as an [*AnswerError].
func NewWrongAnswer(err error) error { return &AnswerError{err} }

// NewReason returns the JSON description of err.
func NewReason(err error) shape.Reason {
	return shape.Reason{Kind: KindOf(err), Message: shape.Text(locus.MaskText(Message(err)))}
}

// settings maps the reason for a failure to the flag or setting that avoids the failure.
var settings = map[scheme.Reason]string{
	scheme.ReasonEmptySegment: "--cwd none",
	scheme.ReasonNoServer:     "NNTPSERVER in the environment, or news.server in the configuration",
	scheme.ReasonClearLogin:   "news.clear_login in the configuration",
	mid.ReasonNoStore:         "mail.stores in the configuration",
	mid.ReasonNoMessage:       "--in FILE or --in mid:...",
}

// Message returns the text of err. A library does not name the flags and settings of the
// command, so Message adds the flag or setting that avoids the failure.
func Message(err error) string {
	// Remove the names of modules, packages and system calls, which users do not know.
	text := strings.ReplaceAll(err.Error(), ": locus: ", ": ")
	for _, name := range [...]string{"transfer", "verify", "submit", "mirror", "gateway"} {
		text = strings.TrimPrefix(text, name+": ")
	}
	if file := (*fs.PathError)(nil); errors.As(err, &file) && strings.HasSuffix(file.Op, "stat") {
		text = strings.Replace(text, file.Op+" "+file.Path+": ", file.Path+": ", 1)
	}
	if hint := (*scheme.HintError)(nil); errors.As(err, &hint) {
		if setting := settings[hint.Reason]; setting != "" {
			return strings.Replace(text, "("+hint.Hint+")", "("+hint.Hint+": "+setting+")", 1)
		}
	}
	if denied := (*policy.DeniedError)(nil); errors.As(err, &denied) {
		text += AllowedBy(denied.Rule, denied.Port)
	}
	return text
}

// AllowedBy returns the end of a message about a denied URL. The text names the flag that permits
// the URL, or is "" if there is no such flag. The parameters rule and port are fields of a
// [policy.DeniedError].
func AllowedBy(rule string, port uint16) string {
	switch {
	case rule == "private":
		return " (use --allow-private to allow it)"
	case rule == "link-local":
		return " (use --allow-link-local to allow it; links and redirects also need --allow-private)"
	case port != 0:
		return fmt.Sprintf(" (use --allow-port %d to allow it)", port)
	}
	return ""
}
