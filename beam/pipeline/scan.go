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

// scanFn reads lists and counts their records. It reads, parses and counts lines in one step, so
// that the lines never become elements of a Beam collection. Several workers can share a plain
// text file.
type scanFn struct {
	Options Options

	records  *records
	counts   aggregate
	buffered *bufio.Reader // reader of a text file; the buffer has room for two lines
	maxLine  int           // maximum length of a line and its line end, in bytes
	decoded  []byte        // buffer for decoding a URL with escapes
	stats
}

// stats holds the counts for the records of a bundle.
type stats struct{ lines, read, dead int64 }

// The names of the Beam counters.
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
	// maxPasses is the maximum number of ranges in a text file without random access. For each
	// range, a worker must also read all text before the range.
	maxPasses = 4
	// maxLine is the maximum length of a line in a list, in bytes. The command locus has the
	// same limit.
	maxLine = 2 * locus.MaxLen
	// maxKeyLine is the maximum length, in bytes, of a line that contains more than a URL.
	maxKeyLine = 16 << 20
)

// CreateInitialRestriction implements the splittable Beam DoFn method. The restriction of a file
// that can't be split contains only the position 0.
func (f *scanFn) CreateInitialRestriction(s Source) offsetrange.Restriction {
	if !s.Text {
		return offsetrange.Restriction{End: 1}
	}
	return offsetrange.Restriction{End: s.Size}
}

// SplitRestriction implements the splittable Beam DoFn method.
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

// RestrictionSize implements the splittable Beam DoFn method.
func (f *scanFn) RestrictionSize(s Source, r offsetrange.Restriction) float64 {
	if !s.Text {
		return float64(s.Size)
	}
	return r.Size()
}

// CreateTracker implements the splittable Beam DoFn method.
func (f *scanFn) CreateTracker(r offsetrange.Restriction) *sdf.LockRTracker {
	return sdf.NewLockRTracker(offsetrange.NewTracker(r))
}

// Setup implements the Beam DoFn method.
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

// StartBundle implements the Beam DoFn method.
func (f *scanFn) StartBundle(_ context.Context, cold, hot func([]byte, Tally), dead func(Row)) {
	f.counts = aggregate{keep: f.Options.Samples, each: f.Options.NoLift, salts: f.Options.Salts, next: rand.IntN(maxSalts)}
	f.stats = stats{}
}

// FinishBundle implements the Beam DoFn method. It emits the tallies and reports the counters of
// the bundle.
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

// ProcessElement implements the splittable Beam DoFn method.
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

// deadLetterWriter is a function that writes an unreadable record to the dead letters.
type deadLetterWriter func(at place, line []byte, reason error)

// place is the position of a record in a file. The zero value means that the position is unknown.
type place struct {
	unit string // "line", "octet", "row" or the name of a member
	n    int64  // number of the unit; 0 if unknown
}

func (p place) String() string {
	if p.n == 0 && p.unit != unitOctet {
		return p.unit
	}
	return fmt.Sprintf("%s %d", p.unit, p.n)
}

const (
	unitLine  = "line"  // lines are numbered from 1
	unitOctet = "octet" // byte offsets are numbered from 0
	unitRow   = "row"   // rows are numbered from 1
)
