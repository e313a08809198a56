package prospero

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
)

// Query is a request about one object.
type Query struct {
	Hsoname string // octets
	Version int32  // 0: the current one
	// SoftwareID identifies the client: one word of at most 39 octets. Empty: "locus".
	SoftwareID string
	// Remote selects one of several objects of that name by its number, from a field
	// ID whose value is "REMOTE" and the number. Empty: none.
	Remote  string
	Filters []Filter // the server applies them to the links of a directory
}

// Filter is a predefined filter of the server: AR_DOMAIN and AR_PATHCOMP are Archie's.
type Filter struct {
	Name string
	Args []string
}

// longestID is the longest software id that the original server accepts.
const longestID = 39

// AppendInfo appends the message that asks for attributes of an object. Ask for
// ACCESS-METHOD, SIZE, LAST-MODIFIED and UNIX-MODES together: the original server
// answers wrongly if asked for fewer. The error wraps [locus.ErrValue]: attributes is
// empty, or something can't be sent.
func AppendInfo(dst []byte, q *Query, attributes ...string) ([]byte, error) {
	m := q.begin(dst)
	if len(attributes) == 0 {
		m.checkWord("attribute", "")
	}
	for _, name := range attributes {
		m.checkWord("attribute", name)
	}
	m.text("GET-OBJECT-INFO ", strings.Join(attributes, "+"), " ASCII ")
	m.token(q.Hsoname)
	m.text(" ", strconv.Itoa(int(q.Version)), "\n")
	m.selectObject(q)
	return m.end(dst)
}

// AppendList appends the message that asks for the links of a directory and their
// attributes. Components select one link, possibly through others; without any, all
// links are asked for. The error wraps [locus.ErrValue], as for [AppendInfo].
func AppendList(dst []byte, q *Query, components ...string) ([]byte, error) {
	m := q.begin(dst)
	m.text("DIRECTORY ASCII ")
	m.token(q.Hsoname)
	if q.Version != 0 {
		m.text(" ", strconv.Itoa(int(q.Version)))
	}
	m.text("\n")
	m.selectObject(q)
	m.text("LIST ATTRIBUTES")
	if len(q.Filters) > 0 {
		m.text("+FILTER")
	}
	m.text(" COMPONENTS")
	m.tokens(components)
	m.text("\n")
	for _, f := range q.Filters {
		m.checkWord("filter", f.Name)
		m.text("FILTER DIRECTORY SERVER PRE PREDEFINED ", f.Name, " ARGS")
		m.tokens(f.Args)
		m.text("\n")
	}
	return m.end(dst)
}

// message is a request under construction. It keeps the first error.
type message struct {
	octets []byte
	err    error
}

// begin appends the first lines of each request. The client never names its user.
func (q *Query) begin(dst []byte) *message {
	m := &message{octets: dst}
	id := cmp.Or(q.SoftwareID, "locus")
	m.checkWord("software id", id)
	if len(id) > longestID {
		m.fail(fmt.Errorf("%s: %w: a software id has at most %d octets", locus.Quote(id), locus.ErrValue, longestID))
	}
	m.text("VERSION 5 ", id, "\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n")
	return m
}

// selectObject appends the line that selects one of several objects.
func (m *message) selectObject(q *Query) {
	if q.Remote == "" {
		return
	}
	if !isDigits(q.Remote) {
		m.fail(fmt.Errorf("%s: %w: an id is a number", locus.Quote(q.Remote), locus.ErrValue))
	}
	m.text("SELECT OBJECT FIELD ID REMOTE ", q.Remote, "\n")
}

// checkWord fails if the token would need quotes: servers do not read keywords in
// quotes.
func (m *message) checkWord(what, token string) {
	if !isWord(token) {
		m.fail(fmt.Errorf("%s: %w: invalid %s: it must be one word", locus.Quote(token), locus.ErrValue, what))
	}
}

func (m *message) fail(err error) {
	if m.err == nil {
		m.err = err
	}
}

func (m *message) text(texts ...string) {
	for _, t := range texts {
		m.octets = append(m.octets, t...)
	}
}

func (m *message) token(token string) {
	var err error
	if m.octets, err = AppendToken(m.octets, token); err != nil {
		m.fail(err)
	}
}

// tokens appends each token after a blank.
func (m *message) tokens(list []string) {
	for _, t := range list {
		m.text(" ")
		m.token(t)
	}
}

// end returns dst with the message, or dst and the error.
func (m *message) end(dst []byte) ([]byte, error) {
	if m.err != nil {
		return dst, m.err
	}
	return m.octets, nil
}
