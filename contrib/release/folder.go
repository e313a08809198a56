package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
)

// folder is the output directory of a release.
type folder struct {
	dir  string
	sums map[string][sha256.Size]byte // maps each file name to its checksum
}

// newFolder returns a folder for a release. If the directory dir is missing, newFolder creates it.
// It rejects a directory that contains files, because the files may belong to another release.
func newFolder(dir string) (*folder, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		err = os.MkdirAll(dir, 0o777)
	}
	if err != nil {
		return nil, err
	}
	if len(entries) > 0 {
		return nil, fmt.Errorf("%s is not empty; remove it, or name another folder by --out", dir)
	}
	return &folder{dir, map[string][sha256.Size]byte{}}, nil
}

func (d *folder) write(name string, octets []byte) error {
	d.sums[name] = sha256.Sum256(octets)
	return os.WriteFile(filepath.Join(d.dir, name), octets, 0o666)
}

// writeSums writes the file SHA256SUMS in the format that "sha256sum --check" reads.
func (d *folder) writeSums() error {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(d.sums)) {
		fmt.Fprintf(&b, "%x  %s\n", d.sums[name], name)
	}
	return os.WriteFile(filepath.Join(d.dir, "SHA256SUMS"), b.Bytes(), 0o666)
}
