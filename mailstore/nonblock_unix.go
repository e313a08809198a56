//go:build unix

package mailstore

import "syscall"

// nonblock makes opening a pipe return at once: one may have replaced a file that was
// regular a moment ago.
const nonblock = syscall.O_NONBLOCK
