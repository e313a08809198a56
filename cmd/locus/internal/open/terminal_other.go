//go:build !unix

package open

import (
	"syscall"
)

func onResize(func()) (stop func()) { return func() {} }

func suspendSelf() {}

func apart() *syscall.SysProcAttr { return nil }

func unmoved() {}
