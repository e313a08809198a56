package cache

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync"
	"testing"

	"github.com/locus-url/locus/internal/dev/faults"
	"github.com/locus-url/locus/scheme/all"
)

// faultSize is the size of the cache in bytes. The test stores more, so the cache evicts.
const faultSize = 1 << 20

// faultCache adapts a cache to a store. Close checks that the directory contains only files
// of stored responses.
type faultCache struct {
	*Store
	t  *testing.T
	rt http.RoundTripper
}

func (c *faultCache) ask(i int, field string) (status int, err error) {
	n := 1000 + i*7919%5000
	if i%7 == 6 {
		n *= 30
	}
	req, err := http.NewRequestWithContext(context.Background(), "GET", fmt.Sprintf("http://h/%d/%d", n, i), nil)
	if err != nil {
		return 0, err
	}
	req.Header.Set("Cache-Control", field)
	resp, err := c.rt.RoundTrip(req)
	if err != nil {
		return 0, err
	}
	defer resp.Body.Close()
	octets, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode == 200 && string(octets) != text(req.URL.String(), n) {
		err = fmt.Errorf("%w: %d octets", faults.ErrWrong, len(octets))
	}
	return resp.StatusCode, err
}

// Put sends four concurrent requests.
func (c *faultCache) Put(i int) error {
	var all sync.WaitGroup
	errs := make([]error, 4)
	for worker := range errs {
		all.Go(func() { _, errs[worker] = c.ask(i+1000*worker, "max-age=1000") })
	}
	all.Wait()
	return cmp.Or(errs...)
}

func (c *faultCache) Get(i int) (bool, error) {
	status, err := c.ask(i, "only-if-cached")
	return status == 200, err
}

func (c *faultCache) Close() error {
	err := c.Store.Close()
	size, files, entries := diskUsage(c.t, c.Store), countBodies(c.t, c.Store), c.Stats().Entries
	if err == nil && (size > faultSize || files != entries) {
		err = fmt.Errorf("%s: %d octets, %d files, %d answers", c.dir, size, files, entries)
	}
	return err
}

func TestFaults(t *testing.T) {
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			s, err := Open(dir, registry, &Options{Size: faultSize, Memory: 1})
			if err != nil {
				return nil, err
			}
			return &faultCache{s, t, s.Transport(texts())}, nil
		},
		Promise: faults.Never,
		Entries: 30,
	})
}
