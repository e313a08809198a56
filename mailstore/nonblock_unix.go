//go:build unix

package mailstore

import "syscall"

// nonblock makes opening a pipe return at once: one could have taken the place of
// a file since it was looked at.
const nonblock = syscall.O_NONBLOCK
