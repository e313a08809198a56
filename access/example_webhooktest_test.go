package access_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/locus-url/locus/access"
)

// newSender returns a sender for which each host name leads to server. The names have a
// public address, so the rules are those of production.
func newSender(t *testing.T, server *httptest.Server) *Sender {
	s, err := NewSender(access.TransportOptions{
		Limit: 100,
		Lookup: func(context.Context, string) ([]netip.Addr, error) {
			return []netip.Addr{netip.MustParseAddr("8.8.8.8")}, nil
		},
		Dial: func(ctx context.Context, network, address string) (net.Conn, error) {
			if address != "8.8.8.8:80" {
				t.Errorf("%s was dialed", address)
			}
			return new(net.Dialer).DialContext(ctx, network, server.Listener.Addr().String())
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(s.Close)
	return s
}

// customer answers as the path of the URL says.
func customer(w http.ResponseWriter, r *http.Request) {
	switch r.URL.Path {
	case "/echo":
		io.Copy(w, r.Body)
	case "/moved":
		http.Redirect(w, r, r.URL.Query().Get("to"), http.StatusTemporaryRedirect)
	case "/large":
		io.WriteString(w, strings.Repeat("x", 101))
	default:
		http.NotFound(w, r)
	}
}

func TestSender(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(customer))
	defer server.Close()
	s := newSender(t, server)
	for _, url := range []string{"http://customer.example/echo", "http://customer.example/moved?to=http%3A%2F%2Fother.example%2Fecho"} {
		if answer, err := s.Send(t.Context(), url, []byte("{}")); string(answer) != "{}" || err != nil {
			t.Errorf("%s: %q, %v", url, answer, err)
		}
	}
	if _, err := s.Send(t.Context(), "http://customer.example/large", nil); access.KindOf(err) != access.TooLarge {
		t.Errorf("a large answer: %v", err)
	}
	if _, err := s.Send(t.Context(), "http://customer.example/none", nil); err == nil || errors.Is(err, ErrURL) {
		t.Errorf("status 404: %v", err)
	}
}

func TestSenderRefuses(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(customer))
	defer server.Close()
	s := newSender(t, server)
	for _, url := range []string{
		"http://127.0.0.1/", "http://169.254.169.254/latest/", "http://[::ffff:10.0.0.1]/", "http://localhost/", "http://customer.example:25/",
		server.URL, // the test's own server is private, too
	} {
		if _, err := s.Send(t.Context(), url, nil); !errors.Is(err, ErrURL) || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%s: %v", url, err)
		}
		moved := "http://customer.example/moved?to=" + url
		if _, err := s.Send(t.Context(), moved, nil); !errors.Is(err, ErrURL) || !errors.Is(err, fs.ErrPermission) {
			t.Errorf("a redirect to %s: %v", url, err)
		}
	}
	for _, url := range []string{"ftp://customer.example/", "customer.example", "http://", "http://[fe80::1%25eth0]/", "http://a b/"} {
		if _, err := s.Send(t.Context(), url, nil); !errors.Is(err, ErrURL) {
			t.Errorf("%s: %v", url, err)
		}
	}
}
