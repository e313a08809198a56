package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/locus-url/locus/bench"
	"github.com/locus-url/locus/bench/lists"
	"github.com/locus-url/locus/extract"
)

// Names in the directory of a corpus.
const (
	documentsFile = "documents.txt"
	denseFile     = "dense.txt"
	treeFolder    = "tree"
)

// newCorpus makes a corpus of that size in dir from the documentation, the Go distribution
// and other files of this machine: documents in one file and as a tree of files, and their
// URLs. It repeats the documents if they are too few.
func newCorpus(dir string, size int64) (documents, dense text, files int) {
	var all bytes.Buffer
	for int64(all.Len()) < size {
		before := all.Len()
		for _, root := range []string{"/usr/share/doc", lists.GoRoot(), "/usr/share", "/usr/include"} {
			lists.Walk(root, func(name string) bool {
				octets := lists.Text(name)
				if len(octets) == 0 {
					return true
				}
				all.Write(octets)
				all.WriteByte('\n')
				files++
				folder := filepath.Join(dir, treeFolder, fmt.Sprint(files/100))
				bench.Check(os.MkdirAll(folder, 0o777))
				bench.Check(os.WriteFile(filepath.Join(folder, fmt.Sprintf("%d.txt", files)), octets, 0o666))
				return int64(all.Len()) < size
			})
		}
		if all.Len() == before {
			bench.Check(errors.New("no documents on this machine"))
		}
	}
	documents = text{"documents", filepath.Join(dir, documentsFile), all.String()}
	var urls strings.Builder
	for m := range extract.All(documents.octets, nil) {
		urls.WriteString("see " + m.URL.String() + "\n")
	}
	dense = text{"dense", filepath.Join(dir, denseFile), urls.String()}
	for _, t := range []text{documents, dense} {
		bench.Check(os.WriteFile(t.path, []byte(t.octets), 0o666))
	}
	return documents, dense, files
}
