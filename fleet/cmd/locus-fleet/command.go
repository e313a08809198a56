package main

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/fleet"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/client"
	cliverify "github.com/locus-url/locus/internal/cli/verify"
	"github.com/locus-url/locus/verify"
)

// command is one run of locus-fleet.
type command struct {
	a *base.App

	url, creds, tlsCA, tlsCert, tlsKey string
	store, frontier                    string
}

// addFlags adds the flags of every subcommand.
func (c *command) addFlags(root *cobra.Command) {
	f := root.PersistentFlags()
	f.StringVar(&c.url, "nats", "", "use the NATS servers at `URL`; without it, one in this process")
	f.StringVar(&c.creds, "creds", "", "log in to NATS with the credentials in `FILE`")
	f.StringVar(&c.tlsCA, "tls-ca", "", "trust the authorities in `FILE` for NATS servers")
	f.StringVar(&c.tlsCert, "tls-cert", "", "show NATS servers the client certificate in `FILE`")
	f.StringVar(&c.tlsKey, "tls-key", "", "the key of --tls-cert is in `FILE`")
	f.StringVar(&c.store, "store", "", "keep everything below `DIR` (default: in the cache folder)")
	f.StringVar(&c.frontier, "frontier", "", "the `NAME` of the frontier (default \"default\")")
}

func (c *command) commands() []*cobra.Command {
	return []*cobra.Command{
		c.newVerify(), c.newWorker(), c.newSubmit(), c.newStatus(), c.newResults(), c.newChanges(),
		c.newMode("pause", fleet.Pause, "Begin no more requests until resume"),
		c.newMode("resume", fleet.Run, "Have paused or new workers ask again"),
		c.newMode("drain", fleet.Drain, "End all workers when their requests have ended"),
	}
}

// open connects to the servers, or starts one here, and opens the frontier of that name.
func (c *command) open(ctx context.Context, name string, s fleet.Settings) (f *fleet.Frontier, closeAll func() error, err error) {
	var options []nats.Option
	var embedded *fleet.Embedded
	var nc *nats.Conn
	if c.url == "" {
		dir, err := c.storeFolder()
		if err != nil {
			return nil, nil, err
		}
		if embedded, err = fleet.Embed(dir); err != nil {
			return nil, nil, err
		}
		nc, err = embedded.Connect()
		if err != nil {
			return nil, nil, errors.Join(err, embedded.Close())
		}
	} else {
		if options, err = c.natsOptions(); err != nil {
			return nil, nil, err
		}
		if nc, err = nats.Connect(c.url, options...); err != nil {
			return nil, nil, fmt.Errorf("--nats: %w", err)
		}
	}
	closeAll = func() error {
		nc.Close()
		if embedded != nil {
			return embedded.Close()
		}
		return nil
	}
	f, err = fleet.OpenFrontier(ctx, nc, name, s)
	if err == nil && embedded != nil {
		// The lock of the folder says that no other process has workers here.
		err = f.ForgetLeases(ctx)
	}
	if err != nil {
		return nil, nil, errors.Join(err, closeAll())
	}
	return f, closeAll, nil
}

func (c *command) natsOptions() (list []nats.Option, err error) {
	list = append(list, nats.Name("locus-fleet"), nats.MaxReconnects(-1))
	if c.creds != "" {
		list = append(list, nats.UserCredentials(c.creds))
	}
	if c.tlsCA != "" {
		list = append(list, nats.RootCAs(c.tlsCA))
	}
	if (c.tlsCert == "") != (c.tlsKey == "") {
		return nil, errors.New("--tls-cert and --tls-key need each other")
	}
	if c.tlsCert != "" {
		list = append(list, nats.ClientCert(c.tlsCert, c.tlsKey))
	}
	return list, nil
}

func (c *command) storeFolder() (string, error) {
	if c.store != "" {
		return c.a.ExpandHome(c.store), nil
	}
	dir, reason := c.a.CacheFolder()
	if dir == "" {
		return "", fmt.Errorf("%s: --store names a folder", reason)
	}
	return filepath.Join(dir, "fleet"), nil
}

func (c *command) name() string {
	if c.frontier == "" {
		return "default"
	}
	return c.frontier
}

