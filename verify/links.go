package verify

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/iri"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/verify/internal/generator"
)

// link is a link in a document. The strings in a link do not retain the document's memory.
type link struct {
	url                      locus.URL // zero if the text is not a URL
	alternative              locus.URL // URL without a hyphen at the end of a line, or zero
	verdict                  Verdict   // verdict that needs no request; valid if detail is not empty
	cause                    Cause     // classifies verdict or note
	detail                   string
	written, member, context string
	line, column             int64
	site                     *generator.Site // site that creates the fragments of the target, or nil
	note                     string          // reason for a warning if the target exists
	doubt                    string          // reason for a warning if the target is missing; for rootUnknown, the link is ignored instead
	antora                   *antoraPlace    // module that contains the Antora page or picture, or nil
	isInclude                bool            // the link includes the target in the document
}

func (e *Verifier) readSource(ctx context.Context, d *doc, s Source) {
	d.origins = originsOf(&s)
	if s.Layout != nil && !e.checker.isFile(s.URL) {
		// Treat standard input as a document in the layout's directory.
		d.origins.files = &access.Result{URL: s.Layout.root}
	}
	if e.checker.fsys != nil {
		// Links to files outside fsys get the same permissions as other links.
		d.origins.files = d.origins.others
	}
	r, err := s.Open(ctx)
	if err != nil {
		e.deliver(d, contents{failures: []error{err}})
		return
	}
	defer r.Close()
	read := e.checker.read(ctx, r, &s)
	if s.Lines != nil {
		read.links = slices.DeleteFunc(read.links, func(l link) bool { return l.member == "" && !s.Lines(l.line) })
	}
	e.deliver(d, read)
}

// originsOf returns the origins for the links in a document that is not a page of a site.
func originsOf(s *Source) *origins {
	return &origins{base: s.URL, files: &access.Result{URL: s.URL}, others: &access.Result{URL: s.URL, LinkOrigin: policy.FromPublic}}
}

// maxFailures is the maximum number of reported errors per document.
const maxFailures = 100

func (c *Checker) read(ctx context.Context, r io.Reader, s *Source) (read contents) {
	for l, err := range c.eachLink(ctx, r, s) {
		switch {
		case errors.Is(err, document.ErrBinary):
			read.binary = true
		case err != nil:
			read.failures = append(read.failures, err)
		default:
			if l.isInclude && !l.url.IsZero() {
				read.includes = append(read.includes, l.url)
			}
			read.links = append(read.links, l)
		}
	}
	return read
}

// eachLink yields the links in a document, and an error for each part that can't be read. For a
// binary document it yields document.ErrBinary.
func (c *Checker) eachLink(ctx context.Context, r io.Reader, s *Source) iter.Seq2[link, error] {
	o := c.o.Document
	if s.Type != "" {
		o.Type = s.Type
	}
	o.Templates = true
	o.Wikilinks = o.Wikilinks || s.Layout.Wikilinks()
	return func(yield func(link, error) bool) {
		failures := 0
		for found, err := range document.Links(r, s.Name, &o) {
			switch {
			case ctx.Err() != nil:
				return
			case errors.Is(err, document.ErrBinary):
				if part := (*document.Error)(nil); errors.As(err, &part) && part.Member == "" && !yield(link{}, err) {
					return
				}
			case err != nil:
				if failures++; failures <= maxFailures && !yield(link{}, err) {
					return
				}
			case found.Element == "base href", found.Element == "head profile", found.Element == "link preconnect href":
				// A base URL, the name of a profile, and a server for an early connection need not
				// locate a resource.
			default:
				l := c.link(&found, s)
				l.isInclude = found.Element == "include"
				if c.isMixed(s.URL, l.url, found.Element) {
					l.note, l.cause = "the page uses TLS, but loads this without TLS", 0
				}
				if !yield(l, nil) {
					return
				}
			}
		}
	}
}

