package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/fleet"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	cliverify "github.com/locus-url/locus/internal/command/verify"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/verify"
)

// noArguments returns an error if there are arguments.
func noArguments(_ *cobra.Command, args []string) error {
	if len(args) > 0 {
		return fmt.Errorf("this command takes no arguments; got %d", len(args))
	}
	return nil
}

func (c *command) newWorker() *cobra.Command {
	var s fleet.Settings
	var parallel int
	var listen config.ListenAddress
	var log base.RequestLog
	cmd := &cobra.Command{
		Use:   "worker",
		Short: "Check the targets of a frontier",
		Long: `A worker takes its share of the hosts and checks their targets until it is interrupted or the
fleet is drained. A host belongs to one worker at a time. If a worker stops, other workers take
over its hosts within seconds. URLs of private addresses are denied without --allow-private.`,
		Example: `  locus-fleet worker --nats nats://nats.example.com
  locus-fleet worker --nats tls://nats.example.com --creds worker.creds --listen 127.0.0.1:9100`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if parallel < 1 || parallel > access.MaxParallel {
				return fmt.Errorf("--parallel must be 1 to %d", access.MaxParallel)
			}
			c.forever = true
			return c.run(cmd.Context(), func(ctx context.Context) error { return c.runWorkerCommand(ctx, cmd, &s, parallel, listen, &log) })
		},
	}
	base.AddFlags(cmd, "Worker", func(f *pflag.FlagSet) {
		f.IntVar(&parallel, "parallel", 32, "request `N` URLs at once")
		f.Var(&listen, "listen", "serve /metrics for Prometheus, and /healthz, at `ADDRESS`")
	})
	log.AddFlags(cmd, "Worker")
	settingsFlags(cmd, &s)
	base.UseNetworkFlags(cmd)
	return cmd
}

// runWorkerCommand opens the frontier and runs a worker.
func (c *command) runWorkerCommand(ctx context.Context, cmd *cobra.Command, s *fleet.Settings, parallel int, listen config.ListenAddress, log *base.RequestLog) error {
	f, closeAll, err := c.openFrontier(ctx, c.name(), settings(*s))
	if err != nil {
		return err
	}
	c.noteSettings(cmd, f)
	held := f.Settings()
	o := held.Options()
	o.Parallel = parallel
	c.a.Flags.Timeout = cmp.Or(c.a.Flags.Timeout, 20*time.Second)
	o.Timeout = cmp.Or(c.a.Flags.MaxTime, 3*c.a.Flags.Timeout)
	w := fleet.NewWorker(f, c.workerOptions(o, client.Options{
		FromOthers: c.setting(c.url, c.a.Config.Fleet.NATS) != "", Observe: log.Observe(c.a, c.a.Config.Fleet.LogFormat),
	}))
	if listen != "" {
		end, err := c.serve(ctx, "--listen", string(listen), nil, w)
		if err != nil {
			return errors.Join(err, closeAll())
		}
		defer end()
	}
	return errors.Join(c.runWorker(ctx, c.name(), w), closeAll())
}

// runWorker runs the worker w of the named frontier. It writes a note if the worker stops because
// the fleet is drained.
func (c *command) runWorker(ctx context.Context, name string, w *fleet.Worker) error {
	err := w.Run(ctx)
	if err == nil && ctx.Err() == nil {
		c.note("the frontier %s is drained, so this worker stops: run \"locus-fleet resume\" before starting new workers", name)
	}
	return err
}

// noteSettings writes a note for each flag that has no effect, because the frontier already
// exists with another value of the setting.
func (c *command) noteSettings(cmd *cobra.Command, f *fleet.Frontier) {
	held := f.Settings()
	for name, value := range map[string]string{
		"partitions": fmt.Sprint(held.Partitions), "replicas": fmt.Sprint(held.Replicas), "every": held.Every.String(), "every-bad": held.EveryBad.String(),
	} {
		if flag := cmd.Flags().Lookup(name); flag != nil && flag.Changed && flag.Value.String() != value {
			c.note("frontier %s already exists: --%s stays %s", c.name(), name, value)
		}
	}
}

