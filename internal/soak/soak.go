package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/tour"
)

// options are those of the command.
type options struct {
	time, every time.Duration
	wait        time.Duration // limit of a server's silence
	rate        int
	seed        uint64
	csv, svg    string
	heap        string // a folder
	out         io.Writer
	tolerance   float64 // multiplies what may grow and fail; 0: 1
	// longer is for how long after time the load may go on, until all kinds of requests
	// were answered once.
	longer time.Duration
}

const (
	// minSamples is how many samples tell a level.
	minSamples = 10
	// maxUnderWay bounds the requests under way. Above it, none begins.
	maxUnderWay = 400
	// settleTime is how long goroutines and descriptors may take to come back.
	settleTime = 2 * time.Minute
)

// soak is one run.
type soak struct {
	*options
	town    *town
	start   sample // after each stop was visited once, without load
	samples []sample
	end     sample // after the load
	counts  []count
	begun   time.Time
	skipped int // requests that did not begin because too many were under way
}

// count counts the requests of one load.
type count struct {
	done, failed atomic.Int64
	first        atomic.Pointer[string] // why the first one failed
}

func run(ctx context.Context, o *options) (err error) {
	t, err := openTown(o.wait)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.close()) }()
	s := &soak{options: o, town: t, counts: make([]count, len(loads))}
	if err := s.warm(ctx); err != nil {
		return err
	}
	if err := s.profile("start"); err != nil {
		return err
	}
	if err := s.load(ctx); err != nil {
		return err
	}
	if err := s.settle(); err != nil {
		return err
	}
	if err := s.profile("end"); err != nil {
		return err
	}
	if err := s.answers(); err != nil {
		return err
	}
	s.report()
	if err := errors.Join(s.write(), ctx.Err()); err != nil {
		return err
	}
	return s.judge()
}

// warm visits each stop once, and then takes the sample that the run ends with, too.
func (s *soak) warm(ctx context.Context) error {
	c := &client{town: s.town, ctx: ctx, random: rand.New(rand.NewPCG(s.seed, 0))}
	for i := range loads {
		if err := loads[i].run(c); err != nil {
			return fmt.Errorf("%s, without load: %w", loads[i].name, err)
		}
	}
	all := s.town.stops
	for _, stop := range all {
		s.town.stops = []tour.Stop{stop}
		for _, l := range loads[:3] {
			if err := l.run(c); err != nil {
				return fmt.Errorf("%s, without load: %w", l.name, err)
			}
		}
	}
	s.town.stops = all
	// Requests that were left end by themselves. The level is that of two equal samples.
	last := sample{}
	for end := time.Now().Add(settleTime); ; time.Sleep(s.town.wait) {
		if err := s.quiet(&s.start); err != nil {
			return err
		}
		if s.start.Goroutines == last.Goroutines && s.start.Files == last.Files || time.Now().After(end) {
			return nil
		}
		last = s.start
	}
}

// quiet takes a sample without idle connections.
func (s *soak) quiet(to *sample) error {
	s.town.http.CloseIdleConnections()
	return s.town.gateway.ask(idleCommand, to)
}

// profile writes a profile of the gateway's heap, if that was asked for.
func (s *soak) profile(name string) error {
	if s.heap == "" {
		return nil
	}
	var profile []byte
	if err := s.town.gateway.ask(heapCommand, &profile); err != nil {
		return fmt.Errorf("the gateway's process: %w", err)
	}
	return os.WriteFile(filepath.Join(s.heap, name+".pprof"), profile, 0o666)
}

// load begins requests until the time is over, takes samples meanwhile, and breaks off the
// requests under way.
func (s *soak) load(ctx context.Context) error {
	fmt.Fprintln(s.out, strings.Join(columns, "\t"))
	s.begun = time.Now()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var wg sync.WaitGroup
	wg.Go(func() { s.begin(ctx, &wg) })
	err := s.watch(ctx)
	cancel()
	wg.Wait()
	return err
}

// begin begins requests at the rate.
func (s *soak) begin(ctx context.Context, wg *sync.WaitGroup) {
	random := rand.New(rand.NewPCG(s.seed, 1))
	var kinds []int
	for i, l := range loads {
		kinds = append(kinds, slices.Repeat([]int{i}, l.weight)...)
	}
	slots := make(chan struct{}, maxUnderWay)
	tick := time.NewTicker(time.Second / time.Duration(s.rate))
	defer tick.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		kind, seed := kinds[random.IntN(len(kinds))], random.Uint64()
		select {
		case slots <- struct{}{}:
			wg.Go(func() {
				defer func() { <-slots }()
				s.request(ctx, kind, seed)
			})
		default:
			s.skipped++
		}
	}
}

