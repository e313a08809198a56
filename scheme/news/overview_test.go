package news

import (
	"errors"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme"
)

// slowOverview is a simple reference implementation of overviewFormat.parse.
func slowOverview(format []string, text string) (o overview, ok bool) {
	if len(format) == 0 {
		format = []string{"Subject:", "From:", "Date:", "Message-ID:", "References:", ":bytes", ":lines"}
	}
	fields := strings.Split(text, "\t")
	number, err := strconv.ParseInt(strings.TrimSpace(fields[0]), 10, strconv.IntSize)
	if err != nil || number <= 0 {
		return overview{}, false
	}
	values := map[string]string{}
	for i, content := range fields[1:] {
		if i >= len(format) {
			break
		}
		name := strings.TrimSpace(format[i])
		if colon := strings.LastIndex(name, ":"); colon > 0 {
			if strings.EqualFold(name[colon:], ":full") {
				if _, after, ok := strings.Cut(content, ":"); ok {
					content = strings.TrimLeft(after, " ")
				}
			}
		}
		values[strings.ToLower(strings.Trim(strings.TrimSuffix(strings.ToLower(name), ":full"), ":"))] = content
	}
	count := func(text string) int64 {
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, strconv.IntSize)
		if err != nil || n < 0 {
			return -1
		}
		return n
	}
	return overview{
		Number: number, Subject: values["subject"], From: values["from"], Date: values["date"], MessageID: strings.TrimSpace(values["message-id"]),
		References: values["references"], Bytes: count(values["bytes"]), Lines: count(values["lines"]),
	}, true
}

// formats lists possible orders of fields.
var formats = [][]string{
	nil,
	{"Subject:", "From:", "Date:", "Message-ID:", "References:", "Bytes:", "Lines:", "Xref:full"},
	{"From:", "SUBJECT:Full", ":bytes", " Message-ID: ", "Newsgroups:full", "Date:", "X:"},
	{"Lines:"},
}

// itemOf returns the menu item for an article in nntp://h/g.
func itemOf(o *overview) scheme.Item {
	return URL{url: locus.MustParse("nntp://h/g"), newsgroup: "g"}.articleItems()(o)
}

func sameOverview(t *testing.T, format []string, text string) {
	t.Helper()
	f := new(overviewFormat)
	for _, line := range format {
		f.addLine(line)
	}
	got, err := f.parse(text)
	want, ok := slowOverview(format, text)
	if got != want || (err == nil) != ok {
		t.Fatalf("%q of %q: %+v, %v; want %+v, %v", text, format, got, err, want, ok)
	}
	if err != nil && !errors.Is(err, scheme.ErrProtocol) {
		t.Fatalf("%q: %v", text, err)
	}
	it := itemOf(&got)
	if err == nil && it.URL.String() != "nntp://h/g/"+strconv.FormatInt(got.Number, 10) {
		t.Fatalf("%q: %v", text, it.URL)
	}
}

var overviewSeeds = []string{
	"3000234\tI am just a test article\t\"Demo User\" <nobody@example.com>\t6 Oct 1998 04:38:40 -0500\t<45223423@example.com>\t<45454@example.net>\t1234\t17\tXref: news.example.com misc.test:3000363",
	"3000235\tAnother test article\tnobody@nowhere.to (Demo User)\t6 Oct 1998 04:38:45 -0500\t<45223425@to.to>\t\t4818\t37\t\tDistribution: fi",
	"3000238\tRe: I am just a test article\tsomebody@elsewhere.to\t7 Oct 1998 11:38:40 +1200\t<kfwer3v@elsewhere.to>\t<45223423@to.to>\t9234\t51",
	"1", "1\t", "", "\t", "x\ty", "-1\ta", "0\ta", "9223372036854775808\ta", " 7 \ta", "1\t\xe9\xff\t\x00\r", "1\ta\tb\tc\td\te\t-5\t1e3", "1\tX: y\tSubject: z\tm\t n ",
}

// TestOverview checks the example lines of RFC 3977 section 8.3.3, and invalid lines.
func TestOverview(t *testing.T) {
	for _, format := range formats {
		for _, text := range overviewSeeds {
			sameOverview(t, format, text)
		}
	}
	o, err := new(overviewFormat).parse(overviewSeeds[0])
	it := itemOf(&o)
	want := scheme.Item{
		URL: it.URL, Title: "I am just a test article", Kind: scheme.KindObject, Type: "message/rfc822", Size: 1234, ModTime: it.ModTime, Note: `"Demo User" <nobody@example.com>`,
		Fields: []scheme.Field{
			{Name: "number", Value: 3000234}, {Name: "from", Value: `"Demo User" <nobody@example.com>`}, {Name: "messageId", Value: "45223423@example.com"},
			{Name: "references", Value: []string{"45454@example.net"}},
		},
	}
	if err != nil || !reflect.DeepEqual(it, want) || o.Lines != 17 || !it.ModTime.Equal(time.Date(1998, 10, 6, 9, 38, 40, 0, time.UTC)) {
		t.Errorf("%+v, %v", it, err)
	}
}