// limitFlags lists the flags that an existing frontier overrides.
var limitFlags = [...]string{"per-host", "rate", "retry", "depth", "no-robots", "no-fragments", "include-reserved"}

// copyLimits copies the request limits of the frontier to o, because they apply to all workers
// together. It writes a note if the user set flags to other limits.
func (c *command) copyLimits(cmd *cobra.Command, o *verify.Options, f *fleet.Frontier) {
	s := f.Settings()
	held := s.Options()
	differs := o.PerHost != 0 && o.PerHost != held.PerHost || o.Interval != held.Interval || o.Retry != held.Retry || o.Depth != held.Depth || o.NoRobots != held.NoRobots || o.NoFragments != held.NoFragments || o.Reserved != held.Reserved
	if differs && slices.ContainsFunc(limitFlags[:], cmd.Flags().Changed) {
		c.note("frontier %s already exists: its request limits apply", c.name())
	}
	o.PerHost, o.Interval, o.Retry, o.Depth, o.NoRobots, o.NoFragments, o.Reserved = held.PerHost, held.Interval, held.Retry, held.Depth, held.NoRobots, held.NoFragments, held.Reserved
}

// settings returns s with access.None instead of zero retries and a zero interval. In a flag,
// zero means none. In package fleet, zero selects the default.
func settings(s fleet.Settings) fleet.Settings {
	s.Retry = cmp.Or(s.Retry, access.None)
	s.Interval = cmp.Or(s.Interval, access.None)
	return s
}

func (c *command) newSubmit() *cobra.Command {
	var s fleet.Settings
	var cmd *cobra.Command
	start := func(ctx context.Context, o *verify.Options, access client.Options) (cliverify.Engine, func(bool) error, error) {
		s.PerHost, s.Interval, s.Retry, s.Depth = o.PerHost, o.Interval, o.Retry, o.Depth
		s.MaxPages, s.NoRobots, s.NoFragments, s.Reserved = o.MaxPages, o.NoRobots, o.NoFragments, o.Reserved
		f, closeAll, err := c.openFrontier(ctx, c.name(), s)
		if err != nil {
			return nil, nil, err
		}
		c.noteSettings(cmd, f)
		c.copyLimits(cmd, o, f)
		e, err := fleet.NewSubmitter(fleet.NewWorker(f, c.workerOptions(*o, access)))
		if err != nil {
			return nil, nil, errors.Join(err, closeAll())
		}
		// Suppress the report, because there are no results. A note reports the number of added
		// links instead.
		c.mu.Lock()
		quiet := c.a.Flags.Quiet
		c.a.Flags.Quiet, c.forceNotes = true, !quiet
		c.mu.Unlock()
		return submission{e, c}, func(bool) error {
			p := e.Progress()
			if ctx.Err() == nil {
				c.note("frontier %s: %s in %s", c.name(), countOf(p.Links, "link"), countOf(p.Documents, "document"))
			}
			e.Close()
			return errors.Join(e.Err(), closeAll())
		}, nil
	}
	cmd = cliverify.NewWith(c.a, start, append(slices.Clone(flagsWithoutEffect), "fix", "dry-run", "output", "baseline", "write-baseline", "format", "all", "moved", "context", "strict", "log-format")...)
	rejectUnstoredFlags(cmd)
	c.wrap(cmd)
	cmd.Use = "submit FILE|DIR|URL..."
	cmd.Short = "Add the links of documents and sites to a frontier"
	cmd.Long = `Each argument is as for "locus-fleet verify", but the command does not wait for verdicts: workers
check the links, and "locus-fleet results" prints the results. Adding a document again has no
effect. Links to local files and links with passwords are checked here and not published.`
	cmd.Example = `  locus-fleet submit --nats nats://nats.example.com docs/
  locus-fleet submit --nats nats://nats.example.com --every 30d https://www.example.com/`
	base.AddFlags(cmd, "New frontier", func(f *pflag.FlagSet) {
		f.IntVar(&s.Partitions, "partitions", 64, "split hosts into `N` partitions, the maximum number of workers")
		f.IntVar(&s.Replicas, "replicas", 1, "store everything on `N` NATS servers")
		f.Var((*days)(&s.Every), "every", "check each target again after `D`, such as 30d; 0 means never")
		f.Var((*days)(&s.EveryBad), "every-bad", "check bad targets again after `D`")
	})
	return cmd
}

