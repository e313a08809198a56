// Package gophertest provides an in-process Gopher and Gopher+ server for tests and
// demonstrations. It serves items from memory and logs every request. Options make
// it behave like the plain, old or faulty servers in use.
//
// It implements RFC 1436, the Gopher+ text of July 1993 (views, attributes, forms),
// Ph phone books for items of type 2, and gophers (Gopher over TLS).
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

// Length selects how a Gopher+ header announces the end of its reply.
type Length uint8

const (
	LengthUsual Length = iota // +-1 and a lone dot for text, +n for the rest
	LengthExact               // +n for all
	LengthClose               // +-2 for all
)

// Options configure a server. The zero value is a Gopher+ server on 127.0.0.1.
type Options struct {
	// Host is the host of this server in menus. If empty, it is the listening address.
	Host string

	// If Secure is true, TLS begins with the first octet. TLS is its configuration.
	// If nil, the server generates a self-signed certificate.
	Secure bool
	TLS    *tls.Config

	// Admin is the server's maintainer: "Name <address>". If empty, it is an example.
	Admin string
	// Raw maps a whole request line or a selector to a handler that answers the
	// request instead of the server. The connection is closed when the handler
	// returns, and when the server is closed.
	Raw map[string]func(conn net.Conn)
	// Phone holds the entries of the phone book, which listens on its own port. If
	// nil, there is no phone book.
	Phone []Person

	// Plain disables Gopher+: the server ignores any text after the selector and
	// the words of a search.
	Plain bool
	// Length selects how Gopher+ replies end.
	Length Length
	// NoDot omits the lone dot at the end of texts and menus.
	NoDot bool
	// PlainSearch answers a search with a Gopher+ string with attributes, without a
	// header, like the server of the University of Minnesota.
	PlainSearch bool
	// AllBlocks sends all attributes, whichever names the client requests.
	AllBlocks bool
	// ErrorType is the type of the line that rejects a plain request. Zero means
	// '3'. The server of the University of Minnesota sends '0'.
	ErrorType byte

	// Listener and PhoneListener are the listeners of the server and the phone book.
	// The server closes them. If nil, the server listens on free ports of 127.0.0.1.
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

// Start starts a server. The parameter root is the menu with the empty selector. o may be nil.
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

// secure generates a certificate if Options.TLS is nil, and stores it for ClientConfig.
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

// Addr returns the host and port, such as "127.0.0.1:33121".
func (s *Server) Addr() string { return s.l.Addr().String() }

// PhoneAddr returns the host and port of the phone book, or "" if there is none.
func (s *Server) PhoneAddr() string {
	if s.phone == nil {
		return ""
	}
	return s.phone.Addr().String()
}

// ClientConfig returns the configuration of a client that trusts the certificate, or
// nil if the server is not Secure.
func (s *Server) ClientConfig() *tls.Config {
	if s.cert == nil {
		return nil
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.cert)
	return &tls.Config{RootCAs: roots}
}

// Log returns the octets of each request, with its line end and a form's data
// block, in the order of arrival.
func (s *Server) Log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// PhoneLog returns the lines that the phone book received, without their line ends.
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

// address returns the host and port of items with the given gophertype on this server. For
// type 2, the port is the port of the phone book.
func (s *Server) address(gtype byte) (host string, port int) {
	if gtype == '2' && s.phone != nil {
		return s.host, s.phone.Addr().(*net.TCPAddr).Port
	}
	return s.host, s.port
}

func errorf(format string, args ...any) error { return fmt.Errorf("gophertest: "+format, args...) }
