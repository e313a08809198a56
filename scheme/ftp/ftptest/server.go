// Package ftptest is a server of FTP inside the process, for tests and for
// showing what a client sends: it keeps every command it receives. It is small
// and serves what it is given from memory; it can be told to misbehave.
//
// It knows RFC 959 as far as clients that read go, RFC 2428 (EPSV, EPRT), RFC 3659
// (MLSD, SIZE, MDTM, REST) and RFC 4217 (AUTH TLS).
package ftptest

import (
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"net"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus/internal/servetest"
)

// File is something a server offers.
type File struct {
	Data    string
	ModTime time.Time // zero: the first second of 1994, a good year for URLs

	// Size, if it is not 0, is how many octets of a pattern there are in place of
	// Data; they take no memory.
	Size int64
}

// Files are what a server offers: paths without a leading "/", their parts
// separated by "/". A part may hold any octets but these. A path that ends in "/"
// is a directory; the directories on the way to a file need not be listed.
type Files map[string]File

// FromFS reads all regular files of fsys into memory.
func FromFS(fsys fs.FS) (Files, error) {
	files := Files{}
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && name != ".":
			files[name+"/"] = File{}
		case d.Type().IsRegular():
			data, err := fs.ReadFile(fsys, name)
			if err != nil {
				return err
			}
			info, err := d.Info()
			if err != nil {
				return err
			}
			files[name] = File{Data: string(data), ModTime: info.ModTime()}
		}
		return nil
	})
	return files, err
}

// EmptyCWD is what a server makes of a CWD command with an empty argument, about
// which real ones disagree.
type EmptyCWD uint8

const (
	EmptyHome   EmptyCWD = iota // 250, and to the login directory
	EmptyStay                   // 250, and nothing changes
	EmptyRoot                   // 250, and to the root
	EmptyRefuse                 // 550
)

// Options of a server. The zero value is a server for everybody that does all it
// can.
type Options struct {
	// User and Password are a login besides the anonymous one; an empty User: there
	// is none.
	User, Password string
	// Home is the login directory of User, a path as in Files. The anonymous login
	// is in the root.
	Home string
	// NoAnonymous refuses the anonymous login.
	NoAnonymous bool
	// NoPassword lets users in when they have told their name.
	NoPassword bool
	// Greeting is the first reply, all its lines; empty: a short one.
	Greeting string
	// EmptyCWD is what "CWD " does.
	EmptyCWD EmptyCWD
	// Unknown are verbs that the server does not know: "EPSV", "MLSD".
	Unknown []string
	// LyingPASV names another host in the reply to PASV, where nobody listens.
	LyingPASV bool

	// TLS is what AUTH TLS goes over to; nil: it is not known. With Implicit there
	// is TLS from the first octet on. With Reuse a data connection must resume the
	// TLS session of a control connection.
	TLS      *tls.Config
	Implicit bool
	Reuse    bool

	// Listener is where it listens, and the server's to close; nil: a free port of
	// the loopback.
	Listener net.Listener

	// ListenData opens a port for data, as net.Listen does; nil: net.Listen does.
	ListenData func(network, address string) (net.Listener, error)

	Fault Fault
}

// Fault is how a server misbehaves.
type Fault struct {
	// Cut ends the data of a transfer after so many octets, with the reply 426; 0:
	// none is. Cuts is how many transfers it happens to; 0: all.
	Cut  int64
	Cuts int
	// SilentCut ends it in the same place and says 226, as if all were sent.
	SilentCut bool
	// HangUp, a verb, closes the control connection in place of a reply to it.
	HangUp string
	// Replies take the place of the reply to a verb; each is all its lines with
	// their ends. The command is not carried out.
	Replies map[string]string
	// Endless, a verb, is answered by a reply of lines without end.
	Endless string
	// Pieces sends each octet of a reply by itself.
	Pieces bool
	// RefuseData names a port for data at which nobody listens.
	RefuseData bool
	// Early says 226 before 150.
	Early bool
	// WrongSize is added to what SIZE says.
	WrongSize int64
	// Listing makes up a listing: line i of a directory, for i from 0 to Lines.
	Listing func(i int) string
	Lines   int
	// List is the lines of the reply to LIST, in place of the directory's.
	List []string
	// Idle closes a control connection after so many transfers, with Farewell as
	// its last words.
	Idle     int
	Farewell string
}

