package waistest

import (
	"bufio"
	"bytes"
	"io"
	"net"
)

const (
	headerSize  = 25      // of a packet
	mostRequest = 1 << 20 // octets of an APDU
)

// session is one connection.
type session struct {
	s    *Server
	c    net.Conn
	r    *bufio.Reader
	size int // octets of the largest reply

	header        [headerSize]byte
	packet, reply []byte
	q             request
}

func (x *session) serve() {
	for {
		apdu, ok := x.read()
		if !ok {
			return
		}
		reply, ok := x.answer(apdu)
		if !ok {
			return
		}
		if _, err := x.c.Write(reply); err != nil {
			return
		}
	}
}

// read reads a request. It reports whether that is one: the next must not have
// come before it is answered.
func (x *session) read() (apdu []byte, ok bool) {
	if _, err := io.ReadFull(x.r, x.header[:]); err != nil {
		return nil, false
	}
	size, ok := decimal(x.header[:10])
	if !ok || size < 0 || size > mostRequest {
		return nil, false
	}
	if int(size) > cap(x.packet) {
		x.packet = make([]byte, size)
	}
	apdu = x.packet[:size]
	if _, err := io.ReadFull(x.r, apdu); err != nil {
		return nil, false
	}
	x.s.received(x.header[:], apdu)
	return apdu, x.r.Buffered() == 0
}

// answer makes the packet that answers an APDU. It is good until the next call. ok
// is false if the connection is to be closed in its place.
func (x *session) answer(apdu []byte) (packet []byte, ok bool) {
	version := x.header[11]
	if version > '2' {
		return nil, false
	}
	b := append(x.reply[:0], x.header[:]...)
	b[headerSize-1] = '0'
	switch {
	case x.header[10]|0x20 != 'z' || !x.q.parse(apdu):
		// An empty packet is all there is to say.
	case x.q.kind == apduInit:
		x.size = int(min(int64(x.s.o.Buffer), max(x.q.most, 0)))
		b = appendInitReply(b, x.q.refused, x.size)
	case x.q.retrieves:
		b, ok = x.retrieve(b)
		if !ok {
			return nil, false
		}
	default:
		b = x.search(b, version == '2')
	}
	if len(b)-headerSize > x.size {
		b = b[:headerSize] // what does not fit is an empty packet
	}
	for i, n := 9, len(b)-headerSize; i >= 0; i, n = i-1, n/10 {
		b[i] = '0' + byte(n%10)
	}
	x.reply = b
	return b, true
}

// search appends the answer to a query of type 3.
func (x *session) search(b []byte, typed bool) []byte {
	db, path := x.s.database(x.q.database)
	head := searchHead{found: true, reference: x.q.reference}
	var hits []hit
	var trouble diagnostic
	if db == nil && len(x.q.words) == 0 && len(x.q.examples) == 0 {
		// Without words no database is opened: there is nothing to say, and no error.
	} else if db == nil {
		trouble = diagnostic{code: "S1", text: "The following database is not available: " + path}
	} else {
		hits, trouble = x.find(db)
	}
	if trouble.code != "" {
		head.found = false
		head.records++
	}
	head.info = trouble.size()
	var headers []byte
	for i, h := range hits {
		if int64(i) >= x.q.wanted {
			break
		}
		longer := appendHit(headers, h, typed)
		next := head
		next.records++
		next.info += len(longer) - len(headers)
		if next.size() > x.size {
			break // and nothing says so
		}
		head, headers = next, longer
	}
	b = head.append(b)
	b = append(b, headers...)
	return trouble.append(b)
}

// find returns what there is in db of what is searched, which may be words about
// it.
func (x *session) find(db *database) (hits []hit, trouble diagnostic) {
	s := Search{Database: db.name, Words: string(x.q.words), Like: x.like(db)}
	failed := diagnostic{code: "S1", text: "query syntax error: " + s.Words}
	const help = 1000
	about := []hit{{db.description, help}, {db.catalogue, help}}
	switch {
	case s.Words == "" && len(x.q.examples) == 0:
		return about, diagnostic{}
	case s.Words != "" && (s.Words[0] == '?' || s.Words[0] == '*'):
		return about, failed
	}
	hits, ok := db.search(s, x.s.o.Score)
	if !ok {
		trouble = failed
	}
	if len(hits) == 0 {
		catalogue := *db.catalogue
		catalogue.Headline = "Search produced no result. Here's the Catalog for database: " + db.name
		hits = []hit{{&catalogue, 0}}
	}
	return hits, trouble
}

