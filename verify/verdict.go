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
	// Unknown: the run ended, or its client was closed, before the link was verified.
	Unknown Verdict = iota
	// Alive: the resource exists.
	Alive
	// Moved: the resource exists, and referrals lead there.
	Moved
	// Warning: inconclusive after all tries. Examples are HTTP statuses other than 404 and
	// 410, timeouts, broken connections, an overloaded server, an unreachable gateway, a
	// redirect loop, more redirects than the policy allows, a gopher text that says that
	// something is missing, and a scheme that is registered neither here nor with IANA.
	Warning
	// Ignored: not requested, because of a rule or a robots.txt, or because the URL is
	// incomplete: a part of a template, a partial form without a base.
	Ignored
	// Unsupported: the scheme can't be opened here.
	Unsupported
	// Denied: the policy forbids the request.
	Denied
	// Fragment: the document exists, and lacks the fragment of the link or of a redirect.
	Fragment
	// Dead: a request for the link itself was answered with "not found" or "gone", the host
	// does not exist, or the host refuses connections. Over HTTP the request is a GET, and
	// the status is 404 or 410. FTP has 550, NNTP 430.
	Dead
	// TLS: the server can't prove its identity (its certificate has expired, is for
	// another name, or is signed by an unknown authority), or does not speak TLS.
	TLS
	// Malformed: not a URL, or not one of its scheme.
	Malformed
)

var verdictNames = [...]string{"unknown", "alive", "moved", "warning", "ignored", "unsupported", "denied", "fragment", "dead", "tls", "malformed"}

// String returns the verdict's name in lower case.
func (v Verdict) String() string { return verdictNames[v] }

// MarshalText returns the verdict's name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText parses a verdict's name.
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

// Cause is why a link was not judged, so that a program can name the setting that would
// judge it. The zero Cause stands for all other reasons.
type Cause uint8

const (
	_ Cause = iota
	// Template means that the link has a part that a program fills in: "https://h/{id}".
	Template
	// ReservedName means that the host is a name or an address that exists only in
	// examples (RFC 2606, 6761, 5737, 3849).
	ReservedName
	// PrivateHost means that the host is this machine or one of a private network.
	PrivateHost
	// NoNames means that the name server has found no host of the run.
	NoNames
	// AboveRoot means that the link leads above the folder, the repository or the site, or
	// begins at the root of a site that is not known.
	AboveRoot
	// NeedsBuild means that only a build of the site knows where the link leads.
	NeedsBuild
	// Escaped means that the link was requested with an escape or a "/" that its text
	// lacks.
	Escaped
	// LinkLocalHost means that the host is a link-local address, such as the metadata
	// service of a cloud.
	LinkLocalHost
)

// Outcome is a verdict and its reasons.
type Outcome struct {
	Verdict Verdict
	// Cause is why the link was not judged, for a link that is Ignored or gets a Warning.
	Cause Cause
	// Status is the status code of the server's response; 0: none.
	Status int
	// Detail is the reason, for people. It may quote the server, so it is not safe for
	// a terminal.
	Detail string
	// Rule and Port are those of the [policy.DeniedError], if the policy denied the
	// request.
	Rule string
	Port uint16
	// To is where referrals led, without a password, and without a fragment unless they
	// brought one, also if opening it failed. Zero: there were none.
	To locus.URL
	// Permanent reports that each referral was permanent.
	Permanent bool
	// Archive is the archived copy, without a password, if an archive was asked and has one.
	Archive locus.URL
	// Tries is the number of requests; 0: none.
	Tries int
	// Cached reports that the outcome is from an earlier run.
	Cached bool
	// LastAlive is when the [Store] last saw the resource alive, in whole seconds of
	// UTC, if it is not now. Zero: unknown.
	LastAlive time.Time

	// hops are the URLs between the link and To, one per line: an Outcome is comparable.
	hops string
}

// Hops returns the URLs that referrals led through, first to last, without passwords.
// The last one is To. nil: there were no referrals.
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
