package gateway

import (
	"runtime/debug"
	"slices"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/config"
)

// settings contains the values from reading the configuration once. A reload creates new
// settings.
type settings struct {
	*gatewayCommand
	app    *base.App // contains the configuration
	config config.Gateway

	locators *access.Proxies // proxies and URL templates for requests
	relays   *access.Client  // client for the mail relay; may be nil
}

// settings returns the settings from the configuration of the program a. Flags replace
// values from the configuration.
func (c *gatewayCommand) settings(a *base.App) *settings {
	if c.flags == nil {
		return &settings{gatewayCommand: c, app: a, config: c.values}
	}
	s := &settings{gatewayCommand: c, app: a, config: a.Config.Gateway}
	use(c, "listen", &s.config.Listen, c.values.Listen)
	use(c, "name", &s.config.Names, c.values.Names)
	use(c, "allow", &s.config.Allow, c.values.Allow)
	use(c, "deny", &s.config.Deny, c.values.Deny)
	use(c, "files", &s.config.Files, c.values.Files)
	use(c, "connect-port", &s.config.ConnectPorts, c.values.ConnectPorts)
	use(c, "cache", &s.config.Cache, c.values.Cache)
	use(c, "cache-size", &s.config.CacheSize, c.values.CacheSize)
	use(c, "no-cache", &s.config.NoCache, c.values.NoCache)
	use(c, "log-format", &s.config.LogFormat, c.values.LogFormat)
	return s
}

// use replaces a setting with the value of a flag, if the user has set this flag.
func use[T any](c *gatewayCommand, flag string, value *T, said T) {
	if c.flags.Changed(flag) {
		*value = said
	}
}

// limitMemory makes the runtime collect garbage before the memory use reaches the limit at which
// the gateway rejects requests.
func (s *settings) limitMemory() {
	limit := s.memoryLimit
	if most := int64(s.config.Memory); most > 0 {
		limit = most - most/8
	}
	debug.SetMemoryLimit(limit)
}

// keepFixed restores the former values of settings that only a restart can change. It returns the
// keys of the settings that differ.
func (s *settings) keepFixed(former *settings) (keys []string) {
	to, from := &s.config, &former.config
	differs := func(key string, differs bool) {
		if differs {
			keys = append(keys, key)
		}
	}
	differs("gateway.listen", to.Listen != from.Listen)
	differs("gateway.cache", to.Cache != from.Cache)
	differs("gateway.cache_size", to.CacheSize != from.CacheSize)
	differs("gateway.no_cache", to.NoCache != from.NoCache)
	differs("gateway.log_format", to.LogFormat != from.LogFormat)
	differs("gateway.connections", to.Connections != from.Connections)
	to.Listen, to.Cache, to.CacheSize, to.NoCache, to.LogFormat, to.Connections = from.Listen, from.Cache, from.CacheSize, from.NoCache, from.LogFormat, from.Connections
	mail, formerMail := &s.app.Config.Mail, &former.app.Config.Mail
	differs("mail.stores", !slices.Equal(mail.Stores, formerMail.Stores))
	differs("mail.cache", mail.Cache != formerMail.Cache)
	mail.Stores, mail.Cache = formerMail.Stores, formerMail.Cache
	return keys
}