// like returns the texts of the examples.
func (x *session) like(db *database) (texts [][]byte) {
	for _, example := range x.q.examples {
		id, ok := parseID(example.id)
		d := db.byID[string(id.localID)]
		if !ok || d == nil {
			continue
		}
		data := d.data(example.wtype)
		switch example.unit {
		case unitBytes:
			data, _, _ = octets(data, example.start, example.end)
		case unitLines:
			data = lines(data, example.start, example.end)
		}
		texts = append(texts, data)
	}
	return texts
}

// retrieve appends the answer to a query of type 1. ok is false where the server
// dies.
func (x *session) retrieve(b []byte) (reply []byte, ok bool) {
	want := &x.q.document
	db, _ := x.s.database(x.q.database)
	if db == nil || want.wtype == nil || want.unit != unitNone && want.start > want.end {
		return nil, false
	}
	id, ok := parseID(want.id)
	if !ok {
		return x.text(b, nil, missingDocument), true
	}
	if id.database == nil {
		return nil, false
	}
	d := db.byID[string(id.localID)]
	if d == nil {
		return x.text(b, nil, missingDocument), true
	}
	switch string(want.wtype) {
	case "WAIS_NEXT":
		return x.neighbour(b, db, d, 1), true
	case "WAIS_PREV":
		return x.neighbour(b, db, d, -1), true
	}
	return x.passage(b, d.data(want.wtype)), true
}

// passage appends the range of data that is asked for. Only octets tell the end.
func (x *session) passage(b, data []byte) []byte {
	want := &x.q.document
	switch want.unit {
	case unitBytes:
		part, past, ok := octets(data, want.start, want.end)
		trouble := diagnostic{}
		if past {
			trouble = outOfRange
		}
		if !ok {
			part = nil
		}
		return x.text(b, part, trouble)
	case unitLines:
		return x.text(b, lines(data, want.start, want.end), diagnostic{})
	}
	return x.text(b, nil, diagnostic{})
}

// neighbour appends the answer to who comes next. It counts one record too many.
func (x *session) neighbour(b []byte, db *database, d *document, step int) []byte {
	line, ok := db.neighbour(d, step)
	if !ok {
		return x.text(b, nil, missingDocument)
	}
	t := documentText{x.q.document.id, []byte(line)}
	b = searchHead{records: 2, reference: x.q.reference, info: t.size()}.append(b)
	return t.append(b)
}

// text appends the octets of a document, none if data is nil, and what is to be
// said about them.
func (x *session) text(b, data []byte, trouble diagnostic) []byte {
	t := documentText{x.q.document.id, data}
	head := searchHead{reference: x.q.reference, info: trouble.size()}
	if trouble.code != "" {
		head.records++
	}
	if data != nil {
		head.records++
		head.info += t.size()
	}
	if head.size() > x.size { // the same as in answer, before the octets are copied
		return b
	}
	b = head.append(b)
	if data != nil {
		b = t.append(b)
	}
	return trouble.append(b)
}

// octets returns the part of data between start and end. past: there is not all
// of it; ok: there is some of it, if only its end.
func octets(data []byte, start, end int64) (part []byte, past, ok bool) {
	size := int64(len(data))
	if start < 0 || start > size || end < start {
		return nil, true, false
	}
	return data[start:min(end, size):size], end > size, true
}

// lines returns the lines of data from start to end, which is not included, as
// far as there are.
func lines(data []byte, start, end int64) []byte {
	begin := len(data)
	at := 0
	for n := int64(0); n < end && at < len(data); n++ {
		if n == start {
			begin = at
		}
		i := bytes.IndexByte(data[at:], '\n')
		if i < 0 {
			i = len(data) - at - 1
		}
		at += i + 1
	}
	return data[min(begin, at):at]
}
