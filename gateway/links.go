package gateway

import (
	"cmp"
	"fmt"
	"net/url"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/scheme"
)

// These are paths of the gateway itself. They begin with "/-/", because "-" is not the name
// of a scheme.
const (
	rawPath      = "/-/raw"
	submitPath   = "/-/submit"
	sendPath     = "/-/send"
	explainPath  = "/-/explain"
	schemesPath  = "/-/schemes"
	lensPath     = "/-/lens"
	terminalPath = "/-/terminal"
	assetsPath   = "/-/assets/"
	archivedPath = "/-/kept"
	timeMapPath  = "/-/timemap"
)

// showValues returns the query values for s.
func showValues(s page.Show) url.Values {
	values := url.Values{}
	set := func(name, value string) {
		if value != "" {
			values.Set(name, value)
		}
	}
	set("as", string(s.As))
	set("sort", s.Sort)
	set("part", s.Part)
	set("types", s.Types)
	set("at", s.At)
	if i := s.Items; i != (scheme.ItemRange{}) {
		set("items", fmt.Sprintf("%d-%d:%d", i.First, i.Last, i.Newest))
	}
	return values
}

// showOf converts a query from showValues back to a Show. It ignores invalid values.
func showOf(values url.Values) page.Show {
	s := page.Show{As: page.Class(values.Get("as")), Sort: values.Get("sort"), Part: values.Get("part"), Types: values.Get("types"), At: values.Get("at")}
	if len(s.Types) > maxTypes {
		s.Types = "" // too long, because each link on the page repeats the types
	}
	i := scheme.ItemRange{}
	if n, _ := fmt.Sscanf(values.Get("items"), "%d-%d:%d", &i.First, &i.Last, &i.Newest); n == 3 && min(i.First, i.Last, i.Newest) >= 0 {
		s.Items = i
	}
	return s
}

// maxTypes is the maximum length in bytes of a type list.
const maxTypes = 200

// site returns the paths of the gateway's own pages for the given origin. If captureTime is not
// empty, links select the archived resources of that time.
func (g *Gateway) site(origin, captureTime string) page.Site {
	base, submit := origin+g.options.Prefix, submitPath
	if captureTime != "" {
		submit += "?" + url.Values{"at": {captureTime}}.Encode()
	}
	return page.Site{
		Home: base + "/",
		Page: func(u locus.URL, s page.Show) string {
			s.At = cmp.Or(s.At, captureTime)
			path := g.pagePath(u, s)
			if path != "" {
				path = origin + path
			}
			return path
		},
		Raw: func(u locus.URL, s page.Show) string {
			s.At = cmp.Or(s.At, captureTime)
			return origin + g.rawPagePath(u, s)
		},
		Session: func(u locus.URL) string { return base + askFor(terminalPath, u.WithoutFragment(), nil) },
		Submit:  base + submit,
		Send:    base + sendPath,
		Explain: base + explainPath,
		Schemes: base + schemesPath,
		Lens:    base + lensPath,
		Assets:  base + assetsPath + page.AssetsVersion() + "/",
	}
}

// ownPath is like pathOf, but for paths below the prefix of the gateway. Other servers normalize
// more paths than browsers do.
func (g *Gateway) ownPath(u locus.URL) (path string, ok bool) {
	path, ok = pathOf(u)
	return path, ok && (g.options.Prefix == "" || isClean(path))
}

// rawPagePath returns the path of the raw content of u. If s selects a part of a message, the path
// is for the raw content of this part.
func (g *Gateway) rawPagePath(u locus.URL, s page.Show) string {
	if path, ok := g.ownPath(u); ok && s.Part == "" && s.At == "" {
		return g.options.Prefix + rawPath + path
	}
	return g.options.Prefix + askFor(rawPath, u, showValues(page.Show{Part: s.Part, At: s.At}))
}

// pagePath returns the path of the page for u. If the policy would deny u, pagePath returns "".
func (g *Gateway) pagePath(u locus.URL, s page.Show) string {
	if g.traits(u).Has(scheme.Files) && g.options.Archive == nil && (g.options.Files == nil || !g.options.Files(u)) {
		return ""
	}
	values := showValues(s)
	if path, ok := g.ownPath(u); ok && len(values) == 0 {
		return g.options.Prefix + path
	}
	return g.options.Prefix + askFor("/", u, values)
}
