package verify

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// raw starts a server with a host name. After each request header, the server calls the function
// script.
func (w *fixture) raw(name string, script func(request string, c net.Conn)) {
	w.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		w.Fatal(err)
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() {
				defer c.Close()
				in := bufio.NewReader(c)
				first, _ := in.ReadString('\n')
				for text := first; text != "\r\n"; {
					if text, err = in.ReadString('\n'); err != nil {
						return
					}
				}
				script(first, c)
			}()
		}
	}()
	w.Cleanup(func() { l.Close(); <-ended })
	w.mu.Lock()
	defer w.mu.Unlock()
	address := fmt.Sprintf("1.1.1.%d", len(w.names))
	w.names[name] = address
	w.servers[address] = l.Addr().String()
}

func TestHostile(t *testing.T) {
	t.Parallel()
	const html = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"
	endless := func(before, text string) func(string, net.Conn) {
		return func(_ string, c net.Conn) {
			io.WriteString(c, before)
			block := strings.Repeat(text, 1+4096/len(text))
			for {
				if _, err := io.WriteString(c, block); err != nil {
					return
				}
			}
		}
	}
	for _, c := range []struct {
		name   string
		script func(string, net.Conn)
		want   Verdict
		detail string
	}{
		{"endless page", endless(html, "<p>on and on"), Alive, "too large"},
		{"endless page of links", endless(html, `<a href="x">x</a>`), Alive, "too large"},
		{"endless tag", endless(html, "<a "), Alive, "too large"},
		{"endless attributes", endless(html+"<a", ` x="y"`), Alive, "too large"},
		{"endless header line", endless("HTTP/1.1 200 OK\r\nX: ", "x"), Warning, ""},
		{"endless header", endless("HTTP/1.1 200 OK\r\n", "X: y\r\n"), Warning, ""},
		{"header line of 10 MB", func(_ string, c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nX: "+strings.Repeat("x", 10<<20)+"\r\n\r\n")
		}, Warning, ""},
		{"slow header", drip("HTTP/1.1 200 OK\r\n"), Warning, "within"},
		{"slow page", func(r string, c net.Conn) { io.WriteString(c, html); drip("x")(r, c) }, Warning, "within"},
		{"silence", func(_ string, c net.Conn) { io.Copy(io.Discard, c) }, Warning, "within"},
		{"hang up", func(string, net.Conn) {}, Warning, "without a response"},
		{"no HTTP", func(_ string, c net.Conn) { io.WriteString(c, "220 mail.example ESMTP\x1b[2J\r\n") }, Warning, "does not speak HTTP"},
		{"cut", func(_ string, c net.Conn) {
			io.WriteString(c, "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 1000\r\n\r\nshort")
		}, Warning, ""},
		{"words", func(_ string, c net.Conn) {
			io.WriteString(c, "HTTP/1.1 418 \x1b]0;owned\x07\xff\r\nContent-Length: 0\r\n\r\n")
		}, Warning, ""},
		{"many names", func(_ string, c net.Conn) {
			io.WriteString(c, html+strings.Repeat("<p id=a><p id=b>", 60_000)+"<p id=x>")
		}, Alive, ""},
		{"deep", func(_ string, c net.Conn) { io.WriteString(c, html+strings.Repeat("<div>", 200_000)+"<p id=x>") }, Alive, ""},
		{"redirect to nonsense", func(_ string, c net.Conn) {
			io.WriteString(c, "HTTP/1.1 302 Found\r\nLocation: http://[::bad/%zz\r\nContent-Length: 0\r\n\r\n")
		}, Warning, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			w := newFixture(t, policy.Rules{})
			w.raw("a.example", c.script)
			w.o.Retry, w.o.MaxPage = -1, 1<<20
			w.o.Timeout = 2 * time.Minute
			if strings.Contains(c.detail, "within") {
				// The server uses all the available time.
				w.o.Timeout = time.Second
			}
			for _, source := range []Source{textDoc("d", "http://a.example/#x"), sourceAt("http://a.example/")} {
				w.o.NoRobots = true
				got := w.run(source)
				if len(got) == 0 {
					t.Fatal("nothing")
				}
				detail := c.detail
				if source.Open == nil && detail == "too large" {
					detail = ""
				}
				if detail == "within" {
					// In this case, the context's deadline ends the request.
					detail = "deadline exceeded"
				}
				var first *Result
				for i := range got {
					if got[i].Err == nil {
						first = &got[i]
						break
					}
				}
				if first == nil || first.Verdict != c.want || !strings.Contains(first.Detail, detail) {
					t.Errorf("%s: %+v", source.Name, first)
				}
			}
		})
	}
}

