package command

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
)

// The default ports of the subcommands, which are the same as in the programs of the Beam project.
const (
	defaultPort = -1
	serverPort  = 8073
	workerPort  = 50000
)

// serve runs a Prism job server until the context ctx is cancelled. The user must choose the port,
// because Prism would not report a port that the kernel chooses.
func (f *flags) serve(ctx context.Context) int {
	if f.port == defaultPort {
		f.port = serverPort
	}
	if f.port <= 0 || f.port > 65535 {
		return f.fail(statusUsage, fmt.Errorf("port %d is out of range (1-65535)", f.port))
	}
	if _, err := prism.CreateJobServer(ctx, prism.Options{Port: f.port}); err != nil {
		return f.fail(statusFailed, err)
	}
	fmt.Fprintf(f.stdout, "job server on port %d\n", f.port)
	<-ctx.Done()
	return statusDone
}

// work runs a worker pool until the context ctx is cancelled.
func (f *flags) work(ctx context.Context) int {
	if f.port == defaultPort {
		f.port = workerPort
	}
	if f.port < 0 || f.port > 65535 {
		return f.fail(statusUsage, fmt.Errorf("port %d is out of range (0-65535)", f.port))
	}
	pool, err := extworker.StartLoopback(ctx, f.port)
	if err != nil {
		return f.fail(statusFailed, err)
	}
	fmt.Fprintf(f.stdout, "workers at %s\n", pool.EnvironmentConfig(ctx))
	<-ctx.Done()
	return statusDone
}
