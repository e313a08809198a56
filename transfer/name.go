package transfer

import (
	"fmt"
	"hash/crc32"
	"path"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/scheme"
)

// maxName is the longest file name in common file systems, in bytes.
const maxName = 255

// The suffixes of a part file and of the file that describes its source.
const (
	partSuffix   = ".part"
	sourceSuffix = ".part.json"
)

// SafeName creates a file name from untrusted bytes: one name, not a path, from the
// bytes after the last "/" or "\". The name contains no control or direction characters
// and nothing that Windows reserves. It does not begin with "." or "-", and has at most
// 255 bytes with the suffixes of a part. In a longer name, a checksum replaces the
// middle, and the suffix remains. Bytes that are not UTF-8 are read as ISO Latin 1, as
// in the URI draft. It is empty if nothing remains.
func SafeName(octets string) string {
	text := charset.Text(octets)
	text = text[strings.LastIndexAny(text, `/\`)+1:]
	text = strings.Map(safeRune, text)
	text = strings.TrimRight(strings.TrimLeft(text, " "), " .")
	if text == "" {
		return ""
	}
	if text[0] == '.' || text[0] == '-' {
		text = "_" + text[1:]
	}
	if isDevice(text) {
		text = "_" + text
	}
	return shorten(text)
}

func safeRune(r rune) rune {
	switch {
	case r == ' ':
		return r
	case !unicode.IsGraphic(r), unicode.Is(unicode.Z, r), strings.ContainsRune(`:*?"<>|`, r):
		return '_'
	}
	return r
}

// isDevice reports whether name, ignoring its suffix, is a device name on Windows.
func isDevice(name string) bool {
	stem, _, _ := strings.Cut(name, ".")
	stem = strings.ToUpper(strings.TrimRight(stem, " "))
	switch stem {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$":
		return true
	}
	digit, ok := strings.CutPrefix(stem, "COM")
	if !ok {
		digit, ok = strings.CutPrefix(stem, "LPT")
	}
	return ok && utf8.RuneCountInString(digit) == 1 && strings.Contains("0123456789¹²³", digit)
}

// shorten shortens name so that the suffixes of a part file fit. A checksum replaces the middle of
// a long name, so different names remain different.
func shorten(name string) string {
	const n = maxName - len(sourceSuffix)
	if len(name) <= n {
		return name
	}
	suffix := path.Ext(name)
	if len(suffix) > 20 {
		suffix = ""
	}
	tail := fmt.Sprintf("~%08x%s", crc32.ChecksumIEEE([]byte(name)), suffix)
	head := name[:n-len(tail)]
	for !utf8.ValidString(head) && utf8.ValidString(name) {
		head = head[:len(head)-1]
	}
	return head + tail
}

// nameFields lists scheme fields that end in a name, best first.
var nameFields = []string{
	"name", "segments", "path", "selector", "wpath", "messageId", "contentId", "articleNumber", "hsoname",
}

// Name returns a safe name for the file at the end of u, by the fields of u's scheme in r. It
// is empty if the URL does not end in a name, for example if it ends in "/".
func Name(r *scheme.Registry, u locus.URL) string {
	// Remove passwords first. Other users can see file names, and the end of a mistyped URL may be
	// a login.
	u, _ = locus.Parse(u.WithoutPassword().Shown())
	fields, err := r.Fields(u)
	if err != nil {
		fields = nil
	}
	if id := localID(fields); id != "" {
		return SafeName(id)
	}
	for _, name := range nameFields {
		for _, f := range fields {
			if f.Name != name || f.Value == nil {
				continue
			}
			if list, ok := f.Value.([]string); ok {
				return SafeName(strings.Join(list[max(len(list)-1, 0):], ""))
			}
			return SafeName(fmt.Sprint(f.Value))
		}
	}
	text, ok := u.Path()
	if !ok && !u.Facts().Has(locus.Internet) {
		text = u.SchemePart()
	}
	text, err = escape.Decode(text[strings.LastIndexByte(text, '/')+1:])
	if err != nil {
		return ""
	}
	return SafeName(text)
}

// localID returns the server's name for a document if fields contains a document-id (wais). In the
// document-id, it prefers field 6, the name on the distributing server, to field 3, the name on the
// origin server. The last field is about copyright.
func localID(fields []scheme.Field) (id string) {
	for _, f := range fields {
		records, _ := f.Value.([][]scheme.Field)
		for _, r := range records {
			if len(r) != 2 || r[0].Name != "number" {
				continue
			}
			content, _ := r[1].Value.(string)
			if r[0].Value == 6 && content != "" || r[0].Value == 3 && id == "" {
				id = content
			}
		}
	}
	return id
}
