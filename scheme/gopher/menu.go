package gopher

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/scheme"
)

// The types of lines that are no items: nothing gets them.
const (
	TypeInfo   = 'i' // text between the items; in no RFC, and everywhere in use
	TypeError  = '3' // the name is the message (RFC 1436 section 3.8)
	TypeMirror = '+' // one more server for the item before it
)

// Line is one line of a menu (RFC 1436 section 2; Gopher+, section 2.1). Its texts
// are the octets that came: not safe for a terminal, in no stated charset.
type Line struct {
	Type     byte   // 0: the line has none
	Name     string // display string
	Selector string
	Host     string // empty: the menu's own
	Port     uint16 // 0: see Fault and Assumed. A field that is missing or empty is 70, or 23 for a session.
	Plus     byte   // '+': the server speaks Gopher+ about the item; '?': it has a form; or 0
	Mirrors  byte   // of a '+' line: the type of the item before it, which it is another server for; else 0
	Fault    error  // why it can't be followed: the line is for display alone. It wraps scheme.ErrProtocol.
	Assumed  bool   // there were two fields: host and port are the menu's own
}

// lineError is why a line can't be followed.
type lineError struct {
	why  string
	text string // the octets it is about, if any
}

func (e *lineError) Error() string {
	if e.text == "" {
		return e.why
	}
	return e.why + ": " + locus.Quote(e.text)
}

func (e *lineError) Unwrap() error { return scheme.ErrProtocol }

var (
	errNoType   = &lineError{why: "the line has no type"}
	errNoFields = &lineError{why: "the line has no selector"}
	errNoHost   = &lineError{why: "the line has no host"}
	errNoMirror = &lineError{why: "the line is another server for an item, and no item is before it"}
)

// ParseLine reads one line of a menu, without its end. It reports false for an
// empty line. What an item of type "+" mirrors is for [MenuReader] to know.
func ParseLine(line []byte) (l Line, ok bool) {
	if len(line) == 0 {
		return Line{}, false
	}
	l.parse(string(line), &menuState{})
	if l.Fault == nil && strings.ContainsAny(l.Selector, "\r\n") {
		l.Fault = &lineError{whySelector, l.Selector}
	}
	return l, true
}

const whySelector = "a selector can't hold CR, LF or NUL"

// menuState is what the lines of a menu tell about those that follow.
type menuState struct {
	item byte   // type of the last item, which a mirror is of; 0: none
	host string // one that can be; many lines in a row have the same
}

// parse reads a line that is not empty, and has no CR or LF, into the zero Line.
// Lines of information and errors have anything for selector, host and port, and
// none is looked at.
func (l *Line) parse(text string, before *menuState) {
	first, rest, more := cutTab(text)
	if first == "" || first[0] == 0 {
		l.Name, l.Fault = first, errNoType
		return
	}
	l.Type, l.Name = first[0], first[1:]
	switch {
	case l.Type == TypeInfo || l.Type == TypeError:
		return
	case !more:
		l.Fault = errNoFields
		return
	case l.Type == TypeMirror:
		l.Mirrors = before.item
	}
	l.Selector, rest, more = cutTab(rest)
	l.Assumed = !more
	host, rest, _ := cutTab(rest)
	port, rest, _ := cutTab(rest)
	l.Host = trimBlanks(host)
	if rest != "" {
		l.readPlus(rest)
	}
	if _, isLink := l.link(); isLink {
		l.Assumed = false // it has no use for a host
		return
	}
	switch {
	case strings.IndexByte(l.Selector, 0) >= 0:
		l.Fault = &lineError{whySelector, l.Selector}
	case l.Host != before.host && !isHostText(l.Host):
		l.Fault = &lineError{"not a host", l.Host}
	case !l.Assumed:
		l.readPort(trimBlanks(port))
	case l.isSession():
		l.Fault = errNoHost
	}
	if l.Fault == nil {
		before.host = l.Host
	}
}

// cutTab is [strings.Cut] at the first TAB.
func cutTab(text string) (before, after string, found bool) {
	if i := strings.IndexByte(text, '\t'); i >= 0 {
		return text[:i], text[i+1:], true
	}
	return text, "", false
}

// trimBlanks returns text without the blanks around it.
func trimBlanks(text string) string {
	if text == "" || text[0] != ' ' && text[len(text)-1] != ' ' {
		return text
	}
	return strings.Trim(text, " ")
}

