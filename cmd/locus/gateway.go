package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"path/filepath"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/gateway/page"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/submit"
	"github.com/locus-url/locus/tour"
)

// gatewayCommand is what "locus gateway" was asked for.
type gatewayCommand struct {
	app    *app
	config gatewayConfig
	demo   bool
	museum *tour.Museum   // of the demonstration; nil: none
	relays *access.Client // leads to what sends letters; nil: nothing does

	locators *access.Gateways // of others, that URLs go by way of
}

func newGateway(a *app) *cobra.Command {
	c := gatewayCommand{app: a, config: a.config.Gateway}
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Serve what URLs of every scheme lead to over HTTP: pages, a proxy, an API",
		Long: `Serve what URLs of every scheme lead to over HTTP, until SIGTERM (the status is 0
then) or Ctrl-C (130).

In a browser it has pages for people: http://127.0.0.1:1738/. As a proxy it takes
requests for URLs of any scheme, by http_proxy, https_proxy, gopher_proxy,
ftp_proxy, wais_proxy and news_proxy. Programs have /api/, which
/api/openapi.json describes; /metrics is for Prometheus, /healthz for whoever
watches it.

Who asks a gateway is nobody that it knows: a URL counts as found on the public
Internet, and leads to public addresses, at ports that are meant for it, and to
no file. --allow-private, --allow-port and --files change that; --allow and
--deny take a scheme ("telnet:"), a host ("example.net", ".example.net" for a
domain, "example.net:70"), addresses ("192.0.2.0/24", which --deny means under
any name) or a prefix ("gopher://example.net/1/pub/").

Requests are logged to standard error, passwords never are.`,
		Example: `  locus gateway --demo --listen 127.0.0.1:0
  locus gateway --deny telnet: --deny .example.com --log-format json`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c.configure(cmd)
			return c.run()
		},
	}
	f := cmd.Flags()
	f.Var(&c.config.Listen, "listen", "listen on `HOST:PORT`; the port 0 is any that is free")
	f.BoolVar(&c.demo, "demo", false, "start the servers of the tour, and lead to them alone")
	f.StringSliceVar((*[]string)(&c.config.Names), "name", nil, "answer to this `NAME` too (repeatable)")
	f.StringSliceVar((*[]string)(&c.config.Allow), "allow", nil, "open what the `RULE` names, and nothing else (repeatable)")
	f.StringSliceVar((*[]string)(&c.config.Deny), "deny", nil, "don't open what the `RULE` names (repeatable)")
	f.StringSliceVar((*[]string)(&c.config.Files), "files", nil, "let file URLs open the files in `FOLDER` (repeatable)")
	f.Var(&c.config.ConnectPorts, "connect-port", "let CONNECT lead to port `N` besides 443 (repeatable)")
	f.StringVar(&c.config.Cache, "cache", "", "keep answers in `FOLDER`")
	f.Var(&c.config.CacheSize, "cache-size", "keep `N` octets of answers (\"1G\")")
	f.BoolVar(&c.config.NoCache, "no-cache", false, "keep no answers")
	f.Var(&c.config.LogFormat, "log-format", "log requests as `FORMAT`: text, json or none")
	return cmd
}

// configure gives what no flag said the value of the configuration.
func (c *gatewayCommand) configure(cmd *cobra.Command) {
	said := c.config
	c.config = c.app.config.Gateway
	for name, set := range map[string]func(){
		"listen":       func() { c.config.Listen = said.Listen },
		"name":         func() { c.config.Names = said.Names },
		"allow":        func() { c.config.Allow = said.Allow },
		"deny":         func() { c.config.Deny = said.Deny },
		"files":        func() { c.config.Files = said.Files },
		"connect-port": func() { c.config.ConnectPorts = said.ConnectPorts },
		"cache":        func() { c.config.Cache = said.Cache },
		"cache-size":   func() { c.config.CacheSize = said.CacheSize },
		"no-cache":     func() { c.config.NoCache = said.NoCache },
		"log-format":   func() { c.config.LogFormat = said.LogFormat },
	} {
		if cmd.Flags().Changed(name) {
			set()
		}
	}
}

func (c *gatewayCommand) run() error {
	a := c.app
	if most := int64(c.config.Memory); most > 0 {
		// Garbage is collected well before requests are refused.
		debug.SetMemoryLimit(most - most/8)
	}
	if c.demo {
		museum, err := tour.Open(a.registry.All()...)
		if err != nil {
			a.problem(statusAccess, err)
			return nil
		}
		defer museum.Close()
		c.museum = museum
	}
	client, closeAll, err := c.client()
	if err != nil {
		return err
	}
	defer closeAll()
	options, err := c.options(client)
	if c.relays != nil {
		defer c.relays.Close()
	}
	if err != nil {
		return err
	}
	store, err := c.store(client.Registry())
	if err != nil {
		a.problem(statusAccess, err)
		return nil
	}
	if store != nil {
		defer store.Close()
		options.Around = func(next http.RoundTripper) http.RoundTripper { return store.Transport(next) }
	}
	g, err := gateway.New(client, options)
	if err != nil {
		return err
	}
	return c.serve(g)
}

// stopTime is how long requests that are under way have when the gateway ends.
const stopTime = 10 * time.Second