// The parsed date and message-ids of an overview must equal those of the article.
func TestOverviewAsInArticle(t *testing.T) {
	for _, date := range []string{
		"Mon, 02 Jan 2006 15:04:05 EST", "Monday, 02-Jan-06 15:04:05 EST", "02 Jan 06 20:04 GMT", "Mon Jan  2 20:04:05 2006", "never", "",
	} {
		for _, references := range []string{"<a@b><c@d>", "<a@b> said <c@d>", "a@b c@d", "<a@b>\t<c@d", "", "none"} {
			m, err := message.Read(strings.NewReader("Date: "+date+"\r\nReferences: "+references+"\r\n\r\n"), nil)
			if err != nil {
				t.Fatal(err)
			}
			o := overview{Number: 1, Date: date, References: references}
			it := itemOf(&o)
			if want, _ := m.Date(); !it.ModTime.Equal(want) {
				t.Errorf("%q: %v, want %v", date, it.ModTime, want)
			}
			if want := (scheme.Field{Name: "references", Value: m.References()}); !reflect.DeepEqual(it.Fields[3], want) {
				t.Errorf("%q: %q, want %q", references, it.Fields[3], want)
			}
		}
	}
}

func TestOverviewFormatIsBounded(t *testing.T) {
	f := new(overviewFormat)
	for range 10 * maxFormat {
		f.addLine("X:")
	}
	if len(f.fields) != maxFormat {
		t.Errorf("%d fields", len(f.fields))
	}
}

func TestOverviewOf(t *testing.T) {
	o := overviewOf(5, "subject: folded\r\n over\r\n\t lines\r\nFROM:a@b\r\nno header\r\nReferences: <a@b>\r\n <c@d>\r\nBytes: 7\r\nLines: 3\r\nMessage-ID: <x@y>\nDate: Fri, 20 Nov 2026 10:00:00 +0000 (UTC)")
	want := overview{Number: 5, Subject: "folded over\t lines", From: "a@b", Date: "Fri, 20 Nov 2026 10:00:00 +0000 (UTC)", MessageID: "<x@y>", References: "<a@b> <c@d>", Bytes: -1, Lines: 3}
	if o != want {
		t.Errorf("%+v", o)
	}
	if o.time().IsZero() {
		t.Error("no date")
	}
}

// The client must reject article numbers that could overflow.
func TestParseGroupNumbers(t *testing.T) {
	for text, ok := range map[string]bool{
		"5 1 5 g": true, "5 4611686018427387900 4611686018427387904 g": strconv.IntSize == 64, "5 4611686018427387900 4611686018427387905 g": false,
		"5 9223372036854775800 9223372036854775807 g": false, "5 1 9223372036854775808 g": false, "-1 1 5 g": false, "5 1": false,
	} {
		if _, err := parseGroup("g", reply{code: 211, text: text}); (err == nil) != ok {
			t.Errorf("%q: %v", text, err)
		}
	}
}

func FuzzOverview(f *testing.F) {
	for _, text := range overviewSeeds {
		for i := range formats {
			f.Add(i, text)
		}
	}
	f.Fuzz(func(t *testing.T, i int, text string) {
		sameOverview(t, formats[uint(i)%uint(len(formats))], text)
		overviewOf(1, text)
	})
}

func FuzzReply(f *testing.F) {
	for _, text := range []string{"200 hello", "211 1 2 3 g", "211", "2x1", "600 x", "200-x", "", "480"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		r, err := parseReply(text)
		if err != nil {
			if !errors.Is(err, scheme.ErrProtocol) {
				t.Fatal(err)
			}
			return
		}
		if !strings.HasPrefix(text, strconv.Itoa(r.code)) || r.code < 100 || r.code > 599 {
			t.Fatalf("%q: %+v", text, r)
		}
		if g, err := parseGroup("g", r); err == nil && (g.low < 0 || g.high < 0) {
			t.Fatalf("%q: %+v", text, g)
		}
		groupItem(text, "news:", nil)
	})
}

func BenchmarkOverviewParse(b *testing.B) {
	f := new(overviewFormat)
	b.SetBytes(int64(len(overviewSeeds[0])))
	b.ReportAllocs()
	for b.Loop() {
		if _, err := f.parse(overviewSeeds[0]); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkOverviewItem(b *testing.B) {
	item := URL{url: locus.MustParse("nntp://h/misc.test"), newsgroup: "misc.test"}.articleItems()
	f := new(overviewFormat)
	b.SetBytes(int64(len(overviewSeeds[0])))
	b.ReportAllocs()
	for b.Loop() {
		o, err := f.parse(overviewSeeds[0])
		if err != nil || item(&o).URL.IsZero() {
			b.Fatal(err)
		}
	}
}