// rejectUnstoredFlags makes cmd reject the request flags that a frontier does not store, because
// they would have no effect on the workers.
func rejectUnstoredFlags(cmd *cobra.Command) {
	const worker, results, own = `write it after "locus-fleet worker"`, `"locus-fleet verify" applies it when it reads the results`, `"locus-fleet verify" applies it to its own requests`
	args := cmd.Args
	cmd.Args = func(cmd *cobra.Command, list []string) error {
		for _, one := range []struct {
			where string
			names []string
		}{
			{worker, []string{"timeout", "max-time", "header", "user-agent", "parallel"}},
			{results, []string{"accept"}},
			{own, []string{"method", "max-wait", "cookies", "cert", "key", "tls-days", "ipv4", "ipv6"}},
		} {
			for _, name := range one.names {
				if cmd.Flags().Changed(name) {
					return fmt.Errorf("--%s has no effect on workers: %s", name, one.where)
				}
			}
		}
		return args(cmd, list)
	}
	for _, name := range []string{"parallel", "accept", "method", "max-wait", "cookies", "cert", "key", "tls-days", "ipv4", "ipv6"} {
		cmd.Flags().Lookup(name).Hidden = true
	}
}

func countOf[T int | int64](n T, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func (c *command) newStatus() *cobra.Command {
	return &cobra.Command{
		Use:   "status",
		Short: "Show the state of a frontier and its workers",
		Example: `  locus-fleet status --nats nats://nats.example.com
  locus-fleet status --json --frontier default`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withFrontier(cmd.Context(), func(ctx context.Context, f *fleet.Frontier) error {
				s, err := await(ctx, c, func() (fleet.Status, error) {
					s, err := f.Status(ctx)
					return s, c.explain(c.name(), err)
				})
				if err != nil {
					return err
				}
				if c.a.Flags.JSON {
					c.writeJSON(s)
					return nil
				}
				fmt.Fprintf(c.a.Out, "frontier      %s (%s)\ntargets       %d\nverdicts      %d\ndead letters  %d\nchanges       %d\nbytes         %d\n",
					s.Name, s.Mode, s.Targets, s.Verdicts, s.Dead, s.Changes, s.Bytes)
				for _, name := range slices.Sorted(maps.Keys(s.Workers)) {
					w := s.Workers[name]
					fmt.Fprintf(c.a.Out, "worker        %s: %d partitions, %d requests, %d waiting, %d active\n", term.Safe(name), w.Held, w.Requests, w.Waiting, w.Active)
				}
				return nil
			})
		},
	}
}

func (c *command) newResults() *cobra.Command {
	return &cobra.Command{
		Use:   "results",
		Short: "Print the results of all links as JSON Lines",
		Long: `The lines have the format of "locus verify --json", in the order in which documents and pages
were added. A link that has no verdict yet is "unknown".`,
		Example: `  locus-fleet results --nats nats://nats.example.com
  locus-fleet results --frontier default`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withFrontier(cmd.Context(), func(ctx context.Context, f *fleet.Frontier) error {
				held := f.Settings()
				e, err := fleet.NewSubmitter(fleet.NewWorker(f, c.workerOptions(held.Options(), client.Options{})))
				if err != nil {
					return err
				}
				defer e.Close()
				cliverify.WriteJSON(c.a, e.Results(ctx))
				return e.Err()
			})
		},
	}
}

