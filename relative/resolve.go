package relative

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// ErrBase means that a relative reference can't be resolved with the given base.
var ErrBase = errors.New("no base for a relative reference")

// Rules is a standard for resolving relative references.
type Rules uint8

const (
	// RFC3986 selects the strict rules in RFC 3986 section 5.2.2.
	RFC3986 Rules = iota
	// RFC1630 selects the rules in RFC 1630 and its draft, "Partial (relative) form".
	RFC1630
)

// ParseRules returns the rules with the given name, "rfc3986" or "rfc1630".
func ParseRules(name string) (Rules, error) {
	switch name {
	case "rfc3986":
		return RFC3986, nil
	case "rfc1630":
		return RFC1630, nil
	}
	return 0, fmt.Errorf("relative: unknown rules %q: choose rfc3986 or rfc1630", name)
}

func (r Rules) String() string {
	if r == RFC1630 {
		return "rfc1630"
	}
	return "rfc3986"
}

// Hierarchy is the meaning of "/" in the URLs of a scheme.
type Hierarchy uint8

const (
	// Path means that "/" separates segments. In RFC 3986 section 1.2.3 and in the draft
	// ("Hierarchical forms"), "/" does so in the URLs of every scheme.
	Path Hierarchy = iota
	// Names has the same meaning as Path if "/" follows the scheme. Otherwise "/" is a part of a
	// name, such as a Message-ID (RFC 1036), and a whole name is a relative reference (draft,
	// "News").
	Names
	// Opaque has the same meaning as Path if "/" follows the scheme. Otherwise "/" is data,
	// because the URL contains an address, an identifier or the content of the resource.
	Opaque
	// Data means that "/" is data, as in Gopher URLs (RFC 1738 section 3.4). According to the
	// draft, programs assume a hierarchy in Gopher URLs, "normally correctly".
	Data
	// None means that URLs of the scheme have no path (RFC 1808 section 2.3).
	None
)

// Options controls how a relative reference is resolved. The zero Options selects the same rules
// as [Ref.Resolve].
type Options struct {
	Rules Rules

	// Hierarchy is the meaning of "/" in the base's scheme. See scheme.Registry.Hierarchy.
	Hierarchy Hierarchy

	// Data makes ResolveWith treat the hierarchy [Data] as [Path].
	Data bool

	// SameScheme treats a URL as a relative reference if its scheme equals the base's scheme and
	// no "//" follows the scheme. Then "http:g" means "g", and "http:/g" means "/g" (RFC 3986
	// section 5.2.2, "loophole").
	SameScheme bool

	// FirstSlash changes the meaning of one leading "/" for RFC1630. With FirstSlash, the
	// reference replaces the base from the first "/" of the path on, as in the draft's example:
	// "/g" in magic://a/b/c//d/e/f resolves to magic://a/g. Without FirstSlash, as in RFC 1630, it
	// replaces the base from the first "/" that no "//" follows. The result is magic://a/b/c//d/g.
	FirstSlash bool
}

// Resolve returns the URL to which r refers in a document with the URL base. Resolve follows RFC
// 3986 section 5.2.2. If r can't be resolved with base, the error wraps [ErrBase]. Resolve also
// returns an error if the result is too long.
func (r Ref) Resolve(base locus.URL) (locus.URL, error) {
	u, _, err := r.ResolveWith(base, Options{})
	return u, err
}

// ResolveWith is like [Ref.Resolve], but applies the options o. The returned notes are warnings
// that the rules are not clear, or that the author of the reference may have meant something else.
//
// The parts of base are those that [locus.Parse] finds. To parse a base with the rules of RFC
// 3986, use [Parse].
func (r Ref) ResolveWith(base locus.URL, o Options) (locus.URL, Notes, error) {
	var added Notes
	if r.slash > 0 {
		added = SlashAdded
		if o.Rules == RFC1630 {
			var err error
			if r, err = parse(r.String()); err != nil {
				return locus.URL{}, 0, err
			}
			added = 0
		}
	}
	u, notes, err := r.resolveWith(base, o)
	if err != nil {
		return locus.URL{}, 0, err
	}
	return u, notes | added, nil
}