// drip returns a script that writes text, and then single bytes with pauses between them.
func drip(text string) func(string, net.Conn) {
	return func(_ string, c net.Conn) {
		io.WriteString(c, text)
		for {
			if _, err := io.WriteString(c, "x"); err != nil {
				return
			}
			time.Sleep(50 * time.Millisecond)
		}
	}
}

// A million different links need hundreds of bytes each, not thousands.
func TestManyLinks(t *testing.T) {
	links := 100_000
	if testing.Short() || raceEnabled {
		links = 10_000
	}
	w := newFixture(t, policy.Rules{})
	w.o.Rules = nil
	w.o.Interval = -1
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	source := Source{Name: "d.html", URL: locus.MustParse("file:///nowhere/d.html"), Open: func(context.Context) (io.ReadCloser, error) {
		r, pw := io.Pipe()
		go func() {
			out := bufio.NewWriter(pw)
			for i := range links {
				fmt.Fprintf(out, "http://1.1.1.%d:25/some/path/of/usual/length/%d.html#part\n", i%250, i)
			}
			out.Flush()
			pw.Close()
		}()
		return r, nil
	}, Type: "text/plain"}
	n := 0
	for r := range w.start(t.Context(), source) {
		if n++; n == links {
			runtime.GC()
			runtime.ReadMemStats(&after)
		}
		if r.Verdict != Denied {
			t.Fatalf("%s", line(r))
		}
	}
	if n != links {
		t.Fatalf("%d links", n)
	}
	if each := int64(after.HeapAlloc-before.HeapAlloc) / int64(links); each > 700 {
		t.Errorf("%d octets for each link", each)
	} else {
		t.Logf("%d octets for each link", each)
	}
}

// The Verifier limits a menu with a million lines and a site with an unlimited number of pages.
func TestEndlessSite(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		rw.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(rw, `<a href="%s/x">on</a>`, strings.TrimSuffix(r.URL.Path, "/"))
	})
	w.o.MaxPages = 20
	if got := w.run(sourceAt("http://a.example/")); len(got) != 21 {
		t.Errorf("%d links", len(got))
	}
}

// If the caller closes the client during a run, the servers are not at fault. The links are
// unknown, in this run and in the next run.
func TestClientClosed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "verify.db")
	w := newFixture(t, policy.Rules{})
	asked, closed := make(chan bool), make(chan bool)
	w.serve("a.example", func(rw http.ResponseWriter, r *http.Request) {
		asked <- true
		<-closed
	})
	w.o.Store = openTestStore(t, path)
	go func() {
		<-asked
		w.client.Close()
		close(closed)
	}()
	results := w.run(textDoc("d", "http://a.example/x http://b.example/y"))
	closeStore(t, w.o.Store)
	if len(results) != 2 {
		t.Fatalf("%+v", results)
	}
	if r := results[0]; r.Verdict != Unknown || !strings.Contains(r.Detail, "closed") || r.IsBad() || r.Tries != 1 {
		t.Errorf("%+v", r)
	}
	w = newFixture(t, policy.Rules{})
	w.serve("a.example", pages)
	w.o.Store = openTestStore(t, path)
	defer closeStore(t, w.o.Store)
	if r := w.run(textDoc("d", "http://a.example/x"))[0]; r.Cached {
		t.Errorf("%+v", r)
	}
}
