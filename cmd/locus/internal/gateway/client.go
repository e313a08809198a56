package gateway

import (
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// openMail sets newRegistry. All settings share the mail of the first ones, because a process
// opens the index of the mail once.
func (c *gatewayCommand) openMail() (closeMail func()) {
	mail := client.NewMailbox(c.app, true)
	c.newRegistry = func(a *base.App) (*scheme.Registry, error) {
		if c.museum != nil {
			return a.NewRegistry(c.museum.Schemes()...)
		}
		return client.NewRegistry(a, client.Options{ForProxy: true, Archives: c.archives}, mail)
	}
	return func() { mail.Close() }
}

// rules returns the schemes and the rules of the allow and deny lists.
func (c *settings) rules() (*scheme.Registry, gateway.Rules, error) {
	registry, err := c.newRegistry(c.app)
	if err != nil {
		return nil, gateway.Rules{}, err
	}
	rules, err := gateway.NewRules(registry, c.config.Allow, c.config.Deny)
	return registry, rules, err
}

// client returns the client of the gateway. It treats URLs as followed, not typed, and
// never prompts for a password. The client of the demonstration reaches only the servers of
// the tour.
func (c *settings) client(registry *scheme.Registry, lists gateway.Rules) (opener *access.Client, closeAll func(), err error) {
	a := c.app
	if c.museum == nil {
		// The proxy variables of other programs may name this gateway.
		if c.locators, err = client.ProxiesOver(a, config.ProxyTable{}); err != nil {
			return nil, nil, err
		}
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
		return nil, nil, err
	}
	return opener, func() {
		client.CloseIdle(registry)
		opener.Close()
		if c.relays != nil {
			c.relays.Close()
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

func (c *settings) accessOptions() *access.Options {
	f := &c.app.Flags
	return &access.Options{
		Proxies: c.locators, Limit: f.MaxSize, DialTimeout: f.Timeout, IdleTimeout: f.Timeout, Timeout: f.Timeout, Total: f.MaxTime,
		UserAgent: f.UserAgent, Header: f.Header,
	}
}
