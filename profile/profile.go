// Package profile checks and compares URLs by the rules of four standards. The standards are
// RFC 1738, the URI draft that became RFC 1630, RFC 3986 with the current standard for the
// scheme, and the URL Standard, which browsers follow. A text that conforms to one standard
// may be invalid in another standard, or have another meaning.
package profile

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/profile/whatwg"
	"github.com/locus-url/locus/scheme"
)

// All returns all profiles.
func All() []locus.Profile {
	return []locus.Profile{locus.RFC1738, locus.RFC1630, locus.RFC3986, locus.WHATWG}
}

// Parse parses a comma-separated list of profile names, or "all". Parse rejects profiles that are
// not in allowed.
func Parse(names string, allowed []locus.Profile) (list []locus.Profile, err error) {
	if names == "all" {
		return allowed, nil
	}
	for name := range strings.SplitSeq(names, ",") {
		p, err := locus.ParseProfile(strings.TrimSpace(name))
		if err != nil || !slices.Contains(allowed, p) {
			return nil, fmt.Errorf("unknown rules %q: choose %s or all", name, Names(allowed))
		}
		if !slices.Contains(list, p) {
			list = append(list, p)
		}
	}
	return list, nil
}

// Names returns the names of profiles, separated by commas.
func Names(list []locus.Profile) string {
	names := make([]string, len(list))
	for i, p := range list {
		names[i] = p.String()
	}
	return strings.Join(names, ", ")
}

// Rules applies a standard to the URLs of a registry's schemes. A Rules value may be used
// concurrently.
type Rules struct {
	Profile  locus.Profile
	Registry *scheme.Registry
	// Base is the base URL for relative URLs. Only [locus.WHATWG] uses Base. Base may be nil.
	Base *whatwg.URL
}

// Check returns the violations and notes about text, in order of offset. If text cannot be
// parsed as a URL, Check also returns a [*locus.SyntaxError]. For RFC 1738, the error comes
// from [locus.Parse]. For RFC 3986, the error means that text contains no scheme, or that it
// contains a control character, a space or a "%" without two hexadecimal digits. For the URL
// Standard, the error means a failure. The list also contains this fault.
//
// A violation of the URL Standard is a validation error. Check returns only a note for a text
// that the URL Standard allows and the scheme's standard forbids.
func (r Rules) Check(text string) ([]locus.Violation, error) {
	switch r.Profile {
	case locus.RFC3986:
		u := rfc3986.Parse(text)
		list := r.Registry.CheckURI(u)
		return list, ambiguityError(text, u, list)
	case locus.WHATWG:
		_, list, err := whatwg.Check(text, r.Base)
		slices.SortStableFunc(list, func(a, b locus.Violation) int { return a.Offset - b.Offset })
		if len(list) > 0 || r.Base != nil {
			return list, err
		}
		for _, v := range r.Registry.CheckURI(rfc3986.Parse(text)) {
			v.Kind = locus.Note
			list = append(list, v)
		}
		return list, nil
	}
	u, err := locus.Parse(text)
	if err != nil {
		return []locus.Violation{Finding(err)}, err
	}
	return r.Registry.Check(u, r.Profile), nil
}

// ambiguityError returns an error about the first fault that makes text ambiguous, or nil if text
// is not ambiguous. list holds the faults of text.
func ambiguityError(text string, u rfc3986.URI, list []locus.Violation) error {
	if locus.Conforms(list) && len(text) <= locus.MaxLen {
		return nil
	}
	if _, ok := u.Scheme(); !ok {
		return locus.NewSyntaxError(text, 0, "scheme", locus.ErrNoScheme)
	}
	for _, v := range u.Check() { // list may contain a fault of the scheme's standard instead
		switch {
		case v.Rule == "escape":
			return locus.NewSyntaxError(text, v.Offset, "escape", locus.ErrEscape)
		case v.Rule == "character" && (v.Text <= " " || v.Text == "\x7F"):
			return locus.NewSyntaxError(text, v.Offset, "character", fmt.Errorf("%w: %s", locus.ErrControl, v.Help))
		}
	}
	if len(text) > locus.MaxLen {
		return locus.NewSyntaxError(text, locus.MaxLen, "length", fmt.Errorf("%w: %d bytes", locus.ErrTooLong, len(text)))
	}
	return nil
}

