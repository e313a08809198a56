package browser

import (
	"bytes"
	"context"
	"image"
	"image/color"
	"image/png"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/news/newstest"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
	"github.com/locus-url/locus/scheme/wais/waistest"
)

// fixture is a gateway, the servers of the tour, and some servers with content for these tests.
type fixture struct {
	base   string // "http://127.0.0.1:1738"
	client *access.Client
	museum *tour.Demo

	gopher, ftp, news, wais, telnet, tn3270 string // addresses of the form host:port
	host                                    *telnettest.Server
	forms                                   *gophertest.Server
}

func newFixture(t testing.TB) *fixture {
	t.Helper()
	w := &fixture{}
	var err error
	if w.museum, err = tour.Open(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.museum.Close() })
	w.servers(t)

	registry, err := all.Registry(append(
		news.Schemes(news.New(&news.Options{Server: w.museum.News()})),
		mid.Schemes(mid.New(&mid.Options{Store: w.museum.Mail()}))...,
	)...)
	if err != nil {
		t.Fatal(err)
	}
	// The policy allows redirects and form submissions only to the default port of a scheme
	// and to ports in its rules.
	rules, err := policy.New(policy.Rules{AllowPrivate: true, Ports: append(w.museum.Ports(), port(t, w.gopher))})
	if err != nil {
		t.Fatal(err)
	}
	client := access.New(registry, rules, nil)
	t.Cleanup(func() { client.Close() })
	g, err := gateway.New(client, &gateway.Options{HomeSections: w.homeSections()})
	if err != nil {
		t.Fatal(err)
	}
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	server, served := gateway.NewServer(g, nil), make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), testTimeout)
		defer cancel()
		if err := server.Shutdown(ctx); err != nil {
			t.Error(err)
		}
		<-served
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	w.base = "http://" + l.Addr().String()
	w.client = client
	return w
}

// below returns the URL of a server that serves another gateway below the path "/old".
func (w *fixture) below(t testing.TB) string {
	t.Helper()
	g, err := gateway.New(w.client, &gateway.Options{Prefix: "/old", HomeSections: w.homeSections()})
	if err != nil {
		t.Fatal(err)
	}
	mux := http.NewServeMux()
	mux.Handle("/old/", http.StripPrefix("/old", g))
	server := httptest.NewServer(mux)
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
		if err := g.Close(); err != nil {
			t.Error(err)
		}
	})
	return server.URL
}

// port returns the port of an address.
func port(t testing.TB, address string) uint16 {
	t.Helper()
	a, err := netip.ParseAddrPort(address)
	if err != nil {
		t.Fatal(err)
	}
	return a.Port()
}

// homeSections returns the sections of the home page, which list the stops of the tour.
func (w *fixture) homeSections() (list []gateway.Section) {
	for _, stop := range w.museum.Stops() {
		if len(list) == 0 || list[len(list)-1].Title != stop.Scheme {
			list = append(list, gateway.Section{Title: stop.Scheme, Text: stop.Section})
		}
		last := &list[len(list)-1]
		last.Items = append(last.Items, scheme.Item{URL: stop.URL, Title: stop.Title, Kind: scheme.KindUnknown, Size: -1})
	}
	return list
}

// picture returns a PNG image.
func picture() string {
	m := image.NewRGBA(image.Rect(0, 0, 320, 160))
	for y := range 160 {
		for x := range 320 {
			m.Set(x, y, color.RGBA{uint8(40 + x/4), uint8(90 + y/2), uint8(170 - x/4), 255})
		}
	}
	var b bytes.Buffer
	if err := png.Encode(&b, m); err != nil {
		panic(err) // encoding to memory can't fail
	}
	return b.String()
}

// evil is HTML that a page must show as text.
const evil = `<script>document.title="taken"</script><img src=x onerror='document.title="taken"'>`

func (w *fixture) servers(t testing.TB) {
	t.Helper()
	keep := func(err error, end func() error) {
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() {
			if err := end(); err != nil {
				t.Error(err)
			}
		})
	}
	g, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Type: 'i', Name: `   __  __`}, {Type: 'i', Name: `  |  \/  |  a wall`}, {Type: 'i', Name: ``},
		{Name: evil, Data: "The text of a <script>.\nIt knows <URL:gopher://gopher.example.net/1>.\n"},
		{Name: "A room", Items: []gophertest.Item{{Name: "A text in a room", Data: "Here.\n"}}},
		{Name: "Find something", Search: func(words string) []gophertest.Item {
			if words == "zebra" {
				return nil
			}
			return []gophertest.Item{{Name: "Found " + words, Data: words}}
		}},
		{Name: "Guest book", Selector: "/guestbook", Ask: []string{"Note: A word, please.", "Ask: Your name\tAda", "AskL: What did you like?", "Choose: Where were you first?\tlists\tfiles", "Select: Will you come again?:1"}, Reply: gophertest.Echo},
		{Type: 'I', Name: "A picture", Selector: "/picture.png", Views: []gophertest.View{{Type: "image/png", Data: picture()}}},
		{Name: "In two languages", Selector: "/two", Views: []gophertest.View{{Type: "text/plain", Language: "En_US", Data: "Good day.\n"}, {Type: "text/plain", Language: "Es_ES", Data: "Buenos dias.\n"}}},
	}}, nil)
	keep(err, g.Close)
	f, err := ftptest.Start(ftptest.Files{
		"pub/README": {Data: "Read me.\n"}, "pub/large.zip": {Size: 3 << 20}, "pub/picture.png": {Data: picture()},
		"pub/evil.html":        {Data: "<title>Evil</title><h1>A page</h1>" + evil + `<a href="README">a link</a>`},
		"pub/history/1971.txt": {Data: "1971\n"},
	}, nil)
	keep(err, f.Close)
	article := func(id, subject, refs, body string) string {
		return strings.ReplaceAll("From: Ada Byte <ada@example.net>\nNewsgroups: local.talk\nSubject: "+subject+"\nDate: Thu, 1 Dec 1994 09:30:00 +0000\nMessage-ID: <"+id+">\n"+refs+"\n"+body, "\n", "\r\n")
	}
	n, err := newstest.Start(newstest.Groups{"local.talk": {Description: "Talk", Articles: []string{
		article("1@example.net", "Where?", "", "Where is it?\n"),
		article("2@example.net", "Re: Where? "+evil, "References: <1@example.net>\n", "> Where is it?\n>> Where?\n\nThere: gopher://gopher.example.net/\n\n-- \nAda\n"),
	}}}, nil)
	keep(err, n.Close)
	a, err := waistest.Start([]waistest.Database{{Name: "museum", Description: "What the museum knows.", Documents: []waistest.Document{
		{Headline: "The first protocols", Types: []waistest.Typed{{Wtype: "TEXT", Data: []byte("protocols protocols of the first network\n")}}},
		{Headline: "The last protocol " + evil, Types: []waistest.Typed{{Wtype: "TEXT", Data: []byte("a protocol, the last of the protocols\n")}}},
	}}}, nil)
	keep(err, a.Close)
	h, err := telnettest.StartTelnet(&telnettest.TelnetOptions{Users: map[string]string{"guest": "sesame"}, Banner: "The card catalogue of the museum"})
	keep(err, h.Close)
	i, err := telnettest.StartTN3270(nil)
	keep(err, i.Close)
	w.gopher, w.ftp, w.news, w.wais, w.telnet, w.tn3270 = g.Addr(), f.Addr(), n.Addr(), a.Addr(), h.Addr(), i.Addr()
	w.forms, w.host = g, h
}
