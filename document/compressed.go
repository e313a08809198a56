package document

import (
	"compress/bzip2"
	"io"
	"path"
	"strings"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
	"github.com/therootcompany/xz"
)

// maxDictionary is the most memory that a file may make a decoder use: enough for "xz -9",
// not for "zstd --long".
const maxDictionary = 64 << 20

func (f *finder) compressed(it item, k kind) {
	r, free, err := decompress(it.r, k)
	if err != nil {
		f.fail(it, err)
		return
	}
	defer free()
	f.find(it.in(unpacked{r, f}, uncompressedName(it.name)))
}

// decompress returns a reader of the content of r, and a function to call after it.
func decompress(r io.Reader, k kind) (_ io.Reader, free func(), err error) {
	free = func() {}
	switch k {
	case gzipped:
		r, err = gzip.NewReader(r)
	case bzipped:
		r = bzip2.NewReader(r)
	case xzipped:
		r, err = xz.NewReader(r, maxDictionary)
	case zstandard:
		var d *zstd.Decoder
		d, err = zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxDictionary))
		if err == nil {
			r, free = d, d.Close
		}
	case lzw:
		r = newUncompress(r)
	}
	return r, free, err
}

func uncompressedName(name string) string {
	ext := path.Ext(name)
	switch strings.ToLower(ext) {
	case ".tgz", ".tbz", ".tbz2", ".txz", ".tzst", ".taz":
		return strings.TrimSuffix(name, ext) + ".tar"
	case ".svgz":
		return strings.TrimSuffix(name, ext) + ".svg"
	case ".gz", ".bz2", ".bz", ".xz", ".zst", ".z":
		return strings.TrimSuffix(name, ext)
	}
	return name
}
