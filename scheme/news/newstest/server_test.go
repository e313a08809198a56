package newstest_test

import (
	"bufio"
	"crypto/tls"
	"io"
	"net"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/scheme/news/newstest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

var groups = newstest.Groups{
	"a.b": {Description: "of a", First: 5, Articles: []string{"Subject: s\r\nMessage-ID:\r\n <x@y>\r\n\r\n.dot\r\n", "", "Message-ID: <z@y>\r\n\r\n"}},
	"c":   {Status: "n"},
	"p":   {Articles: []string{"Message-ID: <p@y>\r\n\r\n"}},
}

// sendCommands sends commands, which are separated by "|" in the parameter, and returns all
// replies as one text.
func sendCommands(t *testing.T, c net.Conn, commands string) string {
	t.Helper()
	defer c.Close()
	io.WriteString(c, strings.ReplaceAll(commands, "|", "\r\n")+"\r\nQUIT\r\n")
	b, err := io.ReadAll(bufio.NewReader(c))
	if err != nil {
		t.Error(err)
	}
	return strings.ReplaceAll(string(b), "\r\n", "|")
}

func start(t *testing.T, o *newstest.Options) (*newstest.Server, net.Conn) {
	t.Helper()
	s, err := newstest.Start(groups, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	return s, c
}

func TestConversation(t *testing.T) {
	s, c := start(t, &newstest.Options{User: "u", Password: "p w", Private: []string{"p"}})
	const commands = "ARTICLE 1|OVER|LISTGROUP|GROUP|GROUP x|group a.b|LISTGROUP|STAT|STAT 6|STAT x|HEAD <x@y>|BODY 5|ARTICLE <n@y>|OVER 1-9|OVER 6|LIST|LIST NEWSGROUPS|LIST X|" +
		"GROUP p|STAT <p@y>|AUTHINFO USER|AUTHINFO USER u|AUTHINFO PASS x|AUTHINFO USER u|AUTHINFO PASS p w|AUTHINFO USER u|GROUP p|AUTHINFO X|MODE X|POST|STARTTLS|NOSUCH||CAPABILITIES"
	const want = "200 newstest|412 no group is selected|412 no group is selected|412 no group is selected|501 GROUP name|411 no group x|211 2 5 7 a.b|211 2 5 7 a.b|5|7|.|" +
		"223 5 <x@y>|423 no article 6|501 a number or a message-id|221 0 <x@y>|Subject: s|Message-ID:| <x@y>|.|222 5 <x@y>|..dot|.|430 no such article|" +
		"224 overview follows|5\ts\t\t\t<x@y>\t\t41\t1\t|7\t\t\t\t<z@y>\t\t21\t0\t|.|423 no articles in that range|" +
		"215 list follows|a.b 7 5 y|c 0 1 n|p 1 1 y|.|215 list follows|a.b\tof a|.|503 no list of that|" +
		"480 a login is needed for p|480 a login is needed for p|381 and the password?|381 and the password?|481 wrong|381 and the password?|281 welcome|502 once is enough|211 1 1 1 p|" +
		"502 once is enough|501 MODE READER is the mode|440 no posting|502 no TLS|500 NOSUCH: not known here|500 nothing was said|" +
		"101 what there is|VERSION 2|IMPLEMENTATION newstest|READER|OVER MSGID|LIST ACTIVE NEWSGROUPS OVERVIEW.FMT|.|205 bye|"
	if got := sendCommands(t, c, commands); got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	if got := strings.Join(s.Log()[0], "|"); got != commands+"|QUIT" {
		t.Errorf("log %q", got)
	}
}

func TestModes(t *testing.T) {
	for _, c := range []struct {
		o              newstest.Options
		commands, want string
	}{
		{newstest.Options{Greeting: "502 no"}, "", "502 no|"},
		{newstest.Options{Transit: true}, "GROUP c|MODE READER|GROUP c", "200 newstest|401 MODE-READER|201 no posting|211 0 1 0 c|205 bye|"},
		{newstest.Options{RFC977: true}, "CAPABILITIES|MODE READER|LIST ACTIVE|OVER|GROUP a.b|STAT", "200 newstest|500 CAPABILITIES: not known here|500 MODE READER: not known here|500 LIST ACTIVE: not known here|500 OVER: not known here|211 2 5 7 a.b|223 5 <x@y>|205 bye|"},
		{newstest.Options{Private: []string{"*"}, NeedTLS: true}, "GROUP c|LIST|AUTHINFO USER u", "200 newstest|480 a login is needed|480 a login is needed|483 TLS is needed|205 bye|"},
		{newstest.Options{Overview: []string{"Message-ID:full"}}, "GROUP a.b|OVER 7|LIST OVERVIEW.FMT", "200 newstest|211 2 5 7 a.b|224 overview follows|7\tMessage-ID: <z@y>|.|215 order of fields|Message-ID:full|.|205 bye|"},
		{newstest.Options{Fault: newstest.Fault{Drop: "ARTICLE", DropLines: 1}}, "ARTICLE <x@y>", "200 newstest|220 0 <x@y>|Subject: s|"},
		{newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"GROUP": ""}}}, "GROUP c", "200 newstest|"},
		{newstest.Options{Fault: newstest.Fault{Silent: "GROUP"}}, "GROUP c", "200 newstest|205 bye|"},
		{newstest.Options{Fault: newstest.Fault{Replies: map[string]string{"GROUP": "999 x\r\n", "LIST ACTIVE": "215\r\n"}}}, "GROUP c|LIST ACTIVE", "200 newstest|999 x|215|205 bye|"},
	} {
		_, conn := start(t, &c.o)
		io.WriteString(conn, strings.ReplaceAll(c.commands, "|", "\r\n")+"\r\nQUIT\r\n")
		b, err := io.ReadAll(conn)
		conn.Close()
		// A server that disconnects early may reset the connection, which truncates the reply.
		if got := strings.ReplaceAll(string(b), "\r\n", "|"); got != c.want && (err == nil || !strings.HasPrefix(c.want, got)) {
			t.Errorf("%+v: %q, %v\nwant %q", c.o, got, err, c.want)
		}
	}
}

func TestTLS(t *testing.T) {
	server, client, err := certtest.Pair()
	if err != nil {
		t.Fatal(err)
	}
	client.ServerName = "127.0.0.1"
	_, conn := start(t, &newstest.Options{TLS: server, Implicit: true})
	if got := sendCommands(t, tls.Client(conn, client), "STARTTLS"); got != "200 newstest|502 no TLS|205 bye|" {
		t.Errorf("%q", got)
	}
	_, conn = start(t, &newstest.Options{TLS: server})
	r := bufio.NewReader(conn)
	r.ReadString('\n')
	io.WriteString(conn, "STARTTLS\r\n")
	if text, err := r.ReadString('\n'); !strings.HasPrefix(text, "382 ") || err != nil {
		t.Fatalf("%q, %v", text, err)
	}
	if got := sendCommands(t, tls.Client(conn, client), "GROUP c"); got != "211 0 1 0 c|205 bye|" {
		t.Errorf("%q", got)
	}
}

// Close must not wait for a client that has stopped reading an endless reply.
func TestCloseWhileEndless(t *testing.T) {
	s, conn := start(t, &newstest.Options{Fault: newstest.Fault{Endless: "LIST", EndlessText: "x\r\n"}})
	io.WriteString(conn, "LIST\r\n")
	io.ReadFull(conn, make([]byte, 100))
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	conn.Close()
	if _, err := net.Dial("tcp", s.Addr()); err == nil {
		t.Error("still there after Close")
	}
}
