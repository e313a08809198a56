package base_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/transfer"
)

func TestProgressBars(t *testing.T) {
	a, s := clitest.NewScreen(t)
	p := base.StartProgress(a, "one\x1b[2J.txt", "two.txt")
	p.Report(transfer.Event{Index: 0, State: transfer.Started, Total: 2048, Left: -1})
	p.Report(transfer.Event{Index: 1, State: transfer.Moving, Done: 1024, Total: 4096, Rate: 512, Left: 6 * time.Second})
	a.Note("a note meanwhile")
	p.Report(transfer.Event{Index: 0, State: transfer.Finished, Done: 2048, Total: 2048, Left: -1})
	p.Report(transfer.Event{Index: 1, State: transfer.Waiting, Done: 1024, Total: 4096, Err: errors.New("x")})
	p.Close()
	p.Report(transfer.Event{Index: 1, State: transfer.Moving}) // this event arrives too late
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

func TestProgressOfOneTask(t *testing.T) {
	a, s := clitest.NewScreen(t)
	p := base.StartProgress(a, "URLs in documents")
	p.Update(2048, "%d files, %d URLs", 12, 345)
	const want = "2.0 KiB, 12 files, 345 URLs"
	for deadline := time.Now().Add(time.Minute); !strings.Contains(s.String(), want) && time.Now().Before(deadline); {
		time.Sleep(10 * time.Millisecond)
	}
	p.Close()
	if !strings.Contains(s.String(), want) {
		t.Errorf("%q does not have %q", s.String(), want)
	}
}

// Bars appear only on a terminal to which nothing else is written.
func TestProgressOff(t *testing.T) {
	for name, change := range map[string]func(*base.App){
		"pipe":  func(a *base.App) { a.ErrTTY = false },
		"quiet": func(a *base.App) { a.Flags.Quiet = true },
		"json":  func(a *base.App) { a.Flags.JSON = true },
	} {
		a, s := clitest.NewScreen(t)
		change(a)
		p := base.StartProgress(a, "x")
		p.Update(1, "")
		if a.ShowsProgress() || s.String() != "" {
			t.Errorf("%s: %q, want nothing", name, s.String())
		}
		p.Close()
	}
}
