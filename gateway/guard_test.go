package gateway

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
)

const end = "\r\n\r\n"

// The guard rejects an ambiguous request before its header is complete.
func TestGuard(t *testing.T) {
	for _, octets := range []string{
		"GET / HTTP/1.1\r\nHost: h" + end,
		"\r\nGET / HTTP/1.1\r\nHost: h" + end,
		"GET / HTTP/1.0" + end,
		"GET gopher://h/1 HTTP/1.0" + end,
		"GET gopher://h/1 HTTP/1.1\r\nHost: proxy:1738" + end,
		"GET http://h:80/ HTTP/1.1\r\nHost: h" + end,
		"GET http://u@H/ HTTP/1.1\r\nHost: h:80" + end,
		"GET http://h/ HTTP/1.1\r\nHost: other" + end,
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4" + end + "abcdGET / HTTP/1.1\r\nHost: h" + end,
		"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: Chunked" + end + "3;ext=1\r\nabc\r\nA\r\n0123456789\r\n0\r\nTrailer: x\r\n\r\nGET / HTTP/1.1\r\nHost: h" + end,
		"CONNECT h:443 HTTP/1.1\r\nHost: h:443" + end + "\x00\n\n whatever",
		"GET / HTTP/1.1\r\nHost: h\r\nUpgrade: websocket" + end + "\x81\x00\n",
	} {
		for size := range len(octets) {
			if passed, err := passAll(octets, size+1); err != nil || passed != octets {
				t.Errorf("in pieces of %d: %q, %v", size+1, passed, err)
			}
		}
	}
	for _, octets := range slices.Concat(ambiguous, unbounded) {
		passed, err := passAll(octets, len(octets))
		if !errors.Is(err, errRefused) {
			t.Errorf("%.200q passes", octets)
		}
		if strings.HasSuffix(passed, end) {
			t.Errorf("%.200q: the head passes whole", octets)
		}
		if again, err := passAll(octets, 1); again != passed || !errors.Is(err, errRefused) {
			t.Errorf("%.200q: octet by octet %.200q passes", octets, again)
		}
	}
}

// ambiguous lists requests that package net/http passes to a handler, but that other
// programs might read differently, or that exceed the limits of the gateway.
var ambiguous = []string{
	"GET /" + strings.Repeat("a", maxHead) + " HTTP/1.1\r\nHost: h" + end,
	"GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n folded" + end,
	"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked" + end,
	"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nContent-Length: 4" + end,
	"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Length: 4" + end,
	"POST / HTTP/1.0\r\nTransfer-Encoding: chunked" + end,
	"GET / HTTP/1.1\r\nHost: h\r\nA: b\r\n\tfolded" + end,
	"GET / HTTP/1.1\nHost: h\n\n",
	"GET / HTTP/1.1\r\nHost: h\nA: b" + end,
}

// badChunks lists bodies that package net/http rejects, or that other programs might
// delimit differently.
var badChunks = []string{
	"3\r\nabcd\r\n",
	"3\nabc\r\n0\r\n\r\n",
	"-1\r\n",
	"+1\r\n",
	"\r\n",
	"fffffffffffffffff\r\n",
	"1" + strings.Repeat(";x", 1<<10) + "\r\n",
	"0\r\nA: b\r\n folded\r\n\r\n",
	"0\r\n" + strings.Repeat("A: b\r\n", maxHead/5),
	"1;a\rb\r\nx\r\n0\r\n\r\n",
}

// After a chunked request the connection ends, so that nothing in or after the chunks can
// be read as another request.
func TestChunksAreLast(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, stop := serveOn(t, l, nil, nil, nil)
	defer stop()
	next := "GET /healthz HTTP/1.1\r\nHost: localhost" + end
	for _, body := range append(badChunks, "3;ext=1\r\nabc\r\n0\r\n\r\n") {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		go io.WriteString(c, "POST /api/extract HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked"+end+body+next)
		answer, _ := io.ReadAll(c)
		c.Close()
		if n := strings.Count(string(answer), "HTTP/1.1 "); n > 1 || strings.Contains(string(answer), `"ok":`) {
			t.Errorf("%.200q: %d answers: %.400q", body, n, answer)
		}
	}
}

// unbounded lists requests whose end the guard can't determine. Package net/http also
// rejects them.
var unbounded = []string{
	"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: +4" + end,
	"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 0x4" + end,
	"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4,4" + end,
	"POST / HTTP/1.1\r\nHost: h\r\nContent-Length:" + end,
	"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: gzip, chunked" + end,
	"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: xchunked" + end,
}

// malformedHeads lists requests that package net/http itself rejects.
var malformedHeads = []string{
	"GET / HTTP/1.1\r\nHost: h\r\n folded" + end,
	"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nContent-Length: 5" + end,
	"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked" + end,
	"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding : chunked" + end,
	"GET / HTTP/1.1\r\n Host: h" + end,
	"GET / HTTP/1.1\r\nHost: h\r\nA: b\rc" + end,
	"GET / HTTP/1.1\r\nHost: h\x00" + end,
	"GET / HTTP/1.1" + end,
	"GET / HTTP/1.1\r\nHost: h\r\nHost: h" + end,
	"GET http://h/ HTTP/1.1\r\nHost: h@other" + end,
	"GET / HTTP/2.0\r\nHost: h" + end,
	"GET / HTTP/0.9" + end,
	"GET /\r\n",
	"GET  / HTTP/1.1\r\nHost: h" + end,
	"GET / HTTP/1.1 \r\nHost: h" + end,
	"G(T / HTTP/1.1\r\nHost: h" + end,
	"GET / HTTP/1.1\r\nHost: h\r\nnocolon" + end,
	"GET / HTTP/1.1\r\nHost: h\r\n: empty" + end,
}

