// Command warc reads web archives with package warc, recomputes the SHA-1 digests of blocks and
// payloads, and prints one JSON object for each archive. The object contains the number of records
// of each type, and the number of correct, wrong and missing digests.
package main

import (
	"bufio"
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/locus-url/locus/bench"
	"github.com/locus-url/locus/warc"
)

// counts holds the result for one archive.
type counts struct {
	Records int            `json:"records"`
	Types   map[string]int `json:"types"`
	// Good, Bad and None are the numbers of records whose digest is correct, wrong and missing.
	Good  int    `json:"good"`
	Bad   int    `json:"bad"`
	None  int    `json:"none"`
	Error string `json:"error"`
}

func main() {
	for _, name := range os.Args[1:] {
		fmt.Println(string(bench.Must(json.Marshal(check(name)))))
	}
}

func check(name string) (c counts) {
	c.Types = map[string]int{}
	f := bench.Must(os.Open(name))
	defer f.Close()
	reader := warc.NewReader(f)
	block := bufio.NewReaderSize(nil, 64<<10)
	for {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return c
		}
		if err == nil {
			block.Reset(record)
			err = c.add(record, block)
		}
		if err != nil {
			c.Error = err.Error()
			return c
		}
	}
}

// add counts a record and checks its digests. The payload of an HTTP record is the part of the
// block after the HTTP header. The payload of any other record is the block. A revisit record
// contains the digest of an earlier payload, so add checks only its block.
func (c *counts) add(record *warc.Record, block *bufio.Reader) error {
	c.Records++
	c.Types[record.Type]++
	whole, payload := sha1.New(), sha1.New()
	if strings.HasPrefix(record.Get("Content-Type"), "application/http") {
		for {
			line, err := block.ReadSlice('\n')
			whole.Write(line)
			if err == io.EOF || len(bytes.TrimRight(line, "\r\n")) == 0 {
				break
			}
			if err != nil && err != bufio.ErrBufferFull {
				return err
			}
		}
	}
	if _, err := io.Copy(io.MultiWriter(whole, payload), block); err != nil {
		return err
	}
	found, right := false, true
	verify := func(field string, sum []byte) {
		if digest, ok := strings.CutPrefix(record.Get(field), "sha1:"); ok {
			found = true
			right = right && digest == base32.StdEncoding.EncodeToString(sum)
		}
	}
	verify("WARC-Block-Digest", whole.Sum(nil))
	if record.Type != "revisit" {
		verify("WARC-Payload-Digest", payload.Sum(nil))
	}
	switch {
	case !found:
		c.None++
	case right:
		c.Good++
	default:
		c.Bad++
	}
	return nil
}
