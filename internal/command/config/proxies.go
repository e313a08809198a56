package config

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"strings"
	"unicode"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
)

// entryVariable returns the name of the environment variable for a key in a table.
func (s setting) entryVariable(name string) string {
	// Do not use a strings.Replacer, because the program would create one for about forty
	// names at every start.
	return s.variable() + "_" + strings.Map(func(r rune) rune {
		if strings.ContainsRune(".-+", r) {
			return '_'
		}
		return unicode.ToUpper(r)
	}, name)
}

const (
	AllSchemes = "all"
	exceptions = "except"
)

// ProxyTable maps schemes to their proxies.
type ProxyTable struct {
	Rules     access.ProxyRules
	HasExcept bool
}

type proxyEntry struct {
	table *ProxyTable
	name  string
}

// Entry returns a value whose UnmarshalText method sets the entry for a key.
func (g *ProxyTable) Entry(name string) encoding.TextUnmarshaler { return proxyEntry{g, name} }

// UnmarshalText sets a proxy or the exceptions. No error contains a password.
func (e proxyEntry) UnmarshalText(text []byte) error {
	g := e.table
	if e.name == exceptions {
		g.Rules.Except, g.HasExcept = string(text), true
		_, err := access.NewProxies(access.ProxyRules{Except: g.Rules.Except})
		return Unprefixed(err)
	}
	if !locus.IsScheme(e.name) {
		return fmt.Errorf("%q is not the name of a scheme in lower case", e.name)
	}
	gateway, err := access.ParseProxy(string(text))
	if err != nil {
		return Unprefixed(err)
	}
	if e.name == AllSchemes {
		g.Rules.All = gateway
		return nil
	}
	if g.Rules.Schemes == nil {
		g.Rules.Schemes = make(map[string]access.Proxy)
	}
	g.Rules.Schemes[e.name] = gateway
	return nil
}

// Unprefixed removes the program name from err, because every message already begins with the
// program name.
func Unprefixed(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "locus: "))
}

// UnmarshalText parses entries of the form SCHEME=PROXY, which are separated by spaces.
func (g *ProxyTable) UnmarshalText(text []byte) error {
	for _, word := range strings.Fields(string(text)) {
		if err := g.Set(word); err != nil {
			return err
		}
	}
	return nil
}

// Set parses an entry of the form SCHEME=PROXY.
func (g *ProxyTable) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || strings.ContainsAny(name, ":/@") {
		// The text may contain a password, so the error omits it.
		return errors.New("write SCHEME=PROXY")
	}
	if err := g.Entry(name).UnmarshalText([]byte(value)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Over returns a table with the entries of g, and with all entries of below whose schemes are not
// in g.
func (g ProxyTable) Over(below ProxyTable) ProxyTable {
	schemes := maps.Clone(below.Rules.Schemes)
	if schemes == nil {
		schemes = make(map[string]access.Proxy)
	}
	maps.Copy(schemes, g.Rules.Schemes)
	below.Rules.Schemes = schemes
	if !g.Rules.All.IsZero() {
		below.Rules.All = g.Rules.All
	}
	if g.HasExcept {
		below.Rules.Except, below.HasExcept = g.Rules.Except, true
	}
	return below
}