// serve serves until a signal.
func (c *gatewayCommand) serve(g *gateway.Gateway) error {
	a := c.app
	l, err := net.Listen("tcp", string(c.config.Listen))
	if err != nil {
		a.problem(statusAccess, err)
		return nil
	}
	where := "http://" + l.Addr().String() + "/"
	if a.flags.json {
		a.writeJSON(struct {
			URL text `json:"url"`
		}{text(where)})
	} else {
		fmt.Fprintln(a.out, where)
	}
	a.out.Flush()
	server := gateway.NewServer(g)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err = <-served:
	case <-a.ctx.Done():
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		server.Shutdown(ctx) // what it broke off was told that long
		err = <-served
		var s signalError
		a.stopped = errors.As(context.Cause(a.ctx), &s) && s.Signal == syscall.SIGTERM
	}
	if err != nil {
		a.problem(statusAccess, err)
	}
	return nil
}

// options are those of the gateway.
func (c *gatewayCommand) options(client *access.Client) (*gateway.Options, error) {
	o := &gateway.Options{
		Names:        c.config.Names,
		ConnectPorts: c.config.ConnectPorts,
		Lobby:        c.lobby(),
		Log:          c.logger(),
		Limits: gateway.Limits{
			Requests: c.config.Requests, PerClient: c.config.PerClient, PerHost: c.config.PerHost,
			Connections: c.config.Connections, Sessions: c.config.Terminals, Memory: int64(c.config.Memory),
		},
	}
	var err error
	if len(c.config.Files) > 0 {
		folders := make([]string, len(c.config.Files))
		for i, folder := range c.config.Files {
			folders[i] = c.app.inHome(folder)
		}
		if o.Files, err = gateway.Within(folders); err != nil {
			return nil, err
		}
	}
	if c.museum != nil {
		o.Files, o.TLS = c.museum.Holds, c.museum.TLS()
	}
	o.Mail, err = c.mail(client)
	return o, err
}

// mail is how letters go out, if the configuration wants that.
func (c *gatewayCommand) mail(client *access.Client) (*gateway.Mail, error) {
	a := c.app
	if !c.config.Mail || c.museum != nil {
		return nil, nil
	}
	m := &gateway.Mail{From: a.config.Mail.From.Mailbox, PerHour: c.config.Letters}
	switch {
	case m.From.Address == "":
		return nil, usageError("gateway.mail: mail.from in the configuration says who writes")
	case a.config.Mail.Relay.Host != "":
		relay := a.config.Mail.Relay.Relay
		m.Relay = relay.String()
		// Whom letters go by was typed, in the configuration.
		rules := a.rules()
		p, err := policy.New(rules)
		if err != nil {
			return nil, err
		}
		c.relays = access.New(client.Registry(), p, c.accessOptions())
		m.Send = submit.NewSMTP(relay, c.relays.Dialer(), &submit.SMTPOptions{Ask: newLogin(a).askRelay, Clear: a.config.Mail.Clear, Wait: a.flags.timeout}).Submit
	case len(a.config.Mail.Sendmail) > 0:
		program, err := submit.NewSendmail(a.config.Mail.Sendmail)
		if err != nil {
			return nil, err
		}
		m.Relay = strings.Join(a.config.Mail.Sendmail, " ")
		m.Send = func(ctx context.Context, m *submit.Message) (string, error) { return "", program.Submit(ctx, m) }
	default:
		return nil, usageError("gateway.mail: mail.relay or mail.sendmail in the configuration says what sends letters")
	}
	return m, nil
}

// store is where answers are kept; nil: nowhere. Those of the demonstration are
// gone with it.
func (c *gatewayCommand) store(r *scheme.Registry) (*cache.Store, error) {
	if c.config.NoCache || c.museum != nil {
		return nil, nil
	}
	dir := c.app.inHome(c.config.Cache)
	if dir == "" {
		own := c.app.ownFolder("XDG_CACHE_HOME", ".cache")
		if own == "" {
			c.app.note("no answer is kept, because %s (--cache names a folder, --no-cache keeps none)", noOwnFolder)
			return nil, nil
		}
		dir = filepath.Join(own, "gateway")
	}
	store, err := cache.Open(dir, r, &cache.Options{
		Size: int64(c.config.CacheSize),
		Note: func(err error) { c.app.note("%v", err) },
	})
	if err != nil {
		return nil, scheme.Hint(err, "--cache names another folder, --no-cache keeps nothing")
	}
	return store, nil
}

// lobby is what the first page shows of the tour.
func (c *gatewayCommand) lobby() []page.Section {
	if c.museum == nil {
		return nil
	}
	var sections []page.Section
	for _, room := range c.museum.Rooms() {
		section := page.Section{Title: room.Name, Text: room.About}
		for _, stop := range room.Stops {
			if !stop.From.IsZero() {
				continue // it means something in another one alone
			}
			section.Items = append(section.Items, scheme.Item{URL: stop.URL, Title: stop.Heading(), Kind: stop.Kind, Type: stop.Type, Size: -1})
		}
		sections = append(sections, section)
	}
	return sections
}

// logger writes a line for each request to standard error.
func (c *gatewayCommand) logger() *slog.Logger {
	a := c.app
	format := c.config.LogFormat
	if a.flags.json && format == "text" {
		format = "json"
	}
	switch {
	case a.flags.quiet || format == "none":
		return nil
	case format == "json":
		return slog.New(slog.NewJSONHandler(a.errOut, nil))
	}
	return slog.New(slog.NewTextHandler(a.errOut, nil))
}
