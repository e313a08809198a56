// Package filelock locks a file for one process at a time. The text of the file is a JSON object,
// in which the member "process" is the ID of the process that holds the lock.
package filelock

import (
	"encoding/json"
	"errors"
	"io"
	"os"
)

// MaxText is the maximum length of the text in a lock file, in bytes.
const MaxText = 1 << 10

// ErrLocked is the error that [Try] returns if another process has locked the file.
var ErrLocked = errors.New("locked by another process")

// Try locks the file f without waiting. Closing f, or the end of the process, unlocks the file.
// The error is [ErrLocked] if another process has locked f, and [errors.ErrUnsupported] if the
// system or the file system does not support locks.
func Try(f *os.File) error { return lock(f) }

// Process returns the process ID in the text of f, or 0 if the text contains no process ID.
func Process(f *os.File) int {
	var text struct {
		Process int `json:"process"`
	}
	if Read(f, &text) != nil {
		return 0
	}
	return text.Process
}

// Read decodes the JSON text of the file f into value.
func Read(f *os.File, value any) error {
	text, err := io.ReadAll(io.NewSectionReader(f, 0, MaxText))
	if err != nil {
		return err
	}
	return json.Unmarshal(text, value)
}
