package main

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The level after warm-up is the median of the second fifth of the samples, and the level
// at the end that of the last fifth. It may be higher by a share and a fixed part, for the
// requests that happen to be under way.
const (
	heapShare, heapMore = 0.15, 2 << 20
	rssShare, rssMore   = 0.25, 8 << 20
	// lateFiles and lateGoroutines may be there after the load and not before it.
	lateFiles, lateGoroutines = 2, 2
	// failedShare of the requests of a load may fail.
	failedShare = 0.01
)

// levelError says what grew, or which load failed.
type levelError struct{ list []string }

func (e *levelError) Error() string { return strings.Join(e.list, "\n") }

// levels returns the medians after warm-up and at the end.
func (s *soak) levels() (first, last sample) {
	n := len(s.samples)
	return median(s.samples[n/5 : n*2/5]), median(s.samples[n*4/5:])
}

// median returns the median of each number. Without samples it is zero.
func median(list []sample) (m sample) {
	if len(list) == 0 {
		return m
	}
	m.Heap = middle(list, func(s sample) int64 { return s.Heap })
	m.RSS = middle(list, func(s sample) int64 { return s.RSS })
	m.Goroutines = int(middle(list, func(s sample) int64 { return int64(s.Goroutines) }))
	m.Files = int(middle(list, func(s sample) int64 { return int64(s.Files) }))
	return m
}

func middle(list []sample, value func(sample) int64) int64 {
	values := make([]int64, len(list))
	for i, s := range list {
		values[i] = value(s)
	}
	slices.Sort(values)
	return values[len(values)/2]
}

// judge returns a *levelError if something grew or a load failed.
func (s *soak) judge() error {
	var list []string
	if len(s.samples) < minSamples {
		return fmt.Errorf("%d samples are too few to tell a level: %d are needed", len(s.samples), minSamples)
	}
	tolerance := cmp.Or(s.tolerance, 1)
	first, last := s.levels()
	grew := func(name string, from, to int64, share float64, more int64) {
		share, more = share*tolerance, int64(float64(more)*tolerance)
		if to > from+int64(share*float64(from))+more {
			list = append(list, fmt.Sprintf("%s grew from %s after warm-up to %s at the end: more than %.0f%% and %s", name, size(from), size(to), 100*share, size(more)))
		}
	}
	grew("heap", first.Heap, last.Heap, heapShare, heapMore)
	grew("rss", first.RSS, last.RSS, rssShare, rssMore)
	// The cache is full then, and was empty at the start.
	grew("heap after the load", first.Heap, s.end.Heap, heapShare, heapMore)
	if s.end.Goroutines > s.start.Goroutines+lateGoroutines {
		list = append(list, fmt.Sprintf("%d goroutines after the load, and %d before it%s", s.end.Goroutines, s.start.Goroutines, s.stacks()))
	}
	if s.end.Files > s.start.Files+lateFiles {
		list = append(list, fmt.Sprintf("%d open files after the load, and %d before it", s.end.Files, s.start.Files))
	}
	for i := range loads {
		done, failed := s.counts[i].done.Load(), s.counts[i].failed.Load()
		if done == 0 || float64(failed) > tolerance*failedShare*float64(done+failed) {
			list = append(list, fmt.Sprintf("%s: %d of %d requests failed", loads[i].name, failed, done+failed))
		}
	}
	if list != nil {
		return &levelError{list}
	}
	return nil
}

// stacks returns where the goroutines of the gateway are.
func (s *soak) stacks() string {
	var text string
	if s.town.gateway.ask(stacksCommand, &text) != nil {
		return ""
	}
	return ":\n" + text
}

// columns are those of the table.
var columns = []string{"seconds", "requests", "heap", "rss", "goroutines", "files"}

func (s sample) row() []string {
	return []string{
		strconv.FormatFloat(s.Time.Round(100*time.Millisecond).Seconds(), 'f', 1, 64), strconv.FormatInt(s.Requests, 10),
		strconv.FormatInt(s.Heap, 10), strconv.FormatInt(s.RSS, 10), strconv.Itoa(s.Goroutines), strconv.Itoa(s.Files),
	}
}

// table returns the samples as CSV.
func (s *soak) table() string {
	var b strings.Builder
	fmt.Fprintln(&b, strings.Join(columns, ","))
	for _, one := range s.samples {
		fmt.Fprintln(&b, strings.Join(one.row(), ","))
	}
	return b.String()
}
