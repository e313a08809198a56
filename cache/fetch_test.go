package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// pipe is a body that a test writes while it is read.
type pipe struct {
	*io.PipeReader
	w      *io.PipeWriter
	closed chan struct{}
	once   sync.Once
}

func newPipe() *pipe {
	r, w := io.Pipe()
	return &pipe{PipeReader: r, w: w, closed: make(chan struct{})}
}

func (p *pipe) Close() error {
	p.once.Do(func() { close(p.closed) })
	return p.PipeReader.Close()
}

// isClosed reports whether the body was closed.
func (p *pipe) isClosed() bool {
	select {
	case <-p.closed:
		return true
	default:
		return false
	}
}

// piped returns a response with the body p and the Content-Length size.
func piped(ctx context.Context, p *pipe, size int64, header ...string) *http.Response {
	resp := response(200, "", header...)
	resp.Body, resp.ContentLength = p, size
	context.AfterFunc(ctx, func() { p.w.CloseWithError(context.Cause(ctx)) }) // as a connection does
	return resp
}

// client sends requests, and reads when the test requests it.
type client struct {
	resp *http.Response
	err  error
	end  context.CancelFunc
	came chan struct{}
}

// send sends a request in the background.
func send(t *testing.T, rt http.RoundTripper, method, url string, header ...string) *client {
	ctx, end := context.WithCancel(t.Context())
	req := request(t, method, url, header...).WithContext(ctx)
	c := &client{end: end, came: make(chan struct{})}
	go func() {
		defer close(c.came)
		c.resp, c.err = rt.RoundTrip(req)
	}()
	return c
}

// read reads n bytes, or to the end if n is negative.
func (c *client) read(n int) (string, error) {
	<-c.came
	if c.err != nil {
		return "", c.err
	}
	if n < 0 {
		octets, err := io.ReadAll(c.resp.Body)
		return string(octets), err
	}
	octets := make([]byte, n)
	m, err := io.ReadFull(c.resp.Body, octets)
	return string(octets[:m]), err
}

func (c *client) close() {
	<-c.came
	if c.resp != nil {
		c.resp.Body.Close()
	}
	c.end()
}

func (c *client) wants(t *testing.T, n int, want string) {
	t.Helper()
	if got, err := c.read(n); got != want || err != nil {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

// flights runs a test with a store and a server that uses pipes as response bodies.
func flights(t *testing.T, o *Options, size int64, header []string, test func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe)) {
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, t.TempDir(), o)
		bodies := make(chan *pipe, 10)
		up := &upstream{response: func(_ int, req *http.Request) (*http.Response, error) {
			p := newPipe()
			bodies <- p
			return piped(req.Context(), p, size, header...), nil
		}}
		test(t, s, s.Transport(up), up, bodies)
	})
}

var fresh60 = []string{"Cache-Control: max-age=60"}

func TestSingleFlight(t *testing.T) {
	flights(t, nil, -1, fresh60, func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe) {
		var clients []*client
		for range 20 {
			clients = append(clients, send(t, rt, "GET", "http://h/a"))
		}
		p := <-bodies
		synctest.Wait()
		// All clients get the first byte when it arrives.
		io.WriteString(p.w, "one ")
		for _, c := range clients {
			c.wants(t, 4, "one ")
		}
		late := send(t, rt, "GET", "http://h/a")
		late.wants(t, 4, "one ")
		io.WriteString(p.w, "two ")
		for _, c := range clients[:10] {
			c.wants(t, 4, "two ")
		}
		p.w.Close()
		for _, c := range clients[:10] {
			c.wants(t, -1, "")
		}
		for _, c := range clients[10:] {
			c.wants(t, -1, "two ")
		}
		late.wants(t, -1, "two ")
		for _, c := range append(clients, late) {
			c.close()
		}
		synctest.Wait()
		if n := up.count(); n != 1 {
			t.Errorf("asked %d times", n)
		}
		if _, body, err := ask(rt, request(t, "GET", "http://h/a")); body != "one two " || err != nil {
			t.Errorf("%q, %v", body, err)
		}
		if st := s.Stats(); st.Misses != 1 || st.Collapsed != 20 || st.Hits != 1 || st.Stored != 1 || st.Entries != 1 {
			t.Errorf("%+v", st)
		}
	})
}

