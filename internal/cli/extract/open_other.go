//go:build !unix

package extract

import "os"

// openFile opens a regular file to be read.
func openFile(name string) (*os.File, error) { return os.Open(name) }
