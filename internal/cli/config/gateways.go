package config

import (
	"encoding"
	"errors"
	"fmt"
	"maps"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
)

// tableEntry takes one value of a table whose keys are not known beforehand.
type tableEntry = encoding.TextUnmarshaler

// openTable is a setting that is such a table.
type openTable interface{ Entry(name string) tableEntry }

// entryVariable returns the name in the environment of a key of a table.
func (s setting) entryVariable(name string) string {
	return s.variable() + "_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_", "+", "_").Replace(name))
}

// Names in the table of gateways that are no schemes.
const (
	AllSchemes = "all"
	exceptions = "except"
)

// GatewayTable is what URLs go by way of, as the configuration has it.
type GatewayTable struct {
	Rules     access.GatewayRules
	HasExcept bool
}

// gatewayEntry is what a table has under one name.
type gatewayEntry struct {
	table *GatewayTable
	name  string
}

// Entry returns where the value of that name goes.
func (g *GatewayTable) Entry(name string) tableEntry { return gatewayEntry{g, name} }

// UnmarshalText takes the gateway of a scheme, or exceptions. No error has the
// password of a gateway.
func (e gatewayEntry) UnmarshalText(text []byte) error {
	g := e.table
	if e.name == exceptions {
		g.Rules.Except, g.HasExcept = string(text), true
		_, err := access.NewGateways(access.GatewayRules{Except: g.Rules.Except})
		return Unprefixed(err)
	}
	if !locus.IsScheme(e.name) {
		return fmt.Errorf("%q is not the name of a scheme in lower case", e.name)
	}
	gateway, err := access.ParseGateway(string(text))
	if err != nil {
		return Unprefixed(err)
	}
	if e.name == AllSchemes {
		g.Rules.All = gateway
		return nil
	}
	if g.Rules.Schemes == nil {
		g.Rules.Schemes = make(map[string]access.Gateway)
	}
	g.Rules.Schemes[e.name] = gateway
	return nil
}

// Unprefixed leaves out the name of the program, which begins every message.
func Unprefixed(err error) error {
	if err == nil {
		return nil
	}
	return errors.New(strings.TrimPrefix(err.Error(), "locus: "))
}

// UnmarshalText takes SCHEME=GATEWAY with blanks between them.
func (g *GatewayTable) UnmarshalText(text []byte) error {
	for _, word := range strings.Fields(string(text)) {
		if err := g.Set(word); err != nil {
			return err
		}
	}
	return nil
}

// Set takes SCHEME=GATEWAY.
func (g *GatewayTable) Set(text string) error {
	name, value, ok := strings.Cut(text, "=")
	if !ok || strings.ContainsAny(name, ":/@") {
		// A password may be anywhere in it.
		return errors.New("a gateway is written SCHEME=GATEWAY")
	}
	if err := g.Entry(name).UnmarshalText([]byte(value)); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Over puts what g has over what below has.
func (g GatewayTable) Over(below GatewayTable) GatewayTable {
	schemes := maps.Clone(below.Rules.Schemes)
	if schemes == nil {
		schemes = make(map[string]access.Gateway)
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
