// Package unpack decompresses gzip, bzip2, xz, zstd and compress(1). The package detects the
// format from the first bytes.
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

// These are the supported formats. The zero Format means no compression.
const (
	None Format = iota
	Gzip
	Bzip2
	XZ
	Zstd
	LZW // compress(1)
)

// MaxDictionary is the maximum size in bytes of the dictionary or window that a decoder allocates
// for a file. MaxDictionary is large enough for "xz -9" but not for "zstd --long".
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

// skippable contains the last three bytes of the magic number for a zstd frame that decoders skip
// (RFC 8878 section 3.1.2). The first byte of the magic number is in the range 0x50 to 0x5F. Some
// programs write such a frame at the beginning of a file.
const skippable = "\x2A\x4D\x18"

// These constants describe the start of a bzip2 file. A block size, written as "9" here, precedes
// the magic number of the first block. In an empty file, it precedes the magic number of the end.
const (
	bzip2Head  = "BZh91AY&SY"
	bzip2Empty = "BZh9\x17rE8P\x90"
	bzip2Size  = len("BZh")
)

// Detect returns the format of a file that begins with the bytes in head. If Detect needs more
// bytes to decide, sure is false.
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

// NewReader returns a reader that decompresses the data in r, which may contain several compressed
// members. If r is an [io.ByteReader], the decoders for gzip and bzip2 do not read more bytes than
// they need. The caller must close the returned reader. Close does not close r.
func NewReader(r io.Reader, f Format) (io.ReadCloser, error) {
	switch f {
	case Gzip:
		return gzip.NewReader(r)
	case Bzip2:
		return io.NopCloser(bzip2.NewReader(r)), nil
	case XZ:
		z, err := xz.NewReader(r, MaxDictionary)
		return explainReader{io.NopCloser(z)}, explain(err)
	case Zstd:
		z, err := newZstd(r)
		return explainReader{z}, explain(err)
	case LZW:
		return io.NopCloser(newUncompress(r)), nil
	}
	return io.NopCloser(r), nil
}

// explainReader is a reader that returns a clear error for a file that needs a larger dictionary
// than MaxDictionary.
type explainReader struct{ io.ReadCloser }

func (e explainReader) Read(p []byte) (int, error) {
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
