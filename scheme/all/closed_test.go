package all_test

import (
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/finger"
	"github.com/locus-url/locus/scheme/gemini"
	"github.com/locus-url/locus/scheme/gopher"
)

// If the caller closes a resource during a read, the error must not blame the server.
func TestCloseIsNoServerFault(t *testing.T) {
	server, client, err := certtest.Pair()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		opener scheme.Opener
		url    string
		sends  string
		secure bool
	}{
		{finger.Client{}, "finger://%s/a", "x", false},
		{gemini.New(&gemini.Options{KnownHosts: gemini.InMemory}), "gemini://%s/a", "20 text/plain\r\nx", true},
		{gemini.New(&gemini.Options{KnownHosts: gemini.InMemory}), "gemini://%s/a", "20 text/gemini\r\nx\n", true},
		{gopher.New(nil), "gopher://%s/9a", "x", false},
		{gopher.New(nil), "gopher://%s/0a", "x", false},
		{gopher.New(nil), "gopher://%s/1a", "0x\tx\th\t70\r\n", false},
		{gopher.New(&gopher.Options{TLSConfig: client}), "gophers://%s/9a", "x", true},
	} {
		l, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		defer l.Close()
		done := make(chan struct{})
		go func() {
			defer close(done)
			conn, err := l.Accept()
			if err != nil {
				return
			}
			if c.secure {
				conn = tls.Server(conn, server)
			}
			defer conn.Close()
			io.WriteString(conn, c.sends)
			io.Copy(io.Discard, conn)
		}()
		u := locus.MustParse(fmt.Sprintf(c.url, l.Addr()))
		res, err := c.opener.Open(t.Context(), &scheme.Request{URL: u, Dial: new(net.Dialer)})
		if err != nil {
			t.Fatalf("%s: %v", u, err)
		}
		switch r := res.(type) {
		case *scheme.Object:
			if _, err = io.ReadFull(r.Body, make([]byte, 1)); err != nil {
				t.Errorf("%s: %v", u, err)
			}
			r.Close()
			_, err = io.ReadAll(r.Body)
		case *scheme.Menu:
			for _, err = range r.Items {
				r.Close()
			}
		}
		if !errors.Is(err, fs.ErrClosed) || errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%s: %v", u, err)
		}
		<-done
	}
}
