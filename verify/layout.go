package verify

import (
	"context"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/verify/internal/generator"
)

// Layout maps the documents in a directory to the pages of a site. With a Layout, the Verifier
// resolves links as the site does. For example, "guide/" may refer to guide.md, and a heading has
// the fragment that the site generator creates. A Layout may be used concurrently.
type Layout struct {
	site *generator.Site
	root locus.URL // directory URL; ends in "/"
	url  locus.URL // site URL; ends in "/", or is zero
	own  bool      // LayoutOptions contains the site URL

	undecided atomic.Int64 // links that only a build can resolve
}

// LayoutOptions configures [OpenLayout]. The zero value and nil describe a directory that a
// server publishes without a generator.
type LayoutOptions struct {
	// Preset is the name of the site generator, which is one of [Presets] or a result of
	// [FindPreset]. If Preset is empty, no generator builds the site.
	Preset string
	// URL is the URL of the published site. If a link to the site corresponds to a file in the
	// directory, the Verifier checks the file instead. If URL is zero, the site URL comes from the
	// generator's configuration, and the Verifier sends requests for links to the site.
	URL locus.URL
	// Wikilinks enables links that contain only a document name. The document may be anywhere in
	// the directory. The presets "obsidian" and "foam" also enable these links.
	Wikilinks bool
}

// Presets returns the names of the supported site generators.
func Presets() []string { return generator.Presets() }

// FindPreset looks for the configuration file of a site generator in the root of fsys. FindPreset
// returns the names of the generator and the file, or empty strings if there is no such file. If
// the generator is not one of [Presets], the Verifier can check links to files, but not links to
// pages.
func FindPreset(fsys fs.FS) (preset, config string) { return generator.Detect(fsys) }

// OpenLayout reads the layout of the site in the directory fsys. The URL of that directory is
// root. OpenLayout ends early if ctx is cancelled.
func OpenLayout(ctx context.Context, fsys fs.FS, root locus.URL, o *LayoutOptions) (*Layout, error) {
	if o == nil {
		o = new(LayoutOptions)
	}
	site, err := generator.Open(ctx, fsys, o.Preset)
	if err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	l := &Layout{site: site, url: o.URL, own: !o.URL.IsZero()}
	if l.root, err = withSlash(root); err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	if !l.own && site.URL != "" {
		l.url, _ = locus.Parse(site.URL) // if the URL is malformed, l.url is zero
	}
	if l.url, err = withSlash(l.url); err != nil {
		return nil, fmt.Errorf("verify: %w", err)
	}
	if l.own {
		prefix, _ := l.url.Path()
		site.SetPrefix(prefix)
	}
	if o.Wikilinks {
		err = site.ReadStems()
	}
	return l, err
}

// withSlash returns the URL u without query and fragment, and with a "/" at its end.
func withSlash(u locus.URL) (locus.URL, error) {
	if u.IsZero() {
		return u, nil
	}
	text, _, _ := strings.Cut(u.WithoutFragment().String(), "?")
	return locus.Parse(strings.TrimSuffix(text, "/") + "/")
}

// Preset returns the name of the generator, or "" if there is none.
func (l *Layout) Preset() string { return l.site.Name }

// Config returns the name of the generator's configuration file in the directory, or "" if
// there is none.
func (l *Layout) Config() string { return l.site.Config }

// Undecided returns the current number of links that only a build of the site can resolve
// ([NeedsBuild]).
func (l *Layout) Undecided() int { return int(l.undecided.Load()) }

// Wikilinks reports whether the documents may contain wikilinks.
func (l *Layout) Wikilinks() bool { return l != nil && l.site.HasWikilinks() }

// Contains reports whether the document at u belongs to the site.
func (l *Layout) Contains(u locus.URL) bool {
	name, ok := l.name(u)
	return ok && l.site.Contains(name)
}

// name returns the name of the file with the URL u, relative to the directory. If the file is not
// in the directory, the second result is false.
func (l *Layout) name(u locus.URL) (string, bool) {
	rest, ok := strings.CutPrefix(u.WithoutFragment().String(), l.root.String())
	if !ok {
		return "", false
	}
	return decoded(rest), true
}

func (l *Layout) file(name, fragment string, hasFragment bool) (locus.URL, error) {
	text := l.root.String() + escape.Encode(name, escape.Fsegment().With("/").Without("?"))
	if hasFragment {
		text += "#" + fragment
	}
	return locus.Parse(text)
}

const (
	needsBuild = "only a build of the site can resolve this link"
	notListed  = "the generator makes no page for the document, because nothing lists it"
	notPage    = "the document is not a page of the site"
	leavesIt   = "points outside the site, whose URL is unknown"
)

