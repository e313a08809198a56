package tn3270

import (
	"errors"
	"fmt"
)

var (
	// ErrData means that the host sent an invalid 3270 data stream. Each [DataError] wraps
	// ErrData.
	ErrData = errors.New("tn3270: invalid data stream")

	// ErrOption means that the model or code page does not exist.
	ErrOption = errors.New("tn3270: unsupported terminal")

	// ErrLocked means that the keyboard is locked. [Status] contains the reason. The key Reset
	// unlocks the keyboard.
	ErrLocked = errors.New("tn3270: the keyboard is locked")

	// ErrProtected means that the input would change a protected position. Like [ErrNumeric]
	// and [ErrOverflow], this error locks the keyboard.
	ErrProtected = errors.New("tn3270: the field is protected")

	// ErrNumeric means that the field accepts only digits, "." and "-".
	ErrNumeric = errors.New("tn3270: the field accepts only digits, \".\" and \"-\"")

	// ErrOverflow means that the field has no room to insert a character.
	ErrOverflow = errors.New("tn3270: the field is full, nothing can be inserted")

	// ErrCharacter means that the host's code page does not contain the character. The
	// keyboard stays unlocked.
	ErrCharacter = errors.New("tn3270: the host's code page has no such character")
)

// DataError is an error in a 3270 data stream. It wraps [ErrData].
type DataError struct {
	Offset int    // offset of the error in the record, in octets
	What   string // description of the error
}

func (e *DataError) Error() string { return fmt.Sprintf("%v: octet %d: %s", ErrData, e.Offset, e.What) }

func (e *DataError) Unwrap() error { return ErrData }
