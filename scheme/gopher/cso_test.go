package gopher

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func TestAppendQuery(t *testing.T) {
	for _, c := range []struct{ words, want string }{
		{"smith", "query smith\r\n"},
		{"name=smith", "query name=smith\r\n"},
		{"name=smith return name email", "query name=smith return name email\r\n"},
		{"name=smith ", "query name=smith \r\n"},
		{"quit", "query quit\r\n"},
		{"caf\xe9 \u00e9", "query caf\xe9 \u00e9\r\n"},
		{"", ""},
		{"  ", ""},
		{"smith\r\nquit", ""},
		{"smith\nquit", ""},
		{"smith\r", ""},
		{"smith\x00", ""},
		{"smith\treturn", ""},
	} {
		got, err := appendQuery([]byte("before|"), c.words)
		if got := strings.TrimPrefix(string(got), "before|"); got != c.want {
			t.Errorf("AppendQuery(%q) = %q, want %q", c.words, got, c.want)
		}
		if errors.Is(err, locus.ErrValue) != (c.want == "") || (err == nil) != (c.want != "") {
			t.Errorf("AppendQuery(%q): error %v", c.words, err)
		}
	}
}

// phoneConn is a connection to a phone book with a fixed reply.
type phoneConn struct {
	io.Reader
	sent   bytes.Buffer
	broken error // the error that Write returns
}

func (c *phoneConn) Write(p []byte) (int, error) {
	if c.broken != nil {
		return 0, c.broken
	}
	return c.sent.Write(p)
}

// look queries a phone book that sends a fixed reply. It returns the titles and URLs of the
// items, and the data that the client sent.
func look(t testing.TB, answer io.Reader, words string, o *Limits) (titles []string, sent string, err error) {
	t.Helper()
	c := &phoneConn{Reader: answer}
	g := parse(t, "gopher://h:105/2%09"+strings.ReplaceAll(words, " ", "%20"))
	if got, ok := g.Search(); got != words || !ok {
		t.Fatalf("%v has the words %q", g.URL(), got)
	}
	items, err := phoneMenu(c, c, words, g, o, nil)
	if err != nil {
		return nil, c.sent.String(), err
	}
	for item, err := range items {
		if err != nil {
			return titles, c.sent.String(), err
		}
		title := item.Title
		if !item.URL.IsZero() {
			title += " <" + item.URL.String() + ">"
		}
		if item.Size != -1 || (item.Kind == scheme.KindInfo) != item.URL.IsZero() {
			t.Errorf("an item of the wrong kind: %+v", item)
		}
		titles = append(titles, title)
	}
	return titles, c.sent.String(), nil
}

var smith = []string{
	"John Smith",
	"alias: j-smith",
	"name: John Smith",
	"email: jsmith@example.org <mailto:jsmith@example.org>",
	"phone: 555 0100",
}

var anna = []string{
	"Anna Smith",
	"alias: a-smith",
	"name: Anna Smith",
	"email: asmith@example.org <mailto:asmith@example.org>",
	"phone: 555 0101",
	"address: 1 High Street",
	"         Town",
}

// TestPhoneCaptures replays captures of real clients with a phone book.
func TestPhoneCaptures(t *testing.T) {
	seen := 0
	for _, c := range captures(t) {
		if !strings.HasPrefix(c.name, "cso-") && !strings.Contains(c.name, "-cso") {
			continue
		}
		seen++
		query, rest, _ := strings.Cut(c.sent, "\r\n")
		words, isQuery := strings.CutPrefix(query, "query ")
		if !isQuery {
			// No URL causes the client to send these commands, but it can parse the replies to
			// them.
			testOtherAnswer(t, c, query)
			continue
		}
		titles, sent, err := look(t, bytes.NewReader(c.s2c), words, nil)
		want := c.sent
		if rest == "" {
			want += "quit\r\n" // lynx does not send "quit"
		}
		if sent != want {
			t.Errorf("%s: sent %q, want %q", c.name, sent, want)
		}
		switch c.name {
		case "cso-one":
			wantTitles(t, c.name, titles, anna)
		case "client-lynx-cso", "client-umn-cso-query":
			wantTitles(t, c.name, titles, slices.Concat(smith, anna))
		case "cso-nomatch":
			wantPhoneError(t, err, 501, "No matches to your query.", scheme.ErrNotFound)
			continue
		case "cso-toomany":
			wantPhoneError(t, err, 502, "Too many matches to request.", scheme.ErrTooLarge)
			if !strings.Contains(err.Error(), "narrow the query") {
				t.Errorf("%s: no advice: %v", c.name, err)
			}
			continue
		default:
			t.Errorf("%s: unexpected capture", c.name)
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
		}
	}
	if seen != 8 {
		t.Errorf("%d captures of phone books", seen)
	}
}

