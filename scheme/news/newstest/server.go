// Package newstest is an NNTP server inside the process, for tests and for showing
// what a client sends: it logs every command it receives, with passwords too. It
// serves articles from memory, and can be told to misbehave.
//
// It has the reading commands of RFC 3977, XOVER (RFC 2980), STARTTLS (RFC 4642) and
// AUTHINFO USER (RFC 4643), or those of RFC 977 only.
package newstest

import (
	"crypto/tls"
	"net"
	"slices"
	"strings"

	"github.com/locus-url/locus/internal/servetest"
)

// Group is a newsgroup.
type Group struct {
	Description string
	Status      string // "y", "n", "m"; empty means "y"
	First       int64  // number of the first article; 0 means 1
	// Articles are the articles, oldest first; an empty text is a number without an
	// article. The message-id is that of the header.
	Articles []string
}

// Groups are the newsgroups of a server, by name.
type Groups map[string]Group

// Options of a server. The zero value is a server without logins, TLS and faults.
type Options struct {
	// Greeting is the first reply, without its end; empty: "200 newstest". After one
	// that does not begin with "2" the server closes the connection.
	Greeting string
	// RFC977 removes all later commands.
	RFC977 bool
	// Transit serves readers only after MODE READER, as INN does: 401.
	Transit bool
	// Unknown are commands that the server does not know: "OVER", "LIST ACTIVE".
	Unknown []string
	// Overview is the reply to LIST OVERVIEW.FMT, line by line, and the order of the
	// fields of OVER; nil: that of RFC 3977, and Xref.
	Overview []string

	// User and Password are the login that the groups of Private need; "*" means all
	// groups and the lists of groups. Groups of Barred are refused with a login too.
	User, Password string
	Private        []string
	Barred         []string
	// NeedTLS refuses a login without TLS: 483.
	NeedTLS bool

	// TLS is the configuration of STARTTLS; nil: the command is unknown. With Implicit
	// TLS begins with the first octet.
	TLS      *tls.Config
	Implicit bool

	// Listener is closed with the server; nil: a free port of the loopback.
	Listener net.Listener

	Fault Fault
}

// Fault is how a server misbehaves.
type Fault struct {
	// Replies replace the replies to commands, given by the verb or the first two
	// words; each is all its lines with their ends. The command is not carried out. An
	// empty one closes the connection.
	Replies map[string]string
	// Drop, a verb, closes the connection after DropLines lines of its block.
	Drop      string
	DropLines int
	// Endless, a verb, gets its reply and then EndlessText without end.
	Endless, EndlessText string
	// Silent, a verb, gets no reply.
	Silent string
}

// Server is a running server.
type Server struct {
	o      Options
	groups Groups
	names  []string // of groups, sorted
	l      net.Listener
	group  servetest.Group
	servetest.Commands
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
	s.group.Serve(s.l, func(c net.Conn) func() { return (&session{s: s, log: s.Begin(), conn: c}).serve })
	return s, nil
}

// Addr returns host and port: "127.0.0.1:33119".
func (s *Server) Addr() string { return s.l.Addr().String() }

// HangUp closes the open connections.
func (s *Server) HangUp() { s.group.HangUp() }

// Close closes the server and its connections, and waits until they have ended.
func (s *Server) Close() error { return s.group.Close() }

func (g Group) low() int64  { return max(g.First, 1) }
func (g Group) high() int64 { return g.low() + int64(len(g.Articles)) - 1 }

// count returns the number of articles.
func (g Group) count() (n int) {
	for _, text := range g.Articles {
		if text != "" {
			n++
		}
	}
	return n
}

// article returns the article with that number, or "".
func (g Group) article(number int64) string {
	if i := number - g.low(); i >= 0 && i < int64(len(g.Articles)) {
		return g.Articles[i]
	}
	return ""
}

// byID returns an article by its message-id with "<" and ">", and its group.
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

// header returns the content of a header field, unfolded.
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
