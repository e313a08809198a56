package gateway_test

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A client that closes its side after its requests gets all responses, even slow ones, from
// the proxy and from pages, for one request and for several.
func TestHalfClose(t *testing.T) {
	asked, release := make(chan bool, 10), make(chan bool)
	far := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/slow" {
			asked <- true
			select {
			case <-release:
			case <-r.Context().Done():
				t.Error("the request was cancelled")
			}
		}
		io.WriteString(w, "here "+r.URL.Path)
	}))
	defer far.Close()
	w := start(t, loopbackSetup)
	host := strings.TrimPrefix(far.URL, "http://")
	for _, c := range []struct {
		sent string
		want []string
	}{
		{"GET " + far.URL + "/slow HTTP/1.1\r\nHost: " + host + "\r\n\r\n", []string{"here /slow"}},
		{"GET " + far.URL + "/slow HTTP/1.0\r\n\r\n", []string{"here /slow"}},
		{"GET /-/raw/http/" + host + "/slow HTTP/1.1\r\nHost: localhost\r\n\r\n", []string{"here /slow"}},
		{"GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\nGET " + far.URL + "/slow HTTP/1.1\r\nHost: " + host + "\r\n\r\n", []string{healthy, "here /slow"}},
		{"GET " + far.URL + "/slow HTTP/1.1\r\nHost: " + host + "\r\n\r\nGET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n", []string{"here /slow", healthy}},
	} {
		conn, err := net.Dial("tcp", w.addr)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, c.sent)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		<-asked
		// The gateway reads EOF long before it can write the response, or at this time. It
		// must respond in both cases.
		release <- true
		r := bufio.NewReader(conn)
		for _, want := range c.want {
			resp, err := http.ReadResponse(r, nil)
			if err != nil {
				t.Fatalf("%q: %v", c.sent, err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || string(body) != want {
				t.Errorf("%q: %q %v", c.sent, body, err)
			}
		}
		// Then the gateway closes the connection immediately, not after a timeout.
		conn.SetReadDeadline(time.Now().Add(45 * time.Second))
		if rest, err := io.ReadAll(r); err != nil || len(rest) > 0 {
			t.Errorf("%q: then %q %v", c.sent, rest, err)
		}
		conn.Close()
	}
}

// The gateway does not respond to an incomplete request, and does not wait for the rest.
func TestHalfRequest(t *testing.T) {
	w := start(t, loopbackSetup)
	for _, sent := range []string{"", "GET", "GET / HTTP/1.1\r\nHost: localhost\r\n", "POST /api/parse HTTP/1.1\r\nHost: localhost\r\nContent-Length: 10\r\n\r\nabc"} {
		conn, err := net.Dial("tcp", w.addr)
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(conn, sent)
		if err := conn.(*net.TCPConn).CloseWrite(); err != nil {
			t.Fatal(err)
		}
		conn.SetReadDeadline(time.Now().Add(45 * time.Second))
		if answer, err := io.ReadAll(conn); err != nil || strings.Contains(string(answer), " 200 ") {
			t.Errorf("%q: %q %v", sent, answer, err)
		}
		conn.Close()
	}
}

// Proxy clients append search words for a gopher index after "?", as for HTTP.
func TestProxySearch(t *testing.T) {
	heard := make(chan string, 100)
	addr := listen(t, func(c net.Conn) {
		line, _ := bufio.NewReader(c).ReadString('\n')
		heard <- line
		io.WriteString(c, "0found\tx\th.example\t70\r\n.\r\n")
	})
	w := start(t, loopbackSetup)
	for path, want := range map[string]string{
		"7find?two+words":   "find\ttwo words\r\n",
		"7find?a%2Bb":       "find\ta+b\r\n",
		"7find%09two":       "find\ttwo\r\n",
		"7fi?nd%09two":      "fi?nd\ttwo\r\n",
		"1menu?two+words":   "menu?two+words\r\n",
		"7/dir/find?x%20?y": "/dir/find\tx ?y\r\n",
	} {
		for _, kind := range [][]string{{}, browser} {
			a := w.proxied("GET", "gopher://"+addr+"/"+path, kind...)
			// The gateway may request attributes first. All requests arrived before the
			// response.
			got := ""
			for len(heard) > 0 {
				got = <-heard
			}
			if got != want || a.StatusCode != 200 {
				t.Errorf("%s: the server got %q last: %s", path, got, a.Status)
			}
		}
	}
	// In URLs of pages, "?" is a part of the selector, as in RFC 1738. For an index without
	// words, the gateway shows a form and sends no request.
	a := w.get("/-/raw/gopher/" + addr + "/7find%3Fx")
	if a.StatusCode != 200 || len(heard) > 0 || !strings.Contains(a.body, `/7find%3Fx","kind":"menu","form":`) {
		t.Errorf("%s: %q", a.Status, a.body)
	}
}

// A client that accepts none of the formats of menus gets an error.
func TestMenuNotAcceptable(t *testing.T) {
	addr := listen(t, func(c net.Conn) {
		bufio.NewReader(c).ReadString('\n')
		io.WriteString(c, "0found\tx\th.example\t70\r\n.\r\n")
	})
	w := start(t, loopbackSetup)
	for accept, want := range map[string]int{"image/png": 406, "image/*, text/gemini": 406, "image/png, text/plain;q=0.1": 200, "*/*": 200, "application/json": 200, "text/*": 200, "application/json;q=0, text/plain;q=0, */*": 200} {
		a := w.proxied("GET", "gopher://"+addr+"/1", "Accept", accept)
		if a.StatusCode != want || want == 406 && !strings.Contains(a.body, "text/html, application/json and text/plain") {
			t.Errorf("%s: %s %s", accept, a.Status, a.body)
		}
	}
}
