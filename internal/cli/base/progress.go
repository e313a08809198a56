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

// Progress shows on a terminal how transfers go: a bar for each that is under
// way, and a total if there are several. While it does, messages to standard
// error are written above the bars.
type Progress struct {
	a        *App
	names    []string // of the jobs, safe
	bars     *mpb.Progress
	restore  func() // gives standard error back
	mu       sync.Mutex
	active   map[int]*bar
	total    *bar
	finished int
	octets   int64 // of the transfers that have ended
}

// bar is what is shown of one transfer, or of the total.
type bar struct {
	*mpb.Bar
	mu    sync.Mutex
	event transfer.Event
	note  string // in place of the rate
}

func StartProgress(a *App, names []string) *Progress {
	p := &Progress{a: a, active: map[int]*bar{}}
	for _, name := range names {
		p.names = append(p.names, term.Safe(name))
	}
	p.bars = mpb.New(mpb.WithOutput(a.ErrOut), mpb.WithAutoRefresh())
	if len(names) > 1 {
		p.total = p.add(len(names), countTitle)
		p.total.SetTotal(int64(len(names)), false)
	}
	p.restore = a.RedirectErrors(p.bars)
	return p
}

// ShowsProgress reports whether there are bars on the terminal.
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

// Report takes the events of the transfers.
func (p *Progress) Report(e transfer.Event) {
	if p.bars == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.active[e.Index]
	ended := e.State == transfer.Finished || e.State == transfer.Failed
	if b == nil && !ended {
		b = p.add(e.Index, p.nameTitle(e.Index))
		p.active[e.Index] = b
	}
	switch {
	case ended:
		delete(p.active, e.Index)
		p.finished++
		p.octets += e.Done
		// What ended before it began, as after an interrupt, had no bar.
		if b != nil {
			b.end(e, len(p.names) == 1 && e.State == transfer.Finished)
		}
	case e.State == transfer.Waiting:
		b.show(e, "tried again soon")
	case e.State == transfer.Busy:
		b.show(e, "another process fetches it")
	default:
		b.show(e, "")
	}
	p.showTotal()
}

// Update shows how far something is that is no transfer, and whose end nobody knows.
func (p *Progress) Update(octets int64, note string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	b := p.active[0]
	if b == nil {
		b = p.add(0, p.nameTitle(0))
		p.active[0] = b
	}
	b.set(transfer.Event{Done: octets, Total: -1, Left: -1}, note)
}

// showTotal adds up what is there and what is under way.
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

// add makes a bar. title says what it is of.
func (p *Progress) add(priority int, title func(decor.Statistics) string) *bar {
	b := &bar{}
	b.Bar = p.bars.New(0, mpb.BarStyle().Lbound("[").Filler("=").Tip(">").Padding(" ").Rbound("]"),
		mpb.BarPriority(priority), mpb.BarWidth(BarWidth),
		mpb.PrependDecorators(decor.Any(title, decor.WC{W: nameWidth, C: decor.DindentRight})),
		mpb.AppendDecorators(decor.Any(func(decor.Statistics) string { return " " + b.text() })),
	)
	return b
}

// countTitle is the title of the total.
func countTitle(s decor.Statistics) string { return fmt.Sprintf("%d of %d files", s.Current, s.Total) }

// nameTitle is the title of one transfer.
func (p *Progress) nameTitle(i int) func(decor.Statistics) string {
	name := term.Truncate(p.names[i], nameWidth)
	return func(decor.Statistics) string { return name }
}

// set makes e what the bar says.
func (b *bar) set(e transfer.Event, note string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.event, b.note = e, note
}

// show makes e what the bar says, and how long it is.
func (b *bar) show(e transfer.Event, note string) {
	b.set(e, note)
	if e.Total > 0 {
		b.SetTotal(e.Total, false)
	}
	b.SetCurrent(e.Done)
}

// end takes the bar away, or leaves it as it is at the end.
func (b *bar) end(e transfer.Event, keep bool) {
	e.Left = -1
	b.show(e, "")
	if keep {
		b.SetTotal(-1, true)
		return
	}
	b.Abort(true)
}

// text says octets, rate and time left, as far as they are known.
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

// Close ends the bars and gives standard error back.
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

// progressEvery is how often people see that something goes on.
const ProgressEvery = 200 * time.Millisecond