// readPlus reads the fifth field, and leaves out the others.
func (l *Line) readPlus(text string) {
	plus, _, _ := cutTab(text)
	if plus == "+" || plus == "?" {
		l.Plus = plus[0]
	}
}

// isHostText reports whether text can stand where a URL has its host; what host
// it is, if any, shows when the URL is made.
func isHostText(text string) bool {
	if octet.All(text)&octet.Unreserved != 0 {
		return true
	}
	for i := 0; i < len(text); i++ {
		if octet.Is(text[i], octet.Control) {
			return false
		}
	}
	return !strings.ContainsAny(text, `/\?#@"<>`)
}

// readPort reads the field of the port, 1 to 65535.
func (l *Line) readPort(digits string) {
	if digits == "" {
		l.Port = Port
		if l.isSession() {
			l.Port = telnetPort
		}
		return
	}
	n := 0
	for i := 0; i < len(digits) && n <= math.MaxUint16; i++ {
		if !octet.Is(digits[i], octet.Digit) {
			n = 0
			break
		}
		n = n*10 + int(digits[i]-'0')
	}
	if n == 0 || n > math.MaxUint16 {
		l.Fault = &lineError{"not a port", digits}
		return
	}
	l.Port = uint16(n)
}

// telnetPort is the port of a session that names none.
const telnetPort = 23

// kind is the type of the item, or of the one that it mirrors.
func (l *Line) kind() byte {
	if l.Type == TypeMirror {
		return l.Mirrors
	}
	return l.Type
}

func (l *Line) isSession() bool { return l.kind() == TypeTelnet || l.kind() == TypeTN3270 }

// isError reports whether the line tells that something went wrong. Some servers
// put their errors into lines of the type that was asked for, and name a host that
// is none.
func (l *Line) isError() bool {
	const errorHost = "error.host"
	return l.Type == TypeError || len(l.Host) == len(errorHost) && strings.EqualFold(l.Host, errorHost)
}

// link returns the URL that the selector of type h is, after "URL:" in either case,
// with or without a "/" before it.
func (l *Line) link() (text string, ok bool) {
	if l.kind() != TypeHTML {
		return "", false
	}
	return cutLink(l.Selector)
}

func cutLink(selector string) (text string, ok bool) {
	const prefix = "URL:"
	text = strings.TrimPrefix(selector, "/")
	if len(text) < len(prefix) || !strings.EqualFold(text[:len(prefix)], prefix) {
		return "", false
	}
	return text[len(prefix):], true
}

// URL returns the URL of the item that the line stands for; menu is the one that
// the line is of. It has the selector's octets, encoded once. A line of information
// or of an error has the zero URL. What no URL can say is an error: Fault, or what
// came out is not a URL.
//
// Types 8 and T are telnet and tn3270 URLs with the selector for a user, and a
// selector of type h that begins with "URL:" is the URL behind that. An item of a
// gophers menu on the same host and port is gophers too.
func (l Line) URL(menu URL) (locus.URL, error) {
	m := makeItemMaker(menu)
	return m.url(&l)
}

// itemMaker makes items of the lines of a menu.
type itemMaker struct {
	host   string // of the menu
	port   uint16
	secure bool
	share  int // octets of memory that the texts of URLs share; 0: each has its own
	texts  strings.Builder
}

func makeItemMaker(menu URL) itemMaker {
	m := itemMaker{host: menu.url.Host(), port: Port, secure: menu.Secure()}
	if n, ok := menu.url.Port(); ok {
		m.port = n
	}
	return m
}

// newItemMaker returns an itemMaker for many lines of a menu.
func newItemMaker(menu URL) *itemMaker {
	m := makeItemMaker(menu)
	m.share = menuBuffer
	return &m
}

// url is [Line.URL].
func (m *itemMaker) url(l *Line) (locus.URL, error) {
	kind := l.kind()
	switch {
	case l.Type == TypeInfo || l.isError():
		return locus.URL{}, nil
	case l.Fault != nil:
		return locus.URL{}, l.Fault
	case kind == 0:
		return locus.URL{}, errNoMirror
	}
	if link, ok := l.link(); ok {
		return locus.Parse(link)
	}
	at := m.place(l)
	switch kind {
	case TypeTelnet:
		return at.session("telnet", l.Selector)
	case TypeTN3270:
		return at.session("tn3270", l.Selector)
	case TypePhone:
		return m.itemURL(at, kind, l.Selector, 0) // it is not Gopher, with a plus or without
	}
	return m.itemURL(at, kind, l.Selector, l.Plus)
}

