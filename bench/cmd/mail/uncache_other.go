//go:build !linux || !(amd64 || arm64)

package main

// settle does nothing, because there is no portable call.
func settle() {}

func uncache(string) error { return nil }
