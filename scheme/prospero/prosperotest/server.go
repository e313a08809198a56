// Package prosperotest provides an in-process Prospero server for tests and the tour. The server
// records every message and serves objects from memory. Its quoting, order and rejections match
// recorded replies of the original server of 1994. Its network can lose datagrams.
//
// The server implements the parts of protocol version 5 that a client needs for reading. These are
// directories, files, attributes, links to other servers, moved objects and Archie queries.
package prosperotest

import (
	"cmp"
	"net"
	"slices"
	"sync"

	"github.com/locus-url/locus/scheme/internal/ardp/ardptest"
)

// Options configure a server. With the zero value, the server serves only its directory, on a
// network without faults.
type Options struct {
	Host     string                                                    // host token of this server in replies, such as "PFS.EXAMPLE.EDU(11525)"; empty means its address
	Software string                                                    // software in VERSION replies; empty means "PROSPEROTEST"
	Local    bool                                                      // also offers the access method LOCAL, as servers do for clients on the same machine
	Archie   func(q Query) []Find                                      // answers Archie queries after an announced wait; nil means that the server has no Archie database
	Conn     net.PacketConn                                            // socket, which Close closes; nil means a new socket on a free loopback port
	Faults   ardptest.Faults                                           // network faults in both directions
	Reply    func(r *ardptest.Request) (reply ardptest.Reply, ok bool) // replaces the server's reply if ok is true
}

// Server is a running server. Its methods may be called concurrently.
type Server struct {
	o        Options
	objects  Directory
	host     string // host token in replies
	software string
	pc       net.PacketConn
	ardp     *ardptest.Server

	mu  sync.Mutex
	log []string
}

// Start starts a server that serves the given objects. The options o may be nil.
func Start(objects Directory, o *Options) (*Server, error) {
	s := newServer(objects, o)
	if s.pc = s.o.Conn; s.pc == nil {
		var err error
		if s.pc, err = net.ListenPacket("udp4", "127.0.0.1:0"); err != nil {
			return nil, err
		}
	}
	if s.host == "" {
		s.host = HostToken(s.Addr())
	}
	s.ardp = ardptest.Serve(ardptest.Faulty(s.pc, s.o.Faults), s.reply, nil)
	return s, nil
}

// newServer returns a server that does not listen.
func newServer(objects Directory, o *Options) *Server {
	s := &Server{objects: objects}
	if o != nil {
		s.o = *o
	}
	s.host, s.software = s.o.Host, cmp.Or(s.o.Software, "PROSPEROTEST")
	return s
}

// Addr returns the server's host and port, such as "127.0.0.1:33121".
func (s *Server) Addr() string { return s.pc.LocalAddr().String() }

// Requests returns the received messages in order. It lists a repeated message only once.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Close stops the server, and waits until its goroutines have returned.
func (s *Server) Close() error { return s.ardp.Close() }

func (s *Server) reply(r *ardptest.Request) ardptest.Reply {
	s.mu.Lock()
	s.log = append(s.log, string(r.Message))
	s.mu.Unlock()
	if s.o.Reply != nil {
		if reply, ok := s.o.Reply(r); ok {
			return reply
		}
	}
	x := exchange{s: s}
	x.run(string(r.Message))
	return ardptest.Reply{Message: x.out, Wait: x.wait}
}