// place is where an item is.
type place struct {
	host   string
	port   uint16
	secure bool
}

// place returns where the line leads to.
func (m *itemMaker) place(l *Line) place {
	at := place{host: l.Host, port: l.Port}
	if l.Host == "" {
		at.host = m.host
	}
	if l.Assumed {
		at.port = m.port
	}
	at.secure = m.secure && at.port == m.port && sameHost(at.host, m.host)
	return at
}

// sameHost compares hosts. Neither the "." of the root at the end of a name nor the
// brackets of an address tell them apart.
func sameHost(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(strings.Trim(a, "[]"), "."), strings.TrimSuffix(strings.Trim(b, "[]"), "."))
}

// hostText returns the host as URL text.
func (p place) hostText() string {
	if p.host != "" && p.host[0] != '[' && strings.IndexByte(p.host, ':') >= 0 {
		return "[" + p.host + "]"
	}
	return p.host
}

// portOr returns the port for a URL, 0 if that is the one it has without.
func (p place) portOr(other uint16) uint16 {
	if p.port == other {
		return 0
	}
	return p.port
}

// session returns the URL of an interactive service. A user that a program could
// take for one of its options, or that holds what a terminal obeys, is refused.
func (p place) session(scheme, user string) (locus.URL, error) {
	parts := locus.Parts{Scheme: scheme, Host: p.hostText(), Port: p.portOr(telnetPort)}
	if user != "" {
		if user[0] == '-' || strings.ContainsFunc(user, isControl) {
			return locus.URL{}, &lineError{"not a name to log in with", user}
		}
		encoded := locus.EncodeUser(user)
		parts.User = &encoded
	}
	return parts.URL()
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7F && r < 0xA0 }

// itemURL returns the URL of a gopher item. It is that of [Parts], made in one go:
// all that could be read as something else than it is meant for is left to Parts.
func (m *itemMaker) itemURL(at place, kind byte, selector string, plus byte) (locus.URL, error) {
	var room [256]byte
	if text, ok := at.appendItem(room[:0], kind, selector, plus); ok {
		u, err := locus.Parse(m.keep(text))
		if err == nil && at.host != "" && u.Host() == at.host && u.Facts().Has(locus.NoUser) {
			return u, nil
		}
	}
	return at.partsURL(kind, selector, plus)
}

// appendItem appends the text of the URL of an item, if there is nothing in the
// selector that can't be sent.
func (p place) appendItem(b []byte, kind byte, selector string, plus byte) (text []byte, ok bool) {
	scheme := name + "://"
	if p.secure {
		scheme = secureName + "://"
	}
	b = append(append(b, scheme...), p.host...)
	if port := p.portOr(Port); port != 0 {
		b = strconv.AppendUint(append(b, ':'), uint64(port), 10)
	}
	b = append(b, '/')
	switch {
	case isPlain(kind, selector):
		b = append(append(b, kind), selector...)
	case strings.ContainsAny(selector, "\t\r\n\x00"):
		return b, false
	default:
		b = appendTypeSelector(b, kind, selector)
	}
	if plus != 0 {
		b = append(append(b, tab+tab...), plus)
	}
	return b, true
}

// isPlain reports whether type and selector are written in a URL as they are.
func isPlain(kind byte, selector string) bool {
	all := octet.All(selector)
	return all&octet.Xchar != 0 && all&octet.Literal != 0 && octet.Is(kind, octet.Unreserved) &&
		(kind != TypeSearch || strings.IndexByte(selector, '?') < 0)
}

// appendTypeSelector appends type and selector as [Parts] writes them.
func appendTypeSelector(b []byte, kind byte, selector string) []byte {
	keep := escape.Xchar()
	b = escape.AppendEncode(b, []byte{kind}, keep)
	if kind == TypeSearch {
		keep = keep.Without("?")
	}
	return escape.AppendEncode(b, selector, keep)
}

// keep returns text as a string, in the memory that is shared if there is any.
func (m *itemMaker) keep(text []byte) string {
	if m.share == 0 {
		return string(text)
	}
	if m.texts.Cap()-m.texts.Len() < len(text) {
		m.texts.Reset()
		m.texts.Grow(max(len(text), m.share))
	}
	start := m.texts.Len()
	m.texts.Write(text)
	return m.texts.String()[start:]
}

