package data_test

import (
	"context"
	"errors"
	"fmt"
	"image/gif"
	"io"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/data"
	"github.com/locus-url/locus/scheme/internal/current/currenttest"
	"github.com/locus-url/locus/scheme/schemetest"
)

// larry is the example picture in RFC 2397 section 4, without line breaks.
const larry = "data:image/gif;base64,R0lGODdhMAAwAPAAAAAAAP///ywAAAAAMAAw" +
	"AAAC8IyPqcvt3wCcDkiLc7C0qwyGHhSWpjQu5yqmCYsapyuvUUlvONmOZtfzgFz" +
	"ByTB10QgxOR0TqBQejhRNzOfkVJ+5YiUqrXF5Y5lKh/DeuNcP5yLWGsEbtLiOSp" +
	"a/TPg7JpJHxyendzWTBfX0cxOnKPjgBzi4diinWGdkF8kjdfnycQZXZeYGejmJl" +
	"ZeGl9i2icVqaNVailT6F5iJ90m6mvuTS4OK05M0vDk0Q4XUtwvKOzrcd3iq9uis" +
	"F81M1OIcR7lEewwcLp7tuNNkM3uNna3F2JQFo97Vriy/Xl4/f1cf5VWzXyym7PH" +
	"hhx4dbgYKAAA7"

const query = "data:application/vnd-xxx-query,select_vcount,fcol_from_fieldtable/local"

var config = schemetest.Config{
	Good:  []string{"data:,A%20brief%20note", larry, query, "data:;charset=utf-8,%C3%A4", "data:text/html;a=b;c=%22d%20%22;base64,QQ==#f", "data:,"},
	Bad:   []string{"data:", "data:text/html", "data:text,a", "data:a/b;c,d", "data:;base64,QQ", "data:a/b;c=d;C=e,f", "data://h/a"},
	Local: true,
	// The canonical form may use another encoding, so the comparison ignores the encoding.
	Same: func(before, after []scheme.Field) bool {
		describe := func(list []scheme.Field) string {
			list = slices.DeleteFunc(slices.Clone(list), func(f scheme.Field) bool { return f.Name == "base64" })
			parameters := slices.Clone(list[1].Value.([][]scheme.Field))
			slices.SortFunc(parameters, func(p, q []scheme.Field) int { return strings.Compare(p[0].Value.(string), q[0].Value.(string)) })
			return strings.ToLower(fmt.Sprint(list[0], parameters, list[2:]))
		}
		return describe(before) == describe(after)
	},
}

func TestScheme(t *testing.T) { schemetest.Run(t, data.Scheme(), config) }

func parse(t *testing.T, text string) data.URL {
	t.Helper()
	return bnftest.MustParse(t, data.Parse, text)
}

func TestParse(t *testing.T) {
	for _, test := range []struct{ text, contentType, octets string }{
		{"data:,A%20brief%20note", "text/plain; charset=US-ASCII", "A brief note"}, // RFC 2397 section 4
		{query, "application/vnd-xxx-query", "select_vcount,fcol_from_fieldtable/local"},
		{"data:text/plain;charset=iso-8859-7,%be%d3%be", "text/plain; charset=iso-8859-7", "\xbe\xd3\xbe"},
		{"data:,", "text/plain; charset=US-ASCII", ""},
		{"data:;charset=utf-8,%C3%A4", "text/plain; charset=utf-8", "ä"},
		{"data:;page=21,a", "text/plain; page=21", "a"},
		{"DATA:Text/HTML;Charset=UTF-8,<p>?a=b", "text/html; charset=UTF-8", "<p>?a=b"},
		{"data:text/html;BASE64,QQ%3D%3D", "text/html", "A"},
		{"data:image/svg%2Bxml;n=a%2Cb%3B,c", `image/svg+xml; n="a,b;"`, "c"},
		{"data:a/b;c=%22d%5C%22e%22,f", `a/b; c="d\"e"`, "f"},
		{"data:;base64,", "text/plain; charset=US-ASCII", ""},
		{"data:,a,b;base64,c", "text/plain; charset=US-ASCII", "a,b;base64,c"},
		{"data:,//h/%2E%2E?%23#fragment", "text/plain; charset=US-ASCII", "//h/..?#"},
	} {
		d := parse(t, test.text)
		if d.ContentType() != test.contentType || d.Octets() != test.octets {
			t.Errorf("%s: %q, %q", test.text, d.ContentType(), d.Octets())
		}
	}
	// The decoded data must be a valid picture.
	if p, err := gif.Decode(strings.NewReader(parse(t, larry).Octets())); err != nil || p.Bounds().Dx() != 48 {
		t.Errorf("%v, %v", p, err)
	}
}

