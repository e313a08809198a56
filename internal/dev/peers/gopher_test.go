package peers

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	locusurl "github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gopher"
)

// gophernicus starts gophernicus, a server that does not support Gopher+. An inetd passes each
// connection to a process of its own.
func gophernicus(t testing.TB, args ...string) *peer {
	t.Helper()
	program := need(t, "gophernicus", "/usr/sbin/gophernicus")
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := &peer{port: l.Addr().(*net.TCPAddr).Port, pub: publicDir(t)}
	args = append([]string{
		"-h", "127.0.0.1", "-p", fmt.Sprint(p.port), "-r", p.pub,
		"-nr", // run even as root
		"-nv", "-nu", "-nm", "-ns",
	}, args...)
	inetd(t, l, func() *exec.Cmd {
		cmd := exec.Command(program, args...)
		cmd.Env = []string{"PATH=/usr/bin:/bin"}
		return cmd
	})
	return p
}

// pygopherd starts pygopherd, a server that supports Gopher+ without forms.
func pygopherd(t testing.TB) *peer {
	t.Helper()
	program := need(t, "pygopherd", "/usr/sbin/pygopherd")
	dir := publicDir(t)
	p := &peer{pub: filepath.Join(dir, "pub")}
	write(t, filepath.Join(dir, "types"), "text/plain txt\ntext/html html\napplication/octet-stream bin\n", 0o644)
	write(t, filepath.Join(p.pub, "about.txt"), "about\n", 0o644)
	p.port = runOnPort(t, func(port int) []string {
		write(t, filepath.Join(dir, "conf"), fmt.Sprintf(`[pygopherd]
detach = no
servername = 127.0.0.1
interface = 127.0.0.1
port = %[2]d
servertype = ThreadingTCPServer
timeout = 20
abstract_headers = on
abstract_entries = unsupported
tracebacks = yes
usechroot = no
setuid = nobody
setgid = nogroup
root = %[1]s/pub
mimetypes = %[1]s/types
encoding = list(mimetypes.encodings_map.items())
[logger]
logmethod = none
[GopherEntry]
defaultmimetype = text/plain
mapping = [['text/html', 'h'], ['text/.+', '0'], ['application/gopher-menu', '1'], ['application/gopher\\+-menu', '1'], ['application/.+', '9'], ['.*', '0']]
eaexts = {'.abstract': 'ABSTRACT', '.ask': 'ASK'}
[handlers.HandlerMultiplexer]
handlers = [url.HTMLURLHandler, UMN.UMNDirHandler, scriptexec.ExecHandler, file.FileHandler]
[handlers.dir.DirHandler]
ignorepatt = \.abstract$|\.ask$
cachetime = 0
cachefile = .cache
[handlers.UMN.UMNDirHandler]
extstrip = none
[handlers.ZIP.ZIPHandler]
enabled = false
pattern = \.zip$
[protocols.ProtocolMultiplexer]
protocols = [gopherp.GopherPlusProtocol, rfc1436.GopherProtocol]
[protocols.gopherp.GopherPlusProtocol]
admin = The Admin <admin@example.org>
`, dir, port), 0o644)
		return []string{program, filepath.Join(dir, "conf")}
	})
	return p
}

// eachGopher runs a test against each Gopher server.
func eachGopher(t *testing.T, test func(t *testing.T, p *peer)) {
	t.Run("gophernicus", func(t *testing.T) { test(t, gophernicus(t)) })
	t.Run("pygopherd", func(t *testing.T) { test(t, pygopherd(t)) })
}

func (p *peer) gopher(path string) string { return "gopher://" + p.addr() + "/" + path }

// link is a menu item in the output of the command.
type link struct {
	URL   *string `json:"url"`
	Title string  `json:"title"`
	Kind  string  `json:"kind"`
}

// menu fetches a menu, and fails the test if the resource is not a menu.
func menu(t *testing.T, args ...string) []link {
	t.Helper()
	r := locus(t, append([]string{"get", "--json"}, args...)...)
	var m struct {
		Kind  string `json:"kind"`
		Items []link `json:"items"`
	}
	if err := json.Unmarshal([]byte(r.out), &m); err != nil || r.status != 0 || m.Kind != "menu" {
		t.Fatalf("%q: status %d, %v, output %q, messages:\n%s", args, r.status, err, clip(r.out), r.err)
	}
	return m.Items
}