func testOtherAnswer(t *testing.T, c capture, command string) {
	t.Helper()
	entries, err := readEntries(bytes.NewReader(c.s2c), nil)
	switch command {
	case "status":
		if len(entries) != 0 || err != nil {
			t.Errorf("%s: %v, %v", c.name, entries, err)
		}
	case "frobnicate":
		wantPhoneError(t, err, 514, "Unknown command.", scheme.ErrProtocol)
	case "fields":
		want := phoneEntry{1, []phoneField{
			{"alias", []string{"max 64 Indexed Public Lookup Default"}, 200},
			{"alias", []string{"The alias of the person"}, 200},
		}}
		if len(entries) != 5 || err != nil || !reflect.DeepEqual(entries[0], want) {
			t.Errorf("%s: %v, %v", c.name, entries, err)
		}
	default:
		t.Errorf("%s: unexpected capture", c.name)
	}
}

func wantTitles(t *testing.T, name string, got, want []string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s: items\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func wantPhoneError(t *testing.T, err error, code int, message string, kind error) {
	t.Helper()
	phone := (*PhoneError)(nil)
	if !errors.As(err, &phone) || phone.Code != code || phone.Message != message || !errors.Is(err, kind) {
		t.Errorf("error %v, want %d %q, %v", err, code, message, kind)
	} else if !strings.Contains(err.Error(), fmt.Sprintf("%d %q", code, message)) {
		t.Errorf("the error does not say what the server said: %v", err)
	}
}

// readEntries reads all entries of a reply. The error is nil if the query succeeded.
func readEntries(r io.Reader, o *Limits) (entries []phoneEntry, err error) {
	p := newPhoneReader(r, o)
	for {
		e, err := p.Next()
		if err == io.EOF {
			return entries, nil
		} else if err != nil {
			return entries, err
		}
		entries = append(entries, e)
	}
}

func TestPhoneReader(t *testing.T) {
	field := func(name string, lines ...string) phoneField { return phoneField{name, lines, 200} }
	for _, c := range []struct {
		name, answer string
		want         []phoneEntry
	}{
		{"nothing found, and no failure", "200:Ok.\r\n", nil},
		{"read only", "100:wait\r\n201:Ok.\r\n", nil},
		{"LF without CR", "-200:1:name: A\n-200:1: : B\n200:Ok.\n", []phoneEntry{{1, []phoneField{field("name", "A", "B")}}}},
		{
			"no blanks, and colons in the value", "-200:1:a:x:y:z\r\n-200:1:b:\r\n-200:1:c:  two\r\n200:Ok.\r\n",
			[]phoneEntry{{1, []phoneField{field("a", "x:y:z"), field("b", ""), field("c", " two")}}},
		},
		{
			"progress and a message in the middle", "102:There was 1\r\n-200:3:a: x\r\n-200:a message\r\n101:more\r\n-200:3:b: y\r\n200:Ok.\r\n",
			[]phoneEntry{{3, []phoneField{field("a", "x"), field("b", "y")}}},
		},
		{
			"entries again", "-200:1:a: x\r\n-200:2:a: y\r\n-200:1:a: z\r\n200:Ok.\r\n",
			[]phoneEntry{{1, []phoneField{field("a", "x")}}, {2, []phoneField{field("a", "y")}}, {1, []phoneField{field("a", "z")}}},
		},
		{
			"no name before a continuation", "-200:1: : x\r\n-200:1: : y\r\n200:Ok.\r\n",
			[]phoneEntry{{1, []phoneField{field("", "x", "y")}}},
		},
		{
			"a field that is not there", "-200:1:  name: A\r\n-508:1: curriculum: Not present in entry.\r\n-200:1: dept: B\r\n200:Ok.\r\n",
			[]phoneEntry{{1, []phoneField{field("name", "A"), {"curriculum", []string{"Not present in entry."}, 508}, field("dept", "B")}}},
		},
		{"text of an entry without a name", "-200:1:help for you\r\n200:Ok.\r\n", nil},
		{"an entry 0", "-200:0:a: x\r\n200:Ok.\r\n", nil},
		{"after the end", "200:Ok.\r\n-200:1:a: x\r\nnonsense", nil},
	} {
		got, err := readEntries(iotest.OneByteReader(strings.NewReader(c.answer)), nil)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, %v\nwant %v", c.name, got, err, c.want)
		}
	}
}

