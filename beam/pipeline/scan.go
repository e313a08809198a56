package pipeline

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/rtrackers/offsetrange"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/lines"
)

// scanFn reads lists and counts their records. It reads, parses and counts in one step, so
// that a line is never an element of a collection. Plain text is split between workers.
type scanFn struct {
	Options Options

	records *records
	counts  aggregate
	stats
}

// stats are what is counted about a bundle.
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
	// splitSize is how much of a text one bundle reads at first.
	splitSize = 64 << 20
	// maxPasses bounds the parts of a text whose reading can't begin in the middle: each
	// reads what is before it, too.
	maxPasses = 4
	// chunkSize is how much of a text is read at once. Two lines fit.
	chunkSize = 2 * maxLine
	maxLine   = 2 * locus.MaxLen
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
	f.records, err = newRecords(f.Options)
	return err
}

// StartBundle implements the SDK's DoFn.
func (f *scanFn) StartBundle(_ context.Context, cold, hot func([]byte, Tally), dead func(Row)) {
	f.counts = aggregate{keep: f.Options.Samples, each: f.Options.NoLift, salts: f.Options.Salts}
	f.stats = stats{}
}

// FinishBundle implements the SDK's DoFn: it emits what the bundle counted.
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
	bury := func(at string, line []byte, reason error) {
		f.dead++
		dead(deadRow(s.Path, at, line, reason))
	}
	var err error
	switch {
	case s.Text:
		err = f.text(ctx, tracker, s, bury)
	case !tracker.TryClaim(int64(0)):
		return nil
	default:
		if f.Options.Pipeline == Graph {
			err = f.archive(ctx, s, bury)
		} else {
			err = f.blocks(ctx, s, bury)
		}
		tracker.TryClaim(int64(1))
	}
	if err != nil {
		return fmt.Errorf("%s: %w", shown(s.Path), err)
	}
	return nil
}

// burier takes a record that can't be read.
type burier func(at string, line []byte, reason error)

// line counts a line.
func (f *scanFn) line(s Source, line []byte, at func() string, bury burier) {
	f.lines++
	line = bytes.Trim(line, blanks)
	if len(line) == 0 {
		return
	}
	if err := f.records.add(&f.counts, s.Side, line); err != nil {
		bury(at(), line, err)
	}
}

// blanks are the characters that surround a URL without meaning.
const blanks = " \t\r\n\v\f"

// text counts the lines of a text that begin within the restriction. The last line of each
// chunk is claimed before the chunk is counted: the runner splits after it.
func (f *scanFn) text(ctx context.Context, tracker *sdf.LockRTracker, s Source, bury burier) error {
	start := tracker.GetRestriction().(offsetrange.Restriction).Start
	in, err := open(ctx, s, max(start-1, 0))
	if err != nil {
		return err
	}
	defer in.Close()
	defer func() { f.read += in.octets }()
	buffered := bufio.NewReaderSize(in, chunkSize)
	if start > 0 {
		n, err := skipLine(buffered)
		if err != nil && err != io.EOF {
			return err
		}
		start += n - 1
	} else if mark, _ := buffered.Peek(len(byteOrderMark)); string(mark) == byteOrderMark {
		buffered.Discard(len(byteOrderMark))
		start = int64(len(byteOrderMark))
	}
	for ctx.Err() == nil {
		chunk, err := buffered.Peek(chunkSize)
		if err != nil && err != io.EOF {
			return err
		}
		if len(chunk) == 0 {
			tracker.TryClaim(tracker.GetRestriction().(offsetrange.Restriction).End) // it is done
			return nil
		}
		whole := bytes.LastIndexByte(chunk, '\n') + 1
		if err == io.EOF {
			whole = len(chunk)
		}
		last := bytes.LastIndexByte(chunk[:max(whole-1, 0)], '\n') + 1
		mine := tracker.TryClaim(start + int64(last))
		end := int64(math.MaxInt64)
		if !mine {
			end = tracker.GetRestriction().(offsetrange.Restriction).End
		}
		if whole == 0 && mine {
			f.lines++
			kept := bytes.Clone(chunk[:locus.MaxLen])
			n, err := skipLine(buffered)
			if err != nil && err != io.EOF {
				return err
			}
			bury(octetNumber(start), kept, tooLong(n))
			start += n
			continue
		}
		f.chunk(s, chunk[:whole], start, end, bury)
		if !mine {
			return nil
		}
		buffered.Discard(whole)
		start += int64(whole)
	}
	return ctx.Err()
}

const byteOrderMark = "\uFEFF"

// chunk counts the lines of chunk, which is at an offset, that begin before end.
func (f *scanFn) chunk(s Source, chunk []byte, offset, end int64, bury burier) {
	for len(chunk) > 0 && offset < end {
		n := bytes.IndexByte(chunk, '\n') + 1
		if n == 0 {
			n = len(chunk)
		}
		if n > maxLine {
			f.lines++
			bury(octetNumber(offset), chunk[:locus.MaxLen], tooLong(int64(n)))
		} else {
			f.line(s, chunk[:n], func() string { return octetNumber(offset) }, bury)
		}
		chunk = chunk[n:]
		offset += int64(n)
	}
}

func octetNumber(offset int64) string { return fmt.Sprintf("octet %d", offset) }

func tooLong(n int64) error {
	return fmt.Errorf("the line has %d octets, the limit is %d", n, maxLine)
}

// blocks counts the lines of a file that is compressed or has its URLs in fields.
func (f *scanFn) blocks(ctx context.Context, s Source, bury burier) error {
	in, err := open(ctx, s, 0)
	if err != nil {
		return err
	}
	defer in.Close()
	defer func() { f.read += in.octets }()
	o := &lines.Options{Stdin: in}
	if f.records.finder != nil {
		o.Format = lines.Text
	}
	for b := range lines.Blocks(ctx, []string{"-"}, o) {
		f.block(s, b, bury)
		b.Release()
	}
	if in.err != nil {
		return in.err
	}
	return ctx.Err()
}

// block counts the lines of b.
func (f *scanFn) block(s Source, b *lines.Block, bury burier) {
	if b.Err != nil {
		bury("", nil, b.Err)
		return
	}
	if b.Cut > 0 {
		f.lines++
		bury(lineNumber(b.Line), b.Text, tooLong(b.Cut))
		return
	}
	number := b.Line
	var decoded []byte
	for line := range bytes.Lines(b.Text) {
		at := number
		number++
		if b.Finder == nil {
			f.line(s, line, func() string { return lineNumber(at) }, bury)
			continue
		}
		trimmed := bytes.TrimRight(line, "\r\n")
		start, end, err := b.Finder.Find(trimmed)
		if err == nil {
			decoded, err = b.Finder.Decode(decoded, trimmed[start:end])
		}
		switch {
		case errors.Is(err, lines.ErrNoURL):
			f.lines++
		case err != nil:
			f.lines++
			bury(lineNumber(at), line, err)
		default:
			f.line(s, decoded, func() string { return lineNumber(at) }, bury)
		}
	}
}

func lineNumber(n int64) string { return fmt.Sprintf("line %d", n) }
