package menufs

import (
	"errors"
	"io/fs"

	"github.com/locus-url/locus/access"
)

var (
	errNoDirectory = errors.New("not a directory")
	errDirectory   = errors.New("a directory has entries, and no octets to read")
	errChanged     = errors.New("the object is not the one any more that was opened")
)

// pathError says which name err is about; nil if err is.
func pathError(op, name string, err error) error {
	if err == nil {
		return nil
	}
	if access.KindOf(err) == access.Denied {
		err = denied{err}
	}
	return &fs.PathError{Op: op, Path: name, Err: err}
}

// denied is a refusal by the policy, as package fs knows it.
type denied struct{ error }

func (d denied) Unwrap() error        { return d.error }
func (d denied) Is(target error) bool { return target == fs.ErrPermission }
