package gateway

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io/fs"
	"log/slog"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway/page"
)

// Options are what a [Gateway] may be told. The zero Options are sensible.
type Options struct {
	// Names are the names by which people reach the gateway, besides those of
	// loopback and the addresses that it listens on. A request for a page under any
	// other name is refused: a page elsewhere may have had its name lead here.
	Names []string

	// ConnectPorts are those that CONNECT may lead to; nil: 443 alone. Empty and not
	// nil: none.
	ConnectPorts []uint16

	// Files reports whether a file URL of a client may be opened, which the policy
	// must allow too. nil: none may.
	Files func(u locus.URL) bool

	// Title is what pages call the gateway; empty: "Locus".
	Title string

	// Lobby is what the first page shows; nil: the schemes.
	Lobby []page.Section

	// Mail sends the letters that people write to mailto URLs; nil: they are written,
	// and not sent.
	Mail *Mail

	// TLS is the configuration for https; nil: that of package crypto/tls.
	TLS *tls.Config

	// Around is put between the gateway and the servers, as a cache is; nil: nothing.
	Around func(next http.RoundTripper) http.RoundTripper

	// Limits bound what clients can take.
	Limits Limits

	// Log is told of each request, without passwords; nil: nobody is.
	Log *slog.Logger
}

// Gateway is an [http.Handler] that shows what URLs of every scheme lead to. It may
// be used from many goroutines at once.
type Gateway struct {
	client   *access.Client
	options  Options
	names    map[string]bool
	connect  map[uint16]bool
	name     string // in Via: tells this gateway from others
	web      *http.Transport
	upstream http.RoundTripper
	limiter  *limiter
	metrics  metrics
	secret   [32]byte
	printer  *page.Printer
	assets   fs.FS
	letters  letters
	sessions sessions
}

var _ http.Handler = (*Gateway)(nil)

// New returns a gateway that opens URLs with c, whose policy holds for all that
// clients ask for: each of their URLs counts as found on the public Internet, so
// that policy.Rules.TypedPrivate means nothing here. o may be nil.
func New(c *access.Client, o *Options) (*Gateway, error) {
	g := &Gateway{client: c, names: make(map[string]bool), connect: make(map[uint16]bool)}
	if o != nil {
		g.options = *o
	}
	for _, name := range append([]string{"localhost"}, g.options.Names...) {
		if !locus.IsHost(name) {
			return nil, fmt.Errorf("gateway: %s is no name of a host", locus.Quote(name))
		}
		g.names[strings.ToLower(name)] = true
	}
	ports := g.options.ConnectPorts
	if ports == nil {
		ports = []uint16{443}
	}
	for _, n := range ports {
		g.connect[n] = true
	}
	rand.Read(g.secret[:])
	g.name = "locus-" + hex.EncodeToString(g.secret[:4])
	rand.Read(g.secret[:])
	g.limiter = newLimiter(g.options.Limits)
	g.printer = page.New(c.Registry(), g.site())
	g.assets = page.Assets()
	g.web = g.newWeb()
	g.upstream = g.newUpstream()
	if around := g.options.Around; around != nil {
		g.upstream = around(g.upstream)
	}
	return g, nil
}

// hangUp ends what is no more HTTP's: tunnels and terminals.
func (g *Gateway) hangUp() { g.sessions.close() }

// Close closes the connections that are kept for later. What is being shown goes on.
func (g *Gateway) Close() error {
	g.web.CloseIdleConnections()
	return nil
}

// ServeHTTP implements [http.Handler].
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := &recorder{ResponseWriter: w, begun: time.Now()}
	defer g.done(rec, r)
	if fault := malformed(r); fault != "" {
		g.fail(rec, r, http.StatusBadRequest, "syntax", fault)
		return
	}
	r = timed(rec, r)
	leave, ok := g.limiter.enter(clientOf(r))
	if !ok {
		rec.Header().Set("Retry-After", "1")
		g.fail(rec, r, http.StatusServiceUnavailable, "busy", "the gateway does as much as it may already; try again in a moment")
		return
	}
	defer leave()
	g.dispatch(rec, r)
}

// dispatch tells a proxy's request from one for the gateway itself.
func (g *Gateway) dispatch(w *recorder, r *http.Request) {
	switch {
	case g.wasHere(r.Header):
		g.fail(w, r, http.StatusLoopDetected, "denied", "this request has come by this gateway before")
	case r.Method == http.MethodConnect:
		w.kind = "connect"
		g.serveConnect(w, r)
	case r.RequestURI == "*" || strings.HasPrefix(r.RequestURI, "/"):
		g.serveOwn(w, r, r.RequestURI)
	default:
		g.serveProxy(w, r)
	}
}

// serveOwn answers a request for the gateway itself. target is the path and query,
// as they were written.
func (g *Gateway) serveOwn(w *recorder, r *http.Request, target string) {
	protect(w.Header())
	if !g.isOwnName(r, r.Host) {
		g.fail(w, r, http.StatusMisdirectedRequest, "denied",
			"this gateway has another name than "+locus.Quote(r.Host)+"; --name allows one")
		return
	}
	g.serveLocal(w, r, target)
}

// isOwnName reports whether host, perhaps with a port, is one that the gateway
// itself goes by: no other may be in a request for its pages, or a stranger's page
// could read them by having its own name lead here (DNS rebinding). An address is
// nobody's name.
func (g *Gateway) isOwnName(r *http.Request, host string) bool {
	if host == "" {
		return !r.ProtoAtLeast(1, 1)
	}
	name, _ := splitHost(host)
	if address, err := netip.ParseAddr(name); err == nil {
		address = address.Unmap()
		return address.IsLoopback() || address == localAddr(r).Addr()
	}
	return g.names[strings.ToLower(name)]
}

// isSelf reports whether host and port are those of the gateway.
func (g *Gateway) isSelf(r *http.Request, host string, port uint16) bool {
	local := localAddr(r)
	if port != local.Port() || !local.IsValid() {
		return false
	}
	host = strings.Trim(host, "[]")
	if address, err := netip.ParseAddr(host); err == nil {
		return address.Unmap().IsLoopback() || address.IsUnspecified() || address.Unmap() == local.Addr()
	}
	host = plainHost(host)
	return g.names[host] || strings.HasSuffix(host, ".localhost")
}

// base is the URL under which the client reaches the gateway, without a "/" at the
// end.
func (g *Gateway) base(r *http.Request) string {
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return scheme + cmp.Or(localAddr(r).String(), "localhost")
}
