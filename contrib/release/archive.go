package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"cmp"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
)

type file struct {
	name    string // path with "/" as the separator
	octets  []byte
	program bool
}

func (f file) mode() fs.FileMode {
	if f.program {
		return 0o755
	}
	return 0o644
}

func archiveSuffix(t target) string {
	if t.os == "windows" {
		return ".zip"
	}
	return ".tar.gz"
}

// packed returns an archive in which the files are below the directory dir. The files are sorted,
// belong to the user root, and have the same modification time.
func packed(t target, dir string, files []file, modified time.Time) ([]byte, error) {
	files = slices.SortedFunc(slices.Values(files), func(a, b file) int { return cmp.Compare(a.name, b.name) })
	for i := range files {
		files[i].name = dir + "/" + files[i].name
	}
	if t.os == "windows" {
		return zipped(files, modified)
	}
	octets, err := tarred(files, modified)
	if err != nil {
		return nil, err
	}
	return gzipped(octets)
}

func zipped(files []file, modified time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: modified}
		header.SetMode(f.mode())
		part, err := w.CreateHeader(header)
		if err == nil {
			_, err = part.Write(f.octets)
		}
		if err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// tarred returns a tar archive that contains the files and their directories.
func tarred(files []file, modified time.Time) ([]byte, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	made := map[string]bool{}
	for _, f := range files {
		for i, c := range f.name {
			if dir := f.name[:i]; c == '/' && !made[dir] {
				made[dir] = true
				if err := w.WriteHeader(&tar.Header{Typeflag: tar.TypeDir, Name: dir + "/", Mode: 0o755, ModTime: modified, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}); err != nil {
					return nil, err
				}
			}
		}
		header := &tar.Header{Typeflag: tar.TypeReg, Name: f.name, Mode: int64(f.mode()), Size: int64(len(f.octets)), ModTime: modified, Uname: "root", Gname: "root", Format: tar.FormatUSTAR}
		if err := w.WriteHeader(header); err != nil {
			return nil, err
		}
		if _, err := w.Write(f.octets); err != nil {
			return nil, err
		}
	}
	err := w.Close()
	return b.Bytes(), err
}

// gzipped compresses the bytes with gzip. The gzip header contains no file name and no time.
func gzipped(octets []byte) ([]byte, error) {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err = io.Copy(w, bytes.NewReader(octets)); err != nil {
		return nil, err
	}
	err = w.Close()
	return b.Bytes(), err
}

// paragraph formats a text for a field of a Debian control file. It indents each line and replaces
// each empty line with ".".
func paragraph(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\r\n")
		fmt.Fprintf(&b, " %s\n", cmp.Or(line, "."))
	}
	return b.String()
}
