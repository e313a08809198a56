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
	maxFaults   = 100  // more are not told
	maxBoundary = 1000 // octets; RFC 2046 section 5.1.1 has 70
)

// node is a message or a part in the making.
type node struct {
	parent int // -1: the message
	header Header
	// Where the header begins, the content begins, and the content ends. What is
	// between the last of two is never the line end before a boundary.
	start, body, end int64
	r                io.ReaderAt // where these are, if not in the reader of the message

	typ      string
	encoding string
	name     string // of a uuencoded file; else the header knows
	children int
	enclosed bool // in a message that is a part
	told     uint // kinds of faults that were told, one bit each
}

// A node tells each of these faults once.
const (
	toldLineEnd = 1 << iota
	toldBareCR
	toldNUL
	toldCoding
	toldHeaderLine
)

// open is a node in which others are: a multipart, or a message that is a part.
type open struct {
	node     int
	boundary string // empty: a message
	closed   bool   // the last boundary was met
}

type state int

const (
	inBody state = iota
	inHeader
	inLostHeader // one that is larger than it may be
)

// scanner finds the parts of a message, line by line. Its stack takes the place of
// recursion, so depth costs nothing but its limit.
type scanner struct {
	m     *Message
	lines lines
	stack []open
	marks map[string][]int // the places in stack that have a boundary
	state state
	node  int // of which lines are read; -1: what is before, between or behind parts

	head      []byte // the header in the making
	lastLine  int    // where its last line begins
	fields    bool   // there is a field in it
	headTotal int    // octets of all headers

	prevEnd int64  // where the line before ended, without its line end
	eol     string // of the first line
	file    int    // the uuencoded file that is read; 0: none
	fresh   bool   // of that file, only the line with its name was read
	full    bool   // there are as many parts as may be
	faulty  []int  // the nodes that the faults are about; -1: the message as a whole
}

func newScanner(m *Message) *scanner {
	size := int(min(max(m.size, 512), lineBuffer))
	return &scanner{m: m, lines: newLines(io.NewSectionReader(m.r, 0, m.size), size), marks: map[string][]int{}}
}

// scan reads the whole message.
func (s *scanner) scan() error {
	s.m.nodes = append(s.m.nodes, node{parent: -1})
	s.state = inHeader
	err := s.readLines()
	s.endNodes(0, s.lines.offset)
	if err == io.EOF {
		if s.lines.offset < s.m.size {
			s.fault(RuleSize, s.lines.offset, -1, fmt.Sprintf("the message ends here and should have %d octets", s.m.size))
		}
		return s.openEncoded()
	}
	if fault := (Fault{}); errors.As(err, &fault) || errors.Is(err, ErrNoMessage) {
		return err
	}
	return fmt.Errorf("message: octet %d: %w", s.lines.offset, err)
}

// readLines reads to the end, or to where reading can't go on. The error is never nil.
func (s *scanner) readLines() error {
	var f fragment
	for {
		if err := s.lines.read(&f); err != nil {
			if err == io.EOF {
				return cmp.Or(s.endHeaders(s.lines.offset), err)
			}
			return err
		}
		if err := s.line(&f); err != nil {
			return err
		}
		s.prevEnd = f.start + int64(len(f.text))
	}
}

// endHeaders ends at offset the headers that are open: after one there is another if
// that was of a message within.
func (s *scanner) endHeaders(offset int64) error {
	for s.state != inBody {
		if err := s.endHeader(offset); err != nil {
			return err
		}
	}
	return nil
}

