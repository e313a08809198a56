package main

import (
	"maps"
	"slices"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/shape"
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

func unregisteredJSON(name string, gateways *access.Gateways) schemeJSON {
	j := schemeJSON{Scheme: shape.Scheme{Name: name, Status: unregisteredStatus}}
	if g := gateways.For(name); !g.IsZero() {
		j.Gateway = text(g.String())
	}
	return j
}
