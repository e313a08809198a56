package unpack

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
)

const (
	// dictionaryMagic is the magic number of a frame that contains the dictionary for the next
	// frames, as in web archives (IIPC, "Use of Zstandard in WARC files"). The length of the frame
	// follows.
	dictionaryMagic = "\x5D" + skippable
	// zstdMagic is the magic number of a compressed frame. A dictionary may also be in such a
	// frame.
	zstdMagic = "\x28\xB5\x2F\xFD"
)

func newZstd(r io.Reader) (io.ReadCloser, error) {
	options := []zstd.DOption{zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(MaxDictionary)}
	in := bufio.NewReader(r)
	if head, err := in.Peek(len(dictionaryMagic)); err == nil && string(head) == dictionaryMagic {
		dictionary, err := readDictionary(in)
		if err != nil {
			return nil, fmt.Errorf("zstd: dictionary: %w", err)
		}
		options = append(options, zstd.WithDecoderDicts(dictionary))
	}
	z, err := zstd.NewReader(in, options...)
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}

// readDictionary reads a frame that contains a dictionary.
func readDictionary(in io.Reader) ([]byte, error) {
	var head [8]byte
	if _, err := io.ReadFull(in, head[:]); err != nil {
		return nil, noEOF(err)
	}
	length := binary.LittleEndian.Uint32(head[4:])
	if length > MaxDictionary {
		return nil, fmt.Errorf("it has %d octets; the limit is %d", length, MaxDictionary)
	}
	var text bytes.Buffer
	if _, err := io.CopyN(&text, in, int64(length)); err != nil {
		return nil, noEOF(err)
	}
	if !bytes.HasPrefix(text.Bytes(), []byte(zstdMagic)) {
		return text.Bytes(), nil
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(MaxDictionary))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	return z.DecodeAll(text.Bytes(), nil)
}

func noEOF(err error) error {
	if err == io.EOF {
		return io.ErrUnexpectedEOF
	}
	return err
}
