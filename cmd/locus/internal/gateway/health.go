package gateway

import (
	"context"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/cache"
	"github.com/locus-url/locus/gateway"
)

// health returns the health checks of the gateway. store may be nil.
func (c *gatewayCommand) health(opener *access.Client, store *cache.Store) []gateway.HealthCheck {
	var checks []gateway.HealthCheck
	if store != nil {
		checks = append(checks, gateway.HealthCheck{Part: "cache", Check: func(context.Context) error { return store.Check() }})
	}
	if c.archive.Wanted() {
		checks = append(checks, gateway.HealthCheck{Part: "archive", Check: func(context.Context) error { return c.archive.Err() }})
	}
	if c.locators != nil {
		checks = append(checks, gateway.HealthCheck{Part: "proxies", Check: opener.CheckProxies})
	}
	return checks
}
