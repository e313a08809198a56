//go:build unix

package mailstore

import "syscall"

// nonblock is the flag with which opening a pipe returns immediately. A pipe may have replaced
// a regular file just before the file is opened.
const nonblock = syscall.O_NONBLOCK
