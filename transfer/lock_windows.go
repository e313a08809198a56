package transfer

import (
	"errors"
	"os"

	"golang.org/x/sys/windows"
)

// lockFile locks f without waiting. The error is errLocked if another has locked it.
// The octet that is locked lies after those of the file, which stay readable.
func lockFile(f *os.File) error {
	at := &windows.Overlapped{Offset: maxHolder}
	err := windows.LockFileEx(windows.Handle(f.Fd()), windows.LOCKFILE_EXCLUSIVE_LOCK|windows.LOCKFILE_FAIL_IMMEDIATELY, 0, 1, 0, at)
	if errors.Is(err, windows.ERROR_LOCK_VIOLATION) || errors.Is(err, windows.ERROR_IO_PENDING) {
		return errLocked
	}
	return err
}
