package gopher

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/octet"
	"github.com/locus-url/locus/scheme"
)

// These are the types of lines that are not items.
const (
	infoType   = 'i' // a line of text between the items; in common use, but not defined by an RFC
	errorType  = '3' // an error, whose message is the name of the line (RFC 1436 section 3.8)
	mirrorType = '+' // another server for the previous item
)

// menuLine is one line of a menu (RFC 1436 section 2; Gopher+ section 2.1). Its texts are
// unchanged from the reply. They are not safe for a terminal, and have an unknown charset.
type menuLine struct {
	Type     byte   // gophertype; 0 if missing
	Name     string // display string of the item
	Selector string
	Host     string // host; empty means the host of the menu
	Port     uint16 // port; 0 if unknown (see Fault and Assumed); an empty field means 70, or 23 for a session
	Plus     byte   // '+' for an item with Gopher+ attributes, '?' for an item that also has a form; otherwise 0
	Mirrors  byte   // in a '+' line, the type of the previous item; otherwise 0
	Fault    error  // reason why the line is not a link; wraps scheme.ErrProtocol
	Assumed  bool   // the line contains no host and port, so the menu's host and port apply
}

type lineError struct {
	why  string
	text string // the invalid text; empty if none
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
	errNoMirror = &lineError{why: "the line names another server for the item before it, but there is no such item"}
)

// parseLine parses one line of a menu, without its line ending. For an empty line, ok is
// false. parseLine does not set the field Mirrors, which depends on the previous lines.
func parseLine(line []byte) (l menuLine, ok bool) {
	if len(line) == 0 {
		return menuLine{}, false
	}
	l.parse(string(line), &menuState{})
	if l.Fault == nil && strings.ContainsAny(l.Selector, "\r\n") {
		l.Fault = &lineError{whySelector, l.Selector}
	}
	return l, true
}

const whySelector = "a selector can't contain CR, LF or NUL"

// menuState holds data from previous lines that the parser needs for the next line.
type menuState struct {
	item byte   // type of the last item; 0 if none
	host string // the last valid host; many consecutive lines repeat the same host
}

// parse parses a line into l, which must be the zero menuLine. The text must not be empty or
// contain CR or LF. For information and error lines, parse ignores the selector, host and
// port.
func (l *menuLine) parse(text string, before *menuState) {
	first, rest, more := strings.Cut(text, "\t")
	if first == "" || first[0] == 0 {
		l.Name, l.Fault = first, errNoType
		return
	}
	l.Type, l.Name = first[0], first[1:]
	switch {
	case l.Type == infoType || l.Type == errorType:
		return
	case !more:
		l.Fault = errNoFields
		return
	case l.Type == mirrorType:
		l.Mirrors = before.item
	}
	l.Selector, rest, more = strings.Cut(rest, "\t")
	l.Assumed = !more
	host, rest, _ := strings.Cut(rest, "\t")
	port, rest, _ := strings.Cut(rest, "\t")
	l.Host = strings.Trim(host, " ")
	if rest != "" {
		l.readPlus(rest)
	}
	if _, isLink := l.link(); isLink {
		l.Assumed = false // a "URL:" link needs no host, so the menu's host does not apply
		return
	}
	switch {
	case strings.IndexByte(l.Selector, 0) >= 0:
		l.Fault = &lineError{whySelector, l.Selector}
	case l.Host != before.host && !isHostText(l.Host):
		l.Fault = &lineError{"invalid host", l.Host}
	case !l.Assumed:
		l.readPort(strings.Trim(port, " "))
	case l.isSession():
		l.Fault = errNoHost
	}
	if l.Fault == nil {
		before.host = l.Host
	}
}

func (l *menuLine) readPlus(text string) {
	plus, _, _ := strings.Cut(text, "\t")
	if plus == "+" || plus == "?" {
		l.Plus = plus[0]
	}
}

// isHostText reports whether text can be the host part of a URL. It does not check whether the
// host is valid.
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

// readPort parses the port field, which must be a number from 1 to 65535.
func (l *menuLine) readPort(digits string) {
	if digits == "" {
		l.Port = Port
		if l.isSession() {
			l.Port = telnetPort
		}
		return
	}
	n, err := strconv.ParseUint(digits, 10, 16)
	if err != nil || n == 0 {
		l.Fault = &lineError{"invalid port", digits}
		return
	}
	l.Port = uint16(n)
}