func TestParseRefuses(t *testing.T) {
	for _, test := range []struct {
		before, at, part string
		err              error
		says             string
	}{
		{"data:", "", "dataurl", locus.ErrForm, `write ","`},
		{"data:text/html", "#f", "dataurl", locus.ErrForm, `write ","`},
		{"data:", "text,a", "mediatype", locus.ErrForm, "text/html"},
		{"data:", "/b,a", "mediatype", locus.ErrValue, "letters"},
		{"data:", "a/,b", "mediatype", locus.ErrValue, "letters"},
		{"data:", "a%20/b,c", "mediatype", locus.ErrValue, "letters"},
		{"data:", "a%0D%0A/b,c", "mediatype", locus.ErrValue, "letters"},
		{"data:a/b;", "c,d", "parameter", locus.ErrForm, "="},
		{"data:a/b;", ",d", "parameter", locus.ErrForm, "="},
		{"data:a/b;", "base64;c=d,e", "mediatype", locus.ErrForm, ";base64"},
		{"data:a/b;", "=c,e", "attribute", locus.ErrValue, "name"},
		{"data:a/b;c=d;", "C=e,f", "attribute", locus.ErrValue, "duplicate"},
		{"data:a/b;c=", ",f", "value", locus.ErrValue, "printable"},
		{"data:a/b;c=", "d%0D%0AX:,f", "value", locus.ErrValue, "printable"},
		{"data:a/b;c=", "%C3%A4,f", "value", locus.ErrValue, "printable"},
		{"data:;base64,QQ", "", "data", locus.ErrValue, "write == at the end"},
		{"data:;base64,QUI", "", "data", locus.ErrValue, "write = at the end"},
		{"data:;base64,QUI", "==", "data", locus.ErrValue, "ends in ="},
		{"data:;base64,QUJD", "=", "data", locus.ErrValue, `ends in no "="`},
		{"data:;base64,Q", "", "data", locus.ErrValue, "cut off"},
		{"data:;base64,QQ", "==QQ==", "data", locus.ErrValue, "more data follows"},
		{"data:;base64,QQ", "%3D%3DQ", "data", locus.ErrValue, "more data follows"},
		{"data:;base64,Q%51", "%20%3D%3D", "data", locus.ErrValue, "white space"},
		{"data:;base64,QQ", "%0A==", "data", locus.ErrValue, "white space"},
		{"data:;base64,QQ", "-_", "data", locus.ErrValue, `"+" for "-"`},
		{"data:;base64,QQ", "_-", "data", locus.ErrValue, `"/" for "_"`},
		{"data:;base64,QQ", "%FF=", "data", locus.ErrValue, "not a character"},
	} {
		u := locus.MustParse(test.before + test.at)
		_, err := data.Parse(u)
		bnftest.Refused(t, u, err, test.part, len(test.before), test.err)
		if err == nil || !strings.Contains(err.Error(), test.says) {
			t.Errorf("%s: %v", u, err)
		}
	}
	if _, err := data.Parse(locus.MustParse("http://h/")); !errors.Is(err, locus.ErrForm) {
		t.Error(err)
	}
}

