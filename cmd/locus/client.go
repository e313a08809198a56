package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os/user"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/nntp"
	"github.com/locus-url/locus/scheme/telnet"
)

// clientOptions are what a subcommand wants of a client besides the flags and
// the configuration of all.
type clientOptions struct {
	trace func(locus.URL) scheme.TraceFunc // nil: nobody listens
	via   func(locus.URL, access.Gateway)  // nil: nobody listens
	tls   ftp.TLSMode                      // for ftp; TLSOff: as the configuration has it
	raw   bool                             // contents as they are stored
	fill  scheme.FillFunc                  // nil: nobody fills in forms
	quiet bool                             // nothing shows how far something is
	alone bool                             // nobody is there to be asked for a login
	page  bool                             // sessions are for others, in the pages of a gateway

	// patient is that fill waits for a person, whose time has no limit.
	patient bool
}

// client returns what dereferences URLs, by the flags, the configuration and o.
// closeAll ends it, and first takes leave of the servers to which connections are
// kept.
func newClient(a *app, o clientOptions) (c *access.Client, closeAll func(), err error) {
	mail := newMailbox(a, o.quiet)
	registry, err := accessRegistry(a, o, mail)
	if err != nil {
		return nil, nil, err
	}
	p, err := policy.New(policyRules(a))
	if err != nil {
		return nil, nil, err
	}
	gateways, err := gatewaysOf(a)
	if err != nil {
		return nil, nil, err
	}
	login := newLogin(a)
	login.silent = o.alone
	options := &access.Options{
		Gateways: gateways,
		Via:      o.via,
		Ask:      login.ask,
		Fill:     o.fill,
		Trace:    o.trace,
		Limit:    a.flags.maxSize,
		Connect:  a.flags.timeout,
		Idle:     a.flags.timeout,
		Timeout:  a.flags.timeout,
	}
	if o.patient {
		options.Timeout = 0
	}
	c = access.New(registry, p, options)
	return c, func() {
		closeOpeners(registry)
		c.Close()
		mail.Close()
	}, nil
}

// closeOpeners takes leave of the servers to which connections are kept.
func closeOpeners(r *scheme.Registry) {
	for _, s := range r.All() {
		if opener, ok := s.Opener.(io.Closer); ok {
			opener.Close()
		}
	}
}

// rules are those that the flags and the configuration make.
func policyRules(a *app) policy.Rules {
	return policy.Rules{
		AllowPrivate: a.flags.allowPrivate,
		TypedPrivate: true,
		Ports:        a.flags.allowPort,
		Passwords:    true,
		Files:        true,
	}
}

// accessRegistry returns the schemes of the command with access as the options
// want it. mail may be nil.
func accessRegistry(a *app, o clientOptions, mail *mailbox) (*scheme.Registry, error) {
	mode, err := ftp.ParseCWDMode(string(a.config.FTP.CWD))
	if err != nil {
		return nil, err
	}
	if o.tls == ftp.TLSOff && a.config.FTP.TLS {
		o.tls = ftp.TLSRequire
	}
	server, _ := newsServerURL(a)
	stored := mid.New(&mid.Options{Store: mail.asStore()})
	reader := nntp.New(&nntp.Options{Server: server, ClearLogin: a.config.News.ClearLogin})
	return a.schemes(&all.Options{
		FTP: ftp.New(&ftp.Options{
			CWD:               mode,
			Active:            a.config.FTP.Active,
			TLS:               o.tls,
			AnonymousPassword: a.config.FTP.AnonymousPassword,
		}),
		HTTP:   http.New(&http.Options{Raw: o.raw}),
		Gopher: gopher.New(&gopher.Options{Raw: o.raw, LiteralTabs: a.config.Gopher.LiteralTabs}),
		NNTP:   reader,
		News:   news.New(reader, &news.Options{Server: server, Received: receivedArticles(a, o, stored)}),
		Mid:    stored,
		Telnet: telnet.New(telnetOptions(a, o.page)),
	})
}

// received returns what opens articles among the messages that were received, if the
// configuration says so; nil: nothing does. The clients of a gateway get none: the mail
// is not theirs.
func receivedArticles(a *app, o clientOptions, stored *mid.Client) func(context.Context, *scheme.Request, string) (*scheme.Object, error) {
	if !a.config.News.Received || o.page || len(a.config.Mail.Stores) == 0 {
		return nil
	}
	return func(ctx context.Context, req *scheme.Request, messageID string) (*scheme.Object, error) {
		m, err := mid.Parts{MessageID: messageID}.URL()
		if err != nil {
			return nil, err
		}
		inMail := *req
		inMail.URL = m.URL()
		r, err := stored.Open(ctx, &inMail)
		if err != nil {
			return nil, err
		}
		object, ok := r.(*scheme.Object)
		if !ok {
			r.Close()
			return nil, fmt.Errorf("%w: not a message", scheme.ErrUnsupported)
		}
		note := "it is among mail.stores, and no news server was asked"
		object.URL, object.Note = req.URL, strings.Join(slices.DeleteFunc([]string{note, object.Note}, func(s string) bool { return s == "" }), "; ")
		return object, nil
	}
}

// gatewayUser is who rlogin says that those are who come by a gateway. Hosts that let
// in somebody by name alone mean who runs it, and not them.
const gatewayUser = "locus-gateway"

// telnetOptions are those of sessions: the terminal is the one that locus runs in, or
// that of a gateway's pages.
func telnetOptions(a *app, page bool) *telnet.Options {
	o := &telnet.Options{
		LocalUser: a.config.Rlogin.LocalUser,
		TN3270: telnet.TN3270Options{
			Model:      int(a.config.TN3270.Model),
			CodePage:   string(a.config.TN3270.CodePage),
			DeviceName: a.config.TN3270.Device,
			Basic:      a.config.TN3270.Basic,
		},
	}
	if page {
		o.LocalUser = cmp.Or(o.LocalUser, gatewayUser)
		o.TerminalTypes = []string{"XTERM", "VT100", "UNKNOWN"}
		return o
	}
	o.TN3270.Monochrome = a.outTTY && a.env("NO_COLOR") != ""
	if o.LocalUser == "" {
		if self, err := user.Current(); err == nil {
			o.LocalUser = self.Username
		}
	}
	if name := a.env("TERM"); name != "" && a.outTTY && len(name) <= maxTerminalType && term.Safe(name) == name {
		o.TerminalTypes = []string{strings.ToUpper(name), "VT100", "UNKNOWN"}
	}
	return o
}

// maxTerminalType is the longest name of a terminal that hosts need take (RFC 1091).
const maxTerminalType = 40

// newsServer returns the server for URLs that name none: that of the configuration,
// or else that of NNTPSERVER, which is an error if it is none. The zero URL: nothing
// names one.
func newsServerURL(a *app) (locus.URL, error) {
	server := a.config.News.Server
	if server.IsZero() {
		if err := server.UnmarshalText([]byte(a.env("NNTPSERVER"))); err != nil {
			return locus.URL{}, fmt.Errorf("the environment variable NNTPSERVER: %w", err)
		}
	}
	return server.URL, nil
}