// placeByLayout resolves a link in the document with the URL base. If the layout does not determine
// the target, placeByLayout returns false.
func (c *Checker) placeByLayout(l *link, found *document.Link, base locus.URL, layout *Layout) bool {
	if layout == nil || found.Member != "" || found.Base != "" {
		return false
	}
	doc, ok := layout.name(base)
	if !ok && base != layout.url || ok && !layout.site.Contains(doc) || isInclude(found, layout) {
		return false
	}
	written := found.Ref
	if !found.URL.IsZero() {
		written = found.URL.String()
	}
	l.site = layout.site
	if found.Element == "wikilink" {
		return layout.placeWiki(l, doc, written)
	}
	if alias, ok := layout.site.Alias(written); ok {
		written = alias
	} else if _, why := c.checkScheme(written); why != "" && layout.site.IsOther(written) {
		layout.undecided.Add(1)
		l.verdict, l.cause, l.detail = Ignored, NeedsBuild, "only "+layout.site.Name+" can resolve this link"
		return true
	} else if v, _ := c.checkScheme(written); v == Warning && layout.site.Doubts() {
		return layout.placeAt(l, generator.Target{Kind: generator.Undecided}, "", false)
	} else if !found.URL.IsZero() {
		return layout.placeAbsolute(l, written)
	}
	before, fragment, hasFragment := strings.Cut(written, "#")
	if ref, err := relative.Parse(written); err != nil {
		target := layout.site.Find(doc, before, fragment)
		return (target.Kind == generator.NoPage || target.Kind == generator.Undecided) && layout.placeAt(l, target, "", false)
	} else if u, absolute := ref.URL(); absolute {
		return layout.placeAbsolute(l, u.String())
	} else if strings.HasPrefix(before, "//") {
		return layout.placeOutside(l, written)
	}
	plain, _, _ := strings.Cut(before, "?")
	if before == "" && found.Form == extract.Link && layout.site.HasNames() {
		l.doubt = needsBuild
	}
	target := layout.site.Find(doc, plain, fragment)
	if target.Kind == generator.Missing || target.Kind == generator.Undecided {
		for _, name := range otherNames(plain, c.o.FallbackExtensions) {
			if other := layout.site.Find(doc, name, fragment); other.Kind == generator.File {
				target = other
				break
			}
		}
	}
	if found.Element == "doc" && target.Kind == generator.Undecided { // document name without file extension
		if other := layout.site.Find(doc, plain+".rst", fragment); other.Kind == generator.Missing {
			target = other
		}
	}
	switch {
	case target.Kind == generator.Plain:
		l.site = nil
		return false
	case target.Kind == generator.Missing && found.Element == "external" && layout.site.LeavesExternal():
		l.verdict, l.detail = Ignored, layout.site.Name+" has no such page, and does not change an external link"
		return true
	case target.Kind == generator.Missing && layout.site.Name == "":
		if layout.own {
			return layout.placeOutside(l, written)
		}
		l.site = nil
		return false
	case target.Kind == generator.Outside:
		name := escape.Encode(target.Name, escape.Fsegment().With("/").Without("?"))
		return layout.placeOutside(l, name+written[len(plain):])
	}
	return layout.placeAt(l, target, fragment, hasFragment)
}

// isInclude reports whether the link is an include directive of Sphinx.
func isInclude(found *document.Link, layout *Layout) bool {
	return found.Element == "include" && layout.site.Name == "sphinx" && !strings.HasPrefix(found.Ref, "/")
}

// hasAtTop reports whether the relative reference ref, such as "/x", names a file in the layout's
// directory, which must be the repository root top. hasAtTop returns false for a site with a
// generator, where "/" has another meaning.
func (l *Layout) hasAtTop(ref string, top locus.URL) bool {
	rest, ok := strings.CutPrefix(ref, "/")
	if !ok || l.site.Name != "" || l.root != top {
		return false
	}
	rest, _, _ = strings.Cut(rest, "#")
	rest, _, _ = strings.Cut(rest, "?")
	return l.site.Has(decoded(rest))
}

// placeAt sets the URL or the outcome of a link to the given target.
func (l *Layout) placeAt(at *link, target generator.Target, fragment string, hasFragment bool) bool {
	switch target.Kind {
	case generator.File:
		u, err := l.file(target.Name, fragment, hasFragment)
		if err != nil {
			at.verdict, at.detail = Malformed, plainError(err)
		}
		at.url = u
	case generator.Made:
		at.verdict, at.detail = Alive, l.site.Name+" generates this page"
	case generator.NoPage:
		at.verdict, at.detail = Ignored, notPage
	case generator.Undecided:
		l.undecided.Add(1)
		at.verdict, at.cause, at.detail = Ignored, NeedsBuild, needsBuild
	case generator.Excluded:
		at.verdict, at.detail = Ignored, "the site's configuration allows this link to be dead"
	case generator.Unlisted:
		at.verdict, at.detail = Dead, notListed
	default:
		at.verdict, at.detail = Dead, "the site has no page or file "+locus.Quote(target.Name)
	}
	if l.site.Name == "" && !l.Wikilinks() {
		at.site = nil
	}
	return true
}

