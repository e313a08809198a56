package main

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coder/websocket"

	"github.com/locus-url/locus/internal/tour"
)

// client is what one request of the load needs. It is used by one goroutine.
type client struct {
	*town
	ctx    context.Context
	random *rand.Rand
}

// load is a kind of request.
type load struct {
	name   string
	weight int
	run    func(c *client) error // the error: the gateway did not answer as it should
}

// loads are the kinds of requests, with how many of each begin among all.
var loads = []load{
	{"page", 24, func(c *client) error { return c.visit("/?url=", "text/html") }},
	{"raw", 12, func(c *client) error { return c.visit("/-/raw?url=", "*/*") }},
	{"api", 10, func(c *client) error { return c.visit("/api/get?url=", "application/json") }},
	{"own page", 6, (*client).ownPage},
	{"proxy", 12, (*client).proxied},
	{"tunnel", 4, (*client).tunnel},
	{"form", 4, (*client).form},
	{"letter", 2, (*client).letter},
	{"terminal", 3, (*client).terminal},
	{"terminal left", 2, (*client).terminalLeft},
	{"new host", 8, (*client).newHost},
	{"aborted", 10, (*client).aborted},
	{"slow reader", 2, (*client).slowReader},
	{"slow writer", 2, (*client).slowWriter},
	{"garbage", 6, (*client).garbage},
	{"hostile server", 10, (*client).hostile},
}

// patience is how long the gateway may take for an answer that does not wait for a
// hostile server.
const patience = time.Minute

// get sends a GET request and reads the answer.
func (c *client) get(target, accept string) (status int, body string, err error) {
	return c.do(http.MethodGet, target, accept, nil)
}

func (c *client) do(method, target, accept string, form url.Values) (status int, body string, err error) {
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.base+target, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, "", err
	}
	req.Header.Set("Accept", accept)
	if form != nil {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Origin", c.base)
	}
	resp, err := c.http.Do(req)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}

func (c *client) stop() tour.Stop { return c.stops[c.random.IntN(len(c.stops))] }

// visit asks for a stop of the tour in one of the forms that the gateway has.
func (c *client) visit(form, accept string) error {
	stop := c.stop()
	status, _, err := c.get(form+url.QueryEscape(stop.URL.String()), accept)
	return c.judge(status, err, stop)
}

// judge returns why an answer about a stop is wrong. Resources without octets, such as
// sessions and letters, have no raw form: that is a status of the 400s, or 501.
func (c *client) judge(status int, err error, stop tour.Stop) error {
	switch {
	case err != nil:
		return err
	case status >= 500 && status != http.StatusNotImplemented:
		return fmt.Errorf("%s: status %d", stop.Name, status)
	}
	return nil
}

// ownPage asks for a page of the gateway itself.
func (c *client) ownPage() error {
	own := []string{"/", "/healthz", "/metrics", "/api/openapi.json", "/api/schemes", "/-/schemes", "/api/parse?url=" + url.QueryEscape(c.stop().URL.String()),
		"/-/lens?url=" + url.QueryEscape(c.stop().URL.String()), "/-/explain?url=" + url.QueryEscape(c.stop().URL.String()), "/robots.txt", "/favicon.ico"}
	path := own[c.random.IntN(len(own))]
	status, _, err := c.get(path, "*/*")
	if err == nil && status >= 500 {
		err = fmt.Errorf("%s: status %d", path, status)
	}
	return err
}

// dial connects to the gateway.
func (c *client) dial() (net.Conn, error) {
	conn, err := dialFrom(c.ctx, c.address)
	if err == nil {
		conn.SetDeadline(time.Now().Add(patience))
	}
	return conn, err
}

// proxied asks for a stop as a proxy's client does.
func (c *client) proxied() error {
	conn, err := c.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	stop := c.stop()
	accept := []string{"text/html", "text/plain", "*/*"}[c.random.IntN(3)]
	fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: tour.example\r\nAccept: %s\r\nConnection: close\r\n\r\n", stop.URL.WithoutFragment(), accept)
	resp, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	return c.judge(resp.StatusCode, err, stop)
}

// tunnel asks a server of the tour for a page through a tunnel.
func (c *client) tunnel() error {
	conn, err := c.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	fmt.Fprintf(conn, "CONNECT %s HTTP/1.1\r\nHost: %[1]s\r\n\r\n", c.secure)
	resp, err := http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: http.MethodConnect})
	if err != nil {
		return err
	}
	if resp.StatusCode != http.StatusOK {
		return fmt.Errorf("CONNECT: %s", resp.Status)
	}
	inner := tls.Client(conn, c.trust)
	if c.random.IntN(4) == 0 {
		return nil // leaves a tunnel that nothing was sent through
	}
	fmt.Fprintf(inner, "GET / HTTP/1.0\r\nHost: %s\r\n\r\n", c.secure)
	text, err := io.ReadAll(inner)
	if err == nil && !strings.HasPrefix(string(text), "HTTP/1.") {
		err = fmt.Errorf("through a tunnel: %.40q", text)
	}
	return err
}