func (s *soak) request(ctx context.Context, kind int, seed uint64) {
	c := &client{town: s.town, ctx: ctx, random: rand.New(rand.NewPCG(seed, 0))}
	err := loads[kind].run(c)
	n := &s.counts[kind]
	switch {
	case ctx.Err() != nil: // the end of the load breaks requests off
	case err != nil:
		text := err.Error()
		n.first.CompareAndSwap(nil, &text)
		n.failed.Add(1)
	default:
		n.done.Add(1)
	}
}

// isOver reports whether the load has lasted long enough.
func (s *soak) isOver() bool {
	past := time.Since(s.begun) - s.time
	if past < 0 {
		return false
	}
	complete := len(s.samples) >= minSamples
	for i := range s.counts {
		complete = complete && s.counts[i].done.Load() > 0
	}
	return complete || past >= s.longer
}

// watch takes samples until the load is over, or ctx ends.
func (s *soak) watch(ctx context.Context) error {
	tick := time.NewTicker(s.every)
	defer tick.Stop()
	for !s.isOver() {
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
		var next sample
		if err := s.town.gateway.ask(sampleCommand, &next); err != nil {
			return fmt.Errorf("the gateway's process: %w", err)
		}
		next.Time = time.Since(s.begun)
		for i := range s.counts {
			next.Requests += s.counts[i].done.Load() + s.counts[i].failed.Load()
		}
		s.samples = append(s.samples, next)
		if _, err := fmt.Fprintln(s.out, strings.Join(next.row(), "\t")); err != nil {
			return err
		}
	}
	return nil
}

// settle waits until goroutines and descriptors are back at the start.
func (s *soak) settle() error {
	for end := time.Now().Add(settleTime); ; time.Sleep(100 * time.Millisecond) {
		if err := s.quiet(&s.end); err != nil {
			return fmt.Errorf("the gateway's process: %w", err)
		}
		if s.end.Goroutines <= s.start.Goroutines && s.end.Files <= s.start.Files || time.Now().After(end) {
			return nil
		}
	}
}

// answers prints the gateway's own count of answers, by scheme and class of status.
func (s *soak) answers() error {
	c := &client{town: s.town, ctx: context.Background()}
	_, text, err := c.get("/metrics", "text/plain")
	if err != nil {
		return err
	}
	counts := map[string]map[string]int64{}
	for _, m := range answered().FindAllStringSubmatch(text, -1) {
		name := cmp.Or(m[1], "none")
		if counts[name] == nil {
			counts[name] = map[string]int64{}
		}
		n, _ := strconv.ParseInt(m[3], 10, 64)
		counts[name][m[2]] += n
	}
	fmt.Fprintln(s.out, "\nscheme\t1xx\t2xx\t3xx\t4xx\t5xx")
	for _, name := range slices.Sorted(maps.Keys(counts)) {
		n := counts[name]
		fmt.Fprintf(s.out, "%s\t%d\t%d\t%d\t%d\t%d\n", name, n["1"], n["2"], n["3"], n["4"], n["5"])
	}
	return nil
}

// answered matches a count of requests in the metrics.
var answered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^locus_gateway_requests_total\{kind="[^"]*",scheme="([^"]*)",status="(\d)\d\d"\} (\d+)`)
})

// report prints what was asked for and what came of it.
func (s *soak) report() {
	fmt.Fprintln(s.out, "\nload\tdone\tfailed")
	for i := range loads {
		line := fmt.Sprintf("%s\t%d\t%d", loads[i].name, s.counts[i].done.Load(), s.counts[i].failed.Load())
		if why := s.counts[i].first.Load(); why != nil {
			line += "\t" + *why
		}
		fmt.Fprintln(s.out, line)
	}
	if s.skipped > 0 {
		fmt.Fprintf(s.out, "%d did not begin: %d were under way\n", s.skipped, maxUnderWay)
	}
	first, last := s.levels()
	fmt.Fprintf(s.out, "\nlevel\tstart\tafter warm-up\tend\tafter the load\nheap\t%s\t%s\t%s\t%s\nrss\t%s\t%s\t%s\t%s\n",
		size(s.start.Heap), size(first.Heap), size(last.Heap), size(s.end.Heap), size(s.start.RSS), size(first.RSS), size(last.RSS), size(s.end.RSS))
	fmt.Fprintf(s.out, "goroutines\t%d\t%d\t%d\t%d\nfiles\t%d\t%d\t%d\t%d\n",
		s.start.Goroutines, first.Goroutines, last.Goroutines, s.end.Goroutines, s.start.Files, first.Files, last.Files, s.end.Files)
}

func size(n int64) string {
	if n < 0 {
		return "-"
	}
	return human.Size(n)
}

// write writes the files that were asked for.
func (s *soak) write() error {
	var errs []error
	if s.csv != "" {
		errs = append(errs, os.WriteFile(s.csv, []byte(s.table()), 0o666))
	}
	if s.svg != "" {
		errs = append(errs, os.WriteFile(s.svg, []byte(drawing(s.samples)), 0o666))
	}
	return errors.Join(errs...)
}
