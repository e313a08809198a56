package fleet

import (
	"context"
	_ "embed"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

//go:embed page.html
var pageText string

//go:embed page.css
var pageStyle string

var pageTemplate = template.Must(template.New("page").Parse(pageText))

// Page returns a handler that serves a status page at "/" and the page's style sheet at
// "/style.css". The page contains no scripts. It escapes the reports of workers, because the
// reports are untrusted.
func (f *Frontier) Page() http.Handler {
	p := &page{frontier: f, clock: SystemClock{}}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /{$}", p.serve)
	mux.HandleFunc("GET /style.css", func(rw http.ResponseWriter, _ *http.Request) {
		rw.Header().Set("Content-Type", "text/css; charset=utf-8")
		// A write fails only if the client has disconnected.
		_, _ = rw.Write([]byte(pageStyle))
	})
	return mux
}

// page shows the progress of a frontier. It stores the previous number of verdicts, to compute
// the throughput.
type page struct {
	frontier *Frontier
	clock    Clock

	mu        sync.Mutex
	countedAt time.Time
	verdicts  uint64
	rate      float64
}

// pageData is the data of the template.
type pageData struct {
	Status
	Partitions, Held int
	Waiting          uint64
	Rate             float64 // verdicts per second
	Left             time.Duration
	Verdicts         []namedCount // verdicts of running workers
	Hosts            []HostCount
	Workers          []namedWorker
}

type namedCount struct {
	Name  string
	Count int
}

type namedWorker struct {
	Name string
	Counts
	Done int
}

func (p *page) serve(rw http.ResponseWriter, r *http.Request) {
	ctx, cancel := context.WithTimeout(r.Context(), callTime)
	defer cancel()
	s, err := p.frontier.Status(ctx)
	if err != nil {
		http.Error(rw, "the NATS server does not respond", http.StatusBadGateway)
		return
	}
	var b strings.Builder
	if err := pageTemplate.Execute(&b, p.data(&s)); err != nil {
		http.Error(rw, "the page can't be rendered", http.StatusInternalServerError)
		return
	}
	rw.Header().Set("Content-Type", "text/html; charset=utf-8")
	// A write fails only if the client has disconnected.
	_, _ = rw.Write([]byte(b.String()))
}

const maxPageHosts = 20

func (p *page) data(s *Status) *pageData {
	d := &pageData{Status: *s, Partitions: p.frontier.settings.Partitions, Rate: p.throughput(s.Verdicts)}
	if s.Targets > s.Verdicts {
		d.Waiting = s.Targets - s.Verdicts
	}
	if d.Rate > 0 {
		d.Left = time.Duration(float64(d.Waiting) / d.Rate * float64(time.Second)).Round(time.Second)
	}
	verdicts := map[string]int{}
	for _, name := range slices.Sorted(maps.Keys(s.Workers)) {
		w := namedWorker{Name: name, Counts: s.Workers[name]}
		for verdict, n := range w.Counts.Verdicts {
			verdicts[verdict] += n
			w.Done += n
		}
		d.Held += w.Held
		d.Hosts = append(d.Hosts, w.Busiest...)
		d.Workers = append(d.Workers, w)
	}
	for _, name := range slices.Sorted(maps.Keys(verdicts)) {
		d.Verdicts = append(d.Verdicts, namedCount{name, verdicts[name]})
	}
	slices.SortStableFunc(d.Hosts, func(a, b HostCount) int { return b.Waiting - a.Waiting })
	d.Hosts = d.Hosts[:min(len(d.Hosts), maxPageHosts)]
	return d
}

// throughput returns the number of verdicts per second since an earlier call.
func (p *page) throughput(verdicts uint64) float64 {
	const least = 2 * time.Second
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.clock.Now()
	if passed := now.Sub(p.countedAt); p.countedAt.IsZero() || passed >= least {
		if !p.countedAt.IsZero() && verdicts >= p.verdicts {
			p.rate = float64(verdicts-p.verdicts) / passed.Seconds()
		}
		p.countedAt, p.verdicts = now, verdicts
	}
	return p.rate
}
