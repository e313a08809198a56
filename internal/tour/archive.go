package tour

import (
	"archive/zip"
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"
)

func archive(files map[string][]byte, prefix string) ([]byte, error) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		short, ok := strings.CutPrefix(name, prefix)
		if !ok {
			continue
		}
		// Like MS-DOS, zip files support only dates from 1980 on.
		date := fileDate(name)
		if first := time.Date(1980, time.January, 1, 0, 0, 0, 0, time.UTC); date.Before(first) {
			date = first
		}
		w, err := z.CreateHeader(&zip.FileHeader{Name: short, Method: zip.Deflate, Modified: date})
		if err != nil {
			return nil, err
		}
		if _, err := w.Write(files[name]); err != nil {
			return nil, err
		}
	}
	err := z.Close()
	return b.Bytes(), err
}

// index returns a list of the files, as in the index file of an FTP archive.
func index(files map[string][]byte) []byte {
	var b bytes.Buffer
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintf(&b, "%8d  %s  %s\n", len(files[name]), fileDate(name).Format("2 Jan 2006"), name)
	}
	return b.Bytes()
}
