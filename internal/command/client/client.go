// Package client creates the client of a subcommand from the flags and the configuration. It
// configures the schemes, the policy, proxies, logins and the local mail.
package client

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net"
	nethttp "net/http"
	"net/netip"
	"os/user"
	"slices"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/term"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
	"github.com/locus-url/locus/scheme/telnet"
)

// Options holds the parameters of [New]. The global flags and the configuration also apply.
type Options struct {
	Trace      func(locus.URL) scheme.TraceFunc // may be nil
	Observe    access.ObserveFunc               // may be nil
	FTPTLS     ftp.TLSMode                      // TLS mode for ftp; TLSOff selects the configured mode
	Raw        bool                             // do not decode content codings
	Fill       scheme.FillFunc                  // fills in forms; may be nil
	NoProgress bool                             // show no progress
	NoPrompt   bool                             // do not prompt for logins
	Suspend    SuspendFunc                      // called around a prompt at the terminal; may be nil
	ForProxy   bool                             // the sessions run in the pages of a gateway

	// Archives selects web archives that the client reads instead of using the network.
	Archives Archives
	// Opened is called with the store of archives, if flags select archives. It may be nil.
	Opened func(*archive.Store)

	// Web holds HTTP options. Raw takes precedence over these options.
	Web http.Options
	// Fields holds header fields that are sent in addition to the fields from the flags.
	Fields []base.HostField
	// Lookup is like [access.Options].Lookup. Nil selects the default.
	Lookup func(ctx context.Context, host string) ([]netip.Addr, error)
	// Dial and Check are like the fields of the same names in [access.Options]. Nil selects
	// the default.
	Dial  func(ctx context.Context, network, address string) (net.Conn, error)
	Check func(locus.URL) error
	// FromOthers reports that a user of another machine typed the URLs. The client does not
	// open private addresses for such URLs.
	FromOthers bool

	// Wait is the maximum time that Dial waits before it connects. New extends each time
	// limit that includes this wait.
	Wait time.Duration

	// Record is like [access.Options].Record. If Record is nil, the client records no
	// requests.
	Record func(*scheme.Request) access.Recording

	// NoTimeLimit removes the time limit, because Fill waits for a user.
	NoTimeLimit bool
}

// SuspendFunc reserves the terminal for a prompt until the caller calls the returned function
// resume. The prompt must end when the returned context is cancelled. Cancelling ctx also cancels
// this context.
type SuspendFunc func(ctx context.Context) (question context.Context, resume func())

// New returns a client. The caller must call the returned function closeAll, which closes
// the client and its idle connections.
func New(a *base.App, o Options) (c *access.Client, closeAll func(), err error) {
	mail := NewMailbox(a, o.NoProgress)
	registry, err := NewRegistry(a, o, mail)
	if err != nil {
		return nil, nil, err
	}
	kept, err := o.Archives.Open(a, registry)
	if err != nil {
		return nil, nil, err
	}
	rules := Rules(a)
	if o.FromOthers {
		rules.TypedPrivate, rules.Files = a.Flags.AllowPrivate, false
	}
	p, err := policy.New(rules)
	if err != nil {
		return nil, nil, err
	}
	gateways, err := Proxies(a)
	if err != nil {
		return nil, nil, err
	}
	login := NewLogin(a)
	login.silent, login.suspend = o.NoPrompt, o.Suspend
	options := &access.Options{
		Proxies:     gateways,
		Observe:     o.Observe,
		Ask:         login.Ask,
		Fill:        o.Fill,
		Trace:       o.Trace,
		Limit:       a.Flags.MaxSize,
		DialTimeout: longer(a.Flags.Timeout, o.Wait),
		IdleTimeout: a.Flags.Timeout,
		Timeout:     longer(a.Flags.Timeout, o.Wait),
		Total:       longer(a.Flags.MaxTime, o.Wait),

		UserAgent: a.Flags.UserAgent,
		Header:    a.Flags.Header,
		Lookup:    o.Lookup,
		Dial:      o.Dial,
		Check:     o.Check,
		Record:    o.Record,
	}
	if fields := slices.Concat(o.Fields, a.Flags.HostFields); len(fields) > 0 {
		options.HeaderFor = func(u locus.URL) nethttp.Header { return base.FieldsFor(fields, u, registry) }
	}
	if o.NoTimeLimit {
		options.Timeout = 0
	}
	if kept != nil {
		options.Archive, options.Live = kept, o.Archives.Live
		if o.Opened != nil {
			o.Opened(kept)
		}
	}
	c = access.New(registry, p, options)
	return c, func() {
		CloseIdle(registry)
		c.Close()
		mail.Close()
		if kept != nil {
			kept.Close()
		}
	}, nil
}

// longer returns the sum of a time limit and d. It returns a zero limit unchanged, because zero
// means no limit or the default.
func longer(limit, d time.Duration) time.Duration {
	if limit <= 0 {
		return limit
	}
	return limit + d
}

