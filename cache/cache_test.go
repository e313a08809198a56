package cache

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

func TestMain(m *testing.M) {
	goleak.VerifyTestMain(m)
}

// upstream is a RoundTripper with responses that a test controls.
type upstream struct {
	mu       sync.Mutex
	seen     []*http.Request
	response func(n int, req *http.Request) (*http.Response, error)
}

func (u *upstream) RoundTrip(req *http.Request) (*http.Response, error) {
	u.mu.Lock()
	u.seen = append(u.seen, req)
	n := len(u.seen)
	u.mu.Unlock()
	return u.response(n, req)
}

func (u *upstream) count() int {
	u.mu.Lock()
	defer u.mu.Unlock()
	return len(u.seen)
}

// response returns a response with header fields "Name: value".
func response(status int, body string, header ...string) *http.Response {
	resp := &http.Response{StatusCode: status, Header: make(http.Header), ContentLength: int64(len(body)), Body: io.NopCloser(strings.NewReader(body))}
	addHeader(resp.Header, header...)
	return resp
}

func addHeader(h http.Header, fields ...string) {
	for _, f := range fields {
		name, value, _ := strings.Cut(f, ":")
		h.Add(strings.TrimSpace(name), strings.TrimSpace(value))
	}
}

// registry returns a registry of all schemes.
func registry(t testing.TB) *scheme.Registry {
	t.Helper()
	r, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// openStore opens a store for a test.
func openStore(t testing.TB, dir string, o *Options) *Store {
	t.Helper()
	if o == nil {
		o = new(Options)
	}
	if o.Note == nil {
		o.Note = func(err error) { t.Errorf("note: %v", err) }
	}
	s, err := Open(dir, registry(t), o)
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

func request(t testing.TB, method, url string, header ...string) *http.Request {
	t.Helper()
	req, err := http.NewRequestWithContext(t.Context(), method, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	addHeader(req.Header, header...)
	return req
}

// ask sends a request and reads the response.
func ask(rt http.RoundTripper, req *http.Request) (*http.Response, string, error) {
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return nil, "", err
	}
	body, err := io.ReadAll(resp.Body)
	if closing := resp.Body.Close(); err == nil {
		err = closing
	}
	return resp, string(body), err
}

// play plays a transcript:
//
//	ask GET http://h/a | Name: value     a request
//	up 200 | Name: value | body          what the server says to it; without this line it is not asked
//	up error                             it can't be reached
//	saw Name: value                      what the server was asked with; "Name:" it was not
//	got 200 | body | hit; ttl=5          the answer, and its Cache-Status without the name
//	has Name: value                      a field of the answer; "Name:" it is not there
//	wait 5s
func play(t *testing.T, rt http.RoundTripper, up *upstream, script string) {
	t.Helper()
	var req *http.Request
	var next func() (*http.Response, error)
	var resp *http.Response
	up.response = func(_ int, req *http.Request) (*http.Response, error) {
		if next == nil {
			return nil, fmt.Errorf("%s %s was asked for", req.Method, req.URL)
		}
		return next()
	}
	for line := range strings.Lines(script) {
		line = strings.TrimSpace(line)
		verb, rest, _ := strings.Cut(line, " ")
		parts := strings.Split(rest, " | ")
		switch verb {
		case "", "#":
		case "wait":
			d, err := time.ParseDuration(rest)
			if err != nil {
				t.Fatal(err)
			}
			time.Sleep(d)
		case "ask":
			method, url, _ := strings.Cut(parts[0], " ")
			req = request(t, method, url, parts[1:]...)
			next, resp = nil, nil
		case "up":
			if rest == "error" {
				next = func() (*http.Response, error) { return nil, fmt.Errorf("dial: %w", io.ErrUnexpectedEOF) }
				continue
			}
			var status int
			fmt.Sscan(parts[0], &status)
			last := len(parts) - 1
			body := parts[last]
			if status == http.StatusNotModified {
				body, last = "", last+1
			}
			next = func() (*http.Response, error) {
				r := response(status, body, parts[1:last]...)
				if r.Header.Get("Date") == "" {
					r.Header.Set("Date", time.Now().UTC().Format(http.TimeFormat))
				}
				if req.Method == http.MethodHead {
					r.Body = http.NoBody
				}
				if r.Header.Get("Content-Length") == "none" {
					r.Header.Del("Content-Length")
					r.ContentLength = -1
				}
				return r, nil
			}
		case "got":
			before := up.count()
			var body string
			var err error
			resp, body, err = ask(rt, req)
			synctest.Wait()
			asked := up.count() - before
			if err != nil {
				if rest != "error" {
					t.Errorf("%s: %v", line, err)
				}
				continue
			}
			if asked > 1 || (asked == 1) != (next != nil) {
				t.Errorf("%s: the server was asked %d times", line, asked)
			}
			status := strings.Join(resp.Header["Cache-Status"], ", ")
			got := []string{fmt.Sprint(resp.StatusCode), strings.TrimSpace(body), strings.TrimPrefix(strings.TrimPrefix(status, "locus; "), "locus")}
			if g := strings.Join(got, " | "); g != rest {
				t.Errorf("%s\n    got: %s", line, g)
			}
			if resp.ContentLength >= 0 && req.Method != "HEAD" && int(resp.ContentLength) != len(body) {
				t.Errorf("%s: Content-Length %d", line, resp.ContentLength)
			}
		case "has", "saw":
			var h http.Header
			if verb == "has" {
				h = resp.Header
			} else {
				h = up.seen[len(up.seen)-1].Header
			}
			name, want, _ := strings.Cut(rest, ":")
			if got := strings.Join(h.Values(name), " & "); got != strings.TrimSpace(want) {
				t.Errorf("%s: %q", line, got)
			}
		default:
			t.Fatalf("what is %q?", line)
		}
	}
}

// The transcripts in testdata, section by section.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		for part := range strings.SplitSeq(string(text), "\n== ") {
			title, script, ok := strings.Cut(strings.TrimPrefix(part, "== "), "\n")
			if !ok {
				continue
			}
			t.Run(filepath.Base(name)+"/"+title, func(t *testing.T) {
				t.Parallel() // the disk takes most of the time
				synctest.Test(t, func(t *testing.T) {
					up := new(upstream)
					s := openStore(t, t.TempDir(), nil)
					play(t, s.Transport(up), up, script)
				})
			})
		}
	}
}

var errTest = errors.New("a test's error")
