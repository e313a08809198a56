package verify

import (
	"cmp"
	"context"
	"io"
	"path"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/scheme"
)

const noResource = "not in the module's directory: Antora may find it by an alias or in another repository"

// placeAntora resolves an Antora resource ID in a document below modules/NAME/pages. Antora looks
// for pages in the module's "pages" directory, and for pictures in its "images" directory.
func (c *Checker) placeAntora(l *link, written string, found *document.Link, s *Source) bool {
	ref, fragment, hasFragment := strings.Cut(written, "#")
	isID := strings.ContainsAny(ref, ":$@")
	dir, module, ok := antoraModule(s.URL)
	family := map[string]string{"xref": "pages", "": "images"}[found.Element]
	switch {
	case ref == "", c.hasScheme(ref):
		return false
	case !isID && (!ok || family == "" || strings.HasPrefix(ref, ".") || strings.HasPrefix(ref, "/")):
		return false
	case !ok || isForeign(ref):
		l.written = strings.Clone(written)
		l.verdict, l.detail = Ignored, "only Antora resolves this name"
		return true
	}
	if before, after, ok := strings.Cut(ref, ":"); ok {
		module, ref = cmp.Or(before, "ROOT"), after
	}
	_, name, isPage := strings.Cut(ref, "$")
	if isPage {
		family, ref = "pages", name
	}
	if hasFragment {
		ref += "#" + fragment
	}
	u, err := locus.Parse(dir + "/modules/" + module + "/" + family + "/" + ref)
	if err != nil {
		l.verdict, l.detail = Malformed, plainError(err)
	}
	l.url, l.written, l.doubt = u, strings.Clone(written), noResource
	l.antora = &antoraPlace{top: s.Top, dir: dir, module: module, ownModule: !isID}
	if family == "images" {
		l.alternative, _ = locus.Parse(dir + "/modules/" + module + "/assets/images/" + ref)
	}
	return true
}

// isForeign reports whether only Antora can resolve the resource ID ref. Such an ID may name
// another component, another version or a generated file.
func isForeign(ref string) bool {
	return strings.Contains(ref, "@") || strings.Count(ref, ":") > 1 || strings.Contains(ref, "$") && !strings.Contains(ref, "page$")
}

// antoraModule returns the module name of the document at base, and the directory that contains
// the directory "modules".
func antoraModule(base locus.URL) (dir, module string, ok bool) {
	dir, rest, ok := cutLast(base.WithoutFragment().String(), "/modules/")
	module, rest, below := strings.Cut(rest, "/")
	if !ok || !below {
		return "", "", false
	}
	switch family, _, below := strings.Cut(rest, "/"); family {
	case "pages", "partials", "examples":
		return dir, module, below
	default:
		return dir, module, !below && strings.HasPrefix(family, "nav")
	}
}

// antoraPlace describes the module in which Antora first looks for a page or picture.
type antoraPlace struct {
	top       locus.URL // repository root, or zero if unknown
	dir       string    // URL of the directory that contains the directory "modules"
	module    string
	ownModule bool // the link does not name a module, so it refers to the document's own module
}

type contentRoot struct {
	name  string // name of the component
	built bool   // a build adds files to the component
}

// antoraTree describes the Antora files in a repository. The files of one component may be in
// several directories. Each of these content roots contains an antora.yml with the component name.
type antoraTree struct {
	roots   map[string]contentRoot // content roots by directory URL
	modules map[string]bool        // the URLs of module directories
	aliases strings.Builder        // the values of "page-aliases" in all pages
	folders int
	cut     bool // some files or directories were not read
}

// maxAntoraFolders is the maximum number of directories that are searched for content roots.
const maxAntoraFolders = 1 << 16

// maxAntoraFile is the maximum number of bytes that are read from an antora.yml or a page.
const maxAntoraFile = 64 << 10

// settleAntora returns the result of a link to a page or picture that is missing from the
// document's content root. The link is dead if the repository contains the module, but no content
// root of the component contains the file. If a build adds files to the component, a link to
// another module is never dead.
func (e *Verifier) settleAntora(ctx context.Context, d *doc, r *ref, res Result) Result {
	p := r.extra.antora
	tree := e.antoraTree(ctx, p.top)
	name := tree.roots[p.dir].name
	isKnown := name != "" && !tree.cut && isContent(res.URL) && !tree.hasAlias(res.URL)
	hasModule := false
	for dir, other := range tree.roots {
		if other.name != name {
			continue
		}
		isKnown = isKnown && (p.ownModule || !other.built)
		if !tree.modules[dir+"/modules/"+p.module] {
			continue
		}
		hasModule = true
		if u, err := locus.Parse(dir + strings.TrimPrefix(res.URL.String(), p.dir)); err == nil && dir != p.dir {
			if found := e.tryAlternative(ctx, d, r, u); isFound(&found.Outcome) || found.isDocument() {
				return found
			}
		}
	}
	if !isKnown || !hasModule {
		res.Verdict, res.Detail = Warning, noResource
	}
	return res
}

