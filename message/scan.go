package message

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/internal/media"
)

const (
	maxFaults   = 100  // maximum number of reported faults
	maxBoundary = 1000 // maximum bytes of a boundary; RFC 2046 section 5.1.1 allows 70
)

// node is a message or part that the scanner reads.
type node struct {
	parent int // index of the parent node; -1 for the message
	header Header
	// The header begins at the offset start, the content begins at body, and the content ends
	// before end. The line end before a boundary is not part of the content.
	start, body, end int64
	r                io.ReaderAt // source that the offsets refer to; nil means the message's reader

	typ      string
	encoding string
	name     string // name of a uuencoded file, which has no header
	children int
	enclosed bool // the node is in an enclosed message
	reported uint // bit set of the faults that were reported for this node
}

// The scanner reports each of these faults only once for each node.
const (
	onceLineEnd = 1 << iota
	onceBareCR
	onceNUL
	onceCoding
	onceHeaderLine
)

// openNode is a multipart or an enclosed message whose end is still unread.
type openNode struct {
	node     int
	boundary string // empty for a message
	closed   bool   // whether the last boundary was read
}

type state int

const (
	inBody state = iota
	inHeader
	inLostHeader // in the rest of a header that is too large
)

// scanner finds the parts of a message line by line. The scanner uses a stack instead of
// recursion.
type scanner struct {
	m     *Message
	lines fragmentReader
	stack []openNode
	marks map[string][]int // for each boundary, the indexes of its multiparts in stack
	state state
	node  int // node that contains the current lines; -1 before, between and after parts

	head      []byte // the header lines read so far
	lastLine  int    // start of the last line in head
	fields    bool   // whether a header field was read
	headTotal int    // number of bytes in all headers

	prevEnd int64  // end offset of the previous line, before its line end
	eol     string // line end of the first line
	file    int    // node of the current uuencoded file, or 0
	fresh   bool   // whether only the first line of the uuencoded file was read
	full    bool   // whether the limit for parts was reached
	faulty  []int  // node of each fault; -1 means the message as a whole
}

func newScanner(m *Message) *scanner {
	size := int(min(max(m.size, 512), lineBuffer))
	return &scanner{m: m, lines: newLines(io.NewSectionReader(m.r, 0, m.size), size), marks: map[string][]int{}}
}

func (s *scanner) scan() error {
	s.m.nodes = append(s.m.nodes, node{parent: -1})
	s.state = inHeader
	err := s.readLines()
	s.endNodes(0, s.lines.offset)
	if err == io.EOF {
		if s.lines.offset < s.m.size {
			s.addFault(RuleSize, s.lines.offset, -1, fmt.Sprintf("the message ends here, but should have %d bytes", s.m.size))
		}
		return s.openEncoded()
	}
	if fault := (Fault{}); errors.As(err, &fault) || errors.Is(err, ErrNoMessage) {
		return err
	}
	return fmt.Errorf("message: byte %d: %w", s.lines.offset, err)
}

// readLines reads up to the end of the message or to an error. At the end of the message,
// readLines returns io.EOF.
func (s *scanner) readLines() error {
	var f fragment
	for {
		if err := s.lines.readFragment(&f); err != nil {
			if err == io.EOF {
				return cmp.Or(s.endHeaders(s.lines.offset), err)
			}
			return err
		}
		if err := s.scanLine(&f); err != nil {
			return err
		}
		s.prevEnd = f.start + int64(len(f.text))
	}
}

// endHeaders ends the open headers at offset. If a part encloses a message, the end of the
// part's header opens the header of the message.
func (s *scanner) endHeaders(offset int64) error {
	for s.state != inBody {
		if err := s.endHeader(offset); err != nil {
			return err
		}
	}
	return nil
}

