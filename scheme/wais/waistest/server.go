// Package waistest provides an in-process WAIS server for tests and
// demonstrations. It serves databases from memory and records the requests.
//
// The server sends the same responses as freeWAIS-sf 2.2.10, octet for octet except for the scores.
// It supports searches with "and", "or", "not" and parentheses, and relevance feedback. It returns
// documents in ranges of bytes or lines, and the description and catalogue of each database. A
// database named INFO lists the other databases. If freeWAIS cannot parse a request, the server
// responds with an empty packet. If a request would crash freeWAIS, the server closes the
// connection. freeWAIS crashes if a request names a document in an unknown database, or if the
// request lacks the database or the type. It also crashes if a range ends before it begins, or if a
// client sends a second request before it receives the first response.
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

// Options configures a server. The zero Options selects the defaults.
type Options struct {
	// Host is the address of this server in document-ids and source descriptions, such as
	// "localhost:8210". If Host is empty, the server uses the listening address.
	Host string
	// Dir is the directory of the databases in file paths. If Dir is empty, the directory is
	// "/wais".
	Dir string
	// Buffer is the maximum size of a response in bytes, without the packet header. Zero means
	// 100000. A client's Init may lower the maximum.
	Buffer int
	// Score returns the score of a document, or 0 if the document is not a hit. If Score is
	// nil, the server counts matching words.
	Score func(s Search, d *Document) int

	// Listener accepts the connections. Closing the server closes Listener. If Listener is
	// nil, the server listens on a free port of 127.0.0.1.
	Listener net.Listener
}

// Search describes a search by a client.
type Search struct {
	Database string   // name of the database
	Words    string   // words as the client sent them
	Like     [][]byte // texts of the example documents
}

// Server is a running server.
type Server struct {
	o         Options
	l         net.Listener
	databases map[string]*database
	group     servetest.Group

	mu   sync.Mutex
	log  []byte // packets of all recorded requests
	ends []int  // offset in log of the end of each packet
}

// Start starts a server. If o is nil, the server has the default options.
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

// Addr returns the host and port of the server, such as "127.0.0.1:33121".
func (s *Server) Addr() string { return s.l.Addr().String() }

// Wpath returns the wpath of a document, such as "1%3Dlocalhost%3A8210%3B2%3D...". The wpath
// contains the fields of the document-id in the syntax of RFC 1738. The parameter number is
// the index of the document in the database. If there is no such document, Wpath panics.
func (s *Server) Wpath(database string, number int) string {
	plain := escape.Alpha().Union(escape.Digit()).With(".-_$")
	var b []byte
	eachElement(s.databases[database].documents[number].id, func(tag int, content []byte) bool {
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
	Packet string // the bytes of the request, including the packet header
	// Line describes the request:
	//
	//	init 100000
	//	search coast "harbour buoy" 40
	//	search coast "buoy" 40 like "0 206 /wais/harbour/lamp.txt" TEXT 21-90 bytes
	//	retrieve coast "0 206 /wais/harbour/lamp.txt" TEXT 0-206 bytes
	//	unreadable
	Line string
}

// maxLogged is the maximum total size of the recorded requests in bytes.
const maxLogged = 4 << 20

// Requests returns the received requests in order of arrival. The server records only the
// first 4 MiB of requests.
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

// database returns the database with the given name. If there is no such database, it returns
// nil and the path that the database would have. If name contains several names, the first
// applies. If the name is a path, only the last element matters.
func (s *Server) database(name []byte) (db *database, path string) {
	name, _, _ = bytes.Cut(name, []byte("\x1f"))
	name = name[bytes.LastIndexByte(name, '/')+1:]
	if len(name) == 0 {
		return s.databases[infoDatabase], ""
	}
	if db := s.databases[string(name)]; db != nil {
		return db, ""
	}
	return nil, s.o.Dir + "/" + string(name)
}

func errorf(format string, args ...any) error { return fmt.Errorf("waistest: "+format, args...) }
