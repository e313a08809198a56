package main

import (
	"io"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/http"
)

// clientOptions are what a subcommand wants of a client besides the flags and
// the configuration of all.
type clientOptions struct {
	trace func(locus.URL) scheme.TraceFunc // nil: nobody listens
	tls   ftp.TLSMode                      // for ftp; TLSOff: as the configuration has it
	raw   bool                             // contents as they are stored
}

// client returns what dereferences URLs, by the flags, the configuration and o.
// closeAll ends it, and first takes leave of the servers to which connections are
// kept.
func (a *app) client(o clientOptions) (c *access.Client, closeAll func(), err error) {
	registry, err := a.accessRegistry(o)
	if err != nil {
		return nil, nil, err
	}
	p, err := policy.New(policy.Rules{
		AllowPrivate: a.flags.allowPrivate,
		TypedPrivate: true,
		Ports:        a.flags.allowPort,
		Passwords:    true,
		Files:        true,
	})
	if err != nil {
		return nil, nil, err
	}
	c = access.New(registry, p, &access.Options{
		Ask:     newLogin(a).ask,
		Trace:   o.trace,
		Limit:   a.flags.maxSize,
		Connect: a.flags.timeout,
		Idle:    a.flags.timeout,
		Timeout: a.flags.timeout,
	})
	return c, func() {
		for _, s := range registry.All() {
			if opener, ok := s.Opener.(io.Closer); ok {
				opener.Close()
			}
		}
		c.Close()
	}, nil
}

// accessRegistry returns the schemes of the command with access as the options
// want it.
func (a *app) accessRegistry(o clientOptions) (*scheme.Registry, error) {
	mode, err := ftp.ParseCWDMode(string(a.config.FTP.CWD))
	if err != nil {
		return nil, err
	}
	if o.tls == ftp.TLSOff && a.config.FTP.TLS {
		o.tls = ftp.TLSRequire
	}
	return all.Registry(&all.Options{
		FTP: ftp.New(&ftp.Options{
			CWD:               mode,
			Active:            a.config.FTP.Active,
			TLS:               o.tls,
			AnonymousPassword: a.config.FTP.AnonymousPassword,
		}),
		HTTP: http.New(&http.Options{Raw: o.raw}),
	})
}