// scanLine handles a line, or a fragment of a long line.
func (s *scanner) scanLine(f *fragment) error {
	if f.begins && f.ends && len(s.stack) > 0 && len(f.text) > 2 && f.text[0] == '-' && f.text[1] == '-' {
		if depth, last, ok := s.matchBoundary(f.text); ok {
			return s.handleBoundary(f, depth, last)
		}
	}
	switch s.state {
	case inHeader:
		return s.headerLine(f)
	case inLostHeader:
		if f.begins && f.ends && len(f.text) == 0 {
			return s.endHeader(f.next())
		}
		return nil
	}
	s.bodyLine(f)
	return nil
}

// matchBoundary reports whether line is a boundary. depth is the depth of the multipart, and
// isLast reports whether this is the last boundary of the multipart.
func (s *scanner) matchBoundary(line []byte) (depth int, isLast, ok bool) {
	name := bytes.TrimRight(line[2:], " \t")
	if list := s.marks[string(name)]; len(list) > 0 {
		return list[len(list)-1], false, true
	}
	if name, isLast = bytes.CutSuffix(name, []byte("--")); isLast {
		if list := s.marks[string(name)]; len(list) > 0 {
			return list[len(list)-1], true, true
		}
	}
	return 0, false, false
}

// handleBoundary handles a boundary of the multipart at the given depth.
func (s *scanner) handleBoundary(f *fragment, depth int, last bool) error {
	// The part may end within its header.
	if err := s.endHeaders(f.start); err != nil {
		return err
	}
	s.endNodes(depth+1, s.prevEnd)
	s.state, s.node = inBody, -1
	if last {
		s.stack[depth].closed = true
		s.unmark(depth)
		return nil
	}
	if len(s.m.nodes) > s.m.limits.Parts {
		s.addFault(RuleLimit, f.start, s.stack[depth].node, fmt.Sprintf("more than %d parts: the rest is not split", s.m.limits.Parts))
		s.full, s.marks = true, nil
		return nil
	}
	s.newPart(s.stack[depth].node, f.next())
	return nil
}

func (s *scanner) newPart(parent int, offset int64) {
	s.m.nodes[parent].children++
	s.node = len(s.m.nodes)
	s.m.nodes = append(s.m.nodes, node{parent: parent, start: offset, enclosed: s.m.encloses(parent)})
	s.state = inHeader
}

// encloses reports whether the children of node i are in an enclosed message.
func (m *Message) encloses(i int) bool {
	return m.nodes[i].enclosed || i > 0 && isMessage(m.nodes[i].typ)
}

func (s *scanner) unmark(depth int) {
	boundary := s.stack[depth].boundary
	if list := s.marks[boundary]; len(list) > 0 && list[len(list)-1] == depth {
		s.marks[boundary] = list[:len(list)-1]
	}
}

// endNodes ends the current node, and the nodes whose depth on the stack is at least depth.
// These nodes end at the given offset.
func (s *scanner) endNodes(depth int, offset int64) {
	s.endFile(offset, true)
	if s.node >= 0 {
		offset = s.endNode(s.node, offset)
	}
	for len(s.stack) > depth {
		top := &s.stack[len(s.stack)-1]
		n := &s.m.nodes[top.node]
		switch {
		case top.boundary == "" || s.full:
		case n.children == 0:
			s.addFault(RuleBoundary, n.body, top.node, "the boundary "+locus.Quote(top.boundary)+" is missing: the multipart has no parts")
		case !top.closed:
			s.addFault(RuleEndBoundary, offset, top.node, "the multipart ends without its last boundary, --"+locus.Quote(top.boundary)+"--")
		}
		offset = s.endNode(top.node, offset)
		s.unmark(len(s.stack) - 1)
		s.stack = s.stack[:len(s.stack)-1]
	}
}

// endNode ends a node at offset, but not before the node's content begins. endNode returns the
// end of the node.
func (s *scanner) endNode(i int, offset int64) int64 {
	n := &s.m.nodes[i]
	n.end = max(offset, n.body)
	return n.end
}

