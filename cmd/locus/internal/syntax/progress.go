package syntax

import (
	"fmt"
	"os"
	"time"

	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/human"
	"github.com/locus-url/locus/internal/lines"
)

// progress shows how much of the input the command has processed.
type progress struct {
	*base.Progress
	run    *bulkRun
	begun  time.Time
	total  int64 // size of the input in bytes; -1 if unknown
	before int64 // total size of the earlier sources, in bytes
	source string
	read   int64 // number of bytes read from the current source
}

func startProgress(r *bulkRun, names []string) *progress {
	p := &progress{Progress: new(base.Progress), run: r, begun: time.Now(), total: -1}
	if !r.app.OutTTY {
		p.Progress = base.StartProgress(r.app, "URLs")
	}
	if !p.Shown() {
		return p
	}
	sum := int64(0)
	for _, name := range names {
		info, err := os.Stat(name)
		if name == "-" || err != nil || !info.Mode().IsRegular() {
			return p
		}
		sum += info.Size()
	}
	p.total = sum
	return p
}

// show updates the display for the next block of lines.
func (p *progress) show(b *lines.Block) {
	if !p.Shown() {
		return
	}
	if b.Source != p.source {
		p.before, p.source, p.read = p.before+p.read, b.Source, 0
	}
	p.read = max(p.read, b.Read)
	done := p.before + p.read
	note := human.Size(int64(float64(done)/time.Since(p.begun).Seconds())) + "/s"
	if c := p.run.collect; c != nil && c.set != nil {
		note += fmt.Sprintf(", %d distinct", c.distinct())
	}
	p.UpdateOf(done, p.total, "%s", note)
}

// Close ends the display. Close may be called several times, and on a nil pointer.
func (p *progress) Close() {
	if p != nil {
		p.Progress.Close()
	}
}
