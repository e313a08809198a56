package all

import (
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Options configure [Client]. The zero value, and nil, select the defaults.
type Options struct {
	// Rules say where URLs may lead. The zero Rules allow only public addresses and the
	// ports of each scheme, and no files.
	Rules policy.Rules
	// Schemes replace rows of [Registry], or are added to them.
	Schemes []scheme.Scheme
	// Options are the options of the client: User-Agent, time limits, proxies and more.
	access.Options
}

// Client returns a client for every scheme. Open is for URLs that a person names, and
// Follow for those that a resource links to. The caller closes it. It fails if a rule or a
// row is malformed. o may be nil.
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
