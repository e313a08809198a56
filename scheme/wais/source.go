package wais

import (
	"cmp"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// Source is a source description, with which a server describes a database: a document
// of the wtype WSRC, or a file whose name ends with ".src". Its texts are as the
// server wrote them: not safe for a terminal, nor to connect to without asking.
type Source struct {
	Version           int    // of the description, 3; 0: missing or invalid
	IPName, IPAddress string // the server
	Port              uint16 // 0: not specified, which means 210
	Database          string
	Cost              string // a number as written: "0.00"
	CostUnit          string // "free", "dollars-per-minute"
	Maintainer        string // a mail address
	Description       string // lines with "\n" between them
	Keywords          []string
}

const (
	maxSource      = 1 << 20 // octets
	maxSourceDepth = 32      // lists in lists
)

// ParseSource reads a source description:
//
//	(:source :keyword value ... )
//
// A value is a word, a text in quotation marks, a list "( ... )" or "#( ... )", or a
// structure like the whole. Unknown keywords are skipped with their values. The last
// ")" may be missing, and everything after it is ignored. The error wraps
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
		return errors.New(`it must begin with "(:source"`)
	}
	if word := r.word(); word != ":source" {
		return fmt.Errorf(`it must begin with "(:source", not with %s`, locus.Quote("("+word))
	}
	for !r.take(")") && r.more() {
		keyword, err := r.value(1)
		if err != nil {
			return err
		}
		if r.take(")") || !r.more() {
			break // the last keyword has no value
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

// set stores the value of a keyword.
func (s *Source) set(keyword string, v sourceValue) error {
	switch keyword {
	case ":version":
		s.Version, _ = strconv.Atoi(v.text)
	case ":ip-name":
		s.IPName = v.text
	case ":ip-address":
		s.IPAddress = v.text
	case ":tcp-port":
		n, err := strconv.ParseUint(v.text, 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("port %s is out of range (1-65535)", locus.Quote(v.text))
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

// value reads a value. depth is the number of lists around it.
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
		return nil, fmt.Errorf("more than %d nested lists", maxSourceDepth)
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

// blanks separate values.
const blanks = " \t\r\n\f\v"

// more goes to the next value and reports whether there is one.
func (r *sourceReader) more() bool {
	rest := strings.TrimLeft(r.text[r.at:], blanks)
	r.at = len(r.text) - len(rest)
	return rest != ""
}

// take skips token if it comes next.
func (r *sourceReader) take(token string) bool {
	if !r.more() || !strings.HasPrefix(r.text[r.at:], token) {
		return false
	}
	r.at += len(token)
	return true
}

// word reads up to the next blank, parenthesis or quotation mark.
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

// quoted reads a text up to its closing quotation mark. A "\" escapes the next octet.
func (r *sourceReader) quoted() (string, error) {
	var text strings.Builder
	for {
		rest := r.text[r.at:]
		i := strings.IndexAny(rest, `"\`)
		if i < 0 || rest[i] == '\\' && i+1 == len(rest) {
			return "", errors.New("a text has no closing quotation mark")
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

// Local reports whether the description names no server: the database is on the same
// machine as the description.
func (s *Source) Local() bool { return s.IPName == "" && s.IPAddress == "" && s.Port == 0 }

// URL returns the URL of the database: wais://ip-name:port/database, or with the
// address if the name is missing. Without either, the error wraps
// [scheme.ErrUnsupported]; otherwise it is a [*locus.SyntaxError].
func (s *Source) URL() (locus.URL, error) {
	host := cmp.Or(s.IPName, s.IPAddress)
	if host == "" {
		return locus.URL{}, fmt.Errorf("wais: source description: %w: it names no server", scheme.ErrUnsupported)
	}
	return s.at(host, s.Port)
}

// urlOn returns the URL of the database. A description that names no server describes a
// database of the server that sent it.
func (s *Source) urlOn(server locus.URL) (locus.URL, error) {
	if s.IPName != "" || s.IPAddress != "" {
		return s.URL()
	}
	port, _ := server.Port()
	return s.at(server.Host(), cmp.Or(s.Port, port))
}

func (s *Source) at(host string, port uint16) (locus.URL, error) {
	if strings.Contains(host, ":") && host[0] != '[' {
		host = "[" + host + "]"
	}
	if port == Port {
		port = 0
	}
	x, err := Parts{Host: host, Port: port, Database: s.Database}.URL()
	return x.url, err
}