const telnetPort = 23

// kind returns the type of the item. For a mirror line, it returns the type of the mirrored
// item.
func (l *menuLine) kind() byte {
	if l.Type == mirrorType {
		return l.Mirrors
	}
	return l.Type
}

func (l *menuLine) isSession() bool { return l.kind() == TypeTelnet || l.kind() == TypeTN3270 }

// isError reports whether the line is an error message. Some servers send errors as
// lines of the requested type with the host "error.host".
func (l *menuLine) isError() bool {
	const errorHost = "error.host"
	return l.Type == errorType || len(l.Host) == len(errorHost) && strings.EqualFold(l.Host, errorHost)
}

// link returns the URL after "URL:" in the selector of type h. The prefix "URL:" may be in
// lower case, and a "/" may precede it.
func (l *menuLine) link() (text string, ok bool) {
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

// URL returns the URL of the item. The argument menu is the URL of the menu that contains the
// line. URL escapes octets of the selector where necessary. For information and error lines,
// it returns the zero URL. If no URL can identify the item, the error is l.Fault or explains
// the reason.
//
// For types 8 and T, the result is a telnet or tn3270 URL with the selector as the user. For a
// selector of type h that begins with "URL:", it is the URL after this prefix. In a gophers
// menu, an item on the menu's host and port has a gophers URL.
func (l menuLine) URL(menu URL) (locus.URL, error) {
	m := makeItemMaker(menu)
	return m.url(&l)
}

// itemMaker builds items from the lines of a menu.
type itemMaker struct {
	menu  address
	share int // size of a block of memory that the texts of several URLs share; 0 means that each text has its own memory
	texts strings.Builder
}

func makeItemMaker(menu URL) itemMaker {
	return itemMaker{menu: address{menu.url.Host(), menu.port(), menu.Secure()}}
}

// newItemMaker returns an itemMaker for menus with many lines. The texts of its URLs share
// memory.
func newItemMaker(menu URL) *itemMaker {
	m := makeItemMaker(menu)
	m.share = menuBuffer
	return &m
}

func (m *itemMaker) url(l *menuLine) (locus.URL, error) {
	kind := l.kind()
	switch {
	case l.Type == infoType || l.isError():
		return locus.URL{}, nil
	case l.Fault != nil:
		return locus.URL{}, l.Fault
	case kind == 0:
		return locus.URL{}, errNoMirror
	}
	if link, ok := l.link(); ok {
		return locus.Parse(link)
	}
	at := m.address(l)
	switch kind {
	case TypeTelnet:
		return at.session("telnet", l.Selector)
	case TypeTN3270:
		return at.session("tn3270", l.Selector)
	case TypePhone:
		return m.itemURL(at, kind, l.Selector, 0) // the CSO protocol does not support Gopher+
	}
	return m.itemURL(at, kind, l.Selector, l.Plus)
}

type address struct {
	host   string
	port   uint16
	secure bool // items have gophers URLs
}

func (m *itemMaker) address(l *menuLine) address {
	a := address{host: cmp.Or(l.Host, m.menu.host), port: l.Port}
	if l.Assumed {
		a.port = m.menu.port
	}
	a.secure = m.menu.secure && a.port == m.menu.port && sameHost(a.host, m.menu.host)
	return a
}

// sameHost reports whether two hosts are equal. It ignores a "." at the end, and the brackets
// around an IPv6 address.
func sameHost(a, b string) bool {
	return strings.EqualFold(strings.TrimSuffix(strings.Trim(a, "[]"), "."), strings.TrimSuffix(strings.Trim(b, "[]"), "."))
}

func (a address) hostText() string {
	if a.host != "" && a.host[0] != '[' && strings.IndexByte(a.host, ':') >= 0 {
		return "[" + a.host + "]"
	}
	return a.host
}

// portUnless returns the port of the address, or 0 if it is the default port.
func (a address) portUnless(defaultPort uint16) uint16 {
	if a.port == defaultPort {
		return 0
	}
	return a.port
}

// session returns the URL of an interactive service. It rejects a user that contains control
// characters, or that a program could interpret as an option.
func (a address) session(scheme, user string) (locus.URL, error) {
	parts := locus.Parts{Scheme: scheme, Host: a.hostText(), Port: a.portUnless(telnetPort)}
	if user != "" {
		if user[0] == '-' || strings.ContainsFunc(user, isControl) {
			return locus.URL{}, &lineError{"invalid login name", user}
		}
		encoded := locus.EncodeUser(user)
		parts.User = &encoded
	}
	return parts.URL()
}

func isControl(r rune) bool { return r < ' ' || r >= 0x7F && r < 0xA0 }

// itemURL returns the URL of a gopher item. The result is the same as that of [Parts.URL]. For
// common items, itemURL builds the text of the URL directly, which is faster. If a parser
// could interpret the text differently, itemURL calls Parts.URL.
func (m *itemMaker) itemURL(at address, kind byte, selector string, plus byte) (locus.URL, error) {
	var room [256]byte
	if text, ok := at.appendItem(room[:0], kind, selector, plus); ok {
		u, err := locus.Parse(m.keep(text))
		if err == nil && at.host != "" && u.Host() == at.host && u.Facts().Has(locus.NoUser) {
			return u, nil
		}
	}
	parts := Parts{Secure: at.secure, Host: at.hostText(), Port: at.portUnless(Port), Type: kind, Selector: selector}
	if plus != 0 {
		text := string([]byte{plus})
		parts.Plus = &text
	}
	g, err := parts.URL()
	return g.url, err
}

// appendItem appends the text of an item's URL. If a request cannot contain the selector, ok
// is false.
func (a address) appendItem(b []byte, kind byte, selector string, plus byte) (text []byte, ok bool) {
	scheme := name + "://"
	if a.secure {
		scheme = secureName + "://"
	}
	b = append(append(b, scheme...), a.host...)
	if port := a.portUnless(Port); port != 0 {
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

// isPlain reports whether the type and selector need no escapes in a URL.
func isPlain(kind byte, selector string) bool {
	all := octet.All(selector)
	return all&octet.Xchar != 0 && all&octet.Literal != 0 && octet.Is(kind, octet.Unreserved) &&
		(kind != TypeSearch || strings.IndexByte(selector, '?') < 0)
}

// appendTypeSelector appends the type and selector, escaped in the same way as in [Parts.URL].
func appendTypeSelector(b []byte, kind byte, selector string) []byte {
	keep := escape.Xchar()
	b = escape.AppendEncode(b, []byte{kind}, keep)
	if kind == TypeSearch {
		keep = keep.Without("?")
	}
	return escape.AppendEncode(b, selector, keep)
}

// keep converts text to a string. If m.share is not 0, the string shares memory with other
// strings.
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

// Item converts the line to an item of the given menu. If the line is not a link, the item has
// no URL, and the item's Note explains the reason.
func (l menuLine) Item(menu URL) scheme.Item {
	m := makeItemMaker(menu)
	return m.item(&l)
}

func (m *itemMaker) item(l *menuLine) (item scheme.Item) {
	item = scheme.Item{Title: l.Name, Kind: l.itemKind(), Size: -1}
	var err error
	item.URL, err = m.url(l)
	switch {
	case err != nil:
		item.URL, item.Note = locus.URL{}, note(err)
	case l.Assumed && !l.isError():
		item.Note = "the line has no host and port: the menu's host and port are used"
	}
	switch item.Kind {
	case scheme.KindObject, scheme.KindMenu, scheme.KindSearch, scheme.KindForm:
		item.Type = itemType(l.kind(), l.Selector)
	}
	if l.Fault == errNoFields {
		// An invalid line has no type, so the title includes the first octet of the line.
		item.Title = string([]byte{l.Type}) + l.Name
		item.Kind, item.Type = scheme.KindUnknown, ""
	}
	return item
}

// note returns the message of err, without the full text of an invalid URL.
func note(err error) string {
	var e *locus.SyntaxError
	if errors.As(err, &e) {
		return "invalid URL: " + e.Err.Error()
	}
	return err.Error()
}

func (l *menuLine) itemKind() scheme.ItemKind {
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

// Limits bounds the data that a client accepts from a server. A zero field selects the
// default.
type Limits struct {
	Line   int   // maximum length of a line in bytes; 0 means 64 KiB
	Items  int   // maximum number of lines in a menu; 0 means 4 Mi
	Octets int64 // maximum size of a reply in bytes; 0 means 512 MiB for a menu, 16 MiB otherwise
}

// These are the default limits.
const (
	maxLine  = 64 << 10
	maxItems = 4 << 20
	maxMenu  = 512 << 20
)

// orDefault returns the limits with defaults for zero fields. The argument octets is the
// default for the field Octets. The receiver may be nil.
func (l *Limits) orDefault(octets int64) Limits {
	var set Limits
	if l != nil {
		set = *l
	}
	return Limits{
		Line:   cmp.Or(max(set.Line, 0), maxLine),
		Items:  cmp.Or(max(set.Items, 0), maxItems),
		Octets: cmp.Or(max(set.Octets, 0), octets),
	}
}

// menuReader reads the lines of a menu as they arrive.
type menuReader struct {
	r      io.Reader
	limits Limits // limits for the menu, without zero fields

	block   string // whole lines that the reader has read
	pos, lf int    // indexes in block of the next line and of its LF; without an LF, lf is the end of block
	buf     []byte // bytes read after block
	end     int    // number of bytes in buf

	used       int64 // number of bytes read so far
	items      int
	before     menuState
	err        error // the error to return after block and buf
	terminated bool
}

// menuBuffer is the size of the read buffer. It is small because the lines in a block share
// their memory.
const menuBuffer = 4 << 10

// newMenuReader returns a menuReader for the menu in r. The menuReader may read ahead. If
// limits is nil, the default limits apply.
func newMenuReader(r io.Reader, limits *Limits) *menuReader {
	return &menuReader{r: r, limits: limits.orDefault(maxMenu), buf: make([]byte, menuBuffer)}
}

// Next returns the next line of the menu. At the end of the menu, the error is io.EOF. The
// menu ends at a line that contains only a dot, or at the end of the connection. If the menu
// exceeds a limit, the error wraps [scheme.ErrTooLarge]. Any other error wraps the error of
// the reader. The lines before an error are valid.
//
// Lines end with CR LF, LF or CR. Next skips empty lines. The texts of a line may share memory
// with the texts of neighboring lines. Therefore, a caller that retains only a few of many
// lines should clone the texts of these lines.
func (m *menuReader) Next() (l menuLine, err error) {
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
	case l.Type == 0 || l.Type == infoType || l.isError():
	case l.Type != mirrorType:
		m.before.item = l.Type
	case m.before.item == 0 && l.Fault == nil:
		l.Fault = errNoMirror
	}
	return l, nil
}

// infoPrefix is the text before an item's menu line in attributes.
const infoPrefix = "+INFO: "

// line returns the next nonempty line, without its line ending.
func (m *menuReader) line() (string, error) {
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
				next = m.pos + cr + 1 // the line ends with CR without LF
			}
			line = line[:cr]
		}
		m.used += int64(next - m.pos)
		m.pos = next
		switch {
		case len(line) > m.limits.Line:
			return "", m.longLine()
		case m.used > m.limits.Octets:
			return "", m.fail(fmt.Errorf("%w: the menu has more than %d bytes", scheme.ErrTooLarge, m.limits.Octets))
		case line != "":
			return line, nil
		}
	}
}

