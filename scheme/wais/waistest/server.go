// Package waistest provides an in-process WAIS server for tests and
// demonstrations. It serves databases from memory and records the requests.
//
// It answers like freeWAIS-sf 2.2.10, octet for octet except for the scores. It
// supports searches for words with "and", "or", "not" and parentheses, relevance
// feedback, documents in ranges of octets and of lines, the description and the
// catalogue of a database, and a database INFO that lists the others. It answers a
// request that freeWAIS cannot read with an empty packet. It closes the connection
// for a request that crashes freeWAIS: a document of an unknown database, a
// document-id without a database, a request without a type, a range that ends before
// it begins, and a second request before the response to the first.
package waistest

import (
	"bufio"
	"bytes"
	"cmp"
	"fmt"
	"net"
	"slices"
	"strconv"
	"sync"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/servetest"
)

// Options configure a server. The zero value selects the defaults.
type Options struct {
	// Host is the address of this server in document-ids and source descriptions, such
	// as "localhost:8210". If empty, it is the listening address.
	Host string
	// Dir is the directory of the databases in paths. If empty, it is "/wais".
	Dir string
	// Buffer is the maximum length of a reply in octets, without the packet's header.
	// Zero means 100000. An Init may lower it.
	Buffer int
	// Score returns the score of a document, or 0 if it is not a hit. If nil, the
	// server counts words.
	Score func(s Search, d *Document) int

	// Listener accepts the connections, and is closed with the server. If nil,
	// the server listens on a free port of 127.0.0.1.
	Listener net.Listener
}

// Search is a search by a client.
type Search struct {
	Database string   // name of the database
	Words    string   // as sent
	Like     [][]byte // texts of the examples
}

// Server is a running server.
type Server struct {
	o         Options
	l         net.Listener
	databases map[string]*database
	group     servetest.Group

	mu   sync.Mutex
	log  []byte // packets of the requests
	ends []int  // offset in log of the end of each packet
}

// Start starts a server. o may be nil.
func Start(databases []Database, o *Options) (*Server, error) {
	s := &Server{}
	if o != nil {
		s.o = *o
	}
	s.o.Dir = cmp.Or(s.o.Dir, "/wais")
	s.o.Buffer = cmp.Or(s.o.Buffer, 100_000)
	var err error
	if s.l, err = servetest.Listen(s.o.Listener); err != nil {
		return nil, err
	}
	s.o.Host = cmp.Or(s.o.Host, s.Addr())
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

// Addr returns the host and port, such as "127.0.0.1:33121".
func (s *Server) Addr() string { return s.l.Addr().String() }

// Wpath returns the wpath of a document: the fields of its document-id, written as in RFC
// 1738, such as "1%3Dlocalhost%3A8210%3B2%3D...". The parameter number is the index of
// the document in the database. Wpath panics if there is no such document.
func (s *Server) Wpath(database string, number int) string {
	plain := escape.Alpha().Union(escape.Digit()).With(".-_$")
	var b []byte
	elements(s.databases[database].documents[number].id, func(tag int, content []byte) bool {
		b = append(strconv.AppendInt(b, int64(tag), 10), "%3D"...)
		b = append(escape.AppendEncode(b, content, plain), "%3B"...)
		return true
	})
	return string(b)
}

// Close closes the server and its connections, and waits for their handlers.
func (s *Server) Close() error { return s.group.Close() }

// Request is a request from a client.
type Request struct {
	Packet string // the octets, including the packet's header
	// Line describes the request:
	//
	//	init 100000
	//	search coast "harbour buoy" 40
	//	search coast "buoy" 40 like "0 206 /wais/harbour/lamp.txt" TEXT 21-90 bytes
	//	retrieve coast "0 206 /wais/harbour/lamp.txt" TEXT 0-206 bytes
	//	unreadable
	Line string
}

// maxLogged is the maximum number of octets of requests that the server records.
const maxLogged = 4 << 20

// Requests returns the requests in the order of arrival. It records only the first 4
// MiB.
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
	if len(s.log)+len(header)+len(apdu) > maxLogged {
		return
	}
	s.log = append(append(s.log, header...), apdu...)
	s.ends = append(s.ends, len(s.log))
}

// database returns the database with the given name. If there is no such database, it
// returns nil and the path of the database. If name holds several names, database uses the
// first. It uses only the last element of a path.
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

func errorf(format string, args ...any) error { return fmt.Errorf("waistest: "+format, args...) }
