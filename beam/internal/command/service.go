package command

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"slices"
	"strings"
	"time"

	jobpb "github.com/apache/beam/sdks/v2/go/pkg/beam/model/jobmanagement_v1"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/options/jobopts"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/runners"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/util/grpcx"
)

const (
	// dialTime is the maximum time for connecting to a job service.
	dialTime = 10 * time.Second
	// cancelTime is the maximum time that the command waits for the end of a job after an
	// interrupt.
	cancelTime = 10 * time.Second
)

// The supported runners, and the alternative names that Beam uses for them.
var (
	embedded   = []string{"prism", "PrismRunner"}
	jobService = []string{"universal", "portable", "PortableRunner", "flink", "FlinkRunner", "spark", "SparkRunner"}
	dataflow   = []string{"dataflow", "DataflowRunner"}
)

// chooseRunner returns the name of the runner that the flags select, or a usage error.
func chooseRunner(ctx context.Context) (string, error) {
	runner := *runners.Runner
	switch {
	case runner == "":
		runner = embedded[0]
	case slices.Contains(dataflow, runner):
		return runner, nil
	case slices.Contains(jobService, runner) && *jobopts.Endpoint == "":
		return "", usageError{fmt.Errorf("runner %s needs --endpoint HOST:PORT, its job service", runner)}
	case !slices.Contains(slices.Concat(embedded, jobService), runner):
		return "", usageError{fmt.Errorf("unknown runner %q: choose prism, universal, flink, spark or dataflow", runner)}
	}
	if err := dial(ctx, "job service", *jobopts.Endpoint); err != nil {
		return "", err
	}
	// Check the worker pool, because the runner Prism exits with all its jobs if it can't
	// reach the pool.
	if strings.EqualFold(*jobopts.EnvironmentType, "external") && slices.Contains(embedded, runner) && isHere(*jobopts.Endpoint) {
		return runner, dial(ctx, "pool of workers", *jobopts.EnvironmentConfig)
	}
	return runner, nil
}

// dial returns an error if a service does not accept connections. Without this check, the SDK
// would retry for two minutes and report no reason. The function does not check gRPC targets such
// as dns:///HOST:PORT. Its errors omit addresses that may contain a password.
func dial(ctx context.Context, service, address string) error {
	if address == "" || strings.Contains(address, ":/") {
		return nil
	}
	if _, _, err := net.SplitHostPort(address); err != nil || strings.Contains(address, "@") {
		return usageError{fmt.Errorf("the address of the %s must be HOST:PORT", service)}
	}
	dialer := net.Dialer{Timeout: dialTime}
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return fmt.Errorf("no %s at %s: %w", service, address, err)
	}
	return conn.Close()
}

// isHere reports whether an address is local. An empty address is local.
func isHere(address string) bool {
	host, _, _ := net.SplitHostPort(address)
	ip, err := netip.ParseAddr(host)
	return address == "" || host == "localhost" || err == nil && ip.IsLoopback()
}

// cancelJob cancels the job with the given name at a job service. An embedded job ends with this
// program.
func cancelJob(ctx context.Context, runner, endpoint, name string) error {
	switch {
	case slices.Contains(dataflow, runner):
		return errors.New("cancel it with the tools of Dataflow")
	case endpoint == "":
		return nil
	}
	conn, err := grpcx.Dial(ctx, endpoint, cancelTime)
	if err != nil {
		return err
	}
	defer conn.Close()
	client := jobpb.NewJobServiceClient(conn)
	jobs, err := client.GetJobs(ctx, &jobpb.GetJobsRequest{})
	if err != nil {
		return err
	}
	for _, job := range jobs.GetJobInfo() {
		if job.GetJobName() == name {
			_, err := client.Cancel(ctx, &jobpb.CancelJobRequest{JobId: job.GetJobId()})
			return err
		}
	}
	return nil // the job is not yet submitted
}