// find returns the URL of the item with a title that begins with prefix.
func find(t *testing.T, items []link, title, kind string) string {
	t.Helper()
	i := slices.IndexFunc(items, func(l link) bool { return strings.HasPrefix(l.Title, title) && l.Kind != "info" })
	if i < 0 || items[i].URL == nil || items[i].Kind != kind {
		t.Fatalf("no %s %q among %+v", kind, title, items)
	}
	return *items[i].URL
}

// failure fails the test unless opening the URL fails with the given kind of error.
func failure(t *testing.T, u, kind string) {
	t.Helper()
	r := locus(t, "get", "--json", u)
	var f struct {
		Error struct {
			Kind, Message string
		}
	}
	if err := json.Unmarshal([]byte(r.out), &f); err != nil || r.status != 3 || f.Error.Kind != kind || f.Error.Message == "" {
		t.Errorf("%s: status %d, %v, %q, messages:\n%s\nwant the error %s", u, r.status, err, clip(r.out), r.err, kind)
	}
}

// dotted is a text with a line that looks like its end.
const dotted = "one\r\n.\r\n.three\r\nlast\r\n"

func TestGopherBrowse(t *testing.T) {
	eachGopher(t, func(t *testing.T, p *peer) {
		binary := make([]byte, 1<<20)
		rand.Read(binary)
		copy(binary[1000:], "\r\n.\r\n")
		copy(binary, "+5\r\n")
		write(t, filepath.Join(p.pub, "dots.txt"), dotted, 0o644)
		write(t, filepath.Join(p.pub, "blob.bin"), string(binary), 0o644)
		write(t, filepath.Join(p.pub, "empty.txt"), "", 0o644)
		write(t, filepath.Join(p.pub, "a b/caf\u00e9 50%.txt"), "deep\r\n", 0o644)
		write(t, filepath.Join(p.pub, "a b/caf\u00e9.txt"), "deeper\r\n", 0o644)

		root := menu(t, "gopher://"+p.addr())
		if again := menu(t, p.gopher("1")); !slices.EqualFunc(root, again, func(a, b link) bool { return a.Title == b.Title }) {
			t.Errorf("two menus of the root: %+v and %+v", root, again)
		}
		text := find(t, root, "dots.txt", "object")
		// pygopherd announces Gopher+, so the link ends with the Gopher+ string.
		if strings.TrimSuffix(text, "%09%09+") != p.gopher("0/dots.txt") {
			t.Errorf("the text is at %s", text)
		}
		locus(t, "get", text).want(t, 0, dotted)
		locus(t, "get", find(t, root, "empty.txt", "object")).want(t, 0, "")
		locus(t, "get", find(t, root, "blob.bin", "object")).want(t, 0, string(binary))

		folder := menu(t, find(t, root, "a b", "menu"))
		locus(t, "get", find(t, folder, "caf\u00e9 50%.txt", "object")).want(t, 0, "deep\r\n")
		// Use a URL from the test, because gophernicus would decode a "%" in its own link
		// twice.
		locus(t, "get", p.gopher("0/a%20b/caf%C3%A9.txt")).want(t, 0, "deeper\r\n")

		r := locus(t, "get", p.gopher("1"))
		if r.status != 0 || !strings.Contains(r.out, "\t"+text+"\n") {
			t.Errorf("the menu as lines: status %d\n%s%s", r.status, r.out, r.err)
		}
	})
}

// A selector with a line end is not sent, because the server would read a second
// line.
func TestGopherInjection(t *testing.T) {
	eachGopher(t, func(t *testing.T, p *peer) {
		write(t, filepath.Join(p.pub, "x"), "x", 0o644)
		r := startRelay(t, p.port)
		p = &peer{port: r.port}
		for _, path := range []string{"0/x%0d%0aHELO", "0/x%0a", "0/x%00", "7/x%09a%0db", "0/x%09%09+%0d%0a", "2%09smith%0aquit"} {
			if r := locus(t, "get", p.gopher(path)); r.status != 2 && r.status != 3 && r.status != 4 || r.out != "" {
				t.Errorf("%s: status %d, output %q", path, r.status, r.out)
			}
		}
		if sent := r.text(); sent != "" {
			t.Errorf("sent: %q", sent)
		}
	})
}

