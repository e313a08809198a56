package verify

import (
	"fmt"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/verify"
)

// verifyProgress shows the progress of a verification on a terminal: a bar, dead and
// waiting URLs, and the rate.
type verifyProgress struct {
	v     *verifier
	bars  *mpb.Progress
	bar   *mpb.Bar
	end   chan struct{}
	ended sync.WaitGroup

	restoreErrors, restoreOutput func()

	mu   sync.Mutex
	last verify.Progress
	rate float64 // URLs a second, of late
}

// startProgress starts the display, if there is a terminal for it.
func (v *verifier) startProgress() *verifyProgress {
	a := v.a
	p := &verifyProgress{v: v}
	if !a.ErrTTY || a.Flags.Quiet || a.ShowsProgress() {
		return p
	}
	p.end = make(chan struct{})
	p.bars = mpb.New(mpb.WithOutput(a.ErrOut), mpb.WithAutoRefresh())
	p.bar = p.bars.New(0, mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding(" ").Rbound("]"),
		mpb.BarWidth(base.BarWidth),
		mpb.PrependDecorators(decor.Any(func(s decor.Statistics) string { return fmt.Sprintf("%d of %d URLs ", s.Current, s.Total) })),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + p.text() })),
	)
	p.restoreErrors = a.RedirectErrors(p.bars)
	p.restoreOutput = func() {}
	if a.OutTTY {
		// Results on the same terminal are written above the bar.
		p.restoreOutput = a.RedirectOutput(p.bars)
	}
	p.ended.Go(p.watch)
	return p
}

// watch updates the bar.
func (p *verifyProgress) watch() {
	tick := time.NewTicker(base.ProgressEvery)
	defer tick.Stop()
	before := time.Now()
	for {
		select {
		case <-p.end:
			return
		case now := <-tick.C:
			p.show(p.v.verifier.Progress(), now.Sub(before))
			before = now
		}
	}
}

// show changes the bar to q, which comes after a given time.
func (p *verifyProgress) show(q verify.Progress, after time.Duration) {
	p.mu.Lock()
	fresh := float64(q.Done-p.last.Done) / max(after.Seconds(), 0.001)
	// Averaging makes the rate readable.
	p.rate = (p.rate + fresh) / 2
	p.last = q
	p.mu.Unlock()
	p.bar.SetTotal(int64(max(q.Found, q.Done+1)), false)
	p.bar.SetCurrent(int64(q.Done))
}

// text is the text after the bar.
func (p *verifyProgress) text() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return fmt.Sprintf("%d dead, %d waiting, %.0f/s", p.last.Dead, p.last.Waiting, p.rate)
}

// Close removes the bar and restores the streams.
func (p *verifyProgress) Close() {
	if p.bars == nil {
		return
	}
	close(p.end)
	p.ended.Wait()
	a := p.v.a
	if a.OutTTY {
		a.Out.Flush()
	}
	p.bar.Abort(true)
	p.bars.Wait()
	p.restoreErrors()
	p.restoreOutput()
	p.bars = nil
}
