package policy

import (
	"io/fs"

	"github.com/locus-url/locus"
)

// ErrDenied is wrapped by each [*DeniedError]. It is [fs.ErrPermission].
var ErrDenied error = errDenied{}

type errDenied struct{}

func (errDenied) Error() string        { return "denied by the policy" }
func (errDenied) Is(target error) bool { return target == fs.ErrPermission }

// DeniedError is a refusal, and the reason for it. It is [fs.ErrPermission] too.
type DeniedError struct {
	// Rule is the stable name of the rule: "url", "password", "file", "host", "private",
	// "link-local", "port", "hops", "login", "session", "referral", "data"; for connections
	// also "network" and "data-port"; for sending mail "unseen".
	Rule string
	// Subject is a quoted URL without its password, or an address. It is safe to show.
	Subject string
	// Reason says why, in a clause.
	Reason string
	// Help is a clause that says what to do, or empty.
	Help string
	// Port is the port that would allow it in [Rules].Ports; 0 if none would. A denial by the
	// rule "private" needs Rules.AllowPrivate instead. A denial by the rule "link-local"
	// needs Rules.LinkLocal, with AllowPrivate or TypedPrivate.
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

// deny returns the error about a URL.
func deny(u locus.URL, rule, reason, help string) error {
	return &DeniedError{Rule: rule, Subject: locus.Quote(u.Shown()), Reason: reason, Help: help}
}