func (r Ref) resolveWith(base locus.URL, o Options) (locus.URL, Notes, error) {
	if o.SameScheme && r.absolute {
		r = r.withoutScheme(base)
	}
	if err := r.checkScheme(o.Rules); err != nil {
		return locus.URL{}, 0, err
	}
	if r.absolute && (o.Rules == RFC1630 || !hierarchical(r.u)) {
		return r.u, 0, nil
	}
	if base.IsZero() {
		return locus.URL{}, 0, fmt.Errorf("relative: %w: the base is the zero URL", ErrBase)
	}
	ref, context := split(r.u), split(base)
	if !r.absolute && !ref.inDocument() {
		if err := checkBase(base, r, o); err != nil {
			return locus.URL{}, 0, err
		}
	}
	var target parts
	var notes Notes
	switch {
	case r.absolute:
		target = ref
		target.path, notes = removeDots(ref.path)
	case o.Rules == RFC1630:
		var err error
		if target, notes, err = resolveDraft(context, ref, o); err != nil {
			return locus.URL{}, 0, fmt.Errorf("relative: %s in %s: %w", locus.Quote(r.Shown()), locus.Quote(base.Shown()), err)
		}
	default:
		target, notes = resolve(context, ref, o.Hierarchy)
	}
	u, err := locus.Parse(target.join())
	if err != nil {
		return locus.URL{}, 0, err
	}
	return u, notes, nil
}

// Notes is a set of warnings about how a relative reference was resolved.
type Notes uint8

const (
	// Clamped means that ResolveWith removed a ".." that points above the root of the path (RFC
	// 3986 section 5.2.4).
	Clamped Notes = 1 << iota
	// SlashKept means that a reference ending in "/." was resolved with [RFC1630] to a URL that
	// ends in "/". Read literally, the draft also removes the "/".
	SlashKept
	// FinalDots means that a final ".." removed a segment with [RFC1630]. Read literally, only
	// "../" removes a segment in the draft.
	FinalDots
	// SlashAdded means that a "/" was added before the "?" that ends the host (RFC 3986 section
	// 3.2). Without the "/", some parsers find another host.
	SlashAdded
)

// Texts returns a sentence for each note, in lower case and without a period.
func (n Notes) Texts() []string {
	var list []string
	for _, note := range [...]struct {
		bit  Notes
		text string
	}{
		{Clamped, `a ".." above the root of the path is removed (RFC 3986 5.2.4; the draft does not say)`},
		{SlashKept, `a final "/." becomes "/"; the draft, read literally, removes the "/" too`},
		{SlashAdded, `"/" is added before the "?", which ends the host (RFC 3986 3.2); without it some parsers find another host`},
		{FinalDots, `a final ".." removes a segment; the draft, read literally, says so only of "../"`},
	} {
		if n&note.bit != 0 {
			list = append(list, note.text)
		}
	}
	return list
}

// checkScheme rejects a reference that begins with a name and ":" if the name is not a scheme in
// RFC 3986, in which a scheme begins with a letter (section 3.1). Such a text is not a relative
// reference either, because its first segment contains a ":" (section 4.2).
func (r Ref) checkScheme(rules Rules) error {
	text := r.u.String()
	if !r.absolute || rules == RFC1630 || 'a' <= text[0]|0x20 && text[0]|0x20 <= 'z' {
		return nil
	}
	return locus.NewSyntaxError(text, 0, "scheme",
		fmt.Errorf(`%w; an RFC 3986 scheme begins with a letter: write "./" before a relative reference with ":" in its first segment, and "//" before a host and port`, locus.ErrNoScheme))
}

// withoutScheme returns the URL r as a relative reference if it has the same scheme as base and no
// "//" follows the scheme. If base has no hierarchy, withoutScheme returns r unchanged.
func (r Ref) withoutScheme(base locus.URL) Ref {
	rest := r.u.SchemePart()
	if !hierarchical(base) || strings.HasPrefix(rest, "//") || r.u.Scheme() != base.Scheme() {
		return r
	}
	if fragment, ok := r.u.Fragment(); ok {
		rest += "#" + fragment
	}
	// If the rest begins with another scheme, r stays absolute.
	if p, err := Parse(rest); err == nil && !p.absolute {
		return p
	}
	return r
}

func hierarchical(u locus.URL) bool { return strings.HasPrefix(u.SchemePart(), "/") }

// checkBase returns an error if the relative reference r can't be resolved with base.
func checkBase(base locus.URL, r Ref, o Options) error {
	why := ""
	switch h := o.Hierarchy; {
	case h == None:
		why = "the scheme of the base has no path (RFC 1808 2.3)"
	case h == Opaque && !hierarchical(base):
		why = `no "/" follows the scheme of the base, so it has no hierarchy`
	case h == Data && !o.Data:
		why = `"/" is data in ` + base.Scheme() + ` (RFC 1738 3.4) and separates path segments only on request`
	default:
		return nil
	}
	return fmt.Errorf("relative: %w: %s in %s: %s; write the whole URL", ErrBase,
		locus.Quote(r.Shown()), locus.Quote(base.Shown()), why)
}

