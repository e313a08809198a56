package gopher_test

import (
	"bufio"
	"io"
	"net"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gopher"
)

// TestForeignConversations replays curl's tests. The client must send the same requests, and
// must parse the replies.
func TestForeignConversations(t *testing.T) {
	b, err := os.ReadFile("testdata/foreign/curl.txt")
	if err != nil {
		t.Fatal(err)
	}
	replayed := 0
	for text := range strings.Lines(string(b)) {
		if text[0] == '#' {
			continue
		}
		f := strings.Split(strings.TrimSuffix(text, "\n"), " | ")
		want, err1 := strconv.Unquote(f[2])
		reply, err2 := strconv.Unquote(f[3])
		if len(f) != 5 || err1 != nil || err2 != nil {
			t.Fatal(text, err1, err2)
		}
		replayed++
		sent := make(chan string, 1)
		d := pipeDialer(func(conn net.Conn) {
			line, err := bufio.NewReader(conn).ReadString('\n')
			if err != nil {
				line = err.Error()
			}
			sent <- line
			io.WriteString(conn, reply)
		})
		res, err := gopher.New(nil).Open(t.Context(), &scheme.Request{URL: locus.MustParse("gopher://h" + f[1]), Dial: &d})
		if err != nil {
			t.Errorf("test %s: %v", f[0], err)
			continue
		}
		if got := <-sent; got != want {
			t.Errorf("test %s: sends %q, and curl %q", f[0], got, want)
		}
		var titles []string
		if m, ok := res.(*scheme.Menu); ok {
			for it, err := range m.Items {
				if err != nil {
					t.Errorf("test %s: %v", f[0], err)
				}
				titles = append(titles, it.Title)
			}
		} else {
			t.Errorf("test %s: a %T", f[0], res)
		}
		if got := strings.Join(titles, "; "); got != f[4] {
			t.Errorf("test %s: items %q, want %q", f[0], got, f[4])
		}
		res.Close()
	}
	if replayed != 4 {
		t.Errorf("%d conversations", replayed)
	}
}
