// Package filelock locks a file for one process at a time. The file's text is JSON
// whose "process" is the number of the process that has the lock.
package filelock

import (
	"encoding/json"
	"errors"
	"io"
	"os"
)

// MaxText is the greatest length of the text in a lock file, in bytes.
const MaxText = 1 << 10

// ErrLocked is the error of [Try] for a file that another process has locked.
var ErrLocked = errors.New("locked by another process")

// Try locks f without waiting; closing f, and the end of the process, unlock it. The
// error is [ErrLocked] if another process has locked it, and [errors.ErrUnsupported]
// if the system or the file system has no locks.
func Try(f *os.File) error { return lock(f) }

// Process returns the number of the process that the text of f names; 0 if none.
func Process(f *os.File) int {
	var text struct {
		Process int `json:"process"`
	}
	if Read(f, &text) != nil {
		return 0
	}
	return text.Process
}

// Read decodes the text of f into value.
func Read(f *os.File, value any) error {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, MaxText))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}
