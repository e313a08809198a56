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

// settle waits until what was written is on the disk: the rest can't be forgotten.
func settle() { syscall.Sync() }

// uncache has the system forget what it holds in memory of the contents of a file,
// or of all files in a folder.
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
