package prosperotest

import (
	"context"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus/scheme/internal/ardp"
	"github.com/locus-url/locus/scheme/internal/ardp/ardptest"
)

func start(t testing.TB, objects Directory, o *Options) *Server {
	t.Helper()
	s, err := Start(objects, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// ask sends a message and returns the reply.
func ask(t testing.TB, s *Server, message string) (string, error) {
	t.Helper()
	reply, err := ardp.New(&ardp.Options{Timer: 20 * time.Millisecond, Tries: 30}).Do(t.Context(), &ardp.Call{
		Message: []byte(message),
		Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp4", s.Addr())
		},
	})
	return string(reply), err
}

// replyTo executes commands on a server that does not listen, and returns the reply.
func replyTo(objects Directory, o *Options, commands string) string {
	s := newServer(objects, o)
	if s.host == "" {
		s.host = "h(1525)"
	}
	x := exchange{s: s}
	x.run(commands)
	return string(x.out)
}

func TestServer(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	s, err := Start(Directory{"/a": {Links: []Link{{Name: "b c"}}}, "/a/b c": {Data: "x\n"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	const list, contents = "DIRECTORY ASCII '/a'\nLIST '' COMPONENTS\n", "GET-OBJECT-INFO CONTENTS ASCII '/a/b c' 0\n"
	reply, err := ask(t, s, list)
	if want := "LINK  L FILE b' c' INTERNET-D " + HostToken(s.Addr()) + " ASCII '/a/b c' 0\n"; err != nil || reply != want {
		t.Errorf("says %q, %v; want %q", reply, err, want)
	}
	reply, err = ask(t, s, contents)
	if want := "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA x'\n'\n"; err != nil || reply != want {
		t.Errorf("says %q, %v; want %q", reply, err, want)
	}
	if got := s.Requests(); !slices.Equal(got, []string{list, contents}) {
		t.Errorf("the requests were %q", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}

// Despite network faults, long replies must arrive completely, and the server must execute each
// message only once.
func TestFaults(t *testing.T) {
	data := strings.Repeat("a line of a file that is long\n", 2000)
	s := start(t, Directory{"/a": {Data: data}}, &Options{Faults: ardptest.Faults{Loss: 0.3, Duplicate: 0.3, Reorder: 0.3, Seed: 5}})
	reply, err := ask(t, s, "GET-OBJECT-INFO CONTENTS ASCII '/a' 0\n")
	tokens, ok := split(strings.TrimSuffix(reply, "\n"))
	if err != nil || !ok || len(tokens) != 7 || tokens[6] != data {
		t.Errorf("%v, %d tokens in %d octets", err, len(tokens), len(reply))
	}
	if n := len(s.Requests()); n != 1 {
		t.Errorf("%d requests", n)
	}
}

func TestWait(t *testing.T) {
	s := start(t, Directory{"/a": {Data: "x", Wait: 7 * time.Second}}, nil)
	var waits []time.Duration
	_, err := ardp.New(nil).Do(t.Context(), &ardp.Call{
		Message: []byte("GET-OBJECT-INFO SIZE ASCII '/a' 0\n"),
		Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp4", s.Addr())
		},
		Progress: func(p ardp.Progress) { waits = append(waits, p.Wait) },
	})
	if err != nil || !slices.Contains(waits, 7*time.Second) {
		t.Errorf("%v, waits %v", err, waits)
	}
}

func TestReply(t *testing.T) {
	s := start(t, nil, &Options{Reply: func(r *ardptest.Request) (ardptest.Reply, bool) {
		return ardptest.Reply{Message: []byte("SUCCESS\n")}, string(r.Message) == "VERSION\n"
	}})
	for message, want := range map[string]string{"VERSION\n": "SUCCESS\n", "VERSION\nVERSION 5 X\n": "VERSION 5 PROSPEROTEST\n"} {
		if got, err := ask(t, s, message); got != want || err != nil {
			t.Errorf("%q: says %q, %v; want %q", message, got, err, want)
		}
	}
}

// The test cases show behavior that does not occur in the captured conversations.
func TestCommands(t *testing.T) {
	objects := Directory{
		"/a":        {Links: []Link{{Name: "one"}, {Name: "gone"}}},
		"/a/two":    {Data: "2", NoContents: true},
		"/a/sub":    {Links: []Link{}},
		"/a/closed": {Links: []Link{}, Fail: "NOT-AUTHORIZED for members"},
	}
	for _, test := range []struct{ commands, want string }{
		{"LIST '' COMPONENTS\n", "FAILURE NOT-AUTHORIZED\n"},
		{"DIRECTORY ASCII '/a/closed'\nLIST '' COMPONENTS\n", "FAILURE NOT-AUTHORIZED for members\n"},
		{"DIRECTORY ASCII '/a'\nLIST\n", "ERROR Malformed input line: LIST\n"},
		{"DIRECTORY ASCII '/a'\nLIST COMPONENTS\n", "ERROR Malformed input line: LIST' COMPONENTS'\n"},
		{"DIRECTORY '/a'\n", "ERROR Malformed input line: DIRECTORY' ''/a'''\n"},
		{"\nVERSION\n", "ERROR Malformed input line: Read' Prospero message with an empty line.'\n"},
		{"GET-OBJECT-INFO ACCESS-METHOD ASCII '/a/two' 0\n", "NONE-FOUND\n"},
		{"GET-OBJECT-INFO CONTENTS ASCII '/a/two' 0\n", "NONE-FOUND\n"},
		{"GET-OBJECT-INFO CONTENTS ASCII '/a/sub' 0\n", "NONE-FOUND\n"},
		{"GET-OBJECT-INFO SIZE ASCII '/b' 0\n", "FAILURE NOT-AUTHORIZED\n"},
		{"GET-OBJECT-INFO SIZE ASCII '' 0\n", "FAILURE NOT-AUTHORIZED\n"},
		{"GET-OBJECT-INFO SIZE ASCII '/a/gone' 0\nVERSION\n", "FAILURE NOT-FOUND\n"},
		{"GET-OBJECT-INFO SIZE ASCII 'ARCHIE/MATCH(1,1,1,0,s)/x' 0\n", "FAILURE NOT-AUTHORIZED\n"},
	} {
		if got := replyTo(objects, nil, test.commands); got != test.want {
			t.Errorf("%s: says\n%s\nwant\n%s", test.commands, got, test.want)
		}
	}
}

func TestArchie(t *testing.T) {
	table := []Find{
		{Site: "ftp.example.org", Path: "/pub/gnu/emacs.tar", Size: 1},
		{Site: "ftp.example.fi", Path: "/gnu/emacs.tar", Size: 1},
		{Site: "ftp.example.fi", Path: "/gnu/GNUemacs", Directory: true, Size: 512},
		{Site: "ftp.example.fi", Path: "/gnu/emacs", Size: 1},
		{Site: "ftp.example.fi", Path: "/README", Size: 1},
	}
	for _, test := range []struct {
		query string
		want  string // names and sites of the results
	}{
		{"MATCH(9,9,9,0,s)/emacs", "emacs@ftp.example.fi"},
		{"MATCH(9,9,9,0,S)/EMACS", "emacs.tar@ftp.example.org emacs.tar@ftp.example.fi GNUemacs/ emacs@ftp.example.fi"},
		{"MATCH(9,9,9,0,C)/GNU", "GNUemacs/"},
		{"MATCH(9,9,9,0,C)/gnu", ""},
		{"MATCH(9,9,9,0,c)/GNU", "GNUemacs/"},
		{"MATCH(9,9,9,0,r)/^em.*r$", "emacs.tar@ftp.example.org emacs.tar@ftp.example.fi"},
		{"MATCH(9,9,9,0,r)/(", ""},
		{"MATCH(9,9,9,0,=)/gnu", ""},
		{"MATCH(2,9,9,0,S)/emacs", "emacs.tar@ftp.example.org emacs.tar@ftp.example.fi"},
		{"MATCH(9,9)/x", "FAILURE NOT-FOUND"},
		{"MATCH", "FAILURE NOT-FOUND"},
		{"MATCH(10001,9,9,0,s)/x", "FAILURE NOT-AUTHORIZED Legal' values for max hits are between 1 and 10000 '"},
		{"HOST/ftp.example.fi/gnu", "emacs.tar@ftp.example.fi GNUemacs/ emacs@ftp.example.fi"},
		{"HOST/ftp.example.fi/", "README@ftp.example.fi"},
		{"HOST/ftp.example.fi", "README@ftp.example.fi"},
		{"HOST/nowhere/", ""},
	} {
		commands := "DIRECTORY ASCII 'ARCHIE/" + test.query + "'\nLIST '' COMPONENTS\n"
		if got := finds(replyTo(nil, &Options{Archie: Search(table)}, commands)); got != test.want {
			t.Errorf("%s: finds %q, want %q", test.query, got, test.want)
		}
	}
	info := replyTo(nil, &Options{Archie: Search(table)}, "GET-OBJECT-INFO SIZE ASCII 'ARCHIE/MATCH(9,9,9,0,s)/emacs' 0\n")
	if info != "NONE-FOUND\n" {
		t.Errorf("says %q of a query", info)
	}
}

// finds returns a summary of the links in a reply.
func finds(reply string) string {
	var list []string
	for line := range strings.Lines(reply) {
		tokens, _ := split(strings.TrimSuffix(line, "\n"))
		switch {
		case tokens[0] == "FAILURE":
			return strings.TrimSuffix(line, "\n")
		case tokens[0] == "NONE-FOUND" || tokens[0] == "ATTRIBUTE":
		case tokens[2] == "EXTERNAL":
			list = append(list, tokens[3]+"@"+tokens[5])
		case strings.HasPrefix(tokens[7], archieHost):
			list = append(list, tokens[3]+"/")
		default:
			list = append(list, tokens[7])
		}
	}
	return strings.Join(list, " ")
}

func TestHostToken(t *testing.T) {
	for addr, want := range map[string]string{"127.0.0.1:1525": "127.0.0.1(1525)", "H.EDU": "H.EDU"} {
		if got := HostToken(addr); got != want {
			t.Errorf("HostToken(%q) = %q, want %q", addr, got, want)
		}
	}
}
