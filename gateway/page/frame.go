package page

import (
	"cmp"
	"html/template"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/term"
)

// top is what the top of a page says.
type top struct {
	Site    *Site
	Kind    kind
	Title   string
	Box     string // what the box for URLs holds
	Whole   string // the URL, for who wants to copy it
	Parts   []Part
	Crumbs  []crumb
	Facts   []fact
	Ways    []way
	Views   []way
	Session bool // scripts for a terminal are needed
	Explain bool // the box explains what is typed
	Focus   bool // the box is what one came for
	Schemes string
}

// crumb is a folder on the way to what is shown.
type crumb struct{ Name, Link string }

// fact is something that is known of a resource.
type fact struct{ Name, Text, Stamp string }

// way is another way to have the same.
type way struct {
	Name, Link, Icon string
	Current          bool
	Outside          template.URL // in place of Link: of another place
	Save             string       // the name under which a browser would store it
}

func (g *page) top(k kind) top {
	u := withoutPassword(g.h.URL)
	t := top{
		Site: &g.site, Kind: k, Title: g.title(), Box: u.String(), Whole: u.String(),
		Session: k == kindSession, Explain: g.site.Explain != "" && u.IsZero(), Focus: k == kindHome,
		Schemes: g.site.Schemes,
	}
	if u.IsZero() {
		return t
	}
	t.Parts = Parts(u)
	t.Crumbs = g.crumbs(u)
	t.Facts = g.facts(k)
	t.Views = g.views()
	if g.h.Show.Part != "" {
		if link := g.link(u, Show{}); link != "" {
			t.Ways = append(t.Ways, way{Name: "The whole message", Link: link, Icon: kindLetter.Icon})
		}
	}
	if raw := g.raw(u, Show{Part: g.h.Show.Part}); raw != "" && g.hasOctets(k) {
		t.Ways = append(t.Ways, way{Name: "Raw", Link: raw, Icon: "raw"})
		if !isMenu(k) {
			t.Ways = append(t.Ways, way{Name: "Save", Link: raw, Icon: "save", Save: g.fileName()})
		}
	}
	if outside := u.Scheme(); outside == "http" || outside == "https" {
		t.Ways = append(t.Ways, way{Name: "Without the gateway", Outside: template.URL(u.String()), Icon: "outside"})
	}
	return t
}

// fileName returns the name under which a browser saves the object.
func (g *page) fileName() string {
	return cmp.Or(shown(g.o.Name), lastSegment(withoutPassword(g.h.URL)), "object")
}

// isMenu reports whether k is a list, or what asks for one.
func isMenu(k kind) bool {
	switch k {
	case kindMenu, kindGroup, kindGroups, kindResults, kindSearch, kindForm:
		return true
	}
	return false
}

// hasOctets reports whether there is a raw view of what is shown.
func (g *page) hasOctets(k kind) bool {
	switch k {
	case kindSession, kindWarning, kindAddress, kindReferral:
		return false
	}
	return true
}

// title is what the resource is called.
func (g *page) title() string {
	u := withoutPassword(g.h.URL)
	name := nameOf(u)
	if isDocument(u) {
		name = cmp.Or(shown(g.o.Name), name)
	}
	return cmp.Or(strings.TrimRight(strings.TrimSpace(shown(g.h.Title)), "/"), strings.TrimSpace(name), u.Host(), u.String(), g.site.Name)
}

// isDocument reports whether u locates a document of WAIS, whose document-id has a
// name in it for those who know its scheme, and others.
func isDocument(u locus.URL) bool {
	path, _ := u.Path()
	end := strings.IndexAny(path, "/?")
	return u.Scheme() == "wais" && end >= 0 && path[end] == '/'
}

// nameOf is what a resource may be called by its URL.
func nameOf(u locus.URL) string {
	if u.IsZero() {
		return ""
	}
	switch u.Scheme() {
	case "mailto", "news", "snews", "mid", "cid":
		return decoded(strings.TrimPrefix(u.SchemePart(), "//"))
	case "gopher", "gophers":
		path, _ := u.Path()
		selector, _, _ := strings.Cut(path, "%09")
		if len(selector) > 1 {
			return strings.Trim(lastOf(decoded(selector[1:])), "/")
		}
		return ""
	case "telnet", "rlogin", "tn3270":
		return u.Host()
	case "wais":
		path, _ := u.Path()
		database, words, _ := strings.Cut(path, "?")
		if words != "" {
			return decoded(words) + " in " + decoded(database)
		}
		// A document-id is no name.
		database, _, _ = strings.Cut(database, "/")
		return decoded(database)
	}
	return lastSegment(u)
}

// lastSegment is the last name in the path of u, decoded.
func lastSegment(u locus.URL) string {
	path, _ := u.Path()
	if u.Scheme() == "wais" {
		path, _, _ = strings.Cut(path, "/")
	}
	path, _, _ = strings.Cut(path, "?")
	if strings.HasPrefix(u.Scheme(), "ftp") {
		path, _ = cutTypecode(path)
	}
	return decoded(lastOf(path))
}