// line takes one line, or a piece of one.
func (s *scanner) line(f *fragment) error {
	if f.begins && f.ends && len(s.stack) > 0 && len(f.text) > 2 && f.text[0] == '-' && f.text[1] == '-' {
		if depth, last, ok := s.delimiter(f.text); ok {
			return s.boundary(f, depth, last)
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

// delimiter reports whether line is a boundary, of which multipart, and whether it is
// its last.
func (s *scanner) delimiter(line []byte) (depth int, last, ok bool) {
	name := bytes.TrimRight(line[2:], " \t")
	if list := s.marks[string(name)]; len(list) > 0 {
		return list[len(list)-1], false, true
	}
	if name, last = bytes.CutSuffix(name, []byte("--")); last {
		if list := s.marks[string(name)]; len(list) > 0 {
			return list[len(list)-1], true, true
		}
	}
	return 0, false, false
}

// boundary takes the boundary of the multipart at depth.
func (s *scanner) boundary(f *fragment, depth int, last bool) error {
	// The part may end in its header.
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
		s.fault(RuleLimit, f.start, s.stack[depth].node, fmt.Sprintf("there are more than %d parts: those from here on are not told apart", s.m.limits.Parts))
		s.full, s.marks = true, nil
		return nil
	}
	s.newPart(s.stack[depth].node, f.next())
	return nil
}

// newPart begins a part of parent.
func (s *scanner) newPart(parent int, offset int64) {
	s.m.nodes[parent].children++
	s.node = len(s.m.nodes)
	s.m.nodes = append(s.m.nodes, node{parent: parent, start: offset, enclosed: s.m.encloses(parent)})
	s.state = inHeader
}

// encloses reports whether what is in that node is in a message that is a part.
func (m *Message) encloses(i int) bool {
	return m.nodes[i].enclosed || i > 0 && isMessage(m.nodes[i].typ)
}

// unmark forgets the boundary of the multipart at depth.
func (s *scanner) unmark(depth int) {
	boundary := s.stack[depth].boundary
	if list := s.marks[boundary]; len(list) > 0 && list[len(list)-1] == depth {
		s.marks[boundary] = list[:len(list)-1]
	}
}

// endNodes ends at offset the node that is read, and those of the stack from depth up.
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
			s.fault(RuleBoundary, n.body, top.node, "the boundary "+locus.Quote(top.boundary)+" is nowhere: the multipart has no parts")
		case !top.closed:
			s.fault(RuleEndBoundary, offset, top.node, "the multipart ends without its last boundary, --"+locus.Quote(top.boundary)+"--")
		}
		offset = s.endNode(top.node, offset)
		s.unmark(len(s.stack) - 1)
		s.stack = s.stack[:len(s.stack)-1]
	}
}

// endNode ends a node at offset, or where its content would begin if that is later, and
// returns where.
func (s *scanner) endNode(i int, offset int64) int64 {
	n := &s.m.nodes[i]
	n.end = max(offset, n.body)
	return n.end
}

// headerLine takes a line of a header.
func (s *scanner) headerLine(f *fragment) error {
	if f.begins {
		s.lastLine = len(s.head)
		switch {
		case len(f.text) == 0 && f.ends:
			return s.endHeader(f.next())
		case !s.startsField(f):
			if err := s.endHeader(f.start); err != nil {
				return err
			}
			return s.line(f)
		}
	}
	s.checkText(f, s.node)
	if len(s.head)+len(f.text) > s.m.limits.Header || s.headTotal+len(s.head)+len(f.text) > s.m.limits.Header*headers {
		return s.loseHeader(f.start)
	}
	s.head = append(append(s.head, f.text...), f.eol...)
	return nil
}

// startsField looks at the beginning of a line of a header. It is false if the line
// is the body, which the empty line before it is missing of.
func (s *scanner) startsField(f *fragment) bool {
	switch {
	case isBlank(firstByte(f.text)) && s.lastLine > 0:
		return true // it continues the line before
	case nameLen(f.text) > 0:
		s.fields = true
		return true
	case !s.fields && (bytes.HasPrefix(f.text, []byte("From ")) || bytes.HasPrefix(f.text, []byte(">From "))):
		return true // the lines that are before each message of an mbox
	case !s.fields:
		s.fault(RuleHeaderLine, f.start, s.node, "an empty line is missing before the content, or this is no header: "+locus.Quote(string(f.text[:min(len(f.text), 60)])))
		return false
	}
	s.faultOnce(toldHeaderLine, RuleHeaderLine, f.start, s.node, "no field: a name and a \":\" begin one: "+locus.Quote(string(f.text[:min(len(f.text), 60)])))
	return true
}

