//go:build !unix

package walk

import "os"

// Open opens a file that [Files] has listed.
func Open(name string) (*os.File, error) { return os.Open(name) }
