package gateway

import (
	"cmp"
	"io"
	"log/slog"
	"net/http"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
)

// recorder is a ResponseWriter that records properties of the response for the log and the
// metrics.
type recorder struct {
	http.ResponseWriter
	begun   time.Time
	status  int // status of the response; zero before the response
	octets  int64
	kind    string      // kind of the request: "proxy", "connect", "page", "api" ...
	url     locus.URL   // requested URL; may be zero
	failure access.Kind // kind of the failure; empty if the request succeeded
	broken  error       // reason why the response is incomplete
	ended   string      // reason why a terminal ended
	cache   string      // Cache-Status of the response
	token   string      // value of the client's cookie; empty before the cookie is read
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

// ReadFrom lets the operating system copy a file to the client, as with sendfile.
func (w *recorder) ReadFrom(r io.Reader) (int64, error) {
	w.status = cmp.Or(w.status, http.StatusOK)
	n, err := io.Copy(w.ResponseWriter, r)
	w.octets += n
	return n, err
}

// Unwrap returns the writer for [http.ResponseController].
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// logRequest records a request in the log and the metrics.
func (g *Gateway) logRequest(w *recorder, r *http.Request) {
	took := time.Since(w.begun)
	g.metrics.count(w, took)
	log := g.options.Log
	if log == nil {
		return
	}
	attrs := []slog.Attr{
		slog.String("client", r.RemoteAddr),
		slog.String("method", term.Text(r.Method)),
		slog.String("kind", w.kind),
		slog.Int("status", w.status),
		slog.Int64("octets", w.octets),
		slog.Duration("took", took.Round(time.Microsecond)),
	}
	broken := ""
	if w.broken != nil {
		broken = w.broken.Error()
	}
	for _, a := range [][2]string{{"url", w.url.Shown()}, {"cache", w.cache}, {"failure", string(w.failure)}, {"ended", w.ended}, {"broken", broken}} {
		if a[1] != "" {
			attrs = append(attrs, slog.String(a[0], term.Text(a[1])))
		}
	}
	log.LogAttrs(r.Context(), slog.LevelInfo, "request", attrs...)
}
