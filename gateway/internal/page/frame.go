package page

import (
	"cmp"
	"net/netip"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/scheme"
)

// top is the data for the template "top".
type top struct {
	Site     *Site
	Kind     kind
	Title    string
	Box      string // text in the box for the URL
	Parts    []scheme.Span
	Crumbs   []crumb
	Facts    []fact
	Actions  []action
	Views    []action
	Archived *archivedTimes
	Session  bool // the page needs the terminal scripts
	Focus    bool // the box for the URL is the main content
	Schemes  string
	Lens     string
}

// crumb is a link to a menu above the resource.
type crumb struct{ Name, Link string }

// fact is a property of the resource.
type fact struct{ Name, Text, Stamp string }

// action is a link to another view of the resource.
type action struct {
	Name, Link, Icon string
	Current          bool
	Outside          string // external URL that replaces Link
	Save             string // file name for a download
}

func (g *page) top(k kind) top {
	u := g.h.URL
	t := top{
		Site: &g.site, Kind: k, Title: g.title(), Box: cmp.Or(safeText(g.h.Box), u.String()), Session: k == kindSession, Focus: k == kindHome, Schemes: g.site.Schemes, Lens: g.site.Lens,
	}
	if u.IsZero() {
		return t
	}
	t.Parts = g.registry.Spans(u)
	for _, parent := range g.registry.Parents(u) {
		t.Crumbs = append(t.Crumbs, crumb{safeText(parent.Name), g.pagePath(parent.URL, Show{})})
	}
	t.Archived = g.archivedTimes()
	t.Facts = g.facts(k)
	t.Views = g.views()
	if g.h.Show.Part != "" {
		if link := g.pagePath(u, Show{}); link != "" {
			t.Actions = append(t.Actions, action{Name: "Complete message", Link: link, Icon: kindComposed.Icon})
		}
	}
	if raw := g.rawPath(u, Show{Part: g.h.Show.Part}); raw != "" && !slices.Contains(withoutOctets, k.Icon) {
		t.Actions = append(t.Actions, action{Name: "Raw", Link: raw, Icon: "raw"})
		if !k.menu {
			t.Actions = append(t.Actions, action{Name: "Save", Link: raw, Icon: "save", Save: g.fileName()})
		}
	}
	if g.registry.Scheme(u).Traits.Has(scheme.Web) {
		t.Actions = append(t.Actions, action{Name: "Open directly", Outside: u.String(), Icon: "outside"})
	}
	return t
}

// fileName returns the name of the file in which a browser saves the object.
func (g *page) fileName() string {
	name := g.o.Name
	if u := g.h.URL; name == "" && u.Facts().Has(locus.Internet) {
		name = g.registry.Title(u)
	}
	return cmp.Or(safeText(name), "object")
}

// withoutOctets lists the icons of those pages that offer no raw view.
var withoutOctets = []string{kindSession.Icon, kindWarning.Icon, kindAddress.Icon, kindRedirect.Icon}

// title returns the title of the page. The title comes from the server or from a name in the URL.
// Otherwise the title consists of the kind of the resource and its host.
func (g *page) title() string {
	u := g.h.URL
	name := g.registry.Title(u)
	if parents := g.registry.Parents(u); len(parents) > 0 && parents[len(parents)-1].Name == name {
		// The URL contains only the name of the menu, as for a WAIS document.
		name = cmp.Or(g.o.Name, name)
	}
	title := strings.TrimRight(strings.TrimSpace(safeText(g.h.Title)), "/")
	at := u.Host()
	if name == at {
		name = ""
	}
	if port, ok := u.PortText(); ok {
		at += ":" + port
	}
	if _, err := netip.ParseAddr(title); err == nil {
		title, name, at = "", "", title // an IP address is not a useful title
	}
	switch {
	case at == "":
	case g.kind.Icon == kindWarning.Icon:
		at = g.kind.Label + ": " + at
	default:
		at = g.kind.Label + " at " + at
	}
	return cmp.Or(title, strings.TrimSpace(safeText(name)), at, u.String(), "Locus")
}

func (g *page) facts(k kind) (list []fact) {
	h, o := g.h, g.o
	add := func(name, text string) {
		if text != "" {
			list = append(list, fact{Name: name, Text: text})
		}
	}
	if k.Icon != kindWarning.Icon && !strings.HasPrefix(g.title(), k.Label+" at ") {
		add("Kind", k.Label) // otherwise the heading shows the kind
	}
	add("Type", safeText(o.Type))
	add("Encoding", safeText(o.Encoding))
	if o.Size > 0 {
		add("Size", human.Size(o.Size))
	}
	if !o.ModTime.IsZero() {
		list = append(list, fact{"Changed", human.Time(o.ModTime), formatTime(o.ModTime)})
	}
	if h.Cached {
		add("Cache", "cached "+human.Age(h.Age))
	}
	add("Note", safeText(o.Note))
	return list
}

// views returns links to the other views of the resource on the page.
func (g *page) views() (list []action) {
	for _, v := range g.h.Views {
		name := safeText(v.Type)
		if v.Language != "" {
			name += " in " + safeText(v.Language)
		}
		if v.Size > 0 {
			name += ", " + human.Size(v.Size)
		}
		list = append(list, action{Name: name, Link: g.pagePath(v.URL, Show{Types: g.h.Show.Types}), Current: v.Current})
	}
	return list
}

// bottom is the data for the template "bottom".
type bottom struct {
	URL       string
	Found     *hop
	Hops      []hop
	Explained *explanation
	Asked     bool // the page shows the exchange with the server
	Lines     []Line
	More      int // number of omitted lines of the exchange
	Site      *Site
}

// hop is a URL as text, and the link to its page.
type hop struct{ Text, Link string }

// maxLines is the maximum number of lines that a page shows of the exchange with a server.
const maxLines = 500

func (g *page) bottom() bottom {
	h, u := g.h, g.h.URL
	b := bottom{Site: &g.site}
	if u.IsZero() {
		return b
	}
	b.URL = u.String()
	x := g.explain(u)
	b.Explained = &x
	if !h.Found.IsZero() && withoutPassword(h.Found) != u {
		b.Found = g.hop(h.Found)
	}
	for _, each := range h.Hops {
		b.Hops = append(b.Hops, *g.hop(each))
	}
	if len(b.Hops) < 2 {
		b.Hops = nil
	}
	if h.Sent != nil {
		lines := h.Sent()
		b.Asked = true
		b.Lines = lines[:min(len(lines), maxLines)]
		b.More = len(lines) - len(b.Lines)
	}
	return b
}

func (g *page) hop(u locus.URL) *hop {
	return &hop{charset.Text(withoutPassword(u).String()), g.pagePath(u, Show{})}
}
