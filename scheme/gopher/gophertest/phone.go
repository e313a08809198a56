package gophertest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"strings"
)

// Person is an entry of the phone book. What is empty is not in it.
type Person struct {
	Alias, Name, Email, Phone string
	Address                   string // lines
}

var phoneFields = []string{"alias", "name", "email", "phone", "address"}

func (p Person) field(name string) string {
	switch name {
	case "alias":
		return p.Alias
	case "name":
		return p.Name
	case "email":
		return p.Email
	case "phone":
		return p.Phone
	case "address":
		return p.Address
	}
	return ""
}

// phoneBook serves a connection to the phone book: the protocol of Ph clients, of
// which servers were called Qi.
func (s *Server) phoneBook(near net.Conn) {
	conn := patient{near, s.o.Idle}
	r := bufio.NewReaderSize(conn, longestLine+2)
	for {
		octets, err := r.ReadSlice('\n')
		if err != nil {
			return
		}
		line := strings.TrimSuffix(strings.TrimSuffix(string(octets), "\n"), "\r")
		s.logPhone(line)
		answer, done := s.phoneAnswer(line)
		if _, err := io.WriteString(conn, answer); err != nil || done {
			return
		}
	}
}

// phoneAnswer returns the lines that answer a command, and whether it was the
// last one.
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
	case "siteinfo":
		return "-200:1:mailfield:alias\r\n-200:2:administrator:" + s.admin + "\r\n200:Ok.\r\n", false
	case "status":
		return "100:Qi server gophertest\r\n100:Ph passwords may be obtained at the desk.\r\n201:Database ready, read only.\r\n", false
	case "help":
		return "-200:1:query fields siteinfo status help quit\r\n200:Ok.\r\n", false
	case "quit", "exit", "stop":
		return "200:Bye!\r\n", true
	default:
		return "514:Unknown command.\r\n", false
	}
}

// phoneWords splits a command at blanks that are not within quotation marks.
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

// query answers "smith", "name=smith phone=555*", and what comes behind "return"
// names the fields to tell.
func (s *Server) query(words []string) string {
	keys, told, ok := phoneKeys(words)
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
		p.tell(&b, i+1, told)
	}
	return b.String() + "200:Ok.\r\n"
}

type phoneKey struct{ field, value string }

// phoneKeys reads the words of a query. told is nil if all that is there is to be
// told.
func phoneKeys(words []string) (keys []phoneKey, told []string, ok bool) {
	for i, word := range words {
		if strings.EqualFold(word, "return") {
			told = words[i+1:]
			break
		}
		field, value, named := strings.Cut(word, "=")
		if !named {
			field, value = "name", word
		}
		if !isPhoneField(field) {
			return nil, nil, false
		}
		if value != "" {
			keys = append(keys, phoneKey{strings.ToLower(field), strings.ToLower(value)})
		}
	}
	if len(told) == 1 && strings.EqualFold(told[0], "all") {
		told = nil
	}
	for _, field := range told {
		if !isPhoneField(field) {
			return nil, nil, false
		}
	}
	return keys, told, true
}

func isPhoneField(name string) bool {
	for _, field := range phoneFields {
		if strings.EqualFold(field, name) {
			return true
		}
	}
	return false
}

// matches reports whether each key is part of a field, or fits it with "*" for
// whatever is between.
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

// tell writes the fields of an entry.
func (p Person) tell(b *strings.Builder, n int, told []string) {
	fields := phoneFields
	if told != nil {
		fields = told
	}
	for _, field := range fields {
		field = strings.ToLower(field)
		value := p.field(field)
		if value == "" && told != nil {
			fmt.Fprintf(b, "-508:%d:%15s: Not present in entry.\r\n", n, field)
		}
		for _, line := range lines(value) {
			fmt.Fprintf(b, "-200:%d:%15s: %s\r\n", n, field, line)
			field = ""
		}
	}
}
