//go:build unix

package file

import "syscall"

// nonblock makes opening a pipe return at once. A pipe may have replaced the file after the
// check.
const nonblock = syscall.O_NONBLOCK
