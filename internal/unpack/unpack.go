// Package unpack decompresses gzip, bzip2, xz, zstd and compress(1). It detects the format from the
// first bytes.
package unpack

import (
	"bytes"
	"compress/bzip2"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/mikelolasagasti/xz"
)

// Format is a compression format.
type Format uint8

// The formats. The zero Format means no compression.
const (
	None Format = iota
	Gzip
	Bzip2
	XZ
	Zstd
	LZW // compress(1)
)

// MaxDictionary limits the memory that a file can make a decoder use. It is sufficient for "xz -9"
// but not for "zstd --long".
const MaxDictionary = 64 << 20

// magic lists the first bytes of all formats except bzip2.
var magic = [...]struct {
	octets string
	format Format
}{
	{"\x1F\x8B\x08", Gzip},
	{"\xFD7zXZ\x00", XZ},
	{"\x28\xB5\x2F\xFD", Zstd},
	{"\x1F\x9D", LZW},
}

// skippable is the end of the magic number of a zstd frame that decoders skip (RFC 8878 section
// 3.1.2). A byte from 0x50 to 0x5F precedes these three bytes. Some programs write such a frame at
// the beginning of a file.
const skippable = "\x2A\x4D\x18"

// bzip2Head is the block size, written as "9", and the start or end of the first block.
const (
	bzip2Head  = "BZh91AY&SY"
	bzip2Empty = "BZh9\x17rE8P\x90"
	bzip2Size  = len("BZh")
)

// Detect returns the format of a file that begins with head. The result sure is false if Detect
// needs more bytes to decide.
func Detect(head []byte) (f Format, sure bool) {
	sure = true
	for _, m := range magic {
		if bytes.HasPrefix(head, []byte(m.octets)) {
			return m.format, true
		}
		if strings.HasPrefix(m.octets, string(head)) {
			sure = false
		}
	}
	if len(head) > 0 && head[0]&0xF0 == 0x50 {
		rest := string(head[1:min(len(head), 1+len(skippable))])
		if rest == skippable {
			return Zstd, true
		}
		if strings.HasPrefix(skippable, rest) {
			sure = false
		}
	}
	begin := []byte(string(head[:min(len(head), len(bzip2Head))]))
	if len(begin) > bzip2Size && begin[bzip2Size] >= '1' && begin[bzip2Size] < '9' {
		begin[bzip2Size] = '9'
	}
	for _, known := range []string{bzip2Head, bzip2Empty} {
		switch {
		case string(begin) == known:
			return Bzip2, true
		case strings.HasPrefix(known, string(begin)):
			sure = false
		}
	}
	return None, sure
}

// NewReader returns a reader of the decompressed content of r, including all members of a file. If
// r is an [io.ByteReader], gzip and bzip2 do not read ahead. The caller must close the result,
// which does not close r.
func NewReader(r io.Reader, f Format) (io.ReadCloser, error) {
	switch f {
	case Gzip:
		return gzip.NewReader(r)
	case Bzip2:
		return io.NopCloser(bzip2.NewReader(r)), nil
	case XZ:
		z, err := xz.NewReader(r, MaxDictionary)
		return explained{io.NopCloser(z)}, explain(err)
	case Zstd:
		z, err := newZstd(r)
		return explained{z}, explain(err)
	case LZW:
		return io.NopCloser(newUncompress(r)), nil
	}
	return io.NopCloser(r), nil
}

// explained is a reader that explains the error for a file that needs more than MaxDictionary.
type explained struct{ io.ReadCloser }

func (e explained) Read(p []byte) (int, error) {
	n, err := e.ReadCloser.Read(p)
	return n, explain(err)
}

func explain(err error) error {
	for _, exceeded := range []error{xz.ErrMemlimit, zstd.ErrWindowSizeExceeded, zstd.ErrDecoderSizeExceeded} {
		if errors.Is(err, exceeded) {
			return fmt.Errorf("unpacking it needs more than %d octets of memory", MaxDictionary)
		}
	}
	return err
}
