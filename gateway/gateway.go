package gateway

import (
	"cmp"
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Options configure a [Gateway]. The zero Options are the default.
type Options struct {
	// Names are the host names of the gateway, besides loopback and the addresses that
	// it listens on. Requests for pages under another name are refused, because of DNS
	// rebinding.
	Names []string

	// Prefix is the path below which another server serves the gateway, such as "/old":
	//
	//	mux.Handle("/old/", http.StripPrefix("/old", g))
	//
	// Links, forms, cookies and terminals of pages stay below it. Without StripPrefix it is
	// the same. Names must have the names of that server. A gateway with a prefix is not a
	// proxy. Empty: the gateway has the whole server.
	Prefix string

	// ConnectPorts are the ports that CONNECT may connect to. nil: only 443. Empty and
	// not nil: none.
	ConnectPorts []uint16

	// Files reports whether clients may open a file URL, which the policy must allow
	// too. nil: they may open none.
	Files func(u locus.URL) bool

	// Lobby is the content of the home page. nil: the schemes.
	HomeSections []Section

	// Mail sends mail to mailto URLs. nil: mail can be written, but not sent.
	Mail *Mail

	// TLS configures https. nil: the defaults of package crypto/tls.
	TLS *tls.Config

	// Cache stores what servers answer. If nil, nothing is stored. The caller closes it, after
	// the gateway has answered its last request.
	Cache *cache.Store

	// Archive has what was kept, and is the Kept of the client. Pages then show when, and
	// lead to earlier and later ones (RFC 7089). nil: the gateway has none.
	Archive *archive.Store
	// Live is that of the client.
	Live bool

	Limits Limits

	// Health are checks for /healthz, besides those of Limits.
	Health []HealthCheck

	// Log gets an entry for each request, without passwords. nil: no log.
	Log *slog.Logger
}

// Section is a section of the home page.
type Section struct {
	Title, Text string
	Items       []scheme.Item
}

// Gateway is an [http.Handler] for resources of every scheme. It is safe for
// concurrent use.
type Gateway struct {
	client   *access.Client
	options  Options
	names    []string // in lower case
	name     string   // in Via; differs from other gateways
	web      webTransports
	limiter  *limiter
	metrics  *gatewayMetrics
	secret   [32]byte
	printer  *page.Printer
	messages messages
	sessions *sessions
	health   *health
}

var _ http.Handler = (*Gateway)(nil)

// New returns a gateway that opens URLs with c. The URLs of clients count as found on
// the public Internet, so that policy.Rules.TypedPrivate has no effect. o may be nil.
func New(c *access.Client, o *Options) (*Gateway, error) {
	g := &Gateway{client: c, sessions: newSessions()}
	if o != nil {
		g.options = *o
	}
	for _, name := range append([]string{"localhost"}, g.options.Names...) {
		if !locus.IsHost(name) {
			return nil, fmt.Errorf("gateway: invalid host name %s", locus.Quote(name))
		}
		g.names = append(g.names, strings.ToLower(name))
	}
	if p := g.options.Prefix; p != "" && (p[0] != '/' || p[len(p)-1] == '/' || !isStable(p) || !isClean(p) || strings.ContainsAny(p, "?#")) {
		return nil, fmt.Errorf("gateway: invalid prefix %s: write a path such as /old, without a final slash", locus.Quote(p))
	}
	if g.options.ConnectPorts == nil {
		g.options.ConnectPorts = []uint16{443}
	}
	rand.Read(g.secret[:])
	g.name = "locus-" + hex.EncodeToString(g.secret[:4])
	rand.Read(g.secret[:])
	g.limiter = newLimiter(g.options.Limits)
	g.metrics = newMetrics()
	g.health = newHealth(g.options.Health)
	g.printer = page.New(c.Registry(), g.site("", ""))
	g.web.tls, g.web.records = g.options.TLS, c.IsRecording()
	return g, nil
}

// Close closes idle connections. Requests under way continue.
func (g *Gateway) Close() error {
	g.web.closeIdle()
	return nil
}

// ServeHTTP implements [http.Handler].
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := &recorder{ResponseWriter: w, begun: time.Now()}
	defer g.done(rec, r)
	if g.options.Prefix != "" {
		// The deadline is not for other requests on the connection.
		defer http.NewResponseController(w).SetWriteDeadline(time.Time{})
	}
	if err := g.serve(rec, r); err != nil {
		g.fail(rec, r, err)
	}
}

