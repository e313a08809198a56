package pipeline

import (
	"context"
	"reflect"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/core/sdf"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/gcs"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/local"
	_ "github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem/s3"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/register"
)

// Workers find types and functions by name, so the program must register all types and functions
// before it calls beam.Init.
func init() {
	beam.RegisterCoder(reflect.TypeFor[Tally](), encodeTally, decodeTally)
	beam.RegisterCoder(reflect.TypeFor[Row](), encodeRow, decodeRow)
	beam.RegisterType(reflect.TypeFor[Source]())
	beam.RegisterType(reflect.TypeFor[Pattern]())
	register.DoFn3x1[context.Context, Pattern, func(Source), error](&matchFn{})
	register.DoFn3x1[context.Context, Source, func(Source), error](&lookFn{})
	register.DoFn6x1[context.Context, *sdf.LockRTracker, Source, func([]byte, Tally), func([]byte, Tally), func(Row), error](&scanFn{})
	register.DoFn4x1[context.Context, Source, func(Row), func(Row), error](&extractFn{})
	register.DoFn2x2[[]byte, Tally, []byte, Tally](&unsaltFn{})
	register.DoFn3x0[[]byte, Tally, func(Row)](&rowFn{})
	register.DoFn3x1[[]byte, func(*Tally) bool, func([]byte, Tally), error](&sumFn{})
	register.DoFn2x0[Row, func(int, Row)](&shardFn{})
	register.DoFn4x1[context.Context, int, func(*Row) bool, func(string), error](&writeShardFn{})
	register.DoFn3x1[context.Context, Row, func(string), error](&writeFn{})
	register.DoFn3x1[context.Context, int, func(*string) bool, error](&publishFn{})
	register.Combiner1[Tally](&mergeFn{})
	register.Emitter1[Source]()
	register.Emitter1[Row]()
	register.Emitter1[string]()
	register.Emitter2[[]byte, Tally]()
	register.Emitter2[int, Row]()
	register.Iter1[Tally]()
	register.Iter1[Row]()
	register.Iter1[string]()
}

// Build returns the pipeline that o describes, and its output files. The caller must obtain o from
// [Options.Checked].
func Build(o Options) (*beam.Pipeline, Output) {
	out := o.output()
	p, s := beam.NewPipelineWithRoot()
	var patterns []any
	for side, globs := range [][]string{o.Input, o.With} {
		for _, glob := range globs {
			patterns = append(patterns, Pattern{glob, side})
		}
	}
	// Distribute the files to different workers.
	files := beam.Reshuffle(s, beam.ParDo(s.Scope("match"), &matchFn{}, beam.Create(s, patterns...)))
	sources := beam.ParDo(s.Scope("look"), &lookFn{Lines: o.hasFields(), Lists: o.Pipeline != Extract && o.Pipeline != Graph}, files)
	var rows, dead beam.PCollection
	if o.Pipeline == Extract {
		rows, dead = beam.ParDo2(s.Scope("extract"), &extractFn{Options: o}, sources)
	} else {
		var tallies beam.PCollection
		tallies, dead = count(s.Scope(o.Pipeline), o, sources)
		rows = beam.ParDo(s.Scope("rows"), &rowFn{o.Pipeline}, tallies)
	}
	finished := beam.Flatten(s,
		beam.Create(s, ""), // makes the pipeline publish even an empty result
		write(s.Scope("write"), o, out, rows),
		beam.ParDo(s.Scope("dead letters"), &writeFn{Output: out, Kind: deadLetters}, dead))
	beam.ParDo0(s.Scope("publish"), &publishFn{out}, beam.GroupByKey(s, beam.AddFixedKey(s, finished)))
	return p, out
}

func (o Options) output() Output {
	return Output{Prefix: o.Output, Format: o.Format, Compression: o.Compression, Job: o.Job, Pipeline: o.Pipeline, Shards: o.Shards, Overwrite: o.Overwrite}
}

// count returns the tally of each key. For a hot key, it first sums the tallies of each part.
func count(s beam.Scope, o Options, sources beam.PCollection) (tallies, dead beam.PCollection) {
	cold, hot, dead := beam.ParDo3(s, &scanFn{Options: o}, sources)
	parts := beam.ParDo(s, &unsaltFn{}, sum(s.Scope("hot keys"), o, hot))
	return sum(s, o, beam.Flatten(s, cold, parts)), dead
}

// sum adds the tallies of each key. If the runner lifts combiners, each worker adds its own
// tallies before it sends the sum.
func sum(s beam.Scope, o Options, tallies beam.PCollection) beam.PCollection {
	if o.NoLift {
		return beam.ParDo(s, &sumFn{o.Samples}, beam.GroupByKey(s, tallies))
	}
	return beam.CombinePerKey(s, &mergeFn{o.Samples}, tallies)
}

// sumFn is like mergeFn, but a runner does not lift it (that is, does not run it before the
// shuffle).
type sumFn struct{ Keep int }

// ProcessElement implements the Beam DoFn method.
func (f *sumFn) ProcessElement(key []byte, tallies func(*Tally) bool, emit func([]byte, Tally)) error {
	var sum, t Tally
	for tallies(&t) {
		sum.add(t, f.Keep)
	}
	emit(key, sum)
	return nil
}

// write writes rows to temporary files and returns their names.
func write(s beam.Scope, o Options, out Output, rows beam.PCollection) beam.PCollection {
	if o.Shards == 0 {
		return beam.ParDo(s, &writeFn{Output: out, Kind: o.Pipeline}, rows)
	}
	return beam.ParDo(s, &writeShardFn{out}, beam.GroupByKey(s, beam.ParDo(s, &shardFn{o.Shards}, rows)))
}

// shardFn chooses the output file for each row.
type shardFn struct{ N int }

// ProcessElement implements the Beam DoFn method.
func (f *shardFn) ProcessElement(r Row, emit func(int, Row)) {
	emit(int(hash(string(encodeRow(r)))%uint64(f.N)), r)
}
