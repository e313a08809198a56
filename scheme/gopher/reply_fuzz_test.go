package gopher

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// pieces returns a reader that returns text in pieces. The value of seed determines the sizes,
// and whether the reader returns io.EOF together with the last piece.
func pieces(text string, seed uint64) io.Reader {
	r := &piecemeal{[]byte(text), rand.New(rand.NewPCG(seed, 0))}
	if seed%2 == 0 {
		return r
	}
	return iotest.DataErrReader(r)
}

// slowMenu is a simple reference implementation of menuReader. Its lines have a Fault, but not
// the exact error.
func slowMenu(text string) (lines []menuLine, terminated bool) {
	before := byte(0)
	for _, s := range regexp.MustCompile("[\r\n]+").Split(text, -1) {
		if s == "" {
			continue
		}
		if s == "." {
			return lines, true
		}
		l := slowLine(s, before)
		isError := strings.EqualFold(l.Host, "error.host")
		if l.Type == '+' && l.Mirrors == 0 && l.Fault == nil && !isError {
			l.Fault = errFault
		}
		if l.Type != 0 && l.Type != 'i' && l.Type != '3' && l.Type != '+' && !isError {
			before = l.Type
		}
		lines = append(lines, l)
	}
	return lines, false
}

var errFault = errors.New("a fault")

func slowLine(s string, before byte) (l menuLine) {
	fields := strings.Split(s, "\t")
	if fields[0] == "" || fields[0][0] == 0 {
		return menuLine{Name: fields[0], Fault: errFault}
	}
	l.Type, l.Name = fields[0][0], fields[0][1:]
	if l.Type == 'i' || l.Type == '3' {
		return l
	}
	if len(fields) == 1 {
		l.Fault = errFault
		return l
	}
	l.Selector = fields[1]
	fields = append(fields, "", "", "")
	l.Host = strings.Trim(fields[2], " ")
	if fields[4] == "+" || fields[4] == "?" {
		l.Plus = fields[4][0]
	}
	kind := l.Type
	if l.Type == '+' {
		l.Mirrors, kind = before, before
	}
	if kind == 'h' && regexp.MustCompile("(?i)^/?URL:").MatchString(l.Selector) {
		return l
	}
	session := kind == '8' || kind == 'T'
	l.Assumed = len(fields) == 2+3
	badSelector := strings.ContainsAny(l.Selector, "\x00")
	badHost := regexp.MustCompile(`[\x00-\x20\x7f/\\?#@"<>]`).MatchString(l.Host)
	switch port := strings.Trim(fields[3], " "); {
	case badSelector || badHost || l.Assumed && session:
		l.Fault = errFault
	case l.Assumed:
	case port == "" && session:
		l.Port = 23
	case port == "":
		l.Port = 70
	default:
		n, err := strconv.ParseUint(port, 10, 16)
		if err != nil || n == 0 {
			l.Fault = errFault
		} else {
			l.Port = uint16(n)
		}
	}
	return l
}

// slowURL returns the URL of a line, built with Parts.
func slowURL(l menuLine, menu URL) (u locus.URL, ok bool) {
	kind := l.Type
	if kind == '+' {
		kind = l.Mirrors
	}
	if kind == 'i' || kind == '3' || strings.EqualFold(l.Host, "error.host") || l.Fault != nil || kind == 0 {
		return locus.URL{}, false
	}
	if link := regexp.MustCompile("(?is)^/?URL:(.*)$").FindStringSubmatch(l.Selector); kind == 'h' && link != nil {
		u, err := locus.Parse(l.Selector[len(l.Selector)-len(link[1]):])
		return u, err == nil
	}
	ownHost := menu.URL().Host()
	ownPort, written := menu.URL().Port()
	if !written {
		ownPort = 70
	}
	host, port := l.Host, l.Port
	if host == "" {
		host = ownHost
	} else if strings.Contains(host, ":") && host[0] != '[' {
		host = "[" + host + "]"
	}
	if l.Assumed {
		port = ownPort
	}
	if kind == '8' || kind == 'T' {
		p := locus.Parts{Scheme: map[byte]string{'8': "telnet", 'T': "tn3270"}[kind], Host: host, Port: port}
		if port == 23 {
			p.Port = 0
		}
		if strings.HasPrefix(l.Selector, "-") || strings.ContainsFunc(l.Selector, unicode.IsControl) {
			return locus.URL{}, false
		}
		if l.Selector != "" {
			p.User = new(locus.EncodeUser(l.Selector))
		}
		u, err := p.URL()
		return u, err == nil
	}
	same := strings.EqualFold(strings.TrimSuffix(host, "."), strings.TrimSuffix(ownHost, "."))
	p := Parts{Secure: menu.Secure() && same && port == ownPort, Host: host, Port: port, Type: kind, Selector: l.Selector}
	if port == 70 {
		p.Port = 0
	}
	if l.Plus != 0 && kind != '2' {
		p.Plus = new(string(rune(l.Plus)))
	}
	g, err := p.URL()
	return g.URL(), err == nil
}

