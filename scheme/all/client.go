package all

import (
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Options configure [Client]. The zero value and nil select the defaults.
type Options struct {
	// Rules restrict where URLs may lead. The zero Rules allow only public addresses
	// and the ports of each scheme, and no files.
	Rules policy.Rules
	// Schemes replace the schemes with the same names in [Registry], or are added to them.
	Schemes []scheme.Scheme
	// Options configure the client: User-Agent, time limits, proxies and more.
	access.Options
}

// Client returns a client for every scheme. The caller must use Open for URLs that a
// person names, and Follow for URLs in resources. The caller must close the client. Client
// fails if a rule or a scheme is malformed. o may be nil.
func Client(o *Options) (*access.Client, error) {
	if o == nil {
		o = new(Options)
	}
	p, err := policy.New(o.Rules)
	if err != nil {
		return nil, err
	}
	registry, err := Registry(o.Schemes...)
	if err != nil {
		return nil, err
	}
	return access.New(registry, p, &o.Options), nil
}
