package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/fleet"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	cliverify "github.com/locus-url/locus/internal/command/verify"
	"github.com/locus-url/locus/verify"
)

// command is the state of one run of locus-fleet.
type command struct {
	a *base.App

	url, creds, tlsCA, tlsCert, tlsKey string
	store, frontier                    string
	ui                                 config.ListenAddress

	args []string // command-line arguments

	forever bool // wait for NATS servers without a time limit

	denied atomic.Bool // a NATS server denied a subject

	mu         sync.Mutex
	lastNote   string // text of the last note
	forceNotes bool   // write notes although the report is suppressed
}

// addFlags adds the flags of every subcommand.
func (c *command) addFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&c.url, "nats", "", "use the NATS servers at `URL`s, separated by commas; without it, one in this process")
	f.StringVar(&c.creds, "creds", "", "log in to NATS with the credentials in `FILE`")
	f.StringVar(&c.tlsCA, "tls-ca", "", "trust the certificate authorities in `FILE` for NATS servers")
	f.StringVar(&c.tlsCert, "tls-cert", "", "send NATS servers the client certificate in `FILE`")
	f.StringVar(&c.tlsKey, "tls-key", "", "read the key of --tls-cert from `FILE`")
	f.StringVar(&c.store, "store", "", "store everything below `DIR` (default: in the cache directory)")
	f.StringVar(&c.frontier, "frontier", "", "use the frontier `NAME` (default \"default\")")
}

func (c *command) commands() []*cobra.Command {
	return []*cobra.Command{
		c.newVerify(), c.newWorker(), c.newSubmit(), c.newStatus(), c.newResults(), c.newChanges(),
		c.newUI(), c.newCreate(), c.newRetry(), c.newDelete(),
		c.newMode("pause", fleet.Pause, "Start no new requests until resume"),
		c.newMode("resume", fleet.Run, "Continue after pause or drain"),
		c.newMode("drain", fleet.Drain, "Stop all workers after their current requests"),
		base.NewVersion(c.a, "locus-fleet"),
	}
}

// clientFor returns the function that creates a worker's clients.
func (c *command) clientFor(o client.Options) fleet.NewClient {
	return func(check func(locus.URL) error, wrap func(fleet.Dial) fleet.Dial) (*access.Client, func(), error) {
		o := o
		o.NoProgress, o.NoPrompt = true, true
		o.Check = check
		o.Dial = wrap(new(net.Dialer).DialContext)
		o.Wait = fleet.TurnTime
		o.Web.Single = true
		// The client does not reuse HTTP connections, and it closes other connections with their
		// resource.
		return client.New(c.a, o)
	}
}

func (c *command) workerOptions(o verify.Options, access client.Options) fleet.WorkerOptions {
	return fleet.WorkerOptions{Client: c.clientFor(access), Verify: o, DialTimeout: c.a.Flags.Timeout, Note: func(text string) { c.note("%s", text) }}
}

// flagsWithoutEffect lists the flags of "locus verify" that have no effect in a fleet, because
// other machines request the pages, and because no later run uses cached results.
var flagsWithoutEffect = []string{"max-age", "no-cache", "sitemap", "soft-404", "suggest", "dump", "warc", "warc-size"}

func (c *command) newVerify() *cobra.Command {
	var cmd *cobra.Command
	start := func(ctx context.Context, o *verify.Options, access client.Options) (cliverify.Engine, func(bool) error, error) {
		return c.startVerify(ctx, cmd, o, access)
	}
	cmd = cliverify.NewWith(c.a, start, flagsWithoutEffect...)
	base.AddFlags(cmd, "Watching", func(f *pflag.FlagSet) {
		f.Var(&c.ui, "ui", "serve a status page and metrics at `ADDRESS`: 127.0.0.1:9100")
	})
	c.wrap(cmd)
	cmd.Example = `  locus-fleet verify docs/
  locus-fleet verify --nats nats://nats.example.com https://www.example.com/`
	return cmd
}

// wrap makes cmd set the exit status after an access error.
func (c *command) wrap(cmd *cobra.Command) {
	inner := cmd.RunE
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		return c.run(cmd.Context(), func(context.Context) error { return inner(cmd, args) })
	}
}

