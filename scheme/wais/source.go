package wais

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Source is a source description, in which a server tells of one of its databases:
// a document of the wtype WSRC, or a file whose name ends in ".src". Its texts are
// as the server wrote them: not safe for a terminal, and no address to connect to
// unasked.
type Source struct {
	Version           int    // of the description, 3; 0: it has no number for it
	IPName, IPAddress string // where the server is
	Port              uint16 // 0: not said, which means 210
	Database          string
	Cost              string // a number as it is written: "0.00"
	CostUnit          string // "free", "dollars-per-minute"
	Maintainer        string // a mail address
	Description       string // lines with "\n" between them
	Keywords          []string
}

// What a source description may take: descriptions of some servers are longer than
// other programs read, and none nests much.
const (
	maxSource      = 1 << 20 // octets
	maxSourceDepth = 32      // lists in lists
)

// ParseSource reads a source description:
//
//	(:source :keyword value ... )
//
// A value is a word, a text in quotation marks, a list "( ... )" or "#( ... )", or a
// structure like the whole. Keywords that are not known are skipped, whatever their
// value, and so is what follows the last ")", which may be missing. The error wraps
// [scheme.ErrProtocol], or [scheme.ErrTooLarge] for a text of more than 1 MiB.
func ParseSource(text []byte) (*Source, error) {
	if len(text) > maxSource {
		return nil, fmt.Errorf("wais: source description: %w: more than %d octets", scheme.ErrTooLarge, maxSource)
	}
	r := sourceReader{text: string(text)}
	s := new(Source)
	if err := r.read(s); err != nil {
		return nil, fmt.Errorf("wais: source description: octet %d: %w: %w", r.at, scheme.ErrProtocol, err)
	}
	return s, nil
}

// sourceReader reads the text of a source description from at on.
type sourceReader struct {
	text string
	at   int
}

func (r *sourceReader) read(s *Source) error {
	if !r.take("(") {
		return fmt.Errorf(`it begins with "(:source"`)
	}
	if word := r.word(); word != ":source" {
		return fmt.Errorf(`it begins with "(:source", not with %s`, locus.Quote("("+word))
	}
	for !r.take(")") && r.more() {
		keyword, err := r.value(1)
		if err != nil {
			return err
		}
		if r.take(")") || !r.more() {
			break // a keyword without a value says nothing
		}
		v, err := r.value(1)
		if err == nil {
			err = s.set(keyword.text, v)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", locus.Quote(keyword.text), err)
		}
	}
	return nil
}

// set notes the value of a keyword.
func (s *Source) set(keyword string, v sourceValue) error {
	switch keyword {
	case ":version":
		s.Version, _ = strconv.Atoi(v.text) // nothing depends on it
	case ":ip-name":
		s.IPName = v.text
	case ":ip-address":
		s.IPAddress = v.text
	case ":tcp-port":
		n, err := strconv.ParseUint(v.text, 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("a port is 1 to 65535, not %s", locus.Quote(v.text))
		}
		s.Port = uint16(n)
	case ":database-name":
		s.Database = v.text
	case ":cost":
		s.Cost = v.text
	case ":cost-unit":
		s.CostUnit = strings.TrimPrefix(v.text, ":")
	case ":maintainer":
		s.Maintainer = v.text
	case ":description":
		s.Description = v.text
	case ":keyword-list":
		s.Keywords = v.list
	}
	return nil
}

// sourceValue is a word or text, or the words and texts of a list.
type sourceValue struct {
	text string
	list []string
}

// value reads a value. depth is how many lists it is in.
func (r *sourceReader) value(depth int) (v sourceValue, err error) {
	switch {
	case r.take(`"`):
		v.text, err = r.quoted()
	case r.take("#("), r.take("("):
		v.list, err = r.values(depth + 1)
	default:
		v.text = r.word()
	}
	return v, err
}

// values reads the values of a list to its end.
func (r *sourceReader) values(depth int) (list []string, err error) {
	if depth > maxSourceDepth {
		return nil, fmt.Errorf("more than %d lists in lists", maxSourceDepth)
	}
	for !r.take(")") && r.more() {
		v, err := r.value(depth)
		if err != nil {
			return nil, err
		}
		if v.text != "" {
			list = append(list, v.text)
		}
	}
	return list, nil
}

// blanks is what stands between values.
const blanks = " \t\r\n\f\v"

// more goes to the next value and reports whether there is one.
func (r *sourceReader) more() bool {
	rest := strings.TrimLeft(r.text[r.at:], blanks)
	r.at = len(r.text) - len(rest)
	return rest != ""
}

// take takes token if it is what comes next.
func (r *sourceReader) take(token string) bool {
	if !r.more() || !strings.HasPrefix(r.text[r.at:], token) {
		return false
	}
	r.at += len(token)
	return true
}

// word reads what comes next up to where something else begins.
func (r *sourceReader) word() string {
	r.more()
	rest := r.text[r.at:]
	end := strings.IndexAny(rest, blanks+`()"`)
	if end < 0 {
		end = len(rest)
	}
	r.at += end
	return rest[:end]
}

// quoted reads a text to the quotation mark that ends it. A "\" stands before what
// is meant as it is.
func (r *sourceReader) quoted() (string, error) {
	var text strings.Builder
	for {
		rest := r.text[r.at:]
		i := strings.IndexAny(rest, `"\`)
		if i < 0 || rest[i] == '\\' && i+1 == len(rest) {
			return "", fmt.Errorf("a text has no quotation mark at its end")
		}
		text.WriteString(rest[:i])
		r.at += i + 1
		if rest[i] == '"' {
			return text.String(), nil
		}
		text.WriteByte(rest[i+1])
		r.at++
	}
}

// Local reports whether the description names no server: the database is one of the
// machine that the description is on.
func (s *Source) Local() bool { return s.IPName == "" && s.IPAddress == "" && s.Port == 0 }

// URL returns the URL of the database: wais://ip-name:port/database. If there is no
// name, the address is in its place. The error says that there is neither, which
// wraps [scheme.ErrUnsupported], or is a [*locus.SyntaxError].
func (s *Source) URL() (locus.URL, error) {
	host := cmp.Or(s.IPName, s.IPAddress)
	if host == "" {
		return locus.URL{}, fmt.Errorf("wais: source description: %w: it names no server", scheme.ErrUnsupported)
	}
	x, err := Parts{Host: hostText(host), Port: portText(s.Port), Database: s.Database}.URL()
	return x.url, err
}

// hostText is a host as URL text.
func hostText(host string) string {
	if strings.Contains(host, ":") && host[0] != '[' {
		return "[" + host + "]"
	}
	return host
}

// portText is a port for [Parts], which leaves 0 out.
func portText(port uint16) uint16 {
	if port == Port {
		return 0
	}
	return port
}