// isContent reports whether the URL u names a page or a picture.
func isContent(u locus.URL) bool {
	name, _ := u.WithoutFragment().Path()
	t := media.ByName(name)
	return t == asciidocType || strings.HasPrefix(t, "image/")
}

// hasAlias reports whether the last segment of the URL u may be an alias of a page.
func (t *antoraTree) hasAlias(u locus.URL) bool {
	name, _ := u.WithoutFragment().Path()
	name = path.Base(name)
	return strings.Contains(t.aliases.String(), strings.TrimSuffix(name, path.Ext(name)))
}

// antoraTree returns the Antora files in the repository at the URL top. Only the goroutine that
// calls Run may call antoraTree.
func (e *Verifier) antoraTree(ctx context.Context, top locus.URL) *antoraTree {
	if e.checker.fsys != nil && top.IsZero() {
		top = fileIn("")
	}
	t := e.antora[top]
	if t == nil {
		t = &antoraTree{roots: map[string]contentRoot{}, modules: map[string]bool{}, cut: top.IsZero()}
		if !t.cut {
			t.readTree(ctx, e.checker, top)
		}
		if e.antora == nil {
			e.antora = map[locus.URL]*antoraTree{}
		}
		e.antora[top] = t
	}
	return t
}

// readTree reads the directory at the URL u and all its subdirectories.
func (t *antoraTree) readTree(ctx context.Context, c *Checker, u locus.URL) {
	if t.folders++; t.folders > maxAntoraFolders || ctx.Err() != nil {
		t.cut = true
		return
	}
	folder := strings.TrimSuffix(u.String(), "/")
	folders, err := c.readFolder(ctx, u, func(file locus.URL) { t.readFile(ctx, c, folder, file) })
	t.cut = t.cut || err != nil
	for _, sub := range folders {
		name := path.Base(sub.String())
		if strings.HasPrefix(name, ".") || name == "node_modules" {
			continue
		}
		if path.Base(folder) == "modules" {
			t.modules[folder+"/"+name] = true
		}
		t.readTree(ctx, c, sub)
	}
}

// readFile reads a file if it is an antora.yml or a page.
func (t *antoraTree) readFile(ctx context.Context, c *Checker, folder string, file locus.URL) {
	isPage := strings.Contains(folder+"/", "/pages/") && strings.Contains(folder, "/modules/") && media.ByName(file.String()) == asciidocType
	isRoot := path.Base(file.String()) == "antora.yml"
	if !isPage && !isRoot {
		return
	}
	text, err := c.readStart(ctx, file)
	t.cut = t.cut || err != nil
	if isRoot {
		t.roots[folder] = contentRoot{componentName(text), strings.Contains(text, "\next:")}
		return
	}
	if _, list, ok := strings.Cut(text, "\n:page-aliases:"); ok {
		list, _, _ = strings.Cut(strings.ReplaceAll(list, "\\\n", " "), "\n")
		t.aliases.WriteString(list + "\n")
	}
}

// componentName returns the component name in an antora.yml.
func componentName(text string) string {
	for line := range strings.Lines(text) {
		if name, ok := strings.CutPrefix(line, "name:"); ok {
			name, _, _ = strings.Cut(name, " #")
			return strings.Trim(strings.TrimSpace(name), `"'`)
		}
	}
	return ""
}

// readFolder calls handle for each file in a directory, and returns the URLs of its subdirectories.
func (c *Checker) readFolder(ctx context.Context, u locus.URL, handle func(locus.URL)) (folders []locus.URL, err error) {
	res, err := c.openURL(ctx, access.Request{URL: u, From: &access.Result{URL: u}})
	if err != nil {
		return nil, err
	}
	defer res.Resource.Close()
	m, ok := res.Resource.(*scheme.Menu)
	if !ok {
		return nil, nil
	}
	for item, err := range m.Items {
		switch {
		case err != nil:
			return folders, err
		case item.Kind == scheme.KindMenu:
			folders = append(folders, item.URL)
		default:
			handle(item.URL)
		}
	}
	return folders, nil
}

// readStart returns at most maxAntoraFile bytes of a file.
func (c *Checker) readStart(ctx context.Context, u locus.URL) (string, error) {
	res, err := c.openURL(ctx, access.Request{URL: u, From: &access.Result{URL: u}})
	if err != nil {
		return "", err
	}
	defer res.Resource.Close()
	o, ok := res.Resource.(*scheme.Object)
	if !ok {
		return "", nil
	}
	text, err := io.ReadAll(io.LimitReader(o.Body, maxAntoraFile))
	return string(text), err
}
