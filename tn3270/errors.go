package tn3270

import (
	"errors"
	"fmt"
)

var (
	// ErrData is wrapped by each [DataError]: the host sent what is no 3270 data
	// stream.
	ErrData = errors.New("tn3270: wrong data stream")

	// ErrOption means that there is no such model or code page.
	ErrOption = errors.New("tn3270: no such terminal")

	// ErrLocked means that the keyboard is locked; [Status] says why, and Reset
	// unlocks it.
	ErrLocked = errors.New("tn3270: the keyboard is locked")

	// ErrProtected means that a key would have changed what is protected. It locks
	// the keyboard, like the three that follow.
	ErrProtected = errors.New("tn3270: protected, nothing can be typed here")

	// ErrNumeric means that the field takes digits, "." and "-" alone.
	ErrNumeric = errors.New("tn3270: the field takes digits, \".\" and \"-\" alone")

	// ErrOverflow means that there is no room to insert.
	ErrOverflow = errors.New("tn3270: the field is full, nothing can be inserted")

	// ErrCharacter means that the host's code page has no such character. The
	// keyboard stays unlocked.
	ErrCharacter = errors.New("tn3270: the host's code page has no such character")
)

// DataError says where a record stops being a 3270 data stream. It wraps [ErrData].
type DataError struct {
	Offset int    // octets from the beginning of the record
	What   string // what is wrong there
}

func (e *DataError) Error() string {
	return fmt.Sprintf("tn3270: wrong data stream: octet %d: %s", e.Offset, e.What)
}

func (e *DataError) Unwrap() error { return ErrData }
