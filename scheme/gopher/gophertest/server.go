// Package gophertest provides an in-process Gopher and Gopher+ server for tests and
// demonstrations. The server serves items from memory, and records every request. With
// [Options], it imitates servers without Gopher+, old servers and faulty servers.
//
// The server implements RFC 1436, the Gopher+ specification of July 1993 (views, attributes,
// forms), Ph phone books for items of type 2, and gophers (Gopher over TLS).
package gophertest

import (
	"cmp"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"slices"
	"sync"
	"time"

	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/internal/servetest"
)

// Length selects how a Gopher+ header announces the end of the reply.
type Length uint8

const (
	LengthUsual Length = iota // +-1 and a lone dot for text, +n for other data
	LengthExact               // +n for all data
	LengthClose               // +-2 for all data
)

// Options configures a server. With the zero Options, the server supports Gopher+ and listens
// on 127.0.0.1.
type Options struct {
	// Host is the host of this server in menus. If Host is empty, the server uses the
	// listening address.
	Host string

	// Secure means that connections use TLS from the first byte. TLS is the TLS configuration.
	// If TLS is nil, the server generates a self-signed certificate.
	Secure bool
	TLS    *tls.Config

	// Admin is the server's maintainer, as "Name <address>". If Admin is empty, the server
	// uses an example.
	Admin string
	// Raw maps request lines or selectors to handlers, which reply to the request instead of
	// the server. The server closes the connection when the handler returns, and when the
	// server itself is closed.
	Raw map[string]func(conn net.Conn)
	// Phone contains the entries of the phone book, which has its own port. If Phone is nil,
	// there is no phone book.
	Phone []Person

	// Plain disables Gopher+: the server ignores any text after the selector and
	// the words of a search.
	Plain bool
	// Length selects how Gopher+ replies end.
	Length Length
	// NoDot means that the server omits the lone dot at the end of texts and menus.
	NoDot bool
	// PlainSearch means that the server replies to a search with a Gopher+ string with
	// attributes, but without a header, like the server of the University of Minnesota.
	PlainSearch bool
	// AllBlocks means that the server sends all attributes, even if the client requests only
	// some.
	AllBlocks bool
	// ErrorType is the type of the error line that rejects a plain request. Zero means '3'.
	// The server of the University of Minnesota sends '0'.
	ErrorType byte

	// Listener and PhoneListener are the listeners of the server and the phone book. Closing
	// the server closes both listeners. If a listener is nil, the server listens on a free
	// port of 127.0.0.1.
	Listener, PhoneListener net.Listener

	// Idle is the timeout for reading a request. Zero means 30 seconds.
	Idle time.Duration
}

// Server is a running server.
type Server struct {
	o     Options
	items map[string]*Item
	host  string
	port  int
	l     net.Listener
	phone net.Listener // listener of the phone book; nil if none
	cert  *x509.Certificate
	group servetest.Group

	mu       sync.Mutex
	log      []string
	phoneLog []string
}

// Start starts a server. The parameter root is the menu with the empty selector. If o is nil,
// the server has the default options.
func Start(root Item, o *Options) (*Server, error) {
	s := new(Server)
	if o != nil {
		s.o = *o
	}
	s.o.Idle = cmp.Or(s.o.Idle, 30*time.Second)
	s.o.Admin = cmp.Or(s.o.Admin, "Gopher Keeper <keeper@example.org>")
	var err error
	if s.items, err = index(root); err != nil {
		return nil, err
	}
	if s.o.Secure {
		if err := s.secure(); err != nil {
			return nil, err
		}
	}
	if err := s.listen(); err != nil {
		return nil, err
	}
	s.serve(s.l, s.request)
	if s.phone != nil {
		s.serve(s.phone, s.phoneBook)
	}
	return s, nil
}

func (s *Server) listen() (err error) {
	if s.l, err = servetest.Listen(s.o.Listener); err != nil {
		return err
	}
	address := s.l.Addr().(*net.TCPAddr)
	s.host, s.port = cmp.Or(s.o.Host, address.IP.String()), address.Port
	if s.o.Phone == nil {
		return nil
	}
	if s.phone, err = servetest.Listen(s.o.PhoneListener); err != nil {
		return errors.Join(err, s.l.Close())
	}
	return nil
}

// secure prepares the server for TLS. If Options.TLS is nil, it generates a certificate. It
// stores the certificate for ClientConfig.
func (s *Server) secure() error {
	if s.o.TLS == nil {
		made, err := certtest.New()
		if err != nil {
			return err
		}
		s.o.TLS = &tls.Config{Certificates: []tls.Certificate{made}}
	}
	if len(s.o.TLS.Certificates) == 0 {
		return errors.New("gophertest: TLS has no certificate")
	}
	var err error
	s.cert, err = x509.ParseCertificate(s.o.TLS.Certificates[0].Certificate[0])
	return err
}

// Addr returns the host and port of the server, such as "127.0.0.1:33121".
func (s *Server) Addr() string { return s.l.Addr().String() }

// PhoneAddr returns the host and port of the phone book, or "" if there is no phone book.
func (s *Server) PhoneAddr() string {
	if s.phone == nil {
		return ""
	}
	return s.phone.Addr().String()
}

// ClientConfig returns the TLS configuration for a client that trusts the server's
// certificate. If Options.Secure is false, ClientConfig returns nil.
func (s *Server) ClientConfig() *tls.Config {
	if s.cert == nil {
		return nil
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.cert)
	return &tls.Config{RootCAs: roots}
}

// Log returns the received requests in order of arrival. Each request includes its line ending
// and the data block of a form.
func (s *Server) Log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// PhoneLog returns the lines that the phone book received, without line endings.
func (s *Server) PhoneLog() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.phoneLog)
}

func (s *Server) record(log *[]string, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	*log = append(*log, text)
}

// Close closes the server and its connections, and waits for their handlers.
func (s *Server) Close() error { return s.group.Close() }

func (s *Server) serve(l net.Listener, handle func(net.Conn)) {
	s.group.Serve(l, func(c net.Conn) func() { return func() { handle(c) } })
}

// address returns the host and port for items of the given gophertype on this server. For type
// 2, these are the host and port of the phone book.
func (s *Server) address(gtype byte) (host string, port int) {
	if gtype == '2' && s.phone != nil {
		return s.host, s.phone.Addr().(*net.TCPAddr).Port
	}
	return s.host, s.port
}

func errorf(format string, args ...any) error { return fmt.Errorf("gophertest: "+format, args...) }