func lastOf(path string) string {
	path = strings.TrimRight(path, "/")
	return path[strings.LastIndexByte(path, '/')+1:]
}

// decoded is URL text as people may see it.
func decoded(text string) string {
	octets, err := escape.AppendDecode(nil, text)
	if err != nil {
		return shown(text)
	}
	return shown(string(octets))
}

// crumbs are the folders above u, for schemes whose paths are folders.
func (g *page) crumbs(u locus.URL) []crumb {
	prefix, _, found := strings.Cut(u.String(), "://")
	if !found {
		return nil
	}
	path, _ := u.Path()
	list := []crumb{{Name: cmp.Or(u.Host(), "/")}}
	root := prefix + "://" + loginOf(u) + "/"
	switch u.Scheme() {
	case "ftp", "ftps", "file", "http", "https":
		path, _, _ = strings.Cut(path, "?")
		if strings.HasPrefix(u.Scheme(), "ftp") {
			path, _ = cutTypecode(path)
		}
		list[0].Link = g.linkText(root)
		segments := strings.Split(strings.TrimSuffix(path, "/"), "/")
		if len(segments) > maxCrumbs {
			return nil
		}
		at := root
		for _, segment := range segments[:len(segments)-1] {
			at += segment + "/"
			list = append(list, crumb{cmp.Or(decoded(segment), "/"), g.linkText(at)})
		}
		if path == "" {
			return nil
		}
	case "gopher", "gophers":
		if path == "" || path == "1" || path[0] == '2' { // a phone book is a server of its own
			return nil
		}
		list[0].Link = g.linkText(root)
	case "nntp", "nntps":
		group, rest, _ := strings.Cut(path, "/")
		if group == "" {
			return nil
		}
		if rest != "" {
			list = append(list, crumb{decoded(group), g.linkText(root + group)})
		}
	case "wais":
		database := path
		if i := strings.IndexAny(path, "?/"); i >= 0 {
			database = path[:i]
		}
		if database == path {
			return nil
		}
		list = append(list, crumb{decoded(database), g.linkText(root + database)})
	default:
		return nil
	}
	return list
}

// maxCrumbs is how deep a path may be and still have its folders shown.
const maxCrumbs = 20

// loginOf is user, host and port of u as they are written.
func loginOf(u locus.URL) string {
	login, _ := withoutPassword(u).Login()
	return login
}

// linkText is the path of the page of a URL that we made; empty: it is none.
func (g *page) linkText(text string) string {
	u, err := locus.Parse(text)
	if err != nil {
		return ""
	}
	return g.link(u, Show{})
}

func (g *page) facts(k kind) (list []fact) {
	h, o := g.h, g.o
	add := func(name, text string) {
		if text != "" {
			list = append(list, fact{Name: name, Text: text})
		}
	}
	add("Kind", k.Label)
	add("Type", shown(o.Type))
	add("Coding", shown(o.Encoding))
	if o.Size > 0 {
		add("Size", humanSize(o.Size))
	}
	if !o.ModTime.IsZero() {
		list = append(list, fact{"Changed", humanTime(o.ModTime), stamp(o.ModTime)})
	}
	if h.Cached {
		add("Cache", "kept here "+humanAge(h.Age))
	}
	add("Note", shown(o.Note))
	return list
}

// views are the forms in which the resource can be had, as links.
func (g *page) views() (list []way) {
	for _, v := range g.h.Views {
		name := shown(v.Type)
		if v.Language != "" {
			name += " in " + shown(v.Language)
		}
		if v.Size > 0 {
			name += ", " + humanSize(v.Size)
		}
		list = append(list, way{Name: name, Link: g.link(v.URL, Show{Types: g.h.Show.Types}), Current: v.Current})
	}
	return list
}

// bottom is what stands below the content.
type bottom struct {
	URL       string
	Found     *hop
	Hops      []hop
	Explained *explained
	Asked     bool // the conversation may be shown
	Lines     []Line
	More      int // lines that are not shown
	Site      *Site
}

// hop is a URL on the way.
type hop struct{ Text, Link string }

// mostLines is how many lines of a conversation are shown.
const mostLines = 500

func (g *page) bottom() bottom {
	h, u := g.h, withoutPassword(g.h.URL)
	b := bottom{Site: &g.site}
	if u.IsZero() {
		return b
	}
	b.URL = withoutPassword(u).String()
	x := g.explained(g.explain(u))
	b.Explained = &x
	if !h.Found.IsZero() && withoutPassword(h.Found) != withoutPassword(u) {
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
		b.Lines = lines[:min(len(lines), mostLines)]
		b.More = len(lines) - len(b.Lines)
	}
	return b
}

func (g *page) hop(u locus.URL) *hop {
	return &hop{term.Characters(withoutPassword(u).String()), g.link(u, Show{})}
}
