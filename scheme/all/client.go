package all

import (
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Options configure [Client]. The zero value and nil select the defaults.
type Options struct {
	// Rules restrict the addresses, ports and files that URLs may use. The zero Rules allow
	// only public addresses and each scheme's own ports, and no local files.
	Rules policy.Rules
	// Schemes lists schemes that replace the default schemes with the same names, or are
	// additional schemes.
	Schemes []scheme.Scheme
	// Options contains the general client options, such as User-Agent, time limits and
	// proxies.
	access.Options
}

// Client returns a client for all schemes. The caller must use Open for URLs that a person enters,
// and Follow for URLs that resources contain. The caller must close the client. Client returns an
// error if a rule or scheme is malformed. The options o may be nil.
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
