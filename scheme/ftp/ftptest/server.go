// Package ftptest provides an in-process FTP server for tests, and to show which
// commands a client sends: it logs every command. It serves files from memory, and
// [Fault] makes it misbehave.
//
// It supports the reading commands of RFC 959, EPSV and EPRT (RFC 2428), MLSD, SIZE,
// MDTM and REST (RFC 3659), and AUTH TLS (RFC 4217).
package ftptest

import (
	"crypto/tls"
	"errors"
	"io"
	"io/fs"
	"iter"
	"net"
	"path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus/internal/servetest"
)

// File is a file of the server.
type File struct {
	Data    string
	ModTime time.Time // zero means the first second of 1994

	// Size, if not 0, replaces Data by a pattern of Size octets, which needs no memory.
	Size int64
}

// Files maps paths, without a leading "/", to the files of a server. A path that ends
// with "/" is a directory. The directories above a file may be omitted.
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

// EmptyCWD selects the effect of a CWD command with an empty argument. Real servers
// disagree.
type EmptyCWD uint8

const (
	EmptyHome   EmptyCWD = iota // change to the login directory
	EmptyStay                   // succeed and do nothing
	EmptyRoot                   // change to the root
	EmptyRefuse                 // 550
)

// Options configure a server. The zero value is a server with anonymous logins and
// without faults.
type Options struct {
	// User and Password are a login besides the anonymous one. If User is empty, there is none.
	User, Password string
	// Home is the login directory of User, a path as in Files. The login directory
	// of the anonymous user is the root.
	Home string
	// NoAnonymous rejects the anonymous login.
	NoAnonymous bool
	// NoPassword accepts users without a password.
	NoPassword bool
	// Greeting is the first reply with all its lines. If empty, it is a short default.
	Greeting string
	// EmptyCWD selects the effect of "CWD ".
	EmptyCWD EmptyCWD
	// Unknown lists verbs that the server does not know, such as "EPSV" and "MLSD".
	Unknown []string
	// LyingPASV names another host in the reply to PASV.
	LyingPASV bool

	// TLS is the configuration for AUTH TLS. If nil, the server does not know the
	// command. If Implicit is true, TLS begins with the first octet. If Reuse is true,
	// a data connection must resume the TLS session of a control connection.
	TLS      *tls.Config
	Implicit bool
	Reuse    bool

	// Listener accepts the control connections, and is closed with the server. If nil, the server listens on a free
	// loopback port.
	Listener net.Listener

	// ListenData listens for data connections. If nil, it is net.Listen.
	ListenData func(network, address string) (net.Listener, error)

	Fault Fault
}

// Fault selects how a server misbehaves.
type Fault struct {
	// Cut ends a transfer after Cut octets with the reply 426. Zero means never. Cuts is
	// the number of transfers to cut. Zero means all.
	Cut  int64
	Cuts int
	// SilentCut replies 226 after a cut transfer, as if it were complete.
	SilentCut bool
	// Replies replace the replies to verbs. The server does not carry out such a
	// command. Each value contains all lines with their ends. An empty value closes
	// the control connection.
	Replies map[string]string
	// Endless is a verb to which the server sends an endless reply.
	Endless string
	// Listings replace the lines of the replies to listing verbs.
	Listings map[string]iter.Seq[string]
	// Idle closes a control connection after that many transfers, with the
	// reply Farewell.
	Idle     int
	Farewell string
}

// Server is a running server.
type Server struct {
	o     Options
	files Files
	l     net.Listener
	group servetest.Group
	servetest.Commands

	mu   sync.Mutex
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
	s.group.Serve(s.l, func(c net.Conn) func() { return newSession(s, c, s.Begin()).serve })
	return s, nil
}

// Addr returns host and port, such as "127.0.0.1:33121".
func (s *Server) Addr() string { return s.l.Addr().String() }

// Close closes the server and its connections, and waits for its goroutines.
func (s *Server) Close() error { return s.group.Close() }

func (s *Server) cut() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.o.Fault.Cut == 0 || s.o.Fault.Cuts > 0 && s.cuts == s.o.Fault.Cuts {
		return false
	}
	s.cuts++
	return true
}

// resolve returns the absolute path of a command's argument, which may be relative to the
// directory dir. The path dir is absolute.
func resolve(dir, argument string) string {
	if !strings.HasPrefix(argument, "/") {
		argument = dir + "/" + argument
	}
	return path.Clean(argument)
}

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

func (s *Server) file(p string) (File, bool) {
	f, ok := s.files[strings.TrimPrefix(p, "/")]
	return f, ok && p != "/"
}

type entry struct {
	name string
	dir  bool
	file File
}

// entries returns the entries of the directory p, sorted.
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

// open returns a reader of the octets of f from offset.
func (f File) open(offset int64) io.Reader {
	if f.Size != 0 {
		return &pattern{at: offset, left: max(f.Size-offset, 0)}
	}
	return strings.NewReader(f.Data[min(offset, int64(len(f.Data))):])
}

// pattern is a reader of octets that depend only on their offset.
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

// Octet returns the octet at offset i of a File with a Size.
func Octet(i int64) byte { return byte(i) ^ byte(i>>8) ^ byte(i>>16) }

var errCut = errors.New("cut off")
