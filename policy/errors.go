package policy

import (
	"errors"
	"strings"

	"github.com/locus-url/locus"
)

// ErrDenied is what every [*DeniedError] is, by [errors.Is].
var ErrDenied = errors.New("denied by the policy")

// DeniedError is a refusal, and the reason for it.
type DeniedError struct {
	// Rule is the name of the rule that refuses, which does not change: "url",
	// "password", "file", "host", "private", "port", "hops", "login", "session",
	// "referral", "data"; where connections are made, "network" and "data-port"; and
	// where mail is sent, "unseen".
	Rule string
	// Subject is what is refused, safe to show: a URL without its password in
	// quotes, or an address.
	Subject string
	// Reason says why, in a clause.
	Reason string
	// Help is the flag that would allow it, "--allow-port 25", or a clause that
	// says what else would; empty: nothing would.
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

// Unwrap returns [ErrDenied].
func (e *DeniedError) Unwrap() error { return ErrDenied }

// deny makes the error about a URL.
func deny(u locus.URL, rule, reason, help string) error {
	return &DeniedError{Rule: rule, Subject: locus.Quote(u.Redacted()), Reason: reason, Help: help}
}
