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

// source is a source description, in which a server describes a database. Its texts are not
// safe for a terminal.
type source struct {
	IPName, IPAddress string // name and IP address of the server
	Port              uint16 // port; 0 means the default port, 210
	Database          string
	Cost              string // cost as text, such as "0.00"
	CostUnit          string // unit of the cost, such as "free" or "dollars-per-minute"
	Maintainer        string // e-mail address
	Description       string // description with "\n" between its lines
}

const (
	maxSource      = 1 << 20 // maximum size in bytes
	maxSourceDepth = 32      // maximum depth of nested lists
)

// parseSource parses a source description, which has the following syntax:
//
//	(:source :keyword value ... )
//
// A value is a word, a text in quotation marks, or a list "( ... )" or "#( ... )". Unknown
// keywords and any text after the list are ignored. The last ")" may be missing.
func parseSource(text []byte) (*source, error) {
	if len(text) > maxSource {
		return nil, fmt.Errorf("wais: source description: %w: more than %d bytes", scheme.ErrTooLarge, maxSource)
	}
	r := sourceReader{text: string(text)}
	s := new(source)
	if err := r.read(s); err != nil {
		return nil, fmt.Errorf("wais: source description: octet %d: %w: %w", r.at, scheme.ErrProtocol, err)
	}
	return s, nil
}

type sourceReader struct {
	text string
	at   int
}

func (r *sourceReader) read(s *source) error {
	if !r.take("(") {
		return errors.New(`it must begin with "(:source"`)
	}
	if word := r.readWord(); word != ":source" {
		return fmt.Errorf(`it must begin with "(:source", not with %s`, locus.Quote("("+word))
	}
	for !r.take(")") && r.skipSpace() {
		keyword, err := r.readValue(1)
		if err != nil {
			return err
		}
		if r.take(")") || !r.skipSpace() {
			break // the last keyword has no value
		}
		v, err := r.readValue(1)
		if err == nil {
			err = s.set(keyword, v)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", locus.Quote(keyword), err)
		}
	}
	return nil
}

func (s *source) set(keyword, v string) error {
	text := map[string]*string{
		":ip-name": &s.IPName, ":ip-address": &s.IPAddress, ":database-name": &s.Database, ":cost": &s.Cost,
		":cost-unit": &s.CostUnit, ":maintainer": &s.Maintainer, ":description": &s.Description,
	}[keyword]
	switch {
	case text != nil:
		*text = v
		s.CostUnit = strings.TrimPrefix(s.CostUnit, ":")
	case keyword == ":tcp-port":
		n, err := strconv.ParseUint(v, 10, 16)
		if err != nil || n == 0 {
			return fmt.Errorf("port %s is out of range (1-65535)", locus.Quote(v))
		}
		s.Port = uint16(n)
	}
	return nil
}

// readValue reads a value and returns its text. For a list, it returns "". The depth is the
// number of lists that contain the value.
func (r *sourceReader) readValue(depth int) (string, error) {
	switch {
	case r.take(`"`):
		return r.readQuoted()
	case !r.take("#(") && !r.take("("):
		return r.readWord(), nil
	case depth == maxSourceDepth:
		return "", fmt.Errorf("more than %d nested lists", maxSourceDepth)
	}
	for !r.take(")") && r.skipSpace() {
		if _, err := r.readValue(depth + 1); err != nil {
			return "", err
		}
	}
	return "", nil
}

const blanks = " \t\r\n\f\v"

// skipSpace skips white space, and reports whether another value follows.
func (r *sourceReader) skipSpace() bool {
	rest := strings.TrimLeft(r.text[r.at:], blanks)
	r.at = len(r.text) - len(rest)
	return rest != ""
}

func (r *sourceReader) take(token string) bool {
	if !r.skipSpace() || !strings.HasPrefix(r.text[r.at:], token) {
		return false
	}
	r.at += len(token)
	return true
}

// readWord reads a word, which ends before the next space, parenthesis or quotation mark.
func (r *sourceReader) readWord() string {
	r.skipSpace()
	rest := r.text[r.at:]
	end := strings.IndexAny(rest, blanks+`()"`)
	if end < 0 {
		end = len(rest)
	}
	r.at += end
	return rest[:end]
}

// readQuoted reads a text, including its closing quotation mark. A "\" escapes the next octet.
func (r *sourceReader) readQuoted() (string, error) {
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

// URL returns the URL of the database, such as wais://ip-name:port/database. If the
// description contains no IPName, URL uses the IPAddress instead. If both are missing, the
// error wraps [scheme.ErrUnsupported]. Any other error is a [*locus.SyntaxError].
func (s *source) URL() (locus.URL, error) {
	host := cmp.Or(s.IPName, s.IPAddress)
	if host == "" {
		return locus.URL{}, fmt.Errorf("wais: source description: %w: it names no server", scheme.ErrUnsupported)
	}
	return s.at(host, s.Port)
}

// urlOn returns the URL of the database. If the description names no server, urlOn uses the
// given server, which sent the description.
func (s *source) urlOn(server locus.URL) (locus.URL, error) {
	if s.IPName != "" || s.IPAddress != "" {
		return s.URL()
	}
	port, _ := server.Port()
	return s.at(server.Host(), cmp.Or(s.Port, port))
}

func (s *source) at(host string, port uint16) (locus.URL, error) {
	if strings.Contains(host, ":") && host[0] != '[' {
		host = "[" + host + "]"
	}
	if port == Port {
		port = 0
	}
	x, err := Parts{Host: host, Port: port, Database: s.Database}.URL()
	return x.url, err
}
