package schemes

import (
	"maps"
	"slices"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/cli/base"
	"github.com/locus-url/locus/internal/cli/client"
	"github.com/locus-url/locus/internal/cli/config"
	"github.com/locus-url/locus/internal/shape"
	"github.com/locus-url/locus/scheme"
)

// unregisteredStatus is the status of a scheme that has only a gateway.
const unregisteredStatus = "unregistered"

// unregisteredGateways returns the unregistered schemes that have a gateway by flags or
// configuration.
func unregisteredGateways(a *base.App) (names []string) {
	table := a.Config.Gateways
	for _, text := range a.Flags.Gateways {
		// Errors in flags were reported when the gateways were made.
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

// namedSchemes returns the schemes outside the registry: those that IANA names, and
// then those that have only a gateway.
func namedSchemes(a *base.App, gateways *access.Gateways) []shape.Scheme {
	list := shape.NamedSchemes(a.Registry)
	for _, name := range unregisteredGateways(a) {
		if g := client.GatewayFor(a, gateways, name); scheme.NameStatus(name) == "" && !g.IsZero() {
			list = append(list, shape.Scheme{Name: name, Status: unregisteredStatus})
		}
	}
	return list
}