// field returns the value of a field of a form in a page.
func field(body, name string) string {
	_, rest, _ := strings.Cut(body, `name="`+name+`" value="`)
	value, _, _ := strings.Cut(rest, `"`)
	return strings.NewReplacer("&amp;", "&", "&#43;", "+", "&#39;", "'", "&#34;", `"`).Replace(value)
}

// form fills in a form of the tour, or sends it with another token.
func (c *client) form() error {
	stop := c.forms[c.random.IntN(len(c.forms))]
	status, body, err := c.get("/?url="+url.QueryEscape(stop.URL.String()), "text/html")
	if err := c.judge(status, err, stop); err != nil {
		return err
	}
	values := url.Values{"url": {stop.URL.String()}, "token": {field(body, "token")}}
	for i, answer := range stop.Answers {
		values.Set(fmt.Sprintf("f%d", i), answer)
	}
	if c.random.IntN(4) == 0 {
		values.Set("token", "0123456789abcdef0123456789abcdef")
	}
	status, _, err = c.do(http.MethodPost, "/-/submit", "text/html", values)
	return c.judge(status, err, stop)
}

// letter writes a letter, looks at its preview, and perhaps sends it.
func (c *client) letter() error {
	stop := c.letters[c.random.IntN(len(c.letters))]
	status, body, err := c.get("/?url="+url.QueryEscape(stop.URL.String()), "text/html")
	if err := c.judge(status, err, stop); err != nil {
		return err
	}
	values := url.Values{"url": {stop.URL.String()}, "token": {field(body, "token")}, "to": {"keeper@museum.example"},
		"subject": {fmt.Sprint("soak ", c.random.Uint64())}, "body": {strings.Repeat("A line.\r\n", c.random.IntN(100))}, "step": {"show"}}
	for range 1 + c.random.IntN(2) {
		if status, _, err = c.do(http.MethodPost, "/-/send", "text/html", values); err != nil || status >= 500 {
			return c.judge(status, err, stop)
		}
		values.Set("step", "send")
	}
	return nil
}

// openTerminal opens a session of the tour in a terminal, and reads its first screen.
func (c *client) openTerminal() (*websocket.Conn, error) {
	ctx, cancel := context.WithTimeout(c.ctx, patience)
	defer cancel()
	stop := c.sessions[c.random.IntN(len(c.sessions))]
	conn, _, err := websocket.Dial(ctx, c.base+"/-/terminal?url="+url.QueryEscape(stop.URL.String()), &websocket.DialOptions{
		HTTPClient: c.http, HTTPHeader: http.Header{"Origin": {c.base}}, Subprotocols: []string{"locus.terminal.2"},
	})
	if err != nil {
		return nil, err
	}
	for {
		kind, _, err := conn.Read(ctx)
		if err != nil || kind == websocket.MessageBinary {
			if websocket.CloseStatus(err) == websocket.StatusTryAgainLater {
				err = errMany
			}
			return conn, err
		}
	}
}

// errMany is the gateway's answer when too many terminals are open. It is as it should be.
var errMany = errors.New("too many terminals")

// terminal types in a terminal, and says goodbye.
func (c *client) terminal() error {
	conn, err := c.openTerminal()
	if conn != nil {
		defer conn.CloseNow()
	}
	if err != nil {
		return ignoreMany(err)
	}
	for _, text := range []string{`{"window":[100,30]}`, `{"unknown":1}`} {
		conn.Write(c.ctx, websocket.MessageText, []byte(text))
	}
	for _, text := range []string{"help\r", "guest\r", "welcome\r", "\x03", "bye\r"} {
		if conn.Write(c.ctx, websocket.MessageBinary, []byte(text)) != nil {
			return nil // the service has ended the session
		}
	}
	return conn.Close(websocket.StatusNormalClosure, "")
}

// terminalLeft opens a terminal and leaves it without a word, perhaps after a while.
func (c *client) terminalLeft() error {
	conn, err := c.openTerminal()
	if conn != nil {
		defer conn.CloseNow()
	}
	if err != nil {
		return ignoreMany(err)
	}
	select {
	case <-c.ctx.Done():
	case <-time.After(time.Duration(c.random.Int64N(int64(5 * c.wait)))):
	}
	return nil
}

