// Package wholefile writes files that have their names only when they are complete, and
// files without a name.
//
// A [Replacement] replaces a file: it is on the disk before it has its name. [Write] creates
// a small file, and the caller decides whether it waits for the disk. A [Temporary] is gone
// with its process.
package wholefile

import (
	"os"
	"time"
)

// Write writes a new file name of the folder dir, with the time modTime unless that is
// zero, and returns its time. sync: it is on the disk before it has its name. If the
// process is killed, nothing is left.
//
// The error may be that the system or the file system has no unnamed files, or that the
// name exists: nothing has changed then.
func Write(dir *os.File, name string, data []byte, modTime time.Time, sync bool) (time.Time, error) {
	return write(dir, name, data, modTime, sync)
}
