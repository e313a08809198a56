package config

import (
	"encoding"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus/tn3270"
)

// Config is the configuration: the file, the environment, and defaults for the rest.
// Flags take precedence over it.
type Config struct {
	Timeout  duration
	Parallel int
	PerHost  int
	Pager    string
	Editor   string
	Policy   policyConfig
	Gateways GatewayTable
	FTP      ftpConfig
	Gopher   gopherConfig
	News     newsConfig
	Mail     Mail
	Rlogin   rloginConfig
	TN3270   TN3270
	Verify   verifyConfig
	Gateway  Gateway
}

type policyConfig struct {
	AllowPrivate bool
	AllowPorts   Ports
	MaxSize      Size
}

type ftpConfig struct {
	CWD               cwdMode
	Active            bool
	TLS               bool
	AnonymousPassword string
}

type gopherConfig struct{ LiteralTabs bool }

type newsConfig struct {
	Server     newsServer
	ClearLogin bool
	Received   bool
}

type Mail struct {
	Stores   Paths
	Cache    string
	From     Sender
	Relay    relay
	Clear    bool
	Sendmail words
}

type rloginConfig struct{ LocalUser string }

type TN3270 struct {
	Model    model
	CodePage codePage
	Device   string
	Basic    bool
}

type verifyConfig struct{ Archive archive }
type Gateway struct {
	Listen       ListenAddress
	Names        words
	Allow, Deny  words
	Files        Paths
	ConnectPorts Ports
	Cache        string
	CacheSize    Size
	NoCache      bool
	LogFormat    logFormat
	Mail         bool
	Letters      int
	Memory       Size
	Requests     int
	PerClient    int
	PerHost      int
	Connections  int
	Terminals    int
}

func Default() Config {
	return Config{
		Parallel: 8,
		PerHost:  2,
		FTP:      ftpConfig{CWD: "multi", AnonymousPassword: "anonymous@"},
		TN3270:   TN3270{Model: 2, CodePage: "037"},
		Gateway: Gateway{
			Listen: "127.0.0.1:1738", ConnectPorts: Ports{443}, CacheSize: 1 << 30, LogFormat: "text", Letters: 20,
			Requests: 8192, PerClient: 256, PerHost: 512, Connections: 16384, Terminals: 64,
		},
	}
}

// setting is one key of the configuration. value points into a Config.
type setting struct {
	key   string
	value any
	help  string
}

