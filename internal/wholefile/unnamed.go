package wholefile

import (
	"errors"
	"os"
)

// Temporary is a file that exists until it is closed or the process ends.
type Temporary struct {
	*os.File
	name string // name of the file that Close removes; empty if the file has no name
}

// CreateTemporary creates a file for reading and writing. The parameters folder and
// pattern have the meaning of the parameters dir and pattern of [os.CreateTemp]. If the
// system supports it, the file has no name.
func CreateTemporary(folder, pattern string) (*Temporary, error) {
	if folder == "" {
		folder = os.TempDir()
	}
	// A file that never has a name disappears even if the process is killed.
	if f, err := unnamed(folder); err == nil {
		return &Temporary{File: f}, nil
	}
	f, err := os.CreateTemp(folder, pattern)
	if err != nil {
		return nil, err
	}
	t := &Temporary{File: f}
	if os.Remove(f.Name()) != nil {
		t.name = f.Name() // Windows can't remove the file while it is open
	}
	return t, nil
}

// Close closes and removes the file.
func (t *Temporary) Close() error {
	err := t.File.Close()
	if t.name != "" {
		err = errors.Join(err, os.Remove(t.name))
	}
	return err
}
