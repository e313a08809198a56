package gateway

import (
	"context"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptrace"
	"net/textproto"
	"strconv"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// serveProxy handles a request whose target is a complete URL. It ignores the Host field (RFC 9112
// section 3.2.2).
func (g *Gateway) serveProxy(w *recorder, r *http.Request) error {
	w.kind = "proxy"
	u, err := locus.Parse(r.RequestURI)
	if err != nil {
		return err
	}
	u = u.WithoutFragment()
	w.url = u
	if isWeb(u.Scheme()) && g.isSelf(r, u.Host(), g.client.Registry().Port(u)) {
		// A browser that uses this gateway as its proxy also requests the gateway's own
		// pages through the proxy.
		target := "/"
		if path, ok := u.Path(); ok {
			target += path
		}
		w.url = locus.URL{}
		return g.serveOwn(w, r, target)
	}
	if r.Method == http.MethodTrace || r.Method == http.MethodOptions && r.Header.Get("Max-Forwards") == "0" {
		w.Header().Set("Allow", "GET, HEAD")
		return &problem{http.StatusMethodNotAllowed, "unsupported", "the proxy does not forward the method " + r.Method}
	}
	if !isWeb(u.Scheme()) {
		return g.serveForeign(w, r, u)
	}
	kept, own, err := g.negotiateProxied(r, u)
	if err != nil {
		return err
	}
	var dialer scheme.Dialer
	if !g.isArchived(u) {
		if dialer, err = g.webDialer(r.Context(), u); err != nil {
			return err
		}
	}
	if dialer == nil {
		return g.serveProgram(w, r, u, kept, own)
	}
	return g.forward(w, r, u, dialer)
}

// forward forwards a request for an http or https URL, and sends the response to the client.
func (g *Gateway) forward(w *recorder, r *http.Request, u locus.URL, dialer scheme.Dialer) error {
	ctx, stop := withInterim(r, w.ResponseWriter)
	out, err := newWebRequest(ctx, r.Method, u)
	if err != nil {
		return err
	}
	copyEndToEnd(out.Header, r.Header)
	out.Header.Del("Expect")
	if hops, err := strconv.Atoi(out.Header.Get("Max-Forwards")); err == nil && hops > 0 {
		out.Header.Set("Max-Forwards", strconv.Itoa(hops-1))
	}
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header["User-Agent"] = nil // prevents the default of package net/http
	}
	g.addVia(out.Header, r.ProtoMajor, r.ProtoMinor)
	if r.ContentLength != 0 {
		if b, ok := r.Body.(*timedBody); ok {
			b.perPiece = true
		}
		out.Body = r.Body
		out.ContentLength = r.ContentLength
	}
	resp, err := g.sendWeb(u, out, dialer)
	stop()
	if err != nil {
		return err
	}
	defer resp.Body.Close()
	if to, err := g.checkRelayed(r.Context(), resp, u); err != nil {
		return g.refuseRedirect(w, r, to, err)
	}
	if resp.StatusCode < 200 || resp.StatusCode > 599 {
		// The proxy does not forward Upgrade, so status 101 is invalid.
		return fmt.Errorf("the server sent the invalid status %d", resp.StatusCode)
	}
	h := w.Header()
	if g.options.Cache != nil {
		w.cache = storeStatus(resp.Header)
	}
	copyEndToEnd(h, resp.Header)
	g.addVia(h, resp.ProtoMajor, resp.ProtoMinor)
	w.send(r, resp.StatusCode, resp.Body)
	return nil
}

// withInterim returns a context for a request to a server. With this context, the gateway forwards
// informational responses to the client (RFC 9110 section 15.2) until the caller calls stop.
// Package net/http itself sends status 100.
func withInterim(r *http.Request, w http.ResponseWriter) (ctx context.Context, stop func()) {
	if !r.ProtoAtLeast(1, 1) {
		return r.Context(), func() {}
	}
	var mu sync.Mutex
	stopped := false
	ctx = httptrace.WithClientTrace(r.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(status int, header textproto.MIMEHeader) error {
			mu.Lock()
			defer mu.Unlock()
			if stopped || status == http.StatusContinue {
				return nil
			}
			h := w.Header()
			final := maps.Clone(h)
			clear(h)
			copyEndToEnd(h, http.Header(header))
			w.WriteHeader(status)
			clear(h)
			maps.Copy(h, final)
			return nil
		},
	})
	return ctx, func() {
		mu.Lock()
		defer mu.Unlock()
		stopped = true
	}
}

// send sends a response whose header is complete.
func (w *recorder) send(r *http.Request, status int, body io.Reader) {
	w.WriteHeader(status)
	if r.Method != http.MethodHead && status != http.StatusNoContent && status != http.StatusNotModified {
		w.stream(body)
	}
}