func (m *menuReader) longLine() error {
	return m.fail(fmt.Errorf("%w: line %d of the menu has more than %d bytes", scheme.ErrTooLarge, m.items+1, m.limits.Line))
}

// fail ends the menu with the error err. It discards the lines that Next has not yet returned.
func (m *menuReader) fail(err error) error {
	m.err, m.block, m.pos, m.lf, m.end = err, "", 0, -1, 0
	return err
}

// fill reads until buf contains a whole line. It then moves all whole lines to block.
func (m *menuReader) fill() error {
	for {
		if m.err == io.EOF && m.end > 0 {
			m.cut(m.end) // the last line may lack a line ending
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

// lastEnd returns the index after the last CR or LF in octets, or 0 if there is none.
func lastEnd(octets []byte) int {
	end := bytes.LastIndexByte(octets, '\n') + 1
	if cr := bytes.LastIndexByte(octets[end:], '\r') + 1; cr > 0 {
		end += cr
	}
	return end
}

// cut moves the first size bytes of buf to block.
func (m *menuReader) cut(size int) {
	m.block, m.pos, m.lf = string(m.buf[:size]), 0, -1
	m.end = copy(m.buf, m.buf[size:m.end])
}

// readSome reads at least one byte. If r repeatedly returns no data, readSome fails.
func readSome(r io.Reader, p []byte) (int, error) {
	const tries = 100
	for range tries {
		if n, err := r.Read(p); n > 0 || err != nil {
			return n, err
		}
	}
	return 0, io.ErrNoProgress
}
