package gopher_test

import (
	"bufio"
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/scheme/schemetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// fixture returns the root menu of the test server.
func fixture() gophertest.Item {
	return gophertest.Item{Items: []gophertest.Item{
		{Type: 'i', Name: "Welcome"},
		{Name: "About", Selector: "/about", Data: "one\n.\ntwo\n..three\nfour\n", Abstract: "What it is about.\nAnd more.", ModTime: time.Date(1993, 7, 14, 12, 30, 0, 0, time.UTC)},
		{Name: "Caf\xe9", Selector: "/latin", Data: "caf\xe9\n"},
		{Type: '9', Name: "Octets", Selector: "/bin", Data: "\x00\r\n.\r\n\xff"},
		{Type: 'h', Name: "Page", Selector: "/page", Data: "<p>x</p>\n"},
		{Type: 'h', Name: "Elsewhere", Selector: "URL:http://example.org/a%20b", Host: "h", Port: 70},
		{Type: '8', Name: "Login", Selector: "guest", Host: "h.example", Port: 2323},
		{Type: 'T', Name: "Host", Host: "h.example", Port: 23},
		{Name: "Find", Selector: "/find", Search: func(words string) []gophertest.Item {
			if words == "nothing" {
				return nil
			}
			return []gophertest.Item{{Name: "Found " + words, Selector: "/about"}}
		}},
		{Name: "Survey", Selector: "/survey", Ask: []string{"Note: Answer all", "Ask: Name\tAnna", "AskP: Secret", "AskL: Story", "Choose: Colour\tRed\tGreen", "Select: Letters:1", "AskF: Keep as\treply.txt", "ChooseF: File"}, Reply: gophertest.Echo},
		{Name: "Views", Selector: "/views", Views: []gophertest.View{
			{Type: "Text/plain", Language: "En_US", Data: "hello\n"}, {Type: "Text/plain", Language: "De_DE", Data: "hallo\n"}, {Type: "application/postscript", Language: "En_US", Data: "%!PS\n"},
		}},
		{Name: "Sub", Selector: "/sub", Items: []gophertest.Item{{Name: "Inner", Selector: "/inner", Data: "in\n"}}},
		{Type: '2', Name: "People"},
	}}
}

func start(t testing.TB, o *gophertest.Options) *gophertest.Server {
	t.Helper()
	server, err := gophertest.Start(fixture(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { server.Close() })
	return server
}

// get opens a gopher-path on the server.
func get(t testing.TB, s *gophertest.Server, path string, o *gopher.Options, with func(*scheme.Request)) (scheme.Resource, error) {
	t.Helper()
	req := &scheme.Request{URL: locus.MustParse("gopher://" + s.Addr() + "/" + path), Dial: new(net.Dialer), Source: true}
	if with != nil {
		with(req)
	}
	return gopher.New(o).Open(t.Context(), req)
}

// octets reads an object, and returns its contents.
func octets(t testing.TB, res scheme.Resource, err error) string {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	o, ok := res.(*scheme.Object)
	if !ok {
		t.Fatalf("%T", res)
	}
	text, err := io.ReadAll(o.Body)
	if err != nil {
		t.Error(err)
	}
	return string(text)
}

// items reads a menu. It returns each item as "kind title url", and the error that ended the
// menu.
func items(t testing.TB, res scheme.Resource, err error) (list []string, end error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	m, ok := res.(*scheme.Menu)
	if !ok {
		t.Fatalf("%T", res)
	}
	var all []scheme.Item
	for item, err := range m.Items {
		if err != nil {
			return list, err
		}
		all = append(all, item)
		list = append(list, strings.TrimRight(fmt.Sprintf("%s %s %s", item.Kind, item.Title, item.URL), " "))
	}
	if err := m.Close(); err != nil {
		t.Errorf("%s: closed behind its end: %v", m.URL, err)
	}
	if m.Source != nil {
		schemetest.SameArchived(t, gopher.Scheme(nil), m, all)
	}
	return list, nil
}

func TestMenu(t *testing.T) {
	s := start(t, nil)
	res, err := get(t, s, "", nil, nil)
	got, end := items(t, res, err)
	h := "gopher://" + s.Addr()
	want := []string{
		"info Welcome", "object About " + h + "/0/about%09%09+", "object Caf\xe9 " + h + "/0/latin%09%09+", "object Octets " + h + "/9/bin%09%09+",
		"object Page " + h + "/h/page%09%09+", "unknown Elsewhere http://example.org/a%20b", "session Login telnet://guest@h.example:2323", "session Host tn3270://h.example",
		"search Find " + h + "/7/find%09%09+", "form Survey " + h + "/0/survey%09%09?", "object Views " + h + "/0/views%09%09+", "menu Sub " + h + "/1/sub%09%09+",
	}
	if len(got) == 0 || !slices.Equal(got[:len(got)-1], want) || end != nil || !strings.HasPrefix(got[len(got)-1], "search People ") {
		t.Errorf("%q\nwant %q, %v", got, want, end)
	}
	// A second iteration must yield an error, and no connection may stay open.
	if got, end := items(t, res, nil); len(got) != 0 || end == nil {
		t.Errorf("again: %q %v", got, end)
	}
}

func TestObjects(t *testing.T) {
	for _, o := range []*gophertest.Options{nil, {Plain: true}, {Plain: true, NoDot: true}, {Length: gophertest.LengthClose}, {Length: gophertest.LengthExact}} {
		s := start(t, o)
		for _, test := range []struct{ path, octets, mediaType string }{
			{"0/about", "one\r\n.\r\ntwo\r\n.three\r\nfour\r\n", "text/plain; charset=utf-8"},
			{"0/latin", "caf\xe9\r\n", "text/plain; charset=iso-8859-1"},
			{"9/bin", "\x00\r\n.\r\n\xff", "application/octet-stream"},
			{"h/page", "<p>x</p>\r\n", "text/html"},
		} {
			for _, plus := range []string{"", "%09%09+"} {
				res, err := get(t, s, test.path+plus, nil, nil)
				got := octets(t, res, err)
				// This server does not double dots, so the client removes a dot from a line
				// with two dots.
				got = strings.Replace(got, "\r\n..three", "\r\n.three", 1)
				if o := res.(*scheme.Object); got != test.octets || o.Type != test.mediaType {
					t.Errorf("%s%s: %q %s, want %q %s", test.path, plus, got, o.Type, test.octets, test.mediaType)
				}
			}
		}
	}
}

func TestRedirects(t *testing.T) {
	for path, want := range map[string]string{
		"8guest": "telnet://guest@127.0.0.1:7", "T": "tn3270://127.0.0.1:7", "hURL:ftp://h/a%2520b": "ftp://h/a%20b",
	} {
		u := locus.MustParse("gopher://127.0.0.1:7/" + path)
		res, err := gopher.New(nil).Open(t.Context(), &scheme.Request{URL: u, Dial: noDialer{t}})
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		if to := res.(*scheme.Redirect).To; len(to) != 1 || to[0].String() != want {
			t.Errorf("%s: %v, want %s", path, to, want)
		}
	}
}

// noDialer is a dialer that fails the test if it is called.
type noDialer struct{ t *testing.T }

func (d noDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	d.t.Error("dialed")
	return nil, errors.New("no")
}

func TestNothingIsSent(t *testing.T) {
	for _, path := range []string{"0a%0D%0ADELE", "0a%0A", "0a%00", "0a%0Db", "7a%09b%0D%0A", "7a%09b%00", "0a%09%09+%0D%0A", "0a%09%09+%091%0D%0A+-1%0D%0A.%0D%0AQUIT", "2%09a%0D%0Aquit", "2?a%0D%0A", "0a%09%09!%0A", "hURL:a%0D%0A"} {
		u := locus.MustParse("gopher://127.0.0.1:7/" + path)
		if res, err := gopher.New(nil).Open(t.Context(), &scheme.Request{URL: u, Dial: noDialer{t}}); err == nil || res != nil {
			t.Errorf("%s: %v, %v", path, res, err)
		}
	}
}

func TestSearch(t *testing.T) {
	s := start(t, nil)
	res, err := get(t, s, "7/find%09two%20words", nil, nil)
	if got, end := items(t, res, err); end != nil || len(got) != 1 || !strings.HasPrefix(got[0], "object Found two words gopher://") {
		t.Errorf("%q %v", got, end)
	}
	res, err = get(t, s, "7/find%09nothing", nil, nil)
	if got, end := items(t, res, err); end != nil || len(got) != 0 {
		t.Errorf("%q %v", got, end)
	}
	before := len(s.Log())
	// For a search without words, the client must not send anything.
	for _, path := range []string{"7/find", "7/find%09%09+"} {
		res, err = get(t, s, path, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		m := res.(*scheme.Menu)
		if got, end := items(t, res, nil); len(got) != 0 || end != nil || m.Form == nil || len(m.Form.Fields) != 1 {
			t.Errorf("%s: %q %v %+v", path, got, end, m.Form)
		}
		u, err := m.Form.Submit([]string{"a b"})
		if want := strings.Replace(path, "find", "find%09a%20b", 1); err != nil || !strings.HasSuffix(u.String(), strings.Replace(want, "b%09%09+", "b%09+", 1)) {
			t.Errorf("%s: %s, %v", path, u, err)
		}
	}
	if after := len(s.Log()); after != before {
		t.Errorf("sent: %q", s.Log()[before:])
	}
	res, err = get(t, s, "7/find", nil, func(req *scheme.Request) {
		req.Fill = func(_ context.Context, f *scheme.Form) ([]string, bool, error) { return []string{"asked"}, true, nil }
	})
	if got, end := items(t, res, err); end != nil || len(got) != 1 || !strings.HasPrefix(got[0], "object Found asked") {
		t.Errorf("%q %v", got, end)
	}
}

func TestPhoneBook(t *testing.T) {
	s := start(t, &gophertest.Options{Phone: []gophertest.Person{{Alias: "anna", Name: "Anna Smith", Email: "anna@example.org", Phone: "1"}, {Alias: "bert", Name: "Bert Jones"}}})
	u := "gopher://" + s.PhoneAddr() + "/2"
	for _, form := range []string{"%09anna", "?anna"} {
		res, err := gopher.New(nil).Open(t.Context(), &scheme.Request{URL: locus.MustParse(u + form), Dial: new(net.Dialer)})
		got, end := items(t, res, err)
		if end != nil || !slices.Contains(got, "info Anna Smith") || !slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, " mailto:anna@example.org") }) {
			t.Errorf("%s: %q %v", form, got, end)
		}
	}
	for _, nobody := range []string{"", "%09", "%09%20", "?"} {
		res, err := gopher.New(nil).Open(t.Context(), &scheme.Request{URL: locus.MustParse(u + nobody), Dial: noDialer{t}})
		if err != nil || res.(*scheme.Menu).Form == nil {
			t.Errorf("%q: %v %v", nobody, res, err)
		}
	}
	if _, err := gopher.New(nil).Open(t.Context(), &scheme.Request{URL: locus.MustParse(u + "%09nobody"), Dial: new(net.Dialer)}); !errors.Is(err, scheme.ErrNotFound) {
		t.Error(err)
	}
}

