package gateway

import (
	"fmt"
	"net/http"
	"strings"
)

// serveLocal answers a request for the gateway's own pages. target is as it was
// written.
func (g *Gateway) serveLocal(w *recorder, r *http.Request, target string) {
	path, query, _ := strings.Cut(target, "?")
	_ = query
	switch {
	case path == "/healthz":
		w.kind = "health"
		w.Header().Set("Content-Type", "text/plain; charset=utf-8")
		fmt.Fprintln(w, "ok")
	case path == "/metrics":
		w.kind = "metrics"
		g.serveMetrics(w)
	default:
		w.kind = "page"
		g.fail(w, r, http.StatusNotFound, "not-found", "no such page")
	}
}

// fail answers that something failed: kind is a word that does not change.
func (g *Gateway) fail(w *recorder, r *http.Request, status int, kind, message string) {
	h := w.Header()
	h.Set("Content-Type", "text/plain; charset=utf-8")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		fmt.Fprintf(w, "%s: %s\n", kind, shownText(message))
	}
}
