package access

import (
	"context"
	"fmt"
	"net/netip"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// zoneFixture returns a fixture in which servers named p... are private and servers named
// g... are public.
func zoneFixture() *fixture {
	return &fixture{
		names: map[string]string{
			"p1.example": "10.0.0.1", "p2.example": "192.168.0.2", "p3.example": "fd00::3",
			"g1.example": "1.1.1.1", "g2.example": "2606:4700::1111",
			"mixed.example":  "10.0.0.9 9.9.9.9",
			"rebind.example": "9.9.9.9|10.0.0.9",
		},
		pages: map[string]string{
			"http://p2.example/end": "object near", "http://g2.example/end": "object far", "http://10.0.0.1/end": "object near",
			"http://p1.example/p2":    "referral http://p2.example/end",
			"http://p1.example/p":     "referral http://10.0.0.1/end",
			"http://p1.example/g2":    "referral http://g2.example/end",
			"http://g1.example/p2":    "referral http://p2.example/end",
			"http://g1.example/g2":    "referral http://g2.example/end",
			"http://g1.example/g2p2":  "referral http://g2.example/p2",
			"http://g2.example/p2":    "referral http://p2.example/end",
			"http://p1.example/g2p2":  "referral http://g2.example/p2",
			"http://p1.example/p3p2":  "referral http://p3.example/p2",
			"http://p3.example/p2":    "referral http://p2.example/end",
			"http://p1.example/p3g2":  "referral http://p3.example/g2p2",
			"http://p3.example/g2p2":  "referral http://g2.example/p2",
			"http://g1.example/file":  "referral file:///secret",
			"http://p1.example/file":  "referral file:///secret",
			"http://g1.example/local": "referral http://localhost/end",
			"file:///p2":              "referral http://p2.example/end",
			"file:///g2p2":            "referral http://g2.example/p2",
			"file:///file":            "referral file:///secret",
			"file:///secret":          "object secret",
			"http://mixed.example/p2": "referral http://p2.example/end", "http://rebind.example/p2": "referral http://p2.example/end",
			"http://rebind.example/": "object rebound", "http://mixed.example/": "object mixed",
			"http://g1.example/": "menu http://p2.example/end", "http://p1.example/": "menu http://p2.example/end",
			"mid:a@b": "menu http://p2.example/end",
		},
	}
}

// A typed URL may name a private address. A redirect must not lead from a public address to
// a private address.
func TestOriginsOfRedirects(t *testing.T) {
	for _, c := range []struct {
		text   string
		rule   string // rule of the denial
		origin policy.Origin
	}{
		{"http://p2.example/end", "", policy.FromPrivate},
		{"http://g2.example/end", "", policy.FromPublic},
		{"http://p1.example/p2", "", policy.FromPrivate},
		{"http://p1.example/p", "", policy.FromPrivate},
		{"http://p1.example/g2", "", policy.FromPublic},
		{"http://g1.example/g2", "", policy.FromPublic},
		{"http://g1.example/p2", "private", 0},
		{"http://g1.example/local", "private", 0},
		{"http://g1.example/g2p2", "private", 0},
		{"http://p1.example/g2p2", "private", 0},
		{"http://p1.example/p3p2", "", policy.FromPrivate},
		{"http://p1.example/p3g2", "private", 0},
		{"file:///p2", "", policy.FromPrivate},
		{"file:///g2p2", "private", 0},
		{"file:///file", "", policy.FromPrivate},
		{"http://g1.example/file", "file", 0},
		{"http://p1.example/file", "file", 0},
	} {
		w := zoneFixture()
		_, res, err := openText(t, w.client(t, policy.Rules{TypedPrivate: true, Files: true}, nil, nil), Request{URL: parse(c.text)})
		if got := deniedBy(err); got != c.rule || (err != nil) != (c.rule != "") {
			t.Errorf("%s: %v, want rule %q", c.text, err, c.rule)
			continue
		}
		if err == nil && res.LinkOrigin != c.origin {
			t.Errorf("%s: origin %v, want %v", c.text, res.LinkOrigin, c.origin)
		}
		if c.rule == "private" && strings.Contains(fmt.Sprint(w.dialed()), "192.168.0.2") {
			t.Errorf("%s: what is denied was dialed", c.text)
		}
		// AllowPrivate allows every address.
		if _, _, err := openText(t, zoneFixture().client(t, policy.Rules{AllowPrivate: true, Files: true}, nil, nil), Request{URL: parse(c.text)}); (err != nil) != (c.rule == "file" || strings.Contains(c.text, "local")) {
			t.Errorf("%s with --allow-private: %v", c.text, err)
		}
	}
}

// The policy judges a link by the resource that contains it.
func TestOriginsOfLinks(t *testing.T) {
	w := zoneFixture()
	c := w.client(t, policy.Rules{TypedPrivate: true, Files: true}, nil, nil)
	link := parse("http://p2.example/end")
	for _, s := range []struct {
		from string
		rule string
	}{
		{"http://p1.example/", ""},
		{"http://g1.example/", "private"},
		{"file:///p2", ""}, // with NoFollow, the result is the redirect
		{"mid:a@b", "private"},
	} {
		from, err := c.Do(t.Context(), Request{URL: parse(s.from), NoFollow: true})
		if err != nil {
			t.Fatal(err)
		}
		from.Resource.Close()
		if _, _, err = openText(t, c, Request{URL: link, From: from}); deniedBy(err) != s.rule || (err != nil) != (s.rule != "") {
			t.Errorf("from %s: %v", s.from, err)
		}
	}
	// A result that a program makes.
	for _, s := range []struct {
		from Result
		to   string
		rule string
	}{
		{Result{URL: parse("file:///a.html")}, "http://p2.example/end", ""},
		{Result{URL: parse("file:///a.html")}, "file:///secret", ""},
		{Result{URL: parse("http://p1.example/")}, "http://p2.example/end", "private"},
		{Result{URL: parse("http://p1.example/"), LinkOrigin: policy.FromPrivate}, "http://p2.example/end", ""},
		{Result{URL: parse("http://p1.example/"), LinkOrigin: policy.FromPrivate}, "file:///secret", "file"},
		{Result{}, "http://p2.example/end", "private"},
		{Result{}, "file:///secret", "file"},
	} {
		if _, _, err := openText(t, c, Request{URL: parse(s.to), From: &s.from}); deniedBy(err) != s.rule || (err != nil) != (s.rule != "") {
			t.Errorf("from %v to %s: %v", s.from, s.to, err)
		}
	}
}

// Without TypedPrivate, no URL of any origin leads to a private address, whatever its name.
func TestPrivateByName(t *testing.T) {
	w := zoneFixture()
	c := w.client(t, policy.Rules{}, nil, nil)
	for _, text := range []string{"http://p1.example/", "http://p3.example/", "http://10.0.0.1/end", "http://[::ffff:10.0.0.1]/", "http://localhost/"} {
		if _, _, err := openText(t, c, Request{URL: parse(text)}); deniedBy(err) != "private" || KindOf(err) != Denied {
			t.Errorf("%s: %v", text, err)
		}
	}
	equal(t, "dialed", w.dialed(), nil)
	// If a name has a public and a private address, the client dials only the public
	// address.
	if text, res, err := openText(t, c, Request{URL: parse("http://mixed.example/")}); err != nil || text != "mixed" || res.LinkOrigin != policy.FromPublic {
		t.Errorf("mixed: %q %v %v", text, res, err)
	}
	equal(t, "dialed", w.dialed(), []string{"9.9.9.9:80"})
	_, err := c.dialer(plan{origin: policy.Typed}).DialContext(t.Context(), "tcp", "p1.example:80")
	if want := `policy: "p1.example" (10.0.0.1:80): not a public address: private use (RFC 1918)`; err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

// linkFixture returns a fixture with a public and a private server, which both link to
// metadata services.
func linkFixture() *fixture {
	w := &fixture{
		names: map[string]string{
			"g1.example": "1.1.1.1", "p1.example": "10.0.0.1",
			"meta.example": "169.254.169.254", "zone.example": "fe80::1%eth0", "mapped.example": "::ffff:169.254.169.254", "aws.example": "fd00:ec2::254",
			"mixed.example": "169.254.169.254 10.0.0.9", "rebind.example": "10.0.0.9|169.254.169.254",
		},
		pages: map[string]string{"http://mixed.example/": "object near", "http://rebind.example/": "object near"},
	}
	for path, to := range map[string]string{"name": "http://meta.example/", "literal": "http://169.254.169.254/", "zone": "http://zone.example/"} {
		w.pages["http://g1.example/"+path] = "referral " + to
		w.pages["http://p1.example/"+path] = "referral " + to
		w.pages[to] = "object secret"
	}
	for _, to := range []string{"http://mapped.example/", "http://aws.example/", "http://[fe80::1]/", "http://[64:ff9b::a9fe:a9fe]/"} {
		w.pages[to] = "object secret"
	}
	return w
}

// Rules that allow private addresses do not allow link-local addresses. The test uses typed
// URLs, redirects, links, addresses of a name, and later addresses of a name.
func TestLinkLocal(t *testing.T) {
	const g, p, typed = "http://g1.example/", "http://p1.example/", ""
	for _, c := range []struct {
		from, text string
	}{
		{typed, "http://169.254.169.254/"}, {typed, "http://[fe80::1]/"}, {typed, "http://[64:ff9b::a9fe:a9fe]/"},
		{typed, "http://meta.example/"}, {typed, "http://zone.example/"}, {typed, "http://mapped.example/"}, {typed, "http://aws.example/"},
		{typed, p + "name"}, {typed, p + "literal"}, {typed, p + "zone"},
		{p, "http://meta.example/"}, {p, "http://169.254.169.254/"}, {p, "http://zone.example/"},
		{typed, g + "name"}, {typed, g + "literal"}, {typed, g + "zone"},
		{g, "http://meta.example/"}, {g, "http://169.254.169.254/"}, {g, "http://zone.example/"},
	} {
		public := strings.HasPrefix(c.text, g) || c.from == g
		for _, r := range []struct {
			rules   policy.Rules
			allowed bool
		}{
			{policy.Rules{TypedPrivate: true}, false},
			{policy.Rules{AllowPrivate: true}, false},
			{policy.Rules{TypedPrivate: true, LinkLocal: true}, !public},
			{policy.Rules{AllowPrivate: true, LinkLocal: true}, true},
		} {
			w := linkFixture()
			req := Request{URL: parse(c.text)}
			if c.from != typed {
				req.From = &Result{URL: parse(c.from), LinkOrigin: policy.FromPrivate}
				if public {
					req.From.LinkOrigin = policy.FromPublic
				}
			}
			text, _, err := openText(t, w.client(t, r.rules, nil, nil), req)
			if r.allowed != (err == nil) || r.allowed && text != "secret" || !r.allowed && deniedBy(err) != "link-local" {
				t.Errorf("%+v: %q leads to %q: %q, %v", r.rules, c.from, c.text, text, err)
			}
			if dialed := fmt.Sprint(w.dialed()); !r.allowed && (strings.Contains(dialed, "169.254") || strings.Contains(dialed, "fe80") || strings.Contains(dialed, "fd00")) {
				t.Errorf("%+v: %q leads to %q: dialed %s", r.rules, c.from, c.text, dialed)
			}
		}
	}
}

// If a name has several addresses, the client dials only addresses that are not link-local.
func TestLinkLocalByName(t *testing.T) {
	w := linkFixture()
	c := w.client(t, policy.Rules{AllowPrivate: true}, nil, nil)
	if text, _, err := openText(t, c, Request{URL: parse("http://mixed.example/")}); err != nil || text != "near" {
		t.Errorf("a name with both: %q %v", text, err)
	}
	u := parse("http://rebind.example/")
	if _, _, err := openText(t, c, Request{URL: u}); err != nil {
		t.Error(err)
	}
	c.dialer(plan{origin: policy.Typed}).close()
	c = w.client(t, policy.Rules{AllowPrivate: true}, nil, nil)
	if _, _, err := openText(t, c, Request{URL: u}); deniedBy(err) != "link-local" {
		t.Errorf("after the name is bound to a metadata service: %v", err)
	}
	equal(t, "dialed", w.dialed(), []string{"10.0.0.9:80", "10.0.0.9:80"})
	// The socket judges the address again.
	if err := c.dialer(plan{origin: policy.Typed}).control("tcp", "169.254.169.254:80", nil); deniedBy(err) != "link-local" {
		t.Errorf("at the socket: %v", err)
	}
}

// A proxy that the configuration names may have a private address. A link-local address
// requires a rule.
func TestLinkLocalProxy(t *testing.T) {
	for _, c := range []struct {
		rules         policy.Rules
		address, rule string
	}{
		{policy.Rules{}, "10.0.0.1:80", ""},
		{policy.Rules{AllowPrivate: true}, "169.254.1.2:80", "link-local"},
		{policy.Rules{}, "[fe80::1%eth0]:80", "link-local"},
		{policy.Rules{LinkLocal: true}, "169.254.1.2:80", ""},
	} {
		d := linkFixture().client(t, c.rules, nil, nil).dialer(plan{outcome: planProxy, proxy: gateway(t, "http://gateway.example")})
		if err := d.checkAddr(netip.MustParseAddrPort(c.address)); deniedBy(err) != c.rule || (err != nil) != (c.rule != "") {
			t.Errorf("%+v: a gateway at %s: %v", c.rules, c.address, err)
		}
	}
}

// At the first lookup a name has a public address, and at later lookups a private address.
func TestRebinding(t *testing.T) {
	w := zoneFixture()
	c := w.client(t, policy.Rules{}, nil, nil)
	u := parse("http://rebind.example/")
	if _, _, err := openText(t, c, Request{URL: u}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openText(t, c, Request{URL: u}); deniedBy(err) != "private" {
		t.Errorf("after the name is bound to a private address: %v", err)
	}
	equal(t, "dialed", w.dialed(), []string{"9.9.9.9:80"})

	// Even if typed URLs may have private addresses, a name that was public before leads
	// only to public addresses.
	w = zoneFixture()
	c = w.client(t, policy.Rules{TypedPrivate: true}, nil, nil)
	if _, _, err := openText(t, c, Request{URL: u}); err != nil {
		t.Fatal(err)
	}
	if _, _, err := openText(t, c, Request{URL: parse("http://rebind.example/p2")}); deniedBy(err) != "private" {
		t.Errorf("from a private address of a name that had a public one: %v", err)
	}
	equal(t, "dialed", w.dialed(), []string{"9.9.9.9:80", "10.0.0.9:80"})

	// The same applies if the public address refused the connection.
	w = zoneFixture()
	w.names["mixed.example"] = "9.9.9.9 10.0.0.9"
	w.dead = map[string]bool{"9.9.9.9": true}
	c = w.client(t, policy.Rules{TypedPrivate: true}, nil, nil)
	if _, _, err := openText(t, c, Request{URL: parse("http://mixed.example/p2")}); deniedBy(err) != "private" {
		t.Errorf("from a private address after a public one: %v", err)
	}
}

// A reused connection counts as public or private, although the client does not dial again.
func TestOriginsOfIdleConnections(t *testing.T) {
	for _, s := range []struct{ first, second, rule string }{
		{"http://g2.example/end", "http://g2.example/p2", "private"},
		{"http://p1.example/g2", "http://p1.example/p2", ""},
		{"http://p1.example/p2", "http://p1.example/p2", ""},
	} {
		w := zoneFixture()
		c := w.client(t, policy.Rules{TypedPrivate: true}, nil, &lines{keep: true})
		if _, _, err := openText(t, c, Request{URL: parse(s.first)}); err != nil {
			t.Fatal(err)
		}
		w.dialed()
		_, _, err := openText(t, c, Request{URL: parse(s.second)})
		if deniedBy(err) != s.rule || (err != nil) != (s.rule != "") {
			t.Errorf("%s after %s: %v", s.second, s.first, err)
		}
		for _, address := range w.dialed() {
			if s.rule != "" || address != "192.168.0.2:80" {
				t.Errorf("%s after %s: dialed %s again", s.second, s.first, address)
			}
		}
	}
}

// A client uses one dialer for each origin, because openers store idle connections by
// dialer.
func TestDialers(t *testing.T) {
	w := zoneFixture()
	var seen []scheme.Dialer
	inner := new(lines)
	o := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		seen = append(seen, req.Dial)
		return inner.Open(ctx, req)
	})
	p, _ := policy.New(policy.Rules{TypedPrivate: true})
	c := New(registry(t, o), p, &Options{Lookup: w.lookup, Dial: w.dial})
	defer w.servers.Wait()
	defer c.Close()
	for range 2 {
		for _, text := range []string{"http://p1.example/p2", "http://g1.example/g2"} {
			if _, _, err := openText(t, c, Request{URL: parse(text)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for i, z := range []policy.Origin{policy.Typed, policy.FromPrivate, policy.Typed, policy.FromPublic, policy.Typed, policy.FromPrivate, policy.Typed, policy.FromPublic} {
		if seen[i] != scheme.Dialer(c.dialer(plan{origin: z})) {
			t.Errorf("request %d has not the door %v", i, z)
		}
	}
	if c.dialer(plan{origin: 0}) == c.dialer(plan{origin: 1}) || c.dialer(plan{origin: 1}) == c.dialer(plan{origin: 2}) {
		t.Error("two origins have one door")
	}
}

// In case of doubt, a link is FromPublic.
func TestOriginAfter(t *testing.T) {
	p, _ := policy.New(policy.Rules{})
	c := New(demoRegistry(t), p, nil)
	c.known.record("known-public.example", true)
	c.known.record("known-private.example", false)
	c.known.record("Once-Public.example", true)
	c.known.record("once-public.example", false)
	private, public := new(tracker), new(tracker)
	private.note(false)
	public.note(false)
	public.note(true)
	public.note(false)
	for _, s := range []struct {
		text   string
		origin policy.Origin
		t      *tracker
		want   policy.Origin
	}{
		{"http://a.example/", policy.Typed, new(tracker), policy.FromPublic},
		{"http://a.example/", policy.Typed, private, policy.FromPrivate},
		{"http://a.example/", policy.Typed, public, policy.FromPublic},
		{"http://a.example/", policy.FromPublic, private, policy.FromPublic},
		{"http://known-public.example/", policy.Typed, new(tracker), policy.FromPublic},
		{"http://known-public.example/", policy.FromPrivate, private, policy.FromPublic},
		{"http://KNOWN-public.example/", policy.FromPrivate, private, policy.FromPublic},
		{"http://known-private.example/", policy.FromPrivate, new(tracker), policy.FromPrivate},
		{"http://once-public.example/", policy.FromPrivate, private, policy.FromPublic},
		{"http://10.0.0.1/", policy.Typed, new(tracker), policy.FromPrivate},
		{"http://[::1]:8080/", policy.Typed, new(tracker), policy.FromPrivate},
		{"http://1.1.1.1/", policy.Typed, new(tracker), policy.FromPublic},
		{"file:///a", policy.Typed, new(tracker), policy.FromPrivate},
		{"file:///a", policy.FromPrivate, new(tracker), policy.FromPrivate},
		{"file:///a", policy.FromPublic, new(tracker), policy.FromPublic},
		{"news:a.b", policy.Typed, private, policy.FromPrivate},
		{"news:a.b", policy.Typed, new(tracker), policy.FromPublic},
	} {
		if got := c.originAfter(plan{url: parse(s.text), origin: s.origin}, s.t); got != s.want {
			t.Errorf("originAfter(%s, %v): %v, want %v", s.text, s.origin, got, s.want)
		}
	}
}

// For a URL without a host, such as a news URL, the addresses that the opener dials count.
func TestOriginOfConfiguredServer(t *testing.T) {
	for server, want := range map[string]policy.Origin{"p1.example:119": policy.FromPrivate, "10.0.0.1:119": policy.FromPrivate, "g1.example:119": policy.FromPublic, "mixed.example:119": policy.FromPublic} {
		w := zoneFixture()
		o := scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
			c, err := req.Dial.DialContext(ctx, "tcp", server)
			if err != nil {
				return nil, err
			}
			c.Close()
			return page(req.URL, "object", "article")
		})
		p, err := policy.New(policy.Rules{TypedPrivate: true})
		if err != nil {
			t.Fatal(err)
		}
		w.names["mixed.example"] = "9.9.9.9 10.0.0.9"
		c := New(registry(t, o), p, &Options{Lookup: w.lookup, Dial: w.dial})
		if _, res, err := openText(t, c, Request{URL: parse("mid:a@b")}); err != nil || res.LinkOrigin != want {
			t.Errorf("from %s: %+v, %v", server, res, err)
		}
		c.Close()
		w.servers.Wait()
	}
}

// The number of remembered hosts is limited, and a forgotten host counts as public.
func TestHostsBound(t *testing.T) {
	var h hosts
	for i := range maxHosts + 100 {
		h.record(fmt.Sprintf("h%d.example", i), false)
	}
	if len(h.public) != maxHosts {
		t.Errorf("%d hosts remembered", len(h.public))
	}
}

// The dialer judges the address again when the socket connects.
func TestControl(t *testing.T) {
	p, _ := policy.New(policy.Rules{TypedPrivate: true})
	c := New(nil, p, nil)
	for address, allowed := range map[string][2]bool{ // Typed, Far
		"1.1.1.1:80": {true, true}, "127.0.0.1:80": {true, false}, "[::ffff:127.0.0.1]:80": {true, false}, "[fe80::1%1]:80": {false, false},
		"localhost:80": {false, false}, "/tmp/socket": {false, false}, "": {false, false},
	} {
		for i, z := range []policy.Origin{policy.Typed, policy.FromPublic} {
			err := c.dialer(plan{origin: z}).control("tcp", address, nil)
			if (err == nil) != allowed[i] || err != nil && KindOf(err) != Denied {
				t.Errorf("%q in origin %v: %v", address, z, err)
			}
		}
	}
}

func TestInTurns(t *testing.T) {
	list := func(text string) (l []netip.Addr) {
		for _, a := range strings.Fields(text) {
			l = append(l, netip.MustParseAddr(a))
		}
		return l
	}
	for in, want := range map[string]string{
		"":                                "",
		"1.1.1.1":                         "1.1.1.1",
		"1.1.1.1 1.1.1.1 1.1.1.1":         "1.1.1.1",
		"1.1.1.1 2.2.2.2 ::1 ::2 ::3":     "1.1.1.1 ::1 2.2.2.2 ::2 ::3",
		"::1 ::2 1.1.1.1 ::3 2.2.2.2 ::1": "::1 1.1.1.1 ::2 2.2.2.2 ::3",
	} {
		if got := fmt.Sprint(inTurns(list(in))); got != fmt.Sprint(list(want)) {
			t.Errorf("inTurns(%s) = %s", in, got)
		}
	}
}

// Options.CheckAddr judges each address of a name at each lookup, except the addresses of
// proxies.
func TestCheckAddr(t *testing.T) {
	w := zoneFixture()
	o := &Options{CheckAddr: func(a netip.AddrPort) error {
		if a.Addr() == netip.MustParseAddr("1.1.1.1") || a == netip.MustParseAddrPort("9.9.9.9:5000") {
			return &policy.DeniedError{Rule: "list", Subject: a.String(), Reason: "it is on the list"}
		}
		return nil
	}}
	c := w.client(t, policy.Rules{TypedPrivate: true}, o, nil)
	for text, want := range map[string]string{
		"http://g1.example/": "list", "http://1.1.1.1/": "list", "http://g2.example/end": "", "http://p1.example/g2": "", "http://mixed.example/": "",
	} {
		_, _, err := openText(t, c, Request{URL: locus.MustParse(text)})
		if got := deniedBy(err); got != want {
			t.Errorf("%s: %v", text, err)
		}
	}
	d := c.dialer(plan{origin: policy.FromPublic})
	control, err := d.DialContext(t.Context(), "tcp", "rebind.example:21")
	if err != nil {
		t.Fatal(err)
	}
	defer control.Close()
	if _, err := d.DialData(t.Context(), control, 5000); deniedBy(err) != "list" {
		t.Errorf("data: %v", err)
	}
	if err := d.control("tcp", "1.1.1.1:80", nil); deniedBy(err) != "list" {
		t.Errorf("a socket: %v", err)
	}
	for _, dialed := range w.dialed() {
		if strings.HasPrefix(dialed, "1.1.1.1") || dialed == "9.9.9.9:5000" {
			t.Errorf("%s was dialed", dialed)
		}
	}
	if err := c.dialer(plan{outcome: planProxy, proxy: gateway(t, "http://1.1.1.1")}).checkAddr(netip.MustParseAddrPort("1.1.1.1:80")); err != nil {
		t.Errorf("a gateway: %v", err)
	}
}
