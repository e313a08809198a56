package tour_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	_ "image/gif"
	_ "image/png"
	"io"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/submit"
)

// outside lists hosts that exhibits name but the tour does not run. They are historical addresses
// and examples.
var outside = []string{"gopher.micro.umn.edu", "archie.mcgill.ca", "prospero.isi.edu", "host"}

// crawl follows links.
type crawl struct {
	*testing.T
	client   *access.Client
	registry *scheme.Registry
	checked  int
	missing  map[locus.URL]bool // stops that show a missing resource
	links    []link
	seen     map[locus.URL]bool
	kinds    map[string]int  // number of resources of each kind
	away     map[string]bool // hosts of outside that a link names
	pages    map[locus.URL]string
}

type link struct {
	to   locus.URL
	from *access.Result // nil if the link is a stop
}

// enter starts the servers of the tour and opens a client. The caller must call leave.
func enter(t *testing.T) (museum *tour.Demo, client *access.Client, leave func()) {
	t.Helper()
	museum, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	client, err = newClient(t, museum, nil)
	if err != nil {
		museum.Close()
		t.Fatal(err)
	}
	return museum, client, func() {
		client.Close()
		museum.Close()
	}
}

// Every link in the tour must work, except links to the hosts in outside.
func TestEveryLink(t *testing.T) {
	defer goleak.VerifyNone(t)
	museum, client, leave := enter(t)
	defer leave()
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	c := &crawl{T: t, client: client, registry: registry, missing: map[locus.URL]bool{}, seen: map[locus.URL]bool{}, kinds: map[string]int{}, away: map[string]bool{}, pages: map[locus.URL]string{}}
	for _, stop := range museum.Stops() {
		if stop.Missing {
			c.missing[stop.URL] = true
		}
		l := link{to: stop.URL}
		if !stop.From.IsZero() {
			l.from = &access.Result{URL: stop.From, LinkOrigin: policy.FromPrivate}
		}
		c.links = append(c.links, l)
	}
	for len(c.links) > 0 {
		l := c.links[0]
		c.links = c.links[1:]
		c.follow(l)
	}
	t.Logf("%d URLs, %d of them checked: %v", len(c.seen), c.checked, c.kinds)
	if c.checked < 500 {
		t.Errorf("only %d URLs were checked", c.checked)
	}
	if got := slices.Sorted(maps.Keys(c.away)); !slices.Equal(got, slices.Sorted(slices.Values(outside))) {
		t.Errorf("links lead out of the museum to %q, want %q", got, outside)
	}
	for _, kind := range []string{
		"menu", "search", "form", "*scheme.Session", "letter", "referral", "missing", "file link refused", "picture in a message",
		"text/plain", "text/html", "message/rfc822", "image/png", "image/gif", "audio/wav", "application/zip", "application/x-wais-source",
	} {
		if c.kinds[kind] == 0 {
			t.Errorf("the museum has no resource of the kind %q", kind)
		}
	}
}

// follow follows a link, unless the crawl has already visited its URL.
func (c *crawl) follow(l link) {
	c.Helper()
	c.conforms(l.to)
	to := l.to.WithoutFragment()
	if fragment, ok := l.to.Fragment(); ok {
		defer func() {
			if page := c.pages[to]; !strings.Contains(page, fmt.Sprintf("id=%q", fragment)) {
				c.Errorf("%s: the page has no such id", l.to)
			}
		}()
	}
	intoDisk := to.Scheme() == "file" && l.from != nil && l.from.URL.Scheme() != "file"
	if c.seen[to] && !intoDisk {
		return
	}
	if to.Scheme() == "mailto" {
		if err := submit.CheckAddress(to.SchemePart()); err != nil {
			c.Errorf("%s: %v", to, err)
		}
		c.seen[to] = true
		c.kinds["letter"]++
		return
	}
	result, err := c.client.Do(c.Context(), access.Request{URL: to, From: l.from})
	switch {
	case errors.Is(err, policy.ErrDenied) && intoDisk:
		// Only a file may link to a file.
		c.kinds["file link refused"]++
		return
	case access.KindOf(err) == access.NotFound && c.missing[to]:
		c.kinds["missing"]++
		c.seen[to] = true
		return
	case errors.Is(err, policy.ErrDenied) && slices.Contains(outside, to.Host()):
		c.away[to.Host()] = true
		return
	case err != nil:
		from := "a stop"
		if l.from != nil {
			from = "in " + l.from.URL.String()
		}
		c.Errorf("%s, %s: %v", to, from, err)
		return
	}
	c.seen[to] = true
	defer result.Resource.Close()
	for _, hop := range append(result.Hops, result.URL) {
		c.conforms(hop)
	}
	if len(result.Hops) > 1 {
		c.kinds["referral"]++
	}
	if err := c.checkResource(result); err != nil {
		c.Errorf("%s: %v", to, err)
	}
}

