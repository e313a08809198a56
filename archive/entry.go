package archive

import (
	"errors"
	"fmt"
	"hash/crc32"
	"strconv"
	"strings"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/scheme"
)

// entry is an index entry for a record. The text of an entry is a line with the following fields,
// separated by TABs.
//
//	host, scheme and rest of the URL; date; kind; file; offset; status; type; digest; URL;
//	CRC-32C of the line before this field
//
// Lines are sorted by their bytes, so the URLs on a host are adjacent, and the records for a URL
// are in chronological order. For each payload digest there is another line, which begins with a
// TAB and the digest.
type entry struct {
	key    string // result of keyOf or digestKey
	time   string // 14 digits, UTC
	kind   byte   // record kind
	file   int    // index into the store's files
	offset int64
	status int    // HTTP status; 0 if there is none or it is unknown
	media  string // media type; empty if unknown
	digest string // payload digest; empty if unknown
	url    string
}

const (
	kindWhole   = 'a'
	kindRevisit = 'b'
)

const (
	stampLayout = "20060102150405"
	maxDigest   = 200
	maxMedia    = 200
	// maxEntry is the maximum length of an index line. The line contains the URL twice, possibly
	// with additional escapes, and a URL is at most 64 KiB long.
	maxEntry = 512 << 10
)

// append appends the index line for the entry e, with a newline.
func (e *entry) append(dst []byte) []byte {
	start := len(dst)
	dst = append(append(dst, e.key...), '\t')
	dst = append(append(dst, e.time...), '\t', e.kind, '\t')
	dst = append(strconv.AppendInt(dst, int64(e.file), 10), '\t')
	dst = append(strconv.AppendInt(dst, e.offset, 10), '\t')
	dst = append(strconv.AppendInt(dst, int64(e.status), 10), '\t')
	dst = append(append(dst, e.media...), '\t')
	dst = append(append(dst, e.digest...), '\t')
	dst = append(append(dst, e.url...), '\t')
	return append(strconv.AppendUint(dst, uint64(checksum(dst[start:])), 16), '\n')
}

func checksum[T string | []byte](line T) uint32 {
	return crc32.Checksum([]byte(line), crc32.MakeTable(crc32.Castagnoli))
}

// isWhole reports whether an index line matches the checksum at the end of the line. The
// line must not include the newline.
func isWhole[T string | []byte](line T) bool {
	text := string(line)
	at := strings.LastIndexByte(text, '\t') + 1
	return at > 0 && strconv.FormatUint(uint64(checksum(text[:at])), 16) == text[at:]
}

var errEntry = errors.New("the index is damaged")

// parseEntry parses an index line without its newline.
func parseEntry(line string) (e entry, err error) {
	if !isWhole(line) {
		return e, errEntry
	}
	line = line[:strings.LastIndexByte(line, '\t')]
	prefix := ""
	if rest, ok := strings.CutPrefix(line, "\t"); ok {
		prefix, line = "\t", rest
	}
	f := strings.Split(line, "\t")
	if len(f) != 9 || len(f[1]) != len(stampLayout) || len(f[2]) != 1 {
		return e, errEntry
	}
	e = entry{key: prefix + f[0], time: f[1], kind: f[2][0], media: f[6], digest: f[7], url: f[8]}
	var errFile, errOffset, errStatus error
	e.file, errFile = strconv.Atoi(f[3])
	e.offset, errOffset = strconv.ParseInt(f[4], 10, 64)
	e.status, errStatus = strconv.Atoi(f[5])
	if errors.Join(errFile, errOffset, errStatus) != nil || e.file < 0 || e.offset < 0 {
		return e, errEntry
	}
	return e, nil
}

func (e *entry) date() time.Time {
	t, err := time.Parse(stampLayout, e.time)
	if err != nil {
		return time.Time{}
	}
	return t
}

// isAfter reports whether the record for entry e comes after the record for entry f in the
// archives.
func (e *entry) isAfter(f *entry) bool {
	return e.file > f.file || e.file == f.file && e.offset > f.offset
}

// printableText returns text if an index can contain it. Otherwise it returns "".
func printableText(text string, maxLen int) string {
	if len(text) > maxLen {
		return ""
	}
	for i := range len(text) {
		if octet.Is(text[i], octet.Control) {
			return ""
		}
	}
	return text
}

// webScheme represents http and https in keys.
const webScheme = "web"

// keyOf returns the key for a URL. The key consists of the host, the scheme, and the canonical URL,
// separated by spaces, which a URL can't contain.
func keyOf(r *scheme.Registry, u locus.URL) string {
	u = u.WithoutFragment().WithoutPassword()
	if same, _, err := r.Canonical(u); err == nil {
		u = same
	}
	name, rest := u.Scheme(), u.SchemePart()
	if r.Scheme(u).Traits.Has(scheme.Web) {
		name = webScheme
	}
	return strings.ToLower(u.Host()) + " " + name + " " + rest
}

// digestKey returns the key for a digest. It removes the prefix "sha1:", because some CDXJ files
// omit this name of the usual algorithm.
func digestKey(digest string) string { return "\t" + strings.TrimPrefix(digest, "sha1:") }

// stampOf returns the 14 digits of a time stamp. It returns an error if the year does not
// have four digits.
func stampOf(t time.Time) (string, error) {
	if t = t.UTC(); t.Year() < 1 || t.Year() > 9999 {
		return "", fmt.Errorf("the year %d does not have four digits", t.Year())
	}
	return t.Format(stampLayout), nil
}

// ParseTime parses a time in an archive's format: the first 4 to 14 digits of YYYYMMDDhhmmss, a
// date such as 2024-05-01, or an RFC 3339 time. If a part is missing, ParseTime uses the first
// value of that part, such as January. The time is in UTC unless the text contains a time zone
// offset.
func ParseTime(text string) (time.Time, error) {
	for _, layout := range []string{"2006", "200601", "20060102", "2006010215", "200601021504", stampLayout, "2006-01", "2006-01-02", "2006-01-02T15:04", "2006-01-02 15:04", "2006-01-02T15:04:05", "2006-01-02 15:04:05", time.RFC3339} {
		if t, err := time.Parse(layout, text); err == nil {
			return t.UTC(), nil
		}
	}
	return time.Time{}, fmt.Errorf("invalid time %s: write 2024-05-01, 2024-05-01T10:20:30Z or 20240501102030", locus.Quote(text))
}
