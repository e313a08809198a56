// Package prosperotest is a server of Prospero inside the process, for tests and
// for showing what a client sends: it keeps every message it receives. It is small
// and serves what it is given from memory; it quotes, orders and refuses as the
// original server of 1994 was measured to do, and its network can lose datagrams.
//
// It knows what a client that reads needs of version 5: directories and files,
// attributes, links to elsewhere, what has moved, Archie queries, and the lists of
// version 1.
package prosperotest

import (
	"net"
	"slices"
	"sync"

	"github.com/locus-url/locus/internal/ardp/ardptest"
)

// Options of a server. The zero value is a server of its directory alone, on a
// network without faults.
type Options struct {
	// Host is what stands for this server in replies: "PFS.EXAMPLE.EDU(11525)";
	// empty: the address it listens on.
	Host string
	// Software is what VERSION says besides the number; empty: "PROSPEROTEST".
	Software string
	// Local offers files by LOCAL too, as servers do to a client of the same machine.
	Local bool
	// Old speaks version 1 alone: all else is VERSION-NOT-SUPPORTED.
	Old bool
	// Archie answers queries of files in archives, and tells clients to wait for it;
	// nil: there is no such database.
	Archie func(q Query) []Find
	// Reply takes the place of what a message gets, where it says so.
	Reply func(r *ardptest.Request) (reply ardptest.Reply, ok bool)
	// Conn is where it receives, and the server's to close; nil: a free port of the
	// loopback.
	Conn net.PacketConn
	// Faults are those of the network, both ways.
	Faults ardptest.Faults
}

// Server is a server that runs.
type Server struct {
	o        Options
	objects  Directory
	host     string // what stands for it in replies
	software string
	pc       net.PacketConn
	ardp     *ardptest.Server

	mu  sync.Mutex
	log []string
}

// Start starts a server. o may be nil.
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

// newServer returns a server that does not listen yet.
func newServer(objects Directory, o *Options) *Server {
	s := &Server{objects: objects}
	if o != nil {
		s.o = *o
	}
	s.host, s.software = s.o.Host, s.o.Software
	if s.software == "" {
		s.software = "PROSPEROTEST"
	}
	return s
}

// Addr returns host and port: "127.0.0.1:33121".
func (s *Server) Addr() string { return s.pc.LocalAddr().String() }

// Requests returns the messages that were received, in order. One that came twice
// is there once.
func (s *Server) Requests() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.log)
}

// Close ends the server, and waits until it is gone.
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
	return ardptest.Reply{Message: x.out, Wait: x.wait, NoID: x.old}
}
