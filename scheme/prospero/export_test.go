package prospero

import "github.com/locus-url/locus/scheme/internal/ardp"

// NewWith returns a Client whose requests use the timeouts and limits in the options o.
func NewWith(o *ardp.Options) *Client { return &Client{ardp.New(o)} }
