// Package wholefile writes files that get their names only when they are complete, and files
// without a name.
//
// A [Replacement] replaces a file after the new content is on the disk. [Write] creates a small
// file; the caller decides whether to wait for the disk. A [Temporary] does not outlive its
// process.
package wholefile

import (
	"os"
	"time"
)

// Write creates a file with the given name in the directory dir, and returns the file's
// modification time. If modTime is not zero, the file has that modification time. If sync
// is true, the content is on the disk before the file gets its name. A killed process
// leaves no file.
//
// Write returns an error, and changes nothing, if the system or the file system does not
// support unnamed files, or if the name exists.
func Write(dir *os.File, name string, data []byte, modTime time.Time, sync bool) (time.Time, error) {
	return write(dir, name, data, modTime, sync)
}
