//go:build amd64 || arm64

package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// dontNeed is POSIX_FADV_DONTNEED.
const dontNeed = 4

// settle writes dirty pages to the disk, because the system can't drop dirty pages from the cache.
func settle() { syscall.Sync() }

// uncache drops a file, or all files in a directory, from the page cache.
func uncache(path string) error {
	return filepath.WalkDir(path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		f, err := os.Open(path)
		if err != nil {
			return err
		}
		defer f.Close()
		if _, _, errno := syscall.Syscall6(syscall.SYS_FADVISE64, f.Fd(), 0, 0, dontNeed, 0, 0); errno != 0 {
			return errno
		}
		return nil
	})
}
