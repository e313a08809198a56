// Package filelock locks a file for one process at a time. The file's text is a JSON object.
// Its member "process" is the ID of the process that holds the lock.
package filelock

import (
	"encoding/json"
	"errors"
	"io"
	"os"
)

// MaxText is the maximum length of the text in a lock file, in bytes.
const MaxText = 1 << 10

// ErrLocked means that another process has locked the file. [Try] returns it.
var ErrLocked = errors.New("locked by another process")

// Try locks f without waiting. Closing f, or the end of the process, unlocks it. The
// error is [ErrLocked] if another process has locked f, and [errors.ErrUnsupported]
// if the system or the file system does not support locks.
func Try(f *os.File) error { return lock(f) }

// Process returns the process ID in the text of f, or 0 if there is none.
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
