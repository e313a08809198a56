package transfer

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
)

var (
	// ErrFile means that a file could not be read or written.
	ErrFile = errors.New("can't read or write a file")
	// ErrExists means that a file exists and must not be replaced. It wraps fs.ErrExist.
	ErrExists = fmt.Errorf("not replaced: %w", fs.ErrExist)
	// ErrForeign means that another program wrote a file with the name of a part.
	ErrForeign = errors.New("not a partial download of this file")
	// ErrNotObject means that the resource contains no bytes to write, because it is a menu
	// (without Options.Menu), a session or a redirect.
	ErrNotObject = errors.New("not an object")
	// ErrCoded means that the body has an unsupported content coding, so the file would not
	// contain the object.
	ErrCoded = errors.New("unsupported content coding")
	// ErrTwice means that two objects would be written to the same file.
	ErrTwice = errors.New("two URLs have the same file name")
	// ErrName means that a name is not a valid file name.
	ErrName = errors.New("not a file name")
)

// Error reports that a URL could not be downloaded to its file.
type Error struct {
	URL      locus.URL
	File     string // path of the file
	Part     string // path of the part that a later run can resume; empty if there is no part
	PartSize int64  // size of Part in bytes
	// Resumable reports that, according to the server, a later run can continue the download of
	// Part.
	Resumable bool
	Err       error
}

func (e *Error) Error() string {
	// An error from package access begins with the module's name and the URL.
	text := strings.TrimPrefix(e.Err.Error(), "locus: ")
	// Replace the error texts of package context, which mean little to users.
	switch e.Err {
	case context.Canceled:
		text = "interrupted"
	case context.DeadlineExceeded:
		text = "exceeded the time limit"
	}
	if !isFileError(e.Err) {
		text = e.File + ": " + text
	}
	if !errors.As(e.Err, new(*access.Error)) {
		text += ", from " + e.URL.Shown()
	}
	if e.Part != "" {
		text += fmt.Sprintf("; %d bytes are saved in %s", e.PartSize, e.Part)
	}
	return "transfer: " + text
}

func (e *Error) Unwrap() error { return e.Err }

// isFileError reports whether err is an error about a local file and contains the name of
// the file.
func isFileError(err error) bool {
	return errors.Is(err, ErrFile) || errors.Is(err, ErrExists) || errors.Is(err, ErrForeign) || errors.As(err, new(*BusyError))
}

// fileError is a system error about a file. It adds the path of the file, because errors
// from an os.Root contain only the name.
type fileError struct {
	path string
	err  error
}

func (e *fileError) Error() string        { return e.path + ": " + e.err.Error() }
func (e *fileError) Unwrap() error        { return e.err }
func (e *fileError) Is(target error) bool { return target == ErrFile }
