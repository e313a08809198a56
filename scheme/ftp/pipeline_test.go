package ftp

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/secrettest"
	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/internal/lineconn"
)

// relay is a proxy between a client and a server. It forwards commands one by one, and changes
// the replies to commands that arrive together.
type relay struct {
	server string // address of the server
	spoil  spoil
	drop   bool // if commands arrive together, forward only the first one

	group servetest.Group
	addr  string
	mu    sync.Mutex
	most  int      // maximum number of commands that arrived together
	trips []string // verbs of commands that arrived together
}

// spoil returns the text to send instead of the reply to verbs[i]. The result end reports
// whether to close the connection afterwards. Both replies to a transfer command have the same
// i.
type spoil func(verbs []string, i int, reply string) (instead string, end bool)

func (r *relay) start(t *testing.T) {
	l, err := servetest.Listen(nil)
	if err != nil {
		t.Fatal(err)
	}
	r.addr = l.Addr().String()
	r.group.Serve(l, func(c net.Conn) func() { return func() { r.serve(c) } })
	t.Cleanup(func() { r.group.Close() })
}

func (r *relay) serve(client net.Conn) {
	server, err := net.Dial("tcp", r.server)
	if err != nil {
		return
	}
	defer server.Close()
	replies := bufio.NewReader(server)
	if !r.pass(client, replies, []string{""}, 0) {
		return
	}
	buf := make([]byte, 1<<16)
	for {
		n, err := client.Read(buf)
		if err != nil {
			return
		}
		commands := strings.SplitAfter(strings.TrimSuffix(string(buf[:n]), "\r\n"), "\r\n")
		r.mu.Lock()
		r.most = max(r.most, len(commands))
		r.mu.Unlock()
		var verbs []string
		for _, command := range commands {
			verb, _, _ := strings.Cut(strings.TrimSpace(command), " ")
			verbs = append(verbs, verb)
		}
		r.mu.Lock()
		r.trips = append(r.trips, strings.Join(verbs, " "))
		r.mu.Unlock()
		for i, command := range commands {
			if r.drop && i > 0 {
				break
			}
			fmt.Fprintf(server, "%s\r\n", strings.TrimSuffix(command, "\r\n"))
			if !r.pass(client, replies, verbs, i) {
				return
			}
		}
	}
}

// pass forwards the reply to a command. If the reply is preliminary, it also forwards the
// final reply.
func (r *relay) pass(client net.Conn, replies *bufio.Reader, verbs []string, i int) bool {
	for {
		text := ""
		for {
			line, err := replies.ReadString('\n')
			if err != nil {
				return false
			}
			text += line
			if line[3] == ' ' && line[:3] == text[:3] {
				break
			}
		}
		instead, end := text, false
		if len(verbs) > 1 && r.spoil != nil {
			r.mu.Lock()
			instead, end = r.spoil(verbs, i, text)
			r.mu.Unlock()
		}
		io.WriteString(client, instead)
		if end {
			return false
		}
		if text[0] != '1' {
			return true
		}
	}
}

// found is the result of an open.
type found struct {
	data, tag string
	size      int64
	when      time.Time
	kind      error
}

func fetch(c *Client, url string, more bool) (f found) {
	ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
	defer cancel()
	res, err := c.Open(ctx, &scheme.Request{URL: locus.MustParse(url), Dial: dialOnly, More: more})
	if err == nil {
		switch res := res.(type) {
		case *scheme.Object:
			var data []byte
			data, err = io.ReadAll(res.Body)
			f = found{data: string(data), size: res.Size, when: res.ModTime, tag: res.Tag}
		case *scheme.Menu:
			for it, fault := range res.Items {
				f.data += it.Title + "\n"
				err = errors.Join(err, fault)
			}
		}
		res.Close()
	}
	for _, kind := range []error{scheme.ErrNotFound, scheme.ErrProtocol, scheme.ErrUnreachable, scheme.ErrUnsupported, scheme.ErrAuth} {
		if errors.Is(err, kind) {
			f.kind = kind
			break
		}
	}
	if err != nil && f.kind == nil {
		f.kind = err
	}
	return f
}

