//go:build unix

package file

import "syscall"

// nonblock makes opening a pipe return at once: a pipe may have replaced the file since
// it was checked.
const nonblock = syscall.O_NONBLOCK
