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
	var r io.Reader
	var err error
	switch k {
	case gzipped:
		r, err = gzip.NewReader(it.r)
	case bzipped:
		r = bzip2.NewReader(it.r)
	case xzipped:
		r, err = xz.NewReader(it.r, maxDictionary)
	case zstandard:
		var d *zstd.Decoder
		d, err = zstd.NewReader(it.r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true), zstd.WithDecoderMaxWindow(maxDictionary))
		if err == nil {
			defer d.Close()
			r = d
		}
	case lzw:
		r = newUncompress(it.r)
	}
	if err != nil {
		f.fail(it, err)
		return
	}
	f.find(it.in(unpacked{r, f}, uncompressedName(it.name)))
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
