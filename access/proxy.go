package access

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Proxy is a proxy or a URL template through which requests go. RFC 1738 section 4 calls it
// a gateway. A Proxy is immutable and comparable. The zero Proxy is unset.
type Proxy struct {
	kind proxyKind
	url  locus.URL // URL of the proxy, or a URL template with its braces
}

type proxyKind uint8

const (
	noProxy    proxyKind = iota
	direct               // no proxy, even if another proxy is set for all schemes
	template             // a URL template, which contains a placeholder for the requested URL
	httpProxy            // an HTTP proxy
	socks                // a SOCKS proxy that receives addresses
	socksNames           // a SOCKS proxy that receives names
)

// The placeholders of a URL template.
const (
	escaped  = "{url}"
	verbatim = "{+url}"
)

// The default ports of proxies.
const (
	httpPort  = 80
	httpsPort = 443
	socksPort = 1080 // RFC 1928
)

// ParseProxy parses a proxy or template in one of the following forms.
//
//	http://gw.example/{url}     a template for another URL: all characters except
//	                            letters, digits, "-", "_" and "." are encoded
//	http://gw.example/{+url}    the same, with the URL as it is; http and https only
//	http://proxy.example:3128   an HTTP proxy; with https, a proxy over TLS
//	socks5://proxy.example      SOCKS 5 (RFC 1928), the client looks up names
//	socks5h://proxy.example     SOCKS 5, the proxy looks up names
//	direct                      no proxy, even if there is one for all schemes
//
// A user and password in the text are sent only to the proxy. The placeholders must come
// after the host, so that no URL chooses the host. The error is a [*locus.SyntaxError].
func ParseProxy(text string) (Proxy, error) {
	if text == "direct" {
		return Proxy{kind: direct}, nil
	}
	u, err := locus.Parse(text)
	if err != nil {
		return Proxy{}, err
	}
	g := Proxy{url: u}
	switch u.Scheme() {
	case "http", "https":
		g.kind = httpProxy
	case "socks5":
		g.kind = socks
	case "socks5h":
		g.kind = socksNames
	}
	if strings.ContainsAny(text, "{}") {
		g.kind = template
	}
	return g, g.check()
}

func (g Proxy) check() error {
	u := g.url
	port, written := u.Port()
	path, _ := u.Path()
	switch _, fragment := u.Fragment(); {
	case g.kind == noProxy:
		return u.Errorf(0, "gateway", "%w: write the URL of an http, https, socks5 or socks5h proxy, or a template with %s", locus.ErrValue, escaped)
	case !u.Facts().Has(locus.Internet):
		return u.Errorf(len(u.Scheme())+1, "host", "%w: a proxy URL must have a host", locus.ErrValue)
	case !locus.IsHost(u.Host()):
		return u.Errorf(u.HostOffset(), "host", "%w: a proxy URL must have a host", locus.ErrValue)
	case written && port == 0:
		return u.Errorf(u.HostOffset()+len(u.Host()), "port", "%w: the port is out of range (1-65535)", locus.ErrValue)
	case fragment:
		return u.Errorf(len(u.WithoutFragmentText()), "fragment", "%w: a proxy URL must not have a fragment", locus.ErrValue)
	case g.kind == template:
		return g.checkPlaces()
	case path != "":
		return u.Errorf(u.PathOffset(), "path", "%w: a proxy URL must not have a path; in a template, write %s for the URL", locus.ErrValue, escaped)
	}
	return g.checkLogin()
}

func (g Proxy) checkPlaces() error {
	u, text := g.url, g.url.String()
	for i := 0; i < len(text); i++ {
		if text[i] != '{' && text[i] != '}' {
			continue
		}
		place := escaped
		if strings.HasPrefix(text[i:], verbatim) {
			place = verbatim
		}
		switch {
		case !strings.HasPrefix(text[i:], place):
			return u.Errorf(i, "gateway", "%w: between braces, write %s or %s", locus.ErrValue, escaped, verbatim)
		case !hasPath(u) || i < u.PathOffset():
			return u.Errorf(i, "gateway", "%w: the placeholder must come after the host", locus.ErrValue)
		case place == verbatim && u.Scheme() != "http" && u.Scheme() != "https":
			return u.Errorf(i, "gateway", "%w: only http and https templates can contain an unencoded URL; write %s", locus.ErrValue, escaped)
		}
		i += len(place) - 1
	}
	return nil
}

func hasPath(u locus.URL) bool {
	_, ok := u.Path()
	return ok
}

