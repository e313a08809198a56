package waistest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// APDUs that are known.
const (
	apduInit        = 20
	apduInitReply   = 21
	apduSearch      = 22
	apduSearchReply = 23
)

// Units of a range.
const (
	unitNone = iota // no range is given
	unitBytes
	unitLines
	unitParagraphs
)

var unitNames = [...]string{"all", "bytes", "lines", "paragraphs"}

// request is what an APDU asks for. Its slices point into the APDU.
type request struct {
	kind byte // the APDU's type

	most    int64 // octets of a reply that the client of an Init can take
	refused bool  // it wants what is not there

	database, reference []byte
	retrieves           bool // a document, by its id

	words    []byte
	wanted   int64 // documents
	examples []passage

	document passage
}

// passage is a document, or a part of it.
type passage struct {
	id, wtype  []byte
	unit       byte
	start, end int64
}

// parse reads an APDU. It reports whether that is one which a server of the time
// could read: an unknown element makes it unreadable.
func (q *request) parse(apdu []byte) bool {
	*q = request{examples: q.examples[:0]}
	if len(apdu) < 3 {
		return false
	}
	size := int(apdu[0])<<8 | int(apdu[1])
	if size < 1 || size > len(apdu)-2 {
		return false
	}
	header, rest := apdu[2:2+size], apdu[2+size:]
	q.kind, header = header[0], header[1:]
	switch q.kind {
	case apduInit:
		return q.parseInit(header) && len(rest) == 0
	case apduSearch:
		const fixed = 3 + 3 + 3 + 1
		return len(header) >= fixed && q.parseSearch(header[fixed:], rest)
	}
	return false
}

// parseInit reads the elements of an Init, the first four of which have to be these.
func (q *request) parseInit(elements []byte) bool {
	const version, options, messageSize, recordSize = 3, 4, 5, 6
	order := [...]int{version, options, messageSize, recordSize}
	n := 0
	for len(elements) > 0 {
		tag, content, rest, ok := element(elements)
		if !ok || n < len(order) && tag != order[n] {
			return false
		}
		switch tag {
		case options:
			const presentOrDelete = 0x60
			q.refused = len(content) > 0 && content[0]&presentOrDelete != 0
		case recordSize:
			q.most, ok = number(content)
		case version, messageSize, 7, 8, 9, 10, 2:
		default:
			return false
		}
		if !ok {
			return false
		}
		elements = rest
		n++
	}
	return n >= len(order)
}

func (q *request) parseSearch(elements, rest []byte) bool {
	var queryType []byte
	for len(elements) > 0 {
		tag, content, next, ok := element(elements)
		if !ok {
			return false
		}
		switch tag {
		case 2:
			q.reference = content
		case 17, 19: // names of a result set and of elements
		case 18:
			q.database = content
		case 20:
			queryType = content
		default:
			return false
		}
		elements = next
	}
	tag, content, rest, ok := element(rest)
	if !ok || len(rest) > 0 {
		return false
	}
	switch {
	case tag == 99 && string(queryType) == "3":
		return q.parseWords(content)
	case tag == 21 && string(queryType) == "1":
		q.retrieves = true
		return q.parseTerms(content)
	}
	return false
}

// parseWords reads the elements of a query of type 3.
func (q *request) parseWords(elements []byte) bool {
	const required = 2
	found := 0
	for len(elements) > 0 {
		tag, content, rest, ok := element(elements)
		if !ok {
			return false
		}
		switch tag {
		case 106:
			q.words = content
			found++
		case 114:
			q.wanted, ok = number(content)
			found++
		case 116, 107:
			q.examples = append(q.examples, passage{id: content})
		case 133, 100, 108, 109:
			ok = q.parseExample(tag, content)
		case 111, 112, 113: // dates, which nothing goes by
		default:
			return false
		}
		if !ok {
			return false
		}
		elements = rest
	}
	return found == required
}

// parseExample reads an element that says more of the last example.
func (q *request) parseExample(tag int, content []byte) (ok bool) {
	if len(q.examples) == 0 {
		return false
	}
	x := &q.examples[len(q.examples)-1]
	switch tag {
	case 133:
		x.wtype = content
		return true
	case 108:
		x.start, ok = number(content)
	case 109:
		x.end, ok = number(content)
	default:
		var unit int64
		unit, ok = number(content)
		x.unit = byte(unit)
		ok = ok && unit >= unitBytes && unit <= unitParagraphs
	}
	return ok
}

