package main

import (
	"encoding"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/BurntSushi/toml"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/tn3270"
)

// config is what the configuration file and the environment say, or else the
// defaults. Flags go before it.
type config struct {
	Timeout  duration
	Parallel int
	PerHost  int
	Pager    string
	Editor   string
	Policy   policyConfig
	Gateways gatewayTable
	FTP      ftpConfig
	Gopher   gopherConfig
	News     newsConfig
	Mail     mailConfig
	Rlogin   rloginConfig
	TN3270   tn3270Config
	Verify   verifyConfig
	Gateway  gatewayConfig
}

type policyConfig struct {
	AllowPrivate bool
	AllowPorts   ports
	MaxSize      size
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

type mailConfig struct {
	Stores   paths
	Cache    string
	From     sender
	Relay    relay
	Clear    bool
	Sendmail words
}

type rloginConfig struct{ LocalUser string }

type tn3270Config struct {
	Model    model
	CodePage codePage
	Device   string
	Basic    bool
}

type verifyConfig struct{ Archive archive }
type gatewayConfig struct {
	Listen       listenAddress
	Names        words
	Allow, Deny  words
	Files        paths
	ConnectPorts ports
	Cache        string
	CacheSize    size
	NoCache      bool
	LogFormat    logFormat
	Mail         bool
	Letters      int
	Memory       size
	Requests     int
	PerClient    int
	PerHost      int
	Connections  int
	Terminals    int
}

func defaultConfig() config {
	return config{
		Parallel: 8,
		PerHost:  2,
		FTP:      ftpConfig{CWD: "multi", AnonymousPassword: "anonymous@"},
		TN3270:   tn3270Config{Model: 2, CodePage: "037"},
		Gateway: gatewayConfig{
			Listen: "127.0.0.1:1738", ConnectPorts: ports{443}, CacheSize: 1 << 30, LogFormat: "text", Letters: 20,
			Requests: 8192, PerClient: 256, PerHost: 512, Connections: 16384, Terminals: 64,
		},
	}
}

// setting is one key of the configuration. value points into a config.
type setting struct {
	key   string
	value any
	help  string
}

// settings lists every key there is.
func (c *config) settings() []setting {
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

// variable returns the name that the key has in the environment.
func (s setting) variable() string {
	return "LOCUS_" + strings.ToUpper(strings.ReplaceAll(s.key, ".", "_"))
}

// setText gives the setting a value from the environment.
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

// tableEntry takes one value of a table whose keys are not known beforehand.
type tableEntry = encoding.TextUnmarshaler

// openTable is a setting that is such a table.
type openTable interface{ entry(name string) tableEntry }

// entryVariable returns the name in the environment of a key of a table.
func (s setting) entryVariable(name string) string {
	return s.variable() + "_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_", "+", "_").Replace(name))
}

// check refuses numbers that would stop all work.
func (c *config) check() error {
	if c.Parallel < 1 || c.PerHost < 1 {
		return errors.New("parallel and per_host are at least 1")
	}
	g := &c.Gateway
	if min(g.Requests, g.PerClient, g.PerHost, g.Connections, g.Terminals, g.Letters) < 1 {
		return errors.New("the limits of the gateway are at least 1")
	}
	return nil
}

// duration is a time span that can't be negative.
type duration time.Duration

func (d *duration) UnmarshalText(text []byte) error {
	v, err := time.ParseDuration(string(text))
	if err != nil || v < 0 {
		return fmt.Errorf(`%q is no time span: write "20s" or "2m"`, text)
	}
	*d = duration(v)
	return nil
}

// cwdMode is how FTP walks a path: a CWD command a segment, one for all, none.
type cwdMode string

func (m *cwdMode) UnmarshalText(text []byte) error {
	if !slices.Contains([]string{"multi", "single", "none"}, string(text)) {
		return fmt.Errorf(`%q is none of "multi", "single" and "none"`, text)
	}
	*m = cwdMode(text)
	return nil
}

// logFormat is how the gateway logs requests.
type logFormat string

func (f *logFormat) UnmarshalText(text []byte) error {
	if !slices.Contains([]string{"text", "json", "none"}, string(text)) {
		return fmt.Errorf(`%q is none of "text", "json" and "none"`, text)
	}
	*f = logFormat(text)
	return nil
}

func (f *logFormat) String() string { return string(*f) }

// Set is for flags.
func (f *logFormat) Set(text string) error { return f.UnmarshalText([]byte(text)) }

// Type is for flags.
func (f *logFormat) Type() string { return "format" }

// listenAddress is where a gateway listens.
type listenAddress string

func (l *listenAddress) UnmarshalText(text []byte) error {
	host, port, err := net.SplitHostPort(string(text))
	if err == nil {
		_, err = strconv.ParseUint(port, 10, 16)
	}
	if err == nil && strings.Contains(host, ":") {
		_, err = netip.ParseAddr(host)
	} else if host != "" && !locus.IsHost(host) {
		err = locus.ErrValue
	}
	if err != nil {
		return fmt.Errorf(`%q is no HOST:PORT: write "127.0.0.1:1738", or "[::1]:0" for any port that is free`, text)
	}
	*l = listenAddress(text)
	return nil
}

