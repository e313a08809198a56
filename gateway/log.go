package gateway

import (
	"bufio"
	"cmp"
	"io"
	"log/slog"
	"net"
	"net/http"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/term"
)

// recorder is a ResponseWriter that records the answer for the log and the metrics.
type recorder struct {
	http.ResponseWriter
	begun   time.Time
	status  int // 0: not answered
	octets  int64
	kind    string      // "proxy", "connect", "page", "api" ...
	url     locus.URL   // requested; zero: none
	failure access.Kind // empty: none
	broken  error       // why the answer broke off
	ended   string      // why a terminal ended
	cache   string      // Cache-Status of the answer
	token   string      // of the client's cookie; empty: not read
}

func (w *recorder) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(p []byte) (int, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	n, err := w.ResponseWriter.Write(p)
	w.octets += int64(n)
	return n, err
}

// ReadFrom lets the operating system copy a file to the client.
func (w *recorder) ReadFrom(r io.Reader) (int64, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	n, err := io.Copy(w.ResponseWriter, r)
	w.octets += n
	return n, err
}

// Unwrap is for [http.ResponseController].
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Hijack implements [http.Hijacker].
func (w *recorder) Hijack() (net.Conn, *bufio.ReadWriter, error) {
	w.status = cmp.Or(w.status, http.StatusSwitchingProtocols)
	return http.NewResponseController(w.ResponseWriter).Hijack()
}

// done records a request in the log and the metrics.
func (g *Gateway) done(w *recorder, r *http.Request) {
	took := time.Since(w.begun)
	g.metrics.count(w, took)
	log := g.options.Log
	if log == nil {
		return
	}
	attrs := []slog.Attr{
		slog.String("client", r.RemoteAddr),
		slog.String("method", shownText(r.Method)),
		slog.String("kind", w.kind),
		slog.Int("status", w.status),
		slog.Int64("octets", w.octets),
		slog.Duration("took", took.Round(time.Microsecond)),
	}
	if !w.url.IsZero() {
		attrs = append(attrs, slog.String("url", shownText(w.url.Redacted())))
	}
	if w.cache != "" {
		attrs = append(attrs, slog.String("cache", shownText(w.cache)))
	}
	if w.failure != "" {
		attrs = append(attrs, slog.String("failure", string(w.failure)))
	}
	if w.ended != "" {
		attrs = append(attrs, slog.String("ended", shownText(w.ended)))
	}
	if w.broken != nil {
		attrs = append(attrs, slog.String("broken", shownText(w.broken.Error())))
	}
	log.LogAttrs(r.Context(), slog.LevelInfo, "request", attrs...)
}

// shownText returns untrusted text as one safe line.
func shownText(octets string) string { return term.Safe(charset.Text(octets)) }
