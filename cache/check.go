package cache

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// checkSize is what Check writes: more than the blocks of common file systems.
const checkSize = 64 << 10

// Check writes a small file into the folder of the store, and removes it. So it fails if
// answers can't be kept: the folder is missing or read-only, or the disk is full. Calls must
// not be concurrent.
func (s *Store) Check() error {
	path := filepath.Join(s.dir, "check")
	// A program that was killed may have left it.
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