func TestGopherMissing(t *testing.T) {
	t.Run("gophernicus", func(t *testing.T) {
		p := gophernicus(t)
		failure(t, p.gopher("1/missing/"), "not-found")
		// For a text it sends only an error text, which can't be distinguished from a text.
		r := locus(t, "get", p.gopher("0/missing.txt"))
		if r.status != 0 || !strings.Contains(r.out, "not found") {
			t.Errorf("status %d, %q: %s", r.status, r.out, r.err)
		}
	})
	t.Run("pygopherd", func(t *testing.T) {
		p := pygopherd(t)
		for _, path := range []string{"1/missing", "0/missing.txt", "9/missing.zip", "g/missing.gif", "0/missing.txt%09%09+", "0/missing.txt%09%09!", "1/missing%09%09$"} {
			failure(t, p.gopher(path), "not-found")
		}
	})
}

// A script that responds to a search. It prints complete menu lines, and lines with two fields,
// which gophernicus completes.
const searchScript = `#!/bin/sh
printf '0Found %s\t/about.txt\n' "$SEARCHREQUEST"
printf 'iThat is all\n'
printf '1Elsewhere\t/x\tother.example.org\t7070\n'
`

func TestGopherSearch(t *testing.T) {
	eachGopher(t, func(t *testing.T, p *peer) {
		write(t, filepath.Join(p.pub, "about.txt"), "about\r\n", 0o644)
		write(t, filepath.Join(p.pub, "cgi-bin/search"), searchScript, 0o755)
		found := menu(t, p.gopher("7/cgi-bin/search%09two%20words%20+%25"))
		if len(found) != 3 || found[1].Kind != "info" || found[1].URL != nil {
			t.Errorf("found %+v", found)
		}
		locus(t, "get", find(t, found, "Found two words +%", "object")).want(t, 0, "about\r\n")
		if u := find(t, found, "Elsewhere", "menu"); u != "gopher://other.example.org:7070/1/x" {
			t.Errorf("elsewhere is %s", u)
		}
	})
}

// A hand-written menu contains links to other schemes.
func TestGopherMenuLinks(t *testing.T) {
	p := gophernicus(t)
	write(t, filepath.Join(p.pub, "gophermap"), strings.Join([]string{
		"Some words",
		"1A folder\tfolder",
		"hThe web\tURL:http://www.example.org/~a",
		"8A session\tguest\thost.example.org\t23",
		"TA mainframe\t\thost.example.org\t23",
		"2People\t\thost.example.org\t105",
		"7A search\t/search\thost.example.org\t70",
		"",
	}, "\n"), 0o644)
	items := menu(t, "gopher://"+p.addr())
	for _, c := range []struct{ title, kind, url string }{
		{"A folder", "menu", p.gopher("1/folder")},
		{"A session", "session", "telnet://guest@host.example.org"},
		{"A mainframe", "session", "tn3270://host.example.org"},
		{"A search", "search", "gopher://host.example.org/7/search"},
		{"People", "search", "gopher://host.example.org:105/2"},
	} {
		if got := find(t, items, c.title, c.kind); got != c.url && got != strings.Replace(c.url, ".org", ".org:23", 1) && got != strings.Replace(c.url, ".org", ".org:70", 1) {
			t.Errorf("%s: %s, want %s", c.title, got, c.url)
		}
	}
	i := slices.IndexFunc(items, func(l link) bool { return l.Title == "The web" })
	if i < 0 || items[i].URL == nil || *items[i].URL != "http://www.example.org/~a" {
		t.Errorf("the web is not among %+v", items)
	}
	if items[0].Title != "Some words" || items[0].Kind != "info" {
		t.Errorf("the first line is %+v", items[0])
	}
}

// get opens a URL with package access.
func get(t *testing.T, u string) (scheme.Resource, error) {
	t.Helper()
	res, err := gopher.New(nil).Open(t.Context(), &scheme.Request{URL: locusurl.MustParse(u), Dial: new(net.Dialer)})
	if err == nil {
		t.Cleanup(func() { res.Close() })
	}
	return res, err
}

