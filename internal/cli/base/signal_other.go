//go:build !unix

package base

import "os"

// HangUpSignal returns a signal that ends the command anyway: this system has none for
// a terminal that is gone.
func HangUpSignal() os.Signal { return os.Interrupt }