// conforms checks that a URL from the tour's servers or the client conforms to RFC 1738.
func (c *crawl) conforms(u locus.URL) {
	c.Helper()
	if list := c.registry.Check(u, locus.RFC1738); !locus.Conforms(list) {
		c.Errorf("%s: %v", u, list)
	}
	c.checked++
}

// add adds a link to target that page contains.
func (c *crawl) add(page *access.Result, target locus.URL) {
	page.Resource = nil
	c.links = append(c.links, link{target, page})
}

// checkResource checks a resource and collects its links.
func (c *crawl) checkResource(result *access.Result) error {
	from := &access.Result{URL: result.URL, LinkOrigin: result.LinkOrigin}
	switch r := result.Resource.(type) {
	case *scheme.Object:
		octets, err := io.ReadAll(r.Body)
		if err != nil {
			return err
		}
		return c.readObject(from, r, octets)
	case *scheme.Menu:
		return c.readMenu(from, r)
	case *scheme.Session:
		c.kinds["*scheme.Session"]++
		if _, user := result.URL.User(); result.URL.Scheme() == "telnet" && !user {
			return c.readLibrary(from, r)
		}
		return nil
	default:
		return fmt.Errorf("a %T", r)
	}
}

func (c *crawl) readObject(from *access.Result, o *scheme.Object, octets []byte) error {
	kind, _, _ := strings.Cut(o.Type, ";")
	c.kinds[kind]++
	if len(octets) == 0 || o.Size >= 0 && o.Size != int64(len(octets)) {
		return fmt.Errorf("%d octets, want %d", len(octets), o.Size)
	}
	switch {
	case kind == "text/html":
		c.pages[from.URL.WithoutFragment()] = string(octets)
		return c.readPage(from, string(octets))
	case kind == "", kind == "application/x-wais-source", strings.HasPrefix(kind, "text/"):
		if !utf8.Valid(octets) && !strings.Contains(o.Type, "iso-8859-1") {
			return errors.New("invalid UTF-8")
		}
		for m := range extract.All(string(octets), nil) {
			c.add(from, m.URL)
		}
	case kind == "message/rfc822":
		return c.readMessage(from, octets)
	case strings.HasPrefix(kind, "image/"):
		_, _, err := image.Decode(bytes.NewReader(octets))
		return err
	case kind == "application/zip":
		z, err := zip.NewReader(bytes.NewReader(octets), int64(len(octets)))
		if err == nil && len(z.File) < 3 {
			err = fmt.Errorf("an archive of %d files", len(z.File))
		}
		return err
	case kind == "audio/wav":
		if !bytes.HasPrefix(octets, []byte("RIFF")) {
			return errors.New("not a WAV file")
		}
	default:
		return fmt.Errorf("of type %q", o.Type)
	}
	return nil
}

func (c *crawl) readPage(from *access.Result, text string) error {
	for m := range document.HTML(text, nil) {
		if m.Ref == "" {
			c.add(from, m.URL)
			continue
		}
		ref, err := relative.Parse(m.Ref)
		if err != nil {
			return err
		}
		to, err := ref.Resolve(from.URL)
		if err != nil {
			return err
		}
		c.add(from, to)
	}
	return nil
}

// readMessage collects the links in the displayed text of a message, and checks each part.
func (c *crawl) readMessage(from *access.Result, octets []byte) error {
	m, err := message.Read(bytes.NewReader(octets), nil)
	if err != nil {
		return err
	}
	if len(m.Faults) > 0 {
		return fmt.Errorf("damaged: %v", m.Faults)
	}
	var b strings.Builder
	if err := m.WriteText(&b, nil); err != nil {
		return err
	}
	for _, part := range m.Parts() {
		if strings.HasPrefix(part.Type, "image/") {
			c.kinds["picture in a message"]++
			if _, _, err := image.Decode(part.Open()); err != nil {
				return fmt.Errorf("part %s: %w", part.Path, err)
			}
		}
	}
	for match := range extract.All(b.String(), nil) {
		c.add(from, match.URL)
	}
	return nil
}