// partsURL is itemURL by way of Parts.
func (p place) partsURL(kind byte, selector string, plus byte) (locus.URL, error) {
	parts := Parts{Secure: p.secure, Host: p.hostText(), Port: p.portOr(Port), Type: kind, Selector: selector}
	if plus != 0 {
		text := string([]byte{plus})
		parts.Plus = &text
	}
	g, err := parts.URL()
	return g.url, err
}

// Item returns the line as an item of the menu that it is of. It never fails: what
// can't be followed has no URL, and a Note that says why.
func (l Line) Item(menu URL) scheme.Item {
	m := makeItemMaker(menu)
	return m.item(&l)
}

// item is [Line.Item].
func (m *itemMaker) item(l *Line) (item scheme.Item) {
	item = scheme.Item{Title: l.Name, Kind: l.itemKind(), Size: -1}
	var err error
	item.URL, err = m.url(l)
	switch {
	case err != nil:
		item.URL, item.Note = locus.URL{}, note(err)
	case l.Assumed && !l.isError():
		item.Note = "the line names no host and port: the menu's own are assumed"
	}
	switch item.Kind {
	case scheme.KindObject, scheme.KindMenu, scheme.KindSearch, scheme.KindForm:
		item.Type = itemType(l.kind(), l.Selector)
	}
	if l.Fault == errNoFields {
		// No line of a menu, so the first octet is no type.
		item.Title = string([]byte{l.Type}) + l.Name
		item.Kind, item.Type = scheme.KindUnknown, ""
	}
	return item
}

// note is err for people: of a text that is no URL they have no use for all of it.
func note(err error) string {
	var e *locus.SyntaxError
	if errors.As(err, &e) {
		return "no URL: " + e.Part + ": " + e.Err.Error()
	}
	return err.Error()
}

func (l *Line) itemKind() scheme.ItemKind {
	if l.isError() {
		return scheme.KindError
	}
	if _, ok := l.link(); ok {
		return scheme.KindUnknown
	}
	kind := kindOf(l.kind())
	if l.Plus == '?' && kind != scheme.KindSession && l.kind() != TypePhone {
		return scheme.KindForm
	}
	return kind
}

// Limits bound what is taken from a server. Zero fields are sensible.
type Limits struct {
	Line   int   // octets of a line; 64 KiB
	Items  int   // of a menu; 4 Mi
	Octets int64 // of a reply: 512 MiB for a menu, 16 MiB for attributes and forms
}

// The limits that stand if nobody sets others.
const (
	maxLine  = 64 << 10
	maxItems = 4 << 20
	maxMenu  = 512 << 20
)

// line is the limit of a line. The limits that there are may be nil, here and below.
func (l *Limits) line() int {
	if l == nil || l.Line <= 0 {
		return maxLine
	}
	return l.Line
}

// items is the limit of a menu's lines.
func (l *Limits) items() int {
	if l == nil || l.Items <= 0 {
		return maxItems
	}
	return l.Items
}

// octets is the limit of a reply, and other what it is if nobody sets one.
func (l *Limits) octets(other int64) int64 {
	if l == nil || l.Octets <= 0 {
		return other
	}
	return l.Octets
}

// orDefault returns l with the limits that it leaves out. octets is that of its
// Octets.
func (l *Limits) orDefault(octets int64) Limits {
	return Limits{Line: l.line(), Items: l.items(), Octets: l.octets(octets)}
}

// MenuReader reads the lines of a menu as they come. It holds no more of them than
// those that are at hand.
type MenuReader struct {
	r      io.Reader
	limits Limits // none is zero

	block   string // whole lines
	pos, lf int    // in block: what is used, and the first LF behind that or the end
	buf     []byte
	end     int // of buf: what is behind block

	used       int64 // octets
	items      int
	before     menuState
	err        error // what ends the menu, behind what is in block and buf
	terminated bool
}

// menuBuffer is how many octets are read at once. The lines of a block share their
// memory, which is why it is not more.
const menuBuffer = 4 << 10

// NewMenuReader returns a MenuReader of the menu that r gives. It reads ahead. The
// limits may be nil.
func NewMenuReader(r io.Reader, limits *Limits) *MenuReader {
	return &MenuReader{r: r, limits: limits.orDefault(maxMenu), buf: make([]byte, menuBuffer)}
}

// Terminated reports whether a line that is only a dot ended the menu. One without
// may be cut: nothing else tells.
func (m *MenuReader) Terminated() bool { return m.terminated }