func (c *Checker) link(found *document.Link, s *Source) link {
	l := c.readLink(found, s)
	if len(c.o.Remap) > 0 && !l.url.IsZero() && l.detail == "" {
		c.remap(&l)
	}
	return l
}

func (c *Checker) readLink(found *document.Link, s *Source) link {
	written := cmp.Or(found.Ref, found.URL.String())
	repaired, note := c.repair(found)
	if found.Escaped {
		note = lonePercent
	}
	l := c.readRepaired(&repaired, s)
	if note != "" {
		l.written = strings.Clone(written)
	}
	if !l.url.IsZero() && l.detail == "" {
		c.addSlash(&l, written)
		if _, disputed := octet.HostEnd(written); disputed {
			note = cmp.Or(note, `a "/" is missing between the host and "?"`)
		}
		if note != "" {
			l.written, l.note, l.cause = strings.Clone(written), note, Escaped
		}
	}
	return l
}

// readRepaired reads a link after it adds missing escapes to the URL.
func (c *Checker) readRepaired(found *document.Link, s *Source) link {
	l := link{member: strings.Clone(found.Member), context: locus.MaskText(found.Context), line: found.Line, column: found.Column}
	if detail := c.skipReason(found); detail != "" {
		if l.url = cloneURL(found.URL); l.url.IsZero() {
			l.written = strings.Clone(found.Ref)
		} else {
			c.convertIRI(&l)
		}
		l.verdict, l.detail = Ignored, detail
		if detail == template {
			l.cause = Template
		}
		return l
	}
	if c.placeName(&l, found, s) {
		return l
	}
	if text := cmp.Or(found.Ref, found.URL.String()); s.Layout != nil {
		if found.URL.IsZero() {
			l.written = strings.Clone(text)
		}
		if !s.Layout.hasAtTop(found.Ref, s.Top) && c.placeByLayout(&l, found, s.URL, s.Layout) {
			if !l.url.IsZero() {
				c.convertIRI(&l)
			}
			l.written = cmp.Or(l.written, strings.Clone(text))
			return l
		}
		l.written = ""
	}
	if !found.URL.IsZero() {
		u, err := parseBySlash(found.URL)
		if err != nil {
			l.written, l.verdict, l.detail = strings.Clone(found.URL.String()), Malformed, plainError(err)
			return l
		}
		l.url = cloneURL(u)
		c.convertIRI(&l)
		if other, err := parseBySlash(found.Alternative); err == nil && !other.IsZero() {
			l.alternative = cloneURL(other)
		}
		return l
	}
	l.written = strings.Clone(found.Ref)
	if found.Element == "wikilink" {
		l.verdict, l.detail = Ignored, "a wikilink in a document without a directory"
		return l
	}
	u, err := c.resolve(found, s)
	switch {
	case errors.Is(err, errOutside):
		l.verdict, l.cause, l.detail = Warning, AboveRoot, err.Error()
	case errors.Is(err, errAbove):
		l.verdict, l.cause, l.detail = Ignored, AboveRoot, err.Error()
	case errors.Is(err, errNoLocation), errors.Is(err, errNoScheme):
		l.verdict, l.detail = Ignored, err.Error()
	case err != nil:
		l.verdict, l.detail = Malformed, plainError(err)
		if v, why := c.checkScheme(l.written); why != "" {
			l.verdict, l.detail = v, why
		}
	default:
		l.url = cloneURL(u)
		c.convertIRI(&l)
		l.alternative = c.sourceOf(found, l.url, s.URL)
		if l.doubt == "" && c.isFile(u) && isRootGuessed(found, s) {
			l.doubt = rootUnknown
		}
	}
	return l
}

