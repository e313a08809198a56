// Package gophertest is a server of Gopher and Gopher+ inside the process, for
// tests and for showing what a client sends: it keeps every request it receives.
// It is small and serves what it is given from memory; it can be told to be as
// plain, as old or as odd as servers in the field are.
//
// It knows RFC 1436, the Gopher+ text of July 1993 (views, attributes, forms), Ph
// phone books as items of type 2 lead to them, and gophers, which is the same
// within TLS.
package gophertest

import (
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

// Length is how the header of a Gopher+ reply says where the reply ends.
type Length uint8

const (
	LengthUsual Length = iota // +-1 and a lone dot for text, +n for the rest
	LengthExact               // +n for all
	LengthClose               // +-2 for all
)

// Options of a server. The zero value is a server of Gopher+ that does all it
// can, on 127.0.0.1.
type Options struct {
	// Host is what stands for this server in menus; empty: the address it listens on.
	Host string
	// IPv6 listens on ::1 in place of 127.0.0.1.
	IPv6 bool

	// Secure has TLS from the first octet on, with TLS or, if that is nil, with a
	// certificate that the server makes for itself.
	Secure bool
	TLS    *tls.Config

	// Admin is who is responsible: "Name <address>"; empty: an example.
	Admin string
	// Raw replies take the place of what a request gets, by the whole request line
	// or by the selector alone. What they do with the connection is up to them; it is
	// closed when they return, and when the server is closed.
	Raw map[string]func(conn net.Conn)
	// Phone are the entries of the phone book, which has a port of its own; nil:
	// there is none.
	Phone []Person

	// Plain is a server that never heard of Gopher+: it ignores what stands behind
	// the selector, and the words of a search.
	Plain bool
	// Length is how replies of Gopher+ end.
	Length Length
	// NoDot leaves out the lone dot line at the end of texts and menus.
	NoDot bool
	// StuffAll puts a dot before each line that begins with one, as RFC 1436 has it;
	// else only a lone dot gets one, as the University of Minnesota's server has it.
	StuffAll bool
	// TwoTabs takes the empty search field of RFC 1738 section 3.4.3 before a Gopher+
	// string although the item is no search. Else that is refused in the old style.
	TwoTabs bool
	// PlainSearch replies to a search with a Gopher+ string without a header: with
	// attributes, as the University of Minnesota's server does.
	PlainSearch bool
	// AllBlocks sends all attributes whatever names were asked for.
	AllBlocks bool
	// ErrorType is the type of the line that refuses a request in the old style; 0:
	// '3'. The University of Minnesota's server has '0'.
	ErrorType byte

	// Listener and PhoneListener are where it and the phone book listen, and the
	// server's to close; nil: free ports of the loopback.
	Listener, PhoneListener net.Listener

	// Idle is how long to wait for octets to come or go; 0: half a minute.
	Idle time.Duration
}

// Server is a server that runs.
type Server struct {
	o     Options
	items map[string]*Item
	host  string
	port  int
	admin string
	l     net.Listener
	phone net.Listener // nil: none
	cert  *x509.Certificate
	group servetest.Group

	mu       sync.Mutex
	log      []string
	phoneLog []string
}

// Start starts a server. root is the menu that an
// empty selector gets. o may be nil.
func Start(root Item, o *Options) (*Server, error) {
	s := new(Server)
	if o != nil {
		s.o = *o
	}
	if s.o.Idle == 0 {
		s.o.Idle = 30 * time.Second
	}
	s.admin = s.o.Admin
	if s.admin == "" {
		s.admin = "Gopher Keeper <keeper@example.org>"
	}
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
	if s.l, err = s.open(s.o.Listener); err != nil {
		return err
	}
	near := s.l.Addr().(*net.TCPAddr)
	s.host, s.port = near.IP.String(), near.Port
	if s.o.Host != "" {
		s.host = s.o.Host
	}
	if s.o.Phone == nil {
		return nil
	}
	if s.phone, err = s.open(s.o.PhoneListener); err != nil {
		return errors.Join(err, s.l.Close())
	}
	return nil
}

// open returns l, or a listener on a free port if it is nil.
func (s *Server) open(l net.Listener) (net.Listener, error) {
	if l == nil && s.o.IPv6 {
		return net.Listen("tcp6", "[::1]:0")
	}
	return servetest.Listen(l)
}

// secure makes a certificate if none was given, and finds the one that is used.
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

// Addr returns host and port: "127.0.0.1:33121".
func (s *Server) Addr() string { return s.l.Addr().String() }

// PhoneAddr returns host and port of the phone book, or "" if there is none.
func (s *Server) PhoneAddr() string {
	if s.phone == nil {
		return ""
	}
	return s.phone.Addr().String()
}

// Certificate returns the certificate of a server that is Secure, else nil.
func (s *Server) Certificate() *x509.Certificate { return s.cert }

// ClientConfig returns what a client needs to trust a server that is Secure, or
// nil.
func (s *Server) ClientConfig() *tls.Config {
	if s.cert == nil {
		return nil
	}
	roots := x509.NewCertPool()
	roots.AddCert(s.cert)
	return &tls.Config{RootCAs: roots}
}

// Log returns the octets of each request that was received, the line's end and
// the data block of a form with it, in the order in which they were complete.
func (s *Server) Log() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// PhoneLog returns the lines that the phone book received, without their ends.
func (s *Server) PhoneLog() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.phoneLog)
}

func (s *Server) logRequest(octets []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log = append(s.log, string(octets))
}

func (s *Server) logPhone(line string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.phoneLog = append(s.phoneLog, line)
}

// Close ends the server and all its connections, and waits until they are gone.
func (s *Server) Close() error { return s.group.Close() }

// serve has each connection to l handled.
func (s *Server) serve(l net.Listener, handle func(net.Conn)) {
	s.group.Serve(l, func(c net.Conn) func() { return func() { handle(c) } })
}

// address returns host and port of the items that are here: those of the phone
// book for type 2.
func (s *Server) address(gtype byte) (host string, port int) {
	if gtype == '2' && s.phone != nil {
		return s.host, s.phone.Addr().(*net.TCPAddr).Port
	}
	return s.host, s.port
}

// patient is a connection that is given up when nothing moves.
type patient struct {
	net.Conn
	idle time.Duration
}

func (p patient) Read(b []byte) (int, error) {
	if err := p.SetReadDeadline(time.Now().Add(p.idle)); err != nil {
		return 0, err
	}
	return p.Conn.Read(b)
}

// Write writes in pieces, so that a slow reader is told from one that is gone.
func (p patient) Write(b []byte) (n int, err error) {
	for piece := range slices.Chunk(b, 64<<10) {
		if err := p.SetWriteDeadline(time.Now().Add(p.idle)); err != nil {
			return n, err
		}
		k, err := p.Conn.Write(piece)
		n += k
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// errorf is an error of this package.
func errorf(format string, args ...any) error { return fmt.Errorf("gophertest: "+format, args...) }