// CloseIdle closes the idle connections of every scheme in the registry r.
func CloseIdle(r *scheme.Registry) {
	for _, s := range r.All() {
		if opener, ok := s.Access.Opener.(io.Closer); ok {
			opener.Close()
		}
	}
}

// Rules returns the policy rules that the flags and the configuration select.
func Rules(a *base.App) policy.Rules {
	return policy.Rules{
		AllowPrivate: a.Flags.AllowPrivate,
		TypedPrivate: true,
		LinkLocal:    a.Flags.AllowLinkLocal,
		Ports:        a.Flags.AllowPorts,
		Passwords:    true,
		Files:        true,
	}
}

// NewRegistry returns a registry with the schemes that the command supports. The parameter mail
// may be nil.
func NewRegistry(a *base.App, o Options, mail *mailbox) (*scheme.Registry, error) {
	mode, err := ftp.ParseCWDMode(string(a.Config.FTP.CWD))
	if err != nil {
		return nil, err
	}
	if o.FTPTLS == ftp.TLSOff && a.Config.FTP.TLS {
		o.FTPTLS = ftp.TLSRequire
	}
	server, _ := NewsServer(a)
	stored := mid.New(&mid.Options{Store: mail.asStore()})
	reader := news.New(&news.Options{Server: server, Received: receivedArticles(a, o, stored), ClearLogin: a.Config.News.ClearLogin})
	files := ftp.New(&ftp.Options{
		CWD:               mode,
		Active:            a.Config.FTP.Active,
		TLS:               o.FTPTLS,
		AnonymousPassword: a.Config.FTP.AnonymousPassword,
	})
	o.Web.Raw = o.Raw
	web := http.New(&o.Web)
	plain, secure := http.Scheme(web), http.SecureScheme(web)
	menus := gopher.New(&gopher.Options{Raw: o.Raw, LiteralTabs: a.Config.Gopher.LiteralTabs})
	sessions := telnet.New(telnetOptions(a, o.ForProxy))
	return a.NewRegistry(slices.Concat(news.Schemes(reader), mid.Schemes(stored), telnet.Schemes(sessions), []scheme.Scheme{
		ftp.Scheme(files), ftp.SecureScheme(files),
		plain, secure,
		gopher.Scheme(menus), gopher.SecureScheme(menus),
	})...)
}

// receivedArticles returns a function that finds news articles in the received mail, or nil if the
// configuration does not enable this search. It also returns nil if the client reads archives or
// belongs to a gateway. Clients of a gateway must not read the mail of the gateway's user.
func receivedArticles(a *base.App, o Options, stored *mid.Client) func(context.Context, *scheme.Request, string) (*scheme.Object, error) {
	if !a.Config.News.Received || o.ForProxy || o.Archives.Used() || len(a.Config.Mail.Stores) == 0 {
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
		note := "found in mail.stores; the news server was not used"
		object.URL, object.Note = req.URL, strings.Join(slices.DeleteFunc([]string{note, object.Note}, func(s string) bool { return s == "" }), "; ")
		return object, nil
	}
}

// proxyUser is the rlogin user name that a gateway sends for its clients. A host that trusts user
// names must not confuse a client with the user who runs the gateway.
const proxyUser = "locus-gateway"

// telnetOptions returns the options for sessions. The parameter page reports whether the session
// runs in a page of a gateway.
func telnetOptions(a *base.App, page bool) *telnet.Options {
	o := &telnet.Options{
		LocalUser: a.Config.Rlogin.LocalUser,
		TN3270: telnet.TN3270Options{
			Model:      int(a.Config.TN3270.Model),
			CodePage:   string(a.Config.TN3270.CodePage),
			DeviceName: a.Config.TN3270.Device,
			Basic:      a.Config.TN3270.Basic,
		},
	}
	if page {
		o.LocalUser = cmp.Or(o.LocalUser, proxyUser)
		o.TerminalTypes = []string{"XTERM", "VT100", "UNKNOWN"}
		return o
	}
	o.TN3270.Monochrome = a.OutTTY && a.Getenv("NO_COLOR") != ""
	if o.LocalUser == "" {
		if self, err := user.Current(); err == nil {
			o.LocalUser = self.Username
		}
	}
	if name := a.Getenv("TERM"); name != "" && a.OutTTY && len(name) <= maxTerminalType && term.Safe(name) == name {
		o.TerminalTypes = []string{strings.ToUpper(name), "VT100", "UNKNOWN"}
	}
	return o
}

// maxTerminalType is the maximum length of a terminal type that hosts must accept (RFC 1091).
const maxTerminalType = 40

// NewsServer returns the news server from the configuration or NNTPSERVER. If neither
// names a server, NewsServer returns the zero URL.
func NewsServer(a *base.App) (locus.URL, error) {
	server := a.Config.News.Server
	if server.IsZero() {
		if err := server.UnmarshalText([]byte(a.Getenv("NNTPSERVER"))); err != nil {
			return locus.URL{}, fmt.Errorf("the environment variable NNTPSERVER: %w", err)
		}
	}
	return server.URL, nil
}
