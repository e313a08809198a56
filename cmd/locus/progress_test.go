package main

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/clitest"
	"github.com/locus-url/locus/transfer"
)

func TestProgressBars(t *testing.T) {
	a, s := clitest.NewScreen(t)
	p := base.StartProgress(a, []string{"one\x1b[2J.txt", "two.txt"})
	p.Report(transfer.Event{Index: 0, State: transfer.Started, Total: 2048, Left: -1})
	p.Report(transfer.Event{Index: 1, State: transfer.Moving, Done: 1024, Total: 4096, Rate: 512, Left: 6 * time.Second})
	a.Note("a note meanwhile")
	p.Report(transfer.Event{Index: 0, State: transfer.Finished, Done: 2048, Total: 2048, Left: -1})
	p.Report(transfer.Event{Index: 1, State: transfer.Waiting, Done: 1024, Total: 4096, Err: errors.New("x")})
	p.Close()
	p.Report(transfer.Event{Index: 1, State: transfer.Moving}) // is too late
	a.Note("a note afterwards")
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