// Canonical returns the canonical form of text. All texts with the same meaning have the same
// canonical form. For RFC 1738 and RFC 1630, the canonical form is the result of
// [scheme.Registry.Canonical]. For RFC 3986, the canonical form is the result of
// [scheme.Registry.NormalizeURI]. For the URL Standard, the canonical form is the serialized
// URL. Canonical returns a [*locus.SyntaxError] if the rules cannot parse text. For RFC 3986,
// Canonical also fails if text does not conform, because the canonical form of an invalid text
// would have no meaning. Canonical retains a userinfo or fragment that only the scheme's
// standard forbids.
func (r Rules) Canonical(text string) (string, error) {
	switch r.Profile {
	case locus.RFC3986:
		return r.normalize(text)
	case locus.WHATWG:
		u, err := whatwg.Parse(text, r.Base)
		if err != nil {
			return "", err
		}
		return u.Href(), nil
	}
	u, err := locus.Parse(text)
	if err == nil {
		u, _, err = r.Registry.Canonical(u)
	}
	return u.String(), err
}

// normalize implements Canonical for RFC 3986.
func (r Rules) normalize(text string) (string, error) {
	u := rfc3986.Parse(text)
	list := r.Registry.CheckURI(u)
	if err := ambiguityError(text, u, list); err != nil {
		return "", err
	}
	i := slices.IndexFunc(list, isFormless)
	n := u
	if i < 0 {
		n = r.Registry.NormalizeURI(u)
		// If a component has an invalid value, removing dot segments may leave a text that is not a
		// URI of the scheme.
		if !locus.Conforms(list) && slices.ContainsFunc(r.Registry.CheckURI(n), isFormless) {
			i = slices.IndexFunc(list, func(v locus.Violation) bool { return v.Kind == locus.Impossible })
		}
	}
	if i >= 0 {
		v := list[i]
		return "", locus.NewSyntaxError(text, v.Offset, v.Rule, fmt.Errorf("%w: %s (%s)", locus.ErrValue, v.Help, v.Section))
	}
	return n.String(), nil
}

// isFormless reports whether a URI with the violation v has no normalized form. A violation in
// the userinfo or the fragment does not prevent normalization, because RFC 3986 allows these
// components in any scheme.
func isFormless(v locus.Violation) bool {
	return v.Kind == locus.Ungrammatical && v.Rule != "userinfo" && v.Rule != "fragment"
}

// Same reports whether a and b are equivalent, which means that their canonical forms are equal.
// why lists the reasons as clauses, like [scheme.Registry.Same].
func (r Rules) Same(a, b string) (same bool, why []string) {
	if r.Profile <= locus.RFC1630 {
		x, errX := locus.Parse(a)
		y, errY := locus.Parse(b)
		if errX == nil && errY == nil {
			return r.Registry.Same(x, y)
		}
		return false, reasons(errX, errY)
	}
	x, errX := r.Canonical(a)
	y, errY := r.Canonical(b)
	switch {
	case a == b:
		return true, []string{"the texts are identical"}
	case errX != nil || errY != nil:
		return false, reasons(errX, errY)
	case x == y:
		return true, spellingDifferences(rfc3986.Parse(a), rfc3986.Parse(b))
	}
	return false, differences(rfc3986.Parse(x), rfc3986.Parse(y))
}

func reasons(list ...error) (why []string) {
	for _, err := range list {
		if err != nil {
			why = append(why, err.Error())
		}
	}
	return why
}

// Finding converts an error from parsing a URL by RFC 1738 to a finding.
func Finding(err error) locus.Violation {
	v := locus.Violation{Rule: "syntax", Section: "RFC 1738 5", Help: locus.MaskText(err.Error())}
	var e *locus.SyntaxError
	if !errors.As(err, &e) {
		return v
	}
	v.Offset, v.Help = e.Offset, e.Err.Error()
	if e.Offset < len(e.Input) {
		v.Text = e.Input[e.Offset : e.Offset+1]
	}
	for _, known := range []struct {
		err           error
		rule, section string
	}{
		{locus.ErrNoScheme, "no-scheme", "RFC 1738 2.1"},
		{locus.ErrWindowsPath, "windows-path", "RFC 1738 3.10"},
		{locus.ErrEscape, "escape", "RFC 1738 2.2"},
		{locus.ErrControl, "control-character", "RFC 1738 2.2"},
		{locus.ErrBackslash, "backslash", "RFC 1738 2.2"},
		{locus.ErrAt, "at-sign", "RFC 1738 3.1"},
		{locus.ErrHost, "host", "RFC 1738 3.1"},
		{locus.ErrPort, "port", "RFC 1738 3.1"},
		{locus.ErrPortRange, "port-range", "RFC 1738 3.1"},
		{locus.ErrTooLong, "too-long", "RFC 1738 5"},
	} {
		if errors.Is(e.Err, known.err) {
			v.Rule, v.Section = known.rule, known.section
		}
	}
	if errors.Is(e.Err, locus.ErrPortRange) {
		v.Kind = locus.Impossible
	}
	return v
}
