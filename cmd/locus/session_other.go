//go:build !unix

package main

import (
	"os"
	"syscall"
)

func onResize(func()) (stop func()) { return func() {} }

func suspendSelf() {}

func apart() *syscall.SysProcAttr { return nil }

func unmoved() {}

// hangUp is a signal that is there already.
var hangUp = os.Interrupt
