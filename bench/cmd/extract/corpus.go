package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/locus-url/locus/bench/lists"
	"github.com/locus-url/locus/extract"
)

// Names in the directory of a corpus.
const (
	documentsFile = "documents.txt"
	denseFile     = "dense.txt"
	treeFolder    = "tree"
)

// corpus is documents of this machine.
type corpus struct {
	few, dense text
	tree       string // the documents, as files
	files      int
}

// newCorpus makes a corpus of that size in dir from the documentation, the Go distribution
// and other files of this machine. It repeats them if they are too few.
func newCorpus(dir string, size int64) (*corpus, error) {
	goroot, err := lists.GoRoot()
	if err != nil {
		return nil, err
	}
	c := &corpus{tree: filepath.Join(dir, treeFolder)}
	var all bytes.Buffer
	for again := 0; int64(all.Len()) < size; again++ {
		before := all.Len()
		for _, root := range []string{"/usr/share/doc", goroot, "/usr/share", "/usr/include"} {
			filepath.WalkDir(root, func(name string, d fs.DirEntry, err error) error {
				switch {
				case err != nil || int64(all.Len()) >= size || !d.Type().IsRegular():
					return nil
				}
				octets := readDocument(name)
				if octets == nil {
					return nil
				}
				all.Write(octets)
				all.WriteByte('\n')
				c.files++
				folder := filepath.Join(c.tree, fmt.Sprintf("%d", c.files/100))
				if c.files%100 == 0 || c.files == 1 {
					if err := os.MkdirAll(folder, 0o777); err != nil {
						return err
					}
				}
				return os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.txt", c.files)), octets, 0o666)
			})
		}
		if all.Len() == before {
			return nil, fmt.Errorf("no documents on this machine")
		}
	}
	c.few = text{"documents", filepath.Join(dir, documentsFile), all.String()}
	var dense strings.Builder
	for m := range extract.All(c.few.octets, &extract.Options{}) {
		dense.WriteString("see " + m.URL.String() + "\n")
	}
	c.dense = text{"dense", filepath.Join(dir, denseFile), dense.String()}
	for _, t := range []*text{&c.few, &c.dense} {
		if err := os.WriteFile(t.path, []byte(t.octets), 0o666); err != nil {
			return nil, err
		}
	}
	return c, nil
}

// readDocument reads a text, which may be compressed; nil: the file is not a text.
func readDocument(name string) []byte {
	const most = 4 << 20
	f, err := os.Open(name)
	if err != nil {
		return nil
	}
	defer f.Close()
	r := io.Reader(bufio.NewReader(f))
	if strings.HasSuffix(name, ".gz") {
		if r, err = gzip.NewReader(r); err != nil {
			return nil
		}
	}
	octets, err := io.ReadAll(io.LimitReader(r, most))
	if err != nil || len(octets) == 0 || bytes.IndexByte(octets[:min(len(octets), 8<<10)], 0) >= 0 {
		return nil
	}
	return octets
}