// skipReason returns the reason why a link is ignored because of its context. It returns "" if the
// link is not ignored.
func (c *Checker) skipReason(found *document.Link) string {
	switch {
	case isPart(found):
		return template
	case strings.HasPrefix(found.Element, "form post "), strings.HasSuffix(found.Element, " post formaction"):
		// Browsers send POST to this URL, so the response to GET proves nothing.
		return "a form that browsers submit with POST"
	case strings.HasSuffix(found.Element, " ping"):
		return "a ping URL, to which browsers send POST"
	case found.Form == extract.Bare && !found.URL.IsZero() && c.isFile(found.URL):
		return "a file name in running text"
	}
	return ""
}

const lonePercent = "a lone % must be written as %25"

// repair adds missing escapes to a link, as browsers do: for a "%" outside an escape, and for
// spaces in HTML. The result note describes the added escapes. If repair adds none, note is empty.
func (c *Checker) repair(found *document.Link) (repaired document.Link, note string) {
	repaired = *found
	text := strings.TrimSpace(found.Ref)
	start, ok := c.repairable(text)
	if !ok || found.Element == "wikilink" || isPart(found) {
		return repaired, ""
	}
	var notes []string
	rest := text[start:]
	if found.Element != "" && strings.Contains(rest, " ") {
		rest = strings.ReplaceAll(rest, " ", "%20")
		notes = append(notes, "a space must be written as %20")
	}
	if escaped := escapePercent(rest); escaped != rest {
		rest = escaped
		notes = append(notes, lonePercent)
	}
	if notes != nil {
		repaired.Ref = text[:start] + rest
	}
	return repaired, strings.Join(notes, "; ")
}

// repairable returns the offset at which the scheme and the authority in text end. The result ok
// is false if "%" and spaces may have another meaning in the scheme.
func (c *Checker) repairable(text string) (start int, ok bool) {
	if end, _ := octet.SchemeEnd(text); end > 0 && end < len(text) && text[end] == ':' {
		start = end + 1
		s, _ := c.registry.Lookup(strings.ToLower(text[:end]))
		if s.Traits&(scheme.Web|scheme.Files) == 0 && !strings.HasPrefix(text[start:], "//") {
			return 0, false
		}
	}
	if !strings.HasPrefix(text[start:], "//") {
		return start, true
	}
	start += len("//")
	n := strings.IndexAny(text[start:], "/?#")
	if n < 0 {
		n = len(text) - start
	}
	return start + n, true
}

// escapePercent replaces each "%" outside an escape by "%25".
func escapePercent(text string) string {
	var b strings.Builder
	from := 0
	for i := range len(text) {
		if text[i] == '%' && !octet.IsEscape(text, i) {
			b.WriteString(text[from:i] + "%25")
			from = i + 1
		}
	}
	return b.String() + text[from:]
}

// parseBySlash parses the text of the URL u with the rules of RFC 3986, in which a "?" ends the
// host.
func parseBySlash(u locus.URL) (locus.URL, error) {
	ref, err := relative.Parse(u.String())
	u, _ = ref.URL()
	return u, err
}

// addSlash adds a missing "/" before the "?" or "#" that ends the host of the link.
func (c *Checker) addSlash(l *link, written string) {
	text := l.url.String()
	if at, _ := octet.HostEnd(text); at > 0 {
		if u, err := locus.Parse(text[:at] + "/" + text[at:]); err == nil {
			l.url, l.written = u, cmp.Or(l.written, strings.Clone(written))
		}
	}
}

// convertIRI converts the IRI in the link l to a URL, and sets l.written to the IRI. If the host
// name has no ASCII form, the link is malformed.
func (c *Checker) convertIRI(l *link) {
	u, err := iri.URL(l.url)
	switch {
	case u == l.url:
	case err != nil:
		l.verdict, l.detail = Malformed, err.Error()
	default:
		if l.written == "" {
			l.written = l.url.String()
		}
		l.url = u
	}
}

