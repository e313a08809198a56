package command

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
)

// The ports of the subcommands without --port: those of Beam's own programs.
const (
	serverPort = 8073
	workerPort = 50000
)

// serve runs a job server of Prism until ctx ends.
func (f *flags) serve(ctx context.Context) int {
	if f.port == 0 {
		f.port = serverPort
	}
	if _, err := prism.CreateJobServer(ctx, prism.Options{Port: f.port}); err != nil {
		return f.fail(statusFailed, err)
	}
	fmt.Fprintf(f.stdout, "job server on port %d\n", f.port)
	<-ctx.Done()
	return statusDone
}

// work runs a pool of workers until ctx ends.
func (f *flags) work(ctx context.Context) int {
	if f.port == 0 {
		f.port = workerPort
	}
	pool, err := extworker.StartLoopback(ctx, f.port)
	if err != nil {
		return f.fail(statusFailed, err)
	}
	fmt.Fprintf(f.stdout, "workers at %s\n", pool.EnvironmentConfig(ctx))
	<-ctx.Done()
	return statusDone
}