// parts holds the parts of a URL or a relative reference (RFC 3986 section 3).
type parts struct {
	scheme    string // as written
	authority optional
	path      string
	query     optional
	fragment  optional
}

// optional is a part that may be missing. A part can be present but empty.
type optional struct {
	text string
	ok   bool
}

func split(u locus.URL) (p parts) {
	p.scheme, _, _ = strings.Cut(u.String(), ":")
	rest := u.SchemePart()
	if p.authority.text, p.authority.ok = u.Login(); p.authority.ok {
		rest = rest[len("//")+len(p.authority.text):]
	}
	p.path, p.query.text, p.query.ok = strings.Cut(rest, "?")
	p.fragment.text, p.fragment.ok = u.Fragment()
	return p
}

// join joins the parts into a URL (RFC 3986 section 5.3). It adds "/" or "/." if the URL would
// otherwise be split into other parts. For example, userinfo may contain "?", so the host in
// http://h?x@evil is evil.
func (p parts) join() string {
	before, _, _ := strings.Cut(p.query.text, "/")
	switch {
	case p.authority.ok && p.path == "" && strings.Contains(before, "@"):
		p.path = "/"
	case !p.authority.ok && strings.HasPrefix(p.path, "//"):
		p.path = "/." + p.path
	}
	var b strings.Builder
	b.Grow(len(p.scheme) + len(p.authority.text) + len(p.path) + len(p.query.text) + len(p.fragment.text) + len("://?#"))
	b.WriteString(p.scheme)
	b.WriteByte(':')
	if p.authority.ok {
		b.WriteString("//")
		b.WriteString(p.authority.text)
	}
	b.WriteString(p.path)
	if p.query.ok {
		b.WriteByte('?')
		b.WriteString(p.query.text)
	}
	if p.fragment.ok {
		b.WriteByte('#')
		b.WriteString(p.fragment.text)
	}
	return b.String()
}

// inDocument reports whether the relative reference p is empty or only a fragment. Such a reference
// refers to the document that contains it.
func (p parts) inDocument() bool { return !p.authority.ok && p.path == "" && !p.query.ok }

// resolve implements RFC 3986 section 5.2.2 for a reference without a scheme.
func resolve(base, ref parts, h Hierarchy) (t parts, notes Notes) {
	t = parts{scheme: base.scheme, authority: base.authority, query: ref.query, fragment: ref.fragment}
	switch {
	case ref.authority.ok:
		t.authority = ref.authority
		t.path, notes = removeDots(ref.path)
	case ref.path == "":
		t.path = base.path
		if !ref.query.ok {
			t.query = base.query
		}
	case ref.path[0] == '/':
		t.path, notes = removeDots(ref.path)
	default:
		t.path, notes = removeDots(base.directory(h) + ref.path)
	}
	return t, notes
}

// directory returns the path up to its last "/". For a path without "/", it returns "/" if the URL
// has a host, and "" otherwise (RFC 3986 section 5.2.3).
func (p parts) directory(h Hierarchy) string {
	i := strings.LastIndexByte(p.path, '/')
	switch {
	case i > 0 && p.path[0] != '/' && !p.authority.ok && h == Names:
		return ""
	case i >= 0:
		return p.path[:i+1]
	case p.authority.ok:
		return "/"
	}
	return ""
}

// removeDots removes the segments "." and ".." from path, and the segment before each ".." (RFC
// 3986 section 5.2.4). If a ".." points above the root, removeDots returns [Clamped].
func removeDots(path string) (string, Notes) {
	if !strings.Contains(path, "/.") && !strings.HasPrefix(path, ".") {
		return path, 0
	}
	var notes Notes
	out := make([]byte, 0, len(path))
	for !strings.HasPrefix(path, "/") && path != "" {
		// The segment is the first segment of a path without a root.
		segment, rest, more := strings.Cut(path, "/")
		switch {
		case segment != "." && segment != "..":
			out = append(out, segment...)
			path = path[len(segment):]
			continue
		case segment == "..":
			notes = Clamped
		}
		if path = rest; !more || rest == "" {
			return "", notes
		}
		if strings.HasPrefix(rest, "/") {
			break
		}
	}
	for path != "" {
		end := strings.IndexByte(path[1:], '/') + 1
		if end == 0 {
			end = len(path)
		}
		segment, last := path[:end], end == len(path)
		switch segment {
		case "/..":
			if len(out) == 0 {
				notes = Clamped
			}
			out = out[:max(bytes.LastIndexByte(out, '/'), 0)]
			fallthrough
		case "/.":
			if last {
				out = append(out, '/')
			}
		default:
			out = append(out, segment...)
		}
		path = path[end:]
	}
	return string(out), notes
}
