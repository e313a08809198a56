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

// openMail opens the mailbox and sets the field newRegistry. All registries share this mailbox,
// because a process can open the mail index only once.
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

// rules returns the registered schemes, and the rules from the allow and deny lists.
func (s *settings) rules() (*scheme.Registry, gateway.Rules, error) {
	registry, err := s.newRegistry(s.app)
	if err != nil {
		return nil, gateway.Rules{}, err
	}
	rules, err := gateway.NewRules(registry, s.config.Allow, s.config.Deny)
	return registry, rules, err
}

// client returns the access client of the gateway. The client treats URLs as links, not as typed
// URLs, and never prompts for a password. In the demonstration, the client can connect only to the
// servers of the tour.
func (s *settings) client(registry *scheme.Registry, lists gateway.Rules) (opener *access.Client, closeAll func(), err error) {
	a := s.app
	if s.museum == nil {
		// Ignore the proxy variables of the environment, because they may name this
		// gateway.
		if s.locators, err = client.ProxiesOver(a, config.ProxyTable{}); err != nil {
			return nil, nil, err
		}
	}
	options := s.accessOptions()
	if s.stored != nil {
		options.Archive, options.Live = s.stored, s.archives.Live
	}
	options.Check, options.CheckAddr = lists.Check, lists.CheckAddr
	options.Record = s.archive.Record()
	if s.museum != nil {
		opener, err = s.museum.Client(registry, options)
	} else {
		rules := client.Rules(a)
		rules.TypedPrivate = false
		rules.Files = len(s.config.Files) > 0
		opener, err = newClient(registry, rules, options)
	}
	if err != nil {
		return nil, nil, err
	}
	return opener, func() {
		client.CloseIdle(registry)
		opener.Close()
		if s.relays != nil {
			s.relays.Close()
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

func (s *settings) accessOptions() *access.Options {
	f := &s.app.Flags
	return &access.Options{
		Proxies: s.locators, Limit: f.MaxSize, DialTimeout: f.Timeout, IdleTimeout: f.Timeout, Timeout: f.Timeout, Total: f.MaxTime,
		UserAgent: f.UserAgent, Header: f.Header,
	}
}
