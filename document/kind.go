package document

import (
	"bufio"
	"bytes"
	"io"
	"slices"
	"strings"
	"sync"

	"github.com/locus-url/locus/internal/media"
	"github.com/locus-url/locus/internal/unpack"
	"github.com/locus-url/locus/message"
)

// kind is the type of an item.
type kind uint8

const (
	plain kind = iota
	markdown
	html
	css
	asciidoc
	rst
	xml
	csv
	binary
	utf16
	mail
	mailbox
	tarArchive
	zipArchive
	gzipped
	bzipped
	xzipped
	zstandard
	lzw
	webArchive
)

func (k kind) isContainer() bool { return k >= mail }

// types maps media types to kinds. For other types, the kind is plain.
var types = map[string]kind{
	"text/markdown":             markdown,
	"text/x-markdown":           markdown,
	"text/html":                 html,
	"application/xhtml+xml":     html,
	"image/svg+xml":             html,
	"text/css":                  css,
	"text/asciidoc":             asciidoc,
	"text/x-asciidoc":           asciidoc,
	"text/x-rst":                rst,
	"text/prs.fallenstein.rst":  rst,
	"text/xml":                  xml,
	"application/xml":           xml,
	"text/csv":                  csv,
	"text/tab-separated-values": csv,
	"message/rfc822":            mail,
	"message/global":            mail,
	"message/news":              mail,
	"application/mbox":          mailbox,
	"application/x-tar":         tarArchive,
	"application/zip":           zipArchive,
	"application/gzip":          gzipped,
	"application/x-gzip":        gzipped,
	"application/x-bzip2":       bzipped,
	"application/x-xz":          xzipped,
	"application/zstd":          zstandard,
	"application/x-compress":    lzw,
	"application/warc":          webArchive,
}

type mark struct {
	octets string
	kind   kind
}

// magic lists the first bytes of all containers except compressed files.
var magic = []mark{
	{"WARC/1.", webArchive},
	{"WARC/0.", webArchive},
	{"filedesc://", webArchive}, // an ARC file
	{"PK\x03\x04", zipArchive},
	{"PK\x05\x06", zipArchive},
	{"\xFF\xFE", utf16},
	{"\xFE\xFF", utf16},
}

const (
	// sniffed is the number of bytes at the start of an item that are examined to determine the
	// kind.
	sniffed = 8 << 10
	// headSize is the number of bytes in the first read of an item. Most documents are shorter.
	headSize = 512 << 10
	// tarBlock is the size of a tar header. The value of tarMagic is the offset of the magic bytes
	// in the header, and tarName is the size of the name at the start of the header.
	tarBlock = 512
	tarMagic = 257
	tarName  = 100
)

// head holds the first bytes of an item. Reading the item still returns these bytes.
type head struct {
	octets []byte
	all    bool // the item contains no more bytes
	r      *bufio.Reader
	raw    io.Reader // reader for the bytes after octets
}

var heads = sync.Pool{New: func() any { return bufio.NewReaderSize(nil, headSize) }}

// readHead reads the first bytes of an item. If the item is a pipe and its type is known, readHead
// reads only enough to recognize a container, because the user may be waiting for results. If
// reading fails after some bytes, later reads of the item return the error.
func readHead(it *item) (*head, error) {
	h := &head{r: heads.Get().(*bufio.Reader), raw: it.r}
	h.r.Reset(it.r)
	n := headSize
	if it.typ != "" && !it.mixed && !it.ready && it.isWaited() {
		n = 1
	}
	_, err := h.r.Peek(n)
	for h.peek(); err == nil && len(h.octets) < headSize && !isPlain(h.octets); h.peek() {
		_, err = h.r.Peek(len(h.octets) + 1)
	}
	h.all = err == io.EOF
	if err != nil && !h.all && len(h.octets) == 0 {
		h.free()
		return nil, err
	}
	it.r = h.r
	return h, nil
}

func (h *head) peek() { h.octets, _ = h.r.Peek(h.r.Buffered()) }

func (h *head) free() {
	h.r.Reset(nil)
	heads.Put(h.r)
}

type failed struct{ err error }

func (f failed) Read([]byte) (int, error) { return 0, f.err }

// isPlain reports whether no container begins with the given bytes.
func isPlain(octets []byte) bool {
	if len(octets) >= tarBlock || bytes.IndexByte(octets[:min(len(octets), tarName)], '\n') >= 0 {
		_, sure := unpack.Detect(octets)
		return sure && !slices.ContainsFunc(magic, func(m mark) bool { return strings.HasPrefix(m.octets, string(octets)) })
	}
	return false
}

// containerOf returns the kind of the container that begins with the given bytes. If no container
// does, containerOf returns plain.
func containerOf(octets []byte) kind {
	if f, _ := unpack.Detect(octets); f != unpack.None {
		return formatKinds[f]
	}
	for _, m := range magic {
		if bytes.HasPrefix(octets, []byte(m.octets)) {
			return m.kind
		}
	}
	if len(octets) >= tarBlock && string(octets[tarMagic:tarMagic+len("ustar")]) == "ustar" && bytes.IndexByte(octets[:tarName], '\n') < 0 {
		return tarArchive
	}
	return plain
}

// kindOf returns the kind of an item. The first bytes of the item take precedence over the media
// type, and the media type takes precedence over the name.
func kindOf(it item, h *head) kind {
	octets := h.octets[:min(len(h.octets), sniffed)]
	if k := containerOf(octets); k != plain {
		return k
	}
	nul := bytes.IndexByte(octets, 0) >= 0
	if it.typ != "" {
		k := kindOfType(mediaType(it.typ))
		if it.mixed && nul && !k.isContainer() {
			return binary
		}
		return k
	}
	t := media.ByName(it.name)
	named := kindOfType(t)
	switch {
	case named == tarArchive:
		// Tar archives that were created before 1988 contain no magic bytes.
		return tarArchive
	case named == mail, named == mailbox:
		// A message may contain any bytes, even NUL.
		return named
	case t == "" && message.IsFromLine(octets, false):
		return mailbox
	case t == "" && isMail(octets):
		return mail
	case nul:
		return binary
	case named == asciidoc && media.IsArmor(octets):
		return plain
	case named.isContainer():
		// Without magic bytes, the item is not a container, even if its name is that of a
		// container.
		return plain
	case t == "" && isHTML(octets):
		return html
	case t == "" && isXML(octets):
		return xml
	case it.name == standardInput:
		return kindOfUnnamed(octets)
	}
	return named
}

// kindOfType returns the kind of a media type without parameters.
func kindOfType(t string) kind {
	if k, ok := types[t]; ok || !strings.HasSuffix(t, "+xml") {
		return k
	}
	return xml
}

// mediaType returns the media type t in lower case and without parameters.
func mediaType(t string) string {
	t, _, _ = strings.Cut(t, ";")
	return strings.ToLower(strings.TrimSpace(t))
}

func isHTML(octets []byte) bool {
	text := bytes.TrimLeft(bytes.TrimPrefix(octets, []byte("\uFEFF")), " \t\r\n\f")
	if len(text) == 0 || text[0] != '<' {
		return false
	}
	for _, start := range []string{"<!doctype html", "<html", "<head", "<body"} {
		if len(text) > len(start) && strings.EqualFold(string(text[:len(start)]), start) && strings.IndexByte("> \t\r\n/", text[len(start)]) >= 0 {
			return true
		}
	}
	return bytes.HasPrefix(text, []byte("<?xml")) && bytes.Contains(text, []byte("<html"))
}