var dialOnly = new(net.Dialer)

// someFiles returns the files of a server, and url-paths to request.
func someFiles() (files ftptest.Files, paths []string) {
	random := rand.New(rand.NewPCG(1, 2))
	files = ftptest.Files{"empty": {}}
	paths = []string{"/empty"}
	for i := range 24 {
		name := fmt.Sprintf("dir%d/file%d", i%2, i)
		files[name] = ftptest.File{Data: strings.Repeat(fmt.Sprint(i, " "), random.IntN(2000)), ModTime: time.Unix(int64(1e9+i*1000), 0)}
		paths = append(paths, "/"+name)
	}
	paths = append(paths, "/missing", "/dir0/missing", "/dir1", "/dir0/", "/dir1/;type=d", "/dir0/file0;type=a")
	return files, paths
}

// Regardless of how a server treats commands that arrive together, the results must be the
// same as for commands that are sent one by one.
func TestPipelinedEqualsOneByOne(t *testing.T) {
	files, paths := someFiles()
	server, err := ftptest.Start(files, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	plain := New(nil)
	defer plain.Close()
	plain.servers.of(keyOf(server.Addr())).oneByOne.Store(true)
	want := map[string]found{}
	for _, path := range paths {
		want[path] = fetch(plain, "ftp://"+server.Addr()+path, true)
	}
	if f := want["/dir1/file1"]; f.kind != nil || f.size != int64(len(f.data)) || f.when.IsZero() || want["/missing"].kind != scheme.ErrNotFound {
		t.Fatalf("%+v, %+v", f, want["/missing"])
	}
	if log := server.Log(); strings.Contains(strings.Join(log[len(log)-1], "|"), "EPSV|EPSV") {
		t.Errorf("one by one: %q", log)
	}
	closed, err := servetest.Refusing("tcp")
	if err != nil {
		t.Fatal(err)
	}
	defer closed.Close()
	refused := closed.LocalAddr().(*net.TCPAddr).Port
	held := ""
	for _, c := range []struct {
		name  string
		spoil spoil
		drop  bool
		lost  bool   // a reply is missing, so the client waits until the timeout
		habit string // server habit that the client must detect
		// partial means that some times may be missing.
		partial bool
	}{
		{name: "an honest server"},
		{name: "late, all replies at once", spoil: func(verbs []string, i int, reply string) (string, bool) {
			if held += reply; i < len(verbs)-1 || reply[0] == '1' {
				return "", false
			}
			reply, held = held, ""
			return reply, false
		}},
		{name: "replies exchanged", habit: "one by one", spoil: func(verbs []string, i int, reply string) (string, bool) {
			switch verbs[i] {
			case "SIZE":
				held = reply
				return "", false
			case "MDTM":
				return reply + held, false
			}
			return reply, false
		}},
		{name: "a reply left out", lost: true, habit: "one by one", spoil: func(verbs []string, i int, reply string) (string, bool) {
			if verbs[i] == "SIZE" {
				return "", false
			}
			return reply, false
		}},
		{name: "closed after the first reply", habit: "one by one", spoil: func(verbs []string, i int, reply string) (string, bool) { return reply, true }},
		{name: "closed without a reply", habit: "one by one", spoil: func(verbs []string, i int, reply string) (string, bool) { return "", true }},
		{name: "commands lost", lost: true, habit: "one by one", drop: true},
		{name: "421 in the middle", habit: "one by one", spoil: func(verbs []string, i int, reply string) (string, bool) {
			if i == 1 {
				return "421 Too fast\r\n", true
			}
			return reply, false
		}},
		{name: "not a reply", habit: "one by one", spoil: func(verbs []string, i int, reply string) (string, bool) {
			if i == 1 {
				return "hello\r\n", false
			}
			return reply, false
		}},
		{name: "500 to one of several", partial: true, spoil: func(verbs []string, i int, reply string) (string, bool) {
			if verbs[i] == "MDTM" {
				return "500 What?\r\n", false
			}
			return reply, false
		}},
		{name: "refused during a transfer", habit: "not ahead", spoil: func(verbs []string, i int, reply string) (string, bool) {
			// ProFTPD and Pure-FTPd behave like this.
			switch {
			case verbs[i] == "RETR" && i < len(verbs)-1 && reply[0] != '1':
				return "450 EPSV: data transfer in progress\r\n" + reply, false
			case i > 0 && verbs[i-1] == "RETR":
				return "", false
			}
			return reply, false
		}},
		{name: "refused after a transfer", habit: "not ahead", spoil: func(verbs []string, i int, reply string) (string, bool) {
			if i > 0 && verbs[i-1] == "RETR" {
				return "500 What?\r\n", false
			}
			return reply, false
		}},
		{name: "the port closed meanwhile", spoil: func(verbs []string, i int, reply string) (string, bool) {
			if i > 0 && verbs[i-1] == "RETR" && reply[:3] == "229" {
				return fmt.Sprintf("229 ok (|||%d|)\r\n", refused), false
			}
			return reply, false
		}},
		{name: "150 twice", spoil: func(verbs []string, i int, reply string) (string, bool) {
			if reply[:3] == "150" {
				return reply + reply, false
			}
			return reply, false
		}},
		{name: "230 lines", spoil: func(verbs []string, i int, reply string) (string, bool) {
			return reply[:3] + "-" + strings.Repeat("\r\n"+reply[:3]+"-more", 230) + "\r\n" + reply, false
		}},
		{name: "a reply ahead of its command", habit: "one by one", spoil: func(verbs []string, i int, reply string) (string, bool) {
			if verbs[i] == "SIZE" {
				return reply + "226 Done\r\n", false
			}
			return reply, false
		}},
		{name: "226 twice", habit: "one by one", spoil: func(verbs []string, i int, reply string) (string, bool) {
			if reply[:3] == "226" {
				return reply + reply, false
			}
			return reply, false
		}},
		{name: "the port before the transfer", habit: "one by one", spoil: func(verbs []string, i int, reply string) (string, bool) {
			if verbs[i] == "RETR" && reply[0] == '1' && i < len(verbs)-1 {
				return "229 ok (|||9|)\r\n" + reply, false
			}
			return reply, false
		}},
		{name: "another reply than a port", habit: "one by one", spoil: func(verbs []string, i int, reply string) (string, bool) {
			if i > 0 && verbs[i-1] == "RETR" {
				return "226 Done again\r\n", false
			}
			return reply, false
		}},
		{name: "closed after a transfer", habit: "one by one", spoil: func(verbs []string, i int, reply string) (string, bool) {
			return reply, verbs[i] == "RETR" && reply[0] == '2'
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			held = ""
			r := &relay{server: server.Addr(), spoil: c.spoil, drop: c.drop}
			r.start(t)
			client := New(nil)
			defer client.Close()
			if c.lost {
				client.wait = 20 * time.Millisecond // a longer timeout leads to the same result
			}
			for _, path := range append(slices.Clone(paths), paths...) {
				got, want := fetch(client, "ftp://"+r.addr+path, true), want[path]
				if c.partial && got.when.IsZero() {
					got.when, got.tag = want.when, want.tag
				}
				if got != want {
					t.Errorf("%s: %.200s, want %.200s", path, fmt.Sprintf("%+v", got), fmt.Sprintf("%+v", want))
				}
			}
			h := client.servers.of(keyOf(r.addr))
			habit := ""
			switch {
			case h.oneByOne.Load():
				habit = "one by one"
			case h.notAhead.Load():
				habit = "not ahead"
			}
			if habit != c.habit && !c.lost {
				t.Errorf("the client found out %q, want %q", habit, c.habit)
			}
			if r.most < 4 {
				t.Errorf("at most %d commands arrived together", r.most)
			}
		})
	}
}

// Each file after the first must cost one round trip on the control connection, or two if the
// server rejects commands during a transfer.
func TestRoundTrips(t *testing.T) {
	const files = 12
	some := ftptest.Files{}
	for i := range files {
		some[fmt.Sprint("dir/", i)] = ftptest.File{Data: strings.Repeat("x", 100*i), ModTime: time.Unix(1e9, 0)}
	}
	server, err := ftptest.Start(some, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	for _, c := range []struct {
		name  string
		spoil spoil
		first []string // round trips for the first two files
		later string   // round trip for each later file
		trips int      // number of round trips for each later file
	}{
		{"ahead", nil, []string{"USER", "PASS", "PWD CWD", "TYPE SIZE MDTM EPSV", "RETR EPSV", "SIZE MDTM RETR EPSV"}, "SIZE MDTM RETR EPSV", 1},
		{"not ahead", func(verbs []string, i int, reply string) (string, bool) {
			if i > 0 && verbs[i-1] == "RETR" {
				return "450 Busy\r\n", false
			}
			return reply, false
		}, []string{"USER", "PASS", "PWD CWD", "TYPE SIZE MDTM EPSV", "RETR EPSV", "SIZE MDTM EPSV", "RETR"}, "SIZE MDTM EPSV RETR", 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := &relay{server: server.Addr(), spoil: c.spoil}
			r.start(t)
			client := New(nil)
			defer client.Close()
			for i := range files {
				url := fmt.Sprintf("ftp://%s/dir/%d", r.addr, i)
				if f := fetch(client, url, true); f.kind != nil || len(f.data) != 100*i || f.size != int64(100*i) {
					t.Errorf("%s: %+v", url, f)
				}
			}
			r.mu.Lock()
			defer r.mu.Unlock()
			n := len(c.first)
			if len(r.trips) != n+c.trips*(files-2) || !slices.Equal(r.trips[:n], c.first) {
				t.Fatalf("%d round trips: %q", len(r.trips), r.trips)
			}
			for trip := range slices.Chunk(r.trips[n:], c.trips) {
				if got := strings.Join(trip, " "); got != c.later {
					t.Errorf("%q, want %q", got, c.later)
				}
			}
		})
	}
}

// If a server repeats the password, errors and traces must not contain it.
func TestRepeatedPassword(t *testing.T) {
	for _, code := range []string{"530", "230", "421"} {
		d := &scriptedDialer{replies: "220 Hi\r\n331 Password\r\n" + code + "-You sent " + secrettest.Password + "\r\n" + secrettest.Password + "\r\n" + code + " not " + secrettest.Password + "!\r\n"}
		client := New(nil)
		defer client.Close()
		trace := ""
		_, err := client.Open(t.Context(), &scheme.Request{
			URL: locus.MustParse("ftp://u:" + secrettest.Password + "@h:21/x"), Dial: d,
			Trace: func(sent bool, text string) { trace += text + "\n" },
		})
		if err == nil || !strings.Contains(trace, code+" ***") || strings.Contains(trace+err.Error(), secrettest.Half) {
			t.Errorf("%s: %v\n%s", code, err, trace)
		}
		if !strings.Contains(d.sent.String(), "PASS "+secrettest.Password+"\r\n") {
			t.Errorf("sent %q", d.sent.String())
		}
	}
}

func keyOf(addr string) lineconn.Key {
	return lineconn.NewKey(dialOnly, locus.MustParse("ftp://"+addr+"/"), Port, false)
}

// The client must remember at most maxServers servers.
func TestServersRemembered(t *testing.T) {
	var s servers
	for port := range uint16(maxServers + 100) {
		s.of(lineconn.Key{Host: "h.example", Port: port}).oneByOne.Store(true)
	}
	if last := s.of(lineconn.Key{Host: "h.example", Port: maxServers + 99}); len(s.known) != maxServers || !last.oneByOne.Load() {
		t.Errorf("%d servers", len(s.known))
	}
}
