package command

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/beam/pipeline"
	"github.com/locus-url/locus/internal/term"
)

// usageError is a usage error that the command detects only after it has examined the files.
type usageError struct{ error }

func isUsage(err error) bool {
	_, ok := errors.AsType[usageError](err)
	return ok
}

func (f *flags) run(ctx context.Context, o pipeline.Options) error {
	runner, err := chooseRunner(ctx)
	if err != nil {
		return err
	}
	if *jobopts.JobName == "" {
		*jobopts.JobName = jobName(o)
	}
	p, out := pipeline.Build(o)
	existing, err := out.Existing(ctx)
	if err != nil {
		return err
	}
	if len(existing) > 0 && !o.Overwrite {
		return usageError{fmt.Errorf("%s already exists: choose another --output, or use --overwrite", locus.Quote(existing[0]))}
	}
	leftovers, err := out.Leftovers(ctx)
	if err != nil {
		return err
	}
	for _, folder := range leftovers {
		fmt.Fprintf(f.stderr, "locus-beam: %s contains temporary files of an unfinished run: remove it if no other run writes here\n", locus.Quote(folder))
	}
	// Use a separate directory for temporary files, because the SDK does not delete its files.
	folder, err := os.MkdirTemp("", "locus-beam-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := os.Setenv("TMPDIR", folder); err != nil {
		return err
	}
	if err := out.Begin(ctx); err != nil {
		return err
	}
	result, err := f.execute(ctx, runner, p)
	if *jobopts.Async && err == nil {
		return nil
	}
	// The SDK reports success for a cancelled job.
	files, endErr := out.End(context.WithoutCancel(ctx))
	if err == nil {
		err = endErr
	}
	if err != nil {
		return err
	}
	f.summarize(result, files)
	return nil
}

// jobName returns the job name by which cancelJob finds the job. The name is lowercase, because
// Dataflow permits no other letters.
func jobName(o pipeline.Options) string {
	return strings.ToLower("locus-" + o.Pipeline + "-" + o.Job[:min(len(o.Job), 12)])
}

// execute runs the pipeline p. If the context ctx is cancelled, it cancels the job.
func (f *flags) execute(ctx context.Context, runner string, p *beam.Pipeline) (beam.PipelineResult, error) {
	if err := chooseWorkerBinary(); err != nil {
		return nil, err
	}
	endpoint := *jobopts.Endpoint
	running := ctx
	if endpoint != "" {
		running = context.WithoutCancel(ctx) // a job service reports the end of a cancelled job
	}
	type outcome struct {
		result beam.PipelineResult
		err    error
	}
	done := make(chan outcome, 1)
	go func() {
		result, err := beam.Run(running, runner, p)
		done <- outcome{result, err}
	}()
	select {
	case o := <-done:
		return o.result, o.err
	case <-ctx.Done():
	}
	limited, stop := context.WithTimeout(context.WithoutCancel(ctx), cancelTime)
	defer stop()
	if err := cancelJob(limited, runner, endpoint, *jobopts.JobName); err != nil {
		f.afterwards = "; the job may still run: " + term.Safe(reason(err.Error()))
		return nil, ctx.Err()
	}
	select {
	case <-done:
	case <-limited.Done():
	}
	return nil, ctx.Err()
}

// chooseWorkerBinary makes the SDK send this program to workers, if the program can run on them.
// Otherwise, the SDK would compile a worker program from sources that may be missing.
func chooseWorkerBinary() (err error) {
	if *jobopts.WorkerBinary == "" && runtime.GOOS == "linux" && runtime.GOARCH == "amd64" {
		*jobopts.WorkerBinary, err = os.Executable()
	}
	return err
}

// summarize writes the counts to standard error, and the names of the output files to standard
// output.
func (f *flags) summarize(result beam.PipelineResult, files []string) {
	slices.Sort(files)
	for _, name := range files {
		fmt.Fprintln(f.stdout, term.Safe(name))
	}
	if c := pipeline.CountsOf(result); c != (pipeline.Counts{}) {
		fmt.Fprintf(f.stderr, "%d records, %d bytes read, %d keys and %d bytes shuffled, dead letters: %d\n",
			c.Records, c.Read, c.Keys, c.Shuffled, c.Dead)
	}
}
