package gopher

import (
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"runtime"
	"strings"
	"testing"
	"testing/iotest"
	"unicode"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// readMenu reads all lines of a menu.
func readMenu(t testing.TB, text string) (lines []menuLine, terminated bool) {
	t.Helper()
	m := newMenuReader(strings.NewReader(text), nil)
	for {
		l, err := m.Next()
		if err == io.EOF {
			return lines, m.terminated
		} else if err != nil {
			t.Fatalf("%q: %v", text, err)
		}
		lines = append(lines, l)
	}
}

// rfc1436Menu is the reply to an empty line in RFC 1436 section 2.
const rfc1436Menu = "0About internet Gopher\tStuff:About us\trawBits.micro.umn.edu\t70\r\n" +
	"1Around University of Minnesota\tZ,5692,AUM\tunderdog.micro.umn.edu\t70\r\n" +
	"1Microcomputer News & Prices\tPrices/\tpserver.bookstore.umn.edu\t70\r\n" +
	"1Courses, Schedules, Calendars\t\tevents.ais.umn.edu\t9120\r\n" +
	"1Student-Staff Directories\t\tuinfo.ais.umn.edu\t70\r\n" +
	"1Departmental Publications\tStuff:DP:\trawBits.micro.umn.edu\t70\r\n" +
	".\r\n"

func TestRFC1436Menu(t *testing.T) {
	lines, terminated := readMenu(t, rfc1436Menu)
	want := []menuLine{
		{Type: '0', Name: "About internet Gopher", Selector: "Stuff:About us", Host: "rawBits.micro.umn.edu", Port: 70},
		{Type: '1', Name: "Around University of Minnesota", Selector: "Z,5692,AUM", Host: "underdog.micro.umn.edu", Port: 70},
		{Type: '1', Name: "Microcomputer News & Prices", Selector: "Prices/", Host: "pserver.bookstore.umn.edu", Port: 70},
		{Type: '1', Name: "Courses, Schedules, Calendars", Host: "events.ais.umn.edu", Port: 9120},
		{Type: '1', Name: "Student-Staff Directories", Host: "uinfo.ais.umn.edu", Port: 70},
		{Type: '1', Name: "Departmental Publications", Selector: "Stuff:DP:", Host: "rawBits.micro.umn.edu", Port: 70},
	}
	if !reflect.DeepEqual(lines, want) || !terminated {
		t.Errorf("%+v, terminated %v", lines, terminated)
	}
	menu := mustURL(t, "gopher://rawBits.micro.umn.edu/")
	for i, text := range []string{
		"gopher://rawBits.micro.umn.edu/0Stuff:About%20us",
		"gopher://underdog.micro.umn.edu/1Z,5692,AUM",
		"gopher://pserver.bookstore.umn.edu/1Prices/",
		"gopher://events.ais.umn.edu:9120/1",
		"gopher://uinfo.ais.umn.edu/1",
		"gopher://rawBits.micro.umn.edu/1Stuff:DP:",
	} {
		if u, err := lines[i].URL(menu); err != nil || u.String() != text {
			t.Errorf("%v, %v, want %s", u, err, text)
		}
	}
}

// TestMenuEnds checks the ends of lines and of menus.
func TestMenuEnds(t *testing.T) {
	for _, c := range []struct {
		text       string
		names      string
		terminated bool
	}{
		{"", "", false},
		{".", "", true},
		{".\r\n", "", true},
		{"\r\n\n\r.\r\n", "", true},
		{"ia\r\nib\r\n.\r\n", "a b", true},
		{"ia\nib\n.\n", "a b", true},
		{"ia\rib\r.\r", "a b", true},
		{"ia\r\r\nib\r\r\n.\r\r\n", "a b", true},
		{"ia\r\n\r\nib\n\ric", "a b c", false},
		{"ia\rib\nic\r\n", "a b c", false},
		{"ia\r\nib\r\n.", "a b", true},
		{"ia\r\nib", "a b", false},
		{"ia\r\n.\r\nib\r\n", "a", true},
		{"ia\n.\rib", "a", true},
		{"ia\r\n..\r\n. \r\n.\tx\r\nib\r\n", "a .    b", false}, // these lines are items of type "."
	} {
		for name, r := range map[string]io.Reader{
			"at once":       strings.NewReader(c.text),
			"one by one":    iotest.OneByteReader(strings.NewReader(c.text)),
			"data and EOF":  iotest.DataErrReader(strings.NewReader(c.text)),
			"now and then":  &hesitant{text: c.text},
			"by halves":     iotest.HalfReader(strings.NewReader(c.text)),
			"with the rest": io.MultiReader(strings.NewReader(c.text), strings.NewReader("")),
		} {
			m := newMenuReader(r, nil)
			var names []string
			l, err := m.Next()
			for ; err == nil; l, err = m.Next() {
				names = append(names, l.Name)
			}
			if got := strings.Join(names, " "); got != c.names || m.terminated != c.terminated || err != io.EOF {
				t.Errorf("%q %s: %q, terminated %v, %v", c.text, name, got, m.terminated, err)
			}
			if _, err := m.Next(); err != io.EOF {
				t.Errorf("%q %s: the end does not last: %v", c.text, name, err)
			}
		}
	}
}

// hesitant is a reader that returns no data at every other call of Read.
type hesitant struct {
	text string
	now  bool
}

func (h *hesitant) Read(p []byte) (int, error) {
	if h.now = !h.now; !h.now {
		return 0, nil
	}
	if h.text == "" {
		return 0, io.EOF
	}
	n := copy(p[:1], h.text)
	h.text = h.text[n:]
	return n, nil
}

func TestParseLine(t *testing.T) {
	for _, c := range []struct {
		line  string
		want  menuLine
		fault string
	}{
		{"1Docs\t/docs\th\t70", menuLine{Type: '1', Name: "Docs", Selector: "/docs", Host: "h", Port: 70}, ""},
		{"0A  b\t  s el \th\t70", menuLine{Type: '0', Name: "A  b", Selector: "  s el ", Host: "h", Port: 70}, ""},
		{"0caf\xe9\tcaf\xe9\th\t70", menuLine{Type: '0', Name: "caf\xe9", Selector: "caf\xe9", Host: "h", Port: 70}, ""},
		{"0\t\th\t70", menuLine{Type: '0', Host: "h", Port: 70}, ""},
		{"0a#040b\ta#040b\th\t70", menuLine{Type: '0', Name: "a#040b", Selector: "a#040b", Host: "h", Port: 70}, ""},

		// These lines have various ports.
		{"1a\ts\th\t 7070 ", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 7070}, ""},
		{"1a\ts\th\t0070", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 70}, ""},
		{"1a\ts\th\t65535", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 65535}, ""},
		{"1a\ts\th\t", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 70}, ""},
		{"1a\ts\th\t  ", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 70}, ""},
		{"1a\ts\th", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 70}, ""},
		{"8a\ts\th\t", menuLine{Type: '8', Name: "a", Selector: "s", Host: "h", Port: 23}, ""},
		{"Ta\ts\th", menuLine{Type: 'T', Name: "a", Selector: "s", Host: "h", Port: 23}, ""},
		{"1a\ts\th\t0", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h"}, `invalid port: "0"`},
		{"1a\ts\th\t000", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h"}, `invalid port: "000"`},
		{"1a\ts\th\t65536", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h"}, `invalid port: "65536"`},
		{"1a\ts\th\t99999", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h"}, `invalid port: "99999"`},
		{"1a\ts\th\t18446744073709551686", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h"}, `invalid port: "18446744073709551686"`},
		{"1a\ts\th\t70x", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h"}, `invalid port: "70x"`},
		{"1a\ts\th\t7 0", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h"}, `invalid port: "7 0"`},
		{"1a\ts\th\t-70", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h"}, `invalid port: "-70"`},
		{"1a\ts\th\t+70", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h"}, `invalid port: "+70"`},
		{"1a\ts\th\t0x46", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h"}, `invalid port: "0x46"`},
		{"1a\ts\th\t(NULL)", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h"}, `invalid port: "(NULL)"`},

		// These lines have various hosts.
		{"1a\ts\t h \t70", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 70}, ""},
		{"1a\ts\t\t7070", menuLine{Type: '1', Name: "a", Selector: "s", Port: 7070}, ""},
		{"1a\ts\t\t", menuLine{Type: '1', Name: "a", Selector: "s", Port: 70}, ""},
		{"1a\ts\t::1\t70", menuLine{Type: '1', Name: "a", Selector: "s", Host: "::1", Port: 70}, ""},
		{"1a\ts\t[::1]\t70", menuLine{Type: '1', Name: "a", Selector: "s", Host: "[::1]", Port: 70}, ""},
		{"1a\ts\th h\t70", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h h"}, `invalid host: "h h"`},
		{"1a\ts\th\rx\t70", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h\rx"}, `invalid host: "h\rx"`},
		{"1a\ts\th\x1b[2J\t70", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h\x1b[2J"}, `invalid host: "h\x1b[2J"`},
		{"1a\ts\th\x00\t70", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h\x00"}, `invalid host: "h\x00"`},
		{"1a\ts\tu@h\t70", menuLine{Type: '1', Name: "a", Selector: "s", Host: "u@h"}, `invalid host: "u@h"`},
		{"1a\ts\th/x\t70", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h/x"}, `invalid host: "h/x"`},
		{"1a\ts\th\\x\t70", menuLine{Type: '1', Name: "a", Selector: "s", Host: `h\x`}, `invalid host: "h\\x"`},

		// These lines have five or more fields.
		{"1a\ts\th\t70\t+", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 70, Plus: '+'}, ""},
		{"1a\ts\th\t70\t?", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 70, Plus: '?'}, ""},
		{"1a\ts\th\t70\t+\tmore\tstill more", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 70, Plus: '+'}, ""},
		{"1a\ts\th\t70\t\t+", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 70}, ""},
		{"1a\ts\th\t70\t++", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 70}, ""},
		{"1a\ts\th\t70\tx", menuLine{Type: '1', Name: "a", Selector: "s", Host: "h", Port: 70}, ""},

		// These lines have too few fields.
		{"1a\ts", menuLine{Type: '1', Name: "a", Selector: "s", Assumed: true}, ""},
		{"0Hit one\t/about.txt", menuLine{Type: '0', Name: "Hit one", Selector: "/about.txt", Assumed: true}, ""},
		{"8a\ts", menuLine{Type: '8', Name: "a", Selector: "s", Assumed: true}, "the line has no host"},
		{"1a", menuLine{Type: '1', Name: "a"}, "the line has no selector"},
		{"1", menuLine{Type: '1'}, "the line has no selector"},
		{"\ta\tb\tc", menuLine{}, "the line has no type"},
		{"\x00a\ts\th\t70", menuLine{Name: "\x00a"}, "the line has no type"},
		{"\t", menuLine{}, "the line has no type"},

		// In information and error lines, only the text matters.
		{"iText", menuLine{Type: 'i', Name: "Text"}, ""},
		{"i", menuLine{Type: 'i'}, ""},
		{"iText\tTITLE\tnull.host\t1", menuLine{Type: 'i', Name: "Text"}, ""},
		{"iText\tfake\t(NULL)\t0", menuLine{Type: 'i', Name: "Text"}, ""},
		{"3'/x' does not exist!!\t\terror.host\t1", menuLine{Type: '3', Name: "'/x' does not exist!!"}, ""},
		{"3Gone\t\x00\t/\t99999\t+", menuLine{Type: '3', Name: "Gone"}, ""},

		// A "URL:" link needs neither host nor port.
		{"hWeb\tURL:http://x/\t(NULL)\t0", menuLine{Type: 'h', Name: "Web", Selector: "URL:http://x/", Host: "(NULL)"}, ""},
		{"hWeb\t/url:http://x/", menuLine{Type: 'h', Name: "Web", Selector: "/url:http://x/"}, ""},
		{"hWeb\tURL\th\t0", menuLine{Type: 'h', Name: "Web", Selector: "URL", Host: "h"}, `invalid port: "0"`},

		// These selectors contain octets that a request cannot contain.
		{"0a\ts\x00t\th\t70", menuLine{Type: '0', Name: "a", Selector: "s\x00t", Host: "h"}, `a selector can't contain CR, LF or NUL: "s\x00t"`},
		{"0a\ts\r\nt\th\t70", menuLine{Type: '0', Name: "a", Selector: "s\r\nt", Host: "h", Port: 70}, `a selector can't contain CR, LF or NUL: "s\r\nt"`},
	} {
		got, ok := parseLine([]byte(c.line))
		fault := got.Fault
		got.Fault = nil
		if !ok || got != c.want {
			t.Errorf("%q\n got %+v\nwant %+v", c.line, got, c.want)
		}
		switch {
		case fault == nil && c.fault == "":
		case fault == nil || fault.Error() != c.fault || !errors.Is(fault, scheme.ErrProtocol):
			t.Errorf("%q: fault %v, want %q", c.line, fault, c.fault)
		}
	}
	if l, ok := parseLine(nil); ok || l != (menuLine{}) {
		t.Errorf("an empty line: %+v", l)
	}
}

func TestItem(t *testing.T) {
	const (
		object, menu, search, form   = scheme.KindObject, scheme.KindMenu, scheme.KindSearch, scheme.KindForm
		session, info, bad, unknown_ = scheme.KindSession, scheme.KindInfo, scheme.KindError, scheme.KindUnknown
		assumed                      = "the line has no host and port: the menu's host and port are used"
	)
	for _, c := range []struct {
		line      string
		url       string
		kind      scheme.ItemKind
		mediaType string
		note      string
	}{
		{"0a\t/a.html\th\t70", "gopher://h/0/a.html", object, "text/plain", ""},
		{"1a\ts\th\t70", "gopher://h/1s", menu, "application/gopher-menu", ""},
		{"1a\ts\th\t7070\t+", "gopher://h:7070/1s%09%09+", menu, "application/gopher-menu", ""},
		{"2a\t\th\t105", "gopher://h:105/2", search, "", ""},
		{"2a\t\th\t105\t+", "gopher://h:105/2", search, "", ""},
		{"4a\ts\th\t70", "gopher://h/4s", object, "application/mac-binhex40", ""},
		{"5a\ta.zip\th\t70", "gopher://h/5a.zip", object, "application/zip", ""},
		{"6a\ts\th\t70", "gopher://h/6s", object, "text/x-uuencode", ""},
		{"7a\ts?x\th\t70", "gopher://h/7s%3Fx", search, "application/gopher-menu", ""},
		{"7a\ts\th\t70\t+", "gopher://h/7s%09%09+", search, "application/gopher-menu", ""},
		{"9a\tdir/a.tar\th\t70", "gopher://h/9dir/a.tar", object, "application/x-tar", ""},
		{"9a\ts\th\t70", "gopher://h/9s", object, "", ""},
		{"ga\ta.png\th\t70", "gopher://h/ga.png", object, "image/gif", ""},
		{"Ia\ta.png\th\t70", "gopher://h/Ia.png", object, "image/png", ""},
		{"ha\t/a.txt\th\t70", "gopher://h/h/a.txt", object, "text/html", ""},
		{"sa\ta.wav\th\t70", "gopher://h/sa.wav", object, "audio/wav", ""},
		{"da\ta.pdf\th\t70", "gopher://h/da.pdf", object, "application/pdf", ""},
		{"Pa\ts\th\t70", "gopher://h/Ps", object, "application/pdf", ""},
		{"Pa\ts.ps\th\t70", "gopher://h/Ps.ps", object, "application/postscript", ""},
		{"Ma\tbox\th\t70", "gopher://h/Mbox", object, "message/rfc822", ""},
		{"Ma\tbox.txt\th\t70", "gopher://h/Mbox.txt", object, "text/plain", ""},
		{":a\ta.bmp\th\t70", "gopher://h/:a.bmp", object, "image/bmp", ""},
		{";a\ta.mov\th\t70", "gopher://h/;a.mov", object, "video/quicktime", ""},
		{"<a\ta.mp3\th\t70", "gopher://h/%3Ca.mp3", object, "audio/mpeg", ""},
		{"xa\ta.xml\th\t70", "gopher://h/xa.xml", unknown_, "", ""},
		{".a\ts\th\t70", "gopher://h/.s", unknown_, "", ""},
		{"%a\ts\th\t70", "gopher://h/%25s", unknown_, "", ""},
		{"\xe9a\ts\th\t70", "gopher://h/%E9s", unknown_, "", ""},
		{"0a\ts\th\t70\t?", "gopher://h/0s%09%09?", form, "text/plain", ""},
		{"7a\ts\th\t70\t?", "gopher://h/7s%09%09?", form, "application/gopher-menu", ""},

		// These lines have various selectors.
		{"0a\t100%25 of caf\xc3\xa9 #1\th\t70", "gopher://h/0100%2525%20of%20caf%C3%A9%20%231", object, "text/plain", ""},
		{"0a\t/../a//./b\th\t70", "gopher://h/0/../a//./b", object, "text/plain", ""},
		{"00\t0/about.txt\th\t70", "gopher://h/00/about.txt", object, "text/plain", ""},
		{"0a\ts\x01\x7f\x80t\th\t70", "gopher://h/0s%01%7F%80t", object, "text/plain", ""},
		{"0a\ts\x00\th\t70", "", object, "text/plain", `a selector can't contain CR, LF or NUL: "s\x00"`},

		// These lines have various hosts.
		{"1a\ts\tOther.Example.\t70", "gopher://Other.Example./1s", menu, "application/gopher-menu", ""},
		{"1a\ts\t10.0.0.1\t70", "gopher://10.0.0.1/1s", menu, "application/gopher-menu", ""},
		{"1a\ts\tfe80::1\t71", "gopher://[fe80::1]:71/1s", menu, "application/gopher-menu", ""},
		{"1a\ts\t[::1]\t70", "gopher://[::1]/1s", menu, "application/gopher-menu", ""},
		{"0a\ts\t::1\t70\t+", "gopher://[::1]/0s%09%09+", object, "text/plain", ""},
		{"1a\ts\tunder_score\t70", "gopher://under_score/1s", menu, "application/gopher-menu", ""},
		{"1a\ts\tfe80::1%eth0\t70", "", menu, "application/gopher-menu", `invalid URL: "%" needs`},
		{"1a\ts\th:80\t70", "", menu, "application/gopher-menu", "invalid URL: invalid host"},
		{"1a\ts\t[x]\t70", "", menu, "application/gopher-menu", "invalid URL: invalid host"},
		{"1a\ts\t\t", "gopher://own.example/1s", menu, "application/gopher-menu", ""},
		{"1a\ts\t\t7070", "gopher://own.example:7070/1s", menu, "application/gopher-menu", ""},
		{"1a\ts", "gopher://own.example:7071/1s", menu, "application/gopher-menu", assumed},

		// These lines are sessions.
		{"8a\tguest\th\t23", "telnet://guest@h", session, "", ""},
		{"8a\t\th\t23", "telnet://h", session, "", ""},
		{"8a\ta b:c@d\th\t2323\t+", "telnet://a%20b%3Ac%40d@h:2323", session, "", ""},
		{"8a\t\th\t70", "telnet://h:70", session, "", ""},
		{"Ta\tguest\th\t", "tn3270://guest@h", session, "", ""},
		{"8a\t-froot\th\t23", "", session, "", `invalid login name: "-froot"`},
		{"8a\ta\x1b[2J\th\t23", "", session, "", `invalid login name: "a\x1b[2J"`},
		{"8a\tguest", "", session, "", "the line has no host"},
		{"8a\t\t\t23", "telnet://own.example", session, "", ""},

		// These lines are "URL:" links.
		{"hWeb\tURL:http://www.example.com/\th\t70", "http://www.example.com/", unknown_, "", ""},
		{"hWeb\t/url:ftp://h/x;type=i\t\t", "ftp://h/x;type=i", unknown_, "", ""},
		{"hWeb\tURL:mailto:a@b.example", "mailto:a@b.example", unknown_, "", ""},
		{"hWeb\tURL:http://h/a b\th\t70", "", unknown_, "", "invalid URL: "},
		{"hWeb\tURL:\th\t70", "", unknown_, "", "invalid URL: "},
		{"0Web\tURL:http://x/\th\t70", "gopher://h/0URL:http://x/", object, "text/plain", ""},
		{"hWeb\tURLs\th\t70", "gopher://h/hURLs", object, "text/html", ""},

		// These lines are not items.
		{"iText\ts\th\t70\t+", "", info, "", ""},
		{"3Gone\t\terror.host\t1", "", bad, "", ""},
		{"0'/nope' does not exist!!\t\tError.Host\t1", "", bad, "", ""},
		{"1a\ts\th\t0", "", menu, "application/gopher-menu", `invalid port: "0"`},
		{"Error: no such file", "", unknown_, "", "the line has no selector"},
		{"+a\ts\th\t70", "", unknown_, "", "the line names another server for the item before it, but there is no such item"},
	} {
		l, _ := parseLine([]byte(c.line))
		item := l.Item(mustURL(t, "gopher://own.example:7071/1/menu"))
		noted := item.Note == c.note || strings.HasPrefix(c.note, "invalid URL: ") && strings.HasPrefix(item.Note, c.note)
		if item.URL.String() != c.url || item.Kind != c.kind || item.Type != c.mediaType || !noted || item.Size != -1 {
			t.Errorf("%q\n got %q %s %q %q %d\nwant %q %s %q %q", c.line, item.URL, item.Kind, item.Type, item.Note, item.Size, c.url, c.kind, c.mediaType, c.note)
		}
		title := l.Name
		if c.note == "the line has no selector" {
			title = c.line // this is not a menu line, so the title is the whole line
		}
		if item.Title != title {
			t.Errorf("%q: title %q, want %q", c.line, item.Title, title)
		}
		if u, err := l.URL(mustURL(t, "gopher://own.example:7071/1/menu")); u != item.URL || err != nil && item.Note != note(err) {
			t.Errorf("%q: the URL is %q, %v, and the item's %q", c.line, u, err, item.URL)
		}
	}
}

func TestItemWithoutMenu(t *testing.T) {
	l, _ := parseLine([]byte("1a\ts\t\t70"))
	if item := l.Item(URL{}); !item.URL.IsZero() || item.Note == "" {
		t.Errorf("%+v", item)
	}
}

// In a gophers menu, only items on the same server must use TLS.
func TestSecureItems(t *testing.T) {
	for _, c := range []struct{ menu, line, want string }{
		{"gophers://h/", "1a\ts\th\t70", "gophers://h/1s"},
		{"gophers://h/", "1a\ts\tH.\t70\t+", "gophers://H./1s%09%09+"},
		{"gophers://h/", "1a\ts\th\t7070", "gopher://h:7070/1s"},
		{"gophers://h/", "1a\ts\tother\t70", "gopher://other/1s"},
		{"gophers://h:7070/", "1a\ts\th\t7070", "gophers://h:7070/1s"},
		{"gophers://h:7070/", "1a\ts\th\t70", "gopher://h/1s"},
		{"gophers://h:7070/", "1a\ts", "gophers://h:7070/1s"},
		{"gophers://h/", "1a\ts\t\t", "gophers://h/1s"},
		{"gophers://[::1]/", "1a\ts\t::1\t70", "gophers://[::1]/1s"},
		{"gophers://h/", "8a\t\th\t70", "telnet://h:70"},
		{"gopher://h/", "1a\ts\th\t70", "gopher://h/1s"},
	} {
		l, _ := parseLine([]byte(c.line))
		if u, err := l.URL(mustURL(t, c.menu)); err != nil || u.String() != c.want {
			t.Errorf("%s in %s: %v, %v, want %s", c.line, c.menu, u, err, c.want)
		}
	}
}

// A line of type "+" must be another server for the previous item (Gopher+ section 2.9).
func TestMenuMirrors(t *testing.T) {
	const text = "+Of nothing\ts\th\t70\r\n" +
		"9Archive\ta.tar\th\t70\r\n" +
		"+Mirror\ta.tar\tm1\t70\r\n" +
		"iText\r\n" +
		"3Error\r\n" +
		"0Error\t\terror.host\t1\r\n" +
		"+Mirror\ta.tar\tm2\t70\t+\r\n" +
		"+No port\ta.tar\tm2\tx\r\n" +
		"TSession\tguest\th\t\r\n" +
		"+Mirror\tguest\tm3\t\r\n" +
		"+Mirror\tguest\r\n" +
		"hWeb\tURL:http://x/\t\t\r\n" +
		"+Mirror\tURL:http://y/\tfake\t0\r\n"
	lines, _ := readMenu(t, text)
	menu := mustURL(t, "gopher://own/")
	want := []struct {
		mirrors byte
		url     string
		kind    scheme.ItemKind
	}{
		{0, "", scheme.KindUnknown},
		{0, "gopher://h/9a.tar", scheme.KindObject},
		{'9', "gopher://m1/9a.tar", scheme.KindObject},
		{0, "", scheme.KindInfo},
		{0, "", scheme.KindError},
		{0, "", scheme.KindError},
		{'9', "gopher://m2/9a.tar%09%09+", scheme.KindObject},
		{'9', "", scheme.KindObject},
		{0, "tn3270://guest@h", scheme.KindSession},
		{'T', "tn3270://guest@m3", scheme.KindSession},
		{'T', "", scheme.KindSession},
		{0, "http://x/", scheme.KindUnknown},
		{'h', "http://y/", scheme.KindUnknown},
	}
	if len(lines) != len(want) {
		t.Fatalf("%d lines", len(lines))
	}
	for i, w := range want {
		l := lines[i]
		item := l.Item(menu)
		if l.Mirrors != w.mirrors || item.URL.String() != w.url || item.Kind != w.kind || (item.URL.IsZero() && l.Type == '+') != (l.Fault != nil) {
			t.Errorf("line %d: %c %q %s, fault %v, want %c %q %s", i+1, l.Mirrors, item.URL, item.Kind, l.Fault, w.mirrors, w.url, w.kind)
		}
	}
}

func TestMenuLimits(t *testing.T) {
	line := "1" + strings.Repeat("x", 94) + "\ts\th\t70" // the line has 102 octets
	for _, c := range []struct {
		name   string
		r      io.Reader
		limits *Limits
		lines  int
		err    string // "": none
	}{
		{"as long as can be", strings.NewReader(line + "\r\n" + line), &Limits{Line: 102}, 2, ""},
		{"too long", strings.NewReader(line + "\r\n" + line + "\r\n"), &Limits{Line: 101}, 0, "too large: line 1 of the menu has more than 101 bytes"},
		{"second too long", strings.NewReader("ia\r\n" + line), &Limits{Line: 101}, 1, "too large: line 2 of the menu has more than 101 bytes"},
		{"endless line", endless([]byte("x"), 1<<40), nil, 0, "too large: line 1 of the menu has more than 65536 bytes"},
		{"endless line in small pieces", iotest.OneByteReader(endless([]byte("x"), 1<<40)), nil, 0, "too large: line 1 of the menu has more than 65536 bytes"},
		{"as many as can be", strings.NewReader("ia\r\nib\r\n.\r\nic"), &Limits{Items: 2}, 2, ""},
		{"too many", strings.NewReader("ia\r\nib\r\nic\r\n"), &Limits{Items: 2}, 2, "too large: the menu has more than 2 lines"},
		{"endless", endless([]byte("ia\r\n"), 1<<40), &Limits{Items: 10000}, 10000, "too large: the menu has more than 10000 lines"},
		{"as much as can be", strings.NewReader("ia\r\nib\r\n.\r\n"), &Limits{Octets: 11}, 2, ""},
		{"too much", strings.NewReader("ia\r\nib\r\n"), &Limits{Octets: 7}, 1, "too large: the menu has more than 7 bytes"},
		{"endless empty lines", endless([]byte("\r\n"), 1<<40), &Limits{Octets: 1 << 20}, 0, "too large: the menu has more than 1048576 bytes"},
	} {
		m := newMenuReader(c.r, c.limits)
		n := 0
		_, err := m.Next()
		for ; err == nil; _, err = m.Next() {
			n++
		}
		switch {
		case n != c.lines:
			t.Errorf("%s: %d lines, want %d (%v)", c.name, n, c.lines, err)
		case c.err == "" && err != io.EOF, c.err != "" && (err.Error() != c.err || !errors.Is(err, scheme.ErrTooLarge)):
			t.Errorf("%s: %v, want %q", c.name, err, c.err)
		}
		if _, again := m.Next(); again != err {
			t.Errorf("%s: the end does not last: %v", c.name, again)
		}
	}
	if _, err := newMenuReader(stuck{}, nil).Next(); !errors.Is(err, io.ErrNoProgress) {
		t.Error(err)
	}
}

// stuck is a reader that never returns data.
type stuck struct{}

func (stuck) Read([]byte) (int, error) { return 0, nil }

// If the connection breaks, the reader must return the complete lines, and must discard the
// truncated line.
func TestMenuBreaks(t *testing.T) {
	broken := errors.New("broken")
	for _, err := range []error{broken, os.ErrDeadlineExceeded, io.ErrUnexpectedEOF} {
		m := newMenuReader(io.MultiReader(strings.NewReader("0a\ts\th\t70\r\n0b\ts\th\t"), iotest.ErrReader(err)), nil)
		if l, err := m.Next(); err != nil || l.Name != "a" {
			t.Errorf("%+v, %v", l, err)
		}
		for range 2 {
			if l, got := m.Next(); !errors.Is(got, err) || l != (menuLine{}) || m.terminated {
				t.Errorf("%+v, %v", l, got)
			}
		}
	}
	// A lone dot before the error must end the menu.
	m := newMenuReader(io.MultiReader(strings.NewReader("ia\r\n.\r\n"), iotest.ErrReader(broken)), nil)
	if l, err := m.Next(); err != nil || l.Name != "a" {
		t.Errorf("%+v, %v", l, err)
	}
	if _, err := m.Next(); err != io.EOF || !m.terminated {
		t.Error(err)
	}
}

// The reader must return a line as soon as it is complete.
func TestMenuIsNotHeldBack(t *testing.T) {
	for _, end := range []string{"\r\n", "\n", "\r"} {
		r, w := io.Pipe()
		m := newMenuReader(r, nil)
		for i := range 3 {
			want := fmt.Sprint("line ", i)
			go io.WriteString(w, "i"+want+end)
			if l, err := m.Next(); err != nil || l.Name != want {
				t.Errorf("%+v, %v", l, err)
			}
		}
		go io.WriteString(w, "."+end)
		if _, err := m.Next(); err != io.EOF || !m.terminated {
			t.Error(err)
		}
		w.Close()
	}
}

// Reading a menu of 100 MB must need no more memory than reading a small menu, and less than
// one allocation per line.
func TestLargeMenu(t *testing.T) {
	const size = 100 << 20
	m := newMenuReader(endless(typicalMenu, size), nil)
	var before, now runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	n, most := 0, uint64(0)
	for {
		l, err := m.Next()
		if err == io.EOF {
			break
		} else if err != nil || l.Name == "" {
			t.Fatalf("line %d: %+v, %v", n, l, err)
		}
		if n++; n%100_000 == 0 {
			runtime.GC() // on a busy machine, there may be much garbage
			runtime.ReadMemStats(&now)
			most = max(most, now.HeapAlloc)
		}
	}
	runtime.ReadMemStats(&now)
	if n < size/100 {
		t.Errorf("%d lines", n)
	}
	if most > before.HeapAlloc+16<<20 {
		t.Errorf("%d octets of heap, and %d before", most, before.HeapAlloc)
	}
	if allocated := now.Mallocs - before.Mallocs; allocated > uint64(n)/4 {
		t.Errorf("%d allocations for %d lines", allocated, n)
	}
}

func TestItemAllocates(t *testing.T) {
	menu := mustURL(t, "gopher://own.example/1")
	for line, most := range map[string]float64{
		"0About this server\t/about.txt\tgopher.example.org\t70":                 1, // one allocation for the text of the URL
		"1Documents of the year\t/docs/all of them\tgopher.example.org\t7070\t+": 1,
		"iText":                             0,
		"hWeb\tURL:http://www.example.org/": 0,
	} {
		l, _ := parseLine([]byte(line))
		if n := testing.AllocsPerRun(100, func() { l.Item(menu) }); n > most {
			t.Errorf("%q: %v allocations", line, n)
		}
	}
}

// The texts of many items must share memory.
func TestItemsAllocate(t *testing.T) {
	l, _ := parseLine([]byte("1Documents of the year\t/docs/all of them\tgopher.example.org\t7070\t+"))
	maker := newItemMaker(mustURL(t, "gopher://own.example/1"))
	want := l.Item(mustURL(t, "gopher://own.example/1")).URL
	items := make([]scheme.Item, 1000)
	if n := testing.AllocsPerRun(10, func() {
		for i := range items {
			items[i] = maker.item(&l)
		}
	}); n > 30 {
		t.Errorf("%v allocations for %d items", n, len(items))
	}
	for i, item := range items {
		if item.URL != want {
			t.Fatalf("item %d: %s", i, item.URL)
		}
	}
}

// TestTypes checks the types of RFC 1436 section 3.8, and types in common use.
func TestTypes(t *testing.T) {
	for gtype := range 256 {
		text := strings.IndexByte("01467M", byte(gtype)) >= 0
		if types[gtype].isText != text {
			t.Errorf("%c: text %v", gtype, !text)
		}
		kind := scheme.KindUnknown
		switch {
		case gtype == '1':
			kind = scheme.KindMenu
		case gtype == '2' || gtype == '7':
			kind = scheme.KindSearch
		case gtype == '8' || gtype == 'T':
			kind = scheme.KindSession
		case gtype == 'i':
			kind = scheme.KindInfo
		case gtype == '3':
			kind = scheme.KindError
		case strings.IndexByte("04569gI:;<hsdPM", byte(gtype)) >= 0:
			kind = scheme.KindObject
		}
		if got := kindOf(byte(gtype)); got != kind {
			t.Errorf("%c: %s, want %s", gtype, got, kind)
		}
		if of := types[gtype]; !of.byName && itemType(byte(gtype), "a.html") != of.mediaType {
			t.Errorf("%c: its name makes %s of %s", gtype, itemType(byte(gtype), "a.html"), of.mediaType)
		}
	}
}

// Messages must quote text from a server.
func TestNotesAreSafe(t *testing.T) {
	menu := mustURL(t, "gopher://h/")
	for c := range 256 {
		evil := string([]byte{byte(c)})
		for _, line := range []string{"1a\ts\th" + evil + "\t70", "1a\ts\th\t7" + evil, "8a\t" + evil + "\th\t23", "0a\t" + evil + "\x00\th\t70", "hx\tURL:" + evil} {
			l, ok := parseLine([]byte(line))
			if !ok {
				continue
			}
			item := l.Item(menu)
			if !utf8.ValidString(item.Note) || strings.ContainsFunc(item.Note, unicode.IsControl) {
				t.Fatalf("%q: note %q", line, item.Note)
			}
			if !item.URL.IsZero() {
				if _, err := locus.Parse(item.URL.String()); err != nil {
					t.Errorf("%q: %v", line, err)
				}
			}
		}
	}
}
