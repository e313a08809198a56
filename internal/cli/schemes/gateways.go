package schemes

import (
	"maps"
	"slices"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/config"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
)

// unregisteredStatus is the status of a scheme that only a gateway is known for.
const unregisteredStatus = "unregistered"

// unregisteredGateways returns the schemes that flags or the configuration give a
// gateway, and that are not registered.
func unregisteredGateways(a *base.App) (names []string) {
	table := a.Config.Gateways
	for _, text := range a.Flags.Gateways {
		// What is wrong with a flag was told when the gateways were made.
		var flag config.GatewayTable
		if flag.Set(text) == nil {
			table = flag.Over(table)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(table.Rules.Schemes)) {
		if _, known := a.Registry.Lookup(name); !known {
			names = append(names, name)
		}
	}
	return names
}

// namedSchemes are the schemes that are not in the registry: those that IANA names, and
// then those that only a gateway is known for.
func namedSchemes(a *base.App, gateways *access.Gateways) []shape.Scheme {
	list := shape.NamedSchemes(a.Registry)
	for _, name := range unregisteredGateways(a) {
		if g := gateways.For(name); scheme.NameStatus(name) == "" && !g.IsZero() {
			list = append(list, shape.Scheme{Name: name, Status: unregisteredStatus})
		}
	}
	return list
}