// Next returns the next line of the menu. At its end, which is a line that is only
// a dot or the end of the connection, the error is io.EOF; what follows the dot is
// left alone. A limit that is passed is an error that wraps
// [scheme.ErrTooLarge]; an error of the reader comes wrapped. What came before any
// of them is good.
//
// Lines end by CR LF, LF or CR; empty lines are left out. The texts of a line may
// share memory with those of lines near it: to keep a few of many, clone them.
func (m *MenuReader) Next() (l Line, err error) {
	text, err := m.line()
	switch {
	case err != nil:
		return l, err
	case text == ".":
		m.terminated = true
		return l, m.fail(io.EOF)
	case m.items == m.limits.Items:
		return l, m.fail(fmt.Errorf("%w: the menu has more than %d lines", scheme.ErrTooLarge, m.limits.Items))
	}
	m.items++
	l.parse(text, &m.before)
	switch {
	case l.Type == 0 || l.Type == TypeInfo || l.isError():
	case l.Type != TypeMirror:
		m.before.item = l.Type
	case m.before.item == 0 && l.Fault == nil:
		l.Fault = errNoMirror
	}
	return l, nil
}

// infoPrefix stands before the line of an item among attributes.
const infoPrefix = "+INFO: "

// line returns the next line that is not empty, without its end.
func (m *MenuReader) line() (string, error) {
	for {
		if m.pos == len(m.block) {
			if err := m.fill(); err != nil {
				return "", err
			}
		}
		if m.lf < m.pos {
			m.lf = len(m.block)
			if i := strings.IndexByte(m.block[m.pos:], '\n'); i >= 0 {
				m.lf = m.pos + i
			}
		}
		line := m.block[m.pos:m.lf]
		next := min(m.lf+1, len(m.block))
		if cr := strings.IndexByte(line, '\r'); cr >= 0 {
			if cr+1 < len(line) {
				next = m.pos + cr + 1 // CR alone
			}
			line = line[:cr]
		}
		m.used += int64(next - m.pos)
		m.pos = next
		switch {
		case len(line) > m.limits.Line:
			return "", m.longLine()
		case m.used > m.limits.Octets:
			return "", m.fail(fmt.Errorf("%w: the menu has more than %d octets", scheme.ErrTooLarge, m.limits.Octets))
		case line != "":
			return line, nil
		}
	}
}

func (m *MenuReader) longLine() error {
	return m.fail(fmt.Errorf("%w: line %d of the menu has more than %d octets", scheme.ErrTooLarge, m.items+1, m.limits.Line))
}

// fail ends the menu. What is not used yet is dropped.
func (m *MenuReader) fail(err error) error {
	m.err, m.block, m.pos, m.lf, m.end = err, "", 0, -1, 0
	return err
}

// fill reads until there is a whole line, and makes a block of all that are whole.
func (m *MenuReader) fill() error {
	for {
		if m.err == io.EOF && m.end > 0 {
			m.cut(m.end) // the last line may have no end
			return nil
		}
		if m.err != nil {
			return m.fail(m.err)
		}
		if m.end > m.limits.Line {
			return m.longLine()
		}
		if m.end == len(m.buf) {
			m.buf = append(m.buf, make([]byte, len(m.buf))...)
		}
		n, err := readSome(m.r, m.buf[m.end:])
		from := m.end
		m.end += n
		if m.err = err; err != nil && err != io.EOF {
			m.err = fmt.Errorf("menu: %w", err)
		}
		if whole := lastEnd(m.buf[from:m.end]); whole > 0 {
			m.cut(from + whole)
			return nil
		}
	}
}

// lastEnd returns where the last CR or LF in octets ends, 0 if there is none.
func lastEnd(octets []byte) int {
	end := bytes.LastIndexByte(octets, '\n') + 1
	if cr := bytes.LastIndexByte(octets[end:], '\r') + 1; cr > 0 {
		end += cr
	}
	return end
}

// cut makes a block of so many octets of buf.
func (m *MenuReader) cut(size int) {
	m.block, m.pos, m.lf = string(m.buf[:size]), 0, -1
	m.end = copy(m.buf, m.buf[size:m.end])
}

// readSome reads until something comes, and takes no reader that never gives
// anything.
func readSome(r io.Reader, p []byte) (int, error) {
	const tries = 100
	for range tries {
		if n, err := r.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}
