package gateway_test

import (
	"context"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"unsafe"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// sightings records the URLs that were passed to the functions of a registry's schemes.
// Each parse makes a new string, which the URL shares with its copies.
type sightings struct {
	mu        sync.Mutex
	texts     map[string]map[*byte]bool // distinct strings with the text of each URL
	canonical map[string]int            // calls of Canonical by URL
	opened    map[string]int            // calls of Open by URL
}

func (s *sightings) see(u locus.URL) {
	text := u.String()
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts[text] == nil {
		s.texts[text] = map[*byte]bool{}
	}
	s.texts[text][unsafe.StringData(text)] = true
}

// row wraps the functions of a scheme.
func (s *sightings) row(row scheme.Scheme) scheme.Scheme {
	if fields := row.Syntax.Fields; fields != nil {
		row.Syntax.Fields = func(u locus.URL) ([]scheme.Field, error) { s.see(u); return fields(u) }
	}
	if canonical := row.Syntax.Canonical; canonical != nil {
		row.Syntax.Canonical = func(u locus.URL) (locus.URL, locus.Change, error) {
			s.see(u)
			s.mu.Lock()
			s.canonical[u.String()]++
			s.mu.Unlock()
			return canonical(u)
		}
	}
	if opener := row.Access.Opener; opener != nil {
		row.Access.Opener = scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
			s.see(req.URL)
			s.mu.Lock()
			s.opened[req.URL.String()]++
			s.mu.Unlock()
			res, err := opener.Open(ctx, req)
			if m, ok := res.(*scheme.Menu); ok {
				items := m.Items
				m.Items = func(yield func(scheme.Item, error) bool) {
					for i, err := range items {
						s.see(i.URL)
						if !yield(i, err) {
							return
						}
					}
				}
			}
			return res, err
		})
	}
	return row
}

// A requested URL is parsed once, with and without a cache. The URL of each menu item is
// also parsed once.
func TestParsedOnce(t *testing.T) {
	server, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Name: "About", Selector: "/about", Data: "About\n"}, {Name: "More", Selector: "/more", Items: []gophertest.Item{{Type: 'i', Name: "No more"}}},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for _, stored := range []bool{false, true} {
		seen := &sightings{texts: map[string]map[*byte]bool{}, canonical: map[string]int{}, opened: map[string]int{}}
		s := loopbackSetup
		s.row = seen.row
		if stored {
			store, err := cache.Open(t.TempDir(), defaultRows(t), nil)
			if err != nil {
				t.Fatal(err)
			}
			defer store.Close()
			s.gateway.Cache = store
		}
		w := start(t, s)
		u := "gopher://" + server.Addr() + "/1/more"
		a := w.get("/gopher/"+server.Addr()+"/1/more", browser...)
		if a.StatusCode != 200 || !strings.Contains(a.body, "No more") || seen.opened[u] != 1 {
			t.Fatalf("%d, opened %d times: %s", a.StatusCode, seen.opened[u], a.body)
		}
		if n := len(seen.texts[u]); n != 1 {
			t.Errorf("stored: %v: %s was parsed %d times", stored, u, n)
		}
		if n := seen.canonical[u]; n != 1 {
			t.Errorf("stored: %v: the canonical form of %s was computed %d times", stored, u, n)
		}
		if !stored {
			continue
		}
		// A stored menu is read from JSON, and no URL is opened.
		if a := w.get("/gopher/"+server.Addr()+"/1/more", browser...); a.StatusCode != 200 || !strings.Contains(a.body, "No more") || seen.opened[u] != 1 {
			t.Errorf("%d, opened %d times: %s", a.StatusCode, seen.opened[u], a.body)
		}
	}
}

// The policy and the rules of the operator are checked once per request, for any kind of
// request and with any source of the response.
func TestPolicyCheckedOnce(t *testing.T) {
	g, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{{Name: "About", Selector: "/about", Data: "About\n"}}}, &gophertest.Options{Plain: true})
	if err != nil {
		t.Fatal(err)
	}
	defer g.Close()
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=1000")
		io.WriteString(w, "far")
	}))
	defer far.Close()
	for _, stored := range []bool{false, true} {
		var asked atomic.Int64
		s := loopbackSetup
		if stored {
			s.store = new(cache.Options)
		}
		s.access.Check = func(locus.URL) error {
			asked.Add(1)
			return nil
		}
		w := start(t, s)
		for _, u := range []string{"gopher://" + g.Addr() + "/", "gopher://" + g.Addr() + "/0/about", far.URL + "/"} {
			for _, path := range []string{"/?url=", "/-/raw?url=", "/api/get?url=", ""} {
				for round := range 2 { // if there is a store, the second response comes from the store
					asked.Store(0)
					if path == "" {
						w.proxied("GET", u)
					} else {
						w.get(path + query(u))
					}
					if n := asked.Load(); n != 1 {
						t.Errorf("stored: %v: %s%s, request %d: asked %d times", stored, path, u, round+1, n)
					}
				}
			}
		}
	}
}

