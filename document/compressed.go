package document

import (
	"path"
	"slices"
	"strings"

	"github.com/locus-url/locus/internal/unpack"
)

// formatKinds maps compression formats to kinds of items.
var formatKinds = []kind{unpack.Gzip: gzipped, unpack.Bzip2: bzipped, unpack.XZ: xzipped, unpack.Zstd: zstandard, unpack.LZW: lzw}

func (f *finder) compressed(it item, k kind) {
	r, err := unpack.NewReader(it.r, unpack.Format(slices.Index(formatKinds, k)))
	if err != nil {
		f.fail(it, err)
		return
	}
	defer r.Close()
	f.find(it.onlyMember(unpacked{r, f}, uncompressedName(it.name)))
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
