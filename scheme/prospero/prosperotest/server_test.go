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

	"github.com/locus-url/locus/internal/ardp"
	"github.com/locus-url/locus/internal/ardp/ardptest"
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

// says returns the replies to commands of a server that does not listen.
func says(objects Directory, o *Options, commands string) string {
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

// Whatever the network does, long replies arrive whole and each message is executed once.
func TestFaults(t *testing.T) {
	data := strings.Repeat("a line of a file that is long\n", 2000)
	s := start(t, Directory{"/a": {Data: data}}, &Options{Faults: ardptest.Faults{Loss: 0.3, Duplicate: 0.3, Reorder: 0.3, Seed: 5}})
	reply, err := ask(t, s, "GET-OBJECT-INFO CONTENTS ASCII '/a' 0\n")
	tokens, ok := split(strings.TrimSuffix(reply, "\n"))
	if err != nil || !ok || len(tokens) != 7 || tokens[6].Text != data {
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

// Behaviour that the captured conversations do not show.
func TestCommands(t *testing.T) {
	objects := Directory{
		"/a":        {Links: []Link{{Name: "one"}, {Name: "two"}, {Name: "sub"}, {Name: "gone"}, {Name: "closed"}, {Name: "(x)", HSOName: "/a/one"}, {Name: "none", Host: "E.EDU", HSOName: "x", Version: 3}}},
		"/a/one":    {Data: "1"},
		"/a/two":    {Data: "2", NoContents: true},
		"/a/sub":    {Links: []Link{{Name: "in"}}},
		"/a/closed": {Links: []Link{}, Fail: "NOT-AUTHORIZED for members"},
	}
	const one, two, sub = "LINK  L FILE one INTERNET-D h(1525) ASCII '/a/one' 0\n", "LINK  L FILE two INTERNET-D h(1525) ASCII '/a/two' 0\n", "LINK  L DIRECTORY sub INTERNET-D h(1525) ASCII '/a/sub' 0\n"
	for _, test := range []struct{ commands, want string }{
		{"LIST '' COMPONENTS\n", "FAILURE NOT-AUTHORIZED\n"},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS one", one},
		{"DIRECTORY ASCII '/a' 0\nSELECT OBJECT FIELD ID REMOTE 1\nLIST LEXPAND COMPONENTS t*\n", two},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS ?n?\n", one},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS (^.[nw])\n", one + two},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS (x)\n", "LINK  L FILE (x) INTERNET-D h(1525) ASCII '/a/one' 0\n"},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS ((\n", "NONE-FOUND\n"},
		{"DIRECTORY ASCII '/a'\nLIST ATTRIBUTES(SIZE) COMPONENTS sub\n", sub},
		{"DIRECTORY ASCII '/a'\nLIST ATTRIBUTES COMPONENTS two\n", two +
			"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 1' bytes'\nATTRIBUTE OBJECT INTRINSIC NATIVE-OWNER SEQUENCE root\n" +
			"ATTRIBUTE OBJECT INTRINSIC NATIVE-GROUP SEQUENCE root\nATTRIBUTE OBJECT INTRINSIC LAST-MODIFIED SEQUENCE 19940101000000Z\n" +
			"ATTRIBUTE OBJECT INTRINSIC UNIX-MODES SEQUENCE -rw-r--r--\n"},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS sub in\n", "LINK  L FILE in INTERNET-D h(1525) ASCII '/a/sub/in' 0\n"},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS sub/in\n", "LINK  L FILE in INTERNET-D h(1525) ASCII '/a/sub/in' 0\n"},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS 'sub/in'\n", "NONE-FOUND\n"},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS one in\n", "FAILURE NOT-A-DIRECTORY\n"},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS nowhere in\n", "NONE-FOUND\n"},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS none in deep\n", "LINK  L FILE none INTERNET-D E.EDU ASCII x 3\nUNRESOLVED in deep\n"},
		{"DIRECTORY ASCII '/a'\nLIST '' COMPONENTS closed in\n", "LINK  L DIRECTORY closed INTERNET-D h(1525) ASCII '/a/closed' 0\nUNRESOLVED in\n"},
		{"DIRECTORY ASCII '/a/closed'\nLIST '' COMPONENTS\n", "FAILURE NOT-AUTHORIZED for members\n"},
		{"DIRECTORY ASCII '/a'\nLIST\n", "ERROR Malformed input line: LIST' without options or COMPONENTS'\n"},
		{"DIRECTORY ASCII '/a'\nLIST COMPONENTS\n", "ERROR Malformed input line: LIST' without options or COMPONENTS'\n"},
		{"DIRECTORY '/a'\n", "ERROR Malformed input line: DIRECTORY' ''/a'''\n"},
		{"\nVERSION\n", "ERROR Malformed input line: Read' Prospero message with an empty line.'\n"},
		{"DIRECTORY ASCII '/a'\nLIST FILTER COMPONENTS\nFILTER 'DIRECTORY\n", "ERROR Malformed input line: Read' Prospero message with an unterminated quote'\n"},
		{"GET-OBJECT-INFO ACCESS-METHOD ASCII '/a/two' 0\n", "NONE-FOUND\n"},
		{"GET-OBJECT-INFO CONTENTS ASCII '/a/two' 0\n", "NONE-FOUND\n"},
		{"GET-OBJECT-INFO CONTENTS ASCII '/a/sub' 0\n", "NONE-FOUND\n"},
		{"GET-OBJECT-INFO SIZE ASCII '/b' 0\n", "FAILURE NOT-AUTHORIZED\n"},
		{"GET-OBJECT-INFO SIZE ASCII '' 0\n", "FAILURE NOT-AUTHORIZED\n"},
		{"GET-OBJECT-INFO SIZE ASCII '/a/gone' 0\nVERSION\n", "FAILURE NOT-FOUND\n"},
		{"GET-OBJECT-INFO SIZE ASCII 'ARCHIE/MATCH(1,1,1,0,s)/x' 0\n", "FAILURE NOT-AUTHORIZED\n"},
	} {
		if got := says(objects, nil, test.commands); got != test.want {
			t.Errorf("%s: says\n%s\nwant\n%s", test.commands, got, test.want)
		}
	}
	if got, want := says(objects, &Options{Old: true}, "VERSION 5 X\nVERSION\n"), "VERSION-NOT-SUPPORTED TRY 1"; got != want {
		t.Errorf("says %q, want %q", got, want)
	}
}