// For a web URL with a proxy template, the policy is checked twice. The gateway checks the policy
// before it finds that it can't use package net/http, and the access client checks the policy
// again.
func TestPolicyCheckedForTemplate(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "far") }))
	defer far.Close()
	through, err := access.ParseProxy(far.URL + "/{url}")
	if err != nil {
		t.Fatal(err)
	}
	s := loopbackSetup
	if s.access.Proxies, err = access.NewProxies(access.ProxyRules{Schemes: map[string]access.Proxy{"http": through}}); err != nil {
		t.Fatal(err)
	}
	u := "http://127.0.0.1:9999/"
	var asked atomic.Int64
	s.access.Check = func(at locus.URL) error {
		if at.String() == u {
			asked.Add(1)
		}
		return nil
	}
	if a := start(t, s).proxied("GET", u); a.body != "far" || asked.Load() != 2 {
		t.Errorf("asked %d times: %s %q", asked.Load(), a.Status, a.body)
	}
}

// edges lists the functions that convert text to a URL or a value. Other functions pass on
// their results.
var edges = map[string]string{
	"../cache/meta.go lifetimeByScheme":        "where a referral led, of an answer in the store",
	"../cache/transport.go RoundTrip":          "the URL of a request of another program",
	"../cache/transport.go purgeBeside":        "the Location of an answer",
	"store.go decode":                          "a menu that comes from the store, and where a referral led",
	"web.go newWebRequest":                     "the URL of a request for package net/http",
	"api.go describeResource":                  "an input of a call",
	"api.go parse":                             "an input of a call",
	"api.go resolve":                           "an input of a call",
	"connect.go serveConnect":                  "the target of CONNECT",
	"internal/page/document.go documentPage":   "the base of a foreign document",
	"view.go searchForm":                       "the search whose results are shown",
	"internal/page/failure.go suggestFix":      "a URL that was probably meant",
	"internal/page/document.go resolveLink":    "a link in a foreign document",
	"internal/page/explain.go explainText":     "the text that a person is typing",
	"internal/page/message.go linkText":        "an address in a message",
	"internal/page/printer.go withoutPassword": "a mistyped URL, whose password was masked",
	"path.go queryURL":                         "the URL in a query",
	"path.go urlOf":                            "the URL in a path",
	"proxy.go serveProxy":                      "the target of a proxy's client",
	"redirect.go redirectTarget":               "the Location of an answer",
	"session.go command":                       "a control message of the terminal's page",
}

// Only the edges parse URLs and decode JSON.
func TestEdges(t *testing.T) {
	parsers := map[string]bool{
		"locus.Parse": true, "locus.ParseWrapped": true, "locus.MustParse": true, "relative.Parse": true, "shape.Read": true, "shape.ReadBase": true, "url.Parse": true,
		"json.Unmarshal": true, "json.NewDecoder": true, "shape.ReadMenu": true,
	}
	found := map[string][]string{}
	for _, pattern := range []string{"*.go", "internal/page/*.go", "../cache/*.go"} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, decl := range file.Decls {
				f, ok := decl.(*ast.FuncDecl)
				ast.Inspect(decl, func(n ast.Node) bool {
					if s, isSelector := n.(*ast.SelectorExpr); isSelector {
						if x, isIdent := s.X.(*ast.Ident); isIdent && parsers[x.Name+"."+s.Sel.Name] {
							where := filepath.ToSlash(name)
							if ok {
								where += " " + f.Name.Name
							}
							found[where] = append(found[where], x.Name+"."+s.Sel.Name)
						}
					}
					return true
				})
			}
		}
	}
	for _, where := range slices.Sorted(maps.Keys(found)) {
		if got := fmt.Sprint(found[where]); edges[where] == "" {
			t.Errorf("%s calls %s, and is not on the list of edges", where, got)
		}
	}
	for where := range edges {
		if found[where] == nil {
			t.Errorf("%s is on the list of edges, and parses nothing", where)
		}
	}
}

// defaultRows is the registry of all schemes.
func defaultRows(t *testing.T) *scheme.Registry {
	t.Helper()
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	return r
}
