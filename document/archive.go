package document

import (
	"archive/tar"
	"archive/zip"
	"compress/bzip2"
	"errors"
	"io"

	"github.com/klauspost/compress/zstd"

	"github.com/locus-url/locus/internal/unpack"
	"github.com/locus-url/locus/relative"
	"github.com/locus-url/locus/warc"
)

func (f *finder) tar(it item) {
	r := tar.NewReader(it.r)
	for {
		h, err := r.Next()
		if err == io.EOF {
			return
		}
		// Any member name is safe, because this package writes no files.
		if err != nil && !errors.Is(err, tar.ErrInsecurePath) {
			f.fail(it, err)
			return
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		if !f.countMember(it) {
			return
		}
		f.find(it.newMember(unpacked{r, f}, h.Name, h.Name))
	}
}

// These constants are compression methods of zip archives other than Deflate (APPNOTE.TXT section
// 4.4.5).
const (
	zipBzip2 = 12
	zipZstd  = 93
	// zipEncrypted is the flag that marks a member as encrypted.
	zipEncrypted = 1
)

var errEncrypted = errors.New("the member is encrypted")

func (f *finder) zip(it item, h *head) {
	whole, size, err := f.wholeReader(&it, h, "a zip archive")
	var r *zip.Reader
	if err == nil {
		r, err = zip.NewReader(whole, size)
	}
	if err != nil && !errors.Is(err, zip.ErrInsecurePath) {
		f.fail(it, err)
		return
	}
	r.RegisterDecompressor(zipBzip2, func(r io.Reader) io.ReadCloser { return io.NopCloser(bzip2.NewReader(r)) })
	r.RegisterDecompressor(zipZstd, zstd.ZipDecompressor(zstd.WithDecoderMaxWindow(unpack.MaxDictionary), zstd.WithDecoderLowmem(true)))
	for _, file := range r.File {
		if !file.Mode().IsRegular() {
			continue
		}
		if !f.countMember(it) {
			return
		}
		f.zipFile(it, file)
	}
}

func (f *finder) zipFile(it item, file *zip.File) {
	part := it.newMember(nil, file.Name, file.Name)
	if file.Flags&zipEncrypted != 0 {
		f.fail(part, errEncrypted)
		return
	}
	r, err := file.Open()
	if err != nil {
		f.fail(part, err)
		return
	}
	defer r.Close()
	part.r = unpacked{r, f}
	f.find(part)
}

// webArchive reports the links in the pages of a WARC or ARC file. For a WAT file, it reports the
// links that the records describe.
func (f *finder) webArchive(it item) {
	r := warc.NewReader(it.r)
	for {
		record, err := r.Next()
		if err == io.EOF {
			return
		}
		if err != nil {
			f.fail(it, err)
			return
		}
		target := record.Target()
		if isWAT(record) {
			if !f.countMember(it) {
				return
			}
			part := it.newMember(unpacked{record, f}, target, target)
			part.typ, part.base = record.Get("Content-Type"), target
			f.readWAT(part)
			continue
		}
		p, ok := record.Payload()
		if !ok || p.Status != 0 && p.Status/100 != 2 {
			continue // the record contains no page or an error page
		}
		if !f.countMember(it) {
			return
		}
		part := it.newMember(unpacked{p, f}, target, target)
		part.typ, part.base = p.Type, target
		f.find(part)
	}
}

// resolveBase resolves the base URL that a page declares against the URL of the page. If the base
// URL is invalid, resolveBase returns the URL of the page.
func resolveBase(base, page string) string {
	ref, err := relative.Parse(base)
	if err != nil || base == "" {
		return page
	}
	on, err := relative.Parse(page)
	if err != nil {
		return page
	}
	u, ok := on.URL()
	if !ok {
		return page
	}
	if u, err = ref.Resolve(u); err != nil {
		return page
	}
	return u.String()
}
