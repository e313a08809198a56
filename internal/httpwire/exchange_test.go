package httpwire

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
)

// seenExchange records the calls to an exchange.
type seenExchange struct {
	request, response, body string
	masked, secrets         []string
	repeated                bool
	ends                    []error
	resets                  int
}

func (k *seenExchange) Exchange() scheme.Exchange { return k }
func (k *seenExchange) Connected(remote net.Addr) {}
func (k *seenExchange) Request(p []byte, m []string) {
	k.request += string(p)
	k.masked = append(k.masked, m...)
}
func (k *seenExchange) Response(p []byte, m []string) {
	k.response += string(p)
	k.masked = append(k.masked, m...)
}
func (k *seenExchange) Body(p []byte) { k.body += string(p) }
func (k *seenExchange) Reset()        { k.request, k.response, k.body, k.resets = "", "", "", k.resets+1 }
func (k *seenExchange) Repeated()     { k.repeated = true }
func (k *seenExchange) End(err error) { k.ends = append(k.ends, err) }

type recorder struct{ *seenExchange }

func (r recorder) Connected(string, net.Addr)  {}
func (r recorder) Octets(string, bool, []byte) {}
func (r recorder) Secret(text string)          { r.secrets = append(r.secrets, text) }

// run passes both texts, in pieces of n octets.
func run(n int, request, response string) *seenExchange {
	k := new(seenExchange)
	x := New(recorder{k})
	x.Begin(nil)
	var tap Tap
	tap.Begin(x)
	for rest := request; rest != ""; rest = rest[min(n, len(rest)):] {
		tap.Sent([]byte(rest[:min(n, len(rest))]))
	}
	for rest := response; rest != ""; rest = rest[min(n, len(rest)):] {
		tap.Received([]byte(rest[:min(n, len(rest))]))
	}
	x.End(nil)
	x.End(errors.New("late"))
	tap.Received([]byte("late"))
	return k
}

// The exchange hides secrets in any form, and preserves other text.
func TestExchange(t *testing.T) {
	request := "GET /a?b=http://u:kept@h/ HTTP/1.1\r\nHost: h\r\nAuthorization: Basic PASSWORD\r\ncookie : a=PASSWORD\r\nX-Api-Key: PASSWORD\r\nproxy-authorization:PASSWORD\r\nAccept: */*\r\nReferer: http://u:PASSWORD@h/\r\nX-Folded: PASSWORD\r\n PASSWORD\r\n\r\n"
	wantRequest := "GET /a?b=http://u:kept@h/ HTTP/1.1\r\nHost: h\r\nAuthorization: Basic ***\r\ncookie : ***\r\nX-Api-Key: ***\r\nproxy-authorization: ***\r\nAccept: */*\r\nReferer: http://u:***@h/\r\nX-Folded: ***\r\n \r\n\r\n"
	interim := "HTTP/1.1 103 Early Hints\r\nSet-Cookie: PASSWORD\r\n\r\nHTTP/1.1 100 Continue\r\n\r\n"
	response := "HTTP/1.1 302 Found\r\nset-cookie: a=PASSWORD; Path=/\r\nSET-COOKIE: b=PASSWORD,\r\n\tc=PASSWORD\r\nLocation: http://u:PASSWORD@h/\r\nLink: </x>; rel=next\r\nContent-Location: //u:PASSWORD@h/\r\nTransfer-Encoding:  chunked\r\n\r\n"
	wantResponse := "HTTP/1.1 302 Found\r\nset-cookie: ***\r\nSET-COOKIE: ***\r\n \r\nLocation: http://u:***@h/\r\nLink: </x>; rel=next\r\nContent-Location: //u:***@h/\r\nTransfer-Encoding:  chunked\r\n\r\n"
	const body = "3\r\na\n\n\r\n0\r\n\r\n"
	for _, n := range []int{1, 2, 7, 10000} {
		k := run(n, request+"a=PASSWORD", interim+response+body)
		if k.request != wantRequest || k.response != wantResponse {
			t.Errorf("in pieces of %d octets:\n%s%s", n, k.request, k.response)
		}
		if k.body != body || k.resets != 1 || len(k.ends) != 1 || k.ends[0] != nil {
			t.Errorf("in pieces of %d octets: %+v", n, k)
		}
		const masked = "[Authorization Cookie X-Api-Key Proxy-Authorization Referer X-Folded Set-Cookie Location Content-Location]"
		if got := fmt.Sprint(k.masked); got != masked {
			t.Error(got)
		}
	}
	// A secret is reported in each form that a server may repeat. A word is not a secret.
	k := run(9, "GET ftp://u:PASSWORD@h/a HTTP/1.1\r\nAuthorization: Basic dTpzZXNhbWU=\r\nCookie: a=\"0123456789\"; lang=en-US\r\nX-Key: ABCDEFGH\r\nX-Short: yes\r\n\r\n", "HTTP/1.1 200 OK\r\nSet-Cookie: b=abcdefghij; Path=/some/path\r\n\r\n")
	if got := fmt.Sprintf("%q", k.secrets); got != `["dTpzZXNhbWU=" "sesame" "0123456789" "ABCDEFGH" "abcdefghij"]` {
		t.Error(got)
	}
	if !strings.HasPrefix(k.request, "GET ftp://u:***@h/a HTTP/1.1\r\n") {
		t.Error(k.request)
	}
	// These lines end with LF only.
	if k := run(3, "GET / HTTP/1.0\nCookie: PASSWORD\n\n", "HTTP/1.0 200 OK\nSet-Cookie: PASSWORD\n\nbody"); k.request != "GET / HTTP/1.0\nCookie: ***\n\n" || k.response != "HTTP/1.0 200 OK\nSet-Cookie: ***\n\n" || k.body != "body" {
		t.Errorf("%+v", k)
	}
}