// checkScheme returns a verdict and a reason for a link whose scheme is not registered, or is an
// extension without an opener. For other links, the reason is "".
func (c *Checker) checkScheme(written string) (Verdict, string) {
	end, _ := octet.SchemeEnd(written)
	if end <= 0 || end == len(written) || written[end] != ':' {
		return 0, ""
	}
	if _, ok := locus.FromWindowsPath(written); ok {
		return 0, ""
	}
	name := strings.ToLower(written[:end])
	switch s, ok := c.registry.Lookup(name); {
	case !ok:
		return c.unknownScheme(name)
	case s.Access.Opener == nil && s.Status == scheme.Extension:
		return c.notOpened(name)
	}
	return 0, ""
}

// unknownScheme returns the verdict and the reason for a scheme that is missing from the Checker's
// registry. If the scheme is not registered with IANA either, it may be a typo and causes a
// warning.
func (c *Checker) unknownScheme(name string) (Verdict, string) {
	if scheme.NameStatus(name) != "" || strings.HasPrefix(name, "x-") {
		return c.notOpened(name)
	}
	return Warning, "unknown scheme " + locus.Quote(name)
}

// notOpened returns the verdict and the reason for a known scheme without an opener.
func (c *Checker) notOpened(name string) (Verdict, string) {
	if c.client == nil {
		return Ignored, notAFile
	}
	return Unsupported, locus.Quote(name) + " URLs can't be opened here"
}

// isMixed reports whether a page that uses TLS loads the URL u without TLS. Links to other pages
// do not count, because browsers do not load their targets with the page.
func (c *Checker) isMixed(page, u locus.URL, element string) bool {
	if u.IsZero() || !c.traits(page).Has(scheme.Web|scheme.Secure) || c.traits(u)&(scheme.Web|scheme.Secure) != scheme.Web {
		return false
	}
	switch element {
	case "script src", "img src", "img srcset", "iframe src", "frame src", "embed src", "object data", "audio src", "video src", "video poster",
		"source src", "source srcset", "track src", "input src", "style", "form action":
		return true
	case "link href":
		// Browsers load style sheets and icons with the page.
		path, _ := u.Path()
		return !mayBePage(path) || strings.HasSuffix(path, ".css")
	}
	return false
}

// cloneURL returns a copy of the URL u that does not retain the memory of the document.
func cloneURL(u locus.URL) locus.URL {
	u, _ = locus.Parse(strings.Clone(u.String())) // no error, because the text is a valid URL
	return u
}

// errNoLocation means that a document without a URL contains a relative reference.
var errNoLocation = errors.New("a relative link in a document without a location")

// errNoScheme means that a relative reference in a file begins with "//".
var errNoScheme = errors.New("a scheme-relative link in a local file")

// errAbove means that a relative reference points above the repository root.
var errAbove = errors.New("points above the top of the repository")

func (c *Checker) resolve(found *document.Link, s *Source) (locus.URL, error) {
	base, err := c.baseOf(found, s)
	if err != nil {
		return locus.URL{}, err
	}
	text := found.Ref
	if base.IsZero() {
		return withoutBase(text)
	}
	if c.isFile(base) {
		if host, ok := strings.CutPrefix(text, "//"); ok && host != "" && host[0] != '/' && !strings.HasPrefix(host, "localhost/") {
			return locus.URL{}, errNoScheme
		}
		if text, base = c.inFile(text, base, s); c.isInFS(base) && leavesTop(base, fileIn(""), text) {
			return locus.URL{}, errOutside
		} else if leavesTop(base, s.Top, text) {
			return locus.URL{}, errAbove
		}
	}
	ref, err := relative.Parse(text)
	if err != nil {
		return locus.URL{}, err
	}
	u, _, err := c.registry.Resolve(base, ref, relative.Options{Data: true})
	return u, err
}

