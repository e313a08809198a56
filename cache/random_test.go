package cache

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// fixture is a server of a few URLs. Its responses change, fail, are slow, and are
// sometimes private.
type fixture struct {
	mu  sync.Mutex
	rnd *rand.Rand
}

func (w *fixture) intN(n int) int {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.rnd.IntN(n)
}

// line is a line of a body. It names the client and the version.
func line(path, who string, version int) string {
	return fmt.Sprintf("%s for %s, version %d\n", path, who, version)
}

func (w *fixture) RoundTrip(req *http.Request) (*http.Response, error) {
	ctx := req.Context()
	if err := pause(ctx, time.Duration(w.intN(2000))*time.Millisecond); err != nil {
		return nil, err
	}
	if w.intN(12) == 0 {
		return nil, fmt.Errorf("dial: %w", io.ErrUnexpectedEOF)
	}
	version := int(time.Since(time.Date(2000, 1, 1, 0, 0, 0, 0, time.UTC)) / (40 * time.Second))
	who := "all"
	header := []string{fmt.Sprintf("Etag: \"%d\"", version), "Cache-Control: max-age=20, stale-if-error=30"}
	switch w.intN(8) {
	case 0:
		who = req.Header.Get("X-Who")
		header = []string{"Cache-Control: private"}
	case 1:
		header[1] = "Cache-Control: max-age=5, stale-while-revalidate=30"
	case 2:
		header = append(header, "Vary: X-Who")
	}
	if req.Header["Cookie"] != nil {
		who = req.Header.Get("X-Who")
	}
	if who == "all" && req.Header.Get("If-None-Match") == fmt.Sprintf("\"%d\"", version) {
		return response(304, "", header...), nil
	}
	if w.intN(15) == 0 {
		return response(503, "busy"), nil
	}
	l := line(req.URL.Path, who, version)
	n := 1 + w.intN(30)
	if w.intN(10) == 0 {
		n = 3000
	}
	body := strings.Repeat(l, n) + "."
	breaks := w.intN(10) == 0
	resp := response(200, "", header...)
	resp.ContentLength = -1
	if w.intN(2) == 0 {
		resp.ContentLength = int64(len(body))
	}
	r, out := io.Pipe()
	resp.Body = r
	if breaks {
		body = body[:w.intN(len(body))]
	}
	go func() {
		for len(body) > 0 {
			piece := body[:min(len(body), 1+w.intN(len(body)))]
			body = body[len(piece):]
			if err := pause(ctx, time.Duration(w.intN(1000))*time.Millisecond); err != nil {
				out.CloseWithError(err)
				return
			}
			if _, err := io.WriteString(out, piece); err != nil {
				return
			}
		}
		var err error
		if breaks {
			err = errTest
		}
		out.CloseWithError(err)
	}()
	return resp, nil
}

func pause(ctx context.Context, d time.Duration) error {
	select {
	case <-time.After(d):
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// For any order of events, a response is complete or an error, never a mix of two versions,
// and never for another client. At the end, nothing remains.
func TestRandom(t *testing.T) {
	var sum Stats
	happened := func() bool { return sum.Hits >= 100 && sum.Collapsed > 0 && sum.Validated > 0 && sum.Stale > 0 }
	// The counts vary: the same random numbers occur in a different order each time.
	for seed := uint64(0); seed < 8 || seed < 200 && !happened() && !t.Failed(); seed++ {
		t.Run(fmt.Sprint(seed), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := openStore(t, t.TempDir(), &Options{Size: 400 << 10, MaxObject: 90 << 10, Memory: 20 << 10, PrefetchBytes: 2000})
				w := &fixture{rnd: rand.New(rand.NewPCG(seed, 1))}
				rt := s.Transport(w)
				var all sync.WaitGroup
				for i := range 12 {
					all.Go(func() {
						for range 25 {
							visit(t, rt, w, fmt.Sprint("client", i))
						}
					})
				}
				all.Go(func() {
					for range 60 {
						time.Sleep(time.Second)
						if w.intN(10) == 0 {
							s.PurgeAll()
						}
						if st := s.Stats(); st.Size > 400<<10 {
							t.Errorf("%+v", st)
						}
					}
				})
				all.Wait()
				time.Sleep(2 * prefetchTime) // fetches without readers end
				synctest.Wait()
				s.mu.Lock()
				reserved, fetches, files := s.reserved, len(s.fetches), len(s.all)
				s.mu.Unlock()
				if reserved != 0 || fetches != 0 || files != countBodies(t, s) {
					t.Errorf("%d octets reserved, %d fetches, %d answers, %d files", reserved, fetches, files, countBodies(t, s))
				}
				st := s.Stats()
				sum.Hits += st.Hits
				sum.Collapsed += st.Collapsed
				sum.Validated += st.Validated
				sum.Stale += st.Stale
			})
		})
	}
	if !happened() && !t.Failed() {
		t.Errorf("not much happened: %+v", sum)
	}
}

// visit sends a request and checks the response.
func visit(t *testing.T, rt http.RoundTripper, w *fixture, who string) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	path := fmt.Sprint("/", w.intN(4))
	req := request(t, "GET", "http://h"+path, "X-Who: "+who).WithContext(ctx)
	ranged, personal := false, false
	switch w.intN(10) {
	case 0:
		req.Header.Set("Cookie", "who="+who)
		personal = true
	case 1:
		req.Header.Set("Range", "bytes=10-19")
		ranged = true
	case 2:
		req.Header.Set("Cache-Control", "no-cache")
	case 3:
		req.Method = http.MethodPost
	case 4:
		time.AfterFunc(time.Duration(w.intN(3000))*time.Millisecond, cancel)
	}
	resp, err := rt.RoundTrip(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode == 503 {
		return
	}
	if w.intN(5) == 0 { // leave early
		io.CopyN(io.Discard, resp.Body, int64(w.intN(500)))
		return
	}
	octets, err := io.ReadAll(resp.Body)
	body := string(octets)
	switch {
	case resp.StatusCode == 206 && ranged:
		if err == nil && len(body) != 10 {
			t.Errorf("%q", body)
		}
		return
	case resp.StatusCode != 200:
		t.Errorf("%d", resp.StatusCode)
		return
	}
	if err == nil && !strings.HasSuffix(body, "\n.") {
		t.Errorf("%d octets are called whole: %q, %v", len(body), body[max(0, len(body)-100):], resp.Header)
	}
	if err != nil && !errors.Is(err, errTest) && !errors.Is(err, context.Canceled) && !errors.Is(err, errTooLarge) && !errors.Is(err, io.ErrUnexpectedEOF) {
		t.Errorf("%v", err)
	}
	first, _, _ := strings.Cut(body, "\n")
	for l := range strings.Lines(body) {
		if l != first+"\n" && l != "." && (err == nil || !strings.HasPrefix(first, l)) && strings.HasSuffix(l, "\n") {
			t.Errorf("%q and %q", first, l)
		}
	}
	if body != "" && err == nil {
		whose := "for all,"
		if personal && !strings.Contains(first, whose) || !strings.Contains(first, whose) {
			whose = "for " + who + ","
		}
		if !strings.HasPrefix(first, path+" ") || !strings.Contains(first, whose) {
			t.Errorf("%s got %q", who, first)
		}
	}
}