func (c *command) newChanges() *cobra.Command {
	var follow bool
	cmd := &cobra.Command{
		Use:   "changes",
		Short: `Print verdicts that changed ("died", "moved", "came back") as JSON`,
		Example: `  locus-fleet changes --nats nats://nats.example.com
  locus-fleet changes --nats nats://nats.example.com --follow`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withFrontier(cmd.Context(), func(ctx context.Context, f *fleet.Frontier) error {
				err := f.Changes(ctx, follow, func(one fleet.Change) bool {
					c.writeJSON(one)
					if follow {
						c.a.Out.Flush()
					}
					return !c.a.OutputFailed()
				})
				if ctx.Err() != nil {
					return nil
				}
				return err
			})
		},
	}
	base.AddFlags(cmd, "Output", func(f *pflag.FlagSet) {
		f.BoolVar(&follow, "follow", false, "wait for new changes until interrupted")
	})
	return cmd
}

func (c *command) newMode(name string, m fleet.Mode, short string) *cobra.Command {
	return &cobra.Command{
		Use: name, Short: short, Args: noArguments,
		Example: "  locus-fleet " + name + " --nats nats://nats.example.com\n  locus-fleet " + name + " --frontier default",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.withFrontier(cmd.Context(), func(ctx context.Context, f *fleet.Frontier) error {
				_, err := await(ctx, c, func() (fleet.Mode, error) { return m, c.explain(c.name(), f.SetMode(ctx, m)) })
				return err
			})
		},
	}
}

func (c *command) newCreate() *cobra.Command {
	var s fleet.Settings
	cmd := &cobra.Command{
		Use:   "create",
		Short: "Create a frontier",
		Long: `Workers and submitters create a frontier if the NATS servers allow it. Otherwise an
administrator must create it. The settings of a frontier can't be changed later.`,
		Example: `  locus-fleet create --nats tls://nats.example.com --replicas 3 --partitions 256 --every 30d
  locus-fleet create --frontier docs --every 7d --every-bad 1d`,
		Args: noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			return c.run(cmd.Context(), func(ctx context.Context) error {
				f, closeAll, err := c.openFrontier(ctx, c.name(), settings(s))
				if err != nil {
					return err
				}
				c.noteSettings(cmd, f)
				return closeAll()
			})
		},
	}
	settingsFlags(cmd, &s)
	return cmd
}

func (c *command) newRetry() *cobra.Command {
	var bad bool
	cmd := &cobra.Command{
		Use:   "retry NAME",
		Short: "Check targets again that were denied or got a warning",
		Long: `Each verdict stays until a worker stores a new one. If you run this command twice, workers
check each waiting target once.`,
		Example: `  locus-fleet retry default --nats nats://nats.example.com
  locus-fleet retry docs --bad`,
		Args: oneFrontier,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.frontier = args[0]
			return c.withFrontier(cmd.Context(), func(ctx context.Context, f *fleet.Frontier) error {
				n, err := f.Retry(ctx, bad)
				if err == nil {
					c.note("workers of frontier %s will check %s again", c.name(), countOf(n, "target"))
				}
				return err
			})
		},
	}
	base.AddFlags(cmd, "Choice", func(f *pflag.FlagSet) {
		f.BoolVar(&bad, "bad", false, "also check targets with bad verdicts again")
	})
	return cmd
}

func oneFrontier(_ *cobra.Command, args []string) error {
	if len(args) != 1 {
		return errors.New("give the name of one frontier")
	}
	return nil
}

func (c *command) newDelete() *cobra.Command {
	return &cobra.Command{
		Use: "delete NAME", Short: "Delete a frontier with its targets and results",
		Example: `  locus-fleet delete default --nats nats://nats.example.com
  locus-fleet delete docs`,
		Args: oneFrontier,
		RunE: func(cmd *cobra.Command, args []string) error {
			c.frontier = args[0]
			return c.withFrontier(cmd.Context(), func(ctx context.Context, f *fleet.Frontier) error { return f.Delete(ctx) })
		},
	}
}