// Only one of many concurrent requests is sent to the server, for any order of events. A
// request that arrives just after the response uses the response.
func TestConcurrentRequestsAreCoalesced(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	up := &upstream{response: func(int, *http.Request) (*http.Response, error) {
		return response(200, "x", fresh60...), nil
	}}
	rt := s.Transport(up)
	const urls = 200
	for i := range urls {
		var all sync.WaitGroup
		begin := make(chan struct{})
		for range 8 {
			req := request(t, "GET", fmt.Sprint("http://h/", i))
			all.Go(func() {
				<-begin
				if _, body, err := ask(rt, req); body != "x" || err != nil {
					t.Errorf("%q, %v", body, err)
				}
			})
		}
		close(begin)
		all.Wait()
	}
	if n := up.count(); n != urls {
		t.Errorf("asked %d times for %d answers", n, urls)
	}
}

// The first client may disconnect. The fetch then continues for the other clients.
func TestLeaderLeaves(t *testing.T) {
	for _, early := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := openStore(t, t.TempDir(), &Options{PrefetchBytes: NoPrefetch})
			p, hold := newPipe(), make(chan struct{})
			up := &upstream{response: func(_ int, req *http.Request) (*http.Response, error) {
				<-hold
				return piped(req.Context(), p, 6, fresh60...), nil
			}}
			rt := s.Transport(up)
			first := send(t, rt, "GET", "http://h/a")
			synctest.Wait()
			second := send(t, rt, "GET", "http://h/a")
			synctest.Wait()
			if early {
				first.end()
				if _, err := first.read(-1); !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
			}
			close(hold)
			synctest.Wait()
			go io.WriteString(p.w, "abc")
			if !early {
				first.wants(t, 2, "ab")
				first.end()
				if _, err := first.read(-1); !errors.Is(err, context.Canceled) {
					t.Errorf("%v", err)
				}
				first.close()
			}
			second.wants(t, 3, "abc")
			go func() {
				io.WriteString(p.w, "def")
				p.w.Close()
			}()
			second.wants(t, -1, "def")
			second.close()
			synctest.Wait()
			if up.count() != 1 || s.Stats().Stored != 1 {
				t.Errorf("asked %d times, %+v", up.count(), s.Stats())
			}
		})
	}
}

// After the last reader has left, the rest is fetched if it is short.
func TestPrefetch(t *testing.T) {
	for _, test := range []struct {
		name   string
		linger int64
		size   int64
		rest   int // bytes that are fetched after the last reader has left
		stored bool
	}{
		{"known and little", 10, 12, 10, true},
		{"known and too much", 10, 13, 11, false},
		{"unknown and little", 10, -1, 10, true},
		{"unknown and too much", 10, -1, 11, false},
		{"none", -1, 12, 10, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			flights(t, &Options{PrefetchBytes: test.linger}, test.size, fresh60, func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe) {
				c := send(t, rt, "GET", "http://h/a")
				p := <-bodies
				go io.WriteString(p.w, "ab")
				c.wants(t, 2, "ab")
				synctest.Wait()
				c.close()
				synctest.Wait()
				for range test.rest {
					io.WriteString(p.w, "x")
				}
				synctest.Wait()
				p.w.Close()
				synctest.Wait()
				if got := s.Stats().Stored == 1; got != test.stored || !p.isClosed() {
					t.Errorf("stored %v, want %v; closed %v", got, test.stored, p.isClosed())
				}
			})
		})
	}
}

// The fetch of an endless body is cancelled.
func TestPrefetchTime(t *testing.T) {
	flights(t, nil, 12, fresh60, func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe) {
		c := send(t, rt, "GET", "http://h/a")
		p := <-bodies
		go io.WriteString(p.w, "ab")
		c.wants(t, 2, "ab")
		c.close()
		time.Sleep(prefetchTime - time.Second)
		synctest.Wait()
		if p.isClosed() {
			t.Error("ended early")
		}
		time.Sleep(2 * time.Second)
		synctest.Wait()
		if !p.isClosed() || s.Stats().Entries != 0 {
			t.Error("waited for")
		}
	})
}

// A private response is not shared. The other requests are sent concurrently.
func TestNotShared(t *testing.T) {
	for _, header := range [][]string{{"Cache-Control: private, max-age=60"}, {"Cache-Control: max-age=60", "Set-Cookie: a=b"}, {"Cache-Control: no-store"}, {"Cache-Control: max-age=60", "Vary: *"}, {}, {"Cache-Control: max-age=0", "Etag: \"1\""}} {
		synctest.Test(t, func(t *testing.T) {
			s := openStore(t, t.TempDir(), nil)
			hold := make(chan struct{})
			up := &upstream{}
			up.response = func(n int, req *http.Request) (*http.Response, error) {
				<-hold
				return response(200, req.Header.Get("X-Who"), header...), nil
			}
			rt := s.Transport(up)
			var clients []*client
			for i := range 10 {
				clients = append(clients, send(t, rt, "GET", "http://h/a", fmt.Sprint("X-Who: ", i)))
				synctest.Wait()
			}
			if up.count() != 1 {
				t.Errorf("asked %d times", up.count())
			}
			close(hold)
			for i, c := range clients {
				c.wants(t, -1, fmt.Sprint(i))
				c.close()
			}
			if up.count() != 10 {
				t.Errorf("%q: asked %d times", header, up.count())
			}
		})
	}
}

