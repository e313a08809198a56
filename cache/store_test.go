package cache

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/store"
)

// texts responds with a body of the length in the path, and records the requests.
func texts() *upstream {
	return &upstream{response: func(_ int, req *http.Request) (*http.Response, error) {
		var n int
		fmt.Sscanf(req.URL.Path, "/%d", &n)
		resp := response(200, text(req.URL.String(), n), "Cache-Control: max-age=100000")
		return resp, nil
	}}
}

// text returns n bytes that differ for each URL.
func text(url string, n int) string { return strings.Repeat(url+" ", n/len(url)+1)[:n] }

// asks requests a URL and reports whether it was in the store.
func asks(t *testing.T, rt http.RoundTripper, url string, n int) (hit bool) {
	t.Helper()
	resp, body, err := ask(rt, request(t, "GET", url))
	if err != nil || body != text(url, n) {
		t.Fatalf("%s: %d octets, %v", url, len(body), err)
	}
	return strings.Contains(resp.Header.Get("Cache-Status"), "; hit")
}

func diskUsage(t *testing.T, s *Store) (n int64) {
	t.Helper()
	list, err := filepath.Glob(filepath.Join(s.dir, bodies, "*", "*"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range list {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		n += (info.Size() + blockSize - 1) / blockSize * blockSize
	}
	return n
}

// Frequently used responses are not evicted, and the disk usage never exceeds the limit.
func TestSize(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := texts()
		s := openStore(t, t.TempDir(), &Options{Size: 1 << 20, MaxObject: 200 << 10})
		rt := s.Transport(up)
		for i := range 100 {
			time.Sleep(time.Second)
			asks(t, rt, fmt.Sprintf("http://h/%d/%d", 40000, i), 40000)
			asks(t, rt, "http://h/70000/liked", 70000)
			synctest.Wait()
			if st := s.Stats(); st.Size > 1<<20 || diskUsage(t, s) > 1<<20 {
				t.Fatalf("%+v, %d octets", st, diskUsage(t, s))
			}
		}
		if n := up.count(); n != 101 {
			t.Errorf("asked %d times", n)
		}
		if !asks(t, rt, "http://h/40000/99", 40000) || asks(t, rt, "http://h/40000/1", 40000) {
			t.Error("the wrong ones were evicted")
		}
		if asks(t, rt, "http://h/210000", 210000); asks(t, rt, "http://h/210000", 210000) {
			t.Error("what is too large is stored")
		}
		if st := s.Stats(); st.Evicted < 70 || st.Entries < 10 {
			t.Errorf("%+v", st)
		}
	})
}

// Concurrent fetches do not exceed the limit, either. The store forwards responses above the limit
// completely.
func TestSizeAtOnce(t *testing.T) {
	const size, length = 400 << 10, 90 << 10
	flights(t, &Options{Size: size, MaxObject: 100 << 10}, length, fresh60, func(t *testing.T, s *Store, rt http.RoundTripper, _ *upstream, bodies chan *pipe) {
		half := strings.Repeat("x", length/2)
		var clients []*client
		var pipes []*pipe
		fits := func() {
			t.Helper()
			synctest.Wait()
			if st := s.Stats(); st.Size > size || diskUsage(t, s) > size {
				t.Errorf("%+v, %d octets", st, diskUsage(t, s))
			}
		}
		for i := range 9 {
			clients = append(clients, send(t, rt, "GET", fmt.Sprint("http://h/", i)))
			p := <-bodies
			pipes = append(pipes, p)
			go io.WriteString(p.w, half)
			fits()
		}
		for i, c := range clients {
			p := pipes[i]
			go func() {
				io.WriteString(p.w, half)
				p.w.Close()
			}()
			c.wants(t, -1, half+half)
			c.close()
			fits()
		}
		if n := s.Stats().Stored; n < 3 || n > 4 {
			t.Errorf("%d are stored", n)
		}
	})
}

// Small bodies and metas respect the memory limit.
func TestMemory(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		up := texts()
		s := openStore(t, t.TempDir(), &Options{Memory: 100 << 10})
		rt := s.Transport(up)
		for i := range 50 {
			asks(t, rt, fmt.Sprintf("http://h/20000/%d", i), 20000)
			time.Sleep(time.Second) // lets the writer run
			synctest.Wait()
			if st := s.Stats(); st.Memory > 100<<10 {
				t.Fatalf("%+v", st)
			}
		}
		for i := range 50 {
			if !asks(t, rt, fmt.Sprintf("http://h/20000/%d", i), 20000) {
				t.Errorf("%d is not there", i)
			}
		}
		if st := s.Stats(); st.Memory > 100<<10 || st.Memory < 40<<10 || st.Entries != 50 {
			t.Errorf("%+v", st)
		}
	})
}

