package access

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
)

// CheckProxies connects to each proxy of Options.Proxies, and closes the connection without
// sending anything. It does not check templates. The error names the proxies that can't be
// reached. It may be called concurrently.
func (c *Client) CheckProxies(ctx context.Context) error {
	list := c.options.Proxies.proxies()
	errs := make([]error, len(list))
	var all sync.WaitGroup
	for i, g := range list {
		all.Go(func() {
			conn, err := c.proxyDialer(g).DialContext(ctx, "tcp", g.address())
			if err != nil {
				errs[i] = fmt.Errorf("%s: %w", g, err)
				return
			}
			conn.Close()
		})
	}
	all.Wait()
	return errors.Join(errs...)
}

// proxies returns each proxy once, sorted by text.
func (g *Proxies) proxies() (list []Proxy) {
	if g == nil {
		return nil
	}
	for _, one := range append(slices.Collect(maps.Values(g.schemes)), g.all) {
		isProxy := one.kind == httpProxy || one.kind == socks || one.kind == socksNames
		if isProxy && !slices.Contains(list, one) {
			list = append(list, one)
		}
	}
	slices.SortFunc(list, func(a, b Proxy) int { return a.url.Compare(b.url) })
	return list
}
