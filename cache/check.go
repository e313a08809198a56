package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// checkSize is the number of bytes that Check writes. This number exceeds the block size of common
// file systems.
const checkSize = 64 << 10

// Check writes a small file into the directory of the store and removes it. It returns an
// error if the store can't write, because the directory is missing or read-only, or the
// disk is full. Calls of Check must not be concurrent.
func (s *Store) Check() error {
	path := filepath.Join(s.dir, "check")
	// A killed process may have left the file.
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("cache: %w", err)
	}
	f, err := s.create(path)
	if err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	_, err = f.Write(make([]byte, checkSize))
	if err = errors.Join(err, f.Close(), os.Remove(path)); err != nil {
		return fmt.Errorf("cache: %w", err)
	}
	return nil
}