func FuzzMenu(f *testing.F) {
	for _, c := range captures(f) {
		f.Add(string(c.s2c), uint64(1))
	}
	for _, text := range []string{
		rfc1436Menu, string(typicalMenu), "0a\r\r\n\t\t\t\t\r", "..\r\n.\n", "+a\ts\th\t70\r\n8b\tu\th\t\r\n+c\tu\tm\t\r\n+d\tu\r\n",
		"1a\ts\t::1\t70\r\n1b\ts\t[::1\t70\r\n1c\ts\th:1\t70\r\n1d\t#?%\x7f\xff\th\t 7 \t?\t", "7a\ts?x\th%41\t70\t+\n<a\tb\t_\t1",
		"1a\ts\th.\t070\n1b\ts\tH\t71\n1c\ts\n1d\ts\t\t\nhe\tURL:\nhf\t/uRl:http://x/\n", "1a\tb\x00\th\n1a\tb\th\x00\n", "+INFO: \r\n+INFO: 0a\tb",
		"0a\ts\terror.host\t1\n+b\ts\th\t70", "8\t-x\th\n8\t\x01\th\n8\t\xff\th\nT\t\u0085\th\n",
	} {
		f.Add(text, uint64(2))
	}
	f.Fuzz(checkMenu)
}

// TestRandomMenus checks menus that consist of random octets, most of which have a special
// meaning.
func TestRandomMenus(t *testing.T) {
	tokens := strings.Split("\t \t \t \t \t \t \t \r \n \r\n \r\n 0 1 2 7 8 T h i 3 + < % URL: /url: http://x/ h h.example H. :: ::1 [::1] [ ] : 70 71 0 99999 . .. ? # @ / \\ - _ %41 \x00 \x7f \xff \x1b a é error.host fake +INFO:", " ")
	tokens = append(tokens, " ", "+INFO: ", "\r\n1a\tsel\th\t", "\n+b\tsel\tm\t71\t", "\r\n0c\ts\t")
	random := rand.New(rand.NewPCG(1, 2))
	for range 20000 {
		text := ""
		for range random.IntN(30) {
			text += tokens[random.IntN(len(tokens))]
		}
		checkMenu(t, text, random.Uint64())
	}
}

// checkMenu compares menuReader with slowMenu.
func checkMenu(t *testing.T, text string, seed uint64) {
	menus := []string{"gopher://h/1", "gophers://h:71/1x", "gophers://[::1]/", "gopher://Own.example.:7070"}
	menu := mustURL(t, menus[seed%uint64(len(menus))])
	maker := newItemMaker(menu)
	want, terminated := slowMenu(text)
	m := newMenuReader(pieces(text, seed), nil)
	for i := 0; ; i++ {
		l, err := m.Next()
		if err == io.EOF {
			if i != len(want) || m.terminated != terminated {
				t.Fatalf("%q: %d lines, terminated %v, want %d, %v", text, i, m.terminated, len(want), terminated)
			}
			return
		}
		if err != nil || i == len(want) {
			t.Fatalf("%q: line %d of %d: %+v, %v", text, i, len(want), l, err)
		}
		same := l
		if l.Fault != nil {
			same.Fault = errFault
			want[i].Port, same.Port = 0, 0
		}
		if same != want[i] {
			t.Fatalf("%q: line %d: %+v, want %+v", text, i, l, want[i])
		}
		checkItem(t, l, menu, maker)
	}
}

// checkItem compares the item for l with slowURL, and checks properties that every item must
// have.
func checkItem(t *testing.T, l menuLine, menu URL, maker *itemMaker) {
	item := l.Item(menu)
	u, err := l.URL(menu)
	want, ok := slowURL(l, menu)
	if u != want || u.IsZero() == ok {
		t.Fatalf("%+v: %q, %v, want %q", l, u, err, want)
	}
	if item.URL != u || (err != nil) != (u.IsZero() && item.Kind != scheme.KindInfo && item.Kind != scheme.KindError) {
		t.Fatalf("%+v: %+v, and the URL %q, %v", l, item, u, err)
	}
	if shared := maker.item(&l); !reflect.DeepEqual(shared, item) {
		t.Fatalf("%+v: %+v, and in shared memory %+v", l, item, shared)
	}
	if err != nil && item.Note == "" || !utf8.ValidString(item.Note) || strings.ContainsFunc(item.Note, unicode.IsControl) {
		t.Fatalf("%+v: %v, note %q", l, err, item.Note)
	}
	if u.Scheme() != "gopher" && u.Scheme() != "gophers" || item.Kind == scheme.KindUnknown && l.kind() == TypeHTML {
		return
	}
	g, err := Parse(u)
	if err != nil || g.Type() != l.kind() || g.Selector() != l.Selector {
		t.Fatalf("%+v: type %c, selector %q, %v", l, g.Type(), g.Selector(), err)
	}
	if plus, ok := g.Plus(); ok != (l.Plus != 0 && l.kind() != TypePhone) || ok && plus != string([]byte{l.Plus}) {
		t.Fatalf("%+v: Gopher+ string %q", l, plus)
	}
}

