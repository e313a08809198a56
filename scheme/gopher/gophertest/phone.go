package gophertest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"slices"
	"strings"
	"time"
)

// Person is an entry in the phone book. The server does not send empty fields.
type Person struct {
	Alias, Name, Email, Phone string
	Address                   string // address, which may have several lines
}

var phoneFields = []string{"alias", "name", "email", "phone", "address"}

func (p Person) field(name string) string {
	return [...]string{p.Alias, p.Name, p.Email, p.Phone, p.Address}[slices.Index(phoneFields, name)]
}

// phoneBook serves a connection with the protocol of Ph clients and Qi servers.
func (s *Server) phoneBook(c net.Conn) {
	r := bufio.NewReaderSize(c, longestLine+2)
	for {
		c.SetReadDeadline(time.Now().Add(s.o.Idle))
		octets, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		line := strings.TrimSuffix(strings.TrimSuffix(string(octets), "\n"), "\r")
		s.record(&s.phoneLog, line)
		answer, done := s.phoneAnswer(line)
		if _, err := io.WriteString(c, answer); err != nil || done {
			return
		}
	}
}

// phoneAnswer returns the reply to a command. If the command ends the session, done is true.
func (s *Server) phoneAnswer(line string) (answer string, done bool) {
	words := phoneWords(line)
	if len(words) == 0 {
		return "514:Unknown command.\r\n", false
	}
	switch strings.ToLower(words[0]) {
	case "query", "ph":
		return s.query(words[1:]), false
	case "fields":
		return fieldList(), false
	case "status":
		return "100:Qi server gophertest\r\n100:Ph passwords may be obtained at the desk.\r\n201:Database ready, read only.\r\n", false
	case "quit", "exit", "stop":
		return "200:Bye!\r\n", true
	default:
		return "514:Unknown command.\r\n", false
	}
}

// phoneWords splits a command at spaces outside quotation marks.
func phoneWords(line string) (words []string) {
	var word strings.Builder
	quoted, some := false, false
	for _, o := range []byte(line) {
		switch {
		case o == '"':
			quoted, some = !quoted, true
		case (o == ' ' || o == '\t') && !quoted:
			if some {
				words = append(words, word.String())
			}
			word.Reset()
			some = false
		default:
			word.WriteByte(o)
			some = true
		}
	}
	if some {
		words = append(words, word.String())
	}
	return words
}

func fieldList() string {
	var b strings.Builder
	for i, name := range phoneFields {
		indexed := ""
		if i < 2 {
			indexed = "Indexed "
		}
		fmt.Fprintf(&b, "-200:%d:%s:max 64 %sPublic Lookup Default\r\n-200:%d:%s:The %s of the person\r\n", i+1, name, indexed, i+1, name, name)
	}
	return b.String() + "200:Ok.\r\n"
}

// query returns the reply to a query such as "smith" or "name=smith phone=555* return email".
// The words after "return" are the requested fields.
func (s *Server) query(words []string) string {
	keys, wanted, ok := phoneKeys(words)
	switch {
	case !ok:
		return "507:No such field.\r\n"
	case len(keys) == 0:
		return "515:No usable key in the query.\r\n"
	}
	var found []Person
	all := true
	for _, key := range keys {
		all = all && strings.Trim(key.value, "*") == ""
	}
	for _, p := range s.o.Phone {
		if p.matches(keys) {
			found = append(found, p)
		}
	}
	switch {
	case all:
		return "502:Too many matches to request.\r\n"
	case len(found) == 0:
		return "501:No matches to your query.\r\n"
	}
	var b strings.Builder
	if len(found) == 1 {
		b.WriteString("102:There was 1 match to your request.\r\n")
	} else {
		fmt.Fprintf(&b, "102:There were %d matches to your request.\r\n", len(found))
	}
	for i, p := range found {
		p.write(&b, i+1, wanted)
	}
	return b.String() + "200:Ok.\r\n"
}

type phoneKey struct{ field, value string }

// phoneKeys parses the words of a query. If wanted is nil, the query requests all fields of an
// entry. If a field is unknown, ok is false.
func phoneKeys(words []string) (keys []phoneKey, wanted []string, ok bool) {
	for i, word := range words {
		word = strings.ToLower(word)
		if word == "return" {
			for _, field := range words[i+1:] {
				wanted = append(wanted, strings.ToLower(field))
			}
			break
		}
		field, value, named := strings.Cut(word, "=")
		if !named {
			field, value = "name", word
		}
		if !slices.Contains(phoneFields, field) {
			return nil, nil, false
		}
		if value != "" {
			keys = append(keys, phoneKey{field, value})
		}
	}
	if len(wanted) == 1 && wanted[0] == "all" {
		wanted = nil
	}
	for _, field := range wanted {
		if !slices.Contains(phoneFields, field) {
			return nil, nil, false
		}
	}
	return keys, wanted, true
}

// matches reports whether the entry matches all keys. For each key, the named field must
// contain the key's value, in which "*" matches any text.
func (p Person) matches(keys []phoneKey) bool {
	for _, key := range keys {
		rest := strings.ToLower(p.field(key.field))
		for piece := range strings.SplitSeq(key.value, "*") {
			_, after, ok := strings.Cut(rest, piece)
			if !ok {
				return false
			}
			rest = after
		}
	}
	return true
}

// write writes the requested fields of the entry. The argument n is the number of the entry in
// the reply.
func (p Person) write(b *strings.Builder, n int, wanted []string) {
	fields := phoneFields
	if wanted != nil {
		fields = wanted
	}
	for _, field := range fields {
		value := p.field(field)
		if value == "" && wanted != nil {
			fmt.Fprintf(b, "-508:%d:%15s: Not present in entry.\r\n", n, field)
		}
		for _, line := range lines(value) {
			fmt.Fprintf(b, "-200:%d:%15s: %s\r\n", n, field, line)
			field = ""
		}
	}
}
