package gateway

import (
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
	"github.com/locus-url/locus/internal/cli/client"
	"github.com/locus-url/locus/internal/cli/config"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// client returns the client of the gateway. URLs of the gateway's clients count as
// followed, not typed, and there is no prompt for a password.
func (c *gatewayCommand) client() (*access.Client, func(), error) {
	if c.museum != nil {
		return c.museumClient()
	}
	a := c.app
	mail := client.NewMailbox(a, true)
	registry, err := client.NewRegistry(a, client.Options{ForGateway: true}, mail)
	if err != nil {
		return nil, nil, err
	}
	rules := client.Rules(a)
	rules.TypedPrivate = false
	rules.Files = len(c.config.Files) > 0
	// The proxy variables of other programs may name this gateway.
	if c.locators, err = client.GatewaysOver(a, config.GatewayTable{}); err != nil {
		return nil, nil, err
	}
	opener, err := c.newClient(registry, rules)
	if err != nil {
		return nil, nil, err
	}
	return opener, func() {
		client.CloseIdle(registry)
		opener.Close()
		mail.Close()
	}, nil
}

// newClient returns a client with the policy of rules and the lists of the
// configuration.
func (c *gatewayCommand) newClient(r *scheme.Registry, rules policy.Rules) (*access.Client, error) {
	p, err := policy.New(rules)
	if err != nil {
		return nil, err
	}
	options, err := c.listed(r)
	if err != nil {
		return nil, err
	}
	return access.New(r, p, options), nil
}

// listed returns options with the lists of the configuration.
func (c *gatewayCommand) listed(r *scheme.Registry) (*access.Options, error) {
	lists, err := gateway.NewRules(r, c.config.Allow, c.config.Deny)
	if err != nil {
		return nil, err
	}
	options := c.accessOptions()
	options.Check, options.CheckAddr = lists.Check, lists.CheckAddr
	return options, nil
}

func (c *gatewayCommand) accessOptions() *access.Options {
	f := &c.app.Flags
	return &access.Options{Gateways: c.locators, Limit: f.MaxSize, Connect: f.Timeout, Idle: f.Timeout, Timeout: f.Timeout, Total: f.MaxTime}
}

// museumClient returns a client that leads only to the servers of the tour, which are
// on this machine.
func (c *gatewayCommand) museumClient() (*access.Client, func(), error) {
	registry, err := client.DemoRegistry(c.app, c.museum)
	if err != nil {
		return nil, nil, err
	}
	options, err := c.listed(registry)
	if err != nil {
		return nil, nil, err
	}
	opener, err := c.museum.Client(registry, options)
	if err != nil {
		return nil, nil, err
	}
	return opener, func() {
		client.CloseIdle(registry)
		opener.Close()
	}, nil
}
