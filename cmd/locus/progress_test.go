package main

import (
	"bytes"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus/transfer"
)

// screen is a terminal that several write to.
type screen struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (s *screen) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.Write(p)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.b.String()
}

func newScreen(t *testing.T) (*app, *screen) {
	s := &screen{}
	a := newApp(t.Context(), strings.NewReader(""), &bytes.Buffer{}, s, func(string) string { return "" })
	a.errTTY = true
	return a, s
}

func TestProgressBars(t *testing.T) {
	a, s := newScreen(t)
	p := startProgress(a, []string{"one\x1b[2J.txt", "two.txt"})
	p.report(transfer.Event{Index: 0, State: transfer.Started, Total: 2048, Left: -1})
	p.report(transfer.Event{Index: 1, State: transfer.Moving, Done: 1024, Total: 4096, Rate: 512, Left: 6 * time.Second})
	a.note("a note meanwhile")
	p.report(transfer.Event{Index: 0, State: transfer.Finished, Done: 2048, Total: 2048, Left: -1})
	p.report(transfer.Event{Index: 1, State: transfer.Waiting, Done: 1024, Total: 4096, Err: errors.New("x")})
	p.Close()
	p.report(transfer.Event{Index: 1, State: transfer.Moving}) // is too late
	a.note("a note afterwards")
	text := s.String()
	for _, want := range []string{"a note meanwhile\n", "1 of 2 files", "a note afterwards\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q does not have %q", text, want)
		}
	}
	if strings.Contains(text, "\x1b[2J.txt") {
		t.Errorf("%q has an escape sequence of a server", text)
	}
}

func TestBarText(t *testing.T) {
	tests := []struct {
		event transfer.Event
		note  string
		want  string
	}{
		{transfer.Event{Total: -1, Left: -1}, "", "0"},
		{transfer.Event{Done: 1024, Total: -1, Rate: 100, Left: -1}, "", "1.0 KiB, 100/s"},
		{transfer.Event{Done: 1024, Total: 2048, Rate: 512, Left: 2 * time.Second}, "", "1.0 KiB of 2.0 KiB, 512/s, 2s left"},
		{transfer.Event{Done: 1024, Total: 2048, Rate: 512, Left: time.Millisecond}, "", "1.0 KiB of 2.0 KiB, 512/s, 1s left"},
		{transfer.Event{Done: 1024, Total: 2048, Rate: 512, Left: 2 * time.Second}, "tried again soon", "1.0 KiB of 2.0 KiB, tried again soon"},
	}
	for _, test := range tests {
		var b bar
		b.set(test.event, test.note)
		if got := b.text(); got != test.want {
			t.Errorf("%q, want %q", got, test.want)
		}
	}
}

// Bars are for people who look at a terminal, and want them.
func TestProgressOff(t *testing.T) {
	for name, change := range map[string]func(*getter){
		"pipe":    func(g *getter) { g.a.errTTY = false },
		"quiet":   func(g *getter) { g.a.flags.quiet = true },
		"json":    func(g *getter) { g.a.flags.json = true },
		"verbose": func(g *getter) { g.verbose = true },
	} {
		a, s := newScreen(t)
		g := &getter{viewer: viewer{a: a}}
		change(g)
		p := g.newProgress(true, []string{"a"})
		p.report(transfer.Event{State: transfer.Moving})
		p.Close()
		if s.String() != "" {
			t.Errorf("%s: %q", name, s.String())
		}
	}
}
