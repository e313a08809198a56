package access_test

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
)

// ErrURL is wrapped by errors about URLs that can never receive an event. The customer
// must enter another one. After all other errors a later attempt may succeed.
var ErrURL = errors.New("webhook: this URL can't be used")

// Sender sends events. It may be used from many goroutines at once.
type Sender struct {
	client *http.Client
	total  time.Duration
}

// NewSender returns a sender. The options that are not zero replace its limits; a test
// replaces the network.
func NewSender(o access.TransportOptions) (*Sender, error) {
	rules, err := policy.New(policy.Rules{MaxHops: 3})
	if err != nil {
		return nil, err
	}
	o.Policy = rules
	o.UserAgent = cmp.Or(o.UserAgent, "webhooks/1.0 (+https://www.example/webhooks)")
	o.DialTimeout = cmp.Or(o.DialTimeout, 5*time.Second)
	o.IdleTimeout = cmp.Or(o.IdleTimeout, 10*time.Second)
	o.Limit = cmp.Or(o.Limit, 64<<10)
	return &Sender{client: &http.Client{Transport: access.NewTransport(&o)}, total: 30 * time.Second}, nil
}

// Close closes the idle connections.
func (s *Sender) Close() { s.client.CloseIdleConnections() }

// Send posts event, which is JSON, to url and returns what the server answered. ctx can end
// it earlier than the limits do.
func (s *Sender) Send(ctx context.Context, url string, event []byte) (answer []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, s.total) // redirects and the body included
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(event))
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	}
	req.Header.Set("Content-Type", "application/json")
	resp, err := s.client.Do(req)
	switch access.KindOf(err) {
	case "":
	case access.Denied, access.Syntax, access.Unsupported:
		return nil, fmt.Errorf("%w: %w", ErrURL, err)
	default:
		return nil, err
	}
	defer resp.Body.Close()
	if resp.StatusCode < 200 || resp.StatusCode > 299 {
		return nil, fmt.Errorf("webhook: the server answered %q", resp.Status)
	}
	return io.ReadAll(resp.Body) // fails with scheme.ErrTooLarge at the limit
}
