package gateway

import (
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"syscall"
	"time"

	"github.com/coreos/go-systemd/v22/activation"

	"github.com/locus-url/locus"
)

// listen returns listeners for the sockets that systemd has opened for this process. Without such
// sockets, it listens on the configured address.
func (s *settings) listen() ([]net.Listener, error) {
	if files := activation.Files(true); len(files) > 0 {
		return listenersOf(files)
	}
	l, err := s.listenConfigured()
	if err != nil {
		return nil, err
	}
	return []net.Listener{l}, nil
}

// listenersOf converts socket files to listeners.
func listenersOf(files []*os.File) (list []net.Listener, err error) {
	for _, f := range files {
		l, err := net.FileListener(f)
		f.Close()
		if err != nil {
			for _, l := range list {
				l.Close()
			}
			return nil, fmt.Errorf("the socket %s of systemd is not a TCP or Unix stream socket: %w", locus.Quote(f.Name()), err)
		}
		list = append(list, l)
	}
	return list, nil
}

func (s *settings) listenConfigured() (net.Listener, error) {
	path, mode, ok := s.config.Listen.Socket()
	if !ok {
		return net.Listen("tcp", string(s.config.Listen))
	}
	if err := removeStale(path); err != nil {
		return nil, err
	}
	var l net.Listener
	err := withMode(mode, func() (err error) {
		l, err = net.Listen("unix", path)
		return err
	})
	if errors.Is(err, syscall.EINVAL) {
		err = fmt.Errorf("the path of a socket must be shorter: %w", err)
	}
	return l, err
}

// staleTime is how long removeStale waits for a response from another process.
const staleTime = 5 * time.Second

// removeStale removes the socket at path if no process listens on it.
func removeStale(path string) error {
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.Mode()&fs.ModeSocket == 0:
		return fmt.Errorf("%s exists and is not a socket", locus.Quote(path))
	}
	c, err := net.DialTimeout("unix", path, staleTime)
	if err == nil {
		c.Close()
		return fmt.Errorf("another process listens on %s", locus.Quote(path))
	}
	if !errors.Is(err, syscall.ECONNREFUSED) {
		return err
	}
	return os.Remove(path)
}
