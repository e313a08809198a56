//go:build !unix

package main

import "os"

// hangUp is a signal that is there already.
var hangUp = os.Interrupt
