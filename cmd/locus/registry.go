package main

import (
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// newRegistry returns the schemes that the command knows.
func newRegistry() (*scheme.Registry, error) { return all.Registry(nil) }
