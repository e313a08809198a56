package policy

import (
	"io/fs"

	"github.com/locus-url/locus"
)

// ErrDenied is the error that each [*DeniedError] wraps. It matches [fs.ErrPermission].
var ErrDenied error = errDenied{}

type errDenied struct{}

func (errDenied) Error() string        { return "denied by the policy" }
func (errDenied) Is(target error) bool { return target == fs.ErrPermission }

// DeniedError is a denial and its reason. It wraps ErrDenied, so it also matches
// [fs.ErrPermission].
type DeniedError struct {
	// Rule is the stable name of the rule: "url", "password", "file", "host", "private",
	// "link-local", "port", "hops", "login", "session", "referral" or "data". Denials of
	// connections also use "network" and "data-port", and denials of sending mail use
	// "unseen".
	Rule string
	// Subject is a quoted URL without its password, or an address. Subject is safe to show.
	Subject string
	// Reason is the reason, as a clause.
	Reason string
	// Help is advice on what to do, as a clause, or empty.
	Help string
	// Port is the port that [Rules].Ports must contain to allow the URL, or 0 if no port
	// would allow the URL. A denial by the rule "private" requires Rules.AllowPrivate
	// instead. A denial by the rule "link-local" requires Rules.LinkLocal, with
	// AllowPrivate or TypedPrivate.
	Port uint16
}

func (e *DeniedError) Error() string {
	text := "policy: " + e.Subject + ": " + e.Reason
	if e.Help != "" {
		text += " (" + e.Help + ")"
	}
	return text
}

// Unwrap returns [ErrDenied].
func (e *DeniedError) Unwrap() error { return ErrDenied }

func deny(u locus.URL, rule, reason, help string) error {
	return &DeniedError{Rule: rule, Subject: locus.Quote(u.Shown()), Reason: reason, Help: help}
}
