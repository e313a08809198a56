// Package gateway implements the subcommand "locus gateway", which runs the HTTP gateway.
package gateway

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"path/filepath"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/scheme"
)

// gatewayCommand is one run of "locus gateway".
type gatewayCommand struct {
	app    *base.App
	config config.Gateway
	demo   bool
	museum *tour.Demo     // of the demonstration; may be nil
	relays *access.Client // leads to the mail relay; may be nil

	locators *access.Proxies // gateways that URLs go through
	archives client.Archives
	stored   *archive.Store // of archives; may be nil
	archive  base.Archive
}

// New returns the subcommand.
func New(a *base.App) *cobra.Command {
	c := gatewayCommand{app: a, config: a.Config.Gateway}
	var check bool
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Serve URLs of every scheme over HTTP: pages, a proxy, an API",
		Long: `gateway serves pages for browsers at http://127.0.0.1:1738/, and runs until SIGTERM
(status 0) or Ctrl-C (status 130).

Proxy:
As a proxy, gateway accepts URLs of every scheme. Clients select it with http_proxy,
https_proxy, gopher_proxy, ftp_proxy, wais_proxy or news_proxy.

API:
Programs use /api/, which /api/openapi.json describes. /metrics is for Prometheus.
/healthz reports problems, with status 200 or 503.

Access:
gateway does not trust its clients: it treats each URL like a link from the public
Internet. It opens only public addresses on the ports of the scheme, and no local files.
--allow-private, --allow-port and --files permit more. --allow and --deny accept a scheme
("telnet:"), a host ("example.net"), a host and its subdomains (".example.net"), only
subdomains ("*.example.net"), a host with a port ("example.net:70"), addresses
("192.0.2.0/24"), or the beginning of URLs ("gopher://example.net/1/pub/", where "*"
matches any characters). --deny also applies addresses to hosts that resolve to them.

Configuration:
--check-config reports each mistake in the configuration, the environment and the flags,
with file and line. The status is 0 without mistakes, else 2. It opens no port.

Archives:
With --from, gateway serves pages from WARC and ARC files, with links to earlier and
later captures. It makes no connections. Programs select a time with Accept-Datetime
(RFC 7089).

Log:
gateway logs requests to standard error, without passwords.`,
		Example: `  locus gateway
  locus gateway --listen 127.0.0.1:8080 --deny telnet: --deny .example.com`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if check {
				return c.check(cmd)
			}
			if err := a.LoadConfig(cmd.Flags()); err != nil {
				return err
			}
			c.configure(cmd)
			return c.run()
		},
	}
	base.AddFlags(cmd, "Server", func(f *pflag.FlagSet) {
		f.Var(&c.config.Listen, "listen", "listen on `HOST:PORT`; port 0 is any free port")
		f.StringSliceVar((*[]string)(&c.config.Names), "name", nil, "also accept requests for the host `NAME` (repeatable)")
		f.Var(&c.config.LogFormat, "log-format", "log requests as `FORMAT`: text, json or none")
		f.BoolVar(&check, "check-config", false, "check the configuration and flags, then exit")
		f.BoolVar(&c.demo, "demo", false, "serve only the demo servers of the tour")
	})
	base.AddFlags(cmd, "Access", func(f *pflag.FlagSet) {
		f.StringSliceVar((*[]string)(&c.config.Allow), "allow", nil, "open only URLs that match `PATTERN` (repeatable)")
		f.StringSliceVar((*[]string)(&c.config.Deny), "deny", nil, "do not open URLs that match `PATTERN` (repeatable)")
		f.StringSliceVar((*[]string)(&c.config.Files), "files", nil, "let file URLs open files in `DIR` (repeatable)")
		f.Var(&c.config.ConnectPorts, "connect-port", "allow CONNECT to port `N` besides 443 (repeatable)")
	})
	base.AddFlags(cmd, "Archives", c.archives.AddFlags)
	base.AddFlags(cmd, "Cache", func(f *pflag.FlagSet) {
		f.StringVar(&c.config.Cache, "cache", "", "cache responses in `DIR`")
		f.Var(&c.config.CacheSize, "cache-size", "use at most `N` bytes for the cache")
		f.BoolVar(&c.config.NoCache, "no-cache", false, "disable the cache")
	})
	c.archive.AddFlags(cmd)
	base.UseNetworkFlags(cmd)
	base.LoadsConfig(cmd)
	base.CompleteFlag(cmd, "log-format", func() []string { return []string{"text", "json", "none"} })
	return cmd
}

// configure applies the configuration to flags that the user did not set.
func (c *gatewayCommand) configure(cmd *cobra.Command) {
	said := c.config
	c.config = c.app.Config.Gateway
	replace(cmd, "listen", &c.config.Listen, said.Listen)
	replace(cmd, "name", &c.config.Names, said.Names)
	replace(cmd, "allow", &c.config.Allow, said.Allow)
	replace(cmd, "deny", &c.config.Deny, said.Deny)
	replace(cmd, "files", &c.config.Files, said.Files)
	replace(cmd, "connect-port", &c.config.ConnectPorts, said.ConnectPorts)
	replace(cmd, "cache", &c.config.Cache, said.Cache)
	replace(cmd, "cache-size", &c.config.CacheSize, said.CacheSize)
	replace(cmd, "no-cache", &c.config.NoCache, said.NoCache)
	replace(cmd, "log-format", &c.config.LogFormat, said.LogFormat)
}

func replace[T any](cmd *cobra.Command, flag string, value *T, said T) {
	if cmd.Flags().Changed(flag) {
		*value = said
	}
}

var errNotBoth = errors.New("--demo and --from can't be used together")

