package verify

import (
	"cmp"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/crawl"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/verify/internal/generator"
)

// origin describes where a URL was found. The permissions of the URL depend on its origin.
type origin uint8

const (
	fromTyped  origin = iota // URL that was typed or found in a private page
	fromPublic               // URL found in a public page, or in a file from an untrusted author
	inFile                   // file URL that was typed or found in another file
	inSite                   // file URL of a document whose fragments a site generator creates
)

func (c *Checker) traits(u locus.URL) scheme.Traits { return c.registry.Scheme(u).Traits }

func (c *Checker) isFile(u locus.URL) bool { return c.traits(u).Has(scheme.Files) }

// isHere reports whether the URL u can be opened without the network, because it names a file or
// contains its resource.
func (c *Checker) isHere(u locus.URL) bool {
	traits := c.traits(u)
	return traits.Has(scheme.Files) || traits.Has(scheme.Local) && !traits.Has(scheme.Composes)
}

// isContent reports whether text begins like a URL that contains its own resource, such as a data
// URL. Browsers accept many malformed URLs of this kind, and such a URL can't be dead.
func (c *Checker) isContent(text string) bool {
	name, _, _ := strings.Cut(text, ":")
	s, _ := c.registry.Lookup(name)
	const others = scheme.Files | scheme.Composes | scheme.Messages | scheme.Contained
	return s.Traits.Has(scheme.Local) && s.Traits&others == 0
}

// originOf returns the origin of the URL u. The container is the document that contains the URL, or
// nil for a typed URL.
func (c *Checker) originOf(u locus.URL, container *access.Result) origin {
	switch {
	case c.isFile(u) && (container == nil || c.isFile(container.URL)):
		return inFile
	case container == nil, container.LinkOrigin == policy.FromPrivate:
		return fromTyped
	}
	return fromPublic
}

// targetKey identifies a target: its URL in canonical form, without a fragment.
type targetKey struct {
	url    locus.URL
	origin origin
}

// checkedURL is a URL to request, with its origin. It is immutable.
type checkedURL struct {
	url  locus.URL // URL in its original spelling, without the fragment
	key  targetKey
	from *access.Result  // document that contains the link; nil for a typed URL
	site *generator.Site // site that creates the fragments, or nil
}

// origins holds the base URL and the permissions for the links in a document.
type origins struct {
	base   locus.URL
	files  *access.Result // source of the permissions for file URLs
	others *access.Result // source of the permissions for all other URLs
}

// wantsFragment reports whether the Checker must look for the fragment of a link to the URL u.
func (c *Checker) wantsFragment(u locus.URL, fragment string) bool {
	return fragment != "" && !c.o.NoFragments && !isProgram(u, fragment) && c.traits(u).Has(scheme.Fragments)
}

// urlToCheck returns the URL to request for the link l. The result change describes how the
// canonical form differs from the URL. If the link needs no request, the result outcome is not nil.
// The parameter docOrigins holds the origins of the document that contains the link, or nil for a
// typed URL.
func (c *Checker) urlToCheck(l *link, docOrigins *origins) (t checkedURL, change locus.Change, outcome *Outcome) {
	fix := func(v Verdict, detail string) (checkedURL, locus.Change, *Outcome) {
		if v == Malformed && c.isContent(cmp.Or(l.written, l.url.String())) {
			v, detail = Warning, detail+"; browsers may still accept it"
		}
		return t, change, &Outcome{Verdict: v, Detail: detail}
	}
	if l.url.IsZero() || l.detail != "" {
		t, change, outcome = fix(l.verdict, l.detail)
		outcome.Cause = l.cause
		return t, change, outcome
	}
	if pattern, ok := c.o.Rules.ignoredBy(l.url, c.registry); ok {
		return fix(Ignored, "matches the pattern "+locus.Quote(pattern.String()))
	}
	if why := c.excludedBy(l.url); why != "" {
		return fix(Ignored, why)
	}
	if v, why := c.unsupported(l.url); why != "" {
		return fix(v, why)
	}
	t.url = l.url.WithoutFragment()
	var err error
	t.key.url, change, err = c.registry.Canonical(t.url)
	if err != nil {
		return fix(Malformed, plainError(err))
	}
	if c.o.Offline || c.o.List {
		if why := c.badAddress(t.url); why != "" {
			return fix(Malformed, why)
		}
	}
	if c.o.Offline && !c.isHere(t.url) {
		return fix(Ignored, notAFile)
	}
	if out := c.unresolved(t.url, docOrigins); out.Verdict != Unknown {
		return t, change, &out
	}
	if c.o.List {
		return fix(Unknown, "")
	}
	if t.key.url == t.url || change&locus.DotSegments != 0 {
		// Equal URLs share the memory of one string. The Checker must not send dot segments (RFC
		// 3986 section 5.2.2), because a server may not resolve them.
		t.url = t.key.url
	}
	if docOrigins != nil {
		t.from = docOrigins.others
		if c.isFile(t.url) {
			t.from = docOrigins.files
		}
	}
	t.key.origin = c.originOf(t.url, t.from)
	if t.key.origin == inFile && l.site != nil {
		t.key.origin, t.site = inSite, l.site
	}
	return t, change, nil
}

// notAFile is the reason why the Checker ignores a link if it has no network access.
const notAFile = "only links to files are verified"

// unsupported returns a verdict and a reason if the Checker can't verify the URL u because of its
// scheme.
func (c *Checker) unsupported(u locus.URL) (Verdict, string) {
	s, ok := c.registry.Lookup(u.Scheme())
	switch {
	case !ok:
		verdict, why := c.unknownScheme(u.Scheme())
		if _, suggestion := c.registry.Suggest(u); suggestion != "" {
			why += " (" + suggestion + ")"
		}
		return verdict, why
	case s.Traits.Has(scheme.Composes):
	case s.Traits.Has(scheme.Contained):
		return Unsupported, "a " + u.Scheme() + " URL is valid only inside its message"
	case s.Access.Opener == nil:
		return Unsupported, u.Scheme() + " URLs can't be opened here"
	}
	return 0, ""
}

// isRemembered reports whether the store may contain the outcome of the URL u. isRemembered
// returns false for local resources, which are cheap to open again, and for URLs with passwords.
func (c *Checker) isRemembered(u locus.URL) bool { return !c.isHere(u) && !hasSecret(u) }

// hasSecret reports whether the URL u contains a password, even in a part where the grammar does
// not allow a password.
func hasSecret(u locus.URL) bool { return u.Shown() != u.String() }

// hostOf returns the host name and the request limits for the URL u, which must be in canonical
// form.
func (c *Checker) hostOf(u locus.URL) (name string, limits crawl.Limits) {
	switch traits := c.traits(u); {
	case c.isHere(u):
		return "", crawl.Limits{}
	case traits.Has(scheme.Composes):
		// Mail addresses in the same domain share one host in the queue, so that the domain is
		// looked up only once.
		text, _, _ := strings.Cut(u.SchemePart(), "?")
		return "mail " + strings.ToLower(text[strings.LastIndexByte(text, '@')+1:]), crawl.Limits{AtOnce: 1}
	}
	return crawl.HostName(u), c.limitsFor(u)
}
