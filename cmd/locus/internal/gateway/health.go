package gateway

import (
	"context"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/gateway"
)

// health returns the health checks of the gateway.
func (s *settings) health(opener *access.Client) []gateway.HealthCheck {
	var checks []gateway.HealthCheck
	if store := s.cache; store != nil {
		checks = append(checks, gateway.HealthCheck{Part: "cache", Check: func(context.Context) error { return store.Check() }})
	}
	if s.archive.Wanted() {
		checks = append(checks, gateway.HealthCheck{Part: "archive", Check: func(context.Context) error { return s.archive.Err() }})
	}
	if s.locators != nil {
		checks = append(checks, gateway.HealthCheck{Part: "proxies", Check: opener.CheckProxies})
	}
	return checks
}
