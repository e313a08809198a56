package browse

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
)

// network is a client with the policy of the command, in a simulated network. The network contains
// a host with a public address and a host with a private address. The same servers run on both
// hosts.
type network struct {
	*access.Client
	mu    sync.Mutex
	dials []string
}

func (n *network) dialed() string {
	n.mu.Lock()
	defer n.mu.Unlock()
	list := strings.Join(n.dials, " ")
	n.dials = nil
	return list
}

const publicAddress, privateAddress = "9.9.9.9", "10.1.2.3"

// newNetwork returns a network of pages with the given links.
func newNetwork(t *testing.T, links ...string) *network {
	t.Helper()
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/away" {
			http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Page %s</title>", r.URL.Path)
		for _, link := range links {
			fmt.Fprintf(w, "<p><a href='%s'>link</a>", link)
		}
	}))
	t.Cleanup(web.Close)
	menus, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { menus.Close() })
	go serveMenus(menus)
	a := base.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, func(string) string { return "" })
	if a.Registry, err = all.Registry(); err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(client.Rules(a))
	if err != nil {
		t.Fatal(err)
	}
	n := &network{}
	n.Client = access.New(a.Registry, p, &access.Options{
		Lookup: func(_ context.Context, host string) ([]netip.Addr, error) {
			address := privateAddress
			if strings.HasPrefix(host, "public") {
				address = publicAddress
			}
			return []netip.Addr{netip.MustParseAddr(address)}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			n.mu.Lock()
			n.dials = append(n.dials, address)
			n.mu.Unlock()
			to := web.Listener
			if strings.HasSuffix(address, ":70") {
				to = menus
			}
			return new(net.Dialer).DialContext(ctx, network, to.Addr().String())
		},
	})
	t.Cleanup(func() {
		client.CloseIdle(a.Registry)
		n.Close()
	})
	return n
}

// serveMenus responds to each request with a menu that contains an item at a private address.
func serveMenus(l net.Listener) {
	for {
		c, err := l.Accept()
		if err != nil {
			return
		}
		bufio.NewReader(c).ReadString('\n')
		fmt.Fprintf(c, "0Secret\t/secret\tprivate.example\t70\r\n1More\t/more\tpublic.example\t70\r\n.\r\n")
		c.Close()
	}
}

// browsing returns a browser in the network that shows the URL u.
func (n *network) browsing(t *testing.T, u string) *tester {
	b := newTester(t, &library{open: fixture().open}, "", 80, 24)
	b.m.opener = n
	b.m.typed(u)
	b.do(b.m.commands())
	return b
}