// Browsers accept base64 with white space and without padding; RFC 4648 does not.
func TestBase64OfBrowsers(t *testing.T) {
	for _, text := range []string{
		"data:;base64,QQ", "data:;base64,Q%20Q%0A%3D=", "data:;base64,%09",
		"data:;base64,Q", "data:;base64,QQ=", "data:;base64,Q=Q=", "data:;base64,%FF%FE%20QQQ", "data:;base64,QQ%20-",
	} {
		if d, err := data.Parse(locus.MustParse(text)); !errors.Is(err, locus.ErrValue) {
			t.Errorf("Parse(%q) = %q, %v, want ErrValue", text, d.Octets(), err)
		}
	}
}

func TestCanonical(t *testing.T) {
	s := data.Scheme()
	for text, want := range map[string]string{
		"data:,A%20brief%20note":                           "data:,A%20brief%20note",
		"data:;base64,QSBicmllZiBub3Rl":                    "data:,A%20brief%20note",
		"DATA:Text/Plain;Charset=us-ascii,a#F":             "data:,a#F",
		"data:text/plain,a":                                "data:text/plain,a",
		"data:text/plain;charset=UTF-8,a":                  "data:;charset=utf-8,a",
		"data:a/b;z=1;c=2,%41%7e%2f%3f%26":                 "data:a/b;c=2;z=1,A%7E/?&",
		"data:a/b,%00%01%02%03%04%05%06%07":                "data:a/b;base64,AAECAwQFBgc=",
		"data:a/b;base64,AAECAwQFBgc%3D":                   "data:a/b;base64,AAECAwQFBgc=",
		"data:a/b;base64,AAECAwQFBgd=":                     "data:a/b;base64,AAECAwQFBgc=",
		"data:a/b;c=%22d%20e%22,f":                         "data:a/b;c=d%20e,f",
		"data:a/b;c=d%3Be%2Cf,g":                           "data:a/b;c=d%3Be%2Cf,g",
		larry:                                              larry,
		"data:text/plain;charset=US-ASCII;a=b;base64,QQ==": "data:;a=b;charset=us-ascii,A",
	} {
		got, _, err := s.Syntax.Canonical(locus.MustParse(text))
		if err != nil || got.String() != want {
			t.Errorf("%s: %s, want %s, %v", text, got, want, err)
		}
	}
}

func TestParts(t *testing.T) {
	d, err := data.Parts{Octets: "A brief note"}.URL()
	if err != nil || d.URL().String() != "data:,A%20brief%20note" {
		t.Errorf("%s, %v", d, err)
	}
	d, err = data.Parts{MediaType: "text/html", Parameters: []data.Parameter{{Name: "charset", Value: "utf-8"}}, Octets: "ä,#"}.URL()
	if err != nil || d.URL().String() != "data:text/html;charset=utf-8,%C3%A4,%23" || d.ContentType() != "text/html; charset=utf-8" {
		t.Errorf("%s, %v", d, err)
	}
	for _, p := range []data.Parts{{MediaType: "text"}, {MediaType: "a/b", Parameters: []data.Parameter{{Name: "c", Value: "d\r\nX: e"}}}} {
		if d, err := p.URL(); err == nil {
			t.Errorf("%+v: %s", p, d)
		}
	}
}

func TestOpen(t *testing.T) {
	var c data.Client
	res, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("data:text/html;charset=utf-8,abcdef#x"), Offset: 2})
	if err != nil {
		t.Fatal(err)
	}
	o := res.(*scheme.Object)
	octets, err := io.ReadAll(o.Body)
	if err != nil || string(octets) != "cdef" || o.Start != 2 || o.Size != 6 || o.Type != "text/html; charset=utf-8" || o.Close() != nil {
		t.Errorf("%+v, %q, %v", o, octets, err)
	}
	if res, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("data:,abc"), Limit: 2}); !errors.Is(err, scheme.ErrTooLarge) {
		t.Errorf("%v, %v", res, err)
	}
	if res, err := c.Open(t.Context(), &scheme.Request{URL: locus.MustParse("data:,abc"), Limit: 3, Offset: 9}); err != nil || res.(*scheme.Object).Start != 3 {
		t.Errorf("%v, %v", res, err)
	}
	ctx, cancel := context.WithCancelCause(t.Context())
	cancel(io.ErrClosedPipe)
	if res, err := c.Open(ctx, &scheme.Request{URL: locus.MustParse("data:,abc")}); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v, %v", res, err)
	}
}

