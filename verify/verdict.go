package verify

import (
	"fmt"
	"strings"
	"time"

	"github.com/locus-url/locus"
)

// Verdict is the kind of outcome of a link.
type Verdict uint8

const (
	// Unknown means that the run ended or its client was closed before the link was verified.
	Unknown Verdict = iota
	// Alive means that the resource exists.
	Alive
	// Moved means that the resource exists and was reached through redirects.
	Moved
	// Warning means that the result is inconclusive after all tries. Examples are HTTP statuses
	// other than 404 and 410, timeouts, broken connections, an overloaded server, an
	// unreachable proxy, a redirect loop, more redirects than the policy allows, a gopher text
	// that says that something is missing, and a scheme that is registered neither here nor
	// with IANA.
	Warning
	// Ignored means that the link was not requested, because of a rule or a robots.txt, or
	// because the URL is incomplete: part of a template, or a relative reference without a
	// base URL.
	Ignored
	// Unsupported means that the client can't open URLs of the scheme.
	Unsupported
	// Denied means that the policy forbids the request.
	Denied
	// Fragment means that the document exists and lacks the fragment of the link or of a
	// redirect.
	Fragment
	// Dead means that the server of the link responded "not found" or "gone", or that the
	// host does not exist or refuses connections. Over HTTP the request is a GET, and the
	// status is 404 or 410. The FTP code is 550, the NNTP code 430.
	Dead
	// TLS means that the server can't prove its identity or does not speak TLS. Its
	// certificate may have expired, be for another name, or have an unknown authority.
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

// Cause is the reason why a link has no final verdict. A program can use it to suggest a
// setting. The zero Cause stands for all other reasons.
type Cause uint8

const (
	_ Cause = iota
	// Template means that a program fills in a part of the link: "https://h/{id}".
	Template
	// ReservedName means that the host is a name or an address that exists only in
	// examples (RFC 2606, 6761, 5737, 3849).
	ReservedName
	// PrivateHost means that the host is this machine or is in a private network.
	PrivateHost
	// NoNames means that none of the host names of the run was found.
	NoNames
	// AboveRoot means that the link points above the directory, the repository or the site. It
	// also means that the link begins at the root of a site but the root is unknown.
	AboveRoot
	// NeedsBuild means that only a build of the site can resolve the link.
	NeedsBuild
	// Escaped means that the Verifier added an escape or a "/" that the text of the link
	// lacks.
	Escaped
	// LinkLocalHost means that the host is a link-local address, such as the metadata
	// service of a cloud.
	LinkLocalHost
)

// Outcome is the verdict about a link with its reasons.
type Outcome struct {
	Verdict Verdict
	// Cause is the reason why a link that is Ignored or has a Warning has no final verdict.
	Cause Cause
	// Status is the status code of the response, or zero if there is none.
	Status int
	// Detail is a description of the reason for users. It may quote the server, so it is not
	// safe for a terminal.
	Detail string
	// Rule and Port are the rule and the port of the [policy.DeniedError], if the policy
	// denied the request.
	Rule string
	Port uint16
	// To is the target of the last redirect, without a password, even if the request for it
	// failed. It contains a fragment only if a redirect contains one. It is zero if there were
	// no redirects.
	To locus.URL
	// Permanent reports whether all redirects were permanent.
	Permanent bool
	// Archive is the URL of the archived copy, without a password, if [Options].Archive
	// returned one and it exists.
	Archive locus.URL
	// Tries is the number of attempts, or zero if none was needed.
	Tries int
	// Cached reports whether the outcome is from an earlier run.
	Cached bool
	// LastAlive is the last time at which the [Store] recorded the resource as alive, in UTC
	// and whole seconds. It is zero if the time is unknown or the resource is alive now.
	LastAlive time.Time

	// hops lists the URLs between the link and To, one per line, so that an Outcome is
	// comparable.
	hops string
}

// Hops returns the targets of the redirects, first to last, without passwords. The last one
// is To. Without redirects, Hops returns nil.
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

// join returns the URLs between the first and the last of hops for [Outcome].
func join(hops []locus.URL) string {
	var b strings.Builder
	for i := 1; i < len(hops)-1; i++ {
		b.WriteString(withoutPassword(hops[i]) + "\n")
	}
	return b.String()
}