// settings lists every key.
func (c *Config) settings() []setting {
	return []setting{
		{"timeout", &c.Timeout, `how long a connection, a silence or an answer may take: "20s"`},
		{"parallel", &c.Parallel, "how many resources are got at once"},
		{"per_host", &c.PerHost, "how many of them from one host"},
		{"pager", &c.Pager, `what shows a resource page by page: "less -S"; else that of PAGER, less or more`},
		{"editor", &c.Editor, `what messages are written with: "vim -n"; else that of VISUAL or EDITOR`},
		{"policy.allow_private", &c.Policy.AllowPrivate, "allow addresses that are not public, wherever the URL comes from"},
		{"policy.allow_ports", &c.Policy.AllowPorts, "ports allowed besides the scheme's own: [25, 119]"},
		{"policy.max_size", &c.Policy.MaxSize, `refuse objects that are larger: "5G"; 0 is no limit`},
		{"gateways", &c.Gateways, `what URLs go by way of: a table of schemes, gopher = "http://gw.example/{url}", all = "socks5h://proxy.example", except = "localhost, .example.net, 10.0.0.0/8"; "locus help gateways" tells more`},
		{"ftp.cwd", &c.FTP.CWD, `how a path is walked: "multi" (RFC 1738), "single" or "none"`},
		{"ftp.active", &c.FTP.Active, "let the server connect for data"},
		{"ftp.tls", &c.FTP.TLS, "ask for TLS before the login, and go no further without it"},
		{"ftp.anonymous_password", &c.FTP.AnonymousPassword, "what an anonymous login gives as its password"},
		{"gopher.literal_tabs", &c.Gopher.LiteralTabs, "send the TAB of an empty search before a Gopher+ string (RFC 1738 3.4.3)"},
		{"news.server", &c.News.Server, `what news URLs are read from: "news.example.net", "host:port" or "nntps://host"; else that of NNTPSERVER`},
		{"news.clear_login", &c.News.ClearLogin, "let user and password cross the network without TLS when a news server wants them"},
		{"news.received", &c.News.Received, "look for an article among mail.stores before a server is asked"},
		{"mail.stores", &c.Mail.Stores, `where mail is that mid URLs find: Maildirs, mboxes, messages, folders of them: ["~/Mail", "/var/mail/me"]`},
		{"mail.cache", &c.Mail.Cache, "the folder for the index of the mail; else locus in XDG_CACHE_HOME, or in ~/.cache"},
		{"mail.from", &c.Mail.From, `who writes, when a mailto URL is opened: "Fred <fred@example.net>"`},
		{"mail.relay", &c.Mail.Relay, `what sends messages: "smtps://user@host" for TLS, "smtp://user@host:587" for STARTTLS, which must be there, "smtp+clear://localhost:25" for no TLS and no login; a password is asked for, or is in ~/.netrc`},
		{"mail.clear", &c.Mail.Clear, "let messages cross the network without TLS to a smtp+clear relay that is not this machine"},
		{"mail.sendmail", &c.Mail.Sendmail, `the program that sends messages if there is no mail.relay: "/usr/sbin/sendmail" or ["msmtp", "-a", "work"]`},
		{"rlogin.local_user", &c.Rlogin.LocalUser, "who rlogin says that you are here; else your own name, or locus-gateway of those who come by a gateway"},
		{"tn3270.model", &c.TN3270.Model, "the terminal of tn3270, 2 to 5: 24x80, 32x80, 43x80 or 27x132"},
		{"tn3270.code_page", &c.TN3270.CodePage, "the characters of a tn3270 host: " + strings.Join(tn3270.CodePages(), ", ")},
		{"tn3270.device", &c.TN3270.Device, "the device or group that is asked for by tn3270; else whichever is free"},
		{"tn3270.basic", &c.TN3270.Basic, "do without TN3270E (RFC 2355), for hosts that offer what they can't do"},
		{"verify.archive", &c.Verify.Archive, `where "locus verify --suggest" looks for what is dead: "https://archive.example/web/{url}"; "{escaped}" is the URL with its delimiters as escapes`},
		{"gateway.listen", &c.Gateway.Listen, `where "locus gateway" listens`},
		{"gateway.names", &c.Gateway.Names, `names of the gateway besides localhost and its addresses: ["gw.example.net"]`},
		{"gateway.allow", &c.Gateway.Allow, `what may be opened, if not everything: ["gopher:", ".example.net", "192.0.2.0/24", "ftp://ftp.example.org/pub/"]`},
		{"gateway.deny", &c.Gateway.Deny, "what may not, in the same forms"},
		{"gateway.files", &c.Gateway.Files, `folders of this machine whose files file URLs may open: ["/srv/pub"]; else none`},
		{"gateway.connect_ports", &c.Gateway.ConnectPorts, "the ports that CONNECT leads to: [443]"},
		{"gateway.cache", &c.Gateway.Cache, "the folder for answers that are kept; else locus/gateway in XDG_CACHE_HOME, or in ~/.cache"},
		{"gateway.cache_size", &c.Gateway.CacheSize, `how much of the disk they take: "1G"`},
		{"gateway.no_cache", &c.Gateway.NoCache, "keep no answers"},
		{"gateway.log_format", &c.Gateway.LogFormat, `how requests are logged: "text", "json" or "none"`},
		{"gateway.mail", &c.Gateway.Mail, "let clients send letters from mail.from by mail.relay or mail.sendmail"},
		{"gateway.letters", &c.Gateway.Letters, "how many letters in an hour"},
		{"gateway.memory", &c.Gateway.Memory, `how much memory the gateway may hold: "1G"; while it is more, requests get a 503; 0 is no limit`},
		{"gateway.requests", &c.Gateway.Requests, "how many requests are answered at once"},
		{"gateway.per_client", &c.Gateway.PerClient, "how many of them for one client; this machine has no such limit"},
		{"gateway.per_host", &c.Gateway.PerHost, "how many are under way to one server"},
		{"gateway.connections", &c.Gateway.Connections, "how many connections of clients there are at once"},
		{"gateway.terminals", &c.Gateway.Terminals, "how many terminals are open at once"},
	}
}

// variable returns the name of the environment variable of the key.
func (s setting) variable() string {
	return "LOCUS_" + strings.ToUpper(strings.ReplaceAll(s.key, ".", "_"))
}

// setText sets the value from a text of the environment.
func (s setting) setText(text string) (err error) {
	switch v := s.value.(type) {
	case *bool:
		if *v, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("%q is neither true nor false", text)
		}
	case *int:
		if *v, err = strconv.Atoi(text); err != nil {
			return fmt.Errorf("%q is no number", text)
		}
	case *string:
		*v = text
	case encoding.TextUnmarshaler:
		return v.UnmarshalText([]byte(text))
	}
	return nil
}

// check refuses limits that would stop all work.
func (c *Config) check() error {
	if c.Parallel < 1 || c.PerHost < 1 {
		return errors.New("parallel and per_host are at least 1")
	}
	g := &c.Gateway
	if min(g.Requests, g.PerClient, g.PerHost, g.Connections, g.Terminals, g.Letters) < 1 {
		return errors.New("the limits of the gateway are at least 1")
	}
	return nil
}
