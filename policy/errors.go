package policy

import (
	"errors"
	"io/fs"
	"strings"

	"github.com/locus-url/locus"
)

// ErrDenied is wrapped by each [*DeniedError].
var ErrDenied = errors.New("denied by the policy")

// DeniedError is a refusal, and the reason for it. It is [fs.ErrPermission] too.
type DeniedError struct {
	// Rule is the stable name of the rule: "url", "password", "file", "host", "private",
	// "port", "hops", "login", "session", "referral", "data"; for connections also
	// "network" and "data-port"; for sending mail "unseen".
	Rule string
	// Subject is a quoted URL without its password, or an address. It is safe to show.
	Subject string
	// Reason says why, in a clause.
	Reason string
	// Help is the flag that allows it, "--allow-port 25", or a clause that says what
	// to do. Empty: nothing allows it.
	Help string
}

func (e *DeniedError) Error() string {
	text := "policy: " + e.Subject + ": " + e.Reason
	switch {
	case e.Help == "":
		return text
	case strings.HasPrefix(e.Help, "--"):
		return text + " (" + e.Help + " allows it)"
	}
	return text + " (" + e.Help + ")"
}

// Unwrap returns [ErrDenied] and [fs.ErrPermission].
func (e *DeniedError) Unwrap() []error { return []error{ErrDenied, fs.ErrPermission} }

// deny returns the error about a URL.
func deny(u locus.URL, rule, reason, help string) error {
	return &DeniedError{Rule: rule, Subject: locus.Quote(u.Redacted()), Reason: reason, Help: help}
}
