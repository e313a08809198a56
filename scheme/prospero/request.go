package prospero

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
)

// query is a request about one object.
type query struct {
	hsoname string // hsoname, as octets
	version int32  // version; 0 means the current version
	remote  string // number that selects one of several objects with the same hsoname; may be empty
}

// info returns a message that requests attributes of an object. The caller must request
// ACCESS-METHOD, SIZE, LAST-MODIFIED and UNIX-MODES together. Otherwise the original server sends
// wrong answers. If a request cannot contain a value, the error wraps [locus.ErrValue].
func (q *query) info(attributes ...string) ([]byte, error) {
	for _, name := range attributes {
		if err := checkWord("attribute", name); err != nil {
			return nil, err
		}
	}
	return q.message("GET-OBJECT-INFO "+strings.Join(attributes, "+")+" ASCII ", " "+strconv.Itoa(int(q.version)), "")
}

// list returns a message that requests the links of a directory and the attributes of these links.
// It returns the same errors as info.
func (q *query) list() ([]byte, error) {
	version := ""
	if q.version != 0 {
		version = " " + strconv.Itoa(int(q.version))
	}
	return q.message("DIRECTORY ASCII ", version, "LIST ATTRIBUTES COMPONENTS\n")
}

// message returns a request message. Its first line consists of prefix, the hsoname and suffix. If
// q.remote is set, the next line selects one of several objects. The commands follow. The message
// never contains the name of the client's user.
func (q *query) message(prefix, suffix, commands string) ([]byte, error) {
	m, err := appendToken([]byte("VERSION 5 locus\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n"+prefix), q.hsoname)
	if err != nil {
		return nil, err
	}
	m = append(append(m, suffix...), '\n')
	if q.remote != "" {
		if !isDigits(q.remote) {
			return nil, fmt.Errorf("%s: %w: an id is a number", locus.Quote(q.remote), locus.ErrValue)
		}
		m = append(m, "SELECT OBJECT FIELD ID REMOTE "+q.remote+"\n"...)
	}
	return append(m, commands...), nil
}

// checkWord returns an error if the token needs quotes, because servers do not recognize quoted
// keywords.
func checkWord(what, token string) error {
	if !isWord(token) {
		return fmt.Errorf("%s: %w: invalid %s: it must be one word", locus.Quote(token), locus.ErrValue, what)
	}
	return nil
}