// clientFor returns what makes the clients of a worker.
func (c *command) clientFor(o client.Options) fleet.NewClient {
	return func(check func(locus.URL) error, wrap func(fleet.Dial) fleet.Dial) (*access.Client, func(), func(), error) {
		o := o
		o.NoProgress, o.NoPrompt = true, true
		o.Check = check
		o.Dial = wrap(new(net.Dialer).DialContext)
		o.Wait = fleet.TurnTime
		o.Web.Single = true
		made, closeAll, err := client.New(c.a, o)
		// No connection over HTTP is kept, and others are closed with their resource.
		return made, func() {}, closeAll, err
	}
}

func (c *command) workerOptions(o verify.Options, access client.Options) fleet.WorkerOptions {
	return fleet.WorkerOptions{Client: c.clientFor(access), Verify: o, Connect: c.a.Flags.Timeout, Note: func(text string) { c.a.Note("%s", text) }}
}

func (c *command) newVerify() *cobra.Command {
	cmd := cliverify.NewWith(c.a, c.startVerify, "max-age", "no-cache", "sitemap", "soft-404", "suggest", "dump")
	cmd.Example = `  printf 'Gone: <URL:file:///none/at/all>\n' >dead.txt; locus-fleet verify dead.txt || true
  locus-fleet verify --nats nats://nats.example.com https://www.example.com/`
	return cmd
}

// startVerify is the engine of "locus-fleet verify": a frontier that exists until the results
// were taken, and a worker. Interrupted, it goes on when it is called again.
func (c *command) startVerify(ctx context.Context, o *verify.Options, access client.Options) (cliverify.Engine, func(bool) error, error) {
	settings := fleet.Settings{PerHost: o.PerHost, Interval: o.Interval, Retry: o.Retry, Depth: o.Depth, MaxPages: o.MaxPages, NoRobots: o.NoRobots, NoFragments: o.NoFragments}
	name, own := c.frontier, c.frontier == ""
	if own {
		name = runName(settings)
	}
	f, closeAll, err := c.open(ctx, name, settings)
	if err != nil {
		return nil, nil, err
	}
	w := fleet.NewWorker(f, c.workerOptions(*o, access))
	e, err := fleet.NewSubmitter(w)
	if err != nil {
		return nil, nil, errors.Join(err, closeAll())
	}
	inside, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, cancel)
	ended := make(chan error, 1)
	go func() { ended <- w.Run(inside) }()
	return e, func(complete bool) error {
		cancel()
		stop()
		err := errors.Join(e.Err(), <-ended)
		e.Close()
		if complete && err == nil && own {
			last, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			err = f.Delete(last)
		} else if ctx.Err() != nil {
			c.a.Note("the same command goes on where this one ended")
		}
		return errors.Join(err, closeAll())
	}, nil
}

// runName is the name of the frontier of a run: the same command in the same folder goes on
// with it.
func runName(s fleet.Settings) string {
	dir, _ := os.Getwd()
	text, _ := json.Marshal(s)
	sum := sha256.Sum256([]byte(dir + "\n" + string(text) + "\n" + strings.Join(os.Args[1:], "\n")))
	return fmt.Sprintf("run-%x", sum[:8])
}

// settingsFlags adds the flags that make a frontier.
func settingsFlags(cmd *cobra.Command, s *fleet.Settings) {
	base.AddFlags(cmd, "Frontier, when it is made", func(f *pflag.FlagSet) {
		f.IntVar(&s.Partitions, "partitions", 64, "divide hosts into `N` parts, the most workers of use")
		f.IntVar(&s.Replicas, "replicas", 1, "have `N` servers keep everything")
		f.IntVar(&s.PerHost, "per-host", 2, "request `N` URLs at once from one host")
		base.DurationVar(f, &s.Interval, "interval", 100*time.Millisecond, "wait `D` between two requests to a host")
		f.IntVar(&s.Retry, "retry", 2, "retry `N` times after a temporary failure")
		f.IntVar(&s.Depth, "depth", 0, "follow a site at most `N` links deep; 0 is unlimited")
		f.BoolVar(&s.NoRobots, "no-robots", false, "ignore the robots.txt of a site")
		f.BoolVar(&s.NoFragments, "no-fragments", false, "do not check fragments")
		f.Var((*days)(&s.Every), "every", "ask again after `D`, such as 30d; 0 is never")
		f.Var((*days)(&s.EveryBad), "every-bad", "ask again after `D` if it was bad")
	})
}

// days is a duration that may be in days.
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
