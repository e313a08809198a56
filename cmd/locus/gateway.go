package main

import (
	"context"
	"fmt"
	"log/slog"
	"net"
	"time"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/gateway/page"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/nntp"
	"github.com/locus-url/locus/tour"
)

// gatewayCommand is what "locus gateway" was asked for.
type gatewayCommand struct {
	app    *app
	listen string
	demo   bool
	museum *tour.Museum // of the demonstration; nil: none
}

func newGateway(a *app) *cobra.Command {
	c := gatewayCommand{app: a}
	cmd := &cobra.Command{
		Use:   "gateway",
		Short: "Serve what URLs of every scheme lead to over HTTP: pages, a proxy, an API",
		Long: `Serve what URLs of every scheme lead to over HTTP.

In a browser it has pages for people. As a proxy it takes requests for URLs of
any scheme: http_proxy, gopher_proxy, ftp_proxy, wais_proxy, news_proxy. Programs
have the API under /api/, which /api/openapi.json describes.`,
		Example: `  locus gateway
  http_proxy=http://127.0.0.1:1738 curl http://www.example.com/`,
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !cmd.Flags().Changed("listen") {
				c.listen = a.config.Gateway.Listen
			}
			return c.run()
		},
	}
	f := cmd.Flags()
	f.StringVar(&c.listen, "listen", a.config.Gateway.Listen, "listen on `HOST:PORT`")
	f.BoolVar(&c.demo, "demo", false, "start the servers of the tour, and lead to them alone")
	return cmd
}

// stopTime is how long requests that are under way have when the gateway ends.
const stopTime = 10 * time.Second

func (c *gatewayCommand) run() error {
	a := c.app
	if c.demo {
		museum, err := tour.Open()
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
	g, err := gateway.New(client, &gateway.Options{Log: c.logger(), Lobby: c.lobby()})
	if err != nil {
		return err
	}
	l, err := net.Listen("tcp", c.listen)
	if err != nil {
		a.problem(statusAccess, err)
		return nil
	}
	fmt.Fprintf(a.out, "http://%s/\n", l.Addr())
	a.out.Flush()
	server := gateway.NewServer(g)
	served := make(chan error, 1)
	go func() { served <- server.Serve(l) }()
	select {
	case err = <-served:
	case <-a.ctx.Done():
		ctx, cancel := context.WithTimeout(context.Background(), stopTime)
		defer cancel()
		err = server.Shutdown(ctx)
		<-served
	}
	if err != nil {
		a.problem(statusAccess, err)
	}
	return nil
}

// client is that of a gateway: nobody here types a URL or a password, and what a
// client of the gateway names is followed, not typed.
func (c *gatewayCommand) client() (*access.Client, func(), error) {
	if c.museum != nil {
		return c.museumClient()
	}
	a := c.app
	mail := a.mail(true)
	registry, err := a.accessRegistry(clientOptions{}, mail)
	if err != nil {
		return nil, nil, err
	}
	rules := a.rules()
	rules.TypedPrivate = false
	p, err := policy.New(rules)
	if err != nil {
		return nil, nil, err
	}
	client := access.New(registry, p, c.accessOptions())
	return client, func() {
		closeOpeners(registry)
		client.Close()
		mail.Close()
	}, nil
}

func (c *gatewayCommand) accessOptions() *access.Options {
	f := &c.app.flags
	return &access.Options{Limit: f.maxSize, Connect: f.timeout, Idle: f.timeout, Timeout: f.timeout}
}

// museumClient leads to the servers of the tour and nowhere else, though they are
// on this machine.
func (c *gatewayCommand) museumClient() (*access.Client, func(), error) {
	reader := nntp.New(nil)
	registry, err := c.app.schemes(&all.Options{
		NNTP: reader,
		News: news.New(reader, &news.Options{Server: c.museum.News()}),
		Mid:  mid.New(&mid.Options{Store: c.museum.Mail()}),
	})
	if err != nil {
		return nil, nil, err
	}
	p, err := policy.New(policy.Rules{AllowPrivate: true})
	if err != nil {
		return nil, nil, err
	}
	servers := map[string]bool{hostport(c.museum.News()): true}
	for _, stop := range c.museum.Stops() {
		servers[hostport(stop.URL)] = true
	}
	options := c.accessOptions()
	options.Check = func(u locus.URL) error {
		if !u.Facts().Has(locus.Internet) || servers[hostport(u)] {
			return nil
		}
		return &policy.DeniedError{Rule: "allow", Subject: locus.Quote(u.Redacted()), Reason: "the demonstration leads to its own servers alone"}
	}
	client := access.New(registry, p, options)
	return client, func() {
		closeOpeners(registry)
		client.Close()
	}, nil
}

// lobby is what the first page shows of the tour.
func (c *gatewayCommand) lobby() []page.Section {
	if c.museum == nil {
		return nil
	}
	var sections []page.Section
	for _, stop := range c.museum.Stops() {
		if len(sections) == 0 || sections[len(sections)-1].Title != stop.Scheme {
			sections = append(sections, page.Section{Title: stop.Scheme, Text: stop.Section})
		}
		last := &sections[len(sections)-1]
		last.Items = append(last.Items, scheme.Item{URL: stop.URL, Title: stop.Title, Kind: scheme.KindUnknown, Size: -1})
	}
	return sections
}

// hostport is the host and port that are written in u.
func hostport(u locus.URL) string {
	port, _ := u.Port()
	return fmt.Sprintf("%s:%d", u.Host(), port)
}

// logger writes a line for each request to standard error.
func (c *gatewayCommand) logger() *slog.Logger {
	a := c.app
	if a.flags.quiet {
		return nil
	}
	if a.flags.json {
		return slog.New(slog.NewJSONHandler(a.errOut, nil))
	}
	return slog.New(slog.NewTextHandler(a.errOut, nil))
}
