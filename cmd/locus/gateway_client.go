package main

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/nntp"
)

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
	rules.Files = len(c.config.Files) > 0
	// The variables of other programs may well name this gateway.
	if c.locators, err = a.gatewaysOver(gatewayTable{}); err != nil {
		return nil, nil, err
	}
	client, err := c.newClient(registry, rules, nil)
	if err != nil {
		return nil, nil, err
	}
	return client, func() {
		closeOpeners(registry)
		client.Close()
		mail.Close()
	}, nil
}

// newClient makes a client that asks the rules, the lists, and check if there is
// one.
func (c *gatewayCommand) newClient(r *scheme.Registry, rules policy.Rules, check func(locus.URL) error) (*access.Client, error) {
	p, err := policy.New(rules)
	if err != nil {
		return nil, err
	}
	lists, err := gateway.NewRules(r, c.config.Allow, c.config.Deny)
	if err != nil {
		return nil, err
	}
	options := c.accessOptions()
	options.Check = func(u locus.URL) error {
		if check != nil {
			if err := check(u); err != nil {
				return err
			}
		}
		return lists.Check(u)
	}
	return access.New(r, p, options), nil
}

func (c *gatewayCommand) accessOptions() *access.Options {
	f := &c.app.flags
	return &access.Options{Gateways: c.locators, Limit: f.maxSize, Connect: f.timeout, Idle: f.timeout, Timeout: f.timeout}
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
	servers := map[string]bool{hostport(c.museum.News()): true}
	var ports []uint16
	for _, stop := range c.museum.Stops() {
		servers[hostport(stop.URL)] = true
		if n, ok := stop.URL.Port(); ok {
			ports = append(ports, n) // to which the answers to a form may go
		}
	}
	client, err := c.newClient(registry, policy.Rules{AllowPrivate: true, Ports: ports}, func(u locus.URL) error {
		if !u.Facts().Has(locus.Internet) || servers[hostport(u)] {
			return nil
		}
		return &policy.DeniedError{Rule: "list", Subject: locus.Quote(u.Redacted()), Reason: "the demonstration leads to its own servers alone"}
	})
	if err != nil {
		return nil, nil, err
	}
	return client, func() {
		closeOpeners(registry)
		client.Close()
	}, nil
}

// hostport is the host and port that are written in u.
func hostport(u locus.URL) string {
	port, _ := u.Port()
	return fmt.Sprintf("%s:%d", u.Host(), port)
}
