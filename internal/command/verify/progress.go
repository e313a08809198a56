package verify

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/verify"
)

// verifyProgress shows the progress of a run on a terminal. verifyProgress displays a bar, the
// number of dead and waiting URLs, and the rate.
type verifyProgress struct {
	v       *verifier
	bars    *mpb.Progress // nil if no progress is shown
	bar     *mpb.Bar
	text    atomic.Value // the text after the bar, as a string
	end     chan struct{}
	ended   sync.WaitGroup
	restore []func() // functions that restore the output streams
}

// startProgress displays the progress if standard error is a terminal.
func (v *verifier) startProgress() *verifyProgress {
	a := v.a
	p := &verifyProgress{v: v}
	if !a.ErrTTY || a.Flags.Quiet || a.ShowsProgress() {
		return p
	}
	p.end = make(chan struct{})
	p.text.Store("0 dead, 0 waiting, 0/s")
	p.bars = mpb.New(mpb.WithOutput(a.ErrOut), mpb.WithAutoRefresh())
	p.bar = p.bars.New(0, mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding(" ").Rbound("]"),
		mpb.BarWidth(base.BarWidth),
		mpb.PrependDecorators(decor.Any(func(s decor.Statistics) string { return fmt.Sprintf("%d of %d URLs ", s.Current, s.Total) })),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + p.text.Load().(string) })),
	)
	p.restore = append(p.restore, a.RedirectErrors(p.bars))
	if a.OutTTY {
		// If results go to the same terminal, write them above the bar.
		p.restore = append(p.restore, a.RedirectOutput(p.bars))
	}
	p.ended.Go(p.watch)
	return p
}

func (p *verifyProgress) watch() {
	tick := time.NewTicker(base.ProgressEvery)
	defer tick.Stop()
	last, before, rate := verify.Progress{}, time.Now(), 0.0
	for {
		select {
		case <-p.end:
			return
		case now := <-tick.C:
			q := p.v.verifier.Progress()
			fresh := float64(q.Done-last.Done) / max(now.Sub(before).Seconds(), 0.001)
			// The average changes more slowly than the current rate, so the user can read it.
			rate = (rate + fresh) / 2
			last, before = q, now
			p.text.Store(fmt.Sprintf("%d dead, %d waiting, %.0f/s", q.Dead, q.Waiting, rate))
			p.bar.SetTotal(int64(max(q.Found, q.Done+1)), false)
			p.bar.SetCurrent(int64(q.Done))
		}
	}
}

// Close removes the bar and restores the output streams.
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
	for _, restore := range p.restore {
		restore()
	}
	p.bars = nil
}
