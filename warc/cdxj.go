package warc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"golang.org/x/net/idna"
)

// CDXJ is a line in a web archive index, in the format of pywb and warcio. The line
// consists of a key, the time in 14 digits, and a JSON object.
type CDXJ struct {
	Key    string    // the result of [Key]
	Time   time.Time // time when the record was made, in UTC and whole seconds
	URL    string    // the target URI
	Type   string    // media type without parameters; "warc/revisit" for a revisit; empty if unknown
	Status int       // HTTP status; 0 if there is no status
	Digest string    // payload digest: "sha1:" and base32, or as written in the record; empty if none
	Length int64     // compressed size of the record; 0 if unknown
	Offset int64     // offset of the record in the file
	File   string    // file name as written in the index; it may contain directories and is untrusted
}

// cdxjTime is the time format in an index: 14 digits.
const cdxjTime = "20060102150405"

// cdxjObject is the JSON object in a line. The numbers in the object are strings, as in the
// files of other programs.
type cdxjObject struct {
	URL      string     `json:"url"`
	MIME     string     `json:"mime,omitempty"`
	Status   cdxjNumber `json:"status,omitempty"`
	Digest   string     `json:"digest,omitempty"`
	Length   cdxjNumber `json:"length,omitempty"`
	Offset   cdxjNumber `json:"offset"`
	Filename string     `json:"filename"`
}

// cdxjNumber is a number that is written as a JSON string. When parsed, it may also be a JSON
// number; "" and "-" mean that the number is unknown.
type cdxjNumber string

func (n *cdxjNumber) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, (*string)(n))
	}
	var number json.Number
	err := json.Unmarshal(text, &number) // if the text is null, the number stays empty
	*n = cdxjNumber(number)
	return err
}

func (n cdxjNumber) int() (int64, error) {
	if n == "" || n == "-" {
		return 0, nil
	}
	v, err := strconv.ParseUint(string(n), 10, 63)
	return int64(v), err
}

// Append appends the index line to dst, with a newline.
func (c CDXJ) Append(dst []byte) []byte {
	o := cdxjObject{URL: c.URL, MIME: c.Type, Digest: c.Digest, Filename: c.File, Offset: cdxjNumber(strconv.FormatInt(c.Offset, 10))}
	if c.Status != 0 {
		o.Status = cdxjNumber(strconv.Itoa(c.Status))
	}
	if c.Length != 0 {
		o.Length = cdxjNumber(strconv.FormatInt(c.Length, 10))
	}
	b := bytes.NewBuffer(append(append(dst, c.Key...), ' '))
	b.WriteString(c.Time.UTC().Format(cdxjTime) + " ")
	e := json.NewEncoder(b)
	e.SetEscapeHTML(false)
	if err := e.Encode(o); err != nil {
		panic(err) // unreachable, because all values are strings
	}
	return b.Bytes()
}

// ErrCDXJ means that a line is not a valid line of a web archive index.
var ErrCDXJ = errors.New("warc: not a line of a CDXJ index")

// ParseCDXJ parses a line with or without its newline. It ignores unknown JSON members.
func ParseCDXJ(line string) (c CDXJ, err error) {
	key, rest, _ := strings.Cut(strings.TrimRight(line, "\r\n"), " ")
	stamp, text, ok := strings.Cut(rest, " ")
	if !ok || key == "" {
		return CDXJ{}, fmt.Errorf("%w: a line must have a key, a time and a JSON object", ErrCDXJ)
	}
	c.Key = key
	if c.Time, err = time.Parse(cdxjTime, stamp); err != nil || len(stamp) != len(cdxjTime) {
		return CDXJ{}, fmt.Errorf("%w: the time must have 14 digits (YYYYMMDDhhmmss)", ErrCDXJ)
	}
	var o cdxjObject
	if err := json.Unmarshal([]byte(text), &o); err != nil {
		return CDXJ{}, fmt.Errorf("%w: the JSON is malformed", ErrCDXJ)
	}
	c.URL, c.Type, c.Digest, c.File = o.URL, o.MIME, o.Digest, o.Filename
	status, err1 := o.Status.int()
	length, err2 := o.Length.int()
	offset, err3 := o.Offset.int()
	if errors.Join(err1, err2, err3) != nil || status > 999 {
		return CDXJ{}, fmt.Errorf("%w: length, offset or status is not a number", ErrCDXJ)
	}
	c.Status, c.Length, c.Offset = int(status), length, offset
	return c, nil
}