// Requests with credentials are not coalesced.
func TestPersonal(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, t.TempDir(), nil)
		hold := make(chan struct{})
		up := &upstream{}
		up.response = func(n int, req *http.Request) (*http.Response, error) {
			<-hold
			return response(200, req.Header.Get("Via"), "Cache-Control: max-age=60"), nil
		}
		rt := s.Transport(up)
		var clients []*client
		for i, name := range []string{"Cookie", "Authorization", "X-Other", "Cookie", "X-Other"} {
			clients = append(clients, send(t, rt, "GET", "http://h/a", fmt.Sprint("Via: ", i), name+": x"))
			synctest.Wait()
		}
		if up.count() != 4 {
			t.Errorf("asked %d times", up.count())
		}
		close(hold)
		for i, want := range []string{"0", "1", "2", "3", "2"} {
			clients[i].wants(t, -1, want)
			clients[i].close()
		}
	})
}

// All waiting requests get an error, which is not stored.
func TestFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, t.TempDir(), nil)
		hold := make(chan struct{})
		up := &upstream{}
		up.response = func(n int, req *http.Request) (*http.Response, error) {
			<-hold
			if n == 1 {
				return nil, errTest
			}
			return response(200, "fine", fresh60...), nil
		}
		rt := s.Transport(up)
		a := send(t, rt, "GET", "http://h/a")
		synctest.Wait()
		b := send(t, rt, "GET", "http://h/a")
		synctest.Wait()
		close(hold)
		for _, c := range []*client{a, b} {
			if _, err := c.read(-1); !errors.Is(err, errTest) {
				t.Errorf("%v", err)
			}
			c.close()
		}
		if _, body, err := ask(rt, request(t, "GET", "http://h/a")); body != "fine" || err != nil {
			t.Errorf("%q, %v", body, err)
		}
	})
}

// An incomplete body is an error for all readers, and is not stored.
func TestIncompleteBody(t *testing.T) {
	for _, test := range []struct {
		name string
		size int64
		end  error // of the body, after 3 bytes
		want error
	}{
		{"with an error", -1, errTest, errTest},
		{"with an error, length known", 3, errTest, errTest},
		{"too short", 4, nil, io.ErrUnexpectedEOF},
	} {
		t.Run(test.name, func(t *testing.T) {
			flights(t, nil, test.size, fresh60, func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe) {
				a := send(t, rt, "GET", "http://h/a")
				p := <-bodies
				synctest.Wait()
				b := send(t, rt, "GET", "http://h/a")
				synctest.Wait()
				io.WriteString(p.w, "abc")
				p.w.CloseWithError(test.end)
				for _, c := range []*client{a, b} {
					body, err := c.read(-1)
					if body != "abc" || !errors.Is(err, test.want) {
						t.Errorf("%q, %v", body, err)
					}
					c.close()
				}
				synctest.Wait()
				if st := s.Stats(); st.Entries != 0 || st.Size != 0 || countBodies(t, s) != 0 {
					t.Errorf("%+v, %d files", st, countBodies(t, s))
				}
				go func() {
					p := <-bodies
					io.WriteString(p.w, "abcd"[:max(3, test.size)])
					p.w.Close()
				}()
				if _, body, err := ask(rt, request(t, "GET", "http://h/a")); len(body) < 3 || err != nil {
					t.Errorf("%q, %v", body, err)
				}
			})
		})
	}
}

