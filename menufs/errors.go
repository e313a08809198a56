package menufs

import (
	"errors"
	"io/fs"

	"github.com/locus-url/locus/access"
)

var (
	errNoDirectory = errors.New("not a directory")
	errDirectory   = errors.New("is a directory")
	errChanged     = errors.New("the object has changed since it was opened")
)

// pathError adds the name to err, which may be nil.
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	if access.KindOf(err) == access.Denied {
		err = denied{err}
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// denied makes a denial by the policy an fs.ErrPermission.
type denied struct{ error }

func (d denied) Unwrap() error        { return d.error }
func (d denied) Is(target error) bool { return target == fs.ErrPermission }