func (g Proxy) checkLogin() error {
	user, password, ok := g.login()
	const maxLogin = 255 // RFC 1929
	switch start := len(g.url.Scheme()) + len("://"); {
	case !ok:
	case g.kind == httpProxy && (strings.Contains(user, ":") || hasControl(user+password)):
		return g.url.Errorf(start, "user", `%w: Basic authentication allows no ":" in the user name and no control characters`, locus.ErrValue)
	case g.kind != httpProxy && (user == "" || len(user) > maxLogin || len(password) > maxLogin):
		return g.url.Errorf(start, "user", "%w: the user name must have 1 to %d bytes, and the password at most as many", locus.ErrValue, maxLogin)
	}
	return nil
}

func hasControl(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r == 0x7F })
}

func (g Proxy) login() (user, password string, ok bool) {
	user, ok = g.url.User()
	password, _ = g.url.Password()
	return bnf.Decode(user), bnf.Decode(password), ok
}

func (g Proxy) address() string {
	var own uint16
	if g.kind != httpProxy {
		own = socksPort
	}
	return net.JoinHostPort(hostKey(g.url), strconv.Itoa(int(portOf(g.url, own))))
}

// IsZero reports whether g is unset.
func (g Proxy) IsZero() bool { return g == Proxy{} }

// String returns the original text of the proxy without the password.
func (g Proxy) String() string {
	if g.kind == direct {
		return "direct"
	}
	return g.url.Shown()
}

// UnmarshalText parses text as [ParseProxy] does.
func (g *Proxy) UnmarshalText(text []byte) (err error) {
	*g, err = ParseProxy(string(text))
	return err
}

// unescapedSet returns the characters that a URL template does not encode, because no scheme
// reserves them.
func unescapedSet() escape.Set { return escape.Alpha().Union(escape.Digit()).With("-_.") }

// expand returns the URL that the template makes from u, without the fragment and password of u.
func (g Proxy) expand(u locus.URL) (locus.URL, error) {
	text := u.WithoutFragment().WithoutPassword().String()
	return locus.Parse(strings.NewReplacer(escaped, escape.Encode(text, unescapedSet()), verbatim, text).Replace(g.url.String()))
}

// isGatewayOf reports whether the URL u has the same host and port as a URL template.
func (g Proxy) isGatewayOf(u locus.URL) bool {
	return g.kind == template && g.url.Scheme() == u.Scheme() && hostKey(g.url) == hostKey(u) && portOf(g.url, 0) == portOf(u, 0)
}

// portOf returns the port of u. If u contains no port, portOf returns defaultPort or, if
// defaultPort is zero, the port of http or https.
func portOf(u locus.URL, defaultPort uint16) uint16 {
	if n, ok := u.Port(); ok {
		return n
	}
	switch {
	case defaultPort != 0:
		return defaultPort
	case u.Scheme() == "http":
		return httpPort
	case u.Scheme() == "https":
		return httpsPort
	}
	return 0
}

// ProxyRules contains the settings for [NewProxies].
type ProxyRules struct {
	// Schemes maps the names of schemes, in lower case, to proxies. The schemes need not be
	// registered.
	Schemes map[string]Proxy
	// All is the proxy for schemes that are not in Schemes, except schemes with the trait
	// Local or Files.
	All Proxy
	// Except lists hosts that use no proxy, separated by commas or spaces. The entry "name"
	// matches the host and its subdomains, and ".name" and "*.name" match only subdomains.
	// An entry may also be an address, a prefix such as "10.0.0.0/8", or "*" for all hosts.
	// Each entry may end in ":" and a port. An address matches only a URL with that
	// address, because names are not looked up.
	Except string
}

// Proxies selects proxies for URLs. It is immutable and may be used concurrently.
type Proxies struct {
	schemes map[string]Proxy
	all     Proxy
	except  []policy.Pattern
}

// NewProxies returns the proxies of r. NewProxies fails if a key is not the name of a
// scheme, if an exception is malformed (a [*locus.SyntaxError]), or if templates form a
// loop.
func NewProxies(r ProxyRules) (*Proxies, error) {
	g := &Proxies{schemes: make(map[string]Proxy, len(r.Schemes)), all: r.All}
	var err error
	if g.except, err = parseExceptions(r.Except); err != nil {
		return nil, err
	}
	for name, gateway := range r.Schemes {
		if !locus.IsScheme(name) {
			return nil, fmt.Errorf("access: %s is not a scheme name in lower case", locus.Quote(name))
		}
		g.schemes[name] = gateway
	}
	for name := range g.schemes {
		if err := g.checkLoops(name); err != nil {
			return nil, err
		}
	}
	return g, g.checkLoops("all")
}

// checkLoops checks that the proxies of a scheme form no loop.
func (g *Proxies) checkLoops(name string) error {
	u, err := locus.Parse(name + "://host.invalid/")
	if err != nil {
		return err
	}
	_, err = g.plan(u, new(scheme.Registry))
	return err
}