// Compare compares two lines first by key and then by time, which is the order of their
// texts.
func (c CDXJ) Compare(d CDXJ) int {
	return cmp.Or(strings.Compare(c.Key, d.Key), c.Time.Compare(d.Time), cmp.Compare(c.Offset, d.Offset))
}

// Key returns the index key of a URI, such as "com,example)/path?a=1", as pywb computes the key.
// For http and https, the key consists of the reversed host labels, a port other than the default
// port, and the path and query in lower case. Key decodes percent-encoded characters, resolves "."
// and ".." segments, and sorts the query parameters. The scheme (http or https) and a leading
// "www." do not change the key. Unlike pywb, Key does not remove session identifiers. The key of
// any other URI is the URI itself.
func Key(uri string) string {
	scheme, rest, _ := strings.Cut(uri, "://")
	scheme = strings.ToLower(scheme)
	rest, _, _ = strings.Cut(rest, "#")
	end := strings.IndexAny(rest+"/", "/?")
	authority := rest[strings.LastIndexByte(rest[:end], '@')+1 : end]
	if scheme != "http" && scheme != "https" || authority == "" || strings.ContainsAny(authority, " \t\r\n") {
		return strings.NewReplacer(" ", "%20", "\t", "%09", "\r", "%0D", "\n", "%0A").Replace(uri)
	}
	path, query, _ := strings.Cut(rest[end:], "?")
	key := hostKey(scheme, authority) + ")" + pathKey(strings.ToLower(decodedKey(path)))
	if query != "" {
		parameters := strings.Split(strings.ToLower(decodedKey(query)), "&")
		slices.SortFunc(parameters, compareParameters)
		key += "?" + strings.Join(parameters, "&")
	}
	return key
}

// maxHost is the maximum length in bytes of a host that can be a DNS name: 253 characters, each of
// up to four bytes. The time to encode a host grows with the square of its length.
const maxHost = 253 * utf8.UTFMax

// hostKey returns the host with its labels in reverse order, and the port.
func hostKey(scheme, authority string) string {
	authority = strings.ToLower(authority)
	host, port := authority, ""
	if i := strings.LastIndexByte(authority, ':'); i > strings.IndexByte(authority, ']') {
		host, port = authority[:i], authority[i+1:]
	}
	if strings.HasPrefix(host, "[") {
		host = strings.Trim(host, "[]")
	} else {
		if len(host) <= maxHost {
			if ascii, err := idna.ToASCII(host); err == nil {
				host = ascii
			}
		}
		labels := strings.Split(strings.TrimSuffix(withoutWWW(host), "."), ".")
		slices.Reverse(labels)
		host = strings.Join(labels, ",")
	}
	if port != "" && !(scheme == "http" && port == "80") && !(scheme == "https" && port == "443") {
		host += ":" + port
	}
	return host
}

// pathKey resolves dot segments in a path, and removes empty segments and a final "/".
func pathKey(path string) string {
	var segments []string
	for segment := range strings.SplitSeq(path, "/") {
		switch segment {
		case "", ".":
		case "..":
			segments = segments[:max(len(segments)-1, 0)]
		default:
			segments = append(segments, segment)
		}
	}
	return "/" + strings.Join(segments, "/")
}

// decodedKey decodes the escapes in text until the result contains no escapes. Then it escapes the
// bytes that pywb escapes.
func decodedKey(text string) string {
	var decoded []byte
	for i := range len(text) {
		decoded = append(decoded, text[i])
		for n := len(decoded); n >= 3 && decoded[n-3] == '%'; n = len(decoded) {
			b, err := strconv.ParseUint(string(decoded[n-2:]), 16, 8)
			if err != nil {
				break
			}
			decoded = append(decoded[:n-3], byte(b))
		}
	}
	var b strings.Builder
	for _, c := range decoded {
		if c <= ' ' || c >= 0x7f || c == '#' || c == '%' {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// compareParameters orders parameters by name and then by value.
func compareParameters(a, b string) int {
	nameA, valueA, _ := strings.Cut(a, "=")
	nameB, valueB, _ := strings.Cut(b, "=")
	return cmp.Or(strings.Compare(nameA, nameB), strings.Compare(valueA, valueB), len(a)-len(b))
}

// withoutWWW removes a leading "www." or "www2." (or any other number) from a host.
func withoutWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	if after, dot := strings.CutPrefix(strings.TrimLeft(rest, "0123456789"), "."); ok && dot && after != "" {
		return after
	}
	return host
}