// After reopening, the store contains all responses with their metas.
func TestReopen(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		up := texts()
		s := openStore(t, dir, nil)
		rt := s.Transport(up)
		for i, n := range []int{0, 10, smallSize, smallSize + 1, 300000} {
			asks(t, rt, fmt.Sprintf("http://h/%d/%d", n, i), n)
		}
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		before := s.Stats()
		s = openStore(t, dir, nil)
		rt = s.Transport(up)
		time.Sleep(9 * time.Second)
		for i, n := range slices.Backward([]int{0, 10, smallSize, smallSize + 1, 300000}) {
			if !asks(t, rt, fmt.Sprintf("http://h/%d/%d", n, i), n) {
				t.Errorf("%d is not there", n)
			}
			time.Sleep(time.Second)
		}
		resp, _, err := ask(rt, request(t, "HEAD", "http://h/10/1"))
		if err != nil || resp.Header.Get("Age") != "14" || resp.Header.Get("Cache-Control") != "max-age=100000" {
			t.Errorf("%v, %v", resp, err)
		}
		if after := s.Stats(); after.Entries != before.Entries || after.Size != before.Size {
			t.Errorf("%+v, %+v", before, after)
		}
		s.Close()
		// With a smaller limit, the store evicts the least recently used responses.
		s = openStore(t, dir, &Options{Size: 100 << 10})
		if st := s.Stats(); st.Size > 100<<10 || st.Entries == 0 {
			t.Errorf("%+v", st)
		}
	})
}

// A response without later requests counts as used when it was received.
func TestReopenUsed(t *testing.T) {
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, dir, nil)
		rt := s.Transport(texts())
		old, recent := "http://h/10/old", "http://h/10/recent"
		asks(t, rt, old, 10)
		time.Sleep(time.Second)
		asks(t, rt, old, 10)
		time.Sleep(time.Second)
		asks(t, rt, recent, 10)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
		s = openStore(t, dir, nil)
		if e := leastUsed(maps.Keys(s.all), nil); e.key != keyOf(old) {
			t.Error("the newest answer counts as the least recently used one")
		}
	})
}

func TestBusy(t *testing.T) {
	t.Parallel() // waits for a lock
	dir := t.TempDir()
	openStore(t, dir, nil)
	if s, err := Open(dir, registry(t), nil); !errors.Is(err, ErrBusy) {
		t.Errorf("%v, %v", s, err)
	}
}

