package gateway_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/coder/websocket"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

// reload gives the server a client with other rules. The channel unused is closed when the former
// client has no more users.
func (w *fixture) reload(rules policy.Rules, o gateway.Options) (unused chan struct{}) {
	w.t.Helper()
	registry, err := all.Registry()
	if err != nil {
		w.t.Fatal(err)
	}
	p, err := policy.New(rules)
	if err != nil {
		w.t.Fatal(err)
	}
	client := access.New(registry, p, nil)
	w.t.Cleanup(func() { client.Close() })
	unused = make(chan struct{})
	if err := w.server.Reload(client, &o, func() { close(unused) }); err != nil {
		w.t.Fatal(err)
	}
	return unused
}

// slowServer is an HTTP server that sends a body in two parts.
type slowServer struct {
	path string // path of its page in the gateway
	next chan struct{}
}

const firstPart, secondPart = "the first part, ", "and the second"

func startSlow(t *testing.T) *slowServer {
	s := &slowServer{next: make(chan struct{})}
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Cache-Control", "max-age=600")
		w.Header().Set("Content-Length", fmt.Sprint(len(firstPart+secondPart)))
		io.WriteString(w, firstPart)
		http.NewResponseController(w).Flush()
		select {
		case <-s.next:
			io.WriteString(w, secondPart)
		case <-r.Context().Done():
		}
	}))
	t.Cleanup(far.Close)
	s.path = "/-/raw/http/" + strings.TrimPrefix(far.URL, "http://") + "/"
	return s
}

// begin requests the page and reads the first part.
func (s *slowServer) begin(w *fixture) io.ReadCloser {
	w.t.Helper()
	resp, err := w.http.Get(w.base + s.path)
	if err != nil {
		w.t.Fatal(err)
	}
	part := make([]byte, len(firstPart))
	if _, err := io.ReadFull(resp.Body, part); err != nil || string(part) != firstPart {
		w.t.Fatalf("%q %v", part, err)
	}
	return resp.Body
}

// After Reload, the new rules apply to new requests. A running transfer continues with the former
// client until the transfer has ended.
func TestReload(t *testing.T) {
	slow := startSlow(t)
	w := start(t, loopbackSetup)
	body := slow.begin(w)
	defer body.Close()
	unused := w.reload(policy.Rules{}, gateway.Options{})
	if a := w.get(slow.path); a.StatusCode != 403 {
		t.Errorf("%s %s, want status 403", a.Status, a.body)
	}
	select {
	case <-unused:
		t.Error("the former client counts as unused during a transfer")
	default:
	}
	close(slow.next)
	if rest, err := io.ReadAll(body); err != nil || string(rest) != secondPart {
		t.Errorf("%q %v, want %q", rest, err, secondPart)
	}
	<-unused
	// A client without users is unused at once.
	<-w.reload(loopbackSetup.rules, gateway.Options{})
	if a := w.get(slow.path); a.StatusCode != 200 {
		t.Errorf("%s %s, want status 200", a.Status, a.body)
	}
}