func TestAttributes(t *testing.T) {
	s := start(t, nil)
	res, err := get(t, s, "0/views%09%09!", nil, nil)
	got, end := items(t, res, err)
	h := "gopher://" + s.Addr() + "/0/views%09%09+"
	for _, want := range []string{"object Text/plain En_US " + h + "Text/plain%20En_US", "object Text/plain De_DE " + h + "Text/plain%20De_DE", "object application/postscript En_US " + h + "application/postscript%20En_US"} {
		if !slices.Contains(got, want) {
			t.Errorf("%q is not in %q, %v", want, got, end)
		}
	}
	res, err = get(t, s, "0/about%09%09!+ABSTRACT", nil, nil)
	if got, end = items(t, res, err); end != nil || len(got) != 4 || got[1] != "info ABSTRACT:" || got[2] != "info   What it is about." {
		t.Errorf("%q %v", got, end)
	}
	res, err = get(t, s, "0/survey%09%09!", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	if f := res.(*scheme.Menu).Form; f == nil || len(f.Fields) != 8 {
		t.Errorf("%+v", f)
	}
	res.Close()
	res, err = get(t, s, "1%09%09$", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	found := false
	for item, err := range res.(*scheme.Menu).Items {
		if err != nil {
			t.Fatal(err)
		}
		if item.Title == "About" {
			found = true
			if item.Note != "What it is about." || item.Type == "" || item.ModTime.Year() != 1993 {
				t.Errorf("%+v", item)
			}
		}
		if item.Title == "Survey" && (item.Kind != scheme.KindForm || !strings.HasSuffix(item.URL.String(), "%09%09?")) {
			t.Errorf("%+v", item)
		}
	}
	if !found {
		t.Error("no About")
	}
	// With Options.Raw, the client must return the whole reply.
	res, err = get(t, s, "0/about%09%09!", &gopher.Options{Raw: true}, nil)
	if got := octets(t, res, err); !strings.HasPrefix(got, "+-1\r\n+INFO: 0About\t/about\t") || !strings.HasSuffix(got, "\r\n.\r\n") {
		t.Errorf("%q", got)
	}
	// This server does not support Gopher+.
	plain := start(t, &gophertest.Options{Plain: true})
	for _, path := range []string{"0/about%09%09!", "1%09%09$", "0/survey%09%09?", "0/about%09%09!+VIEWS"} {
		if _, err := get(t, plain, path, nil, nil); !errors.Is(err, scheme.ErrUnsupported) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

func TestView(t *testing.T) {
	s := start(t, nil)
	for _, test := range []struct{ accept, language, want, mediaType string }{
		{"", "de", "hallo\r\n", "text/plain; charset=utf-8"},
		{"application/postscript", "", "%!PS\r\n", "application/postscript"},
		{"text/*;q=0.5, application/postscript", "en_us", "%!PS\r\n", "application/postscript"},
		{"text/plain", "", "hello\r\n", "text/plain; charset=utf-8"},
	} {
		res, err := get(t, s, "0/views", nil, func(req *scheme.Request) { req.Accept, req.AcceptLanguage = test.accept, test.language })
		if got := octets(t, res, err); strings.ReplaceAll(got, "\r\n", "\n") != strings.ReplaceAll(test.want, "\r\n", "\n") || res.(*scheme.Object).Type != test.mediaType {
			t.Errorf("%+v: %q %s", test, got, res.(*scheme.Object).Type)
		}
	}
	if _, err := get(t, s, "0/views", nil, func(req *scheme.Request) { req.Accept = "image/gif" }); !errors.Is(err, scheme.ErrNotFound) || !strings.Contains(err.Error(), "postscript") {
		t.Error(err)
	}
	// A view in the URL must take precedence.
	res, err := get(t, s, "0/views%09%09+Text/plain%20De_DE", nil, func(req *scheme.Request) { req.Accept = "application/postscript" })
	if got := octets(t, res, err); got != "hallo\r\n" {
		t.Errorf("%q", got)
	}
	// If the attributes list no views, the client must request the single view with "+".
	unlisted := start(t, &gophertest.Options{Raw: map[string]func(net.Conn){
		"/x.ps\t!": func(conn net.Conn) { io.WriteString(conn, "+-1\r\n+INFO: 9X\t/x.ps\th\t70\t+\r\n.\r\n") },
		"/x.ps\t+": func(conn net.Conn) { io.WriteString(conn, "+4\r\n%!PS") },
	}})
	res, err = get(t, unlisted, "9/x.ps", nil, func(req *scheme.Request) { req.Accept = "application/postscript" })
	if got := octets(t, res, err); got != "%!PS" || res.(*scheme.Object).Type != "application/postscript" {
		t.Errorf("%q %+v", got, res)
	}
	if _, err := get(t, unlisted, "9/x.ps", nil, func(req *scheme.Request) { req.Accept = "image/gif" }); !errors.Is(err, scheme.ErrNotFound) {
		t.Error(err)
	}
	plain := start(t, &gophertest.Options{Plain: true})
	res, err = get(t, plain, "0/about", nil, func(req *scheme.Request) { req.AcceptLanguage = "de" })
	if got := octets(t, res, err); !strings.HasPrefix(got, "one") {
		t.Errorf("%q", got)
	}
}

// fill returns a FillFunc that answers the survey form.
func fill(answers ...string) scheme.FillFunc {
	return func(context.Context, *scheme.Form) ([]string, bool, error) { return answers, true, nil }
}

func TestForm(t *testing.T) {
	s := start(t, nil)
	res, err := get(t, s, "0/survey%09%09?", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	form := res.(*scheme.Menu).Form
	if form == nil || form.Title != "Survey" || len(form.Fields) != 8 {
		t.Fatalf("%+v", form)
	}
	answers := []string{"", "Bert", "s3cret", "line one\nline two", "Green", "0", "r.txt", ""}
	var trace []string
	res, err = get(t, s, "0/survey%09%09?", nil, func(req *scheme.Request) {
		req.Fill = fill(answers...)
		req.Trace = func(sent bool, line string) { trace = append(trace, line) }
	})
	want := "1: [Bert]\r\n2: [s3cret]\r\n3: [2]\r\n4: [line one]\r\n5: [line two]\r\n6: [Green]\r\n7: [0]\r\n8: [r.txt]\r\n"
	if got := octets(t, res, err); !strings.HasSuffix(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if text := strings.Join(trace, "\n"); strings.Contains(text, "s3cret") || !strings.Contains(text, "/survey\t+\t1\n") {
		t.Errorf("trace: %q", trace)
	}
	// The URL that Submit returns must submit the answers each time it is opened.
	u, err := form.Submit(answers)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		res, err = gopher.New(nil).Open(t.Context(), &scheme.Request{URL: u, Dial: new(net.Dialer)})
		if got := octets(t, res, err); !strings.HasSuffix(got, want) {
			t.Errorf("%s: %q", u, got)
		}
	}
	// The client must send a file unchanged, at the end of the data block.
	log := len(s.Log())
	answers[7] = "\x00\r\n.\r\n"
	res, err = get(t, s, "0/survey%09%09?", nil, func(req *scheme.Request) { req.Fill = fill(answers...) })
	octets(t, res, err)
	if got := s.Log()[log:]; len(got) != 2 || !strings.HasSuffix(got[1], "r.txt\r\n\x00\r\n.\r\n") || !strings.HasPrefix(got[1], "/survey\t+\t1\r\n+") {
		t.Errorf("%q", got)
	}
	// The client must not send invalid answers.
	log = len(s.Log())
	answers[1] = "a\r\nb"
	_, err = get(t, s, "0/survey%09%09?", nil, func(req *scheme.Request) { req.Fill = fill(answers...) })
	var wrong *scheme.AnswerError
	if !errors.As(err, &wrong) || wrong.Field != 1 || strings.Contains(err.Error(), "a\\r") {
		t.Error(err)
	}
	if got := s.Log()[log:]; len(got) != 1 {
		t.Errorf("%q", got)
	}
	if _, err := get(t, s, "0/about%09%09?", nil, nil); !errors.Is(err, scheme.ErrUnsupported) {
		t.Errorf("an item without a form: %v", err)
	}
}

func TestErrors(t *testing.T) {
	for _, o := range []*gophertest.Options{nil, {Plain: true}, {ErrorType: '0'}} {
		s := start(t, o)
		for _, path := range []string{"0/nope", "1/nope", "9/nope.zip", "g/nope.gif", "I/nope", "h/nope.html", "x/nope", "0/nope%09%09+", "0/nope%09%09!"} {
			_, err := get(t, s, path, nil, nil)
			if !errors.Is(err, scheme.ErrNotFound) && !(o != nil && o.Plain && errors.Is(err, scheme.ErrUnsupported)) {
				t.Errorf("%+v %s: %v", o, path, err)
			}
		}
	}
}

// The client must detect a Gopher+ error in the reply to a plain request.
func TestPlusErrors(t *testing.T) {
	replies := map[string]string{
		"/dot":   "--1\r\n1 Keeper <keeper@h>\r\nGone\r\n.\r\n",
		"/close": "--2\r\n1 Keeper <keeper@h>\r\nGone\r\n",
		"/later": "--1\n2 busy\n.\n",
		"/moved": "--1\r\n3 moved\r\n+INFO: 0About\t/about\tother.example\t70\r\n.\r\n",
		"/doc":   "--1\r\nis how an error begins\r\n.\r\n",
		"/long":  "--1\r\n1 is a code\r\n" + strings.Repeat("and more\r\n", 1000),
		"/rule":  "--12\r\n1\r\n.\r\n",
	}
	raw := map[string]func(net.Conn){}
	for selector, reply := range replies {
		raw[selector] = func(conn net.Conn) { io.WriteString(conn, reply) }
	}
	s := start(t, &gophertest.Options{Raw: raw})
	for _, gtype := range []string{"0", "1", "9", "h"} {
		for _, selector := range []string{"/dot", "/close"} {
			_, err := get(t, s, gtype+selector, nil, nil)
			var e *gopher.ReplyError
			if !errors.As(err, &e) || e.Code != gopher.CodeNotAvailable || e.Message != "Gone" || e.Admin != "Keeper <keeper@h>" || !errors.Is(err, scheme.ErrNotFound) {
				t.Errorf("%s%s: %v", gtype, selector, err)
			}
		}
		if _, err := get(t, s, gtype+"/later", nil, nil); !errors.Is(err, scheme.ErrUnreachable) {
			t.Errorf("%s/later: %v", gtype, err)
		}
		res, err := get(t, s, gtype+"/moved", nil, nil)
		if r, ok := res.(*scheme.Redirect); !ok || r.To[0].String() != "gopher://other.example/0/about" {
			t.Errorf("%s/moved: %v, %v", gtype, res, err)
		}
		if gtype == "1" {
			continue // in a menu, this reply is a menu line
		}
		for _, selector := range []string{"/doc", "/long", "/rule"} {
			res, err := get(t, s, gtype+selector, nil, nil)
			if got, want := octets(t, res, err), replies[selector]; !strings.HasPrefix(want, got) || len(got)+3 < len(want) {
				t.Errorf("%s%s: %.60q", gtype, selector, got)
			}
		}
	}
	res, err := get(t, s, "0/dot", &gopher.Options{Raw: true}, nil)
	if got := octets(t, res, err); got != replies["/dot"] {
		t.Errorf("raw: %q", got)
	}
}

// If a server does not double dots, the client must return the text unchanged and set the
// note.
func TestNotStuffed(t *testing.T) {
	const whole = "one\r\n..two\r\n.\r\nthree\r\n...\r\n"
	later := make(chan bool)
	s := start(t, &gophertest.Options{Raw: map[string]func(net.Conn){
		"/whole":   func(conn net.Conn) { io.WriteString(conn, whole) },
		"/stuffed": func(conn net.Conn) { io.WriteString(conn, "one\r\n..two\r\n..\r\n.\r\n") },
		"/later": func(conn net.Conn) {
			io.WriteString(conn, "one\r\n..two\r\n")
			<-later
			io.WriteString(conn, ".\r\nthree\r\n...\r\n")
		},
	}})
	for _, c := range []struct {
		path, want  string
		first, note bool // whether the note is set before reading, and after reading
	}{
		{"0/whole", whole, true, true},
		{"0/stuffed", "one\r\n.two\r\n.\r\n", false, false},
		{"0/later", whole, false, true},
	} {
		res, err := get(t, s, c.path, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		o := res.(*scheme.Object)
		// The client examines data that arrives early before it returns the object, but on a
		// loaded machine, the data may arrive too late.
		if o.Note != "" && !c.first {
			t.Errorf("%s: note %q", c.path, o.Note)
		}
		if c.path == "0/later" {
			close(later)
		}
		if got := octets(t, res, nil); got != c.want || (o.Note != "") != c.note {
			t.Errorf("%s: %q, note %q", c.path, got, o.Note)
		}
	}
}

// A reply to a request for a binary file must be an error only if it contains nothing else.
func TestErrorsAmongOctets(t *testing.T) {
	const line = "3Gone\t\terror.host\t1\r\n"
	more := make(chan bool)
	s := start(t, &gophertest.Options{Raw: map[string]func(net.Conn){
		"/long": func(conn net.Conn) { io.WriteString(conn, line+strings.Repeat("ia\t\t\t\r\n", 1000)) },
		"/slow": func(conn net.Conn) {
			io.WriteString(conn, line)
			<-more
			io.WriteString(conn, "more")
		},
	}})
	res, err := get(t, s, "9/long", nil, nil)
	if text := octets(t, res, err); !strings.HasPrefix(text, line) || len(text) < 7000 {
		t.Errorf("%d octets", len(text))
	}
	res, err = get(t, s, "9/slow", nil, nil)
	close(more)
	if text := octets(t, res, err); text != line+"more" {
		t.Errorf("%q", text)
	}
	res, err = get(t, s, "9/nope.zip", &gopher.Options{Raw: true}, nil)
	if text := octets(t, res, err); !strings.Contains(text, "\terror.host\t") {
		t.Errorf("raw: %q", text)
	}
}

func TestTLS(t *testing.T) {
	s := start(t, &gophertest.Options{Secure: true})
	u := locus.MustParse("gophers://" + s.Addr() + "/")
	c := gopher.New(&gopher.Options{TLSConfig: s.ClientConfig()})
	res, err := c.Open(t.Context(), &scheme.Request{URL: u, Dial: new(net.Dialer)})
	got, end := items(t, res, err)
	// Links to the same server must use TLS, and other links must not.
	if end != nil || len(got) < 3 || !strings.HasPrefix(got[1], "object About gophers://"+s.Addr()) {
		t.Errorf("%q %v", got, end)
	}
	res, err = c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("gophers://" + s.Addr() + "/0/about%09%09+"), Dial: new(net.Dialer)})
	if text := octets(t, res, err); !strings.HasPrefix(text, "one") {
		t.Errorf("%q", text)
	}
	var unknown *tls.CertificateVerificationError
	if _, err := gopher.New(nil).Open(t.Context(), &scheme.Request{URL: u, Dial: new(net.Dialer)}); !errors.As(err, &unknown) {
		t.Errorf("an unknown certificate: %v", err)
	}
}

func TestIPv6(t *testing.T) {
	l, err := net.Listen("tcp6", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6: ", err)
	}
	server, err := gophertest.Start(fixture(), &gophertest.Options{Listener: l})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	res, err := get(t, server, "", nil, nil)
	got, end := items(t, res, err)
	if end != nil || len(got) < 2 || !strings.HasPrefix(got[1], "object About gopher://[::1]:") {
		t.Fatalf("%q %v", got, end)
	}
	_, link, _ := strings.Cut(got[1], "gopher://")
	res, err = gopher.New(nil).Open(t.Context(), &scheme.Request{URL: locus.MustParse("gopher://" + link), Dial: new(net.Dialer)})
	if text := octets(t, res, err); !strings.HasPrefix(text, "one") {
		t.Errorf("%q", text)
	}
}

// With hostile or faulty servers, reading must end, and the client must return the valid
// parts.
func TestHostile(t *testing.T) {
	write := func(text string) func(net.Conn) {
		return func(conn net.Conn) { io.WriteString(conn, text) }
	}
	forever := func(first, text string) func(net.Conn) {
		return func(conn net.Conn) {
			io.WriteString(conn, first)
			for err := error(nil); err == nil; {
				_, err = io.WriteString(conn, text)
			}
		}
	}
	const line = "0A\t/a\th\t70\r\n"
	s := start(t, &gophertest.Options{Raw: map[string]func(net.Conn){
		"/endless":     forever("", line),
		"/long":        forever(line, strings.Repeat("x", 1000)),
		"/many":        write(strings.Repeat("0A\n", 1000)),
		"/lies\t+":     write("+10\r\nshort"),
		"/more\t+":     write("+5\r\nshort and more"),
		"/negative\t+": write("+-3\r\nx"),
		"/huge\t+":     write("+99999999999999999999\r\nx"),
		"/vast\t+":     write("+9223372036854775807\r\nx"),
		"/cut\t+":      write("+1"),
		"/attrs\t!":    forever("+-1\r\n", "+VIEWS:\r\n x: <1k>\r\n"),
		"/info\t$":     forever("+-1\r\n", "+INFO: "+line),
		"/open":        func(conn net.Conn) { io.WriteString(conn, "text\r\n.\r\n"); io.Copy(io.Discard, conn) },
		"/openmenu":    func(conn net.Conn) { io.WriteString(conn, line+".\r\n"); io.Copy(io.Discard, conn) },
		"/reset": func(conn net.Conn) {
			io.WriteString(conn, line)
			conn.(interface{ NetConn() net.Conn }).NetConn().(*net.TCPConn).SetLinger(0)
		},
		"/fields": write("0A\n0B\t/b\n0C\t/c\th\n0D\t/d\th\t0\n0E\t/e\th\t99999\n0F\t/f\ta b\t70\n0G\t/g\th\r70\n1H\t../../etc\th\t70\trubbish\tmore\n.\n0I\t/i\th\t70\n"),
	}})
	limits := &gopher.Options{Limits: gopher.Limits{Line: 4096, Items: 500, Octets: 1 << 20}}
	for _, test := range []struct {
		path  string
		items int
		is    error
	}{
		{"1/endless", 500, scheme.ErrTooLarge},
		{"1/long", 1, nil},
		{"1/many", 500, scheme.ErrTooLarge},
		{"1/info%09%09$", 500, scheme.ErrTooLarge},
		{"0/attrs%09%09!", -1, scheme.ErrTooLarge},
		{"1/reset", -1, scheme.ErrProtocol},
	} {
		res, err := get(t, s, test.path, limits, nil)
		if err != nil {
			if test.items < 0 && errors.Is(err, test.is) {
				continue
			}
			t.Errorf("%s: %v", test.path, err)
			continue
		}
		got, end := items(t, res, err)
		if end == nil || test.items >= 0 && len(got) != test.items || test.is != nil && !errors.Is(end, test.is) {
			t.Errorf("%s: %d items, then %v; want %d, then %v", test.path, len(got), end, test.items, test.is)
		}
	}
	for path, is := range map[string]error{"0/negative%09%09+": scheme.ErrProtocol, "0/huge%09%09+": scheme.ErrProtocol, "0/cut%09%09+": io.ErrUnexpectedEOF} {
		if _, err := get(t, s, path, limits, nil); !errors.Is(err, is) {
			t.Errorf("%s: %v, want %v", path, err, is)
		}
	}
	for path, want := range map[string]string{"0/lies%09%09+": "short", "9/vast%09%09+": "x"} {
		res, err := get(t, s, path, limits, nil)
		if err != nil {
			t.Errorf("%s: %v", path, err)
			continue
		}
		text, err := io.ReadAll(res.(*scheme.Object).Body)
		if string(text) != want || !errors.Is(err, scheme.ErrProtocol) || !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Errorf("%s: %q, %v", path, text, err)
		}
		res.Close()
	}
	res, err := get(t, s, "0/more%09%09+", limits, nil)
	if got := octets(t, res, err); got != "short" {
		t.Errorf("more: %q", got)
	}
	// The client must not wait forever for a server that does not close the connection.
	res, err = get(t, s, "1/openmenu", nil, nil)
	if got, end := items(t, res, err); len(got) != 1 || end != nil {
		t.Errorf("open menu: %q %v", got, end)
	}
	res, err = get(t, s, "1/fields", nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	var links []string
	for item, err := range res.(*scheme.Menu).Items {
		if err != nil {
			t.Fatal(err)
		}
		if !item.URL.IsZero() {
			links = append(links, item.Title+" "+item.URL.String())
		} else if item.Note == "" {
			t.Errorf("%q: nothing says why it leads nowhere", item.Title)
		}
	}
	if want := []string{"B gopher://" + s.Addr() + "/0/b", "C gopher://h/0/c", "G gopher://h/0/g", "H gopher://h/1../../etc"}; !slices.Equal(links, want) {
		t.Errorf("%q, want %q", links, want)
	}
}

// pipeDialer is a dialer that returns one end of a pipe, and calls the function with the other
// end.
type pipeDialer func(conn net.Conn)

func (f pipeDialer) DialContext(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	go func() {
		defer server.Close()
		f(server)
	}()
	return client, nil
}

// If a server does not close the connection after the end of a text, the client must stop
// waiting after a short time. If the text continues within this time, the client must read the
// rest.
func TestGrace(t *testing.T) {
	for _, test := range []struct {
		pause time.Duration
		want  string
	}{{time.Second, "text\r\n.\r\nmore\r\n"}, {time.Hour, "text\r\n"}} {
		synctest.Test(t, func(t *testing.T) {
			d := pipeDialer(func(conn net.Conn) {
				bufio.NewReader(conn).ReadSlice('\n')
				io.WriteString(conn, "text\r\n.\r\n")
				select {
				case <-time.After(test.pause):
					io.WriteString(conn, "more\r\n")
				case <-t.Context().Done():
				}
			})
			begin := time.Now()
			res, err := gopher.New(nil).Open(t.Context(), &scheme.Request{URL: locus.MustParse("gopher://h/0a"), Dial: &d})
			if got := octets(t, res, err); got != test.want || time.Since(begin) > time.Minute {
				t.Errorf("after %v: %q", time.Since(begin), got)
			}
		})
	}
}

// The client must stop waiting for a silent server at the deadline of the connection, or when
// the context ends.
func TestSilence(t *testing.T) {
	s := start(t, &gophertest.Options{Raw: map[string]func(net.Conn){
		"/silent": func(conn net.Conn) { io.Copy(io.Discard, conn) },
		"/half":   func(conn net.Conn) { io.WriteString(conn, "0A\t/a\th\t70\r\n1half"); io.Copy(io.Discard, conn) },
	}})
	for _, path := range []string{"0/silent", "1/silent", "0/silent%09%09+", "0/silent%09%09!", "0/silent%09%09?", "1/half"} {
		ctx, cancel := context.WithCancelCause(t.Context())
		stop := errors.New("enough")
		time.AfterFunc(50*time.Millisecond, func() { cancel(stop) })
		res, err := gopher.New(nil).Open(ctx, &scheme.Request{URL: locus.MustParse("gopher://" + s.Addr() + "/" + path), Dial: new(net.Dialer)})
		if err == nil && path == "1/half" {
			var got []string
			got, err = items(t, res, nil)
			if len(got) != 1 {
				t.Errorf("%s: %q", path, got)
			}
		}
		if !errors.Is(err, stop) {
			t.Errorf("%s: %v, want %v", path, err, stop)
		}
	}
	// Reading a very slow reply must fail at the timeout.
	synctest.Test(t, func(t *testing.T) {
		d := pipeDialer(func(conn net.Conn) {
			bufio.NewReader(conn).ReadSlice('\n')
			for {
				if _, err := io.WriteString(conn, "0A\t/a\th\t70\r\n"); err != nil {
					return
				}
				select {
				case <-time.After(time.Second):
				case <-t.Context().Done():
					return
				}
			}
		})
		for timeout, o := range map[time.Duration]*gopher.Options{
			10 * time.Minute: nil, time.Minute: {ReplyTimeout: time.Minute},
		} {
			begun := time.Now()
			res, err := gopher.New(o).Open(t.Context(), &scheme.Request{URL: locus.MustParse("gopher://h/1/drip"), Dial: &d})
			got, end := items(t, res, err)
			if len(got) == 0 || !errors.Is(end, os.ErrDeadlineExceeded) || time.Since(begun) != timeout {
				t.Errorf("%d items in %v, then %v; the limit is %v", len(got), time.Since(begun), end, timeout)
			}
		}
	})
}

func TestLimit(t *testing.T) {
	s := start(t, nil)
	res, err := get(t, s, "0/about", nil, func(req *scheme.Request) { req.Limit = 5 })
	if err != nil {
		t.Fatal(err)
	}
	defer res.Close()
	text, err := io.ReadAll(res.(*scheme.Object).Body)
	if !errors.Is(err, scheme.ErrTooLarge) || !bytes.Equal(text, []byte("one\r\n")) {
		t.Errorf("%q %v", text, err)
	}
}

func TestUnreachable(t *testing.T) {
	dead, err := servetest.Refusing("tcp")
	if err != nil {
		t.Fatal(err)
	}
	defer dead.Close()
	u := locus.MustParse("gopher://" + dead.LocalAddr().String() + "/")
	if _, err := gopher.New(nil).Open(t.Context(), &scheme.Request{URL: u, Dial: new(net.Dialer)}); !errors.Is(err, scheme.ErrUnreachable) || !strings.HasPrefix(err.Error(), "gopher: ") {
		t.Error(err)
	}
}
