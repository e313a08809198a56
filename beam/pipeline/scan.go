package pipeline

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"

	"github.com/locus-url/locus"
)

// scanFn reads lists and counts their records. It reads, parses and counts in one step, so that
// lines never become elements of a collection. Workers share plain text files.
type scanFn struct {
	Options Options

	records  *records
	counts   aggregate
	buffered *bufio.Reader // reader of a text; two lines fit
	maxLine  int           // in bytes, including the line end
	decoded  []byte        // buffer for decoding a URL with escapes
	stats
}

// stats holds the counts of a bundle.
type stats struct{ lines, read, dead int64 }

// The names of the counters.
const (
	counterLines    = "lines"
	counterRead     = "octets_read"
	counterDead     = "dead_letters"
	counterShuffled = "octets_shuffled"
	counterTallies  = "tallies_shuffled"
	namespace       = "locus"
)

const (
	// splitSize is the initial size of the ranges into which a text file is split.
	splitSize = 64 << 20
	// maxPasses limits the number of ranges of a text file that must be read from its start. For
	// each range, a worker then reads all text before the range too.
	maxPasses = 4
	// maxLine limits a line of a list in bytes, as in the command locus.
	maxLine = 2 * locus.MaxLen
	// maxKeyLine limits lines that contain more than a URL.
	maxKeyLine = 16 << 20
)

// CreateInitialRestriction implements the SDK's splittable DoFn. A file that can't be split
// has one position, 0.
func (f *scanFn) CreateInitialRestriction(s Source) offsetrange.Restriction {
	if !s.Text {
		return offsetrange.Restriction{End: 1}
	}
	return offsetrange.Restriction{End: s.Size}
}

// SplitRestriction implements the SDK's splittable DoFn.
func (f *scanFn) SplitRestriction(s Source, r offsetrange.Restriction) []offsetrange.Restriction {
	if !s.Text {
		return []offsetrange.Restriction{r}
	}
	size := int64(splitSize)
	if !s.Seek {
		size = max(size, (r.End-r.Start+maxPasses-1)/maxPasses)
	}
	return r.SizedSplits(size)
}

// RestrictionSize implements the SDK's splittable DoFn.
func (f *scanFn) RestrictionSize(s Source, r offsetrange.Restriction) float64 {
	if !s.Text {
		return float64(s.Size)
	}
	return r.Size()
}

// CreateTracker implements the SDK's splittable DoFn.
func (f *scanFn) CreateTracker(r offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(offsetrange.NewTracker(r))
}

// Setup implements the SDK's DoFn.
func (f *scanFn) Setup() (err error) {
	f.maxLine = maxLine
	if f.Options.hasFields() {
		f.maxLine = maxKeyLine
	}
	f.buffered = bufio.NewReaderSize(nil, 2*f.maxLine)
	f.decoded = make([]byte, 0, locus.MaxLen)
	f.records, err = newRecords(f.Options)
	return err
}

// StartBundle implements the SDK's DoFn.
func (f *scanFn) StartBundle(_ context.Context, cold, hot func([]byte, Tally), dead func(Row)) {
	f.counts = aggregate{keep: f.Options.Samples, each: f.Options.NoLift, salts: f.Options.Salts, next: rand.IntN(maxSalts)}
	f.stats = stats{}
}

// FinishBundle implements the SDK's DoFn. It emits the counts of the bundle.
func (f *scanFn) FinishBundle(ctx context.Context, cold, hot func([]byte, Tally), dead func(Row)) {
	f.counts.cold, f.counts.hot = cold, hot
	f.counts.flush()
	f.stats.report(ctx)
	beam.NewCounter(namespace, counterShuffled).Inc(ctx, f.counts.sent)
	beam.NewCounter(namespace, counterTallies).Inc(ctx, f.counts.sentCount)
}

func (s *stats) report(ctx context.Context) {
	beam.NewCounter(namespace, counterLines).Inc(ctx, s.lines)
	beam.NewCounter(namespace, counterRead).Inc(ctx, s.read)
	beam.NewCounter(namespace, counterDead).Inc(ctx, s.dead)
}

// ProcessElement implements the SDK's splittable DoFn.
func (f *scanFn) ProcessElement(ctx context.Context, tracker *sdf.LockRTracker, s Source, cold, hot func([]byte, Tally), dead func(Row)) error {
	f.counts.cold, f.counts.hot = cold, hot
	bury := func(at place, line []byte, reason error) {
		f.dead++
		dead(deadRow(s.Path, at.String(), line, reason))
	}
	var err error
	switch {
	case s.Text:
		err = f.text(ctx, tracker, s, bury)
	case !tracker.TryClaim(int64(0)):
		return nil
	default:
		err = f.whole(ctx, s, bury)
		tracker.TryClaim(int64(1))
	}
	return f.Options.output().failed(ctx, s, err)
}

// whole counts the records in a file that can't be split.
func (f *scanFn) whole(ctx context.Context, s Source, bury deadLetterWriter) error {
	switch {
	case f.Options.Pipeline == Graph && s.Parquet:
		return &damageError{errors.New("graph can't read Parquet: give web archives, or lines of two URLs separated by a TAB")}
	case f.Options.Pipeline == Graph:
		return f.archive(ctx, s, bury)
	case s.Parquet:
		return f.parquet(ctx, s, bury)
	}
	return f.blocks(ctx, s, bury)
}

// deadLetterWriter writes an unreadable record to the dead letters.
type deadLetterWriter func(at place, line []byte, reason error)

// place is the position of a record in a file. The zero place means an unknown position.
type place struct {
	unit string // "line", "octet", "row" or the name of a member
	n    int64  // 0 if unknown
}

func (p place) String() string {
	if p.n == 0 && p.unit != unitOctet {
		return p.unit
	}
	return fmt.Sprintf("%s %d", p.unit, p.n)
}

const (
	unitLine  = "line"  // numbered from 1
	unitOctet = "octet" // numbered from 0
	unitRow   = "row"   // numbered from 1
)
