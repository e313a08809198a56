//go:build !unix

package main

import "errors"

func setReadBuffer(uintptr, int) error { return errors.New("not on this system") }
