// Package config reads the configuration of locus from its file and the environment.
package config

import (
	"encoding"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus/tn3270"
)

// Config is the configuration from the file, the environment and the defaults. Flags take
// precedence over it.
type Config struct {
	Timeout  Duration
	MaxTime  Duration
	Parallel int
	PerHost  int
	Pager    string
	Editor   string
	Rules    RulesName
	Policy   struct {
		AllowPrivate   bool
		AllowLinkLocal bool
		AllowPorts     Ports
		MaxSize        Size
	}
	Proxies ProxyTable
	FTP     struct {
		CWD               cwdMode
		Active            bool
		TLS               bool
		AnonymousPassword string
	}
	Gopher struct{ LiteralTabs bool }
	News   struct {
		Server     newsServer
		ClearLogin bool
		Received   bool
	}
	Mail   Mail
	Rlogin struct{ LocalUser string }
	TN3270 TN3270
	Verify struct {
		Archive   archive
		GitHub    apiURL
		LogFormat LogFormat
	}
	Mirror  struct{ LogFormat LogFormat }
	Gateway Gateway
	Fleet   Fleet
}

// Fleet is the configuration of "locus-fleet".
type Fleet struct {
	NATS, Creds            string
	TLSCA, TLSCert, TLSKey string
	Store, Frontier        string
	LogFormat              LogFormat
}

// Mail is the configuration for received and sent mail.
type Mail struct {
	Stores   Paths
	Cache    string
	From     Sender
	Relay    relay
	Clear    bool
	Sendmail words
}

// TN3270 is the configuration of tn3270 sessions.
type TN3270 struct {
	Model    model
	CodePage codePage
	Device   string
	Basic    bool
}

// Gateway is the configuration of "locus gateway".
type Gateway struct {
	Listen       GatewayAddress
	Names        words
	Allow, Deny  words
	Files        Paths
	ConnectPorts Ports
	Cache        string
	CacheSize    Size
	NoCache      bool
	LogFormat    LogFormat
	Mail         bool
	Letters      int
	Memory       Size
	Requests     int
	PerClient    int
	PerHost      int
	Connections  int
	Terminals    int
}

// Default returns the default configuration.
func Default() Config {
	c := Config{
		Parallel: 8,
		PerHost:  2,
		TN3270:   TN3270{Model: 2, CodePage: "037"},
		Gateway: Gateway{
			Listen: "127.0.0.1:1738", ConnectPorts: Ports{443}, CacheSize: 1 << 30, LogFormat: "text", Letters: 20,
			Requests: 8192, PerClient: 256, PerHost: 512, Connections: 16384, Terminals: 64,
		},
	}
	c.FTP.CWD, c.FTP.AnonymousPassword = "multi", "anonymous@"
	c.Verify.LogFormat, c.Mirror.LogFormat, c.Fleet.LogFormat = "none", "none", "none"
	return c
}

// setting is one configuration key. The field value points to a field of a Config.
type setting struct {
	key   string
	value any
	help  string
}

