package http

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

// readThroughWire reads a response through a wire.
func readThroughWire(in io.Reader, head bool) (text string, r *framing, err error) {
	w, r := newWire(in), newFraming()
	r.head = head
	w.setFraming(r)
	w.beforeWrite()
	b, err := io.ReadAll(w)
	return string(b), r, err
}

func TestWire(t *testing.T) {
	for _, c := range []struct {
		name, in string
		extra    int // number of octets after the response
	}{
		{"length", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 0},
		{"one more", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello!", 1},
		{"another response", "HTTP/1.1 200 OK\r\ncontent-length:5\r\n\r\nhelloHTTP/1.1 200 OK\r\n\r\n", 19},
		{"no content", "HTTP/1.1 204 No Content\r\nContent-Length: 5\r\n\r\nhello", 5},
		{"HEAD", "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello", 5},
		{"no length", "HTTP/1.1 200 OK\r\n\r\nhello, world", 0},
		{"chunked", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\nmore", 0},
		{"interim", "HTTP/1.1 100 Continue\r\nContent-Length: 1\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nhello", 3},
		{"no HTTP", "220 mail.example.org ESMTP\r\n", 0},
		{"bad length", "HTTP/1.1 200 OK\r\nContent-Length: -5\r\n\r\nhello", 0},
	} {
		for how, in := range map[string]io.Reader{"at once": strings.NewReader(c.in), "octet by octet": iotest.OneByteReader(strings.NewReader(c.in))} {
			got, r, err := readThroughWire(in, c.name == "HEAD")
			if want := c.in[:len(c.in)-c.extra]; got != want || r.excess.Load() != (c.extra > 0) || (err == errUnsolicited) != (c.extra > 0) {
				t.Errorf("%s, %s: %q, excess %v, %v", c.name, how, got, r.excess.Load(), err)
			}
		}
	}
}

// The wire must detect excess data as soon as the last octet of the response has arrived.
func TestWireDetectsExcessAtOnce(t *testing.T) {
	const answer = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello"
	w, r := newWire(strings.NewReader(answer+"!")), newFraming()
	w.setFraming(r)
	w.beforeWrite()
	if _, err := io.ReadFull(w, make([]byte, len(answer))); err != nil || !r.excess.Load() {
		t.Errorf("excess %v, %v", r.excess.Load(), err)
	}
	// The wire must not return the excess data as the response to the next request.
	w.setFraming(newFraming())
	if err := w.beforeWrite(); err != errUnsolicited {
		t.Errorf("the next request is sent: %v", err)
	}
}

func TestWireWaitsForARequest(t *testing.T) {
	for name, begin := range map[string]func(*wire){"written": func(w *wire) { w.beforeWrite() }, "closed": func(w *wire) { w.release() }} {
		synctest.Test(t, func(t *testing.T) {
			w := newWire(strings.NewReader("220 hello"))
			done := false
			go func() {
				_, _ = w.Read(make([]byte, 1))
				done = true
			}()
			synctest.Wait()
			if done {
				t.Errorf("%s: data before a request was written", name)
			}
			begin(w)
			synctest.Wait()
			if !done {
				t.Errorf("%s: still waiting", name)
			}
		})
	}
}

// A wire must not change the data that net/http reads.
func FuzzWire(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello!")
	f.Add("HTTP/1.1 200 OK\nTransfer-Encoding: chunked\nContent-Length: 2\n\n1\r\nx\r\n0\r\n\r\n")
	f.Add("HTTP/1.1 103 Hi\r\n\r\nHTTP/1.0 204 OK\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx")
	f.Add("HTTP/1.1 200 OK\r\nContent-Length: 1\r\n Content-Length: 2\r\n\r\nxyz")
	f.Fuzz(func(t *testing.T, text string) {
		got, _, _ := readThroughWire(strings.NewReader(text), false)
		if !strings.HasPrefix(text, got) {
			t.Fatalf("%q comes out as %q", text, got)
		}
		if a, b := describeResponse(text), describeResponse(got); a != b {
			t.Errorf("%q: %s; through a wire %s", text, a, b)
		}
	})
}

// describeResponse describes the response that net/http reads from text.
func describeResponse(text string) string {
	in := bufio.NewReader(strings.NewReader(text))
	for {
		resp, err := http.ReadResponse(in, &http.Request{Method: http.MethodGet})
		if err != nil {
			return "no response"
		}
		body, err := io.ReadAll(resp.Body)
		if resp.StatusCode/100 != 1 || resp.StatusCode == 101 {
			return fmt.Sprint(resp.Status, resp.Header, string(body), err)
		}
	}
}
