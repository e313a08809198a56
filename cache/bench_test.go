package cache

import (
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"
)

// BenchmarkHit measures a response from memory, without a connection.
func BenchmarkHit(b *testing.B) {
	s := openStore(b, b.TempDir(), nil)
	rt := s.Transport(texts())
	req := request(b, "GET", "http://h/4096/a/small/file.html")
	if _, _, err := ask(rt, req); err != nil {
		b.Fatal(err)
	}
	b.ReportAllocs()
	for b.Loop() {
		resp, err := rt.RoundTrip(req)
		if err != nil {
			b.Fatal(err)
		}
		resp.Body.Close()
	}
}

// served is a minimal handler around a RoundTripper.
func served(rt http.RoundTripper) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		req := r.Clone(r.Context())
		req.URL.Scheme, req.URL.Host, req.Host, req.RequestURI = "http", "h", "", ""
		resp, err := rt.RoundTrip(req)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		defer resp.Body.Close()
		for name, values := range resp.Header {
			w.Header()[name] = values
		}
		w.WriteHeader(resp.StatusCode)
		io.Copy(w, resp.Body)
	})
}

// BenchmarkServer compares a file server with the store behind a minimal handler, over
// loopback. Only the ratio is meaningful.
func BenchmarkServer(b *testing.B) {
	for _, size := range []struct {
		name   string
		octets int
	}{{"4K", 4096}, {"1M", 1 << 20}} {
		dir := b.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "file.txt"), make([]byte, size.octets), 0o600); err != nil {
			b.Fatal(err)
		}
		files := http.FileServer(http.Dir(dir))
		s := openStore(b, b.TempDir(), nil)
		cached := served(s.Transport(&upstream{response: func(_ int, req *http.Request) (*http.Response, error) {
			w := httptest.NewRecorder()
			files.ServeHTTP(w, req)
			resp := w.Result()
			resp.Header.Set("Cache-Control", "max-age=100000")
			return resp, nil
		}}))
		for _, server := range []struct {
			name    string
			handler http.Handler
		}{{"files", files}, {"cache", cached}} {
			b.Run(size.name+"/"+server.name, func(b *testing.B) {
				ts := httptest.NewServer(server.handler)
				defer ts.Close()
				b.SetBytes(int64(size.octets))
				b.RunParallel(func(pb *testing.PB) { rawGets(b, pb, ts.Listener.Addr().String(), size.octets) })
			})
		}
	}
}

// rawGets sends requests over one connection with little overhead, so that the benchmark
// measures the server.
func rawGets(b *testing.B, pb *testing.PB, addr string, size int) {
	conn, err := net.Dial("tcp", addr)
	if err != nil {
		b.Error(err)
		return
	}
	defer conn.Close()
	buffer := make([]byte, 64<<10)
	for pb.Next() {
		if _, err := io.WriteString(conn, "GET /file.txt HTTP/1.1\r\nHost: h\r\n\r\n"); err != nil {
			b.Error(err)
			return
		}
		head, n := -1, 0
		for head < 0 || n < head+size {
			at := 0
			if head < 0 {
				at = n
			}
			m, err := conn.Read(buffer[at:])
			if err != nil {
				b.Error(err)
				return
			}
			if n += m; head < 0 {
				head = headEnd(buffer[:n])
			}
		}
	}
}

// headEnd returns the end of the header, or -1 if it is incomplete.
func headEnd(b []byte) int {
	for i := range max(0, len(b)-3) {
		if string(b[i:i+4]) == "\r\n\r\n" {
			return i + 4
		}
	}
	return -1
}