func firstByte(text []byte) byte {
	if len(text) == 0 {
		return 0
	}
	return text[0]
}

// loseHeader takes note of a header that is larger than it may be. For the message
// itself it is the end; of a part, what came before counts.
func (s *scanner) loseHeader(offset int64) error {
	s.head = s.head[:s.lastLine]
	s.fault(RuleLimit, offset, s.node, fmt.Sprintf("the header has more than %d octets, or all headers %d times as many: what is before counts", s.m.limits.Header, headers))
	if s.node > 0 {
		s.state = inLostHeader
		return nil
	}
	root := &s.m.nodes[0]
	s.m.Header = Header{raw: string(s.head)}
	*root = node{parent: -1, header: s.m.Header, body: offset, end: offset, typ: octets}
	s.node, s.state = -1, inBody
	return s.m.Faults[len(s.m.Faults)-1]
}

// endHeader ends the header of the node that is read, and looks at what it says. The
// content begins at offset.
func (s *scanner) endHeader(offset int64) error {
	if err := s.takeHeader(offset); err != nil {
		return err
	}
	s.content()
	return nil
}

// takeHeader keeps the header of the node that is read.
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

// content looks at what the header of the node that is read says about its content.
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
		s.fault(RuleEncoding, n.start, s.node, "the Content-Transfer-Encoding "+locus.Quote(encoding)+" is unknown: the part is octets")
		n.typ, n.encoding = octets, ""
	case isMultipart(n.typ) && !isIdentity(n.encoding):
		s.fault(RuleEncoding, n.start, s.node, "a multipart can't have the Content-Transfer-Encoding "+n.encoding+": it is read without")
		n.encoding = ""
		s.enter(params["boundary"])
	case within && !isIdentity(n.encoding):
		if n.typ != "message/global" {
			s.fault(RuleEncoding, n.start, s.node, "a "+n.typ+" can't have the Content-Transfer-Encoding "+n.encoding+": it is decoded")
		}
	case within:
		s.enter(params["boundary"])
	case isText(n.typ) && !charset.IsKnown(params["charset"]):
		s.fault(RuleCharset, n.start, s.node, "the charset "+locus.Quote(params["charset"])+" is unknown")
	}
}

// octets is the type of what nothing is known about.
const octets = "application/octet-stream"

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
		s.fault(RuleContentType, n.start, s.node, "no media type: "+locus.Quote(value)+": the part is octets")
		return octets, params
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

// isMessage reports whether a part of that type is a message (RFC 2046 section 5.2.1;
// RFC 6532; RFC 5537 has the third for history).
func isMessage(typ string) bool {
	return typ == "message/rfc822" || typ == "message/global" || typ == "message/news"
}

// enter begins to read what is in a multipart or message.
func (s *scanner) enter(boundary string) {
	i := s.node
	n := &s.m.nodes[i]
	multipart := isMultipart(n.typ)
	boundary = strings.TrimRight(boundary, " \t")
	switch {
	case multipart && (boundary == "" || len(boundary) > maxBoundary):
		s.fault(RuleBoundary, n.start, i, "a multipart needs a boundary of 1 to 70 characters: it is not looked into")
		return
	case !multipart && len(s.m.nodes) > s.m.limits.Parts:
		s.fault(RuleLimit, n.start, i, fmt.Sprintf("there are more than %d parts: it is not looked into", s.m.limits.Parts))
		return
	case len(s.stack) >= s.m.limits.Depth:
		s.fault(RuleLimit, n.start, i, fmt.Sprintf("it is deeper in others than %d: it is not looked into", s.m.limits.Depth))
		return
	case multipart:
		s.marks[boundary] = append(s.marks[boundary], len(s.stack))
		s.stack = append(s.stack, open{node: i, boundary: boundary})
		s.node = -1
		return
	}
	s.stack = append(s.stack, open{node: i})
	body := n.body
	s.node = -1
	s.newPart(i, body)
}