func (c *gatewayCommand) run() error {
	a := c.app
	if most := int64(c.config.Memory); most > 0 {
		// Collect garbage well before the gateway rejects requests.
		debug.SetMemoryLimit(most - most/8)
	}
	if c.demo && c.archives.Used() {
		return errNotBoth
	}
	if c.demo {
		museum, err := tour.Open()
		if err != nil {
			a.Fail(base.StatusAccess, err)
			return nil
		}
		defer museum.Close()
		c.museum = museum
	}
	if ok, err := c.archive.Open(a); !ok {
		return err
	}
	defer c.archive.Close()
	opener, closeAll, err := c.client()
	if failed := (*client.ArchiveError)(nil); errors.As(err, &failed) {
		a.Fail(base.StatusAccess, err)
		return nil
	}
	if err != nil {
		return err
	}
	defer closeAll()
	options, err := c.options(opener)
	if c.relays != nil {
		defer c.relays.Close()
	}
	if err != nil {
		return err
	}
	store, err := c.store(opener.Registry())
	if err != nil {
		a.Fail(base.StatusAccess, err)
		return nil
	}
	if store != nil {
		defer store.Close()
		options.Cache = store
	}
	options.Health = c.health(opener, store)
	g, err := gateway.New(opener, options)
	if err != nil {
		return err
	}
	return c.serve(g)
}

const stopTime = 10 * time.Second

func (c *gatewayCommand) serve(g *gateway.Gateway) error {
	a := c.app
	l, err := net.Listen("tcp", string(c.config.Listen))
	if err != nil {
		a.Fail(base.StatusAccess, err)
		return nil
	}
	where := "http://" + l.Addr().String() + "/"
	if a.Flags.JSON {
		a.WriteJSON(struct {
			URL shape.Text `json:"url"`
		}{shape.Text(where)})
	} else {
		fmt.Fprintln(a.Out, where)
	}
	a.Out.Flush()
	server := gateway.NewServer(g)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err = <-served:
	case <-a.Context.Done():
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		server.Shutdown(ctx) // broken requests are reported to their clients
		err = <-served
		var s base.SignalError
		a.Stopped = errors.As(context.Cause(a.Context), &s) && s.Signal == syscall.SIGTERM
	}
	if err != nil {
		a.Fail(base.StatusAccess, err)
	}
	return nil
}

func (c *gatewayCommand) options(opener *access.Client) (*gateway.Options, error) {
	o := &gateway.Options{
		Names:        c.config.Names,
		ConnectPorts: c.config.ConnectPorts,
		HomeSections: c.homeSections(),
		Log:          c.logger(),
		Archive:      c.stored,
		Live:         c.archives.Live,
		Limits: gateway.Limits{
			Requests: c.config.Requests, PerClient: c.config.PerClient, PerHost: c.config.PerHost,
			Connections: c.config.Connections, Sessions: c.config.Terminals, Memory: int64(c.config.Memory),
		},
	}
	var err error
	if len(c.config.Files) > 0 {
		folders := make([]string, len(c.config.Files))
		for i, folder := range c.config.Files {
			folders[i] = c.app.ExpandHome(folder)
		}
		if o.Files, err = gateway.FilesBelow(folders); err != nil {
			return nil, err
		}
	}
	if c.museum != nil {
		o.Files, o.TLS = c.museum.Holds, c.museum.TLS()
	}
	o.Mail, err = c.mail(opener)
	return o, err
}

// store opens the cache. It returns nil for the demonstration and for archives, which need
// no cache.
func (c *gatewayCommand) store(r *scheme.Registry) (*cache.Store, error) {
	if c.config.NoCache || c.museum != nil || c.stored != nil {
		return nil, nil
	}
	dir := c.app.ExpandHome(c.config.Cache)
	if dir == "" {
		own, reason := c.app.CacheFolder()
		if own == "" {
			c.app.Note("responses are not cached: %s (use --cache DIR, or --no-cache to turn the cache off)", reason)
			return nil, nil
		}
		dir = filepath.Join(own, "gateway")
	}
	store, err := cache.Open(dir, r, &cache.Options{
		Size: int64(c.config.CacheSize),
		Note: func(err error) { c.app.Note("%v", err) },
	})
	if err != nil {
		return nil, scheme.Hint(err, "use --cache for another directory, or --no-cache to turn the cache off")
	}
	return store, nil
}

// homeSections returns the tour for the first page.
func (c *gatewayCommand) homeSections() []gateway.Section {
	if c.museum == nil {
		return nil
	}
	var sections []gateway.Section
	for _, room := range c.museum.Servers() {
		section := gateway.Section{Title: room.Name, Text: room.About}
		for _, stop := range room.Stops {
			if !stop.From.IsZero() {
				continue // it has a meaning only in another document
			}
			section.Items = append(section.Items, scheme.Item{URL: stop.URL, Title: stop.Heading(), Kind: stop.Kind, Type: stop.Type, Size: -1})
		}
		sections = append(sections, section)
	}
	return sections
}

func (c *gatewayCommand) logger() *slog.Logger {
	a := c.app
	format := c.config.LogFormat
	if a.Flags.JSON && format == "text" {
		format = "json"
	}
	switch {
	case a.Flags.Quiet || format == "none":
		return nil
	case format == "json":
		return slog.New(slog.NewJSONHandler(a.ErrOut, nil))
	}
	return slog.New(slog.NewTextHandler(a.ErrOut, nil))
}

// ServeDemo serves the tour to a browser until a signal. It ignores configured proxies.
func ServeDemo(a *base.App, listen config.ListenAddress) error {
	c := gatewayCommand{app: a, config: config.Default().Gateway, demo: true}
	c.config.Listen, c.config.LogFormat = listen, "none"
	a.Note("open this in a browser; Ctrl-C ends the tour")
	return c.run()
}