// parseTerms reads a query of type 1: terms, each behind its attributes, and
// operators, all of which are taken as "and".
func (q *request) parseTerms(elements []byte) bool {
	var attributes []byte
	for len(elements) > 0 {
		tag, content, rest, ok := element(elements)
		if !ok {
			return false
		}
		switch tag {
		case 44:
			attributes = content
		case 45:
			ok = q.parseTerm(attributes, content)
		case 46:
		default:
			return false
		}
		if !ok {
			return false
		}
		elements = rest
	}
	return true
}

// parseTerm reads a term by the first two attributes, its use and its relation.
func (q *request) parseTerm(attributes, content []byte) (ok bool) {
	use, rest, _ := bytes.Cut(attributes, []byte(" "))
	relation, _, _ := bytes.Cut(rest, []byte(" "))
	x := &q.document
	switch string(use) {
	case "un":
		x.id = content
		return true
	case "wt":
		x.wtype = content
		return true
	case "wb":
		x.unit = unitBytes
	case "wl":
		x.unit = unitLines
	case "wp":
		x.unit = unitParagraphs
	default:
		return false
	}
	switch string(relation) {
	case "ro":
		x.start, ok = decimal(content)
	case "rl":
		x.end, ok = decimal(content)
	}
	return ok
}

// element reads the element at the beginning of b.
func element(b []byte) (tag int, content, rest []byte, ok bool) {
	tag, b, ok = compressed(b)
	if !ok {
		return 0, nil, nil, false
	}
	size, b, ok := compressed(b)
	if !ok || size > len(b) {
		return 0, nil, nil, false
	}
	return tag, b[:size], b[size:], true
}

// compressed reads a compressed integer of at most four octets: seven bits each,
// the most significant first, the top bit set on all but the last.
func compressed(b []byte) (n int, rest []byte, ok bool) {
	for i, c := range b[:min(len(b), 4)] {
		n = n<<7 | int(c&0x7f)
		if c < 0x80 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}

// number reads an integer of at most four octets, which is negative if they are
// four and the top bit is set.
func number(b []byte) (n int64, ok bool) {
	if len(b) > 4 {
		return 0, false
	}
	for _, c := range b {
		n = n<<8 | int64(c)
	}
	if len(b) == 4 {
		n = int64(int32(n))
	}
	return n, true
}

// decimal reads an integer in decimal digits.
func decimal(b []byte) (n int64, ok bool) {
	negative := len(b) > 0 && b[0] == '-'
	if negative {
		b = b[1:]
	}
	const most = 10
	if len(b) == 0 || len(b) > most {
		return 0, false
	}
	for _, c := range b {
		if c < '0' || c > '9' {
			return 0, false
		}
		n = n*10 + int64(c-'0')
	}
	if negative {
		n = -n
	}
	return n, true
}

// names are what a document-id says that matters here: what the distributor says,
// or else the original.
type names struct{ database, localID []byte }

// parseID reads a document-id. ok is false if it is none.
func parseID(id []byte) (x names, ok bool) {
	for len(id) > 0 {
		tag, content, rest, ok := element(id)
		if !ok || tag < 1 || tag > 7 {
			return names{}, false
		}
		switch {
		case tag == 5, tag == 2 && x.database == nil:
			x.database = content
		case tag == 6, tag == 3 && x.localID == nil:
			x.localID = content
		}
		id = rest
	}
	return x, x.localID != nil
}

// String describes q, as Request.Line has it.
func (q *request) String() string {
	if q.kind == apduInit {
		return "init " + strconv.FormatInt(q.most, 10)
	}
	if q.retrieves {
		return fmt.Sprintf("retrieve %s %s", q.database, q.document)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "search %s %q %d", q.database, q.words, q.wanted)
	for _, x := range q.examples {
		fmt.Fprintf(&b, " like %s", x)
	}
	return b.String()
}

func (x passage) String() string {
	id := x.id
	if n, ok := parseID(id); ok {
		id = n.localID
	}
	line := fmt.Sprintf("%q %s", id, x.wtype)
	if x.unit == unitNone {
		return line
	}
	return fmt.Sprintf("%s %d-%d %s", line, x.start, x.end, unitNames[x.unit])
}