// bodyLine takes a line of a content.
func (s *scanner) bodyLine(f *fragment) {
	if s.node < 0 {
		return
	}
	n := &s.m.nodes[s.node]
	switch n.encoding {
	case "binary":
		return
	case "base64":
		s.checkCoding(f, RuleBase64, base64Fault(f.text), "a character that is not of base64 is skipped")
	case "quoted-printable":
		if f.begins && f.ends {
			s.checkCoding(f, RuleQuoted, quotedPrintableFault(f.text), `two hexadecimal digits must follow "="`)
		}
	case "":
		if n.typ == "text/plain" && f.begins && f.ends {
			s.fileLine(f)
		}
	}
	s.checkText(f, s.node)
}

func (s *scanner) checkCoding(f *fragment, rule string, i int, text string) {
	if i >= 0 {
		s.faultOnce(toldCoding, rule, f.start+int64(i), s.node, text)
	}
}

// checkText looks for octets that no line of a message has.
func (s *scanner) checkText(f *fragment, i int) {
	if s.eol == "" {
		s.eol = f.eol
	}
	if f.eol != "" && f.eol != s.eol {
		s.faultOnce(toldLineEnd, RuleLineEnd, f.start+int64(len(f.text)), i, "the line end is "+strconv.Quote(f.eol)+" and others are "+strconv.Quote(s.eol))
	}
	if cr := bytes.IndexByte(f.text, '\r'); cr >= 0 {
		s.faultOnce(toldBareCR, RuleBareCR, f.start+int64(cr), i, "a CR without LF")
	}
	if nul := bytes.IndexByte(f.text, 0); nul >= 0 {
		s.faultOnce(toldNUL, RuleNUL, f.start+int64(nul), i, "an octet 0")
	}
}

// fileLine looks for files that are uuencoded within a text.
func (s *scanner) fileLine(f *fragment) {
	if s.file > 0 {
		switch {
		case string(f.text) == "end":
			s.endFile(f.next(), false)
		case isUU(f.text) && (len(f.text) > 0 || !s.fresh):
			s.fresh = false
		case s.fresh:
			// It only looked like a file.
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
		typ: typeOf(name), encoding: uuencode, name: name,
	})
}

// typeOf guesses the media type of a file.
func typeOf(name string) string {
	if typ := media.ByName(label(name)); typ != "" {
		return typ
	}
	return octets
}

// endFile ends the uuencoded file that is read, if one is. cut says that its "end" is
// missing.
func (s *scanner) endFile(offset int64, cut bool) {
	if s.file == 0 {
		return
	}
	s.endNode(s.file, offset)
	if cut {
		s.fault(RuleUuencode, offset, s.file, `the uuencoded file has no "end"`)
	}
	s.file = 0
}

// fault takes note of a fault of a node; -1 is the message as a whole.
func (s *scanner) fault(rule string, offset int64, i int, text string) {
	switch n := len(s.m.Faults); {
	case n > maxFaults:
		return
	case n == maxFaults:
		rule, text, i = RuleLimit, fmt.Sprintf("there are more faults than the %d before", maxFaults), -1
	}
	s.m.Faults = append(s.m.Faults, Fault{Rule: rule, Offset: offset, Text: text})
	s.faulty = append(s.faulty, i)
}

// faultOnce takes note of a fault that a node tells once.
func (s *scanner) faultOnce(kind uint, rule string, offset int64, i int, text string) {
	if n := &s.m.nodes[i]; n.told&kind == 0 {
		n.told |= kind
		s.fault(rule, offset, i, text)
	}
}

// scanHeader reads the header of a message, and nothing behind it.
func (s *scanner) scanHeader() error {
	s.m.nodes = append(s.m.nodes, node{parent: -1})
	s.state = inHeader
	var f fragment
	for {
		err := s.lines.read(&f)
		switch {
		case err == io.EOF || err == nil && f.begins && f.ends && len(f.text) == 0:
			return s.takeHeader(s.lines.offset)
		case err != nil:
			return fmt.Errorf("message: octet %d: %w", s.lines.offset, err)
		}
		if err := s.headerLine(&f); err != nil || s.state == inBody {
			return err
		}
	}
}