func (c *Config) settings() []setting {
	return []setting{
		{"timeout", &c.Timeout, `time limit for connecting, idle time and a response: "20s"`},
		{"max_time", &c.MaxTime, `time limit for a whole transfer: "10m"; 0 means unlimited`},
		{"parallel", &c.Parallel, "number of concurrent transfers"},
		{"per_host", &c.PerHost, "number of concurrent transfers from one host"},
		{"pager", &c.Pager, `the pager: "less -S"; default: PAGER, less or more`},
		{"editor", &c.Editor, `the editor for messages: "vim -n"; default: VISUAL or EDITOR`},
		{"rules", &c.Rules, `rules for parse, check, canonical, compare and, if it has them, resolve: "rfc1738", "rfc1630", "rfc3986" or "whatwg"`},
		{"policy.allow_private", &c.Policy.AllowPrivate, "allow addresses that are not public"},
		{"policy.allow_link_local", &c.Policy.AllowLinkLocal, "also allow link-local addresses, such as cloud metadata (with --allow-private)"},
		{"policy.allow_ports", &c.Policy.AllowPorts, "ports allowed besides the scheme's own: [25, 119]"},
		{"policy.max_size", &c.Policy.MaxSize, `refuse larger objects: "5G"; 0 means unlimited`},
		{"gateways", &c.Proxies, `gateways by scheme: gopher = "http://gw.example/{url}", all = "socks5h://proxy.example", except = "localhost, .example.net, 10.0.0.0/8"; see "locus help gateways"`},
		{"ftp.cwd", &c.FTP.CWD, `how to change to a directory: "multi" (RFC 1738), "single" or "none"`},
		{"ftp.active", &c.FTP.Active, "let the server open the data connection"},
		{"ftp.tls", &c.FTP.TLS, "require TLS before the login"},
		{"ftp.anonymous_password", &c.FTP.AnonymousPassword, "password of anonymous logins"},
		{"gopher.literal_tabs", &c.Gopher.LiteralTabs, "send the TAB of an empty search before a Gopher+ string (RFC 1738 3.4.3)"},
		{"news.server", &c.News.Server, `news server for news URLs: "news.example.net", "host:port" or "nntps://host"; default: NNTPSERVER`},
		{"news.clear_login", &c.News.ClearLogin, "send user and password to a news server without TLS"},
		{"news.received", &c.News.Received, "look for articles in mail.stores before connecting to a server"},
		{"mail.stores", &c.Mail.Stores, `mail for mid URLs: Maildirs, mboxes, message files, and directories of these: ["~/Mail", "/var/mail/me"]`},
		{"mail.cache", &c.Mail.Cache, "directory for the mail index; default: locus in XDG_CACHE_HOME or ~/.cache"},
		{"mail.from", &c.Mail.From, `sender of messages: "Fred <fred@example.net>"`},
		{"mail.relay", &c.Mail.Relay, `server that sends messages: "smtps://user@host" for TLS, "smtp://user@host:587" for mandatory STARTTLS, "smtp+clear://localhost:25" for neither TLS nor login; the password is asked for or read from ~/.netrc`},
		{"mail.clear", &c.Mail.Clear, "send messages without TLS to a smtp+clear relay on another machine"},
		{"mail.sendmail", &c.Mail.Sendmail, `program that sends messages without mail.relay: "/usr/sbin/sendmail" or ["msmtp", "-a", "work"]`},
		{"rlogin.local_user", &c.Rlogin.LocalUser, "local user name for rlogin; default: your own, or locus-gateway for clients of a gateway"},
		{"tn3270.model", &c.TN3270.Model, "terminal model of tn3270, 2 to 5: 24x80, 32x80, 43x80 or 27x132"},
		{"tn3270.code_page", &c.TN3270.CodePage, "character set of a tn3270 host: " + strings.Join(tn3270.CodePages(), ", ")},
		{"tn3270.device", &c.TN3270.Device, "device or group to request for tn3270; default: any"},
		{"tn3270.basic", &c.TN3270.Basic, "do not use TN3270E (RFC 2355), for hosts that offer it wrongly"},
		{"verify.archive", &c.Verify.Archive, `archive for "locus verify --suggest": "https://archive.example/web/{url}"; "{escaped}" is the URL with escaped delimiters`},
		{"verify.github", &c.Verify.GitHub, `base of GitHub's API for "locus verify" with GITHUB_TOKEN; default: "https://api.github.com/"`},
		{"verify.log_format", &c.Verify.LogFormat, `format of the log of requests of "locus verify": "text", "json" or "none"`},
		{"mirror.log_format", &c.Mirror.LogFormat, `format of the log of requests of "locus mirror": "text", "json" or "none"`},
		{"gateway.listen", &c.Gateway.Listen, `address of "locus gateway": "127.0.0.1:1738", "unix:/run/locus.sock" or "unix:/run/locus.sock,mode=660"`},
		{"gateway.names", &c.Gateway.Names, `names of the gateway besides localhost and its addresses: ["gw.example.net"]`},
		{"gateway.allow", &c.Gateway.Allow, `open only these: ["gopher:", ".example.net", "192.0.2.0/24", "ftp://ftp.example.org/pub/"]`},
		{"gateway.deny", &c.Gateway.Deny, "do not open these, in the same forms"},
		{"gateway.files", &c.Gateway.Files, `local directories that file URLs may open: ["/srv/pub"]; default: none`},
		{"gateway.connect_ports", &c.Gateway.ConnectPorts, "ports allowed for CONNECT: [443]"},
		{"gateway.cache", &c.Gateway.Cache, "directory for cached responses; default: locus/gateway in XDG_CACHE_HOME or ~/.cache"},
		{"gateway.cache_size", &c.Gateway.CacheSize, `size limit of the cache: "1G"`},
		{"gateway.no_cache", &c.Gateway.NoCache, "disable the cache"},
		{"gateway.log_format", &c.Gateway.LogFormat, `format of the log: "text", "json" or "none"`},
		{"gateway.mail", &c.Gateway.Mail, "let clients send messages from mail.from by mail.relay or mail.sendmail"},
		{"gateway.letters", &c.Gateway.Letters, "maximum number of messages per hour"},
		{"gateway.memory", &c.Gateway.Memory, `memory limit: "1G"; above it, requests get a 503; 0 means unlimited`},
		{"gateway.requests", &c.Gateway.Requests, "limit of concurrent requests"},
		{"gateway.per_client", &c.Gateway.PerClient, "maximum number of concurrent requests from one client on another machine"},
		{"gateway.per_host", &c.Gateway.PerHost, "maximum number of concurrent requests to one server"},
		{"gateway.connections", &c.Gateway.Connections, "maximum number of client connections"},
		{"gateway.terminals", &c.Gateway.Terminals, "maximum number of open terminals"},
		{"fleet.nats", &c.Fleet.NATS, `NATS servers of locus-fleet: "tls://a.example.net,tls://b.example.net"; default: one in its process`},
		{"fleet.creds", &c.Fleet.Creds, "file with the NATS credentials of locus-fleet"},
		{"fleet.tls_ca", &c.Fleet.TLSCA, "file with the certificate authorities for NATS servers"},
		{"fleet.tls_cert", &c.Fleet.TLSCert, "file with the client certificate for NATS servers"},
		{"fleet.tls_key", &c.Fleet.TLSKey, "file with the key of fleet.tls_cert"},
		{"fleet.store", &c.Fleet.Store, "directory of locus-fleet without fleet.nats; default: locus/fleet in XDG_CACHE_HOME or ~/.cache"},
		{"fleet.frontier", &c.Fleet.Frontier, `name of the frontier; default: "default"`},
		{"fleet.log_format", &c.Fleet.LogFormat, `format of the log of requests of locus-fleet: "text", "json" or "none"`},
	}
}

