package cache

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"testing"

	"github.com/locus-url/locus/internal/faults"
	"github.com/locus-url/locus/scheme/all"
)

// faultCache is a cache of answers as a store.
type faultCache struct {
	*Store
	rt http.RoundTripper
}

func (c *faultCache) ask(i int, field string) (body string, status int, err error) {
	n := 1000 + i*7919%5000
	req, err := http.NewRequestWithContext(context.Background(), "GET", fmt.Sprintf("http://h/%d/%d", n, i), nil)
	if err != nil {
		return "", 0, err
	}
	req.Header.Set("Cache-Control", field)
	resp, err := c.rt.RoundTrip(req)
	if err != nil {
		return "", 0, err
	}
	defer resp.Body.Close()
	octets, err := io.ReadAll(resp.Body)
	if err == nil && resp.StatusCode == 200 && string(octets) != text(req.URL.String(), n) {
		err = fmt.Errorf("%w: %d octets", faults.ErrWrong, len(octets))
	}
	return string(octets), resp.StatusCode, err
}

func (c *faultCache) Put(i int) error {
	_, _, err := c.ask(i, "max-age=1000")
	return err
}

func (c *faultCache) Get(i int) (bool, error) {
	_, status, err := c.ask(i, "only-if-cached")
	return status == 200, err
}

func TestFaults(t *testing.T) {
	registry, err := all.Registry()
	if err != nil {
		t.Fatal(err)
	}
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			s, err := Open(dir, registry, &Options{Size: 4 << 20, Memory: 1})
			if err != nil {
				return nil, err
			}
			return &faultCache{s, s.Transport(texts())}, nil
		},
		Promise: faults.Never,
	})
}
