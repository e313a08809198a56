// Package newstest provides an in-process NNTP server for tests, and to show which
// commands a client sends: it logs every command, including passwords. It serves
// articles from memory, and [Fault] makes it misbehave.
//
// It supports the reading commands of RFC 3977, XOVER (RFC 2980), STARTTLS (RFC
// 4642) and AUTHINFO USER (RFC 4643), or only the commands of RFC 977.
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
	// Articles holds the articles, oldest first. If a text is empty, no article has that
	// number. The header contains the message-id.
	Articles []string
}

// Groups maps names to the newsgroups of a server.
type Groups map[string]Group

// Options configure a server. The zero value is a server without logins, TLS and faults.
type Options struct {
	// Greeting is the first reply, without its end. If empty, it is "200 newstest".
	// If it does not begin with "2", the server then closes the connection.
	Greeting string
	// RFC977 removes all later commands.
	RFC977 bool
	// Transit answers readers with 401 until they send MODE READER, like INN.
	Transit bool
	// Unknown lists commands that the server does not know, such as "OVER" and "LIST ACTIVE".
	Unknown []string
	// Overview is the reply to LIST OVERVIEW.FMT, line by line, and the order of the
	// fields of OVER. If nil, it is the order of RFC 3977, and Xref.
	Overview []string

	// User and Password are the login that the groups of Private require. "*" means
	// all groups and the lists of groups. The server denies the groups of Barred
	// even with a login.
	User, Password string
	Private        []string
	Barred         []string
	// NeedTLS rejects a login without TLS with 483.
	NeedTLS bool

	// TLS is the configuration for STARTTLS. If nil, the server does not know the
	// command. If Implicit is true, TLS begins with the first octet.
	TLS      *tls.Config
	Implicit bool

	// Listener accepts the connections, and is closed with the server. If nil, the server listens
	// on a free loopback port.
	Listener net.Listener

	Fault Fault
}

// Fault selects how a server misbehaves.
type Fault struct {
	// Replies replace the replies to commands. A key is the verb or the first two
	// words of a command. The server does not carry out such a command. Each value
	// contains all lines with their ends. An empty value closes the connection.
	Replies map[string]string
	// Drop is a verb. The server closes the connection after DropLines lines of its block.
	Drop      string
	DropLines int
	// Endless is a verb. The server sends its reply and then EndlessText repeatedly.
	Endless, EndlessText string
	// Silent is a verb to which the server does not reply.
	Silent string
}

// Server is a running server.
type Server struct {
	o      Options
	groups Groups
	names  []string // sorted names of the groups
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

// Addr returns host and port, such as "127.0.0.1:33119".
func (s *Server) Addr() string { return s.l.Addr().String() }

// HangUp closes the open connections.
func (s *Server) HangUp() { s.group.HangUp() }

// Close closes the server and its connections, and waits for its goroutines.
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

// article returns the article with the given number, or "".
func (g Group) article(number int64) string {
	if i := number - g.low(); i >= 0 && i < int64(len(g.Articles)) {
		return g.Articles[i]
	}
	return ""
}

// byID returns the article with the given message-id, and its group. The message-id
// includes "<" and ">".
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
