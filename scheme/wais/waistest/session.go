package waistest

import (
	"bufio"
	"bytes"
	"io"
	"net"
)

const (
	headerSize = 25      // size of a packet header in octets
	maxRequest = 1 << 20 // maximum size of an APDU in octets
)

type session struct {
	s    *Server
	c    net.Conn
	r    *bufio.Reader
	size int // maximum size of a response in octets

	header        [headerSize]byte
	packet, reply []byte
	q             request
}

func (x *session) serve() {
	for {
		apdu, ok := x.readRequest()
		if !ok {
			return
		}
		reply, ok := x.buildReply(apdu)
		if !ok {
			return
		}
		if _, err := x.c.Write(reply); err != nil {
			return
		}
	}
}

// readRequest reads a request. If the request is malformed, or another request arrives before
// the response, ok is false.
func (x *session) readRequest() (apdu []byte, ok bool) {
	if _, err := io.ReadFull(x.r, x.header[:]); err != nil {
		return nil, false
	}
	size, ok := readDecimal(x.header[:10])
	if !ok || size < 0 || size > maxRequest {
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

// buildReply returns the packet of the response to an APDU. The packet is valid until the next
// call of buildReply. If the server must close the connection instead, ok is false.
func (x *session) buildReply(apdu []byte) (packet []byte, ok bool) {
	version := x.header[11]
	if version > '2' {
		return nil, false
	}
	b := append(x.reply[:0], x.header[:]...)
	b[headerSize-1] = '0'
	switch {
	case x.header[10]|0x20 != 'z' || !x.q.parse(apdu):
		// The response is an empty packet, which b already contains.
	case x.q.kind == apduInit:
		x.size = int(min(int64(x.s.o.Buffer), max(x.q.maxSize, 0)))
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
		b = b[:headerSize] // the response is too large, so the server sends an empty packet
	}
	for i, n := 9, len(b)-headerSize; i >= 0; i, n = i-1, n/10 {
		b[i] = '0' + byte(n%10)
	}
	x.reply = b
	return b, true
}

func (x *session) search(b []byte, typed bool) []byte {
	db, path := x.s.database(x.q.database)
	head := searchHead{found: true, reference: x.q.reference}
	var hits []hit
	var trouble diagnostic
	if db == nil && len(x.q.words) == 0 && len(x.q.examples) == 0 {
		// For a search without words, the server does not open the database, so it reports no
		// error.
	} else if db == nil {
		trouble = diagnostic{code: "S1", text: "The following database is not available: " + path}
	} else {
		hits, trouble = x.findHits(db)
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
			break // freeWAIS does not report the omitted hits
		}
		head, headers = next, longer
	}
	b = head.append(b)
	b = append(b, headers...)
	return trouble.append(b)
}

// findHits performs the search of the request in db, and returns the hits. The search may
// request documents about the database itself.
func (x *session) findHits(db *database) (hits []hit, trouble diagnostic) {
	s := Search{Database: db.name, Words: string(x.q.words), Like: x.like(db)}
	failed := diagnostic{code: "S1", text: "query syntax error: " + s.Words}
	const help = 1000
	about := []hit{{db.description, help}, {db.catalog, help}}
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
		catalogue := *db.catalog
		catalogue.Headline = "Search produced no result. Here's the Catalog for database: " + db.name
		hits = []hit{{&catalogue, 0}}
	}
	return hits, trouble
}

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
			data, _, _ = byteRange(data, example.start, example.end)
		case unitLines:
			data = lineRange(data, example.start, example.end)
		}
		texts = append(texts, data)
	}
	return texts
}

// retrieve appends the response to a type 1 query. If the query would crash freeWAIS, ok is
// false.
func (x *session) retrieve(b []byte) (reply []byte, ok bool) {
	want := &x.q.document
	db, _ := x.s.database(x.q.database)
	if db == nil || want.wtype == nil || want.unit != unitNone && want.start > want.end {
		return nil, false
	}
	id, ok := parseID(want.id)
	if !ok {
		return x.appendText(b, nil, missingDocument), true
	}
	if id.database == nil {
		return nil, false
	}
	d := db.byID[string(id.localID)]
	if d == nil {
		return x.appendText(b, nil, missingDocument), true
	}
	switch string(want.wtype) {
	case "WAIS_NEXT":
		return x.appendNeighbor(b, db, d, 1), true
	case "WAIS_PREV":
		return x.appendNeighbor(b, db, d, -1), true
	}
	return x.appendPassage(b, d.data(want.wtype)), true
}

// appendPassage appends the requested range of a document's data. Only the response to a byte
// range reports the end of the document.
func (x *session) appendPassage(b, data []byte) []byte {
	want := &x.q.document
	switch want.unit {
	case unitBytes:
		part, past, ok := byteRange(data, want.start, want.end)
		trouble := diagnostic{}
		if past {
			trouble = outOfRange
		}
		if !ok {
			part = nil
		}
		return x.appendText(b, part, trouble)
	case unitLines:
		return x.appendText(b, lineRange(data, want.start, want.end), diagnostic{})
	}
	return x.appendText(b, nil, diagnostic{})
}

// appendNeighbor appends the description of the next or previous document. As in freeWAIS, the
// number of records in the response is one too high.
func (x *session) appendNeighbor(b []byte, db *database, d *document, step int) []byte {
	line, ok := db.neighbor(d, step)
	if !ok {
		return x.appendText(b, nil, missingDocument)
	}
	t := documentText{x.q.document.id, []byte(line)}
	b = searchHead{records: 2, reference: x.q.reference, info: t.size()}.append(b)
	return t.append(b)
}

// appendText appends a part of a document and a diagnostic. If data is nil, the response
// contains no document.
func (x *session) appendText(b, data []byte, trouble diagnostic) []byte {
	t := documentText{x.q.document.id, data}
	head := searchHead{reference: x.q.reference, info: trouble.size()}
	if trouble.code != "" {
		head.records++
	}
	if data != nil {
		head.records++
		head.info += t.size()
	}
	if head.size() > x.size { // check the size before copying the data
		return b
	}
	b = head.append(b)
	if data != nil {
		b = t.append(b)
	}
	return trouble.append(b)
}

// byteRange returns the part of data between the offsets start and end. If the range exceeds
// the data, exceeded is true. If start is beyond the end of the data, or if the range is
// invalid, ok is false.
func byteRange(data []byte, start, end int64) (part []byte, exceeded, ok bool) {
	size := int64(len(data))
	if start < 0 || start > size || end < start {
		return nil, true, false
	}
	return data[start:min(end, size):size], end > size, true
}

// lineRange returns the lines of a document with numbers from start to end. The line with
// number end is not included.
func lineRange(data []byte, start, end int64) []byte {
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