// A request of the new client may share a fetch that the former client began. The fetch ends
// before the former client is unused, although its first reader has gone.
func TestReloadSharedFetch(t *testing.T) {
	slow := startSlow(t)
	store, err := cache.Open(t.TempDir(), defaultRows(t), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer store.Close()
	s := loopbackSetup
	s.gateway.Cache = store
	w := start(t, s)
	first := slow.begin(w)
	unused := w.reload(loopbackSetup.rules, gateway.Options{Cache: store})
	second := slow.begin(w)
	defer second.Close()
	first.Close()
	close(slow.next)
	if rest, err := io.ReadAll(second); err != nil || string(rest) != secondPart {
		t.Errorf("%q %v, want %q", rest, err, secondPart)
	}
	<-unused
}

// Forms of pages from before the reload are valid, counts continue, and terminals stay open until
// the server shuts down.
func TestReloadSharesState(t *testing.T) {
	w, s, line := onWire(t)
	page := w.get("/mailto:fred@example.net", browser...)
	unused := w.reload(loopbackSetup.rules, gateway.Options{})
	a := w.exchange("POST", "/-/send", "url="+query("mailto:fred@example.net")+"&token="+field(t, page.body, "token"), "Content-Type", "application/x-www-form-urlencoded")
	if strings.Contains(a.body, "expired") || !strings.Contains(a.body, "no mail relay") && a.StatusCode != 200 {
		t.Errorf("%s %s", a.Status, a.body)
	}
	metrics := w.get("/metrics").body
	if !strings.Contains(metrics, `locus_gateway_requests_total{kind="page",scheme="mailto",status="200"} `) || !strings.Contains(metrics, "locus_gateway_terminals 1\n") {
		t.Errorf("%s", metrics)
	}
	s.send(websocket.MessageBinary, "still here\r")
	line.hears("still here")
	closed := make(chan error, 1)
	go func() { closed <- w.end() }()
	if end := s.toEnd(); !strings.Contains(end.Reason, "shutting down") {
		t.Errorf("%v, %s", end, s.all())
	}
	if err := <-closed; err != nil {
		t.Error(err)
	}
	<-unused
}

func TestReloadInvalid(t *testing.T) {
	w := start(t, loopbackSetup)
	client := access.New(w.rows, policy.Policy{}, nil)
	defer client.Close()
	err := w.server.Reload(client, &gateway.Options{Names: []string{"no name"}}, func() { t.Error("unused") })
	if err == nil || !strings.Contains(err.Error(), "no name") {
		t.Errorf("%v", err)
	}
	if a := w.get("/readyz"); a.StatusCode != 200 {
		t.Errorf("%s", a.Status)
	}
}

// unwrapping is a ResponseWriter that middleware uses.
type unwrapping struct{ http.ResponseWriter }

func (u unwrapping) Unwrap() http.ResponseWriter { return u.ResponseWriter }

// Middleware sees every request, including requests of proxy clients and terminals. ErrorLog
// receives a panic of middleware as one line without passwords.
func TestMiddleware(t *testing.T) {
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { io.WriteString(w, "far") }))
	defer far.Close()
	errs := new(safeBuffer)
	s := loopbackSetup
	s.server = gateway.ServerOptions{
		Middleware: func(next http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.Header.Get("X-Panic") != "":
					panic(errors.New("ftp://fred:hunter2@h/\x1b[2J" + r.Header.Get("X-Panic")))
				case r.Header.Get("X-Key") != "right":
					http.Error(w, "no key", http.StatusUnauthorized)
				default:
					next.ServeHTTP(unwrapping{w}, r)
				}
			})
		},
		ErrorLog: slog.New(slog.NewJSONHandler(errs, nil)),
	}
	w := start(t, s)
	for path, body := range map[string]string{"/livez": healthy, far.URL + "/": "far"} {
		if a := w.proxied("GET", path, "X-Key", "right", "Host", "localhost"); a.StatusCode != 200 || a.body != body {
			t.Errorf("%s: %s %s", path, a.Status, a.body)
		}
		if a := w.proxied("GET", path, "Host", "localhost"); a.StatusCode != 401 {
			t.Errorf("%s: %s %s, want status 401", path, a.Status, a.body)
		}
	}
	server, err := telnettest.StartTelnet(nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	conn, _, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(w.base, "http")+"/-/terminal?url="+query("telnet://"+server.Addr()+"/"), &websocket.DialOptions{
		HTTPHeader: http.Header{"Origin": {w.base}, "X-Key": {"right"}}, Subprotocols: []string{"locus.terminal.2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	conn.Close(websocket.StatusNormalClosure, "")
	if text := w.raw("GET / HTTP/1.0\r\nX-Panic: a\r\n\r\n"); text != "" {
		t.Errorf("%q, want no response", text)
	}
	if log := errs.String(); strings.Count(log, "\n") != 1 || strings.Contains(log, "hunter2") || strings.Contains(log, `\u001b`) || !strings.Contains(log, "ftp://fred:***@h/") {
		t.Errorf("%s", log)
	}
}

// A client of a Unix socket addresses the gateway as localhost or by a name of the gateway, and
// counts as a client on this machine.
func TestUnixSocket(t *testing.T) {
	file := filepath.Join(t.TempDir(), "s")
	inside, leave := make(chan struct{}), make(chan struct{})
	far := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		inside <- struct{}{}
		<-leave
	}))
	defer far.Close()
	s := loopbackSetup
	s.listen = func() (net.Listener, error) { return net.Listen("unix", file) }
	s.gateway.Names = []string{"gw.example"}
	s.gateway.Limits.PerClient = 1
	w := start(t, s)
	transport := &http.Transport{DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", file)
	}}
	defer transport.CloseIdleConnections()
	w.base, w.http = "http://localhost", &http.Client{Transport: transport, CheckRedirect: w.http.CheckRedirect}
	for host, status := range map[string]int{"localhost": 200, "gw.example": 200, "127.0.0.1": 200, "192.0.2.1": 421, "other.example": 421} {
		if a := w.get("/livez", "Host", host); a.StatusCode != status {
			t.Errorf("%s: %s, want status %d", host, a.Status, status)
		}
	}
	done := make(chan answer)
	for range 2 {
		go func() { done <- w.get("/-/raw/http/" + strings.TrimPrefix(far.URL, "http://") + "/") }()
	}
	for range 2 {
		<-inside
	}
	close(leave)
	for range 2 {
		if a := <-done; a.StatusCode != 200 {
			t.Errorf("%s %s", a.Status, a.body)
		}
	}
	// A link to the gateway itself contains the name of the gateway.
	conn, err := net.Dial("unix", file)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	io.WriteString(conn, "GET gopher://127.0.0.1:1/ HTTP/1.0\r\nAccept: text/html\r\n\r\n")
	if page, err := io.ReadAll(conn); err != nil || !bytes.Contains(page, []byte("http://localhost/-/")) || bytes.Contains(page, []byte("invalid AddrPort")) {
		t.Errorf("%v %s", err, page)
	}
}