// TestPhoneErrors checks the codes of RFC 2378, with messages from real servers.
func TestPhoneErrors(t *testing.T) {
	for _, c := range []struct {
		answer  string
		code    int
		message string
		kind    error
	}{
		{"501:No matches to your query.\r\n", 501, "No matches to your query.", fs.ErrNotExist},
		{"502:Too many matches to request.\r\n", 502, "Too many matches to request.", scheme.ErrTooLarge},
		{"-515:no non-null key field in query.\r\n-515:Initial metas may be used as qualifiers only.\r\n500:Did not understand query.\r\n",
			515, "no non-null key field in query.", scheme.ErrProtocol},
		{"-507:what:unknown field.\r\n500:Did not understand query.\r\n", 507, "what:unknown field.", scheme.ErrProtocol},
		{"508:Field is not there.\r\n", 508, "Field is not there.", scheme.ErrProtocol},
		{"598:query:Command not recognized.\r\n", 598, "query:Command not recognized.", scheme.ErrProtocol},
		{"506:Log in first.\r\n", 506, "Log in first.", scheme.ErrAuth},
		{"301:Encrypt this.\r\n", 301, "Encrypt this.", scheme.ErrProtocol},
		{"475:Later.\r\n", 475, "Later.", scheme.ErrUnreachable},
		{"515:\x1b[2J\r\n", 515, "\x1b[2J", scheme.ErrProtocol},
	} {
		entries, err := readEntries(strings.NewReader(c.answer), nil)
		phone := (*PhoneError)(nil)
		if len(entries) != 0 || !errors.As(err, &phone) || *phone != (PhoneError{c.code, c.message}) || !errors.Is(err, c.kind) {
			t.Errorf("%q: %v, %v", c.answer, entries, err)
		} else if strings.ContainsAny(err.Error(), "\x1b\r\n") {
			t.Errorf("%q: an error that is not safe to show: %q", c.answer, err)
		}
		// The reply is complete, so the client must send "quit".
		_, sent, err := look(t, strings.NewReader(c.answer), "smith", nil)
		if !errors.Is(err, c.kind) || sent != "query smith\r\nquit\r\n" {
			t.Errorf("%q: sent %q, %v", c.answer, sent, err)
		}
	}
}

