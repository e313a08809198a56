package main

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/fleet"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/config"
)

func (c *command) newUI() *cobra.Command {
	listen := config.ListenAddress("127.0.0.1:9101")
	cmd := &cobra.Command{
		Use:   "ui",
		Short: "Serve a status page for a frontier and its workers",
		Long: `The page shows throughput, verdicts, hosts, workers and waiting targets. It needs no script and
reloads every few seconds. It has no login, so it listens only on this machine unless you use
--listen.`,
		Example: `  locus-fleet ui --nats nats://nats.example.com
  locus-fleet ui --nats nats://nats.example.com --listen 127.0.0.1:8080`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.forever = true
			return c.withFrontier(cmd.Context(), func(ctx context.Context, f *fleet.Frontier) error {
				end, err := c.serve(ctx, "--listen", string(listen), f.Page(), nil)
				if err != nil {
					return err
				}
				defer end()
				<-ctx.Done()
				return nil
			})
		},
	}
	base.AddFlags(cmd, "Page", func(f *pflag.FlagSet) {
		f.Var(&listen, "listen", "serve the page at `ADDRESS`")
	})
	return cmd
}

// serve starts an HTTP server at the given address. The server serves the handler page, and the
// metrics and the health of the worker w. Both parameters may be nil. The server runs until the
// caller calls stop.
func (c *command) serve(ctx context.Context, flag, address string, page http.Handler, w *fleet.Worker) (stop func(), err error) {
	if strings.HasPrefix(address, ":") {
		address = "127.0.0.1" + address
	}
	l, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return nil, accessError{fmt.Errorf("%s: %w", flag, err)}
	}
	mux := http.NewServeMux()
	if page != nil {
		mux.Handle("/", page)
	}
	if w != nil {
		mux.HandleFunc("GET /metrics", func(rw http.ResponseWriter, _ *http.Request) {
			rw.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
			// A write fails only if the client has disconnected.
			_ = w.WriteMetrics(rw)
		})
		mux.HandleFunc("GET /healthz", func(rw http.ResponseWriter, _ *http.Request) {
			if err := w.Health(); err != nil {
				http.Error(rw, err.Error(), http.StatusServiceUnavailable)
				return
			}
			rw.Header().Set("Content-Type", "text/plain; charset=utf-8")
			// A write fails only if the client has disconnected.
			_, _ = rw.Write([]byte("ok\n"))
		})
	}
	s := &http.Server{
		Handler: guard(mux, page == nil && !isLoopback(l)), ReadTimeout: 10 * time.Second, WriteTimeout: 10 * time.Second, IdleTimeout: time.Minute, MaxHeaderBytes: 16 << 10,
		BaseContext: func(net.Listener) context.Context { return ctx },
	}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		if err := s.Serve(l); !errors.Is(err, http.ErrServerClosed) {
			c.note("%s: %v", flag, err)
		}
	}()
	c.note("serving http://%s/", l.Addr())
	return func() { s.Close(); <-ended }, nil
}

func isLoopback(l net.Listener) bool {
	a, ok := l.Addr().(*net.TCPAddr)
	return ok && a.IP.IsLoopback()
}

// guard adds the header fields that protect the server from pages of other sites. To prevent DNS
// rebinding, it rejects requests with other host names. If anyName is true, it accepts all host
// names, so that other machines can collect metrics.
func guard(next http.Handler, anyName bool) http.Handler {
	return http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		h := rw.Header()
		h.Set("Content-Security-Policy", "default-src 'none'; style-src 'self'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'")
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		if !anyName && !isOwnName(r) {
			http.Error(rw, "unknown host name "+locus.Quote(r.Host)+": use the address of this server", http.StatusMisdirectedRequest)
			return
		}
		next.ServeHTTP(rw, r)
	})
}

// isOwnName reports whether the Host field of the request contains the address of this server or
// "localhost".
func isOwnName(r *http.Request) bool {
	name := r.Host
	if host, _, err := net.SplitHostPort(name); err == nil {
		name = host
	}
	if strings.EqualFold(name, "localhost") {
		return true
	}
	address, err := netip.ParseAddr(strings.Trim(name, "[]"))
	if err != nil {
		return false
	}
	local, _ := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return address.IsLoopback() || local != nil && address.Unmap() == local.AddrPort().Addr().Unmap()
}
