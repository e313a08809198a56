// Package nntptest is a server of NNTP inside the process, for tests and for
// showing what a client sends: it keeps every command it receives, with passwords
// too. It is small and serves what it is given from memory; it can be told to
// misbehave.
//
// It knows RFC 3977 as far as clients that read go, XOVER of RFC 2980, RFC 4642
// (STARTTLS) and RFC 4643 (AUTHINFO USER), or RFC 977 alone.
package newstest

import (
	"crypto/tls"
	"net"
	"slices"
	"strings"
	"sync"

	"github.com/locus-url/locus/internal/servetest"
)

// Group is a newsgroup that a server has.
type Group struct {
	Description string
	Status      string // "y", "n", "m"; empty: "y"
	First       int64  // number of the first article; 0: 1
	// Articles are the octets of the articles, oldest first. An empty one is a
	// number at which there is none. An article has the message-id that its header
	// says.
	Articles []string
}

// Groups are what a server offers, by their names.
type Groups map[string]Group

// Options of a server. The zero value is a server for everybody that does all it
// can but TLS.
type Options struct {
	// Greeting is the first reply, without its end; empty: "200" and some words. With
	// one that does not begin with "2" the server says no more.
	Greeting string
	// RFC977 leaves out whatever came later than that.
	RFC977 bool
	// Transit serves readers only after MODE READER, as INN does: 401.
	Transit bool
	// Unknown are commands that the server does not know: "OVER", "LIST ACTIVE".
	Unknown []string
	// Overview is what LIST OVERVIEW.FMT says, line by line, and the order in which
	// OVER has the fields; nil: that of RFC 3977, and Xref.
	Overview []string

	// User and Password are a login, which Private needs: names of groups, or "*"
	// for all and the lists of them. Whoever is in Barred is not in them after it
	// either.
	User, Password string
	Private        []string
	Barred         []string
	// NeedTLS refuses a login in clear: 483.
	NeedTLS bool

	// TLS is what STARTTLS goes over to; nil: it is not known. With Implicit there
	// is TLS from the first octet on.
	TLS      *tls.Config
	Implicit bool

	// Listener is where it listens, and the server's to close; nil: a free port of
	// the loopback.
	Listener net.Listener

	Fault Fault
}

// Fault is how a server misbehaves.
type Fault struct {
	// Replies take the place of the reply to a command, given by its verb or by its
	// first two words; each is all its lines with their ends. The command is not
	// carried out.
	Replies map[string]string
	// HangUp, a verb, closes the connection in place of a reply to it.
	HangUp string
	// Drop, a verb, closes the connection after so many lines of the block that
	// answers it.
	Drop      string
	DropLines int
	// Endless, a verb, is answered by its reply and EndlessText without end.
	Endless, EndlessText string
	// Pieces sends each octet by itself.
	Pieces bool
	// Behind is sent with the reply to STARTTLS, in clear.
	Behind string
	// Silent, a verb, is not answered at all.
	Silent string
}

// Server is a server that runs.
type Server struct {
	o      Options
	groups Groups
	names  []string // of groups, in order
	l      net.Listener
	group  servetest.Group

	mu  sync.Mutex
	log [][]string
}

// Start starts a server. o may be nil.
func Start(groups Groups, o *Options) (*Server, error) {
	s := &Server{groups: groups}
	for name := range groups {
		s.names = append(s.names, name)
	}
	slices.Sort(s.names)
	if o != nil {
		s.o = *o
	}
	var err error
	if s.l, err = servetest.Listen(s.o.Listener); err != nil {
		return nil, err
	}
	s.group.Serve(s.l, s.begin)
	return s, nil
}

// Addr returns host and port: "127.0.0.1:33119".
func (s *Server) Addr() string { return s.l.Addr().String() }

// Log returns the commands that were received, in order, for each connection in
// the order they were opened.
func (s *Server) Log() [][]string {
	s.mu.Lock()
	defer s.mu.Unlock()
	list := make([][]string, len(s.log))
	for i, commands := range s.log {
		list[i] = slices.Clone(commands)
	}
	return list
}

// HangUp closes the connections that are open now.
func (s *Server) HangUp() { s.group.HangUp() }

// Close ends the server and all its connections, and waits until they are gone.
func (s *Server) Close() error { return s.group.Close() }

// begin gives a connection its place in the log.
func (s *Server) begin(c net.Conn) (handle func()) {
	s.mu.Lock()
	n := len(s.log)
	s.log = append(s.log, []string{})
	s.mu.Unlock()
	return (&session{s: s, n: n, conn: c}).serve
}

func (s *Server) logged(n int, command string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.log[n] = append(s.log[n], command)
}

func (g Group) low() int64  { return max(g.First, 1) }
func (g Group) high() int64 { return g.low() + int64(len(g.Articles)) - 1 }

// count is how many articles there are.
func (g Group) count() (n int) {
	for _, text := range g.Articles {
		if text != "" {
			n++
		}
	}
	return n
}

// article returns the article of that number, empty if there is none.
func (g Group) article(number int64) string {
	if i := number - g.low(); i >= 0 && i < int64(len(g.Articles)) {
		return g.Articles[i]
	}
	return ""
}

// byID returns the article of that message-id, with "<" and ">", and the group
// that it is in.
func (s *Server) byID(id string) (group, text string) {
	for _, name := range s.names {
		for _, text := range s.groups[name].Articles {
			if text != "" && header(text, "Message-ID") == id {
				return name, text
			}
		}
	}
	return "", ""
}

// header returns the content of a header of an article, its lines joined.
func header(text, name string) string {
	head, _, _ := strings.Cut(text, "\r\n\r\n")
	head = strings.NewReplacer("\r\n ", " ", "\r\n\t", "\t").Replace(head)
	for line := range strings.SplitSeq(head, "\r\n") {
		if field, content, ok := strings.Cut(line, ":"); ok && strings.EqualFold(field, name) {
			return strings.TrimSpace(content)
		}
	}
	return ""
}
