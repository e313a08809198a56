package verify

import (
	"cmp"
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/client"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	webscheme "github.com/locus-url/locus/scheme/http"
	"github.com/locus-url/locus/verify"
)

// requestFlags holds the flags that control requests and the crawling of sites.
type requestFlags struct {
	method, accept, cookies string
	certs, keys             []string
	tlsDays                 int
	ipv4, ipv6              bool

	hosts []hostAccess // access settings from the rules and flags; the first match for a host applies
}

// hostAccess holds the certificate that the client sends to hosts that match a pattern.
type hostAccess struct {
	url         policy.Pattern
	certificate *tls.Certificate
}

func (v *verifier) addAskFlags(cmd *cobra.Command) {
	q := &v.ask
	base.AddFlags(cmd, "HTTP requests", func(f *pflag.FlagSet) {
		f.StringVar(&q.method, "method", "head", "request with `METHOD` first: head or get")
		f.StringVar(&q.accept, "accept", "", "also treat `STATUSES` as alive: 403,429 or 500..599")
		f.StringVar(&q.cookies, "cookies", "", "send the cookies in `FILE`, as curl and wget write them")
		f.StringArrayVar(&q.certs, "cert", nil, "send the client certificate `\"HOST: FILE\"` (repeatable)")
		f.StringArrayVar(&q.keys, "key", nil, "the key of --cert is in `\"HOST: FILE\"` (repeatable)")
		f.IntVar(&q.tlsDays, "tls-days", 0, "warn about certificates that expire within `N` days")
		f.BoolVarP(&q.ipv4, "ipv4", "4", false, "look up only IPv4 addresses")
		f.BoolVarP(&q.ipv6, "ipv6", "6", false, "look up only IPv6 addresses")
		f.BoolVar(&v.o.Site.Sitemaps, "sitemap", false, "also read the sitemaps of a site")
		f.BoolVar(&v.o.Site.SoftNotFound, "soft-404", false, "warn about pages that a host returns for any path")
	})
	_ = cmd.RegisterFlagCompletionFunc("method", cobra.FixedCompletions([]string{"head", "get"}, cobra.ShellCompDirectiveNoFileComp))
}

// prepareAsk sets the options of the verifier and its client from the flags, the rules and the
// environment. If a flag named the rules file, trusted is true.
func (v *verifier) prepareAsk(o *client.Options, trusted bool) (err error) {
	q, ask := &v.ask, &v.o.HTTP
	switch method := strings.ToLower(q.method); {
	case method == "get":
		ask.Get = true
	case method != "head":
		return fmt.Errorf("--method: unknown method %s: choose head or get", locus.Quote(q.method))
	case q.ipv4 && q.ipv6:
		return errors.New("--ipv4 and --ipv6 can't be used together: omit both to allow all addresses")
	case q.tlsDays < 0:
		return errors.New("--tls-days can't be negative")
	}
	if q.accept != "" {
		if ask.Accept, err = verify.ParseStatuses(q.accept); err != nil {
			return fmt.Errorf("--accept: %w", err)
		}
	}
	if q.cookies != "" {
		if o.Web.Jar, err = readCookies(q.cookies); err != nil {
			return fmt.Errorf("--cookies: %w", err)
		}
	}
	if err = q.flagCertificates(); err != nil {
		return err
	}
	if err = v.prepareHosts(o, trusted); err != nil {
		return err
	}
	if len(q.hosts) > 0 {
		o.Web.Certificate = q.certificateFor
	}
	if q.tlsDays > 0 {
		ask.Certificates, ask.Expiring = new(verify.Certificates), time.Duration(q.tlsDays)*24*time.Hour
		o.Web.TLS = &tls.Config{VerifyConnection: ask.Certificates.Record}
	}
	o.Lookup = q.lookup()
	return v.prepareGitHub(o)
}

// maxCookies is the maximum size of a cookie file in bytes.
const maxCookies = 16 << 20

func readCookies(name string) (http.CookieJar, error) {
	text, err := base.ReadFile(name, maxCookies)
	if err != nil {
		return nil, err
	}
	jar, err := webscheme.ParseCookies(string(text))
	if err != nil {
		return nil, fmt.Errorf("%s, %w", locus.Quote(name), err)
	}
	return jar, nil
}

// lookup returns a function that looks up only IPv4 or only IPv6 addresses. If the flags allow
// both, it returns nil.
func (q *requestFlags) lookup() func(context.Context, string) ([]netip.Addr, error) {
	network := ""
	switch {
	case q.ipv4:
		network = "ip4"
	case q.ipv6:
		network = "ip6"
	default:
		return nil
	}
	return func(ctx context.Context, host string) ([]netip.Addr, error) {
		return net.DefaultResolver.LookupNetIP(ctx, network, host)
	}
}

// flagCertificates reads the certificates and keys that the flags --cert and --key name.
func (q *requestFlags) flagCertificates() error {
	keys := map[string]string{}
	for _, text := range q.keys {
		host, file, ok := strings.Cut(text, ": ")
		if !ok {
			return errors.New(`--key: write "HOST: FILE"`)
		}
		keys[host] = file
	}
	for _, text := range q.certs {
		host, file, ok := strings.Cut(text, ": ")
		if !ok {
			return errors.New(`--cert: write "HOST: FILE": without a host, each host in the documents would receive it`)
		}
		p, err := policy.ParsePattern(host, nil)
		if err != nil {
			return fmt.Errorf("--cert: %w", err)
		}
		if err := q.addCertificate(p, file, keys[host]); err != nil {
			return fmt.Errorf("--cert: %w", err)
		}
		delete(keys, host)
	}
	for host := range keys {
		return fmt.Errorf("--key: there is no --cert for %s", locus.Quote(host))
	}
	return nil
}

