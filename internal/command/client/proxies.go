package client

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/config"
	"github.com/locus-url/locus/scheme"
)

// proxyVariable returns the value of a variable in lower or upper case. It never reads HTTP_PROXY,
// because in a CGI program this variable contains the header "Proxy" of the client (the httpoxy
// vulnerability). On Windows, names are case-insensitive, so http_proxy is the same variable.
func proxyVariable(a *base.App, name string) (value, as string) {
	if value = a.Getenv(name); value == "" && name != "http_proxy" {
		name = strings.ToUpper(name)
		value = a.Getenv(name)
	}
	if name == "http_proxy" && a.Getenv("REQUEST_METHOD") != "" && a.Getenv("HTTP_PROXY") == value {
		return "", name
	}
	return value, name
}

// proxies returns the proxies that the proxy variables set, and the problems in these variables.
func proxies(a *base.App) (g config.ProxyTable, problems []config.Problem) {
	for _, s := range a.Registry.All() {
		for _, name := range s.Policy.ProxyVars {
			problems = addProxy(a, &g, name, s.Name, problems)
		}
	}
	problems = addProxy(a, &g, "all_proxy", config.AllSchemes, problems)
	return g, problems
}

// exceptions returns the valid entries of no_proxy, and the problems in the other entries.
func exceptions(a *base.App) (list string, problems []config.Problem) {
	text, name := proxyVariable(a, "no_proxy")
	var good []string
	masked := locus.Mask(text)
	for _, field := range strings.FieldsFunc(text, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if _, err := access.NewProxies(access.ProxyRules{Except: field}); err != nil {
			shown := locus.Mask(field)
			if shown == field && !strings.Contains(masked, field) {
				// The field is a part of a mistyped URL with a password. Mask finds the password
				// only in the whole text, not in the field.
				shown = "***"
			}
			err = fmt.Errorf("%s is not a host, domain or address", locus.Quote(shown))
			problems = append(problems, config.Problem{Variable: name, Err: err})
			continue
		}
		good = append(good, field)
	}
	return strings.Join(good, ","), problems
}

// ProxyProblems returns the problems in the proxy variables. No error contains a password.
func ProxyProblems(a *base.App) []config.Problem {
	if a.Flags.NoProxy {
		return nil
	}
	_, list := proxies(a)
	_, more := exceptions(a)
	return append(list, more...)
}

// Proxies returns the proxies that the flags, the configuration and the proxy variables set.
// Earlier sources take precedence.
func Proxies(a *base.App) (*access.Proxies, error) {
	if a.Flags.NoProxy {
		return nil, nil
	}
	below, problems := proxies(a)
	if len(problems) > 0 {
		return nil, &problems[0]
	}
	below.Rules.Except, problems = exceptions(a)
	below.HasExcept = true
	for _, p := range problems {
		// Report an invalid value only as a note, because other programs may accept the
		// value.
		a.Note("the environment variable %s: ignored: %v", p.Variable, p.Err)
	}
	return ProxiesOver(a, below)
}

// ProxiesOver returns the proxies that the flags and the configuration set. For schemes without
// such a proxy, it returns the proxies in the table below.
func ProxiesOver(a *base.App, below config.ProxyTable) (*access.Proxies, error) {
	if a.Flags.NoProxy {
		return nil, nil
	}
	table, err := ProxyTable(a)
	if err != nil {
		return nil, err
	}
	g, err := access.NewProxies(table.Over(below).Rules)
	return g, config.Unprefixed(err)
}

// ProxyTable returns the proxies that the flags and the configuration set.
func ProxyTable(a *base.App) (flags config.ProxyTable, err error) {
	for _, text := range a.Flags.Proxies {
		if err := flags.Set(text); err != nil {
			return flags, fmt.Errorf("--gateway: %w", err)
		}
	}
	return flags.Over(a.Config.Proxies), nil
}

// addProxy adds the proxy that an environment variable sets for a scheme, or the problem in the
// variable.
func addProxy(a *base.App, g *config.ProxyTable, variable, scheme string, problems []config.Problem) []config.Problem {
	value, name := proxyVariable(a, variable)
	value = strings.TrimSpace(value)
	if value == "" || slices.ContainsFunc(problems, func(p config.Problem) bool { return p.Variable == name }) {
		return problems
	}
	written := value
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	err := g.Entry(scheme).UnmarshalText([]byte(value))
	if err == nil {
		return problems
	}
	// Mask the value here, because the message would add "http://" before the value, and Mask
	// could then not recognize a mistyped URL with a password.
	if masked := locus.Mask(written); masked != written {
		err = fmt.Errorf("%s is not a proxy: write http://proxy.example:3128", locus.Quote(masked))
	}
	return append(problems, config.Problem{Variable: name, Err: err})
}

// ProxyFor returns the proxy for URLs of a scheme, even if the scheme is not registered.
func ProxyFor(a *base.App, gateways *access.Proxies, name string) access.Proxy {
	s, ok := a.Registry.Lookup(name)
	if !ok {
		s = scheme.Generic(name, scheme.Reserved)
	}
	return gateways.For(s)
}