func ignoreMany(err error) error {
	if err == errMany {
		return nil
	}
	return err
}

// newHost asks for a page of a host, and at a path, that nothing has asked for before.
func (c *client) newHost() error {
	_, port, _ := net.SplitHostPort(c.web)
	u := fmt.Sprintf("http://h%x.example:%s/p%x?q=%x", c.random.Uint64(), port, c.random.Uint64(), c.random.Uint64())
	status, _, err := c.get("/-/raw?url="+url.QueryEscape(u), "*/*")
	if err == nil && status >= 500 {
		err = fmt.Errorf("a new host: status %d", status)
	}
	return err
}

// aborted cancels a request within 30 ms.
func (c *client) aborted() error {
	ctx, cancel := context.WithTimeout(c.ctx, time.Duration(c.random.Int64N(int64(30*time.Millisecond))))
	defer cancel()
	with := *c
	with.ctx = ctx
	err := []func() error{
		func() error { return with.visit("/?url=", "text/html") },
		func() error { return with.visit("/-/raw?url=", "*/*") },
		with.newHost, with.hostile, with.tunnel, with.terminal, with.form,
	}[c.random.IntN(7)]()
	if ctx.Err() != nil {
		return nil
	}
	return err
}

// slowReader asks for much, reads a little of it now and then, and hangs up.
func (c *client) slowReader() error {
	conn, err := c.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	conn.(*net.TCPConn).SetReadBuffer(4 << 10)
	fmt.Fprintf(conn, "GET /-/raw?url=%s HTTP/1.1\r\nHost: %s\r\n\r\n", url.QueryEscape(c.large.String()), c.address)
	piece := make([]byte, 1<<10)
	for range 10 {
		if _, err := conn.Read(piece); err != nil {
			return err
		}
		if !c.pause(c.wait / 10) {
			return nil
		}
	}
	return nil
}

// slowWriter sends a head byte by byte, and hangs up.
func (c *client) slowWriter() error {
	conn, err := c.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	for _, octet := range []byte("GET / HTTP/1.1\r\nHost") {
		if _, err := conn.Write([]byte{octet}); err != nil {
			return nil // the gateway may lose patience
		}
		if !c.pause(c.wait / 10) {
			return nil
		}
	}
	return nil
}

func (c *client) pause(d time.Duration) (ok bool) {
	select {
	case <-c.ctx.Done():
		return false
	case <-time.After(d):
		return true
	}
}

// rubbish are requests that the gateway must refuse, or never gets whole.
var rubbish = []string{
	"", "\r\n\r\n", "GET", "GET / HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n", "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
	"POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\nGET /metrics HTTP/1.1\r\n\r\n",
	"POST /api/check HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\nhalf", "GET http://[::1/ HTTP/1.1\r\nHost: x\r\n\r\n",
	"CONNECT 127.0.0.1:22 HTTP/1.1\r\nHost: x\r\n\r\n", "GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
	"GET /?url=gopher://h/%0d%0a HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX: " + strings.Repeat("x", 128<<10) + "\r\n\r\n",
	"GET / HTTP/1.1\r\n" + strings.Repeat("X: y\r\n", 20_000) + "\r\n", "GET /" + strings.Repeat("a/", 64<<10) + " HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
}

// garbage sends what is not a request, and closes its side or hangs up.
func (c *client) garbage() error {
	conn, err := c.dial()
	if err != nil {
		return err
	}
	defer conn.Close()
	text := rubbish[c.random.IntN(len(rubbish))]
	if text == "" {
		text = string(randomOctets(c.random))
	}
	if _, err := io.WriteString(conn, text); err != nil || c.random.IntN(2) == 0 {
		return nil
	}
	conn.(*net.TCPConn).CloseWrite()
	io.Copy(io.Discard, conn)
	return nil
}

func randomOctets(random *rand.Rand) []byte {
	octets := make([]byte, 1+random.IntN(4<<10))
	for i := range octets {
		octets[i] = byte(random.Uint32())
	}
	return octets
}

// hostile asks for a URL of any scheme at a server that is hostile. Any answer is right,
// but there must be one.
func (c *client) hostile() error {
	address := c.enemies.addresses[c.random.IntN(len(c.enemies.addresses))]
	u := c.names[c.random.IntN(len(c.names))] + "://" + address + "/1x"
	form := []string{"/?url=", "/-/raw?url=", "/api/get?url="}[c.random.IntN(3)]
	_, _, err := c.get(form+url.QueryEscape(u), "*/*")
	if err != nil && strings.Contains(err.Error(), "EOF") {
		err = nil // an answer that had begun was broken off
	}
	return err
}