// addCertificate reads a certificate and its key for hosts that match the pattern p. One file may
// contain both.
func (q *requestFlags) addCertificate(p policy.Pattern, file, key string) error {
	if !p.IsHost() {
		return fmt.Errorf("%s is not a host: a certificate applies to all URLs of a host", locus.Quote(p.String()))
	}
	certificate, err := tls.LoadX509KeyPair(file, cmp.Or(key, file))
	if err != nil {
		return err
	}
	q.hosts = append(q.hosts, hostAccess{p, &certificate})
	return nil
}

func (q *requestFlags) certificateFor(host string, port uint16) *tls.Certificate {
	for _, h := range q.hosts {
		if h.url.MatchesHost(host, port) {
			return h.certificate
		}
	}
	return nil
}

// prepareHosts applies the header fields and certificates in the rules.
func (v *verifier) prepareHosts(o *client.Options, trusted bool) error {
	if v.o.Rules == nil {
		return nil
	}
	for i := range v.o.Rules.Host {
		h := &v.o.Rules.Host[i]
		if !trusted && (len(h.Headers) > 0 || h.Bearer != "" || h.Basic != "" || h.Cert != "") {
			// The author of untrusted documents could add a rules file that sends a secret from
			// the environment to any host.
			return fmt.Errorf("%s: headers, logins and certificates are used only if --rules names the file", rulesName)
		}
		if err := v.hostSecrets(o, h); err != nil {
			return fmt.Errorf("the rules for %s: %w", locus.Quote(h.URL.String()), err)
		}
	}
	return nil
}

// rulesName is the name of the default rules file.
const rulesName = ".locus-verify.toml"

// hostSecrets resolves the header fields and the certificate in the host settings h.
func (v *verifier) hostSecrets(o *client.Options, h *verify.Host) error {
	add := func(name, value string) error {
		f, err := v.a.Field(name, value)
		f.URL = h.URL
		o.Fields = append(o.Fields, f)
		return err
	}
	for name, value := range h.Headers {
		if err := add(name, value); err != nil {
			return err
		}
	}
	if h.Bearer != "" {
		token, err := v.a.Secret(h.Bearer)
		if err == nil {
			err = addLiteral(o, h.URL, "Bearer "+token)
		}
		if err != nil {
			return fmt.Errorf("bearer: %w", err)
		}
	}
	if h.Basic != "" {
		login, err := v.a.Secret(h.Basic)
		if err == nil && !strings.Contains(login, ":") {
			err = errors.New("write USER:PASSWORD")
		}
		if err == nil {
			err = addLiteral(o, h.URL, "Basic "+base64.StdEncoding.EncodeToString([]byte(login)))
		}
		if err != nil {
			return fmt.Errorf("basic: %w", err)
		}
	}
	if h.Cert == "" {
		return nil
	}
	dir := filepath.Dir(v.rulesFile)
	if err := v.ask.addCertificate(h.URL, pathIn(dir, h.Cert), pathIn(dir, cmp.Or(h.Key, h.Cert))); err != nil {
		return fmt.Errorf("cert: %w", err)
	}
	return nil
}

// addLiteral adds an Authorization field with a literal value, which is not a reference to a file
// or a variable.
func addLiteral(o *client.Options, p policy.Pattern, value string) error {
	if strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r == 0x7F }) {
		return errors.New("the value has a control character")
	}
	o.Fields = append(o.Fields, base.HostField{URL: p, Name: "Authorization", Value: value})
	return nil
}

// pathIn resolves a path that is relative to the directory dir.
func pathIn(dir, name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(dir, name)
}

// githubBase is the URL of the API for which GITHUB_TOKEN is used by default.
const githubBase = "https://api.github.com/"

// prepareGitHub enables the GitHub API if the environment contains a token.
func (v *verifier) prepareGitHub(o *client.Options) error {
	token := v.a.Getenv("GITHUB_TOKEN")
	if token == "" || v.o.Offline {
		return nil
	}
	api := v.a.Config.Verify.GitHub.URL
	if api.IsZero() {
		api = locus.MustParse(githubBase)
	}
	address, err := netip.ParseAddr(strings.Trim(api.Host(), "[]"))
	if isLoopback := err == nil && address.IsLoopback(); !isLoopback && !v.a.Registry.Scheme(api).Traits.Has(scheme.Web|scheme.Secure) {
		return errors.New("verify.github: GITHUB_TOKEN is sent only over TLS: write an https URL")
	}
	pattern, err := policy.ParsePattern(api.String(), nil)
	if err == nil {
		err = addLiteral(o, pattern, "Bearer "+token)
	}
	if err != nil {
		return fmt.Errorf("GITHUB_TOKEN: %w", err)
	}
	v.o.HTTP.GitHub = api
	return nil
}

// rulesPath returns the path of the rules file, and reports whether the path comes from a flag. If
// there is no rules file, the path is "".
func (v *verifier) rulesPath() (name string, isFlag bool) {
	if v.rules != "" {
		return v.rules, true
	}
	return nearest(rulesName), false
}