// startVerify starts the engine of "locus-fleet verify". The engine consists of a worker and a
// frontier. The frontier is deleted after the run has read all results. If the run is
// interrupted, the next run of the same command resumes it.
func (c *command) startVerify(ctx context.Context, cmd *cobra.Command, o *verify.Options, access client.Options) (cliverify.Engine, func(bool) error, error) {
	settings := fleet.Settings{PerHost: o.PerHost, Interval: o.Interval, Retry: o.Retry, Depth: o.Depth, MaxPages: o.MaxPages, NoRobots: o.NoRobots, NoFragments: o.NoFragments, Reserved: o.Reserved}
	name := c.setting(c.frontier, c.a.Config.Fleet.Frontier)
	own := name == ""
	if own {
		name = c.runName(settings)
	}
	f, closeAll, err := c.openFrontier(ctx, name, settings)
	if err != nil {
		return nil, nil, err
	}
	c.copyLimits(cmd, o, f)
	w := fleet.NewWorker(f, c.workerOptions(*o, access))
	e, err := fleet.NewSubmitter(w)
	if err != nil {
		return nil, nil, errors.Join(err, closeAll())
	}
	endPage := func() {}
	if c.ui != "" {
		if endPage, err = c.serve(ctx, "--ui", string(c.ui), f.Page(), w); err != nil {
			e.Close()
			return nil, nil, errors.Join(err, closeAll())
		}
	}
	inside, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	ended := make(chan error, 1)
	go func() { ended <- c.runWorker(inside, name, w) }()
	return e, func(complete bool) error {
		endPage()
		cancel()
		stop()
		err := errors.Join(e.Err(), <-ended)
		e.Close()
		if complete && err == nil && own {
			last, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			err = f.Delete(last)
		} else if ctx.Err() != nil {
			c.a.Note("run the same command again to resume")
		}
		return errors.Join(err, closeAll())
	}, nil
}

// runName returns the frontier name of a run. The same command in the same directory always gets
// the same name, so the command resumes an interrupted run.
func (c *command) runName(s fleet.Settings) string {
	dir, _ := os.Getwd()
	text, _ := json.Marshal(s)
	sum := sha256.Sum256([]byte(dir + "\n" + string(text) + "\n" + strings.Join(c.args, "\n")))
	return fmt.Sprintf("run-%x", sum[:8])
}

// settingsFlags adds the flags for the settings of a new frontier.
func settingsFlags(cmd *cobra.Command, s *fleet.Settings) {
	base.AddFlags(cmd, "New frontier", func(f *pflag.FlagSet) {
		f.IntVar(&s.Partitions, "partitions", 64, "split hosts into `N` partitions, the maximum number of workers")
		f.IntVar(&s.Replicas, "replicas", 1, "store everything on `N` NATS servers")
		f.IntVar(&s.PerHost, "per-host", 2, "request `N` URLs at once from one host")
		base.DurationVar(f, &s.Interval, "interval", 100*time.Millisecond, "wait `D` between two requests to a host")
		f.IntVar(&s.Retry, "retry", 2, "retry `N` times after a temporary failure")
		f.IntVar(&s.Depth, "depth", 0, "follow a site at most `N` links deep; 0 is unlimited")
		f.IntVar(&s.MaxPages, "max-pages", 10_000, "read at most `N` pages of a site; 0 is unlimited")
		f.BoolVar(&s.NoRobots, "no-robots", false, "ignore the robots.txt of a site")
		f.BoolVar(&s.NoFragments, "no-fragments", false, "do not check fragments")
		f.BoolVar(&s.Reserved, "include-reserved", false, "verify links to names reserved for examples, too")
		f.Var((*days)(&s.Every), "every", "check each target again after `D`, such as 30d; 0 means never")
		f.Var((*days)(&s.EveryBad), "every-bad", "check bad targets again after `D`")
	})
}

// days is a duration flag that also accepts days, such as 30d.
type days time.Duration

func (d *days) String() string { return time.Duration(*d).String() }
func (*days) Type() string     { return "duration" }

func (d *days) Set(text string) error {
	if n, ok := strings.CutSuffix(text, "d"); ok {
		var count uint16
		if _, err := fmt.Sscanf(n+"\n", "%d\n", &count); err != nil {
			return fmt.Errorf("invalid duration %s: write 30d, 12h or 45m", locus.Quote(text))
		}
		*d = days(time.Duration(count) * 24 * time.Hour)
		return nil
	}
	v, err := time.ParseDuration(text)
	if err != nil || v < 0 {
		return fmt.Errorf("invalid duration %s: write 30d, 12h or 45m", locus.Quote(text))
	}
	*d = days(v)
	return nil
}
