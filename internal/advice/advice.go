// Package advice returns findings about a URL for users. The findings are violations of the
// grammar, corrections of mistyped scheme names, and advice from RFC 1738 sections 3, 4 and 6.
package advice

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/profile/rfc3986"
	"github.com/locus-url/locus/scheme"
)

// Findings returns the violations that the registry finds in u by RFC 1738 or RFC 1630, and adds
// suggestions and notes. The findings are ordered by offset.
func Findings(r *scheme.Registry, u locus.URL, p locus.Profile) []locus.Violation {
	list := r.Check(u, p)
	checked := len(list)
	if v, ok := schemeName(r, u, r.Known(u)); ok {
		list = append(list, v)
	}
	list = append(list, r.Notes(u)...)
	if v, ok := password(u); ok {
		list = append(list, v)
	}
	if why := portAdvice(r, u); why != "" {
		text, _ := u.PortText()
		list = append(list, locus.Violation{
			Rule: "port", Kind: locus.Note, Section: "RFC 1738 6",
			Offset: u.HostOffset() + len(u.Host()) + len(":"), Text: text, Help: why,
		})
	}
	if v, ok := Later(r, u.String(), list[:checked]); ok && p == locus.RFC1738 {
		list = append(list, v)
	}
	if len(list) > checked {
		slices.SortStableFunc(list, func(a, b locus.Violation) int { return a.Offset - b.Offset })
	}
	return list
}

func portAdvice(r *scheme.Registry, u locus.URL) string {
	if _, ok := u.Port(); !ok {
		return "" // fast path: avoids copying a Scheme
	}
	return policy.PortAdvice(u, r.Scheme(u).Port)
}

// Later returns a note about a text if RFC 1738 and the later standards (RFC 3986 and the current
// standard for the scheme) disagree about its conformity. The parameter list must contain the
// findings by RFC 1738. If the standards agree, the result ok is false.
func Later(r *scheme.Registry, text string, list []locus.Violation) (v locus.Violation, ok bool) {
	later := r.CheckURI(rfc3986.Parse(text))
	conforms, did := locus.Conforms(later), locus.Conforms(list)
	if conforms == did {
		return v, false
	}
	v = locus.Violation{Rule: "rfc3986", Kind: locus.Note, Section: "RFC 3986"}
	isFault := func(v locus.Violation) bool { return v.Kind != locus.Note }
	if conforms {
		v.Offset = list[slices.IndexFunc(list, isFault)].Offset
		v.Help = "this URL conforms to RFC 3986"
		name, _, _ := strings.Cut(text, ":")
		if s, known := r.Lookup(name); known && s.Syntax.Current.Name != "" {
			v.Help += " and " + s.Syntax.Current.Name
		}
		return v, true
	}
	fault := later[slices.IndexFunc(later, isFault)]
	v.Section, v.Offset, v.Text = fault.Section, fault.Offset, fault.Text
	v.Help = fmt.Sprintf("%s does not allow this: %s", fault.Section, fault.Help)
	return v, true
}

// schemeName returns the finding about a scheme name that is unregistered or experimental.
func schemeName(r *scheme.Registry, u locus.URL, known bool) (v locus.Violation, ok bool) {
	text := u.String()
	if known && !(text[0]|0x20 == 'x' && text[1] == '-') {
		return v, false
	}
	name := u.Scheme()
	v = locus.Violation{Kind: locus.Note, Section: "RFC 1738 4", Text: text[:len(name)]}
	if strings.HasPrefix(name, "x-") {
		v.Rule, v.Help = "experimental-scheme", `names that begin with "x-" are experimental: other programs may not support this scheme, or may use its name for another`
		return v, true
	}
	if known {
		return v, false
	}
	if _, why := r.Suggest(u); why != "" {
		v.Rule, v.Kind, v.Help = "mistyped-scheme", locus.Suggestion, why
		if _, isPath := locus.FromWindowsPath(u.String()); isPath {
			v.Rule, v.Section = "windows-path", "RFC 1738 3.10"
		}
		return v, true
	}
	switch scheme.NameStatus(name) {
	case "":
		v.Rule, v.Help = "unregistered-scheme", fmt.Sprintf(`IANA does not register the scheme %s; names of experimental schemes begin with "x-"`, locus.Quote(name))
		return v, true
	case "unregistered":
		v.Rule, v.Help = "unregistered-scheme", fmt.Sprintf("IANA does not register the scheme %s, although programs use it", locus.Quote(name))
		return v, true
	}
	return v, false
}

// password returns the note about a password. The password of an anonymous login is not
// secret (RFC 1738 section 3.2.1).
func password(u locus.URL) (v locus.Violation, ok bool) {
	user, _ := u.User()
	secret, ok := u.Password()
	if !ok || secret == "" || user == "anonymous" {
		return v, false
	}
	return locus.Violation{
		Rule: "password", Kind: locus.Note, Section: "RFC 1738 6",
		Offset: u.HostOffset() - len("@") - len(secret), Text: "*",
		Help: "anyone who sees this URL learns the password: leave it out",
	}, true
}