func (s setting) variable() string {
	return "LOCUS_" + strings.ToUpper(strings.ReplaceAll(s.key, ".", "_"))
}

func (s setting) setText(text string) (err error) {
	switch v := s.value.(type) {
	case *bool:
		if *v, err = strconv.ParseBool(text); err != nil {
			return fmt.Errorf("%q is not true or false", text)
		}
	case *int:
		n, err := strconv.Atoi(text)
		if err != nil {
			return fmt.Errorf("%q is not a number", text)
		}
		*v = n
	case *string:
		*v = text
	case encoding.TextUnmarshaler:
		return v.UnmarshalText([]byte(text))
	}
	return nil
}

// Help returns the text of "locus help configuration".
func Help() string {
	var b strings.Builder
	b.WriteString(`Locus reads the configuration from the file of --config or LOCUS_CONFIG, or else from
locus/config.toml in $XDG_CONFIG_HOME or ~/.config. It is in TOML:

  timeout = "20s"

  [policy]
  allow_ports = [119]

Flags take precedence over the environment, and the environment over the file. An
unknown key is an error.

`)
	c := Default()
	for _, s := range c.settings() {
		fmt.Fprintf(&b, "  %s\n      %s.\n      Variable: %s%s.\n", s.key, s.help, s.variable(), defaultText(s))
	}
	b.WriteString(`
In a variable, write ports as 25,119 and paths as /a:/b. A NO_COLOR that is not empty
turns colors off.`)
	return b.String()
}

func defaultText(s setting) string {
	switch v := s.value.(type) {
	case *int:
		return fmt.Sprintf("; default %d", *v)
	case *string:
		if *v == "" {
			return ""
		}
		return fmt.Sprintf("; default %q", *v)
	case *cwdMode:
		return fmt.Sprintf("; default %q", *v)
	}
	return ""
}
