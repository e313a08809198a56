package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
)

var (
	// ErrFile: a file here could not be read or written. What it wraps is
	// the system's reason.
	ErrFile = errors.New("a file can't be read or written")
	// ErrExists: a file is there that nobody asked to replace. It is fs.ErrExist.
	ErrExists = fmt.Errorf("not replaced: %w", fs.ErrExist)
	// ErrForeign: what has the name of a part is somebody else's file.
	ErrForeign = errors.New("not a part of this file, by all that is known")
	// ErrNotObject: the URL leads to something that has no octets to write: a
	// menu (without Options.Menu), a session, a referral.
	ErrNotObject = errors.New("not an object")
	// ErrCoded: the octets are in a content coding that is not decoded here, and
	// would be stored as if they were the object.
	ErrCoded = errors.New("the server sent a content coding that is not decoded here")
	// ErrTwice: the same file is meant for two objects.
	ErrTwice = errors.New("the same file twice")
	// ErrName: what should be the name of a file in the folder is none.
	ErrName = errors.New("not a file's name")
)

// Error tells that one URL did not become a file.
type Error struct {
	URL  locus.URL
	File string // the path of the file that is not there
	Part string // the path of the part that is kept to go on with; empty: none
	Kept int64  // octets of Part
	// Resumable reports that the server can continue Part, as it said. False: it
	// cannot, or has not said so.
	Resumable bool
	Err       error
}

func (e *Error) Error() string {
	// What access says begins with the module's name, and names the URL.
	text := strings.TrimPrefix(e.Err.Error(), "locus: ")
	if e.Err == context.Canceled {
		text = "interrupted" // what that word of package context means to a person
	}
	if !isLocal(e.Err) {
		text = e.File + ": " + text
	}
	if !errors.As(e.Err, new(*access.Error)) {
		text += ", from " + e.URL.Redacted()
	}
	if e.Part != "" {
		text += fmt.Sprintf("; %d octets are kept in %s", e.Kept, e.Part)
	}
	return "transfer: " + text
}

func (e *Error) Unwrap() error { return e.Err }

// isLocal reports whether err is about a file here, which it then names.
func isLocal(err error) bool {
	return errors.Is(err, ErrFile) || errors.Is(err, ErrExists) || errors.Is(err, ErrForeign) || errors.As(err, new(*BusyError))
}

// fileError is what the system says of a file, by its path: an os.Root knows
// names only.
type fileError struct {
	path string
	err  error
}

func newFileError(folder, name string, err error) error {
	var onPath *fs.PathError
	var onLink *os.LinkError
	switch {
	case errors.As(err, &onPath):
		err = onPath.Err
	case errors.As(err, &onLink):
		err = onLink.Err
	}
	return &fileError{filepath.Join(folder, name), err}
}

func (e *fileError) Error() string        { return e.path + ": " + e.err.Error() }
func (e *fileError) Unwrap() error        { return e.err }
func (e *fileError) Is(target error) bool { return target == ErrFile }
