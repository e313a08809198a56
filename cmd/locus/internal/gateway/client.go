package gateway

import (
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// client returns the client of the gateway. It treats URLs as followed, not typed, and
// never prompts for a password. The client of the demonstration reaches only the servers of
// the tour.
func (c *gatewayCommand) client() (opener *access.Client, closeAll func(), err error) {
	a := c.app
	mail := client.NewMailbox(a, true)
	var registry *scheme.Registry
	if c.museum != nil {
		registry, err = a.NewRegistry(c.museum.Schemes()...)
	} else if registry, err = client.NewRegistry(a, client.Options{ForProxy: true, Archives: c.archives}, mail); err == nil {
		// The proxy variables of other programs may name this gateway.
		c.locators, err = client.ProxiesOver(a, config.ProxyTable{})
	}
	if err != nil {
		return nil, nil, err
	}
	lists, err := gateway.NewRules(registry, c.config.Allow, c.config.Deny)
	if err != nil {
		return nil, nil, err
	}
	if c.stored, err = c.archives.Open(a, registry); err != nil {
		return nil, nil, err
	}
	options := c.accessOptions()
	if c.stored != nil {
		options.Archive, options.Live = c.stored, c.archives.Live
	}
	options.Check, options.CheckAddr = lists.Check, lists.CheckAddr
	options.Record = c.archive.Record()
	if c.museum != nil {
		opener, err = c.museum.Client(registry, options)
	} else {
		rules := client.Rules(a)
		rules.TypedPrivate = false
		rules.Files = len(c.config.Files) > 0
		opener, err = newClient(registry, rules, options)
	}
	if err != nil {
		if c.stored != nil {
			c.stored.Close()
		}
		return nil, nil, err
	}
	return opener, func() {
		client.CloseIdle(registry)
		opener.Close()
		mail.Close()
		if c.stored != nil {
			c.stored.Close()
		}
	}, nil
}

func newClient(r *scheme.Registry, rules policy.Rules, o *access.Options) (*access.Client, error) {
	p, err := policy.New(rules)
	if err != nil {
		return nil, err
	}
	return access.New(r, p, o), nil
}

func (c *gatewayCommand) accessOptions() *access.Options {
	f := &c.app.Flags
	return &access.Options{
		Proxies: c.locators, Limit: f.MaxSize, DialTimeout: f.Timeout, IdleTimeout: f.Timeout, Timeout: f.Timeout, Total: f.MaxTime,
		UserAgent: f.UserAgent, Header: f.Header,
	}
}
