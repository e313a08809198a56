//go:build unix

package file

import "syscall"

// nonblock prevents os.OpenFile from blocking on a pipe that may have replaced the file after the
// check of its type.
const nonblock = syscall.O_NONBLOCK
