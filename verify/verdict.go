package verify

import (
	"fmt"

	"github.com/locus-url/locus"
)

// Verdict is what became of a link.
type Verdict uint8

const (
	// Unknown: the run ended before anything was found out.
	Unknown Verdict = iota
	// Alive: it leads somewhere.
	Alive
	// Moved: it leads somewhere, by referrals.
	Moved
	// Warning: nobody can tell. The server answered that it would rather not say, or
	// is in trouble, or did not answer in time.
	Warning
	// Ignored: it was not asked for, by a rule or by a robots.txt, or since nobody knows
	// what it will be.
	Ignored
	// Unsupported: nothing here accesses that scheme.
	Unsupported
	// Denied: the policy does not let anybody go there.
	Denied
	// Fragment: the document is there, and has no such fragment.
	Fragment
	// Dead: there is no such thing, no such host, nobody who listens.
	Dead
	// Malformed: it is no URL, or not one of its scheme.
	Malformed
)

var verdictNames = [...]string{"unknown", "alive", "moved", "warning", "ignored", "unsupported", "denied", "fragment", "dead", "malformed"}

// String returns the verdict's name in lower case.
func (v Verdict) String() string { return verdictNames[v] }

// Verdicts lists all verdicts.
func Verdicts() []Verdict {
	list := make([]Verdict, len(verdictNames))
	for i := range list {
		list[i] = Verdict(i)
	}
	return list
}

// MarshalText returns the verdict's name.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// UnmarshalText reads a verdict's name.
func (v *Verdict) UnmarshalText(text []byte) error {
	for i, name := range verdictNames {
		if name == string(text) {
			*v = Verdict(i)
			return nil
		}
	}
	return fmt.Errorf("verify: %w: no verdict is called %s", locus.ErrValue, locus.Quote(string(text)))
}

// IsBad reports whether the verdict is that a link leads nowhere.
func (v Verdict) IsBad() bool { return v == Dead || v == Fragment || v == Malformed }

// Outcome is a verdict and its reasons.
type Outcome struct {
	Verdict Verdict
	// Status is the number of the server's answer, if that has one; else 0.
	Status int
	// Detail says why, for people. It may have a server's words: it is not safe for a
	// terminal.
	Detail string
	// To is where referrals led to, without a fragment of its own unless they brought
	// one. Zero: there were none.
	To locus.URL
	// Permanent: each of those referrals said that it is for good.
	Permanent bool
	// Archive is where an archive has it, if one was asked.
	Archive locus.URL
	// Tries is how often it was asked for; 0: not at all.
	Tries int
	// Cached: it was found out by an earlier run.
	Cached bool
}
