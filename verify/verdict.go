package verify

import (
	"fmt"
	"strings"
	"time"

	"github.com/locus-url/locus"
)

// Verdict is the result of verifying a link.
type Verdict uint8

const (
	// Unknown means that the run ended or its client was closed before the link was verified.
	Unknown Verdict = iota
	// Alive means that the resource exists.
	Alive
	// Moved means that the resource exists and was reached through redirects.
	Moved
	// Warning means that the result is still inconclusive after all attempts. Typical causes are
	// HTTP error statuses other than 404 and 410, timeouts, broken connections, overloaded
	// servers, unreachable proxies, and redirect loops. Other causes are more redirects than the
	// policy allows, a Gopher text with an error message, and an unknown scheme.
	Warning
	// Ignored means that the Verifier did not request the link. The reason is a rule, a robots.txt
	// or an incomplete URL, such as a part of a template or a relative reference without a base
	// URL.
	Ignored
	// Unsupported means that the client can't open URLs with the link's scheme.
	Unsupported
	// Denied means that the policy forbids the request.
	Denied
	// Fragment means that the document exists, but does not contain the fragment of the link or of
	// a redirect.
	Fragment
	// Dead means that the server responded "not found" or "gone", or that the host does not exist
	// or refuses connections. Over HTTP, the response to a GET has the status 404 or 410. The FTP
	// code is 550, and the NNTP code is 430.
	Dead
	// TLS means that the server can't prove its identity or does not support TLS. The certificate
	// may be expired, issued for another name, or signed by an unknown authority.
	TLS
	// Malformed means that the text is not a URL, or not a valid URL of its scheme.
	Malformed
)

var verdictNames = [...]string{"unknown", "alive", "moved", "warning", "ignored", "unsupported", "denied", "fragment", "dead", "tls", "malformed"}

// String returns the name of the verdict in lower case.
func (v Verdict) String() string { return verdictNames[v] }

// MarshalText returns the name of the verdict.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses the name of a verdict.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("verify: %w: unknown verdict %s", locus.ErrValue, locus.Quote(string(text)))
}

// IsBad reports whether the link is broken.
func (v Verdict) IsBad() bool { return v == Dead || v == Fragment || v == TLS || v == Malformed }

// Cause is the reason why a link has no final verdict. A program can use the cause to suggest a
// setting. The zero Cause means any other reason.
type Cause uint8

const (
	_ Cause = iota
	// Template means that the link contains a placeholder, as in "https://h/{id}".
	Template
	// ReservedName means that the host name or address is reserved for examples (RFC 2606, 6761,
	// 5737, 3849).
	ReservedName
	// PrivateHost means that the host is the local machine or is in a private network.
	PrivateHost
	// NoNames means that DNS found no host name of the run.
	NoNames
	// AboveRoot means that the link points above the root of the directory, the repository or the
	// site. A link that begins with "/" also has this cause if the site root is unknown.
	AboveRoot
	// NeedsBuild means that only a build of the site can resolve the link.
	NeedsBuild
	// Escaped means that the Verifier added a missing escape or a missing "/" to the link.
	Escaped
	// LinkLocalHost means that the host is a link-local address. The metadata services of cloud
	// providers have such addresses.
	LinkLocalHost
)

// Outcome is the verdict about a link with its reasons.
type Outcome struct {
	Verdict Verdict
	// Cause is the reason why the link has no final verdict, if the verdict is Ignored or Warning.
	Cause Cause
	// Status is the status code of the response, or zero if there is none.
	Status int
	// Detail describes the reason for users. The text may quote the server, so it is not safe for
	// a terminal.
	Detail string
	// Rule and Port are the rule and the port of the [policy.DeniedError], if the policy
	// denied the request.
	Rule string
	Port uint16
	// To is the target of the last redirect, without a password, even if the request for that
	// target failed. To contains a fragment only if a redirect specified the fragment. Without
	// redirects, To is zero.
	To locus.URL
	// Permanent reports whether all redirects were permanent.
	Permanent bool
	// Archive is the URL of an archived copy, without a password. Archive is zero if
	// [Options].Archive returned no URL or if the copy does not exist.
	Archive locus.URL
	// Tries is the number of attempts. Tries is zero if the link needed no request.
	Tries int
	// Cached reports whether the outcome comes from an earlier run.
	Cached bool
	// LastAlive is the last time at which the [Store] recorded the resource as alive, in UTC and
	// whole seconds. LastAlive is zero if the time is unknown or if the resource is alive now.
	LastAlive time.Time

	// hops lists the URLs between the link and To, one per line. It is a string to keep Outcome
	// comparable.
	hops string
}

// Hops returns the targets of the redirects in order, without passwords. The last element is To.
// Without redirects, Hops returns nil.
func (o *Outcome) Hops() []locus.URL {
	if o.To.IsZero() {
		return nil
	}
	var list []locus.URL
	for text := range strings.Lines(o.hops) {
		if u, err := locus.Parse(strings.TrimSuffix(text, "\n")); err == nil {
			list = append(list, u)
		}
	}
	return append(list, o.To)
}

// join returns the URLs between the first and the last element of hops, as the field hops of an
// [Outcome].
func join(hops []locus.URL) string {
	var b strings.Builder
	for i := 1; i < len(hops)-1; i++ {
		b.WriteString(withoutPassword(hops[i]) + "\n")
	}
	return b.String()
}