func TestDescribe(t *testing.T) {
	r, err := scheme.NewRegistry(data.Scheme())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"data:text/html;base64,QQ==#f": "scheme:data :: mediatype:text/html :;base64 :, data:QQ== :# fragmentid:f",
		"data:,a,b?":                   "scheme:data :: :, data:a,b?",
		"data:a":                       "scheme:data :: mediatype:a",
	} {
		var spans []string
		for _, s := range r.Spans(locus.MustParse(text)) {
			spans = append(spans, s.Name+":"+s.Text)
		}
		if got := strings.Join(spans, " "); got != want {
			t.Errorf("%s: %s", text, got)
		}
	}
	if a, b := r.Title(locus.MustParse(larry)), r.Title(locus.MustParse("data:x")); a != "image/gif" || b != "" {
		t.Errorf("%q, %q", a, b)
	}
	if _, ok := r.InText().Lookup("data"); ok {
		t.Error("data URLs are looked for in running text")
	}
}

func TestCurrent(t *testing.T) {
	currenttest.Examples(t, data.Scheme(), []currenttest.Example{
		{"RFC 2397 4", "data:,A%20brief%20note", "", "data:,A%20brief%20note"},
		{"RFC 2397 4", larry, "", larry},
		{"RFC 2397 4", "data:text/plain;charset=iso-8859-7,%be%fg%be", "escape@38", ""},
		{"RFC 2397 4, corrected", "data:text/plain;charset=iso-8859-7,%be%d3%be", "", "data:;charset=iso-8859-7,%BE%D3%BE"},
		{"RFC 2397 4", query, "", query},
		{"", "data:;base64,fn4=", "", "data:,~~"},
		{"", "data:text/html,<p>", "character@15, character@17", ""},
		{"", "data:text/html,a%3Fb", "", "data:text/html,a?b"},
		{"", "data:;charset=utf-8,%C3%A4", "", ""},
		{"", "data:,%C3%A4", "charset@6!", ""},
		{"", "data:image/svg+xml,%3Csvg%20fill='#fff'/%3E", "fragment@34!", ""},
		{"", "data:a/b;c=%22d%22,e", "quoted-string@11!", "data:a/b;c=d,e"},
		{"3", "data:text/plain;a=b/c,x", "value@19", ""},
		{"3", "data:text/plain;a=b=c,x", "value@19", ""},
		{"3", "data:text/plain;a=(b,x", "value@18", ""},
		{"3", "data:text/plain;a=b?c@d,x", "value@19, value@21", ""},
		{"3", "data:text/plain;a=%22,x", "value@18", ""},
		{"3", "data:text/plain;a=%22b,x", "value@18", ""},
		{"3", "data:text/plain;a=%22b%22c%22,x", "value@18", ""},
		{"3", "data:text/plain;a=,x", "value@18", ""},
		{"3", "data:text/plain;a=b%2Fc,x", "", "data:;a=b%2Fc,x"},
		{"3", "data:text/plain;a=%22b/c%22,x", "quoted-string@18!", "data:;a=b%2Fc,x"},
		{"3", "data:;a=%28b%29,x", "", "data:;a=%28b%29,x"},
		{"3", "data:;a=%22%22,x", "", "data:;a=%22%22,x"},
		{"3", "data:;a=%22%5C%22b%22,x", "", "data:;a=%22%5C%22b%22,x"},
		{"", "data:", "dataurl@5", ""},
		{"", "data://h/a,b", "mediatype@5", ""},
		{"", "data:text;base64;a=b,QQ", "mediatype@5, mediatype@10", ""},
		{"", "data:text;base64,QQ", "mediatype@5, data@19", ""},
		{"", "data:;base64,QQ QQ", "data@15", ""},
	})
}

