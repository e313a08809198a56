package base

import (
	"fmt"
	"sync"
	"time"

	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"

	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/transfer"
)

// Progress shows the progress of transfers on a terminal: a bar for each active transfer, and a
// bar for the total of several transfers. Messages to standard error appear above the bars. The
// zero value shows nothing.
type Progress struct {
	names    []string // transfer names, escaped for a terminal
	bars     *mpb.Progress
	restore  func() // restores standard error
	mu       sync.Mutex
	active   map[int]*bar
	total    *bar
	finished int
	octets   int64 // number of bytes in all transfers that have ended
}

// bar is the progress bar for one transfer or for the total.
type bar struct {
	*mpb.Bar
	mu    sync.Mutex
	event transfer.Event
	note  string // text that is shown instead of the rate
}

// StartProgress shows progress for transfers with the given names, if standard error is a
// terminal that no other program uses.
func StartProgress(a *App, names ...string) *Progress {
	if !a.ErrTTY || a.Flags.Quiet || a.Flags.JSON || a.ShowsProgress() {
		return new(Progress)
	}
	p := &Progress{active: map[int]*bar{}}
	for _, name := range names {
		p.names = append(p.names, term.Safe(name))
	}
	p.bars = mpb.New(mpb.WithOutput(a.ErrOut), mpb.WithAutoRefresh())
	if len(names) > 1 {
		p.total = p.add(len(names), func(s decor.Statistics) string { return fmt.Sprintf("%d of %d files", s.Current, s.Total) })
		p.total.SetTotal(int64(len(names)), false)
	}
	p.restore = a.RedirectErrors(p.bars)
	return p
}

// ShowsProgress reports whether the run shows progress bars.
func (a *App) ShowsProgress() bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	_, ok := a.ErrOut.(*mpb.Progress)
	return ok
}

const (
	BarWidth  = 28
	nameWidth = 28
)

// Report updates the bars for an event of a transfer.
func (p *Progress) Report(e transfer.Event) {
	if p.bars == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	switch e.State {
	case transfer.Finished, transfer.Failed:
		p.finished++
		p.octets += e.Done
		// After an interrupt a transfer can end before it begins.
		if b := p.active[e.Index]; b != nil {
			b.end(e, len(p.names) == 1 && e.State == transfer.Finished)
		}
		delete(p.active, e.Index)
	case transfer.Waiting:
		p.bar(e.Index).show(e, "will retry")
	case transfer.Busy:
		p.bar(e.Index).show(e, "another process is fetching it")
	default:
		p.bar(e.Index).show(e, "")
	}
	p.showTotal()
}

func (p *Progress) bar(i int) *bar {
	if p.active[i] == nil {
		name := term.Truncate(p.names[i], nameWidth)
		p.active[i] = p.add(i, func(decor.Statistics) string { return name })
	}
	return p.active[i]
}

// Update shows the progress of a single task of unknown size.
func (p *Progress) Update(octets int64, note string, args ...any) {
	p.UpdateOf(octets, -1, note, args...)
}

// UpdateOf shows the progress of a single task. The parameter total is the number of bytes in the
// task, or -1 if the number is unknown.
func (p *Progress) UpdateOf(octets, total int64, note string, args ...any) {
	if p.bars == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.bar(0).show(transfer.Event{Done: octets, Total: total, Left: -1}, fmt.Sprintf(note, args...))
}

// Shown reports whether p shows bars. It must not be called concurrently.
func (p *Progress) Shown() bool { return p.bars != nil }

// showTotal shows the sum of the finished and active transfers.
func (p *Progress) showTotal() {
	if p.total == nil {
		return
	}
	sum := transfer.Event{Done: p.octets, Total: -1, Left: -1}
	for _, b := range p.active {
		sum.Done += b.event.Done
		sum.Rate += b.event.Rate
	}
	p.total.set(sum, "")
	p.total.SetCurrent(int64(p.finished))
}

func (p *Progress) add(priority int, title func(decor.Statistics) string) *bar {
	b := &bar{}
	b.Bar = p.bars.New(0, mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding(" ").Rbound("]"),
		mpb.BarPriority(priority), mpb.BarWidth(BarWidth),
		mpb.PrependDecorators(decor.Any(title, decor.WC{W: nameWidth, C: decor.DindentRight})),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + b.text() })),
	)
	return b
}

func (b *bar) set(e transfer.Event, note string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.event, b.note = e, note
}

func (b *bar) show(e transfer.Event, note string) {
	b.set(e, note)
	if e.Total > 0 {
		b.SetTotal(e.Total, false)
	}
	b.SetCurrent(e.Done)
}

// end removes the bar. If keep is true, the bar remains on the terminal.
func (b *bar) end(e transfer.Event, keep bool) {
	e.Left = -1
	b.show(e, "")
	if keep {
		b.SetTotal(-1, true)
	} else {
		b.Abort(true)
	}
}

// text returns the number of bytes, the rate and the remaining time, as far as they are known.
func (b *bar) text() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.event
	text := human.Size(e.Done)
	if e.Total >= 0 {
		text += " of " + human.Size(e.Total)
	}
	switch {
	case b.note != "":
		return text + ", " + b.note
	case e.Rate > 0:
		text += ", " + human.Size(int64(e.Rate)) + "/s"
	}
	if e.Left >= 0 {
		text += ", " + max(e.Left.Round(time.Second), time.Second).String() + " left"
	}
	return text
}

// Close removes the bars and restores standard error.
func (p *Progress) Close() {
	if p.bars == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, b := range p.active {
		b.Abort(true)
	}
	if p.total != nil {
		p.total.Abort(false)
	}
	p.bars.Wait()
	p.restore()
	p.bars = nil
}

// ProgressEvery is the interval between updates of a progress display.
const ProgressEvery = 200 * time.Millisecond