// serve answers a request, or returns why it fails.
func (g *Gateway) serve(w *recorder, r *http.Request) error {
	if err := malformed(r); err != nil {
		return err
	}
	r = timed(w, r)
	if !g.asksHealth(r) {
		leave, ok := g.limiter.enter(clientOf(r))
		if !ok {
			return &problem{http.StatusServiceUnavailable, busy, "the gateway is at capacity; try again in a moment"}
		}
		defer leave()
	}
	switch {
	case g.wasHere(r.Header):
		return &problem{http.StatusLoopDetected, "denied", "the request has already passed through this gateway"}
	case g.options.Prefix != "":
		return g.serveOwn(w, r, g.below(r.RequestURI))
	case r.Method == http.MethodConnect:
		w.kind = "connect"
		return g.serveConnect(w, r)
	case r.RequestURI == "*" || strings.HasPrefix(r.RequestURI, "/"):
		return g.serveOwn(w, r, r.RequestURI)
	}
	return g.serveProxy(w, r)
}

// serveOwn answers a request for the gateway itself. target is the path and query as
// they were written.
func (g *Gateway) serveOwn(w *recorder, r *http.Request, target string) error {
	protect(w.Header())
	if !g.isOwnName(r, r.Host) {
		return &problem{http.StatusMisdirectedRequest, "denied",
			"unknown host name " + locus.Quote(r.Host) + ": the operator of the gateway can allow it"}
	}
	return g.serveLocal(w, r, target)
}

// below returns a request target without the prefix of the gateway, as a path and query.
func (g *Gateway) below(target string) string {
	if _, rest, ok := strings.Cut(target, "://"); ok && target[0] != '/' {
		// A proxy's client asks for the gateway's own server (RFC 9112 section 3.2.2).
		_, path, _ := strings.Cut(rest, "/")
		target = "/" + path
	}
	if rest, ok := strings.CutPrefix(target, g.options.Prefix); ok && (rest == "" || rest[0] == '/' || rest[0] == '?') {
		target = "/" + strings.TrimPrefix(rest, "/")
	}
	return target
}

// isOwnName reports whether host, with an optional port, names the gateway itself:
// otherwise a page elsewhere could read its pages by DNS rebinding. Addresses cannot be
// rebound.
func (g *Gateway) isOwnName(r *http.Request, host string) bool {
	if host == "" {
		return !r.ProtoAtLeast(1, 1)
	}
	name, _ := splitHost(host)
	if address, err := netip.ParseAddr(name); err == nil {
		address = address.Unmap()
		return address.IsLoopback() || address == localAddr(r).Addr()
	}
	return slices.Contains(g.names, strings.ToLower(name))
}

// isSelf reports whether host and port lead to the gateway.
func (g *Gateway) isSelf(r *http.Request, host string, port uint16) bool {
	local := localAddr(r)
	if port != local.Port() || !local.IsValid() {
		return false
	}
	host = policy.CanonicalHost(host)
	address, _ := netip.ParseAddr(strings.Trim(host, "[]"))
	return g.isOwnName(r, host) || address.IsUnspecified() || strings.HasSuffix(host, ".localhost")
}

// base returns the URL by which the client reaches the gateway, without a final "/".
func (g *Gateway) base(r *http.Request) string {
	return baseAt(r, cmp.Or(localAddr(r).String(), "localhost"))
}

func baseAt(r *http.Request, host string) string {
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return scheme + host
}
