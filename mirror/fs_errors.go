package mirror

import (
	"errors"
	"io/fs"
)

var (
	errNoDirectory = errors.New("not a directory")
	errDirectory   = errors.New("is a directory")
	errChanged     = errors.New("the object has changed since it was opened")
)

// pathError adds the operation and the file name to err. If err is nil, pathError returns nil.
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}
