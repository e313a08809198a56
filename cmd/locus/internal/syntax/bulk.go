package syntax

import (
	"errors"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/internal/bulk"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/lines"
)

// answerer processes the inputs of a subcommand in order.
type answerer interface {
	// answer writes the result for an input to the worker's output.
	answer(input string, readErr error)
	// quick appends the result for a line and returns true if the line is a URL that needs no
	// message. The caller must remove surrounding whitespace from the line.
	quick(w *worker, line []byte) bool
	// pass writes the result for a line without a URL.
	pass(w *worker)
}

// bulkRun processes the inputs of a subcommand. It processes lines concurrently and writes
// the results in order.
type bulkRun struct {
	app       *base.App
	lines     *base.LineFlags
	answerer  func(*worker) answerer
	unordered bool
	separated bool // blank lines separate the results
	headed    bool // results keep the other fields of the input lines, so the output begins with the line of column names
	invalid   *invalidInputs
	collect   *collector // nil if the command writes results immediately
	progress  *progress
	hasher    bulk.Hasher

	wrote bool // the command has written a result
}

func (r *bulkRun) addFlags(cmd *cobra.Command) { r.lines = base.AddLineFlags(r.app, cmd) }

// errOutput reports that a write to standard output failed. [base.App.Execute] reports the
// failure.
var errOutput = errors.New("standard output failed")

// run processes the command-line arguments. If the arguments are file names, run processes the
// lines in these files.
func (r *bulkRun) run(args []string) error {
	reads, err := r.lines.Reads(args)
	if err != nil {
		return err
	}
	if reads {
		if err := r.invalid.check(r.app.In, args); err != nil {
			return err
		}
	}
	if r.collect != nil {
		r.collect.open(r.collect.memory.Room(), r.collect.memory.Folder())
		defer r.collect.close()
	}
	if err := r.invalid.open(); err != nil {
		r.app.Fail(base.StatusAccess, err)
		return nil
	}
	if reads {
		r.progress = startProgress(r, args)
		defer r.progress.Close()
		err = r.answerLines(args)
	} else {
		err = r.answerArgs(args)
	}
	if err == nil && r.collect != nil {
		err = r.collect.finish(r.app)
	}
	r.progress.Close()
	if closeErr := r.invalid.close(); err == nil {
		err = closeErr
	}
	switch {
	case r.app.Context.Err() != nil || err == errOutput:
	case err != nil:
		r.app.Fail(base.StatusAccess, err)
	}
	r.invalid.note(r.app)
	return nil
}

func (r *bulkRun) answerArgs(args []string) error {
	w := r.newWorker()
	w.begin("")
	for input, err := range w.URLs(args) {
		w.line = []byte(input)
		w.start, w.end = 0, len(w.line)
		w.answer(input, err)
	}
	if err := w.commit(); err != nil {
		return err
	}
	w.finish()
	return w.join(nil)
}

// job is a block of lines and the worker that processes the block.
type job struct {
	block *lines.Block
	*worker
}

func (r *bulkRun) answerLines(args []string) error {
	// Use one more worker than processors, so that all processors are busy while one worker
	// waits to write its results.
	n := runtime.GOMAXPROCS(0) + 1
	if r.collect != nil {
		n = r.collect.memory.Processors() + 1
	}
	// Each of the n concurrent jobs takes a worker.
	workers := make(chan *worker, n)
	for range n {
		workers <- r.newWorker()
	}
	jobs := func(yield func(*job) bool) {
		for b := range r.lines.Blocks(args) {
			if !yield(&job{block: b}) {
				return
			}
		}
	}
	return bulk.Each(r.app.Context, jobs, bulk.Options{Workers: n, Unordered: r.unordered}, bulk.Steps[*job]{
		Work: func(j *job) {
			j.worker = <-workers
			j.answerBlock(j.block)
		},
		Commit: func(j *job) error { return j.commit() },
		Finish: func(j *job) { j.finish() },
		Write: func(j *job) error {
			err := j.join(j.block)
			j.block.Release()
			workers <- j.worker
			return err
		},
	})
}