func countBodies(t *testing.T, s *Store) int {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(s.dir, bodies, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}

// If a body is too large, one reader gets the complete body, and other readers get an
// error.
func TestTooLarge(t *testing.T) {
	flights(t, &Options{Size: 1 << 20, MaxObject: 10}, -1, fresh60, func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe) {
		a := send(t, rt, "GET", "http://h/a")
		p := <-bodies
		synctest.Wait()
		b := send(t, rt, "GET", "http://h/a")
		synctest.Wait()
		io.WriteString(p.w, "12345")
		io.WriteString(p.w, "67890")
		go func() {
			io.WriteString(p.w, "abcdefg")
			io.WriteString(p.w, "hij")
			p.w.Close()
		}()
		a.wants(t, 7, "1234567")
		body, err := b.read(-1)
		if body != "1234567890" || !errors.Is(err, errTooLarge) {
			t.Errorf("%q, %v", body, err)
		}
		b.close()
		a.wants(t, -1, "890abcdefghij")
		a.close()
		synctest.Wait()
		if st := s.Stats(); st.Entries != 0 || st.Size != 0 || countBodies(t, s) != 0 || !p.isClosed() {
			t.Errorf("%+v", st)
		}
		// When repeated, each request gets the whole response.
		c, d := send(t, rt, "GET", "http://h/a"), send(t, rt, "GET", "http://h/a")
		for range 2 {
			p := <-bodies
			go func() {
				for range 5 {
					io.WriteString(p.w, "12345")
				}
				p.w.Close()
			}()
		}
		c.wants(t, -1, strings.Repeat("12345", 5))
		d.wants(t, -1, strings.Repeat("12345", 5))
		c.close()
		d.close()
	})
}

// badDisk accepts some bytes, and then fails.
type badDisk struct {
	file
	left int
}

func (d *badDisk) Write(p []byte) (int, error) {
	if len(p) > d.left {
		n, _ := d.file.Write(p[:d.left])
		d.left -= n
		return n, errTest
	}
	d.left -= len(p)
	return d.file.Write(p)
}

// With a failing disk, requests succeed without the cache.
func TestBadDisk(t *testing.T) {
	for _, takes := range []int{-1, 0, 1, 7, 20} {
		synctest.Test(t, func(t *testing.T) {
			var notes []error
			s := openStore(t, t.TempDir(), &Options{Note: func(err error) { notes = append(notes, err) }})
			s.create = func(path string) (file, error) {
				if takes < 0 {
					return nil, errTest
				}
				f, err := createFile(path)
				return &badDisk{f, takes}, err
			}
			up := &upstream{response: func(_ int, req *http.Request) (*http.Response, error) {
				resp := response(200, "", fresh60...)
				resp.Body = io.NopCloser(io.MultiReader(strings.NewReader("12345"), strings.NewReader("67890"), strings.NewReader("abcde")))
				resp.ContentLength = 15
				return resp, nil
			}}
			rt := s.Transport(up)
			for range 2 {
				if _, body, err := ask(rt, request(t, "GET", "http://h/a")); body != "1234567890abcde" || err != nil {
					t.Errorf("%d: %q, %v", takes, body, err)
				}
				synctest.Wait()
			}
			st := s.Stats()
			if good := takes == 20; good != (st.Entries == 1) || good != (len(notes) == 0) || good != (st.Failed == 0) || good != (up.count() == 1) || !good && (st.Size != 0 || countBodies(t, s) != 0) {
				t.Errorf("%d: %+v, %v, asked %d times", takes, st, notes, up.count())
			}
			if takes == 0 { // the disk may have recovered
				time.Sleep(pauseTime)
				s.create = createFile
				ask(rt, request(t, "GET", "http://h/b"))
				synctest.Wait()
				if s.Stats().Entries != 1 {
					t.Errorf("%+v", s.Stats())
				}
			}
		})
	}
}

// A response that is purged, or changed by a POST, during its fetch is not stored.
func TestPurgeInFlight(t *testing.T) {
	flights(t, nil, -1, fresh60, func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe) {
		a := send(t, rt, "GET", "http://h/a")
		p := <-bodies
		io.WriteString(p.w, "old")
		a.wants(t, 3, "old")
		post := send(t, rt, "POST", "http://h/a")
		q := <-bodies
		q.w.Close()
		post.wants(t, -1, "")
		post.close()
		b := send(t, rt, "GET", "http://h/a")
		r := <-bodies
		go func() {
			io.WriteString(r.w, "new")
			r.w.Close()
		}()
		b.wants(t, -1, "new")
		b.close()
		p.w.Close()
		a.wants(t, -1, "")
		a.close()
		synctest.Wait()
		if _, body, err := ask(rt, request(t, "GET", "http://h/a")); body != "new" || err != nil || up.count() != 3 {
			t.Errorf("%q, %v", body, err)
		}
	})
}

// Close cancels running fetches. After it, transports work without the store.
func TestCloseInFlight(t *testing.T) {
	flights(t, nil, -1, fresh60, func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe) {
		a := send(t, rt, "GET", "http://h/a")
		p := <-bodies
		io.WriteString(p.w, "abc")
		a.wants(t, 3, "abc")
		if err := s.Close(); err != nil {
			t.Error(err)
		}
		if _, err := a.read(-1); err == nil {
			t.Error("there is an end")
		}
		a.close()
		b := send(t, rt, "GET", "http://h/a")
		q := <-bodies
		go q.w.Close()
		b.wants(t, -1, "")
		b.close()
	})
}