// Server is a server that runs.
type Server struct {
	o     Options
	files Files
	l     net.Listener
	group servetest.Group

	mu   sync.Mutex
	log  [][]string
	cuts int
}

// Start starts a server. o may be nil.
func Start(files Files, o *Options) (*Server, error) {
	s := &Server{files: files}
	if o != nil {
		s.o = *o
	}
	if s.o.ListenData == nil {
		s.o.ListenData = net.Listen
	}
	var err error
	if s.l, err = servetest.Listen(s.o.Listener); err != nil {
		return nil, err
	}
	s.group.Serve(s.l, s.begin)
	return s, nil
}

// Addr returns host and port: "127.0.0.1:33121".
func (s *Server) Addr() string { return s.l.Addr().String() }

// Log returns the commands that were received, in order, for each control
// connection in the order they were opened.
func (s *Server) Log() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([][]string, len(s.log))
	for i, commands := range s.log {
		list[i] = slices.Clone(commands)
	}
	return list
}

// Close ends the server and all its connections, and waits until they are gone.
func (s *Server) Close() error { return s.group.Close() }

// begin gives a connection its place in the log.
func (s *Server) begin(c net.Conn) (handle func()) {
	s.mu.Lock()
	n := len(s.log)
	s.log = append(s.log, []string{})
	s.mu.Unlock()
	return func() { newSession(s, c, n).serve() }
}

// cut reports whether a transfer is to be cut off now.
func (s *Server) cut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.o.Fault.Cut == 0 || s.o.Fault.Cuts > 0 && s.cuts == s.o.Fault.Cuts {
		return false
	}
	s.cuts++
	return true
}

// resolve returns the path that argument names in dir, both absolute.
func resolve(dir, argument string) string {
	if !strings.HasPrefix(argument, "/") {
		argument = dir + "/" + argument
	}
	return path.Clean(argument)
}

// isDir reports whether the absolute path p is a directory.
func (s *Server) isDir(p string) bool {
	prefix := strings.TrimPrefix(p, "/") + "/"
	if p == "/" {
		return true
	}
	for name := range s.files {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return false
}

// file returns the file at the absolute path p.
func (s *Server) file(p string) (File, bool) {
	f, ok := s.files[strings.TrimPrefix(p, "/")]
	return f, ok && p != "/"
}

// entry is a name in a directory.
type entry struct {
	name string
	dir  bool
	file File
}

// entries returns what is in the directory p, in order.
func (s *Server) entries(p string) []entry {
	prefix := strings.TrimPrefix(p, "/") + "/"
	if p == "/" {
		prefix = ""
	}
	seen := map[string]entry{}
	for name, f := range s.files {
		rest, ok := strings.CutPrefix(name, prefix)
		if !ok || rest == "" {
			continue
		}
		first, _, dir := strings.Cut(rest, "/")
		if dir {
			f = File{}
		}
		seen[first] = entry{first, dir, f}
	}
	list := make([]entry, 0, len(seen))
	for _, e := range seen {
		list = append(list, e)
	}
	slices.SortFunc(list, func(a, b entry) int { return strings.Compare(a.name, b.name) })
	return list
}

func (f File) size() int64 {
	if f.Size != 0 {
		return f.Size
	}
	return int64(len(f.Data))
}

func (f File) modTime() time.Time {
	if f.ModTime.IsZero() {
		return time.Date(1994, 1, 1, 0, 0, 0, 0, time.UTC)
	}
	return f.ModTime.UTC()
}

// open returns the octets of f from offset on.
func (f File) open(offset int64) io.Reader {
	if f.Size != 0 {
		return &pattern{at: offset, left: max(f.Size-offset, 0)}
	}
	return strings.NewReader(f.Data[min(offset, int64(len(f.Data))):])
}

// pattern is octets that tell their place.
type pattern struct{ at, left int64 }

func (p *pattern) Read(b []byte) (int, error) {
	if p.left == 0 {
		return 0, io.EOF
	}
	b = b[:min(int64(len(b)), p.left)]
	for i := range b {
		b[i] = Octet(p.at + int64(i))
	}
	p.at += int64(len(b))
	p.left -= int64(len(b))
	return len(b), nil
}

// Octet returns the octet at place i of the pattern that a File with a Size is.
func Octet(i int64) byte { return byte(i) ^ byte(i>>8) ^ byte(i>>16) }

var errCut = errors.New("cut off")
