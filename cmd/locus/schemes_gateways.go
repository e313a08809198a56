package main

import (
	"maps"
	"slices"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
)

// unregisteredStatus is the status of a scheme that only a gateway is known for.
const unregisteredStatus = "unregistered"

// unregisteredGateways returns the schemes that flags or the configuration give a
// gateway, and that are not registered.
func (a *app) unregisteredGateways() (names []string) {
	table := a.config.Gateways
	for _, text := range a.flags.gateway {
		// What is wrong with a flag was told when the gateways were made.
		var flag gatewayTable
		if flag.set(text) == nil {
			table = flag.over(table)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(table.rules.Schemes)) {
		if _, known := a.registry.Lookup(name); !known {
			names = append(names, name)
		}
	}
	return names
}

// gatewayFor returns the gateway for URLs of a scheme, registered or not.
func (a *app) gatewayFor(gateways *access.Gateways, name string) access.Gateway {
	s, ok := a.registry.Lookup(name)
	if !ok {
		s = scheme.Generic(name, scheme.Reserved)
	}
	return gateways.For(s)
}

// namedSchemes are the schemes that are not in the registry: those that IANA names, and
// then those that only a gateway is known for.
func (a *app) namedSchemes(gateways *access.Gateways) []shape.Scheme {
	list := shape.NamedSchemes(a.registry)
	for _, name := range a.unregisteredGateways() {
		if g := a.gatewayFor(gateways, name); scheme.NameStatus(name) == "" && !g.IsZero() {
			list = append(list, shape.Scheme{Name: name, Status: unregisteredStatus})
		}
	}
	return list
}
