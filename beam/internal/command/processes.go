package command

import (
	"context"
	"fmt"

	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/prism"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners/universal/extworker"
)

// The subcommands' default ports are the same as for Beam's own programs.
const (
	defaultPort = -1
	serverPort  = 8073
	workerPort  = 50000
)

// serve runs a Prism job server until ctx ends. Prism does not report its port, so the kernel can't
// choose one.
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

// work runs a pool of workers until ctx ends.
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