func FuzzText(f *testing.F) {
	for _, c := range captures(f) {
		f.Add(string(c.s2c), uint64(1))
	}
	for _, text := range []string{"", ".", ".\r", "a\n.\n", "..\r\n.\r\n", ".\r.\n..", "\n.\n.\r\n.x", "...\n....\r\n. \n"} {
		f.Add(text, uint64(2))
	}
	f.Fuzz(checkText)
}

// TestAllShortTexts checks all texts of up to six octets from a small set of octets with a
// special meaning.
func TestAllShortTexts(t *testing.T) {
	var grow func(text string)
	grow = func(text string) {
		checkText(t, text, uint64(len(text)))
		if len(text) < 6 {
			for _, c := range ".\r\na" {
				grow(text + string(c))
			}
		}
	}
	grow("")
}

// checkText compares textBody and htmlBody with slowText.
func checkText(t *testing.T, text string, seed uint64) {
	for _, mode := range []struct{ strict, html bool }{{false, false}, {true, false}, {false, true}} {
		want := slowText(text, mode.strict, mode.html)
		body := textReader(pieces(text, seed), mode.strict, mode.html)
		var got []byte
		p := make([]byte, 1+seed%7)
		for {
			n, err := body.Read(p)
			got = append(got, p[:n]...)
			if err == io.EOF {
				break
			} else if err != nil || n == 0 {
				t.Fatalf("%q: %d, %v", text, n, err)
			}
		}
		if string(got) != want {
			t.Fatalf("%q strict %v html %v: %q, want %q", text, mode.strict, mode.html, got, want)
		}
	}
}

// headerLine is a regular expression that matches a header.
var headerLine = regexp.MustCompile(`^([+-]) *(-?[0-9]+) *\r?\n`)

func FuzzHeader(f *testing.F) {
	for _, c := range captures(f) {
		f.Add(string(c.s2c), uint64(1))
	}
	for _, text := range []string{"", "+", "-", "+-", "+-1\r", "+-3\n", "--2\nx", "+ 12 \r\nx", "+99999999999999999999\n", "+-1\rx", "-- 1\n", "+1                                  \n"} {
		f.Add(text, uint64(2))
	}
	f.Fuzz(func(t *testing.T, text string, seed uint64) {
		r := bufio.NewReader(pieces(text, seed))
		h, err := readHeader(r)
		found := headerLine.FindStringSubmatch(text)
		if found != nil && len(found[0]) > maxHeader {
			found = nil
		}
		if err != nil {
			cut := len(text) < maxHeader && strings.IndexByte(text, '\n') < 0
			if !errors.Is(err, scheme.ErrProtocol) || errors.Is(err, io.ErrUnexpectedEOF) != cut || !cut && found == nil {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		rest, _ := io.ReadAll(r)
		if h.Plus != (found != nil) || !h.Plus && string(rest) != text {
			t.Fatalf("%q: %+v, rest %q", text, h, rest)
		}
		if !h.Plus {
			return
		}
		n, _ := strconv.ParseInt(found[2], 10, 64)
		if h.Length != n || h.Length < lengthClose || h.Failed != (found[1] == "-") || found[0]+string(rest) != text {
			t.Fatalf("%q: %+v, rest %q", text, h, rest)
		}
		body, err := io.ReadAll(h.Body(bytes.NewReader(rest), false))
		if n >= 0 && (err == nil) != (int64(len(rest)) >= n) || n >= 0 && !bytes.HasPrefix(rest, body) || err == nil && n >= 0 && int64(len(body)) != n {
			t.Fatalf("%q: body %q, %v", text, body, err)
		}
	})
}

func FuzzFailure(f *testing.F) {
	for _, text := range []string{"", "1 A <a@b>\r\nGone\r\n", "2", "3 1a\tb\tc\t70\r\nmoved", "3 x\n+INFO: 0a\tb\tc\n", "9\x1b[2J", "3\n+\t\n", "3Gone\t\t\t\r\n.\r\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		err := readFailure(strings.NewReader(text))
		e := new(ReplyError)
		if !errors.As(err, &e) || e.Code < CodeNone || e.Code > CodeMoved || (e.moved != nil) && (e.Code != CodeMoved || e.moved.Fault != nil) {
			t.Fatalf("%q: %+v", text, err)
		}
		for _, err := range []error{err, plainError([]byte(text))} {
			if err == nil {
				continue
			}
			says := err.Error()
			if len(says) > 2000 || strings.ContainsFunc(says, func(r rune) bool { return r < ' ' || r > '~' }) {
				t.Fatalf("%q: %q", text, says)
			}
			if errors.Is(err, scheme.ErrNotFound) == errors.Is(err, scheme.ErrUnreachable) {
				t.Fatalf("%q: %v is of no kind", text, err)
			}
		}
	})
}
