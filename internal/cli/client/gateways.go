package client

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/config"
	"github.com/locus-url/locus/scheme"
)

// proxyVariable returns the value of a variable in lower or upper case. A CGI program
// gets a client's header "Proxy" as HTTP_PROXY (httpoxy), so that name is never read.
// On Windows, where names have no case, http_proxy is the same variable.
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

func proxies(a *base.App) (g config.GatewayTable, err error) {
	for _, s := range a.Registry.All() {
		for _, name := range s.ProxyVars {
			if err := addProxy(a, &g, name, s.Name); err != nil {
				return g, err
			}
		}
	}
	if err := addProxy(a, &g, "all_proxy", config.AllSchemes); err != nil {
		return g, err
	}
	list, name := proxyVariable(a, "no_proxy")
	var good []string
	for _, field := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if _, err := access.NewGateways(access.GatewayRules{Except: field}); err != nil {
			// Other programs may understand it.
			a.Note("the environment variable %s: ignored: %q is not a host, domain or address", name, field)
			continue
		}
		good = append(good, field)
	}
	g.Rules.Except, g.HasExcept = strings.Join(good, ","), true
	return g, nil
}

// Gateways returns the gateways of flags, configuration and proxy variables, in this order.
func Gateways(a *base.App) (*access.Gateways, error) {
	if a.Flags.NoGateway {
		return nil, nil
	}
	below, err := proxies(a)
	if err != nil {
		return nil, err
	}
	return GatewaysOver(a, below)
}

// GatewaysOver returns the gateways of flags and configuration, and below for the rest.
func GatewaysOver(a *base.App, below config.GatewayTable) (*access.Gateways, error) {
	if a.Flags.NoGateway {
		return nil, nil
	}
	table, err := GatewayTable(a)
	if err != nil {
		return nil, err
	}
	g, err := access.NewGateways(table.Over(below).Rules)
	return g, config.Unprefixed(err)
}

// GatewayTable returns the gateways of the flags and the configuration.
func GatewayTable(a *base.App) (flags config.GatewayTable, err error) {
	for _, text := range a.Flags.Gateways {
		if err := flags.Set(text); err != nil {
			return flags, fmt.Errorf("--gateway: %w", err)
		}
	}
	return flags.Over(a.Config.Gateways), nil
}

// addProxy adds the gateway of a scheme that a variable names, if any.
func addProxy(a *base.App, g *config.GatewayTable, variable, scheme string) error {
	value, name := proxyVariable(a, variable)
	value = strings.TrimSpace(value)
	if value == "" {
		return nil
	}
	written := value
	if !strings.Contains(value, "://") {
		value = "http://" + value
	}
	err := g.Entry(scheme).UnmarshalText([]byte(value))
	// The "http://" in the message would hide that the value may be a mistyped URL with a
	// password.
	if masked := locus.Mask(written); err != nil && masked != written {
		return fmt.Errorf("the environment variable %s: %s is not a gateway: write http://host:port", name, locus.Quote(masked))
	}
	if err != nil {
		return fmt.Errorf("the environment variable %s: %w", name, err)
	}
	return nil
}

// GatewayFor returns the gateway for URLs of a scheme, registered or not.
func GatewayFor(a *base.App, gateways *access.Gateways, name string) access.Gateway {
	s, ok := a.Registry.Lookup(name)
	if !ok {
		s = scheme.Generic(name, scheme.Reserved)
	}
	return gateways.For(s)
}