// The reader must return the entries before an error.
func TestPhoneCut(t *testing.T) {
	const good = "102:There were 2\r\n-200:1:name: A\r\n-200:1:phone: 1\r\n-200:2:name: B\r\n"
	many := strings.Repeat("-200:1: : x\r\n", maxEntryLines+1)
	for _, c := range []struct {
		name, rest string
		limits     Limits
		kinds      []error
		words      string
	}{
		{"closed", "", Limits{}, []error{scheme.ErrProtocol, io.ErrUnexpectedEOF}, "is cut off"},
		{"closed in a line", "-200:2:pho", Limits{}, []error{scheme.ErrProtocol, io.ErrUnexpectedEOF}, "is cut off"},
		{"no phone book", "SSH-2.0-OpenSSH\r\n", Limits{}, []error{scheme.ErrProtocol}, `invalid line "SSH-2.0-OpenSSH"`},
		{"gives up", "520:Out of time.\r\n", Limits{}, []error{scheme.ErrProtocol}, `520 "Out of time."`},
		{"a long line", "-200:2:x: " + strings.Repeat("y", 1000), Limits{Line: 100}, []error{scheme.ErrTooLarge}, "line too long"},
		{"many lines", strings.Repeat("100:wait\r\n", 100), Limits{Items: 10}, []error{scheme.ErrTooLarge}, "more than 10 lines"},
		{"much text", strings.Repeat("100:wait\r\n", 100), Limits{Octets: 300}, []error{scheme.ErrTooLarge}, "too much text"},
	} {
		titles, sent, err := look(t, strings.NewReader(good+c.rest), "smith", &c.limits)
		want := []string{"A", "name: A", "phone: 1", "B", "name: B"}
		if !slices.Equal(titles, want) {
			t.Errorf("%s: kept %q, want %q", c.name, titles, want)
		}
		for _, kind := range c.kinds {
			if !errors.Is(err, kind) {
				t.Errorf("%s: %v is not %v", c.name, err, kind)
			}
		}
		if err == nil || !strings.Contains(err.Error(), c.words) || !strings.HasPrefix(err.Error(), "gopher: ") {
			t.Errorf("%s: error %v", c.name, err)
		}
		if quits := strings.HasSuffix(sent, "quit\r\n"); quits != (c.name == "gives up") {
			t.Errorf("%s: sent %q", c.name, sent)
		}
	}
	entries, err := readEntries(strings.NewReader(many), nil)
	if len(entries) != 1 || len(entries[0].Fields[0].Lines) != maxEntryLines || !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("an entry without end: %d entries, %v", len(entries), err)
	}
	if _, _, err := look(t, iotest.ErrReader(os.ErrDeadlineExceeded), "smith", nil); err != os.ErrDeadlineExceeded {
		t.Errorf("a time-out became %v", err)
	}
	// These replies contain no lines, or only lines that announce a delay.
	for _, answer := range []string{"", "100:wait\r\n", "102"} {
		if _, _, err := look(t, strings.NewReader(answer), "smith", nil); !errors.Is(err, io.ErrUnexpectedEOF) || !errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%q: error %v", answer, err)
		}
	}
}

func TestPhoneMenuStreams(t *testing.T) {
	r, w := io.Pipe()
	defer w.Close()
	go io.WriteString(w, "-200:1:name: A\r\n-200:2:name: B\r\n")
	c := &phoneConn{Reader: r}
	var lines []string
	trace := func(sent bool, line string) { lines = append(lines, fmt.Sprint(sent, " ", line)) }
	items, err := phoneMenu(c, c, "smith", parse(t, "gopher://h:105/2%09smith"), nil, trace)
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for item, err := range items {
		if err != nil {
			t.Fatal(err)
		}
		// The menu must yield the first entry before the server has sent the rest.
		if got = append(got, item.Title); len(got) == 2 {
			break
		}
	}
	if want := []string{"A", "name: A"}; !slices.Equal(got, want) {
		t.Errorf("items %q, want %q", got, want)
	}
	if want := []string{"true query smith", "false -200:1:name: A", "false -200:2:name: B"}; !slices.Equal(lines, want) {
		t.Errorf("trace %q, want %q", lines, want)
	}
	if c.sent.String() != "query smith\r\n" {
		t.Errorf("sent %q in the middle of an answer", c.sent.String())
	}
}