func (s *scanner) headerLine(f *fragment) error {
	if f.begins {
		s.lastLine = len(s.head)
		switch {
		case len(f.text) == 0 && f.ends:
			return s.endHeader(f.next())
		case !s.isHeaderLine(f):
			if err := s.endHeader(f.start); err != nil {
				return err
			}
			return s.scanLine(f)
		}
	}
	s.checkText(f, s.node)
	if len(s.head)+len(f.text) > s.m.limits.Header || s.headTotal+len(s.head)+len(f.text) > s.m.limits.Header*totalHeaderRatio {
		return s.cutHeader(f.start)
	}
	s.head = append(append(s.head, f.text...), f.eol...)
	return nil
}

// isHeaderLine reports whether a line belongs to the header. If not, the line begins the body,
// and the blank line before the body is missing.
func (s *scanner) isHeaderLine(f *fragment) bool {
	switch {
	case len(f.text) > 0 && isBlank(f.text[0]) && s.lastLine > 0:
		return true // a folded line continues the previous line
	case nameLen(f.text) > 0:
		s.fields = true
		return true
	case !s.fields && (bytes.HasPrefix(f.text, []byte("From ")) || bytes.HasPrefix(f.text, []byte(">From "))):
		return true // the From_ line of an mbox precedes the header
	case !s.fields:
		s.addFault(RuleHeaderLine, f.start, s.node, "missing blank line before the content, or an invalid header: "+locus.Quote(string(f.text[:min(len(f.text), 60)])))
		return false
	}
	s.addFaultOnce(onceHeaderLine, RuleHeaderLine, f.start, s.node, "not a header field (a name and \":\"): "+locus.Quote(string(f.text[:min(len(f.text), 60)])))
	return true
}

// cutHeader truncates a header that is too large at offset. If it is the header of the
// message, the scanner stops. If it is the header of a part, the scanner continues.
func (s *scanner) cutHeader(offset int64) error {
	s.head = s.head[:s.lastLine]
	s.addFault(RuleLimit, offset, s.node, fmt.Sprintf("the header has more than %d bytes, or all headers together have %d times as many: the rest is ignored", s.m.limits.Header, totalHeaderRatio))
	if s.node > 0 {
		s.state = inLostHeader
		return nil
	}
	root := &s.m.nodes[0]
	s.m.Header = Header{raw: string(s.head)}
	*root = node{parent: -1, header: s.m.Header, body: offset, end: offset, typ: octetStream}
	s.node, s.state = -1, inBody
	return s.m.Faults[len(s.m.Faults)-1]
}

// endHeader ends the header of the current node and interprets the header. The content begins
// at offset.
func (s *scanner) endHeader(offset int64) error {
	if err := s.takeHeader(offset); err != nil {
		return err
	}
	s.content()
	return nil
}

func (s *scanner) takeHeader(offset int64) error {
	if s.node == 0 && !s.fields {
		return ErrNoMessage
	}
	n := &s.m.nodes[s.node]
	n.header = Header{raw: string(s.head), offset: n.start}
	n.body = offset
	s.headTotal += len(s.head)
	s.head, s.lastLine, s.fields, s.state = s.head[:0], 0, false, inBody
	if n.parent < 0 {
		s.m.Header = n.header
	}
	return nil
}

func (s *scanner) content() {
	n := &s.m.nodes[s.node]
	var params map[string]string
	n.typ, params = s.contentType(n)
	encoding := n.header.Get("Content-Transfer-Encoding")
	known := true
	n.encoding, known = encodingOf(encoding)
	within := isMultipart(n.typ) || isMessage(n.typ)
	switch {
	case !known:
		s.addFault(RuleEncoding, n.start, s.node, "unknown Content-Transfer-Encoding "+locus.Quote(encoding)+": the part is not decoded")
		n.typ, n.encoding = octetStream, ""
	case isMultipart(n.typ) && !isIdentity(n.encoding):
		s.addFault(RuleEncoding, n.start, s.node, "a multipart can't have the Content-Transfer-Encoding "+n.encoding+": it is ignored")
		n.encoding = ""
		s.enterNode(params["boundary"])
	case within && !isIdentity(n.encoding):
		if n.typ != "message/global" {
			s.addFault(RuleEncoding, n.start, s.node, "a "+n.typ+" can't have the Content-Transfer-Encoding "+n.encoding+": it is decoded")
		}
	case within:
		s.enterNode(params["boundary"])
	case isText(n.typ) && !charset.IsKnown(params["charset"]):
		s.addFault(RuleCharset, n.start, s.node, "unknown charset "+locus.Quote(params["charset"]))
	}
}

