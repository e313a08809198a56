package main

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
type openTable interface{ entry(name string) tableEntry }

// entryVariable returns the name in the environment of a key of a table.
func (s setting) entryVariable(name string) string {
	return s.variable() + "_" + strings.ToUpper(strings.NewReplacer(".", "_", "-", "_", "+", "_").Replace(name))
}

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
