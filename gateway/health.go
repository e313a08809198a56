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

// HealthCheck checks something that a gateway depends on.
type HealthCheck struct {
	// Part names it for programs, such as "cache".
	Part string
	// Check returns what is wrong, or nil. Clients of the gateway read the message, without
	// the names of files and the logins of URLs. It is called at most once at a time.
	Check func(ctx context.Context) error
}

// healthPath is where programs ask whether the gateway works.
const healthPath = "/healthz"

const (
	// healthTime is how long the answer of a check is used, so that clients can't have
	// checks run all the time.
	healthTime = 5 * time.Second
	// healthWait is how long a check may take.
	healthWait = 2 * time.Second
)

// healthStatus is the body of the answer.
type healthStatus struct {
	OK       bool            `json:"ok"`
	Problems []healthProblem `json:"problems"`
}

type healthProblem struct {
	Part    string `json:"part"`
	Message string `json:"message"`
}

// health keeps the answers of checks.
type health struct {
	mu    sync.Mutex
	asked time.Time
	parts []healthPart
}

type healthPart struct {
	HealthCheck
	running chan error // nil: no call is under way
	err     error
}

func newHealth(checks []HealthCheck) *health {
	h := new(health)
	for _, c := range checks {
		h.parts = append(h.parts, healthPart{HealthCheck: c})
	}
	return h
}

// problems returns what is wrong by the checks.
func (h *health) problems(now time.Time) (list []healthProblem) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.asked.IsZero() || now.Sub(h.asked) >= healthTime {
		h.ask()
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

// ask runs the checks. One that is still running from an earlier time is not called again.
func (h *health) ask() {
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

// logins matches the login of each URL in a message.
var logins = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`//[^\s/"<>]*@`) })

// healthText is the message of err in one line, without the name of a file and without the
// users and passwords of URLs.
func healthText(err error) string {
	text := err.Error()
	if file := (*fs.PathError)(nil); errors.As(err, &file) {
		text = file.Err.Error()
	}
	text = locus.MaskText(strings.ReplaceAll(text, "\n", "; "))
	return logins().ReplaceAllString(text, "//***@")
}

// asksHealth reports whether r asks for the health, which is answered also at the limit of
// requests.
func (g *Gateway) asksHealth(r *http.Request) bool {
	own := strings.HasPrefix(r.RequestURI, "/") // not a URL for the proxy
	return own && (r.Method == http.MethodGet || r.Method == http.MethodHead) && g.below(r.RequestURI) == healthPath
}

// serveHealth says what is wrong, with the status 503, or that nothing is.
func (g *Gateway) serveHealth(w http.ResponseWriter) error {
	a := healthStatus{Problems: append(g.limiter.full(), g.health.problems(time.Now())...)}
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

// full returns the limits that are reached.
func (l *limiter) full() (list []healthProblem) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if most := l.limits.Requests; l.all >= most {
		list = append(list, healthProblem{"requests", fmt.Sprintf("the limit of %d concurrent requests is reached", most)})
	}
	if most := l.limits.Sessions; l.sessions >= most {
		list = append(list, healthProblem{"terminals", fmt.Sprintf("the limit of %d open terminals is reached", most)})
	}
	if l.memory.isOver(l.limits.Memory) {
		list = append(list, healthProblem{"memory", fmt.Sprintf("the limit of %d bytes of memory is reached", l.limits.Memory)})
	}
	return list
}