func TestOld(t *testing.T) {
	objects := Directory{"/a": {Links: []Link{
		{Name: "file", Host: "E.EDU", HSOName: "/x", Methods: []Method{{"AFTP", "", "", "", "", "BINARY"}}, Attributes: []Attribute{{Name: "N", Value: []string{"a", "b"}}, {Name: "F", Filter: []string{"x"}}}},
		{Name: "sym", Union: true, Target: "SYMBOLIC", Host: "#/VS", HSOName: "/y"},
		{Name: "two words", HSOName: "/y"},
	}}}
	got := says(objects, nil, "VERSION 1\nAUTHENTICATOR UNAUTHENTICATED guest\nDIRECTORY ASCII /a 0 0\nLIST ATTRIBUTES COMPONENTS\n")
	want := "LINK L EXTERNAL(AFTP,BINARY) file INTERNET-D E.EDU ASCII /x 0 0\nLINK-INFO CACHED N ASCII a b\n" +
		"LINK U SYM-LINK sym INTERNET-D #/VS ASCII /y 0 0\n" +
		"WARNING OUT-OF-DATE Some information you wanted can't be sent. Upgrade to Prospero v5.\n"
	if got != want {
		t.Errorf("says\n%s\nwant\n%s", got, want)
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
		want  string // name and site of what is found
	}{
		{"MATCH(9,9,9,0,s)/emacs", "emacs@ftp.example.fi"},
		{"MATCH(9,9,9,0,S)/EMACS", "emacs.tar@ftp.example.org emacs.tar@ftp.example.fi GNUemacs/ emacs@ftp.example.fi"},
		{"MATCH(9,9,9,0,C)/GNU", "GNUemacs/"},
		{"MATCH(9,9,9,0,C)/gnu", ""},
		{"MATCH(9,9,9,0,c)/GNU", "GNUemacs/"},
		{"MATCH(9,9,9,0,r)/^em.*r$", "emacs.tar@ftp.example.org emacs.tar@ftp.example.fi"},
		{"MATCH(9,9,9,0,r)/(", ""},
		{"MATCH(9,9,9,0,=)/gnu", ""},
		{"MATCH(9,9,9,0,n)/README", "README@ftp.example.fi"},
		{"MATCH(9,9,9,0,K)/emacs", "ARCHIE/MATCH(9,9,9,0,=)/emacs.tar ARCHIE/MATCH(9,9,9,0,=)/GNUemacs ARCHIE/MATCH(9,9,9,0,=)/emacs"},
		{"MATCH(2,9,9,0,S)/emacs", "emacs.tar@ftp.example.org emacs.tar@ftp.example.fi"},
		{"MATCH(9,1,9,0,S)/emacs", "emacs.tar@ftp.example.org emacs.tar@ftp.example.fi"},
		{"MATCH(9,9,1,0,S)/emacs", "emacs.tar@ftp.example.org GNUemacs/ emacs@ftp.example.fi"},
		{"MATCH(9,9,9,2,S)/emacs", "GNUemacs/ emacs@ftp.example.fi"},
		{"MATCH(9,2,S)/emacs", "GNUemacs/ emacs@ftp.example.fi"},
		{"MATCH(9,9,9,0,?)/readme", "README@ftp.example.fi"},
		{"MATCH(9,9)/x", "FAILURE NOT-FOUND"},
		{"MATCH", "FAILURE NOT-FOUND"},
		{"MATCH(10001,9,9,0,s)/x", "FAILURE NOT-AUTHORIZED Legal' values for max hits are between 1 and 10000 '"},
		{"HOST/ftp.example.fi/gnu", "emacs.tar@ftp.example.fi GNUemacs/ emacs@ftp.example.fi"},
		{"HOST/ftp.example.fi/", "README@ftp.example.fi"},
		{"HOST/ftp.example.fi", "README@ftp.example.fi"},
		{"HOST/nowhere/", ""},
		{"MATCH(9,9,9,0,S)/emacs' AR_DOMAIN ARGS se:fi", "emacs.tar@ftp.example.fi GNUemacs/ emacs@ftp.example.fi"},
		{"MATCH(9,9,9,0,S)/emacs' AR_PATHCOMP ARGS pub", "emacs.tar@ftp.example.org"},
		{"MATCH(9,9,9,0,S)/emacs' AR_OTHER ARGS pub", "FAILURE NOT-FOUND FILTER This server does not support the PREDEFINED SERVER filter named AR_OTHER."},
	} {
		query, filter, filtered := strings.Cut(test.query, "' ")
		commands := "DIRECTORY ASCII 'ARCHIE/" + query + "'\nLIST '' COMPONENTS\n"
		if filtered {
			commands = strings.Replace(commands, "''", "FILTER", 1) + "FILTER DIRECTORY SERVER PRE PREDEFINED " + filter + "\n"
		}
		if got := finds(says(nil, &Options{Archie: Search(table)}, commands)); got != test.want {
			t.Errorf("%s: finds %q, want %q", test.query, got, test.want)
		}
	}
	info := says(nil, &Options{Archie: Search(table)}, "GET-OBJECT-INFO SIZE ASCII 'ARCHIE/MATCH(9,9,9,0,s)/emacs' 0\n")
	if info != "NONE-FOUND\n" {
		t.Errorf("says %q of a query", info)
	}
}

// finds summarizes a reply's links.
func finds(reply string) string {
	var list []string
	for line := range strings.Lines(reply) {
		tokens, _ := split(strings.TrimSuffix(line, "\n"))
		switch {
		case tokens[0].Text == "FAILURE":
			return strings.TrimSuffix(line, "\n")
		case tokens[0].Text == "NONE-FOUND" || tokens[0].Text == "ATTRIBUTE":
		case tokens[2].Text == "EXTERNAL":
			list = append(list, tokens[3].Text+"@"+tokens[5].Text)
		case strings.HasPrefix(tokens[7].Text, archieHost):
			list = append(list, tokens[3].Text+"/")
		default:
			list = append(list, tokens[7].Text)
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
