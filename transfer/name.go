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

// These constants are the suffixes of a part file and of the file that describes its
// source.
const (
	partSuffix   = ".part"
	sourceSuffix = ".part.json"
)

// SafeName creates a file name from untrusted bytes. The result is a name, not a path, and
// is made from the bytes after the last "/" or "\". The name contains no control or
// direction characters and no characters or words that Windows reserves. The name does not
// begin with "." or "-", and is at most 255 bytes long, including the suffixes of a part.
// In a longer name, a checksum replaces the middle, and the suffix remains. SafeName reads
// bytes that are not UTF-8 as ISO Latin 1, as in the URI draft. If no characters remain,
// the result is empty.
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

// shorten shortens name so that the result with the suffixes of a part file is not too long. A
// checksum replaces the middle of a long name, so different names remain different.
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

// nameFields lists scheme fields that end in a name, in order of preference.
var nameFields = []string{
	"name", "segments", "path", "selector", "wpath", "messageId", "contentId", "articleNumber", "hsoname",
}

// Name returns a safe file name for the URL u, based on the fields that the scheme of u defines in
// the registry r. The name is empty if the URL does not end in a name, for example if the URL ends
// in "/".
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

// localID returns the server's name for a document if the parameter fields contains a WAIS
// document-id. It prefers field 6 of the document-id (the name on the distributing server) to field
// 3 (the name on the origin server). It can't use the last field, which describes the copyright.
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
