package client

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/config"
)

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
	{"all_proxy", []string{config.AllSchemes}},
}

// proxyVariable returns the value of a variable, in lower case or upper case. In CGI,
// a header "Proxy" of whoever sends a request is HTTP_PROXY (httpoxy), so
// that is never read; and where the names of variables have no case, as on
// Windows, http_proxy is the same.
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

// proxies are the gateways that the variables name.
func proxies(a *base.App) (g config.GatewayTable, err error) {
	for _, v := range proxyVariables {
		value, name := proxyVariable(a, v.name)
		value = strings.TrimSpace(value)
		if value == "" {
			continue
		}
		written := value
		if !strings.Contains(value, "://") {
			value = "http://" + value
		}
		for _, scheme := range v.schemes {
			if err := g.Entry(scheme).UnmarshalText([]byte(value)); err != nil {
				// The message has the value with "http://" before it, which hides from a
				// reader of messages that it may be a mistyped URL with a password.
				if masked := locus.Mask(written); masked != written {
					return g, fmt.Errorf("the environment variable %s: %s is not a gateway: write http://host:port", name, locus.Quote(masked))
				}
				return g, fmt.Errorf("the environment variable %s: %w", name, err)
			}
		}
	}
	list, name := proxyVariable(a, "no_proxy")
	var good []string
	for _, field := range strings.FieldsFunc(list, func(r rune) bool { return r == ',' || r == ' ' || r == '\t' }) {
		if _, err := access.NewGateways(access.GatewayRules{Except: field}); err != nil {
			// Other programs may have a use for it; and to go by way of the proxy tells
			// nobody more.
			a.Note("the environment variable %s: %q excepts nothing here", name, field)
			continue
		}
		good = append(good, field)
	}
	g.Rules.Except, g.HasExcept = strings.Join(good, ","), true
	return g, nil
}

// Gateways returns what URLs go by way of: by the flags, else the configuration, else
// the variables of other programs.
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

// GatewaysOver returns those of the flags and the configuration, over below.
func GatewaysOver(a *base.App, below config.GatewayTable) (*access.Gateways, error) {
	if a.Flags.NoGateway {
		return nil, nil
	}
	var flags config.GatewayTable
	for _, text := range a.Flags.Gateways {
		if err := flags.Set(text); err != nil {
			return nil, fmt.Errorf("--gateway: %w", err)
		}
	}
	g, err := access.NewGateways(flags.Over(a.Config.Gateways.Over(below)).Rules)
	return g, config.Unprefixed(err)
}
