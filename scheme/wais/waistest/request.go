package waistest

import (
	"bytes"
	"fmt"
	"strconv"
	"strings"
)

// These are the types of known APDUs.
const (
	apduInit        = 20
	apduInitReply   = 21
	apduSearch      = 22
	apduSearchReply = 23
)

// These are the units of a range.
const (
	unitNone = iota // the request contains no range
	unitBytes
	unitLines
	unitParagraphs
)

var unitNames = [...]string{"all", "bytes", "lines", "paragraphs"}

// request is a parsed APDU. Its slices share the memory of the APDU.
type request struct {
	kind byte // APDU type

	maxSize int64 // maximum size of a response in octets, from the Init
	refused bool  // the Init requests unsupported options

	database, reference []byte
	retrieves           bool // the request retrieves a document by its document-id

	words    []byte
	wanted   int64 // number of requested documents
	examples []passage

	document passage
}

type passage struct {
	id, wtype  []byte
	unit       byte
	start, end int64
}

// parse parses an APDU. It reports whether freeWAIS can parse the APDU, and therefore rejects
// unknown elements.
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

// parseInit parses the elements of an Init. The first four elements are required, in a
// fixed order.
func (q *request) parseInit(octets []byte) bool {
	const version, options, messageSize, recordSize = 3, 4, 5, 6
	order := [...]int{version, options, messageSize, recordSize}
	n := 0
	ok := eachElement(octets, func(tag int, content []byte) (ok bool) {
		if n < len(order) && tag != order[n] {
			return false
		}
		n++
		switch tag {
		case options:
			const presentOrDelete = 0x60
			q.refused = len(content) > 0 && content[0]&presentOrDelete != 0
		case recordSize:
			q.maxSize, ok = readNumber(content)
			return ok
		case version, messageSize, 7, 8, 9, 10, 2:
		default:
			return false
		}
		return true
	})
	return ok && n >= len(order)
}

func (q *request) parseSearch(octets, rest []byte) bool {
	var queryType []byte
	ok := eachElement(octets, func(tag int, content []byte) bool {
		switch tag {
		case 2:
			q.reference = content
		case 17, 19: // the result set name and the element set names
		case 18:
			q.database = content
		case 20:
			queryType = content
		default:
			return false
		}
		return true
	})
	if !ok {
		return false
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

// parseWords parses the elements of a type 3 query. The words and the maximum number of
// documents are required.
func (q *request) parseWords(octets []byte) bool {
	found := 0
	ok := eachElement(octets, func(tag int, content []byte) (ok bool) {
		switch tag {
		case 106:
			q.words = content
			found++
		case 114:
			found++
			q.wanted, ok = readNumber(content)
			return ok
		case 116, 107:
			q.examples = append(q.examples, passage{id: content})
		case 133, 100, 108, 109:
			return q.parseExample(tag, content)
		case 111, 112, 113: // dates, which the server ignores
		default:
			return false
		}
		return true
	})
	return ok && found == 2
}

// parseExample parses another element of the last example.
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
		x.start, ok = readNumber(content)
	case 109:
		x.end, ok = readNumber(content)
	default:
		var unit int64
		unit, ok = readNumber(content)
		x.unit = byte(unit)
		ok = ok && unit >= unitBytes && unit <= unitParagraphs
	}
	return ok
}

// parseTerms parses a type 1 query. The query consists of attributes, terms and operators; the
// attributes of a term precede the term. Every operator counts as "and".
func (q *request) parseTerms(octets []byte) bool {
	var attributes []byte
	return eachElement(octets, func(tag int, content []byte) bool {
		switch tag {
		case 44:
			attributes = content
		case 45:
			return q.parseTerm(attributes, content)
		case 46:
		default:
			return false
		}
		return true
	})
}

// parseTerm parses a term. Its first two attributes, "use" and "relation", determine the
// meaning of the term.
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
		x.start, ok = readDecimal(content)
	case "rl":
		x.end, ok = readDecimal(content)
	}
	return ok
}

// eachElement calls f for each element in b, until f returns false. It reports whether b
// consists only of elements and f returned true for each.
func eachElement(b []byte, f func(tag int, content []byte) bool) bool {
	for len(b) > 0 {
		tag, content, rest, ok := element(b)
		if !ok || !f(tag, content) {
			return false
		}
		b = rest
	}
	return true
}

func element(b []byte) (tag int, content, rest []byte, ok bool) {
	tag, b, ok = readCompressed(b)
	if !ok {
		return 0, nil, nil, false
	}
	size, b, ok := readCompressed(b)
	if !ok || size > len(b) {
		return 0, nil, nil, false
	}
	return tag, b[:size], b[size:], true
}

// readCompressed reads a compressed integer of at most four octets. Each octet contains seven
// bits, the highest bits first. The top bit is set in all octets except the last.
func readCompressed(b []byte) (n int, rest []byte, ok bool) {
	for i, c := range b[:min(len(b), 4)] {
		n = n<<7 | int(c&0x7f)
		if c < 0x80 {
			return n, b[i+1:], true
		}
	}
	return 0, nil, false
}

// readNumber reads a signed integer of at most four octets.
func readNumber(b []byte) (n int64, ok bool) {
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

// readDecimal reads an integer of at most ten decimal digits.
func readDecimal(b []byte) (n int64, ok bool) {
	n, err := strconv.ParseInt(string(b), 10, 64)
	return n, err == nil && b[0] != '+' && len(bytes.TrimPrefix(b, []byte("-"))) <= 10
}

// idParts holds the parts of a document-id that the server uses. If the document-id contains the
// distributor's parts, they take precedence over the original parts.
type idParts struct{ database, localID []byte }

func parseID(id []byte) (x idParts, ok bool) {
	ok = eachElement(id, func(tag int, content []byte) bool {
		switch {
		case tag == 5, tag == 2 && x.database == nil:
			x.database = content
		case tag == 6, tag == 3 && x.localID == nil:
			x.localID = content
		}
		return tag >= 1 && tag <= 7
	})
	return x, ok && x.localID != nil
}

// String returns the text for [Request.Line].
func (q *request) String() string {
	if q.kind == apduInit {
		return "init " + strconv.FormatInt(q.maxSize, 10)
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