// getMenu opens the URL of a menu with package access.
func getMenu(t *testing.T, u string) (*scheme.Menu, []scheme.Item) {
	t.Helper()
	res, err := get(t, u)
	m, ok := res.(*scheme.Menu)
	if err != nil || !ok {
		t.Fatalf("%s: %T, %v", u, res, err)
	}
	var items []scheme.Item
	for item, err := range m.Items {
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		items = append(items, item)
	}
	return m, items
}

// titled returns the item with the given title.
func titled(t *testing.T, items []scheme.Item, title string) scheme.Item {
	t.Helper()
	i := slices.IndexFunc(items, func(item scheme.Item) bool { return item.Title == title })
	if i < 0 {
		t.Fatalf("no %q among %+v", title, items)
	}
	return items[i]
}

func TestGopherPlus(t *testing.T) {
	p := pygopherd(t)
	write(t, filepath.Join(p.pub, "dots.txt"), dotted, 0o644)
	write(t, filepath.Join(p.pub, "dots.txt.abstract"), "A text with\na dot in it\n", 0o644)
	write(t, filepath.Join(p.pub, "docs/x.txt"), "x", 0o644)
	write(t, filepath.Join(p.pub, "form.txt"), "a form\r\n", 0o644)
	write(t, filepath.Join(p.pub, "form.txt.ask"), "Note: Fill it in\nAsk: Your name:\tAnna\nChoose: Colour\tRed\tGreen\n", 0o644)

	t.Run("the octets", func(t *testing.T) {
		for _, path := range []string{"0/dots.txt%09%09+", "0/dots.txt%09%09+text/plain", "0/dots.txt%09%09+text/plain%20En_US"} {
			locus(t, "get", p.gopher(path)).want(t, 0, dotted)
		}
		locus(t, "get", "--view", "text/plain", p.gopher("0/dots.txt")).want(t, 0, dotted)
		res, err := get(t, p.gopher("0/dots.txt%09%09+"))
		if o, ok := res.(*scheme.Object); err != nil || !ok || o.Size != int64(len(dotted)) {
			t.Errorf("get(dots.txt with +) = %+v, %v, want an object of %d bytes", res, err, len(dotted))
		}
	})
	t.Run("a view that is not there", func(t *testing.T) {
		r := locus(t, "get", "--view", "image/gif", p.gopher("0/dots.txt"))
		r.want(t, 3, "")
		r.says(t, "text/plain")
	})
	t.Run("the menu", func(t *testing.T) {
		_, items := getMenu(t, p.gopher("1%09%09+"))
		if u := titled(t, items, "docs").URL.String(); u != p.gopher("1/docs%09%09+") {
			t.Errorf("a folder of a Gopher+ server is %s", u)
		}
		_, items = getMenu(t, p.gopher("1/docs%09%09+"))
		titled(t, items, "x.txt")
	})
	t.Run("attributes", func(t *testing.T) {
		m, items := getMenu(t, p.gopher("0/dots.txt%09%09!"))
		if m.Form != nil {
			t.Errorf("a form: %+v", m.Form)
		}
		if u := titled(t, items, "text/plain").URL.String(); u != p.gopher("0/dots.txt%09%09+text/plain") {
			t.Errorf("the view is %s", u)
		}
		locus(t, "get", titled(t, items, "text/plain").URL.String()).want(t, 0, dotted)
		var text strings.Builder
		for _, item := range items {
			fmt.Fprintln(&text, item.Title)
		}
		for _, want := range []string{"The Admin <admin@example.org>", "A text with", "a dot in it"} {
			if !strings.Contains(text.String(), want) {
				t.Errorf("the attributes lack %q:\n%s", want, text.String())
			}
		}
	})
	t.Run("attributes of all items", func(t *testing.T) {
		_, items := getMenu(t, p.gopher("1%09%09$"))
		dots := titled(t, items, "dots.txt")
		if age := time.Since(dots.ModTime); dots.Type != "text/plain" || dots.ModTime.IsZero() || age < -25*time.Hour || age > 25*time.Hour {
			t.Errorf("dots.txt is %+v", dots)
		}
		if form := titled(t, items, "form.txt"); form.Kind != scheme.KindForm {
			t.Errorf("form.txt is %+v", form)
		}
		titled(t, items, "docs")
	})
	t.Run("a form", func(t *testing.T) {
		m, _ := getMenu(t, p.gopher("0/form.txt%09%09?"))
		if m.Form == nil {
			t.Fatal("no form")
		}
		want := []scheme.FormField{
			{Kind: scheme.FieldNote, Prompt: "Fill it in"},
			{Kind: scheme.FieldText, Prompt: "Your name:", Default: "Anna"},
			{Kind: scheme.FieldChoice, Prompt: "Colour", Default: "Red", Choices: []string{"Red", "Green"}},
		}
		if !slices.EqualFunc(m.Form.Fields, want, func(a, b scheme.FormField) bool {
			return a.Kind == b.Kind && a.Prompt == b.Prompt && a.Default == b.Default && slices.Equal(a.Choices, b.Choices)
		}) {
			t.Errorf("fields %+v", m.Form.Fields)
		}
		u, err := m.Form.Submit([]string{"", "Berta", "Green"})
		if err != nil {
			t.Fatal(err)
		}
		// The command sends answers only to the Gopher port, unless the user permits
		// another port. This server ignores the answers, and sends the item without
		// Gopher+.
		locus(t, "get", u.String()).want(t, 4, "")
		locus(t, "get", "--allow-port", fmt.Sprint(p.port), u.String()).want(t, 0, "a form\r\n")
	})
}

