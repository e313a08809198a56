package relative

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"github.com/locus-url/locus"
)

// ErrBase is a base that a partial form can't be resolved against.
var ErrBase = errors.New("no base for a partial form")

// Rules is the text whose rules turn a partial form into a URL.
type Rules uint8

const (
	// RFC3986 is section 5.2.2 of RFC 3986, strict.
	RFC3986 Rules = iota
	// RFC1630 is "Partial (relative) form" of RFC 1630 and its draft.
	RFC1630
)

// ParseRules returns the rules of that name, "rfc3986" or "rfc1630".
func ParseRules(name string) (Rules, error) {
	switch name {
	case "rfc3986":
		return RFC3986, nil
	case "rfc1630":
		return RFC1630, nil
	}
	return 0, fmt.Errorf("relative: no rules %q; there are rfc3986 and rfc1630", name)
}

func (r Rules) String() string {
	if r == RFC1630 {
		return "rfc1630"
	}
	return "rfc3986"
}

// Options change how a partial form is resolved. The zero value is what
// [Ref.Resolve] does.
type Options struct {
	Rules Rules

	// Gopher: a gopher URL is a base like any other. Its "/" is data by RFC 1738
	// section 3.4; the draft says that software takes it for hierarchy "normally
	// correctly".
	Gopher bool

	// SameScheme: a form that begins with the base's own scheme and has no "/"
	// behind it is partial: "http:g" means "g". RFC 3986 section 5.2.2 calls it a
	// loophole for old documents.
	SameScheme bool

	// FirstSlash: with RFC1630, a form that begins with one "/" is taken from the
	// first "/" of the path, as the draft's example has it: "/g" in
	// magic://a/b/c//d/e/f is magic://a/g. By the rule of RFC 1630 it counts from
	// the first "/" with no "//" behind it, which gives magic://a/b/c//d/g.
	FirstSlash bool
}

// Resolve returns the URL that r means in a document whose URL is base, by RFC
// 3986 section 5.2.2. It fails if base has no hierarchy ([ErrBase]), and if what
// comes out is no URL, which only its length can be the reason for.
func (r Ref) Resolve(base locus.URL) (locus.URL, error) { return r.ResolveWith(base, Options{}) }

// ResolveWith is [Ref.Resolve] with options.
func (r Ref) ResolveWith(base locus.URL, o Options) (locus.URL, error) {
	if o.SameScheme && r.absolute {
		r = r.withoutScheme(base)
	}
	if r.absolute && (o.Rules == RFC1630 || !hierarchical(r.u)) {
		return r.u, nil
	}
	if base.IsZero() {
		return locus.URL{}, fmt.Errorf("relative: %w: the base is no URL", ErrBase)
	}
	ref, context := split(r.u), split(base)
	if !r.absolute && !ref.inDocument() {
		if err := checkBase(base, r, o); err != nil {
			return locus.URL{}, err
		}
	}
	var target parts
	switch {
	case r.absolute:
		target = ref
		target.path = removeDots(ref.path)
	case o.Rules == RFC1630:
		var err error
		if target, err = resolveDraft(context, ref, o); err != nil {
			return locus.URL{}, fmt.Errorf("relative: %s in %s: %w", locus.Quote(r.Redacted()), locus.Quote(base.Redacted()), err)
		}
	default:
		target = resolve(context, ref)
	}
	return locus.Parse(target.text())
}

// withoutScheme returns r as a partial form if its scheme is that of base, which
// has a hierarchy, and no "/" follows.
func (r Ref) withoutScheme(base locus.URL) Ref {
	rest := r.u.SchemePart()
	if !hierarchical(base) || hierarchical(r.u) || r.u.Scheme() != base.Scheme() {
		return r
	}
	if fragment, ok := r.u.Fragment(); ok {
		rest += "#" + fragment
	}
	// A rest with a ":" of its own is no partial form, and r stays what it is.
	if p, err := Parse(rest); err == nil && !p.absolute {
		return p
	}
	return r
}

// hierarchical reports whether "/" divides segments in u, by its form alone.
func hierarchical(u locus.URL) bool { return strings.HasPrefix(u.SchemePart(), "/") }

// checkBase refuses a base that the partial form r can't be resolved against.
func checkBase(base locus.URL, r Ref, o Options) error {
	why := ""
	switch scheme := base.Scheme(); {
	case scheme == "telnet" || scheme == "rlogin" || scheme == "tn3270":
		why = "its scheme has no path (RFC 1808 2.3)"
	case !hierarchical(base):
		why = `"/" does not follow its scheme, so it has no hierarchy`
	case scheme == "gopher" && !o.Gopher:
		why = `"/" is data in gopher (RFC 1738 3.4) and is taken for hierarchy only when asked for`
	default:
		return nil
	}
	return fmt.Errorf("relative: %w: %s in %s: %s; write the whole URL", ErrBase,
		locus.Quote(r.Redacted()), locus.Quote(base.Redacted()), why)
}

// parts are a URL or a partial form as RFC 3986 section 3 splits it, for any
// scheme alike.
type parts struct {
	scheme    string // as written
	authority optional
	path      string
	query     optional
	fragment  optional
}

// optional is a part that may be absent, which differs from empty.
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

// text puts the parts together (RFC 3986 section 5.3), and sees to it that they
// are read as those parts again: a user may hold "?" here, so that
// http://h?x@evil would be on another host than http://h and ?x@evil are.
func (p parts) text() string {
	switch {
	case p.authority.ok && p.path == "" && strings.Contains(p.query.text, "@"):
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

// inDocument reports whether the partial form p is empty but for a fragment,
// and so means the document itself.
func (p parts) inDocument() bool { return !p.authority.ok && p.path == "" && !p.query.ok }

// resolve is RFC 3986 section 5.2.2 for a ref without scheme.
func resolve(base, ref parts) parts {
	t := parts{scheme: base.scheme, authority: base.authority, query: ref.query, fragment: ref.fragment}
	switch {
	case ref.authority.ok:
		t.authority = ref.authority
		t.path = removeDots(ref.path)
	case ref.path == "":
		t.path = base.path
		if !ref.query.ok {
			t.query = base.query
		}
	case ref.path[0] == '/':
		t.path = removeDots(ref.path)
	default:
		t.path = removeDots(base.directory() + ref.path)
	}
	return t
}

// directory returns the path up to its last "/", or "/" if there is none, as a
// host alone has (RFC 3986 section 5.2.3).
func (p parts) directory() string {
	if i := strings.LastIndexByte(p.path, '/'); i >= 0 {
		return p.path[:i+1]
	}
	return "/"
}

// removeDots takes the segments "." and ".." out of path, each ".." with the
// segment before it; there is nothing above the root (RFC 3986 section 5.2.4).
// path is empty or begins with "/".
func removeDots(path string) string {
	if !strings.Contains(path, "/.") {
		return path
	}
	out := make([]byte, 0, len(path))
	for path != "" {
		end := strings.IndexByte(path[1:], '/') + 1
		if end == 0 {
			end = len(path)
		}
		segment, last := path[:end], end == len(path)
		switch segment {
		case "/..":
			if i := bytes.LastIndexByte(out, '/'); i >= 0 {
				out = out[:i]
			}
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
	return string(out)
}