// Without the guard, each ambiguous request would reach a handler. Package net/http rejects
// the others.
func TestGuardIsNeeded(t *testing.T) {
	handled := false
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		handled = true
		io.Copy(io.Discard, r.Body)
	}))
	server.Config.MaxHeaderBytes = maxHead
	server.Config.ErrorLog = slog.NewLogLogger(slog.DiscardHandler, slog.LevelInfo)
	server.Start()
	defer server.Close()
	for want, list := range map[bool][]string{true: ambiguous, false: slices.Concat(unbounded, malformedHeads)} {
		for _, octets := range list {
			handled = false
			c, err := net.Dial("tcp", server.Listener.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			go func() {
				io.WriteString(c, octets)
				c.(*net.TCPConn).CloseWrite()
			}()
			io.Copy(io.Discard, c)
			c.Close()
			if handled != want {
				t.Errorf("%.200q: net/http calls a handler without the guard: %v", octets, handled)
			}
		}
	}
}

// The server passes no malformed request to a handler.
func TestMalformedHeads(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	_, stop := serveOn(t, l, nil, nil, nil)
	defer stop()
	for _, octets := range slices.Concat(ambiguous, unbounded, malformedHeads) {
		c, err := net.Dial("tcp", l.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			io.WriteString(c, octets)
			c.(*net.TCPConn).CloseWrite()
		}()
		answer, _ := io.ReadAll(c)
		c.Close()
		status, _, _ := strings.Cut(strings.TrimPrefix(string(answer), "HTTP/1.1 "), " ")
		if !slices.Contains([]string{"", "400", "431", "501", "505"}, status) {
			t.Errorf("%.200q: %.200q", octets, answer)
		}
	}
}

// passAll returns the part of octets that passes if the guard reads pieces of the given
// size.
func passAll(octets string, size int) (string, error) {
	var g guard
	var passed strings.Builder
	for p := []byte(octets); len(p) > 0; {
		piece := p[:min(size, len(p))]
		n, err := g.pass(piece)
		passed.Write(piece[:n])
		if err != nil {
			return passed.String(), err
		}
		p = p[len(piece):]
	}
	return passed.String(), nil
}

// The guard and package net/http find the same requests in the bytes that pass, for any
// sizes of reads.
func FuzzGuard(f *testing.F) {
	for _, octets := range []string{
		"GET / HTTP/1.1\r\nHost: h" + end,
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4" + end + "abcdGET gopher://h/1 HTTP/1.0" + end,
		"POST / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked" + end + "3\r\nabc\r\n0\r\n\r\nGET / HTTP/1.1\r\nHost: h" + end,
		"CONNECT h:443 HTTP/1.1\r\nHost: h:443" + end + "x",
		"POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\nTransfer-Encoding: chunked" + end,
		"\r\nGET / HTTP/1.1\r\nHost: h\r\nA:b" + end + "\r\n\r\n",
	} {
		f.Add([]byte(octets), 3)
	}
	f.Fuzz(func(t *testing.T, octets []byte, size int) {
		var g guard
		n, err := g.pass(bytes.Clone(octets))
		if again, errAgain := passAll(string(octets), max(1, size&63)); again != string(octets[:n]) || (err == nil) != (errAgain == nil) {
			t.Fatalf("%q: in one piece %d octets pass, %v; in others %q, %v", octets, n, err, again, errAgain)
		}
		if err != nil {
			return
		}
		r := bufio.NewReader(bytes.NewReader(octets))
		for at := range guarded(octets) {
			req, err := http.ReadRequest(r)
			if err != nil {
				// net/http is stricter elsewhere: then it responds and closes.
				return
			}
			if req.Method == http.MethodConnect || req.Header.Get("Upgrade") != "" {
				return
			}
			if _, err := io.Copy(io.Discard, req.Body); err != nil {
				return // the input is cut
			}
			rest, _ := io.ReadAll(r)
			if !bytes.Equal(rest, octets[at:]) {
				t.Fatalf("%q: after a request net/http has %q left, the guard %q", octets, rest, octets[at:])
			}
			r = bufio.NewReader(bytes.NewReader(rest))
		}
	})
}

// guarded yields the offsets at which the guard sees the end of a request.
func guarded(octets []byte) func(yield func(int) bool) {
	return func(yield func(int) bool) {
		var g guard
		begun := false
		for i := range octets {
			if _, err := g.pass(octets[i : i+1]); err != nil {
				return
			}
			begun = begun || g.head.lines > 0
			if begun && g.state == inHead && g.head.lines == 0 {
				begun = false
				if !yield(i + 1) {
					return
				}
			}
		}
	}
}