func (l *listenAddress) String() string { return string(*l) }

// Set is for flags.
func (l *listenAddress) Set(text string) error { return l.UnmarshalText([]byte(text)) }

// Type is for flags.
func (l *listenAddress) Type() string { return "address" }

// model is a model of a 3270 terminal.
type model int

func (m *model) UnmarshalText(text []byte) error {
	n, err := strconv.Atoi(string(text))
	if err != nil || n < 2 || n > 5 {
		return errors.New("a model of a 3270 terminal is 2, 3, 4 or 5")
	}
	*m = model(n)
	return nil
}

// UnmarshalTOML takes a number.
func (m *model) UnmarshalTOML(value any) error { return m.UnmarshalText(fmt.Append(nil, value)) }

// codePage is a code page of EBCDIC.
type codePage string

func (c *codePage) UnmarshalText(text []byte) error {
	if !slices.Contains(tn3270.CodePages(), string(text)) {
		return fmt.Errorf("%q is none of the code pages %s", text, strings.Join(tn3270.CodePages(), ", "))
	}
	*c = codePage(text)
	return nil
}

// newsServer is the URL of a news server, nntp://host:port or nntps://host:port.
type newsServer struct{ locus.URL }

// UnmarshalText reads a URL, or a host and perhaps a port alone, as NNTPSERVER has
// it.
func (n *newsServer) UnmarshalText(text []byte) error {
	n.URL = locus.URL{}
	name := strings.TrimSpace(string(text))
	if name == "" {
		return nil
	}
	if !strings.Contains(name, "://") {
		name = "nntp://" + name
	}
	u, err := locus.Parse(name)
	path, _ := u.Path()
	if _, fragment := u.Fragment(); err != nil || u.Host() == "" || path != "" || fragment || u.Scheme() != "nntp" && u.Scheme() != "nntps" {
		// The password may be anywhere in what is no URL.
		return errors.New(`a news server is written "host", "host:port", "nntp://host:port" or "nntps://host:port"`)
	}
	n.URL = u
	return nil
}

// paths are the paths of files and folders.
type paths []string

// UnmarshalText reads paths with ":" between them, or as the system has it for PATH.
func (p *paths) UnmarshalText(text []byte) error {
	*p = nil
	for _, path := range filepath.SplitList(string(text)) {
		if path != "" {
			*p = append(*p, path)
		}
	}
	return nil
}

// UnmarshalTOML takes a list of texts.
func (p *paths) UnmarshalTOML(value any) error {
	*p = nil
	list, ok := value.([]any)
	for _, v := range list {
		path, isText := v.(string)
		ok = ok && isText && path != ""
		*p = append(*p, path)
	}
	if !ok {
		return errors.New(`a list of paths is written ["~/Mail", "/var/mail/me"]`)
	}
	return nil
}

// configError is an error of the file or the environment. No flag is wrong.
type configError struct{ error }

// loadConfig reads the file and the environment, and gives the flags that were
// not set their values.
func (a *app) loadConfig(flags *pflag.FlagSet) error {
	if err := a.readEverything(); err != nil {
		return configError{fmt.Errorf("configuration: %w", err)}
	}
	fill := func(name string, set func()) {
		if !flags.Changed(name) {
			set()
		}
	}
	fill("timeout", func() { a.flags.timeout = time.Duration(a.config.Timeout) })
	fill("allow-private", func() { a.flags.allowPrivate = a.config.Policy.AllowPrivate })
	fill("allow-port", func() { a.flags.allowPort = a.config.Policy.AllowPorts })
	fill("max-size", func() { a.flags.maxSize = int64(a.config.Policy.MaxSize) })
	if a.flags.timeout < 0 {
		return usageError("--timeout can't be negative")
	}
	return nil
}

// readEverything reads the file, and over it the environment.
func (a *app) readEverything() error {
	if err := a.readConfig(); err != nil {
		return err
	}
	for _, s := range a.config.settings() {
		if text := a.env(s.variable()); text != "" {
			if err := s.setText(text); err != nil {
				return fmt.Errorf("the environment variable %s: %w", s.variable(), err)
			}
		}
		if t, ok := s.value.(openTable); ok {
			if err := a.readEntries(s, t); err != nil {
				return err
			}
		}
	}
	return a.config.check()
}

// readEntries reads the variables of a table: those of the schemes that are
// registered, of the other keys, and of schemes that are not registered.
func (a *app) readEntries(s setting, t openTable) error {
	names := []string{allSchemes, exceptions}
	for _, row := range a.registry.All() {
		names = append(names, row.Name)
	}
	known := map[string]bool{}
	for _, name := range names {
		known[s.entryVariable(name)] = true
	}
	names = append(names, a.unregistered(s, known)...)
	for _, name := range names {
		variable := s.entryVariable(name)
		if text := a.env(variable); text != "" {
			if err := t.entry(name).UnmarshalText([]byte(text)); err != nil {
				return fmt.Errorf("the environment variable %s: %w", variable, err)
			}
		}
	}
	return nil
}