// octetStream is the media type of unknown content.
const octetStream = "application/octet-stream"

// contentType returns the media type of a node, in lower case, and its parameters.
func (s *scanner) contentType(n *node) (typ string, params map[string]string) {
	value, ok := n.header.Lookup("Content-Type")
	typ, params = parseParams(value)
	major, minor, slash := strings.Cut(typ, "/")
	switch {
	case !ok && n.parent >= 0 && s.m.nodes[n.parent].typ == "multipart/digest":
		return "message/rfc822", nil // RFC 2046 section 5.1.5
	case !ok || typ == "text":
		return "text/plain", params
	case !slash || !isToken(major) || !isToken(minor):
		s.addFault(RuleContentType, n.start, s.node, "invalid media type "+locus.Quote(value)+": the part is application/octet-stream")
		return octetStream, params
	}
	return typ, params
}

// isToken reports whether text is a token of RFC 2045 section 5.1.
func isToken(text string) bool {
	for i := 0; i < len(text); i++ {
		if c := text[i]; c <= ' ' || c >= 0x7F || strings.IndexByte(`()<>@,;:\"/[]?=`, c) >= 0 {
			return false
		}
	}
	return text != ""
}

func isMultipart(typ string) bool { return strings.HasPrefix(typ, "multipart/") }

func isText(typ string) bool { return strings.HasPrefix(typ, "text/") }

// isMessage reports whether a part of the type typ is a message (RFC 2046 section 5.2.1 and
// RFC 6532). The type message/news is historic (RFC 5537).
func isMessage(typ string) bool {
	return typ == "message/rfc822" || typ == "message/global" || typ == "message/news"
}

// enterNode begins to read the parts of a multipart, or an enclosed message.
func (s *scanner) enterNode(boundary string) {
	i := s.node
	n := &s.m.nodes[i]
	multipart := isMultipart(n.typ)
	boundary = strings.TrimRight(boundary, " \t")
	switch {
	case multipart && (boundary == "" || len(boundary) > maxBoundary):
		s.addFault(RuleBoundary, n.start, i, "a multipart needs a boundary of 1 to 70 characters: it is not split")
		return
	case !multipart && len(s.m.nodes) > s.m.limits.Parts:
		s.addFault(RuleLimit, n.start, i, fmt.Sprintf("more than %d parts: it is not split", s.m.limits.Parts))
		return
	case len(s.stack) >= s.m.limits.Depth:
		s.addFault(RuleLimit, n.start, i, fmt.Sprintf("nested more than %d levels deep: it is not split", s.m.limits.Depth))
		return
	case multipart:
		s.marks[boundary] = append(s.marks[boundary], len(s.stack))
		s.stack = append(s.stack, openNode{node: i, boundary: boundary})
		s.node = -1
		return
	}
	s.stack = append(s.stack, openNode{node: i})
	body := n.body
	s.node = -1
	s.newPart(i, body)
}

func (s *scanner) bodyLine(f *fragment) {
	if s.node < 0 {
		return
	}
	n := &s.m.nodes[s.node]
	switch n.encoding {
	case "binary":
		return
	case "base64":
		s.checkCoding(f, RuleBase64, base64Fault(f.text), "skipped an invalid base64 character")
	case "quoted-printable":
		if f.begins && f.ends {
			s.checkCoding(f, RuleQuoted, quotedPrintableFault(f.text), `"=" must be followed by two hexadecimal digits`)
		}
	case "":
		if n.typ == "text/plain" && f.begins && f.ends {
			s.scanFileLine(f)
		}
	}
	s.checkText(f, s.node)
}

func (s *scanner) checkCoding(f *fragment, rule string, i int, text string) {
	if i >= 0 {
		s.addFaultOnce(onceCoding, rule, f.start+int64(i), s.node, text)
	}
}

