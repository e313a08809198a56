//go:build unix

package gateway

import (
	"io/fs"

	"golang.org/x/sys/unix"
)

// withMode calls the function f, which creates a socket with the given mode. The socket has this
// mode from its creation, so no other user can connect before the mode is set. A zero mode changes
// nothing.
func withMode(mode fs.FileMode, f func() error) error {
	if mode == 0 {
		return f()
	}
	was := unix.Umask(int(fs.ModePerm &^ mode))
	defer unix.Umask(was)
	return f()
}
