// Package newstest provides an in-process NNTP server for tests. The server serves articles
// from memory, and records every command that a client sends, including passwords. A [Fault]
// makes the server misbehave.
//
// The server supports the reading commands of RFC 3977, XOVER (RFC 2980), STARTTLS (RFC 4642)
// and AUTHINFO USER (RFC 4643). Optionally, it supports only the commands of RFC 977.
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
	// Articles contains the texts of the articles, oldest first. If an element is empty, the
	// server has no article with the corresponding number. The header of each article must
	// contain its message-id.
	Articles []string
}

// Groups maps names to the newsgroups of a server.
type Groups map[string]Group

// Options configures a server. With the zero Options, the server has no logins, TLS or faults.
type Options struct {
	// Greeting is the first line that the server sends, without CR LF. If Greeting is empty,
	// the server sends "200 newstest". If Greeting does not begin with "2", the server closes
	// the connection after it.
	Greeting string
	// RFC977 disables all commands that RFC 977 does not define.
	RFC977 bool
	// Transit means that the server, like INN, begins in transit mode. Until the client sends
	// MODE READER, the server replies 401 to commands that read articles.
	Transit bool
	// Unknown lists commands that the server does not support, such as "OVER" and "LIST
	// ACTIVE".
	Unknown []string
	// Overview contains the lines of the reply to LIST OVERVIEW.FMT, and determines the order
	// of fields in the reply to OVER. If Overview is nil, the fields are those of RFC 3977,
	// followed by Xref.
	Overview []string

	// User and Password are the login that the groups in Private require. In Private, "*"
	// means all groups and the lists of groups. The server denies access to the groups in
	// Barred even with a login.
	User, Password string
	Private        []string
	Barred         []string
	// NeedTLS means that the server replies 483 to a login without TLS.
	NeedTLS bool

	// TLS is the configuration for STARTTLS. If TLS is nil, the server does not support the
	// command. If Implicit is true, connections use TLS from the first byte.
	TLS      *tls.Config
	Implicit bool

	// Listener accepts the connections. Closing the server closes Listener. If Listener is
	// nil, the server listens on a free loopback port.
	Listener net.Listener

	Fault Fault
}

// Fault selects how a server misbehaves.
type Fault struct {
	// Replies replaces the replies to commands. A key is the verb or the first two words of a
	// command, which the server then does not execute. A value contains the whole reply, with
	// line ends. If the value is empty, the server closes the connection instead.
	Replies map[string]string
	// Drop is the verb of a command. In the reply to this command, the server closes the
	// connection after DropLines lines of the block.
	Drop      string
	DropLines int
	// Endless is the verb of a command. After the initial line of the reply to this command,
	// the server sends EndlessText repeatedly.
	Endless, EndlessText string
	// Silent is the verb of a command to which the server does not reply.
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

// Start starts a server. If o is nil, the server has the default options.
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

// Addr returns the host and port of the server, such as "127.0.0.1:33119".
func (s *Server) Addr() string { return s.l.Addr().String() }

// HangUp closes the open connections.
func (s *Server) HangUp() { s.group.HangUp() }

// Close closes the server and its connections, and waits for its goroutines.
func (s *Server) Close() error { return s.group.Close() }

func (g Group) low() int64  { return max(g.First, 1) }
func (g Group) high() int64 { return g.low() + int64(len(g.Articles)) - 1 }

// countArticles returns the number of articles in the group.
func (g Group) countArticles() (n int) {
	for _, text := range g.Articles {
		if text != "" {
			n++
		}
	}
	return n
}

// article returns the article with the given number, or "" if there is none.
func (g Group) article(number int64) string {
	if i := number - g.low(); i >= 0 && i < int64(len(g.Articles)) {
		return g.Articles[i]
	}
	return ""
}

// articleByID returns the article with the given message-id, and its group. The message-id
// includes "<" and ">".
func (s *Server) articleByID(id string) (group, text string) {
	for _, name := range s.names {
		for _, text := range s.groups[name].Articles {
			if text != "" && header(text, "Message-ID") == id {
				return name, text
			}
		}
	}
	return "", ""
}

// header returns the unfolded content of the named header field.
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
