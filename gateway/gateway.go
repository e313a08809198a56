package gateway

import (
	"crypto/rand"
	"crypto/tls"
	"encoding/hex"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/gateway/internal/page"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Options configures a [Gateway]. The zero Options selects the defaults.
type Options struct {
	// Names lists the host names of the gateway, besides localhost and the addresses that
	// it listens on. To prevent DNS rebinding, the gateway rejects requests for pages under
	// any other name.
	Names []string

	// Prefix is the path below which another server serves the gateway. The other server
	// mounts the gateway at this path, as in the following example.
	//
	//	mux.Handle("/old/", http.StripPrefix("/old", g))
	//
	// Links, forms, cookies and terminals of pages stay below the prefix. The gateway
	// accepts requests with or without StripPrefix. The Names option must include the host
	// names of the other server. A gateway with a prefix does not serve as a proxy. If
	// Prefix is empty, the gateway serves all paths.
	Prefix string

	// ConnectPorts lists the ports that CONNECT may connect to. If the list is nil, only
	// port 443 is allowed. If the list is empty but not nil, no port is allowed.
	ConnectPorts []uint16

	// Files reports whether clients may open a file URL. The policy must allow the URL,
	// too. If Files is nil, clients may not open file URLs.
	Files func(u locus.URL) bool

	// HomeSections is the content of the home page. If HomeSections is empty, the home page
	// lists the schemes.
	HomeSections []Section

	// Mail configures sending mail to mailto URLs. If Mail is nil, users can write
	// messages but can't send them.
	Mail *Mail

	// TLS configures connections to https servers. If TLS is nil, the defaults of package
	// crypto/tls apply.
	TLS *tls.Config

	// Cache stores responses of servers. If Cache is nil, the gateway stores nothing. The
	// caller must close the cache after the last request has ended.
	Cache *cache.Store

	// Archive contains archived resources. The access client must use the same archive.
	// Pages of archived resources show the capture time and link to earlier and later
	// captures (RFC 7089). If Archive is nil, the gateway uses no archive.
	Archive *archive.Store
	// Live must equal the Live option of the client. If Live is true and the archive does
	// not contain a URL, the gateway requests the URL from its server.
	Live bool

	Limits Limits

	// Recorder is the recorder of the access client. The metrics include its counts.
	// Recorder may be nil.
	Recorder *archive.Recorder

	// Metrics writes additional metrics for /metrics, in the text format of Prometheus. The names
	// of these metrics must not begin with "locus_gateway_". Metrics may be nil.
	Metrics func(w io.Writer)

	// Health lists checks for /healthz, in addition to the checks of Limits.
	Health []HealthCheck

	// Log receives an entry for each request, without passwords. If Log is nil, the gateway
	// writes no log.
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
	*state
	client  *access.Client
	options Options
	names   []string // in lower case
	web     webTransports
	limiter *limiter
	printer *page.Printer
	health  *health
}

// state is the data that [Server.Reload] passes from the old gateway to the new gateway. So pages,
// forms, terminals and counts of the old gateway stay valid.
type state struct {
	name     string   // unique name of this gateway in the header Via
	secret   [32]byte // key for signing the tokens of forms
	usage    *usage
	metrics  *gatewayMetrics
	messages messages
	sessions *sessions
	draining atomic.Bool // the server is shutting down
}

var _ http.Handler = (*Gateway)(nil)

// New returns a gateway that opens URLs with the client c. URLs from clients of the gateway
// count as found on the public Internet, so policy.Rules.TypedPrivate has no effect. If o
// is nil, New uses the defaults.
func New(c *access.Client, o *Options) (*Gateway, error) {
	s := &state{usage: newUsage(), sessions: newSessions()}
	s.metrics = newMetrics(func(name string) bool {
		_, ok := c.Registry().Lookup(name)
		return ok
	})
	rand.Read(s.secret[:])
	s.name = "locus-" + hex.EncodeToString(s.secret[:4])
	rand.Read(s.secret[:])
	return newGateway(s, c, o)
}

func newGateway(s *state, c *access.Client, o *Options) (*Gateway, error) {
	g := &Gateway{state: s, client: c}
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
	g.limiter = newLimiter(g.options.Limits, s.usage)
	g.health = newHealth(g.options.Health)
	g.printer = page.New(c.Registry(), g.site("", ""))
	g.web.tls, g.web.records = g.options.TLS, c.IsRecording()
	return g, nil
}

// Close closes idle connections. Running requests continue.
func (g *Gateway) Close() error {
	g.web.closeIdle()
	return nil
}

// ServeHTTP implements [http.Handler].
func (g *Gateway) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	rec := &recorder{ResponseWriter: w, begun: time.Now()}
	defer g.logRequest(rec, r)
	if g.options.Prefix != "" {
		// The server may reuse the connection for its own requests. The deadline must not apply to
		// these requests.
		defer http.NewResponseController(w).SetWriteDeadline(time.Time{})
	}
	if err := g.serve(rec, r); err != nil {
		g.fail(rec, r, err)
	}
}

