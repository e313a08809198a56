package warc_test

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/dev/faults"
	"github.com/locus-url/locus/warc"
)

// faultArchive treats an archive as a store of records.
type faultArchive struct {
	name  string
	w     *warc.Writer
	size  int64 // size of the file when it was read
	found map[string]string
	err   error // error from reading
}

func faultTarget(i int) string { return fmt.Sprintf("http://h.example/%d", i) }

func faultBody(i int) string {
	noise := make([]byte, 1000)
	rand.NewChaCha8([32]byte{byte(i), byte(i >> 8)}).Read(noise)
	return fmt.Sprintf("%d %x", i, noise)
}

func (a *faultArchive) Put(i int) error {
	e := &warc.Entry{Type: "resource", Target: faultTarget(i), ContentType: "text/plain", Block: a.w.NewBlock()}
	io.WriteString(e.Block, faultBody(i))
	if i%20 == 19 { // this block needs a temporary file
		io.WriteString(e.Block, strings.Repeat("0123456789abcdef", 70<<10))
	}
	return a.w.Write(e)
}

func (a *faultArchive) Get(i int) (bool, error) {
	info, err := os.Stat(a.name)
	if err != nil {
		return false, err
	}
	if info.Size() != a.size {
		a.size = info.Size()
		a.readRecords()
	}
	body, ok := a.found[faultTarget(i)]
	switch {
	case !ok:
		return false, a.err
	case !strings.HasPrefix(body, faultBody(i)):
		return false, fmt.Errorf("%w: %.40q", faults.ErrWrong, body)
	}
	return true, nil
}

// readRecords reads all readable records.
func (a *faultArchive) readRecords() {
	a.found, a.err = map[string]string{}, nil
	octets, err := os.ReadFile(a.name)
	if err != nil {
		a.err = err
		return
	}
	for in := warc.NewReader(bytes.NewReader(octets)); ; {
		rec, err := in.Next()
		var body []byte
		if err == nil {
			body, err = io.ReadAll(rec)
		}
		if err == io.EOF {
			return
		}
		if err != nil {
			a.err = fmt.Errorf("%s: %w", a.name, err)
			return
		}
		a.found[rec.Target()] = string(body)
	}
}

func (a *faultArchive) Close() error { return a.w.Close() }

func TestFaults(t *testing.T) {
	faults.Run(t, faults.Driver{
		Open: func(dir string) (faults.Store, error) {
			name := filepath.Join(dir, "a.warc.gz")
			w, err := warc.Create(name, nil)
			if err != nil {
				return nil, err
			}
			return &faultArchive{name: name, w: w}, nil
		},
		Promise: faults.AtPut,
		Litter:  []string{".warc-*", "locus-*.tmp"},
	})
}