// A server without Gopher+ support sends a plain Gopher response.
func TestGopherPlusIgnored(t *testing.T) {
	p := gophernicus(t)
	write(t, filepath.Join(p.pub, "dots.txt"), dotted, 0o644)
	locus(t, "get", p.gopher("0/dots.txt%09%09+")).want(t, 0, dotted)
	locus(t, "get", "--view", "text/plain", p.gopher("0/dots.txt")).want(t, 0, dotted)
	find(t, menu(t, p.gopher("1%09%09+")), "dots.txt", "object")
	failure(t, p.gopher("0/dots.txt%09%09!"), "unsupported")
	// pygopherd supports Gopher+ only in one fixed response.
	_, items := getMenu(t, p.gopher("1%09%09$"))
	titled(t, items, "Main menu")
}

// within starts a TLS server that relays the decrypted data to a port.
func within(t testing.TB, l net.Listener, certFile, keyFile string, to int) {
	t.Helper()
	cert, err := tls.LoadX509KeyPair(certFile, keyFile)
	if err != nil {
		t.Fatal(err)
	}
	secure := tls.NewListener(l, &tls.Config{Certificates: []tls.Certificate{cert}})
	var open sync.WaitGroup
	open.Go(func() {
		for {
			near, err := secure.Accept()
			if err != nil {
				return
			}
			open.Go(func() {
				defer near.Close()
				far, err := net.Dial("tcp4", fmt.Sprintf("127.0.0.1:%d", to))
				if err != nil {
					return
				}
				defer far.Close()
				go func() {
					io.Copy(far, near)
					far.(*net.TCPConn).CloseWrite()
				}()
				io.Copy(near, far)
			})
		}
	})
	t.Cleanup(func() { l.Close(); open.Wait() })
}

func TestGopherOverTLS(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	port := l.Addr().(*net.TCPAddr).Port
	// The links in the menus name the TLS port.
	plain := gophernicus(t, "-p", fmt.Sprint(port))
	cert, key := certificate(t, publicDir(t))
	within(t, l, cert, key, plain.port)
	write(t, filepath.Join(plain.pub, "dots.txt"), strings.Repeat(dotted, 10000), 0o644)
	base := fmt.Sprintf("gophers://127.0.0.1:%d", port)
	trusted := []string{"SSL_CERT_FILE=" + cert}

	r := locusEnv(t, trusted, "get", base)
	if want := "\t" + base + "/0/dots.txt\n"; r.status != 0 || !strings.Contains(r.out, want) {
		t.Fatalf("status %d, and the menu lacks %q:\n%s%s", r.status, want, r.out, r.err)
	}
	locusEnv(t, trusted, "get", base+"/0/dots.txt").want(t, 0, strings.Repeat(dotted, 10000))
	// No authority signed the certificate. The client must not retry without TLS.
	r = locus(t, "get", base+"/0/dots.txt")
	r.want(t, 3, "")
	r.says(t, "certificate")
	if _, err := get(t, base+"/0/dots.txt"); !errors.Is(err, scheme.ErrUnreachable) {
		t.Errorf("without the certificate: %v", err)
	}
}