// baseOf returns the base URL for a relative reference, or the zero URL if there is none.
func (c *Checker) baseOf(found *document.Link, s *Source) (locus.URL, error) {
	base := s.URL
	switch {
	case found.Base == "" && (found.Member != "" || c.isFolder(base) && !leadsElsewhere(found.Ref)):
		return locus.URL{}, nil
	case found.Base == "":
		return base, nil
	}
	text := found.Base
	if c.isFile(base) {
		text, base = c.inFile(text, base, s)
	}
	own, err := relative.Parse(text)
	if err != nil {
		return locus.URL{}, err
	}
	if u, absolute := own.URL(); absolute {
		return u, nil
	} else if base.IsZero() || found.Member != "" {
		return locus.URL{}, errNoLocation
	}
	return own.Resolve(base)
}

// isFolder reports whether the URL u names a local directory, like the base URL for standard
// input.
func (c *Checker) isFolder(u locus.URL) bool {
	return c.isFile(u) && strings.HasSuffix(u.String(), "/")
}

// leadsElsewhere reports whether a relative reference may refer to another document.
func leadsElsewhere(ref string) bool { return ref != "" && ref[0] != '#' && ref[0] != '?' }

// withoutBase parses an absolute URL. For a relative reference, it returns errNoLocation.
func withoutBase(text string) (locus.URL, error) {
	ref, err := relative.Parse(text)
	if err != nil {
		return locus.URL{}, err
	}
	if u, absolute := ref.URL(); absolute {
		return u, nil
	}
	return locus.URL{}, errNoLocation
}

// inFile adapts a relative reference in a local file and returns its base URL. inFile removes the
// query, which is not part of a file name. If the reference begins with "/", the base is the site
// root or the repository root.
func (c *Checker) inFile(text string, base locus.URL, s *Source) (string, locus.URL) {
	before, fragment, hasFragment := strings.Cut(text, "#")
	if strings.Contains(before, ":") && !strings.HasPrefix(before, "/") {
		if ref, err := relative.Parse(text); err == nil {
			if _, absolute := ref.URL(); absolute {
				return text, base
			}
		}
	}
	root := cmp.Or(s.Root, s.Top)
	path, _, searches := strings.Cut(before, "?")
	if rest, ok := strings.CutPrefix(path, "/"); ok && !strings.HasPrefix(rest, "/") && !root.IsZero() {
		path, base = "./"+rest, root
	} else if !searches {
		return text, base
	}
	if hasFragment {
		path += "#" + fragment
	}
	return path, base
}

// rootUnknown is the reason for ignoring a link that begins with "/" and names a missing file.
const rootUnknown = "the root of the site is unknown"

// isRootGuessed reports whether the target of a link that begins with "/" is uncertain. In a page
// or style sheet, "/" is the root of the server, which only the caller may know. In other
// documents, "/" is the repository root. In these documents, a path without a file extension may
// name a page of an unknown site.
func isRootGuessed(found *document.Link, s *Source) bool {
	path := found.Ref
	if strings.HasPrefix(found.Base, "/") && !strings.HasPrefix(path, "/") {
		path = found.Base + path
	}
	if !strings.HasPrefix(path, "/") || s.Root.IsZero() && s.Top.IsZero() || !s.Root.IsZero() && !s.RootGuessed {
		return false
	}
	switch found.Type {
	case "text/html", "application/xhtml+xml", "text/css":
		return true
	}
	path, _, _ = strings.Cut(path, "#")
	path, _, _ = strings.Cut(path, "?")
	return !hasExtension(path)
}

// hasExtension reports whether a path ends in a file extension. Digits after a dot are not a file
// extension but a version number, as in "/v1.2".
func hasExtension(path string) bool {
	name := path[strings.LastIndexByte(path, '/')+1:]
	dot := strings.LastIndexByte(name, '.')
	return dot >= 0 && strings.Trim(name[dot:], ".0123456789") != ""
}

// plainError returns the text of err without the package name and the text of the link.
func plainError(err error) string {
	if e := (*locus.SyntaxError)(nil); errors.As(err, &e) {
		return fmt.Sprintf("offset %d: %v", e.Offset, e.Err)
	}
	return strings.TrimPrefix(err.Error(), "locus: ")
}