// checkText reports mixed line ends, bare CRs and NUL bytes in a line of node i.
func (s *scanner) checkText(f *fragment, i int) {
	if s.eol == "" {
		s.eol = f.eol
	}
	if f.eol != "" && f.eol != s.eol {
		s.addFaultOnce(onceLineEnd, RuleLineEnd, f.start+int64(len(f.text)), i, "the line end is "+strconv.Quote(f.eol)+", but "+strconv.Quote(s.eol)+" before")
	}
	if cr := bytes.IndexByte(f.text, '\r'); cr >= 0 {
		s.addFaultOnce(onceBareCR, RuleBareCR, f.start+int64(cr), i, "a CR without LF")
	}
	if nul := bytes.IndexByte(f.text, 0); nul >= 0 {
		s.addFaultOnce(onceNUL, RuleNUL, f.start+int64(nul), i, "a NUL")
	}
}

// scanFileLine looks for uuencoded files in a text.
func (s *scanner) scanFileLine(f *fragment) {
	if s.file > 0 {
		switch {
		case string(f.text) == "end":
			s.endFile(f.next(), false)
		case isUU(f.text) && (len(f.text) > 0 || !s.fresh):
			s.fresh = false
		case s.fresh:
			// No line of a uuencoded file follows the "begin", so the "begin" is ordinary text.
			s.m.nodes = s.m.nodes[:s.file]
			s.m.nodes[s.node].children--
			s.file = 0
		default:
			s.endFile(f.start, true)
		}
		return
	}
	name, ok := uuName(f.text)
	if !ok || len(s.m.nodes) > s.m.limits.Parts {
		return
	}
	s.file, s.fresh = len(s.m.nodes), true
	s.m.nodes[s.node].children++
	s.m.nodes = append(s.m.nodes, node{
		parent: s.node, start: f.start, body: f.start, enclosed: s.m.nodes[s.node].enclosed,
		typ: guessType(name), encoding: encodingUU, name: name,
	})
}

// guessType guesses the media type of a file.
func guessType(name string) string {
	if typ := media.ByName(displayName(name)); typ != "" {
		return typ
	}
	return octetStream
}

// endFile ends the current uuencoded file, if any. If cut is true, endFile reports that the
// "end" of the file is missing.
func (s *scanner) endFile(offset int64, cut bool) {
	if s.file == 0 {
		return
	}
	s.endNode(s.file, offset)
	if cut {
		s.addFault(RuleUuencode, offset, s.file, `the uuencoded file has no "end"`)
	}
	s.file = 0
}

// addFault reports a fault of node i. If i is -1, the fault concerns the message as a whole.
func (s *scanner) addFault(rule string, offset int64, i int, text string) {
	switch n := len(s.m.Faults); {
	case n > maxFaults:
		return
	case n == maxFaults:
		rule, text, i = RuleLimit, fmt.Sprintf("more than %d faults: the rest is not listed", maxFaults), -1
	}
	s.m.Faults = append(s.m.Faults, Fault{Rule: rule, Offset: offset, Text: text})
	s.faulty = append(s.faulty, i)
}

// addFaultOnce reports a fault of node i, unless this kind of fault was reported for the node
// before.
func (s *scanner) addFaultOnce(kind uint, rule string, offset int64, i int, text string) {
	if n := &s.m.nodes[i]; n.reported&kind == 0 {
		n.reported |= kind
		s.addFault(rule, offset, i, text)
	}
}

// scanHeader reads only the header of a message.
func (s *scanner) scanHeader() error {
	s.m.nodes = append(s.m.nodes, node{parent: -1})
	s.state = inHeader
	var f fragment
	for {
		err := s.lines.readFragment(&f)
		switch {
		case err == io.EOF || err == nil && f.begins && f.ends && len(f.text) == 0:
			return s.takeHeader(s.lines.offset)
		case err != nil:
			return fmt.Errorf("message: byte %d: %w", s.lines.offset, err)
		}
		if err := s.headerLine(&f); err != nil || s.state == inBody {
			return err
		}
	}
}
