package prospero

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
)

// Query is a question about one object.
type Query struct {
	Hsoname string // octets
	Version int32  // 0: the current one
	// SoftwareID is what the client calls itself: one word of at most 39 octets.
	// Empty: "locus".
	SoftwareID string
	// Remote tells one of several objects of that name by its number, from a field
	// ID whose value is "REMOTE" and the number. Empty: none.
	Remote string
	// Filters are applied by the server to the links of a directory.
	Filters []Filter
}

// Filter is one that the server knows by name: AR_DOMAIN and AR_PATHCOMP are those
// of Archie.
type Filter struct {
	Name string
	Args []string
}

// longestID is the longest software id that the original server takes.
const longestID = 39

// AppendInfo appends the message that asks for attributes of an object. What is to
// be known first is in ACCESS-METHOD, SIZE, LAST-MODIFIED and UNIX-MODES, asked for
// together: asked for less, the original server answers wrongly. The error wraps
// [locus.ErrValue]: there is no attribute, or something that can't be sent.
func AppendInfo(dst []byte, q *Query, attributes ...string) ([]byte, error) {
	m := q.begin(dst)
	if len(attributes) == 0 {
		m.needWord("attribute", "")
	}
	for _, name := range attributes {
		m.needWord("attribute", name)
	}
	m.text("GET-OBJECT-INFO ", strings.Join(attributes, "+"), " ASCII ")
	m.token(q.Hsoname)
	m.text(" ", strconv.Itoa(int(q.Version)), "\n")
	m.selected(q)
	return m.end(dst)
}

// AppendList appends the message that asks for the links of a directory and their
// attributes. Components name one link, perhaps by way of others; with none, all
// are asked for. The error is as that of [AppendInfo].
func AppendList(dst []byte, q *Query, components ...string) ([]byte, error) {
	m := q.begin(dst)
	m.text("DIRECTORY ASCII ")
	m.token(q.Hsoname)
	if q.Version != 0 {
		m.text(" ", strconv.Itoa(int(q.Version)))
	}
	m.text("\n")
	m.selected(q)
	m.text("LIST ATTRIBUTES")
	if len(q.Filters) > 0 {
		m.text("+FILTER")
	}
	m.text(" COMPONENTS")
	m.tokens(components)
	m.text("\n")
	for _, f := range q.Filters {
		m.needWord("filter", f.Name)
		m.text("FILTER DIRECTORY SERVER PRE PREDEFINED ", f.Name, " ARGS")
		m.tokens(f.Args)
		m.text("\n")
	}
	return m.end(dst)
}

// message is a request in the making. The first error stays.
type message struct {
	octets []byte
	err    error
}

// begin appends what each request begins with. Who asks is nobody's business.
func (q *Query) begin(dst []byte) *message {
	m := &message{octets: dst}
	id := q.SoftwareID
	if id == "" {
		id = "locus"
	}
	m.needWord("software id", id)
	if len(id) > longestID {
		m.fail(fmt.Errorf("%s: %w: a software id has at most %d octets", locus.Quote(id), locus.ErrValue, longestID))
	}
	m.text("VERSION 5 ", id, "\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n")
	return m
}

// selected appends the line that tells one object of several.
func (m *message) selected(q *Query) {
	if q.Remote == "" {
		return
	}
	if !isDigits(q.Remote) {
		m.fail(fmt.Errorf("%s: %w: an id is a number", locus.Quote(q.Remote), locus.ErrValue))
	}
	m.text("SELECT OBJECT FIELD ID REMOTE ", q.Remote, "\n")
}

// needWord fails for what would have to be quoted: the servers do not read
// keywords in quotes.
func (m *message) needWord(what, token string) {
	if !isWord(token) {
		m.fail(fmt.Errorf("%s: %w: no %s: it is one word", locus.Quote(token), locus.ErrValue, what))
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

// tokens appends each token behind a blank.
func (m *message) tokens(list []string) {
	for _, t := range list {
		m.text(" ")
		m.token(t)
	}
}

// end returns dst with the message, or alone with the error.
func (m *message) end(dst []byte) ([]byte, error) {
	if m.err != nil {
		return dst, m.err
	}
	return m.octets, nil
}
