//go:build unix

package main

import "syscall"

func setUmask(mask int) (restore func()) {
	was := syscall.Umask(mask)
	return func() { syscall.Umask(was) }
}
