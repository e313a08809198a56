package all_test

import (
	"context"
	"crypto/tls"
	"io"
	"math"
	"net"
	"net/netip"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// flood is an endless response. It consists of the text in first and endless repetitions of the
// text in again.
type flood struct{ url, first, again string }

// floods holds an endless response for each part of a response: greetings, heads, lines, lists,
// bodies and trailers.
var floods = []flood{
	{"finger://h.example/a", "", "Login: a\r\n"},
	{"finger://h.example/a", "", "aaaaaaaa"},
	{"ftp://h.example/a", "", "2"},
	{"ftp://h.example/a", "220-welcome\r\n", " still welcome\r\n"},
	{"ftp://h.example/a", "", "220 welcome\r\n"},
	{"ftp://h.example/a", "", "230 in, and on\r\n"},
	{"ftp://h.example/a", "220 welcome\r\n", "150 soon\r\n"},
	{"gopher://h.example/1", "", "0a title\t/selector\th.example\t70\r\n"},
	{"gopher://h.example/1", "", "iaaaaaaaa"},
	{"gopher://h.example/1", "", "iaaaaaaaa\r\n"},
	{"gopher://h.example/0a", "", "aaaaaaaa"},
	{"gopher://h.example/0a", "", "..\r\n"},
	{"gopher://h.example/1%09%09+", "+-1\r\n", "0a title\t/selector\th.example\t70\t+\r\n"},
	{"gopher://h.example/1%09%09!", "+-1\r\n", "+INFO: 0a\tb\th.example\t70\t+\r\n+VIEWS:\r\n text/plain: <1k>\r\n"},
	{"gopher://h.example/1%09%09!", "+-1\r\n+INFO: 0a\tb\th.example\t70\t+\r\n+VIEWS:\r\n", " text/plain: <1k>\r\n"},
	{"gopher://h.example/1%09%09!", "+-1\r\n+INFO: 0a\tb\th.example\t70\t+\r\n+ASK:\r\n", " Ask: how many?\t9\r\n"},
	{"gopher://h.example/1%09%09$", "+-1\r\n+INFO: 0a\tb\th.example\t70\t+\r\n+ABSTRACT:\r\n", " a line of it\r\n"},
	{"gopher://h.example/0a%09%09+", "--1\r\n", "1 nobody <a@b.example>\r\n"},
	{"gopher://h.example/0a%09%09+", "", "+"},
	{"gopher://h.example/2%09anna", "", "-200:1: name: Anna\r\n"},
	{"gopher://h.example/2%09anna", "", "-200:1: "},
	{"http://h.example/a", "", "HTTP/1.1 100 Continue\r\n\r\n"},
	{"http://h.example/a", "HTTP/1.1 200 OK\r\n", "X-A: aaaaaaaa\r\n"},
	{"http://h.example/a", "HTTP/1.1 200 OK\r\nX-A: ", "aaaaaaaa"},
	{"http://h.example/a", "HTTP/1.1 200 ", "aaaaaaaa"},
	{"http://h.example/a", "HTTP/1.1 200 OK\r\n\r\n", "aaaaaaaa"},
	{"http://h.example/a", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1;aaaaaaaa\r\na\r\n"},
	{"http://h.example/a", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n", "1"},
	{"http://h.example/a", "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n", "X-A: aaaaaaaa\r\n"},
	{"http://h.example/a", "HTTP/1.1 302 Found\r\nLocation: /", "aaaaaaaa"},
	{"http://h.example/a", "HTTP/1.1 302 Found\r\nLocation: /b\r\n\r\n", "aaaaaaaa"},
	{"http://h.example/a", "HTTP/1.1 200 OK\r\n", "Set-Cookie: a=b; Path=/\r\n"},
	{"news://h.example/a.b", "", "2"},
	{"news://h.example/a.b", "", "200 welcome\r\n"},
	{"news://h.example/a.b", "200 welcome\r\n101 capabilities\r\n", "READER\r\n"},
	{"news://h.example/a.b", "200 welcome\r\n101 capabilities\r\nVERSION 2\r\nREADER\r\nOVER\r\n.\r\n211 1000000 1 1000000 a.b\r\n224 overview\r\n", "1\tsubject\ta@b.example\tdate\t<1@b.example>\t\t10\t1\r\n"},
	{"news://h.example/*", "200 welcome\r\n101 capabilities\r\nVERSION 2\r\nREADER\r\nLIST ACTIVE\r\n.\r\n215 list\r\n", "a.b 10 1 y\r\n"},
	{"news://h.example/*", "200 welcome\r\n101 capabilities\r\nVERSION 2\r\nREADER\r\nLIST ACTIVE NEWSGROUPS\r\n.\r\n", "215 list\r\na.b 10 1 y\r\n.\r\n"},
	{"news://h.example/1@b.example", "200 welcome\r\n101 capabilities\r\nVERSION 2\r\nREADER\r\n.\r\n220 0 <1@b.example>\r\n", "X-A: aaaaaaaa\r\n"},
	{"news://h.example/1@b.example", "200 welcome\r\n101 capabilities\r\nVERSION 2\r\nREADER\r\n.\r\n220 0 <1@b.example>\r\n\r\n", "aaaaaaaa"},
	{"nntp://h.example/a.b/1", "200 welcome\r\n", "480 log in\r\n"},
	{"prospero://h.example/a", "", "VERSION-NOT-SUPPORTED TRY 1-5\n"},
	{"prospero://h.example/a", "\xc1\x00\x00", "LINK L DIRECTORY a INTERNET-D h.example ASCII b 0\n"},
	{"rlogin://u@h.example/", "", "\x00"},
	{"rlogin://u@h.example/", "\x01", "aaaaaaaa"},
	{"telnet://h.example/", "", "\xff\xfd\x18"},
	{"telnet://h.example/", "", "\xff\xfb\x03\xff\xfc\x03"},
	{"telnet://h.example/", "\xff\xfa\x18", "\x01\x01\x01\x01"},
	{"telnet://h.example/", "", "\x1b]0;aaaa"},
	{"tn3270://h.example/", "\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00", "\x05\xc3\x11\x40\x40\xc1\xc2"},
	{"tn3270://h.example/", "\xff\xfd\x18\xff\xfa\x18\x01\xff\xf0\xff\xfd\x19\xff\xfb\x19\xff\xfd\x00\xff\xfb\x00", "\x05\xc3\x11\x40\x40\xc1\xc2\xff\xef"},
	{"wais://h.example/db?a", "", "0000000000z"},
	{"wais://h.example/db?a", "9999999999z2wais      0", "aaaaaaaa"},
	{"wais://h.example/db?a", "0000100000z2wais      0", "\x17\x00\x01\x00"},
	// These responses are sent over TLS.
	{"gemini://h.example/a", "", "2"},
	{"gemini://h.example/a", "20 text/gemini; a=", "aaaaaaaa"},
	{"gemini://h.example/a", "20 text/gemini\r\n", "=> /a a title\n"},
	{"gemini://h.example/a", "20 text/gemini\r\n", "aaaaaaaa"},
	{"gemini://h.example/a", "20 text/plain\r\n", "aaaaaaaa"},
	{"gemini://h.example/a", "10 how many", "?"},
}

// Opening a URL and reading its resource must use little memory, even if a part of the response is
// endless.
func TestHostileMemory(t *testing.T) {
	server, _, err := certtest.Pair()
	if err != nil {
		t.Fatal(err)
	}
	most := int64(8 << 20)
	if testing.Short() {
		most = 4 << 20 // the race detector is slow with screens
	}
	for _, f := range floods {
		t.Run(f.url+" "+f.first+f.again, func(t *testing.T) {
			runtime.GC()
			var before runtime.MemStats
			runtime.ReadMemStats(&before)
			sent, held := f.open(t, server, most)
			grown := held - int64(before.HeapAlloc)
			if grown > floodHeap {
				t.Errorf("holds %d KiB of %d KiB", grown>>10, sent>>10)
			}
			t.Logf("holds %d KiB of %d KiB", max(grown, 0)>>10, sent>>10)
		})
	}
}

// floodHeap is the maximum growth of the heap; see docs/dev/limits.md. The largest buffers hold
// the texts of a menu and the header of a message.
const floodHeap = 2 << 20

// open opens the URL on a server that sends the flood, and reads the response. The server sends at
// most the number of octets in most. The result sent is the number of octets sent, and held is the
// maximum heap size during the test.
func (f flood) open(t *testing.T, config *tls.Config, most int64) (sent, held int64) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	var (
		left    atomic.Int64
		largest atomic.Int64
		servers sync.WaitGroup
	)
	left.Store(most)
	look := func() {
		// The client may allocate during a garbage collection. Therefore use the minimum
		// heap size of several collections.
		least := int64(math.MaxInt64)
		for range 3 {
			runtime.GC()
			var now runtime.MemStats
			runtime.ReadMemStats(&now)
			least = min(least, int64(now.HeapAlloc))
		}
		for {
			old := largest.Load()
			if least <= old || largest.CompareAndSwap(old, least) {
				return
			}
		}
	}
	const piece = 32 << 10
	again := []byte(strings.Repeat(f.again, piece/len(f.again)))
	serve := func(c net.Conn, datagrams bool) {
		defer c.Close()
		if strings.HasPrefix(f.url, "gemini:") {
			secure := tls.Server(c, config)
			if secure.Handshake() != nil {
				return
			}
			c = secure
		}
		// Read and ignore the requests.
		servers.Go(func() { io.Copy(io.Discard, c) })
		if datagrams {
			again = again[:1024/len(f.again)*len(f.again)]
		}
		for p := []byte(f.first); ; p = again {
			if datagrams {
				p = append([]byte(f.first), again...)
			}
			if _, err := c.Write(p); err != nil {
				return
			}
			if now := left.Add(-int64(len(p))); now < 0 {
				return
			} else if now/(4<<20) != (now+int64(len(p)))/(4<<20) {
				look()
			}
		}
	}
	client, err := all.Client(&all.Options{Options: access.Options{
		Timeout: time.Minute, IdleTimeout: time.Minute,
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("93.184.216.34")}, nil
		},
		Dial: func(_ context.Context, network, _ string) (net.Conn, error) {
			near, far := net.Pipe()
			if strings.HasPrefix(f.url, "gemini:") {
				// Both ends of a TLS connection may write before they read, so the
				// connection must be buffered.
				near, far = connected(t)
			}
			servers.Go(func() { serve(far, strings.HasPrefix(network, "udp")) })
			return near, nil
		},
	}})
	if err != nil {
		t.Fatal(err)
	}
	res, err := client.Do(ctx, access.Request{URL: locus.MustParse(f.url)})
	if err == nil {
		switch r := res.Resource.(type) {
		case *scheme.Object:
			_, err = io.Copy(io.Discard, r.Body)
		case *scheme.Menu:
			for _, err = range r.Items {
				if err != nil {
					break
				}
			}
		case *scheme.Session:
			_, err = io.Copy(io.Discard, r.Conn)
		}
		res.Resource.Close()
	}
	if ctx.Err() != nil {
		t.Errorf("only the deadline ended it: %v", err)
	}
	client.Close()
	servers.Wait()
	return most - left.Load(), largest.Load()
}

// connected returns the two ends of a loopback connection.
func connected(t *testing.T) (near, far net.Conn) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	if near, err = net.Dial("tcp", l.Addr().String()); err != nil {
		t.Fatal(err)
	}
	if far, err = l.Accept(); err != nil {
		t.Fatal(err)
	}
	return near, far
}
