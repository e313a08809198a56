package warc

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// CDXJ is a line of an index of web archives, in the format of pywb and warcio: a key, the
// time in 14 digits and a JSON object.
type CDXJ struct {
	Key    string    // of [Key]
	Time   time.Time // when the record was made, in UTC and whole seconds
	URL    string    // the target URI
	Type   string    // media type without parameters; "warc/revisit" for a revisit; empty if unknown
	Status int       // of HTTP; 0 if none
	Digest string    // of the payload, "sha1:" and base32, or as it was written; empty if none
	Length int64     // of the record in the file, compressed; 0 if unknown
	Offset int64     // of the record in the file
	File   string    // the name of the file, as it was written: perhaps with folders, never to be trusted
}

// cdxjTime is the time of an index, in 14 digits.
const cdxjTime = "20060102150405"

// cdxjObject is the JSON of a line. The numbers are strings, as others write them.
type cdxjObject struct {
	URL      string     `json:"url"`
	MIME     string     `json:"mime,omitempty"`
	Status   cdxjNumber `json:"status,omitempty"`
	Digest   string     `json:"digest,omitempty"`
	Length   cdxjNumber `json:"length,omitempty"`
	Offset   cdxjNumber `json:"offset"`
	Filename string     `json:"filename"`
}

// cdxjNumber is a number that is written as a string. It reads numbers too, and "" and "-"
// as unknown.
type cdxjNumber string

func (n *cdxjNumber) UnmarshalJSON(text []byte) error {
	if len(text) > 0 && text[0] == '"' {
		return json.Unmarshal(text, (*string)(n))
	}
	var number json.Number
	err := json.Unmarshal(text, &number) // null leaves it empty
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

// Append appends the line, with its end, to dst.
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
		panic(err) // strings have no error
	}
	return b.Bytes()
}

// ErrCDXJ means that a line is not one of an index of web archives.
var ErrCDXJ = errors.New("warc: not a line of a CDXJ index")

// ParseCDXJ reads a line, without or with its end. Of the fields in the JSON, it ignores
// those that CDXJ does not have.
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

// Compare orders lines as their text is sorted: by key, then by time.
func (c CDXJ) Compare(d CDXJ) int {
	return cmp.Or(strings.Compare(c.Key, d.Key), c.Time.Compare(d.Time), cmp.Compare(c.Offset, d.Offset))
}

// Key returns the key of a URI in an index: for http and https the host with its labels
// reversed, a port other than the default, and the path and query in lower case with the
// parameters sorted, "com,example)/path?a=1". Both schemes and "www." have the same key.
// Any other URI is its own key.
func Key(uri string) string {
	u, err := url.Parse(uri)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" || strings.ContainsAny(uri, " \t\r\n") {
		return strings.NewReplacer(" ", "%20", "\t", "%09", "\r", "%0D", "\n", "%0A").Replace(uri)
	}
	host := strings.ToLower(u.Hostname())
	if net.ParseIP(host) == nil {
		host = strings.TrimSuffix(withoutWWW(host), ".")
		labels := strings.Split(host, ".")
		slices.Reverse(labels)
		host = strings.Join(labels, ",")
	}
	if port := u.Port(); port != "" && !(u.Scheme == "http" && port == "80") && !(u.Scheme == "https" && port == "443") {
		host += ":" + port
	}
	key := host + ")" + cmp.Or(strings.ToLower(u.EscapedPath()), "/")
	if u.RawQuery != "" {
		parameters := strings.Split(strings.ToLower(u.RawQuery), "&")
		slices.Sort(parameters)
		key += "?" + strings.Join(parameters, "&")
	}
	return key
}

// withoutWWW cuts "www.", or "www" with digits, off a host.
func withoutWWW(host string) string {
	rest, ok := strings.CutPrefix(host, "www")
	rest = strings.TrimLeft(rest, "0123456789")
	if after, dot := strings.CutPrefix(rest, "."); ok && dot && strings.Contains(after, ".") {
		return after
	}
	return host
}
