// Package ftptest provides an in-process FTP server for tests. The server serves files from
// memory, and records every command that a client sends. A [Fault] makes the server misbehave.
//
// The server supports the reading commands of RFC 959, EPSV and EPRT (RFC 2428), MLSD, SIZE,
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

// File is a file that a server serves.
type File struct {
	Data    string
	ModTime time.Time // the zero time means the first second of 1994

	// Size is the size of a generated file. If Size is not 0, the server ignores Data and
	// sends a pattern of Size octets, which needs no memory.
	Size int64
}

// Files maps paths without a leading "/" to files. A path that ends with "/" is a directory.
// The directories above a file may be omitted.
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

// EmptyCWD selects the effect of a CWD command with an empty argument, which differs between
// real servers.
type EmptyCWD uint8

const (
	EmptyHome   EmptyCWD = iota // change to the login directory
	EmptyStay                   // succeed and do nothing
	EmptyRoot                   // change to the root
	EmptyRefuse                 // reply 550
)

// Options configures a server. With the zero Options, the server permits anonymous logins and
// has no faults.
type Options struct {
	// User and Password are a login that the server accepts in addition to the anonymous
	// login. If User is empty, there is no such login.
	User, Password string
	// Home is the login directory of User, in the format of the paths in Files. The login
	// directory of the anonymous user is the root.
	Home string
	// NoAnonymous means that the server rejects the anonymous login.
	NoAnonymous bool
	// NoPassword means that the server accepts users without a password.
	NoPassword bool
	// Greeting is the first reply, with all lines. If Greeting is empty, the server sends a
	// short default greeting.
	Greeting string
	// EmptyCWD selects the effect of a CWD command with an empty argument.
	EmptyCWD EmptyCWD
	// Unknown lists verbs that the server does not support, such as "EPSV" and "MLSD".
	Unknown []string
	// LyingPASV means that the reply to PASV contains another host.
	LyingPASV bool

	// TLS is the configuration for AUTH TLS. If TLS is nil, the server does not support the
	// command. If Implicit is true, connections use TLS from the first byte. If Reuse is true,
	// a data connection must resume the TLS session of a control connection.
	TLS      *tls.Config
	Implicit bool
	Reuse    bool

	// Listener accepts the control connections. Closing the server closes Listener. If
	// Listener is nil, the server listens on a free loopback port.
	Listener net.Listener

	// ListenData listens for data connections. If ListenData is nil, the server uses
	// net.Listen.
	ListenData func(network, address string) (net.Listener, error)

	Fault Fault
}

// Fault selects how a server misbehaves.
type Fault struct {
	// Cut is the number of octets after which the server ends a transfer with reply 426. If
	// Cut is zero, the server does not end any transfer early. Cuts is the number of transfers to end
	// early; zero means all transfers.
	Cut  int64
	Cuts int
	// SilentCut means that the server replies 226 after a transfer that it ended early, as if
	// the transfer were complete.
	SilentCut bool
	// Replies replaces the replies to commands. A key is the verb of a command. The
	// server does not execute such a command. A value contains the whole reply, with line endings. If
	// the value is empty, the server closes the control connection instead.
	Replies map[string]string
	// Endless is the verb of a command to which the server sends an endless reply.
	Endless string
	// Listings maps listing verbs to the lines that the server sends instead of the normal
	// listing.
	Listings map[string]iter.Seq[string]
	// Idle is the number of transfers after which the server closes a control connection with
	// the reply Farewell.
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

// Start starts a server. If o is nil, the server has the default options.
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

// Addr returns the host and port of the server, such as "127.0.0.1:33121".
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

// resolve returns the absolute path for a command's argument. A relative argument is relative
// to dir, which must be an absolute path.
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

// open returns a reader for the contents of f from the given offset.
func (f File) open(offset int64) io.Reader {
	if f.Size != 0 {
		return &pattern{at: offset, left: max(f.Size-offset, 0)}
	}
	return strings.NewReader(f.Data[min(offset, int64(len(f.Data))):])
}

// pattern is a reader that generates octets, which depend only on their offset.
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

// Octet returns the octet at offset i of a generated file (see File.Size).
func Octet(i int64) byte { return byte(i) ^ byte(i>>8) ^ byte(i>>16) }

var errCut = errors.New("cut off")