// unregistered returns the names of schemes for which the environment has a variable of
// the table, and which are not known: LOCUS_GATEWAYS_X_FOO is of x-foo. "." and "+" of a
// name can't be told from "-" there.
func (a *app) unregistered(s setting, known map[string]bool) (names []string) {
	if a.environ == nil {
		return nil
	}
	for _, variable := range a.environ() {
		variable, _, _ = strings.Cut(variable, "=")
		name, ok := strings.CutPrefix(variable, s.variable()+"_")
		if ok && name != "" && !known[variable] && name == strings.ToUpper(name) {
			names = append(names, strings.ToLower(strings.ReplaceAll(name, "_", "-")))
		}
	}
	slices.Sort(names)
	return names
}

// readConfig reads the file of --config or LOCUS_CONFIG, which must be there, or
// else the person's own, which need not.
func (a *app) readConfig() error {
	name := a.flags.config
	if name == "" {
		name = a.env("LOCUS_CONFIG")
	}
	must := name != ""
	if !must {
		name = a.configFile()
	}
	if name == "" {
		return nil
	}
	text, err := os.ReadFile(name)
	switch {
	case errors.Is(err, fs.ErrNotExist) && !must:
		return nil
	case err != nil:
		return err
	}
	if err := a.config.decode(string(text)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// configFile returns where the person's configuration is if there is one.
func (a *app) configFile() string {
	dir := a.ownFolder("XDG_CONFIG_HOME", ".config")
	if dir == "" {
		return ""
	}
	return filepath.Join(dir, "config.toml")
}

// ownFolder returns the folder of this program by the XDG base directory
// specification: in that of the variable, or else in the folder of that name at
// home. It is empty if there is no home.
func (a *app) ownFolder(variable, atHome string) string {
	dir := a.env(variable)
	if !filepath.IsAbs(dir) {
		home := a.env("HOME")
		if home == "" {
			return ""
		}
		dir = filepath.Join(home, atHome)
	}
	return filepath.Join(dir, "locus")
}

// noOwnFolder is why there is no folder to keep anything in.
const noOwnFolder = "neither XDG_CACHE_HOME nor HOME is set"

// decode reads the text of a configuration file. A key that does not exist is an
// error: one that is misspelt must not pass for one that is obeyed.
func (c *config) decode(text string) error {
	d := decoder{settings: map[string]setting{}}
	for _, s := range c.settings() {
		d.settings[s.key] = s
	}
	var top map[string]toml.Primitive
	meta, err := toml.Decode(text, &top)
	if err != nil {
		return plainError(err)
	}
	d.meta = &meta
	return d.table("", top)
}

// decoder gives the settings their values from a document.
type decoder struct {
	meta     *toml.MetaData
	settings map[string]setting
}

func (d *decoder) table(prefix string, table map[string]toml.Primitive) error {
	for _, name := range slices.Sorted(maps.Keys(table)) {
		key := prefix + name
		if err := d.value(key, table[name]); err != nil {
			return plainError(err)
		}
	}
	return nil
}

func (d *decoder) value(key string, value toml.Primitive) error {
	if s, ok := d.settings[key]; ok {
		if t, ok := s.value.(openTable); ok {
			return d.entries(t, value)
		}
		return d.meta.PrimitiveDecode(value, s.value)
	}
	for known := range d.settings {
		if strings.HasPrefix(known, key+".") {
			table, err := d.asTable(value)
			if err != nil {
				return err
			}
			return d.table(key+".", table)
		}
	}
	return d.meta.PrimitiveDecode(value, new(unknownKey))
}

// entries gives a table its values.
func (d *decoder) entries(t openTable, value toml.Primitive) error {
	list, err := d.asTable(value)
	if err != nil {
		return err
	}
	for _, name := range slices.Sorted(maps.Keys(list)) {
		entry := t.entry(name)
		if err := d.meta.PrimitiveDecode(list[name], &entry); err != nil {
			return plainError(err)
		}
	}
	return nil
}

// asTable returns the values of a table.
func (d *decoder) asTable(value toml.Primitive) (list map[string]toml.Primitive, err error) {
	if err = d.meta.PrimitiveDecode(value, &list); err == nil && list == nil {
		// What is no table leaves it as it was.
		err = d.meta.PrimitiveDecode(value, new(noTable))
	}
	return list, err
}

// noTable takes no value. Its error gets the place of the key.
type noTable struct{}

func (*noTable) UnmarshalTOML(any) error {
	return errors.New("a table, not a value")
}

// unknownKey takes no value. Its error gets the place of the key.
type unknownKey struct{}

func (*unknownKey) UnmarshalTOML(any) error {
	return errors.New("no such key")
}

// plainError says line and key first, and leaves out whose error it is.
func plainError(err error) error {
	var e toml.ParseError
	if !errors.As(err, &e) {
		return errors.New(strings.TrimPrefix(err.Error(), "toml: "))
	}
	text := strings.TrimPrefix(e.Message, "toml: ")
	if e.LastKey == "" {
		return fmt.Errorf("line %d: %s", e.Position.Line, text)
	}
	return fmt.Errorf("line %d: %s: %s", e.Position.Line, e.LastKey, text)
}