// placeAbsolute maps a URL of the site to its source file.
func (l *Layout) placeAbsolute(at *link, written string) bool {
	at.site = nil
	before, fragment, hasFragment := strings.Cut(written, "#")
	before, _, _ = strings.Cut(before, "?")
	if !l.own || !strings.HasPrefix(before+"/", l.url.String()) {
		return false
	}
	prefix, _ := l.url.Path()
	target := l.site.At("/" + prefix + strings.TrimPrefix(before+"/", l.url.String())[:max(len(before)-l.url.Len(), 0)])
	if target.Kind != generator.File && target.Kind != generator.Made {
		return false
	}
	at.site = l.site
	at.written = written
	return l.placeAt(at, target, fragment, hasFragment)
}

// placeOutside resolves a link with the site URL as its base.
func (l *Layout) placeOutside(at *link, written string) bool {
	at.site = nil
	if l.url.IsZero() {
		at.verdict, at.cause, at.detail = Ignored, AboveRoot, leavesIt
		if strings.HasPrefix(written, "//") {
			at.cause, at.detail = 0, errNoScheme.Error()
		}
		return true
	}
	ref, err := relative.Parse(written)
	if err == nil {
		at.url, err = ref.Resolve(l.url)
	}
	if err != nil {
		at.verdict, at.detail = Malformed, plainError(err)
	}
	return true
}

// placeWiki resolves a wikilink in the document doc.
func (l *Layout) placeWiki(at *link, doc, written string) bool {
	page, heading, hasHeading := strings.Cut(written, "#")
	target := l.site.Wiki(doc, page)
	if target.Kind == generator.Missing {
		at.verdict, at.detail = Dead, "no document has this name"
		return true
	}
	if i := strings.LastIndexByte(heading, '#'); i >= 0 {
		heading = heading[i+1:] // only the last heading of a path of headings
	}
	fragment := heading
	if !strings.HasPrefix(heading, "^") { // "^" begins the name of a block
		fragment = generator.VaultID(heading)
	}
	return l.placeAt(at, target, escape.Encode(fragment, escape.Unreserved()), hasHeading)
}

// siteAnchors returns the fragments that the site generator creates for a Markdown document. If
// withText is true, the result also contains the document's text.
func siteAnchors(site *generator.Site, source string, mdx, withText bool) *anchors {
	read := site.IDs
	if mdx {
		read = site.MDXIDs
	}
	ids, other := read(source)
	a := &anchors{lenient: site.HasWikilinks(), built: site.MayHave(source)}
	if other {
		a.built = func(string) bool { return true }
	}
	for _, id := range ids {
		a.add(id)
	}
	a.addPieces(source, mdx, withText)
	a.scripts = 0 // the generator creates the content, even if the page has scripts
	a.sort()
	return a
}

// layouts selects the Layout for each document in a file system.
type layouts struct {
	fsys  fs.FS
	all   *Layout            // layout for all documents; nil if auto is true
	auto  bool               // detect layouts by their configuration files
	known map[string]*Layout // layouts by directory name
}

func newLayouts(ctx context.Context, fsys fs.FS, preset string) (*layouts, error) {
	list := &layouts{fsys: fsys, auto: preset == "auto", known: map[string]*Layout{}}
	if preset == "" || list.auto {
		return list, nil
	}
	if !slices.Contains(Presets(), preset) {
		return nil, fmt.Errorf("verify: %w %q: choose %s", generator.ErrPreset, preset, strings.Join(Presets(), ", "))
	}
	var err error
	list.all, err = OpenLayout(ctx, fsys, fileIn(""), &LayoutOptions{Preset: preset})
	return list, err
}

// layoutFor returns the layout for the document with the given name and URL. It searches the
// document's directory first, and then each parent directory.
func (list *layouts) layoutFor(ctx context.Context, name string, u locus.URL) *Layout {
	if !list.auto {
		return list.all
	}
	for dir := path.Dir(name); ; dir = path.Dir(dir) {
		if l := list.layoutIn(ctx, dir); l != nil && l.Contains(u) {
			return l
		}
		if dir == "." {
			return nil
		}
	}
}

// layoutIn returns the layout that the configuration file in the directory dir describes. It
// returns nil if the file is missing or can't be read.
func (list *layouts) layoutIn(ctx context.Context, dir string) *Layout {
	l, ok := list.known[dir]
	if ok {
		return l
	}
	if sub, err := fs.Sub(list.fsys, dir); err == nil {
		if preset, _ := FindPreset(sub); preset != "" {
			l, _ = OpenLayout(ctx, sub, fileIn(strings.TrimPrefix(dir, ".")), &LayoutOptions{Preset: preset})
		}
	}
	list.known[dir] = l
	return l
}
