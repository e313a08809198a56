package prospero

import "github.com/locus-url/locus/scheme/internal/ardp"

// NewWith returns a Client whose requests have the waits and limits of o.
func NewWith(o *ardp.Options) *Client { return &Client{ardp.New(o)} }
