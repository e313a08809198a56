package get_test

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"

	"github.com/rogpeppe/go-internal/testscript"
)

// startGateway starts a proxy that responds with the requested URL.
func startGateway(env *testscript.Env) {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodConnect {
			w.Header().Set("Content-Type", "text/plain")
			fmt.Fprintf(w, "%s %s %s\n", r.Method, r.RequestURI, r.Header.Get("Proxy-Authorization"))
			return
		}
		up, err := new(net.Dialer).DialContext(r.Context(), "tcp", r.Host)
		if err != nil {
			w.WriteHeader(http.StatusBadGateway)
			return
		}
		down, _, err := w.(http.Hijacker).Hijack()
		if err != nil {
			up.Close()
			return
		}
		io.WriteString(down, "HTTP/1.1 200 OK\r\n\r\n")
		var both sync.WaitGroup
		both.Go(func() { io.Copy(up, down); up.Close() })
		both.Go(func() { io.Copy(down, up); down.Close() })
		both.Wait()
	}))
	env.Defer(s.Close)
	env.Setenv("GATEWAY", strings.TrimPrefix(s.URL, "http://"))
}