// serve responds to a request. If serve can't respond, it returns an error for
// [Gateway.fail].
func (g *Gateway) serve(w *recorder, r *http.Request) error {
	if err := checkMalformed(r); err != nil {
		return err
	}
	r = withBodyDeadline(w, r)
	if !g.asksHealth(r) {
		leave, ok := g.limiter.enter(clientOf(r))
		if !ok {
			return &problem{http.StatusServiceUnavailable, kindBusy, "the gateway is at capacity; try again in a moment"}
		}
		defer leave()
	}
	switch {
	case g.wasHere(r.Header):
		return &problem{http.StatusLoopDetected, "denied", "the request has already passed through this gateway"}
	case g.options.Prefix != "":
		return g.serveOwn(w, r, g.trimPrefix(r.RequestURI))
	case r.Method == http.MethodConnect:
		w.kind = "connect"
		return g.serveConnect(w, r)
	case r.RequestURI == "*" || strings.HasPrefix(r.RequestURI, "/"):
		return g.serveOwn(w, r, r.RequestURI)
	}
	return g.serveProxy(w, r)
}

// serveOwn responds to a request for the gateway itself. The parameter target is the path
// and query exactly as the client sent them.
func (g *Gateway) serveOwn(w *recorder, r *http.Request, target string) error {
	protect(w.Header())
	if !g.isOwnName(r, r.Host) {
		return &problem{http.StatusMisdirectedRequest, "denied",
			"unknown host name " + locus.Quote(r.Host) + ": the operator of the gateway can allow it"}
	}
	return g.serveLocal(w, r, target)
}

// trimPrefix returns the path and query in a request target, without the prefix of the gateway.
func (g *Gateway) trimPrefix(target string) string {
	if _, rest, ok := strings.Cut(target, "://"); ok && target[0] != '/' {
		// The client sent a proxy request for the gateway itself (RFC 9112 section 3.2.2).
		_, path, _ := strings.Cut(rest, "/")
		target = "/" + path
	}
	if rest, ok := strings.CutPrefix(target, g.options.Prefix); ok && (rest == "" || rest[0] == '/' || rest[0] == '?') {
		target = "/" + strings.TrimPrefix(rest, "/")
	}
	return target
}

// isOwnName reports whether host, with an optional port, is a name or address of the
// gateway itself. Without this check, a page of another site could use DNS rebinding to
// read pages of the gateway. DNS rebinding is not possible if host is an IP address.
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

// isSelf reports whether host and port are an address on which the gateway listens.
func (g *Gateway) isSelf(r *http.Request, host string, port uint16) bool {
	local := localAddr(r)
	if port != local.Port() || !local.IsValid() {
		return false
	}
	host = policy.CanonicalHost(host)
	address, _ := netip.ParseAddr(strings.Trim(host, "[]"))
	return g.isOwnName(r, host) || address.IsUnspecified() || strings.HasSuffix(host, ".localhost")
}

// base returns the URL of the gateway that the client uses, without a final "/".
func (g *Gateway) base(r *http.Request) string {
	if local := localAddr(r); local.IsValid() {
		return baseAt(r, local.String())
	}
	return baseAt(r, "localhost") // the connection may be a Unix socket
}

func baseAt(r *http.Request, host string) string {
	scheme := "http://"
	if r.TLS != nil {
		scheme = "https://"
	}
	return scheme + host
}
