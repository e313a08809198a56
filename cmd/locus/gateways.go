package main

import (
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
)

// Names in the table of gateways that are no schemes.
const (
	allSchemes = "all"
	exceptions = "except"
)

// gatewayTable is what URLs go by way of, as the configuration has it.
type gatewayTable struct {
	rules     access.GatewayRules
	hasExcept bool
}

// gatewayEntry is what a table has under one name.
type gatewayEntry struct {
	table *gatewayTable
	name  string
}

// entry returns where the value of that name goes.
func (g *gatewayTable) entry(name string) tableEntry { return gatewayEntry{g, name} }

// UnmarshalText takes the gateway of a scheme, or exceptions. No error has the
// password of a gateway.
func (e gatewayEntry) UnmarshalText(text []byte) error {
	g := e.table
	if e.name == exceptions {
		g.rules.Except, g.hasExcept = string(text), true
		_, err := access.NewGateways(access.GatewayRules{Except: g.rules.Except})
		return unnamed(err)
	}
	if !locus.IsScheme(e.name) {
		return fmt.Errorf("%q is not the name of a scheme in lower case", e.name)
	}
	gateway, err := access.ParseGateway(string(text))
	if err != nil {
		return unnamed(err)
	}
	if e.name == allSchemes {
		g.rules.All = gateway
		return nil
	}
	if g.rules.Schemes == nil {
		g.rules.Schemes = make(map[string]access.Gateway)
	}
	g.rules.Schemes[e.name] = gateway
	return nil
}

// unnamed leaves out the name of the program, which begins every message.
func unnamed(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "locus: "))
}

// UnmarshalText takes SCHEME=GATEWAY with blanks between them.
func (g *gatewayTable) UnmarshalText(text []byte) error {
	for _, word := range strings.Fields(string(text)) {
		if err := g.set(word); err != nil {
			return err
		}
	}
	return nil
}

// set takes SCHEME=GATEWAY.
func (g *gatewayTable) set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || strings.ContainsAny(name, ":/@") {
		// A password may be anywhere in it.
		return errors.New("a gateway is written SCHEME=GATEWAY")
	}
	if err := g.entry(name).UnmarshalText([]byte(value)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// over puts what g has over what below has.
func (g gatewayTable) over(below gatewayTable) gatewayTable {
	schemes := maps.Clone(below.rules.Schemes)
	if schemes == nil {
		schemes = make(map[string]access.Gateway)
	}
	maps.Copy(schemes, g.rules.Schemes)
	below.rules.Schemes = schemes
	if !g.rules.All.IsZero() {
		below.rules.All = g.rules.All
	}
	if g.hasExcept {
		below.rules.Except, below.hasExcept = g.rules.Except, true
	}
	return below
}

// proxyVariables are the variables that other programs take their proxies from, and
// the schemes that each is for.
var proxyVariables = []struct {
	name    string
	schemes []string
}{
	{"http_proxy", []string{"http"}},
	{"https_proxy", []string{"https"}},
	{"ftp_proxy", []string{"ftp"}},
	{"gopher_proxy", []string{"gopher"}},
	{"wais_proxy", []string{"wais"}},
	{"news_proxy", []string{"news", "nntp"}},
	{"all_proxy", []string{allSchemes}},
}

// proxyVariable returns the value of a variable, in lower case or upper case. In CGI,
// a header "Proxy" of whoever sends a request is HTTP_PROXY (httpoxy), so
// that is never read; and where the names of variables have no case, as on
// Windows, http_proxy is the same.
func (a *app) proxyVariable(name string) (value, as string) {
	if value = a.env(name); value == "" && name != "http_proxy" {
		name = strings.ToUpper(name)
		value = a.env(name)
	}
	if name == "http_proxy" && a.env("REQUEST_METHOD") != "" && a.env("HTTP_PROXY") == value {
		return "", name
	}
	return value, name
}

// proxies are the gateways that the variables name.
func (a *app) proxies() (g gatewayTable, err error) {
	for _, v := range proxyVariables {
		value, name := a.proxyVariable(v.name)
		value = strings.TrimSpace(value)
		if value == "" {
			continue
		}
		written := value
		if !strings.Contains(value, "://") {
			value = "http://" + value
		}
		for _, scheme := range v.schemes {
			if err := g.entry(scheme).UnmarshalText([]byte(value)); err != nil {
				// The message has the value with "http://" before it, which hides from a
				// reader of messages that it may be a mistyped URL with a password.
				if masked := locus.Mask(written); masked != written {
					return g, fmt.Errorf("the environment variable %s: %s is not a gateway: write http://host:port", name, locus.Quote(masked))
				}
				return g, fmt.Errorf("the environment variable %s: %w", name, err)
			}
		}
	}
	list, name := a.proxyVariable("no_proxy")
	var good []string
	for _, field := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if _, err := access.NewGateways(access.GatewayRules{Except: field}); err != nil {
			// Other programs may have a use for it; and to go by way of the proxy tells
			// nobody more.
			a.note("the environment variable %s: %q excepts nothing here", name, field)
			continue
		}
		good = append(good, field)
	}
	g.rules.Except, g.hasExcept = strings.Join(good, ","), true
	return g, nil
}

// gateways returns what URLs go by way of: by the flags, else the configuration, else
// the variables of other programs.
func (a *app) gateways() (*access.Gateways, error) {
	if a.flags.noGateway {
		return nil, nil
	}
	below, err := a.proxies()
	if err != nil {
		return nil, err
	}
	return a.gatewaysOver(below)
}

// gatewaysOver returns those of the flags and the configuration, over below.
func (a *app) gatewaysOver(below gatewayTable) (*access.Gateways, error) {
	if a.flags.noGateway {
		return nil, nil
	}
	var flags gatewayTable
	for _, text := range a.flags.gateway {
		if err := flags.set(text); err != nil {
			return nil, usageError("--gateway: %w", err)
		}
	}
	g, err := access.NewGateways(flags.over(a.config.Gateways.over(below)).rules)
	return g, unnamed(err)
}
