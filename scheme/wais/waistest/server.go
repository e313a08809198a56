// Package waistest is a server of WAIS inside the process, for tests and for
// showing what a client sends: it keeps the requests it receives. It is small and
// serves what it is given from memory.
//
// It answers as freeWAIS-sf 2.2.10 was measured to do, octet for octet but for the
// scores, which are its own: searches in words with "and", "or", "not" and
// parentheses, examples of what is wanted, documents in ranges of octets and of
// lines, the description and the catalogue of a database, and a database INFO that
// lists the others. What that server can't read gets an empty packet. What it dies
// of ends the connection: a document of an unknown database, a document-id
// without a database, a request without a type, a range that ends before it
// begins, a second request before the answer to the first.
package waistest

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/servetest"
)

// Options of a server. The zero value is a server that does all it can.
type Options struct {
	// Host is what stands for this server in document-ids and source descriptions:
	// "localhost:8210". Empty: the address it listens on.
	Host string
	// Dir is the folder in which the databases pretend to be; empty: "/wais".
	Dir string
	// Buffer is the most octets of a reply, without the packet's header; 0: 100000. A
	// client may agree to less.
	Buffer int
	// Score takes the place of counting words: what a document is worth to a search,
	// 0 if it is no hit.
	Score func(s Search, d *Document) int

	// Listener is where it listens, and the server's to close; nil: a free port of
	// the loopback.
	Listener net.Listener
}

// Search is what a client is looking for.
type Search struct {
	Database string   // its name
	Words    string   // as they came
	Like     [][]byte // texts that are examples of it
}

// Server is a server that runs.
type Server struct {
	o         Options
	l         net.Listener
	databases map[string]*database
	group     servetest.Group

	mu   sync.Mutex
	log  []byte // packets, one behind the other
	ends []int  // of each packet in log
}

// Start starts a server. o may be nil.
func Start(databases []Database, o *Options) (*Server, error) {
	s := &Server{}
	if o != nil {
		s.o = *o
	}
	var err error
	if s.l, err = servetest.Listen(s.o.Listener); err != nil {
		return nil, err
	}
	if s.o.Host == "" {
		s.o.Host = s.Addr()
	}
	if s.o.Dir == "" {
		s.o.Dir = "/wais"
	}
	if s.o.Buffer == 0 {
		s.o.Buffer = 100_000
	}
	if s.databases, err = load(databases, &s.o); err != nil {
		s.l.Close()
		return nil, err
	}
	s.group.Serve(s.l, func(c net.Conn) func() { return func() { s.newSession(c).serve() } })
	return s, nil
}

func (s *Server) newSession(c net.Conn) *session {
	return &session{s: s, c: c, r: bufio.NewReader(c), size: s.o.Buffer}
}

// Addr returns host and port: "127.0.0.1:33121".
func (s *Server) Addr() string { return s.l.Addr().String() }

// Wpath returns the document-id of a document as URLs have it: the fields of the URI
// draft, spelled as RFC 1738 has to spell them, "1%3Dlocalhost%3A8210%3B2%3D...". number is its place in the database, from 0 on. It
// panics if there is no such document.
func (s *Server) Wpath(database string, number int) string {
	plain := escape.Alpha().Union(escape.Digit()).With(".-_$")
	var b []byte
	for id := s.databases[database].documents[number].id; len(id) > 0; {
		tag, content, rest, _ := element(id)
		b = append(strconv.AppendInt(b, int64(tag), 10), "%3D"...)
		b = append(escape.AppendEncode(b, content, plain), "%3B"...)
		id = rest
	}
	return string(b)
}

// HangUp closes the connections that are open now.
func (s *Server) HangUp() { s.group.HangUp() }

// Close ends the server and all its connections, and waits until they are gone.
func (s *Server) Close() error { return s.group.Close() }

// Request is a request that was received.
type Request struct {
	Packet string // its octets, with the packet's header
	// Line is what it asks for:
	//
	//	init 100000
	//	search coast "harbour buoy" 40
	//	search coast "buoy" 40 like "0 206 /wais/harbour/lamp.txt" TEXT 21-90 bytes
	//	retrieve coast "0 206 /wais/harbour/lamp.txt" TEXT 0-206 bytes
	//	unreadable
	Line string
}

// mostLogged bounds the octets that are kept of requests.
const mostLogged = 4 << 20

// Requests returns the requests that were received, in the order in which they
// were complete: all of the first 4 MiB.
func (s *Server) Requests() []Request {
	s.mu.Lock()
	log, ends := string(s.log), slices.Clone(s.ends)
	s.mu.Unlock()
	list := make([]Request, len(ends))
	begin := 0
	for i, end := range ends {
		var q request
		line := "unreadable"
		if q.parse([]byte(log[begin+headerSize : end])) {
			line = q.String()
		}
		list[i] = Request{Packet: log[begin:end], Line: line}
		begin = end
	}
	return list
}

// Lines returns the Line of each request.
func (s *Server) Lines() []string {
	var list []string
	for _, r := range s.Requests() {
		list = append(list, r.Line)
	}
	return list
}

func (s *Server) received(header, apdu []byte) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.log)+len(header)+len(apdu) > mostLogged {
		return
	}
	s.log = append(append(s.log, header...), apdu...)
	s.ends = append(s.ends, len(s.log))
}

// database returns the database that a client names, nil if there is none, and
// then the path where it was looked for. Of a path the last name counts, and of
// several names the first.
func (s *Server) database(name []byte) (db *database, path string) {
	name, _, _ = bytes.Cut(name, []byte("\x1f"))
	name = name[bytes.LastIndexByte(name, '/')+1:]
	if len(name) == 0 {
		return s.databases[info], ""
	}
	if db := s.databases[string(name)]; db != nil {
		return db, ""
	}
	return nil, s.o.Dir + "/" + string(name)
}

// errorf is an error of this package.
func errorf(format string, args ...any) error { return fmt.Errorf("waistest: "+format, args...) }
