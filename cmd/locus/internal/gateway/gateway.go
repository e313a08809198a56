// Package gateway implements the subcommand "locus gateway", which runs the HTTP gateway.
package gateway

import (
	"errors"
	"io"
	"log/slog"
	"path/filepath"
	"runtime/debug"

	"github.com/VictoriaMetrics/metrics"
	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/scheme"
)

// gatewayCommand is one run of "locus gateway". It contains the flags and the values that all
// settings of the run share.
type gatewayCommand struct {
	app      *base.App
	flags    *pflag.FlagSet // nil for the tour
	values   config.Gateway // values of the flags
	demo     bool
	archives client.Archives
	archive  base.Archive

	museum      *tour.Demo                                  // servers of the demonstration; may be nil
	newRegistry func(a *base.App) (*scheme.Registry, error) // makes a registry; all registries share one mailbox
	stored      *archive.Store                              // web archives; may be nil
	cache       *cache.Store                                // may be nil
	log         *slog.Logger                                // may be nil
	memoryLimit int64                                       // memory limit of the Go runtime at the start, for a configuration without a limit
}

// New returns the subcommand.
func New(a *base.App) *cobra.Command {
	c := gatewayCommand{app: a, values: a.Config.Gateway}
	var check bool
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Serve URLs of every scheme over HTTP: pages, a proxy, an API",
		Long: `gateway serves pages for browsers at http://127.0.0.1:1738/, and runs until SIGTERM
(status 0) or Ctrl-C (status 130). Requests in progress then have ten seconds.

Proxy:
As a proxy, gateway accepts URLs of every scheme. Clients select it with http_proxy,
https_proxy, gopher_proxy, ftp_proxy, wais_proxy or news_proxy.

API:
Programs use /api/, which /api/openapi.json describes. /metrics is for Prometheus.
/healthz reports problems, with status 200 or 503. /readyz reports only why gateway
rejects new requests, and /livez always has status 200.

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
After SIGHUP, gateway checks the configuration and uses it for new requests. If there
is a mistake, the former configuration stays in use.

Sockets:
If systemd passes sockets, gateway listens on them instead of --listen. With
--listen unix:PATH,mode=660, gateway listens on a Unix socket with that mode.

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
			c.flags = cmd.Flags()
			if check {
				return c.check()
			}
			if err := a.LoadConfig(c.flags); err != nil {
				return err
			}
			return c.run(c.settings(a))
		},
	}
	base.AddFlags(cmd, "Server", func(f *pflag.FlagSet) {
		f.Var(&c.values.Listen, "listen", "listen on `ADDRESS`: HOST:PORT, or unix:PATH[,mode=660]")
		f.StringSliceVar((*[]string)(&c.values.Names), "name", nil, "also accept requests for the host `NAME` (repeatable)")
		f.Var(&c.values.LogFormat, "log-format", "log requests as `FORMAT`: text, json or none")
		f.BoolVar(&check, "check-config", false, "check the configuration and flags, then exit")
		f.BoolVar(&c.demo, "demo", false, "serve only the demo servers of the tour")
	})
	base.AddFlags(cmd, "Access", func(f *pflag.FlagSet) {
		f.StringSliceVar((*[]string)(&c.values.Allow), "allow", nil, "open only URLs that match `PATTERN` (repeatable)")
		f.StringSliceVar((*[]string)(&c.values.Deny), "deny", nil, "do not open URLs that match `PATTERN` (repeatable)")
		f.StringSliceVar((*[]string)(&c.values.Files), "files", nil, "let file URLs open files in `DIR` (repeatable)")
		f.Var(&c.values.ConnectPorts, "connect-port", "allow CONNECT to port `N` besides 443 (repeatable)")
	})
	base.AddFlags(cmd, "Archives", c.archives.AddFlags)
	base.AddFlags(cmd, "Cache", func(f *pflag.FlagSet) {
		f.StringVar(&c.values.Cache, "cache", "", "cache responses in `DIR`")
		f.Var(&c.values.CacheSize, "cache-size", "use at most `N` bytes for the cache")
		f.BoolVar(&c.values.NoCache, "no-cache", false, "disable the cache")
	})
	c.archive.AddFlags(cmd)
	base.UseNetworkFlags(cmd)
	base.LoadsConfig(cmd)
	base.CompleteFlag(cmd, "log-format", func() []string { return []string{"text", "json", "none"} })
	return cmd
}

var errNotBoth = errors.New("--demo and --from can't be used together")

// run serves a gateway with the settings s until a signal arrives.
func (c *gatewayCommand) run(s *settings) error {
	a := c.app
	c.memoryLimit = debug.SetMemoryLimit(-1)
	s.limitMemory()
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
	c.log = s.app.Logger(s.config.LogFormat)
	closeMail := c.openMail()
	defer closeMail()
	registry, rules, err := s.rules()
	if err != nil {
		return err
	}
	c.stored, err = c.archives.Open(a, registry)
	if failed := (*client.ArchiveError)(nil); errors.As(err, &failed) {
		a.Fail(base.StatusAccess, err)
		return nil
	}
	if err != nil {
		return err
	}
	if c.stored != nil {
		defer c.stored.Close()
	}
	opener, closeAll, err := s.client(registry, rules)
	if err != nil {
		return err
	}
	r := &running{settings: s, close: closeAll, ended: make(chan struct{})}
	defer r.end()
	options, err := s.options(opener)
	if err != nil {
		return err
	}
	if c.cache, err = s.openCache(registry); err != nil {
		a.Fail(base.StatusAccess, err)
		return nil
	}
	if c.cache != nil {
		defer c.cache.Close()
	}
	s.share(options, opener)
	g, err := gateway.New(opener, options)
	if err != nil {
		return err
	}
	return r.serve(g)
}

func (s *settings) options(opener *access.Client) (*gateway.Options, error) {
	o := &gateway.Options{
		Names:        s.config.Names,
		ConnectPorts: s.config.ConnectPorts,
		HomeSections: s.homeSections(),
		Metrics:      writeProcessMetrics,
		Limits: gateway.Limits{
			Requests: s.config.Requests, PerClient: s.config.PerClient, PerHost: s.config.PerHost,
			Connections: s.config.Connections, Sessions: s.config.Terminals, Memory: int64(s.config.Memory),
		},
	}
	var err error
	if len(s.config.Files) > 0 {
		folders := make([]string, len(s.config.Files))
		for i, folder := range s.config.Files {
			folders[i] = s.app.ExpandHome(folder)
		}
		if o.Files, err = gateway.FilesBelow(folders); err != nil {
			return nil, err
		}
	}
	if s.museum != nil {
		o.Files, o.TLS = s.museum.Holds, s.museum.TLS()
	}
	o.Mail, err = s.mail(opener)
	return o, err
}

// share adds the health checks to the options o, and also the values that all settings
// share.
func (s *settings) share(o *gateway.Options, opener *access.Client) {
	o.Log, o.Archive, o.Live, o.Cache, o.Recorder = s.log, s.stored, s.archives.Live, s.cache, s.archive.Recorder()
	o.Health = s.health(opener)
}

func writeProcessMetrics(w io.Writer) {
	metrics.WriteProcessMetrics(w)
	metrics.WriteFDMetrics(w)
}

// openCache opens the cache. For the demonstration and for archives, which need no cache, it
// returns nil.
func (s *settings) openCache(r *scheme.Registry) (*cache.Store, error) {
	if s.config.NoCache || s.museum != nil || s.stored != nil {
		return nil, nil
	}
	dir := s.app.ExpandHome(s.config.Cache)
	if dir == "" {
		own, reason := s.app.CacheFolder()
		if own == "" {
			s.app.Note("responses are not cached: %s (use --cache DIR, or --no-cache to turn the cache off)", reason)
			return nil, nil
		}
		dir = filepath.Join(own, "gateway")
	}
	store, err := cache.Open(dir, r, &cache.Options{
		Size: int64(s.config.CacheSize),
		Note: func(err error) { s.app.Note("%v", err) },
	})
	if err != nil {
		return nil, scheme.Hint(err, "use --cache for another directory, or --no-cache to turn the cache off")
	}
	return store, nil
}

// homeSections returns the sections about the tour for the home page.
func (s *settings) homeSections() []gateway.Section {
	if s.museum == nil {
		return nil
	}
	var sections []gateway.Section
	for _, room := range s.museum.Servers() {
		section := gateway.Section{Title: room.Name, Text: room.About}
		for _, stop := range room.Stops {
			if !stop.From.IsZero() {
				continue // the URL has a meaning only in another document
			}
			section.Items = append(section.Items, scheme.Item{URL: stop.URL, Title: stop.Heading(), Kind: stop.Kind, Type: stop.Type, Size: -1})
		}
		sections = append(sections, section)
	}
	return sections
}

// ServeDemo serves the tour to a browser until a signal arrives. It ignores configured
// proxies.
func ServeDemo(a *base.App, listen config.ListenAddress) error {
	c := &gatewayCommand{app: a, values: config.Default().Gateway, demo: true}
	c.values.Listen, c.values.LogFormat = config.GatewayAddress(listen), "none"
	a.Note("open this in a browser; Ctrl-C ends the tour")
	return c.run(c.settings(a))
}
