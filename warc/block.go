package warc

import (
	"bytes"
	"crypto/sha1"
	"encoding/base32"
	"errors"
	"fmt"
	"hash"
	"io"

	"github.com/locus-url/locus/internal/wholefile"
)

// maxMemory is the maximum size in bytes of a block in memory. A longer block is in a
// temporary file.
const maxMemory = 1 << 20

// Block buffers the block of a record while a client reads the data from a server. The
// caller must release a Block with [Writer.Write] or [Block.Discard]. A Block may be used
// by one goroutine at a time.
type Block struct {
	dir     string // directory for the temporary file
	memory  []byte
	file    *wholefile.Temporary // nil if the whole block is in memory
	size    int64
	sum     hash.Hash
	payload hash.Hash // nil if the block has no payload
	start   int64     // offset of the payload
	err     error
}

// NewBlock returns an empty block. If the block needs a temporary file, the file is in the
// archive's directory.
func (w *Writer) NewBlock() *Block { return &Block{dir: w.dir, sum: sha1.New()} }

// BeginPayload marks the current end of the block as the start of the payload. The payload
// is the body after an HTTP header, or the whole block of a resource.
func (b *Block) BeginPayload() { b.payload, b.start = sha1.New(), b.size }

// Size returns the length of the block in bytes.
func (b *Block) Size() int64 { return b.size }

// Write appends bytes to the block. Write never fails, because the caller must still read
// the recorded response. [Writer.Write] returns the errors of a temporary file.
func (b *Block) Write(p []byte) (int, error) {
	b.size += int64(len(p))
	b.sum.Write(p)
	if b.payload != nil {
		b.payload.Write(p)
	}
	switch {
	case b.err != nil:
	case b.file != nil:
		_, b.err = b.file.Write(p)
	case len(b.memory)+len(p) <= maxMemory:
		b.memory = append(b.memory, p...)
	default:
		b.err = b.spill(p)
	}
	return len(p), nil
}

// spill moves the block to a temporary file. If the system supports it, the file has no name,
// so that a killed process leaves no file.
func (b *Block) spill(p []byte) error {
	f, err := wholefile.CreateTemporary(b.dir, ".warc-*")
	if err != nil {
		return err
	}
	b.file = f
	_, err = f.Write(b.memory)
	if err == nil {
		_, err = f.Write(p)
	}
	b.memory = nil
	return err
}

// Reset empties the block.
func (b *Block) Reset() {
	b.release()
	*b = Block{dir: b.dir, sum: sha1.New()}
}

// Discard releases a block that the caller does not write.
func (b *Block) Discard() { b.release() }

func (b *Block) release() {
	if b.file != nil {
		b.file.Close()
	}
	b.file, b.memory = nil, nil
	if b.err == nil {
		b.err = errReleased
	}
}

var errReleased = errors.New("warc: the block was released")

// Reader returns a reader for the bytes that are in the block so far. The caller must not write to
// the block while it uses the reader.
func (b *Block) Reader() (io.Reader, error) { return b.reader(0, b.size) }

// reader returns a reader for the bytes between two offsets, start and end.
func (b *Block) reader(start, end int64) (io.Reader, error) {
	switch {
	case b.err != nil:
		return nil, b.err
	case b.file != nil:
		return io.NewSectionReader(b.file, start, end-start), nil
	}
	return bytes.NewReader(b.memory[start:end]), nil
}

// formatDigest formats a hash as a digest field for web archives.
func formatDigest(h hash.Hash) string {
	return "sha1:" + base32.StdEncoding.EncodeToString(h.Sum(nil))
}

// headerDigest returns the digest of the bytes that precede the payload in the block.
func (b *Block) headerDigest() (string, error) {
	r, err := b.reader(0, b.start)
	if err != nil {
		return "", err
	}
	h := sha1.New()
	if _, err := io.Copy(h, r); err != nil {
		return "", fmt.Errorf("warc: %w", err)
	}
	return formatDigest(h), nil
}