// A range request is served from a running fetch.
func TestRangeInFlight(t *testing.T) {
	flights(t, nil, 10, fresh60, func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe) {
		a := send(t, rt, "GET", "http://h/a")
		p := <-bodies
		go io.WriteString(p.w, "0123")
		a.wants(t, 4, "0123")
		b := send(t, rt, "GET", "http://h/a", "Range: bytes=2-5")
		b.wants(t, 2, "23")
		c := send(t, rt, "GET", "http://h/a", "Range: bytes=8-")
		synctest.Wait()
		d := send(t, rt, "HEAD", "http://h/a")
		head := <-bodies // a HEAD request is not coalesced
		head.w.Close()
		d.wants(t, -1, "")
		d.close()
		go func() {
			io.WriteString(p.w, "456789")
			p.w.Close()
		}()
		b.wants(t, -1, "45")
		c.wants(t, -1, "89")
		a.wants(t, -1, "456789")
		for _, c := range []*client{a, b, c} {
			c.close()
		}
		if b.resp.StatusCode != 206 || c.resp.Header.Get("Content-Range") != "bytes 8-9/10" || up.count() != 2 {
			t.Errorf("%v, %v", b.resp, c.resp)
		}
	})
}

// Requests with different preferences are separate fetches; requests with equal preferences
// share one.
func TestPreferences(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, t.TempDir(), nil)
		hold := make(chan struct{})
		up := &upstream{response: func(_ int, req *http.Request) (*http.Response, error) {
			<-hold
			return response(200, req.Header.Get("Accept"), "Cache-Control: max-age=60", "Vary: Accept, X-Other"), nil
		}}
		rt := s.Transport(up)
		var clients []*client
		for i := range 12 {
			clients = append(clients, send(t, rt, "GET", "http://h/a", fmt.Sprint("Accept: ", i%2), fmt.Sprint("X-Other: ", i%4)))
			synctest.Wait()
		}
		if up.count() != 2 {
			t.Errorf("asked %d times", up.count())
		}
		close(hold)
		for i, c := range clients {
			c.wants(t, -1, fmt.Sprint(i%2))
			c.close()
		}
		if n := up.count(); n != 4 {
			t.Errorf("asked %d times", n)
		}
	})
}

// The end of the request's context, and not the body, shows when the last reader has left.
func TestContext(t *testing.T) {
	flights(t, &Options{PrefetchBytes: NoPrefetch}, -1, fresh60, func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe) {
		c := send(t, rt, "GET", "http://h/a")
		<-bodies
		<-c.came
		time.AfterFunc(time.Second, c.end)
		if _, err := c.read(-1); !errors.Is(err, context.Canceled) {
			t.Error(err)
		}
		c.resp.Body.Close()
		if _, err := c.resp.Body.Read(make([]byte, 1)); !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Error(err)
		}
	})
}

// Close ends a blocked Read.
func TestCloseWhileReading(t *testing.T) {
	flights(t, nil, -1, fresh60, func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe) {
		c := send(t, rt, "GET", "http://h/a")
		<-bodies
		<-c.came
		time.AfterFunc(time.Second, func() { c.resp.Body.Close() })
		if _, err := c.read(-1); !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Error(err)
		}
		c.close()
	})
}

// A response that is not stored is streamed, and ends when its reader ends.
func TestUnstoredResponseIsStreamed(t *testing.T) {
	for _, header := range []string{"Cache-Control: no-store", "Set-Cookie: a=b"} {
		flights(t, nil, -1, []string{header}, func(t *testing.T, s *Store, rt http.RoundTripper, up *upstream, bodies chan *pipe) {
			for range 2 { // for the second request, the store knows that the response can't be shared
				for _, byContext := range []bool{true, false} {
					c := send(t, rt, "GET", "http://h/a")
					p := <-bodies
					go io.WriteString(p.w, "abc")
					c.wants(t, 3, "abc")
					if byContext {
						c.end()
						if _, err := c.read(-1); err == nil {
							t.Error("there is an end")
						}
					}
					c.close()
					synctest.Wait()
					if !p.isClosed() {
						t.Error("the fetch was not cancelled")
					}
				}
			}
			if n := countBodies(t, s); n != 0 {
				t.Errorf("%d files", n)
			}
		})
	}
}