// readMenu collects the links in a menu, and fills in the menu's form.
func (c *crawl) readMenu(from *access.Result, m *scheme.Menu) error {
	c.kinds["menu"]++
	links := 0
	for item, err := range m.Items {
		if err != nil {
			return err
		}
		if item.Kind == scheme.KindSearch || item.Kind == scheme.KindForm {
			c.kinds[string(item.Kind)]++
		}
		if !item.URL.IsZero() {
			links++
			c.add(from, item.URL)
		}
	}
	if m.Form == nil && links == 0 {
		return errors.New("a menu without links")
	}
	if m.Form == nil {
		return nil
	}
	words := "gopher"
	if path, _ := from.URL.Path(); strings.HasPrefix(path, "2") {
		words = "veronica" // an entry of the phone book
	}
	answers := m.Form.Defaults()
	for i, f := range m.Form.Fields {
		if f.Kind == scheme.FieldText && answers[i] == "" {
			answers[i] = words
		}
	}
	to, err := m.Form.Submit(answers)
	if err == nil {
		c.add(from, to)
	}
	return err
}

// readLibrary collects the links on every card of the library catalog.
func (c *crawl) readLibrary(from *access.Result, s *scheme.Session) error {
	for i := range 12 {
		fmt.Fprintf(s.Conn, "show %d\r", i+1)
	}
	if _, err := io.WriteString(s.Conn, "bye\r"); err != nil {
		return err
	}
	text, err := io.ReadAll(s.Conn)
	if err != nil {
		return err
	}
	if !strings.Contains(string(text), "Weaving the Web") {
		return fmt.Errorf("the library prints %q", text)
	}
	for m := range extract.All(string(text), nil) {
		c.add(from, m.URL)
	}
	return nil
}

// The resource of each stop must have the Kind and Type that the stop declares.
func TestKinds(t *testing.T) {
	museum, client, leave := enter(t)
	defer leave()
	menus := []scheme.ItemKind{scheme.KindMenu, scheme.KindSearch, scheme.KindForm}
	for _, stop := range museum.Stops() {
		if stop.Scheme == "mailto" || !stop.From.IsZero() || stop.Missing {
			continue
		}
		resource, err := client.Open(t.Context(), stop.URL.String())
		if err != nil {
			t.Error(err)
			continue
		}
		defer resource.Close()
		switch r := resource.Resource.(type) {
		case *scheme.Object:
			if kind, _, _ := strings.Cut(r.Type, ";"); stop.Kind != scheme.KindObject || stop.Type != kind {
				t.Errorf("%s is an object of type %q, want %s %s", stop.URL, r.Type, stop.Kind, stop.Type)
			}
		case *scheme.Menu:
			if !slices.Contains(menus, stop.Kind) || stop.Type != "" {
				t.Errorf("%s is a menu, want %s %s", stop.URL, stop.Kind, stop.Type)
			}
		case *scheme.Session:
			if stop.Kind != scheme.KindSession {
				t.Errorf("%s is a session, want %s", stop.URL, stop.Kind)
			}
		default:
			t.Errorf("%s is %T", stop.URL, r)
		}
	}
}

// The tour's client must reach only the tour's servers and files.
func TestClientStaysInside(t *testing.T) {
	museum, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer museum.Close()
	other, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	client, err := newClient(t, museum, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	var here string
	for _, stop := range museum.Stops() {
		if stop.Scheme == "file" && strings.HasSuffix(stop.URL.String(), "/welcome.txt") {
			here = strings.TrimSuffix(stop.URL.String(), "/welcome.txt")
		}
	}
	denied := []string{
		"file:///etc/passwd", "file:///", here + "/../letters.mbox", here + "/%2e%2e/x", here + "/..%2Fx", here, here + "x/welcome.txt",
		"http://127.0.0.1:1/", "http://127.0.0.1/", "gopher://localhost:70/", "ftp://museum.example/", "prospero://127.0.0.1//x", "http://[::1]:8080/",
		"nntp://museum.example/museum.usenet",
	}
	for _, stop := range other.Stops() {
		if stop.URL.Host() != "" {
			denied = append(denied, stop.URL.String())
		}
	}
	for _, text := range denied {
		result, err := client.Do(t.Context(), access.Request{URL: locus.MustParse(text)})
		if err == nil {
			result.Resource.Close()
		}
		if !errors.Is(err, policy.ErrDenied) {
			t.Errorf("%s: %v, want a refusal", text, err)
		}
	}
	// The same restrictions must apply to connections without a URL, such as tunnels.
	for _, address := range []string{"127.0.0.1:1", "localhost:70", "museum.example:80"} {
		c, err := client.Dialer().DialContext(context.Background(), "tcp", address)
		if err == nil {
			c.Close()
		}
		if !errors.Is(err, policy.ErrDenied) {
			t.Errorf("%s: %v, want a refusal", address, err)
		}
	}
}
