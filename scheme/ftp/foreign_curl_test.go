package ftp_test

import (
	"fmt"
	"io"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// curlTest is a test of curl, from testdata/foreign/curl-ftp.txt.
type curlTest struct {
	place, number string
	urls          []string // login and path of each URL
	option        string
	replies       map[string]string
	fails         bool
	commands      []string
}

func curlTests(t *testing.T) (list []curlTest) {
	t.Helper()
	b, err := os.ReadFile("testdata/foreign/curl-ftp.txt")
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for text := range strings.Lines(string(b)) {
		if n++; strings.HasPrefix(text, "#") {
			continue
		}
		f := strings.Split(strings.TrimSuffix(text, "\n"), " | ")
		if len(f) != 6 {
			t.Fatalf("line %d: %d fields", n, len(f))
		}
		c := curlTest{place: fmt.Sprintf("curl-ftp.txt:%d", n), number: f[0], urls: strings.Fields(f[1]), option: f[2], fails: f[4] == "error", commands: strings.Split(f[5], "; "), replies: map[string]string{}}
		for reply := range strings.SplitSeq(f[3], "; ") {
			if verb, reply, ok := strings.Cut(reply, " "); ok {
				c.replies[verb] = reply + "\r\n"
			}
		}
		list = append(list, c)
	}
	return list
}

// groups returns a map from purposes to the commands with each purpose. It omits commands that
// do not depend on the URL, such as PWD, QUIT and FEAT, and commands that request the size and
// time of a file. It also omits TYPE before LIST and NLST, and the anonymous password.
func groups(commands []string) map[string]string {
	g := map[string]string{}
	add := func(group, command string) { g[group] += command + "\n" }
	for i, command := range commands {
		switch verb, _, _ := strings.Cut(command, " "); verb {
		case "USER":
			add("login", command)
		case "PASS":
			if i > 0 && commands[i-1] == "USER anonymous" {
				command = "PASS"
			}
			add("login", command)
		case "CWD":
			add("path", command)
		case "EPSV", "PASV", "EPRT", "PORT":
			add("data", verb)
		case "TYPE":
			if !slices.Contains(commands, "LIST") && !slices.Contains(commands, "NLST") {
				add("transfer", command)
			}
		case "REST", "RETR", "LIST", "NLST":
			add("transfer", command)
		}
	}
	return g
}

// run performs the requests of curl's test. The result failed reports whether the client
// returned an error.
func (c curlTest) run(t *testing.T) (commands []string, failed bool) {
	t.Helper()
	size := 100
	if c.number == "122" {
		size = 5
	}
	files := ftptest.Files{}
	for _, u := range c.urls {
		path := u[strings.IndexByte(u, '/'):]
		name, _, _ := strings.Cut(path, ";")
		name, err := escape.Decode(name)
		if err != nil {
			t.Fatal(err)
		}
		var kept []string
		for part := range strings.SplitSeq(name, "/") {
			if part != "" {
				kept = append(kept, part)
			}
		}
		if name = strings.Join(kept, "/"); strings.HasSuffix(path, "/") || name == "" {
			name += "/x"
		}
		files[strings.TrimPrefix(name, "/")] = ftptest.File{Size: int64(size)}
	}
	so := &ftptest.Options{EmptyCWD: ftptest.EmptyStay, Fault: ftptest.Fault{Replies: c.replies}, Unknown: []string{"MLSD", "FEAT"}}
	co := &ftp.Options{Active: c.option == "active"}
	login, _, _ := strings.Cut(c.urls[0], "/")
	if user, password, ok := strings.Cut(strings.TrimSuffix(login, "@"), ":"); ok {
		so.User, so.Password = user, password
	}
	w := start(t, files, so, co)
	w.dial = new(dataDialer)
	for _, u := range c.urls {
		login, path, _ := strings.Cut(u, "/")
		req := scheme.Request{URL: locus.MustParse("ftp://" + login + w.addr + "/" + path), Dial: w.dial, Probe: c.option == "probe"}
		if offset, ok := strings.CutPrefix(c.option, "offset="); ok {
			req.Offset, _ = strconv.ParseInt(offset, 10, 64)
		}
		res, err := w.client.Open(t.Context(), &req)
		if err == nil {
			err = drain(res)
		}
		failed = failed || err != nil
	}
	w.client.Close()
	return slices.Concat(w.server.Log()...), failed
}

func drain(res scheme.Resource) error {
	defer res.Close()
	switch res := res.(type) {
	case *scheme.Object:
		_, err := io.Copy(io.Discard, res.Body)
		return err
	case *scheme.Menu:
		for _, err := range res.Items {
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// TestForeignConversations replays curl's own tests. The file expected_differences.txt must
// contain a line with a reason for each difference.
func TestForeignConversations(t *testing.T) {
	b, err := os.ReadFile("testdata/foreign/expected_differences.txt")
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]bool{}
	for text := range strings.Lines(string(b)) {
		if difference, reason, _ := strings.Cut(text, " | "); strings.HasPrefix(difference, "curl-ftp.txt:") {
			if strings.TrimSpace(reason) == "" || want[difference] {
				t.Errorf("%q: without a reason, or twice", text)
			}
			want[difference] = true
		}
	}
	list := curlTests(t)
	for _, c := range list {
		commands, failed := c.run(t)
		got, theirs := groups(commands), groups(c.commands)
		for _, group := range []string{"login", "path", "data", "transfer"} {
			if group == "data" && c.option == "active" && !strings.Contains(theirs[group], "EPRT") {
				continue // curl's test does not compare this part
			}
			if difference := c.place + " " + group; got[group] != theirs[group] {
				if !want[difference] {
					t.Errorf("%s (test %s): sends %q, and curl %q", difference, c.number, got[group], theirs[group])
				}
				delete(want, difference)
			}
		}
		if difference := c.place + " result"; failed != c.fails {
			if !want[difference] {
				t.Errorf("%s (test %s): fails %v, and curl %v", difference, c.number, failed, c.fails)
			}
			delete(want, difference)
		}
	}
	for _, difference := range slices.Sorted(maps.Keys(want)) {
		t.Errorf("%s: expected, and there is no such difference", difference)
	}
	if len(list) < 30 {
		t.Errorf("%d conversations", len(list))
	}
}