// A header without an end is bounded, and is not recorded.
func TestEndlessHeader(t *testing.T) {
	k := run(64<<10, "GET / HTTP/1.1\r\n\r\n", "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 3*maxHeader)+"\r\n\r\nbody")
	if k.response != "" || k.body != "" {
		t.Errorf("%d octets", len(k.response))
	}
}

// Another connection begins the exchange again.
func TestBeginAgain(t *testing.T) {
	k := new(seenExchange)
	x := New(recorder{k})
	for range 2 {
		var tap Tap
		tap.Begin(x)
		x.Begin(&net.TCPAddr{})
		tap.Sent([]byte("GET / HTTP/1.1\r\n\r\n"))
		tap.Received([]byte("HTTP/1.1 200 OK\r\n"))
	}
	if k.request != "GET / HTTP/1.1\r\n\r\n" || k.response != "" || k.resets != 2 {
		t.Errorf("%+v", k)
	}
	x.Repeated()
	if !k.repeated {
		t.Error("not repeated")
	}
	var none *Exchange
	none.Begin(nil)
	none.Repeated()
	none.End(nil)
	if New(nil) != nil {
		t.Error("an exchange without a recorder")
	}
}

// Whatever the server sends, no secret in its header is recorded, and no other byte is
// lost.
func FuzzExchange(f *testing.F) {
	f.Add("HTTP/1.1 200 OK\r\nSet-Cookie: x\r\n\r\nbody", 5)
	f.Add("HTTP/1.1 100 x\n\nHTTP/1.1 200\nset-cookie : x\n x\n\n", 1)
	f.Fuzz(func(t *testing.T, response string, n int) {
		if n < 1 || n > 1000 {
			return
		}
		whole, pieces := run(len(response)+1, "GET / HTTP/1.1\r\n\r\n", response), run(n, "GET / HTTP/1.1\r\n\r\n", response)
		if whole.response != pieces.response || whole.body != pieces.body {
			t.Errorf("%q and %q, in pieces %q and %q", whole.response, whole.body, pieces.response, pieces.body)
		}
		if whole.response != "" && !strings.HasSuffix(response, whole.body) {
			t.Errorf("the body is %q", whole.body)
		}
		_, fields, _ := strings.Cut(whole.response, "\n")
		for line := range strings.Lines(fields) {
			if name, value, _ := strings.Cut(line, ":"); strings.EqualFold(name, "Set-Cookie") && strings.TrimRight(value, "\r\n") != " ***" {
				t.Errorf("%q", line)
			}
		}
	})
}
