package gateway

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/locus-url/locus"
)

// HealthCheck checks a dependency of a gateway.
type HealthCheck struct {
	// Part identifies the dependency for programs, such as "cache".
	Part string
	// Check returns an error if the dependency fails. Clients of the gateway can read the
	// error message. The gateway removes file names and logins in URLs from this message.
	// The gateway never makes concurrent calls of Check.
	Check func(ctx context.Context) error
}

// The paths of the health status.
const (
	healthPath = "/healthz" // reports every problem
	readyPath  = "/readyz"  // reports why the gateway rejects new requests
	livePath   = "/livez"   // responds if the gateway is running
)

const (
	// healthTime is how long the gateway reuses the result of a check, so that clients can't make
	// the checks run all the time.
	healthTime = 5 * time.Second
	// healthWait is how long a check may take.
	healthWait = 2 * time.Second
)

// healthStatus is the body of a health response.
type healthStatus struct {
	OK       bool            `json:"ok"`
	Problems []healthProblem `json:"problems"`
}

type healthProblem struct {
	Part    string `json:"part"`
	Message string `json:"message"`
}

// health runs checks and caches their results.
type health struct {
	mu    sync.Mutex
	asked time.Time
	parts []healthPart
}

type healthPart struct {
	HealthCheck
	running chan error // receives the result of the running call; nil if no call is running
	err     error
}

func newHealth(checks []HealthCheck) *health {
	h := new(health)
	for _, c := range checks {
		h.parts = append(h.parts, healthPart{HealthCheck: c})
	}
	return h
}

// problems returns the failed checks.
func (h *health) problems(now time.Time) (list []healthProblem) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked.IsZero() || now.Sub(h.asked) >= healthTime {
		h.runChecks()
		h.asked = now
	}
	for _, p := range h.parts {
		if p.err != nil {
			text := strings.TrimPrefix(healthText(p.err), p.Part+": ")
			list = append(list, healthProblem{p.Part, text})
		}
	}
	return list
}

var errSilent = fmt.Errorf("timed out after %v", healthWait)

// runChecks runs the checks. It does not start a check if the previous call of that check is still
// running.
func (h *health) runChecks() {
	ctx, cancel := context.WithTimeout(context.Background(), healthWait)
	defer cancel()
	for i := range h.parts {
		p := &h.parts[i]
		if p.running == nil {
			running := make(chan error, 1)
			p.running = running
			go func() { running <- p.Check(ctx) }()
		}
	}
	for i := range h.parts {
		p := &h.parts[i]
		select {
		case p.err = <-p.running:
			p.running = nil
		case <-ctx.Done():
			p.err = errSilent
		}
	}
}

// loginPattern matches the logins of URLs in a message.
var loginPattern = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`//[^\s/"<>]*@`) })

// healthText returns the message of err as one line. It omits file names, and the users and
// passwords of URLs.
func healthText(err error) string {
	text := err.Error()
	if file := (*fs.PathError)(nil); errors.As(err, &file) {
		text = file.Err.Error()
	}
	text = locus.MaskText(strings.ReplaceAll(text, "\n", "; "))
	return loginPattern().ReplaceAllString(text, "//***@")
}

// asksHealth reports whether the request r is for the health status. The gateway serves this status
// even if the request limit is reached.
func (g *Gateway) asksHealth(r *http.Request) bool {
	own := strings.HasPrefix(r.RequestURI, "/") // the request target is a path, so this is not a proxy request
	return own && (r.Method == http.MethodGet || r.Method == http.MethodHead) && isHealthPath(g.trimPrefix(r.RequestURI))
}

func isHealthPath(path string) bool {
	return path == healthPath || path == readyPath || path == livePath
}

// serveHealth responds with the list of problems for one of the health paths. The HTTP status is
// 503 if there is a problem, and otherwise 200.
func (g *Gateway) serveHealth(w http.ResponseWriter, path string) error {
	var a healthStatus
	if path != livePath {
		if g.draining.Load() {
			a.Problems = append(a.Problems, healthProblem{"shutdown", "the gateway is shutting down"})
		}
		a.Problems = append(a.Problems, g.limiter.reachedLimits()...)
	}
	if path == healthPath {
		a.Problems = append(a.Problems, g.limiter.reachedSessionLimit()...)
		a.Problems = append(a.Problems, g.health.problems(time.Now())...)
	}
	a.OK = len(a.Problems) == 0
	if a.OK {
		a.Problems = []healthProblem{}
	}
	body, err := json.Marshal(a)
	if err != nil {
		return err
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	if !a.OK {
		w.WriteHeader(http.StatusServiceUnavailable)
	}
	_, err = w.Write(append(body, '\n'))
	return err
}

// reachedLimits returns a problem for each limit that is reached and makes the gateway reject all
// requests.
func (l *limiter) reachedLimits() (list []healthProblem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if most := l.limits.Requests; l.all >= most {
		list = append(list, healthProblem{"requests", fmt.Sprintf("the limit of %d concurrent requests is reached", most)})
	}
	if l.memory.isOver(l.limits.Memory) {
		list = append(list, healthProblem{"memory", fmt.Sprintf("the limit of %d bytes of memory is reached", l.limits.Memory)})
	}
	return list
}

// reachedSessionLimit returns a problem if the limit of terminals is reached.
func (l *limiter) reachedSessionLimit() []healthProblem {
	l.mu.Lock()
	defer l.mu.Unlock()
	if most := l.limits.Sessions; l.sessions >= most {
		return []healthProblem{{"terminals", fmt.Sprintf("the limit of %d open terminals is reached", most)}}
	}
	return nil
}