// The user may type private URLs and files.
func TestTypedPrivateAddress(t *testing.T) {
	n := newNetwork(t)
	name := filepath.Join(t.TempDir(), "file.txt")
	if err := os.WriteFile(name, []byte("A file.\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	n.browsing(t, "http://private.example/").wants("Page /")
	n.browsing(t, "http://127.0.0.1/").wants("Page /")
	b := n.browsing(t, "file://"+name)
	b.wants("A file.")
	b.m.typed(name)
	b.do(b.m.commands())
	b.wants("A file.")
	// The browser treats a bookmark as a typed URL.
	b = n.browsing(t, "http://private.example/")
	b.keys("a B")
	n.dialed()
	b.keys("1 enter").wants("Page /")
}

// A link in a public page can't open a private URL, directly, by a redirect or in any other
// way.
func TestLinksStayPublic(t *testing.T) {
	for _, link := range []string{
		"http://private.example/", "http://127.0.0.1/", "http://[::1]/", "http://10.1.2.3/", "file:///etc/passwd",
		"http://public.example/away?to=http://private.example/", "http://public.example/away?to=http://127.0.0.1/", "http://public.example/away?to=file:///etc/passwd",
		"gopher://private.example/", "ftp://127.0.0.1/", "telnet://127.0.0.1/",
	} {
		n := newNetwork(t, link)
		for _, keys := range []string{"1 enter", "1 t", "1 enter r", "1 enter b w", "1 enter H 1 enter"} {
			b := n.browsing(t, "http://public.example/")
			b.wants("Page /", "link")
			n.dialed()
			b.keys(keys)
			if heading := firstLine(b.m.current().page); !strings.HasPrefix(heading, "Denied") && !strings.HasPrefix(heading, "The server violated") && !strings.HasPrefix(heading, "Not supported") {
				t.Errorf("%s: %s leads to:\n%s", keys, link, b.screen())
			}
			if dialed := n.dialed(); strings.Contains(strings.ReplaceAll(dialed, publicAddress, ""), ".") || strings.Contains(dialed, "[") {
				t.Errorf("%s: %s: dialed %s", keys, link, dialed)
			}
		}
	}
}

// firstLine returns the heading of a page.
func firstLine(p *page) string {
	if len(p.blocks) == 0 {
		return ""
	}
	return p.blocks[0].text()
}

// A menu from a public server can't open a private address. The parent of a link gets the
// link's origin.
func TestMenusStayPublic(t *testing.T) {
	n := newNetwork(t, "http://public.example/a/b")
	b := n.browsing(t, "gopher://public.example/")
	b.wants("Secret", "More")
	b.keys("1 enter").wants("Denied by the policy")
	b.keys("b 2 enter").wants("Secret", "More")
	b.keys("1 enter").wants("Denied by the policy")
	if dialed := n.dialed(); strings.Contains(dialed, privateAddress) {
		t.Errorf("dialed %s", dialed)
	}
	b = n.browsing(t, "http://public.example/")
	b.keys("1 enter u")
	if e := b.m.current(); e.place.from == nil {
		t.Error("the page above a link counts as typed")
	}
	// A private page may link to private pages.
	n = newNetwork(t, "http://private.example/b")
	n.browsing(t, "http://private.example/").keys("1 enter").wants("Page /b")
}

// A replay opens archived URLs and never uses the network.
func TestArchivedDialsNothing(t *testing.T) {
	store := archiveStore(t)
	r, err := schemes()
	if err != nil {
		t.Fatal(err)
	}
	p, err := policy.New(policy.Rules{TypedPrivate: true, Files: true})
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(r, p, &access.Options{
		Archive: store,
		Dial: func(context.Context, string, string) (net.Conn, error) {
			t.Error("dialed")
			return nil, errors.New("dialed")
		},
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			t.Error("looked up")
			return nil, errors.New("looked up")
		},
	})
	defer c.Close()
	b := newTester(t, &library{open: fixture().open}, "", 80, 24)
	b.m.opener, b.m.archived = c, &archivedList{store, c}
	b.m.visit(b.m.archived.hosts(""))
	b.do(b.m.commands())
	b.golden("kept-hosts-80x24")
	b.keys("2 enter").golden("kept-urls-80x24")
	b.keys("2 enter").wants("Welcome", "About")
	b.keys("\\").wants("Source of", "0About", "iWelcome")
	b.keys("b 1 enter").wants("Not found", "not in the archive")
	b.keys("g").typing("http://127.0.0.1:1/").wants("Not found", "not in the archive")
	b.keys("g").typing("file:///etc/passwd").wants("Not found", "not in the archive")
	b.keys("g").typing("telnet://127.0.0.1:1/").wants("Not found", "not in the archive")
	b.keys("B").wants("Archived pages")
	b.keys("1 enter 1 enter").wants("Words in the URL:")
	b.typing("PAGE example").wants("Archived URLs that contain page example", "http://www.example/page", "(2 times)")
	b.keys("1 enter").wants("Second")
	b.keys("b b 1 enter").typing("nothing such").wants("(none)")
	b.keys("b 1 enter enter").wants("Archived pages")
	b = newTester(t, &library{open: fixture().open, archived: store}, "", 80, 24)
	b.wants("Archived pages", "Hosts")
}

// archiveStore returns an archive with some resources.
func archiveStore(t *testing.T) *archive.Store {
	t.Helper()
	var file strings.Builder
	for i, each := range []struct{ url, date, text string }{
		{"gopher://gopher.example/", "2024-05-01T10:00:00Z", "iWelcome\t\t\t\r\n0About\t/about\tgopher.example\t70\r\n.\r\n"},
		{"http://www.example/page", "2024-05-01T10:00:00Z", "First"},
		{"http://www.example/page", "2024-06-01T10:00:00Z", "Second"},
		{"ftp://gopher.example/pub/file.txt", "2024-05-02T10:00:00Z", "A file"},
	} {
		mediaType := "text/plain"
		if strings.HasPrefix(each.url, "gopher:") {
			mediaType = "application/octet-stream"
		}
		fmt.Fprintf(&file, "WARC/1.1\r\nWARC-Type: resource\r\nWARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-00000000000%d>\r\nWARC-Target-URI: %s\r\nWARC-Date: %s\r\nContent-Type: %s\r\nContent-Length: %d\r\n\r\n%s\r\n\r\n",
			i, each.url, each.date, mediaType, len(each.text), each.text)
	}
	name := filepath.Join(t.TempDir(), "kept.warc")
	if err := os.WriteFile(name, []byte(file.String()), 0o666); err != nil {
		t.Fatal(err)
	}
	r, err := schemes()
	if err != nil {
		t.Fatal(err)
	}
	s, err := archive.Open(t.Context(), r, []string{name}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}
