package main

import (
	"bytes"
	"context"
	"encoding/csv"
	"encoding/xml"
	"errors"
	"io"
	"log"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestMain(m *testing.M) {
	if isGateway() {
		main()
		return
	}
	log.SetOutput(io.Discard)
	os.Exit(m.Run())
}

// A short run: every load is answered, and the gateway's goroutines and descriptors come
// back. A few seconds tell little about memory, so it may grow more than in a long run.
func TestSoak(t *testing.T) {
	o := &options{time: 8 * time.Second, every: 200 * time.Millisecond, wait: 2 * time.Second, rate: 60, seed: 1738, tolerance: 4, longer: time.Minute}
	if testing.Short() {
		o.time, o.every = 2*time.Second, 100*time.Millisecond
	}
	dir := t.TempDir()
	o.csv, o.svg, o.heap = filepath.Join(dir, "a.csv"), filepath.Join(dir, "a.svg"), dir
	var out strings.Builder
	o.out = &out
	err := run(t.Context(), o)
	if err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
	text, err := os.ReadFile(o.csv)
	if err != nil {
		t.Fatal(err)
	}
	rows, err := csv.NewReader(strings.NewReader(string(text))).ReadAll()
	if err != nil || len(rows) < 1+minSamples || len(rows[0]) != len(columns) {
		t.Errorf("%d rows, %v", len(rows), err)
	}
	if text, err = os.ReadFile(o.svg); err != nil {
		t.Fatal(err)
	}
	isXML(t, string(text))
	for _, name := range []string{"start.pprof", "end.pprof"} {
		if text, err := os.ReadFile(filepath.Join(dir, name)); err != nil || !bytes.HasPrefix(text, []byte{0x1F, 0x8B}) {
			t.Errorf("%s: %d octets, not compressed by gzip: %v", name, len(text), err)
		}
	}
}

func isXML(t *testing.T, text string) {
	t.Helper()
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err == io.EOF {
			return
		} else if err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
}

// An interrupted run ends its processes and says so.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := run(ctx, &options{time: time.Minute, every: time.Second, wait: time.Second, rate: 1, out: io.Discard})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}

// level returns samples at a level, and then growth.
func level(n int, grow func(i int, s *sample)) *soak {
	s := &soak{options: &options{}, town: new(town), counts: make([]count, len(loads))}
	base := sample{Heap: 20 << 20, RSS: 50 << 20, Goroutines: 100, Files: 50}
	for i := range n {
		one := base
		one.Time = time.Duration(i) * time.Second
		one.Heap += int64(i%7) << 17
		if grow != nil {
			grow(i, &one)
		}
		s.samples = append(s.samples, one)
	}
	for i := range s.counts {
		s.counts[i].done.Store(1000)
	}
	s.start, s.end = sample{Heap: 5 << 20, Goroutines: 3, Files: 12}, sample{Heap: 6 << 20, Goroutines: 3, Files: 12}
	return s
}

func TestJudge(t *testing.T) {
	if err := level(100, nil).judge(); err != nil {
		t.Error(err)
	}
	tests := map[string]*soak{
		"heap grew from 2": level(100, func(i int, s *sample) { s.Heap += int64(i) << 17 }),
		"rss grew from":    level(100, func(i int, s *sample) { s.RSS += int64(i) << 19 }),
	}
	late := level(100, nil)
	late.end.Files = 15
	tests["15 open files after the load, and 12 before it"] = late
	left := level(100, nil)
	left.end.Heap = 40 << 20
	tests["heap after the load grew"] = left
	failed := level(100, nil)
	failed.counts[0].failed.Store(20)
	tests["page: 20 of 1020 requests failed"] = failed
	none := level(100, nil)
	none.counts[1].done.Store(0)
	tests["raw: 0 of 0 requests failed"] = none
	for want, s := range tests {
		err := s.judge()
		if !errors.As(err, new(*levelError)) || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v does not say %q", err, want)
		}
	}
	if err := level(minSamples-1, nil).judge(); err == nil || errors.As(err, new(*levelError)) {
		t.Errorf("few samples: %v", err)
	}
}

// What is not measured on a system does not grow.
func TestJudgeWithoutProc(t *testing.T) {
	s := level(100, func(_ int, s *sample) { s.RSS, s.Files = -1, -1 })
	s.start.Files, s.end.Files = -1, -1
	if err := s.judge(); err != nil {
		t.Error(err)
	}
}

func TestDrawing(t *testing.T) {
	for _, n := range []int{0, 1, 10, 2000} {
		text := drawing(level(n, nil).samples)
		isXML(t, text)
		if len(text) > 40<<10 {
			t.Errorf("%d samples: %d bytes", n, len(text))
		}
	}
}

func TestOptions(t *testing.T) {
	good := options{time: time.Minute, every: time.Second, wait: time.Second, rate: 1}
	if err := good.check(nil); err != nil {
		t.Error(err)
	}
	for want, change := range map[string]func(*options){
		"--every": func(o *options) { o.every = 0 }, "--for": func(o *options) { o.time = 0 },
		"--rate": func(o *options) { o.rate = 0 }, "--wait": func(o *options) { o.wait = time.Hour },
	} {
		o := good
		change(&o)
		if err := o.check(nil); err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%s: %v", want, err)
		}
	}
	if good.check([]string{"x"}) == nil {
		t.Error("an argument is taken")
	}
}