func TestCurrentReference(t *testing.T) {
	row := data.Scheme()
	const part = `(?:` + currenttest.Unreserved + `|` + currenttest.Escape + `|[!$&'()*+:@])+` // no ";", "=", ","
	split := regexp.MustCompile(strings.ReplaceAll(`^(?i:data):(?:(T)/(T))?((?:;T=(?:T|[=/?])+)*)(;(?i:base64))?,((?:`+currenttest.Pchar+`|[/?])*)`+currenttest.Fragment+`$`, "T", part))
	token := regexp.MustCompile("^[!#$%&'*+\\-.^_`{|}~0-9A-Za-z]+$").MatchString
	coded := regexp.MustCompile(`^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$`).MatchString
	printable := regexp.MustCompile(`^[ -~]+$`).MatchString
	quoted := regexp.MustCompile(`^"(?:[^"\\]|\\.)*"$`).MatchString
	isValue := func(text, decoded string) bool {
		if strings.HasPrefix(decoded, `"`) {
			return quoted(decoded) && printable(decoded)
		}
		return printable(decoded) && !strings.ContainsAny(text, `()<>@,;:\"/[]?=`)
	}
	twin := func(text string) bool {
		parts := split.FindStringSubmatch(text)
		if parts == nil {
			return false
		}
		decoded := func(text string) string {
			octets, err := escape.Decode(text)
			if err != nil {
				t.Fatal(err)
			}
			return octets
		}
		if parts[1] != "" && (!token(decoded(parts[1])) || !token(decoded(parts[2]))) {
			return false
		}
		seen := map[string]bool{}
		for _, p := range strings.Split(parts[3], ";")[1:] {
			name, value, _ := strings.Cut(p, "=")
			if name = strings.ToLower(decoded(name)); !token(name) || seen[name] || !isValue(value, decoded(value)) {
				return false
			}
			seen[name] = true
		}
		return parts[4] == "" || coded(decoded(parts[5]))
	}
	currenttest.ReferenceFunc(t, row, twin, "data:,A%20brief%20note", "data:text/plain;charset=iso-8859-7,%be%d3%be", query, "data:a/b;c=d;base64,QUJD", "data:;base64,QQ==", "data:image/svg+xml;a=b,c#d",
		"data:a/b;c=%22d=e%22;f=g%2Fh%28,i", "data:;a=%22%22,b")
}

// Writing a decoded URL and parsing the result must return the same parts.
func FuzzParse(f *testing.F) {
	for _, seed := range append(config.Good, config.Bad...) {
		f.Add(seed)
	}
	f.Add("data:a%2/b,c")
	r, err := scheme.NewRegistry(data.Scheme())
	if err != nil {
		f.Fatal(err)
	}
	row, _ := r.Lookup("data")
	f.Fuzz(func(t *testing.T, text string) {
		u, err := locus.Parse(text)
		if err != nil || u.Scheme() != "data" {
			return
		}
		schemetest.URL(t, row, u, config)
		d, err := data.Parse(u)
		if err != nil {
			return
		}
		if strings.ContainsAny(d.ContentType(), "\r\n\x00") || d.ContentType() == "" {
			t.Errorf("%q: %q", text, d.ContentType())
		}
		p, err := data.Parts{MediaType: d.MediaType(), Parameters: d.Parameters(), Octets: d.Octets()}.URL()
		if errors.Is(err, locus.ErrTooLong) {
			return
		}
		if err != nil || p.Octets() != d.Octets() || p.MediaType() != d.MediaType() {
			t.Errorf("%q: %s, %v", text, p, err)
		}
	})
}

func FuzzCurrent(f *testing.F) {
	currenttest.Fuzz(f, data.Scheme(), append(config.Good, "data:%,%f", "data://h;base64,%%%", "data:a/b;c=%22%22,d", "data:;base64,QQ %", "data:?#")...)
}
