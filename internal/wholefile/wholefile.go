// Package wholefile writes files that receive their names only when they are complete, and
// temporary files without a name.
//
// A [Replacement] replaces a file after the new content is on the disk. The function [Write]
// creates a small file, and can wait until the content is on the disk. A [Temporary] does not
// outlive its process.
package wholefile

import (
	"os"
	"time"
)

// Write creates a file with the given name in the directory dir, and returns the modification time
// of the file. If modTime is not zero, Write sets the modification time to this value. If sync is
// true, the content is on the disk before the file receives its name. If the process is killed
// before that, no file remains.
//
// If the system or the file system does not support unnamed files, or if the name exists, Write
// returns an error and changes nothing.
func Write(dir *os.File, name string, data []byte, modTime time.Time, sync bool) (time.Time, error) {
	return write(dir, name, data, modTime, sync)
}