func TestPhoneMenuRefuses(t *testing.T) {
	for _, c := range []struct{ url, words string }{
		{"gopher://h:105/2%09smith%0D%0Aquit", "smith\r\nquit"},
		{"gopher://h:105/2a%0Ab%09smith", "smith"},
		{"gopher://h:105/2%09", ""},
	} {
		conn := &phoneConn{Reader: strings.NewReader("200:Ok.\r\n")}
		if _, err := phoneMenu(conn, conn, c.words, parse(t, c.url), nil, nil); !errors.Is(err, locus.ErrValue) || conn.sent.Len() > 0 {
			t.Errorf("%s: sent %q, %v", c.url, conn.sent.String(), err)
		}
	}
	broken := &phoneConn{Reader: strings.NewReader(""), broken: io.ErrClosedPipe}
	if _, err := phoneMenu(broken, broken, "smith", parse(t, "gopher://h:105/2%09smith"), nil, nil); !errors.Is(err, io.ErrClosedPipe) || !errors.Is(err, scheme.ErrProtocol) {
		t.Errorf("a broken connection: %v", err)
	}
}

// The indentation of lines below a long field name must be limited.
func TestPhoneLongName(t *testing.T) {
	f := phoneField{strings.Repeat("n", 60_000), slices.Repeat([]string{"x"}, 10_000), 200}
	items := phoneEntry{1, []phoneField{f}}.Items()
	octets := 0
	for _, item := range items {
		octets += len(item.Title)
	}
	if len(items) != 10_001 || octets > 600_000 {
		t.Errorf("%d items, %d octets", len(items), octets)
	}
	items = phoneEntry{1, []phoneField{{"address", []string{"here", "there"}, 200}}}.Items()
	if items[1].Title != "address: here" || items[2].Title != "         there" {
		t.Errorf("%+v", items)
	}
}

func TestPhoneLinks(t *testing.T) {
	for _, c := range []struct{ name, value, url string }{
		{"email", "a@example.org", "mailto:a@example.org"},
		{"EMail", " a.b+c@example.org ", "mailto:a.b+c@example.org"},
		{"email", "a@example.org?bcc=b@example.org", ""},
		{"email", `"a b"@example.org`, "mailto:%22a%20b%22@example.org"},
		{"email", "a?bcc=b@example.org", "mailto:a%3Fbcc%3Db@example.org"},
		{"email", "", ""},
		{"email", "a b@example.org", ""},
		{"email", "<a@example.org>", ""},
		{"email", "a@", ""},
		{"email", "nobody", ""},
		{"email", "a@b, c@d", ""},
		{"email", "a@b\x1b[2J", ""},
		{"phone", "a@example.org", ""},
		{"url", "http://www.example.org/~a", "http://www.example.org/~a"},
		{"WWW", " gopher://h/1 ", "gopher://h/1"},
		{"www", "www.example.org", ""},
		{"url", "http://h/a b", ""},
		{"url", "", ""},
	} {
		items := phoneEntry{1, []phoneField{{c.name, []string{c.value}, 200}}}.Items()
		if len(items) != 2 || items[0].Title != "Entry 1" || items[1].Title != c.name+": "+c.value {
			t.Errorf("%s: %q: %+v", c.name, c.value, items)
		}
		if got := items[1].URL.String(); got != c.url {
			t.Errorf("%s: %q leads to %q, want %q", c.name, c.value, got, c.url)
		}
	}
	// An explanation and a value with two lines must not become a link.
	for _, f := range []phoneField{{"url", []string{"http://h/"}, 503}, {"url", []string{"http://h/", "b"}, 200}} {
		if items := (phoneEntry{1, []phoneField{f}}).Items(); !items[len(items)-1].URL.IsZero() || !items[1].URL.IsZero() {
			t.Errorf("%v leads to %v", f, items)
		}
	}
	entry := phoneEntry{7, []phoneField{{"name", []string{"Not for you."}, 503}, {"Name", []string{"A", "B"}, 200}}}
	if got, ok := entry.Value("name"); got != "A\nB" || !ok {
		t.Errorf("the name is %q, %v", got, ok)
	}
}