// A damaged index is replaced, and damaged bodies are not used.
func TestDamage(t *testing.T) {
	fill := func(t *testing.T, dir string) {
		s := openStore(t, dir, nil)
		rt := s.Transport(texts())
		for i := range 20 {
			asks(t, rt, fmt.Sprintf("http://h/1000/%d", i), 1000)
		}
		asks(t, rt, "http://h/200000", 200000)
		if err := s.Close(); err != nil {
			t.Fatal(err)
		}
	}
	index := func(change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			name := filepath.Join(dir, "index.db")
			octets, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(name, change(octets), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	files := func(change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, dir string) {
			list, err := filepath.Glob(filepath.Join(dir, bodies, "*", "*"))
			if err != nil || len(list) != 21 {
				t.Fatal(list, err)
			}
			for _, name := range list {
				octets, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if len(octets) > smallSize { // only truncated: the file size reveals it, not a checksum
					octets = octets[:100]
				} else {
					octets = change(octets)
				}
				if err := os.WriteFile(name, octets, 0o600); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	zero := func(from, to int) func([]byte) []byte {
		return func(b []byte) []byte {
			clear(b[min(from, len(b)):min(to, len(b))])
			return b
		}
	}
	for name, damage := range map[string]func(*testing.T, string){
		"cut":       index(func(b []byte) []byte { return b[:len(b)/2] }),
		"empty":     index(func(b []byte) []byte { return nil }),
		"short":     index(func(b []byte) []byte { return b[:100] }),
		"text":      index(func([]byte) []byte { return []byte("not an index\n") }),
		"no head":   index(zero(0, 8192)),
		"no middle": index(zero(8192, 40960)),
		"no end":    index(zero(16384, 1<<20)),
		"other record": index(func(b []byte) []byte {
			return []byte(strings.ReplaceAll(string(b), "http://h/1000/7", "http://h/1000/8"))
		}),
		"other version": index(func(b []byte) []byte {
			return []byte(strings.ReplaceAll(string(b), version, "locus cache 1"))
		}),
		"bodies changed":  files(func(b []byte) []byte { b[500] ^= 1; return b }),
		"bodies zero":     files(func(b []byte) []byte { clear(b); return b }),
		"bodies cut":      files(func(b []byte) []byte { return b[:500] }),
		"bodies too long": files(func(b []byte) []byte { return append(b, "more"...) }),
		"no bodies":       func(t *testing.T, dir string) { os.RemoveAll(filepath.Join(dir, bodies)) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			fill(t, dir)
			damage(t, dir)
			var mu sync.Mutex
			var notes []error
			s := openStore(t, dir, &Options{Note: func(err error) { mu.Lock(); notes = append(notes, err); mu.Unlock() }})
			rt := s.Transport(texts())
			for range 2 { // each response is correct; the second round has all of them
				for i := range 20 {
					asks(t, rt, fmt.Sprintf("http://h/1000/%d", i), 1000)
				}
				asks(t, rt, "http://h/200000", 200000)
			}
			for i := range 20 {
				if !asks(t, rt, fmt.Sprintf("http://h/1000/%d", i), 1000) {
					t.Errorf("%d is not there", i)
				}
			}
			if n := countBodies(t, s); n != 21 {
				t.Errorf("%d files", n)
			}
			for _, err := range notes {
				if !errors.Is(err, store.ErrDamaged) {
					t.Errorf("%v", err)
				}
			}
		})
	}
}

// The store deletes only bodies that are not in the index.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	s := openStore(t, dir, nil)
	asks(t, s.Transport(texts()), "http://h/10", 10)
	s.Close()
	orphan := s.pathOf(key{1}, 2)
	other := filepath.Join(dir, bodies, "01", "notes.txt")
	for _, name := range []string{orphan, other} {
		if err := os.WriteFile(name, []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	s = openStore(t, dir, nil)
	if _, err := os.Stat(orphan); err == nil {
		t.Error("the orphan is there")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error(err)
	}
	if !asks(t, s.Transport(texts()), "http://h/10", 10) {
		t.Error("swept too much")
	}
}

// If the file of a body is missing, the response is fetched again.
func TestFileGone(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	rt := s.Transport(texts())
	asks(t, rt, "http://h/200000", 200000)
	list, _ := filepath.Glob(filepath.Join(s.dir, bodies, "*", "*"))
	for _, name := range list {
		os.Remove(name)
	}
	if asks(t, rt, "http://h/200000", 200000) || !asks(t, rt, "http://h/200000", 200000) {
		t.Error("it is there, or not again")
	}
}

// A reader can finish an evicted body.
func TestEvictedWhileRead(t *testing.T) {
	s := openStore(t, t.TempDir(), nil)
	rt := s.Transport(texts())
	asks(t, rt, "http://h/200000", 200000)
	resp, err := rt.RoundTrip(request(t, "GET", "http://h/200000"))
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if n := s.PurgeAll(); n != 1 {
		t.Errorf("%d", n)
	}
	body, err := io.ReadAll(resp.Body)
	if string(body) != text("http://h/200000", 200000) || err != nil {
		t.Errorf("%d octets, %v", len(body), err)
	}
	if asks(t, rt, "http://h/200000", 200000) {
		t.Error("it is there")
	}
	if n := s.Purge(locus.MustParse("HTTP://h/200000#x")); n != 1 {
		t.Errorf("%d", n)
	}
	if n := s.Purge(locus.MustParse("http://u:p@h/200000")); n != 0 {
		t.Errorf("%d", n)
	}
	if st := s.Stats(); st.Entries != 0 || st.Size != 0 || st.Memory != 0 || countBodies(t, s) != 0 {
		t.Errorf("%+v", st)
	}
}

// The response to several ranges is multipart.
func TestSeveralRanges(t *testing.T) {
	for _, n := range []int{1000, 100000} {
		s := openStore(t, t.TempDir(), nil)
		rt := s.Transport(texts())
		url := fmt.Sprintf("http://h/%d", n)
		asks(t, rt, url, n)
		resp, body, err := ask(rt, request(t, "GET", url, "Range: bytes=0-2, 500-501, -3"))
		if err != nil || resp.StatusCode != 206 || resp.ContentLength != int64(len(body)) {
			t.Fatalf("%v, %v", resp, err)
		}
		boundary, ok := strings.CutPrefix(resp.Header.Get("Content-Type"), "multipart/byteranges; boundary=")
		all := text(url, n)
		want := ""
		for i, part := range [][2]int{{0, 3}, {500, 502}, {n - 3, n}} {
			if i > 0 {
				want += "\r\n"
			}
			want += fmt.Sprintf("--%s\r\nContent-Range: bytes %d-%d/%d\r\n\r\n%s", boundary, part[0], part[1]-1, n, all[part[0]:part[1]])
		}
		if want += "\r\n--" + boundary + "--\r\n"; !ok || body != want {
			t.Errorf("%q, want %q", body, want)
		}
	}
}

// The number of responses per URL is limited.
func TestVariants(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := openStore(t, t.TempDir(), nil)
		rt := s.Transport(&upstream{response: func(_ int, req *http.Request) (*http.Response, error) {
			return response(200, "x", "Cache-Control: max-age=60", "Vary: X-Any"), nil
		}})
		for i := range 3 * maxVariants {
			time.Sleep(time.Millisecond)
			ask(rt, request(t, "GET", "http://h/a", fmt.Sprint("X-Any: ", i)))
		}
		if st := s.Stats(); st.Entries != maxVariants {
			t.Errorf("%+v", st)
		}
	})
}
