//go:build unix

package mailstore

import "syscall"

// nonblock makes opening a pipe return immediately, because a pipe may have just replaced a regular
// file.
const nonblock = syscall.O_NONBLOCK
