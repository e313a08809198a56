package page

import (
	"errors"
	"flag"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/scheme"
)

var update = flag.Bool("update", false, "rewrite the golden pages")

const anArticle = `From: Bo =?iso-8859-1?Q?=D8ctet?= <bo@example.org>
Newsgroups: museum.general,museum.announce
Subject: Re: Where did the first URL lead?
Date: Thu, 1 Dec 1994 09:30:00 +0000
Message-ID: <4@example.org>
References: <1@example.net> <2@example.org>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=b

--b
Content-Type: text/plain; charset=utf-8; format=flowed

Ada Byte wrote:
>> Where did the first one lead?
> I believe that it led to a telephone book, see
> <URL:http://www.example.net/history/>.

That is what they say. The list of schemes is in RFC 1738, and 
ftp://ftp.example.net/rfc/rfc1738.txt has it. <script>alert(1)</script>

-- 
Bo Octet, eight bits a day
--b
Content-Type: image/png; name="map.png"
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--b
Content-Type: application/zip; name="all.zip"
Content-Disposition: attachment; filename="all.zip"
Content-Transfer-Encoding: base64

UEsDBAo=
--b
Content-Type: message/rfc822

From: ada@example.net
Subject: Within

> quoted
--b--
`

const aMessage = `From: Keeper <keeper@example.net>
To: you@example.com
Subject: A picture within
Message-ID: <5@example.net>
In-Reply-To: <4@example.org>
MIME-Version: 1.0
Content-Type: multipart/alternative; boundary=a

--a
Content-Type: text/plain

Look at the picture.
--a
Content-Type: multipart/related; boundary=r

--r
Content-Type: text/html; charset=iso-8859-1

<p onclick="x()">Look: <img src="cid:map@example.net"> <img src="http://track.example/x.gif"> caf` + "\xe9" + ` <a href="mid:4@example.org">before</a></p>
--r
Content-Type: image/png
Content-ID: <map@example.net>
Content-Transfer-Encoding: base64

iVBORw0KGgo=
--r--
--a--
`

const aDocument = `<html><head><title>A short  history</title><base href="http://www.example.net/history/"><script>alert(1)</script><style>p{}</style></head>
<body bgcolor=red onload="x()"><h1 id=top>A short history</h1>
<p style="color:red">In the beginning was <a href="../gopher/">a <b>menu</b></a>, and <a href="javascript:alert(1)">no link</a>,
<a href="gopher://gopher.example.net/1#there">another</a>, <a href="#top">up</a>, <a href="data:text/html,x">data</a>, <a name="here">here</a>
<img src="map.png" width=120 alt="A map"><img src="//evil.example/x.png"><form action=x><input name=x></form><iframe src=http://evil></iframe>
<svg><script>1</script></svg><math><mtext></math><table><tr><td colspan=2>one</table><pre>  as drawn</pre><marquee>runs</marquee>`

// fields returns the fields of an item.
func fields(list ...any) (all []scheme.Field) {
	for i := 0; i < len(list); i += 2 {
		all = append(all, scheme.Field{Name: list[i].(string), Value: list[i+1]})
	}
	return all
}

func anItem(title, url string, kind scheme.ItemKind, mediaType string, size int64) scheme.Item {
	return scheme.Item{Title: title, URL: parse(url), Kind: kind, Type: mediaType, Size: size}
}

// object returns an object with the given text.
func object(mediaType string, size int64, text string) *scheme.Object {
	o := objectOf(mediaType, strings.NewReader(text))
	o.Size = size
	return o
}

func objectOf(mediaType string, r io.Reader) *scheme.Object {
	return &scheme.Object{Type: mediaType, Size: -1, Body: io.NopCloser(r)}
}

func crlf(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }

// article is a line of a newsgroup.
func article(n int, subject, from, id string, references ...string) scheme.Item {
	return scheme.Item{
		Title: subject, Note: from, URL: parse("nntp://news.example.net/museum.general/" + itoa(int64(n))), Kind: scheme.KindObject, Type: "message/rfc822",
		Size: 900, ModTime: aTime.Add(time.Duration(n) * time.Hour), Fields: fields("number", n, "messageId", id, "references", references),
	}
}

// fixedRegistry returns a registry with the schemes of RFC 1738 and the URI draft, and one
// extension. So a new scheme does not change the golden pages that list schemes.
func fixedRegistry(t *testing.T, from *scheme.Registry) *scheme.Registry {
	t.Helper()
	r, err := scheme.NewRegistry(slices.DeleteFunc(from.All(), func(s scheme.Scheme) bool {
		return s.Status == scheme.Extension && s.Name != "gemini"
	})...)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// TestGolden compares pages of every kind with golden files. To accept an intended change,
// run the test with -update and review the diff.
func TestGolden(t *testing.T) {
	p := newPrinter(t)
	fixed := New(fixedRegistry(t, p.registry), testSite)
	sent := func() []Line { return []Line{{true, "/museum\x1b"}, {false, "iWelcome\t<b>\t\t"}, {false, "."}} }
	for name, print := range map[string]func(w io.Writer) error{
		"home": func(w io.Writer) error { return fixed.Home(w, nil, nil) },
		"lobby": func(w io.Writer) error {
			return fixed.Home(w, nil, []Section{{Title: "Rooms & <b>", Text: "What there is.", Items: []scheme.Item{
				{Title: "Hall", URL: parse("gopher://gopher.example.net/1"), Kind: scheme.KindMenu, Note: "the <i>first</i> room"},
			}}})
		},
		"schemes": func(w io.Writer) error { return fixed.Schemes(w, nil) },
		"lens": func(w io.Writer) error {
			site, text := testSite, func(s string) *string { return &s }
			site.Lens = "/lens"
			return New(p.registry, site).Lens(w, nil, Lens{
				Input: `http://a\@<b>/`, Columns: [][]string{{"whatwg", "node"}, {"curl"}}, Verdict: "Some parsers <b>", Danger: true, Share: "/lens?url=x",
				Parts:   []LensPart{{"scheme", false, []*string{text("http"), text("http")}}, {"user", true, []*string{nil, text(`a\`)}}, {"query", false, []*string{text(""), nil}}},
				Refused: []LensRefusal{{"rfc1738", "a\x1b <b>"}}, Advisories: []string{"CVE-2016-10397 (PHP: <b>)"},
			})
		},
		"lens-start": func(w io.Writer) error {
			site := testSite
			site.Lens = "/lens"
			return New(p.registry, site).Lens(w, nil, Lens{})
		},
		"archive": func(w io.Writer) error {
			return p.Index(w, nil, Index{
				Title: "Archive", Text: "Hosts <b>",
				Examples: []IndexEntry{{Text: "http://h.example/?<b>\x1b", Link: `/http/h.example/%3F<b>"`, Note: "text/html <b>"}},
				Entries:  []IndexEntry{{Text: "h.example", Link: "/-/kept?host=h.example"}},
			})
		},
		"gopher": func(w io.Writer) error {
			h := &Head{URL: parse("gopher://gopher.example.net:7070/1/museum"), Title: "The museum", Sent: sent}
			return p.Menu(w, h, &scheme.Menu{URL: h.URL, Items: items(
				info(`  |  \/  |_   _ ___`), info(""),
				anItem("About <this>", "gopher://gopher.example.net/0/about", scheme.KindObject, "text/plain", -1),
				anItem("Rooms", "gopher://gopher.example.net/1/rooms", scheme.KindMenu, "", -1),
				anItem("Find", "gopher://gopher.example.net/7/find", scheme.KindSearch, "", -1),
				anItem("Guest book", "gopher://gopher.example.net/0/guest%09%09?", scheme.KindForm, "", -1),
				anItem("Map", "gopher://gopher.example.net/g/map.gif", scheme.KindObject, "image/gif", 14200),
				anItem("Catalogue", "telnet://guest:secret@library.example.net/", scheme.KindSession, "", -1),
				anItem("Group", "news:museum.general", scheme.KindMenu, "", -1),
				anItem("evil", "javascript:alert(1)", scheme.KindObject, "text/html", -1),
				scheme.Item{Title: "Broken", Kind: scheme.KindError, Note: "no host"},
				info("\x1b[31mred\u202e"),
			)})
		},
		"listing": func(w io.Writer) error {
			h := &Head{URL: parse("ftp://ftp.example.net/pub/history/"), Show: Show{Sort: "-size"}}
			file := func(name string, kind scheme.ItemKind, mediaType string, size int64) scheme.Item {
				i := anItem(name, "ftp://ftp.example.net/pub/history/"+name, kind, mediaType, size)
				i.ModTime = aTime
				return i
			}
			return p.Menu(w, h, &scheme.Menu{URL: h.URL, Items: items(info("Welcome to the archive"), file("1971/", scheme.KindMenu, "", -1),
				file("README", scheme.KindObject, "text/plain", 484), file("all.tar.gz", scheme.KindObject, "application/gzip", 4840123))})
		},
		"groups": func(w io.Writer) error {
			h := &Head{URL: parse("nntp://news.example.net/")}
			return p.Menu(w, h, &scheme.Menu{URL: h.URL, Items: items(
				scheme.Item{Title: "museum.general", URL: parse("nntp://news.example.net/museum.general"), Kind: scheme.KindMenu, Note: "All of it", Fields: fields("count", 1234567)},
				info("not listed: 2"),
			)})
		},
		"articles": func(w io.Writer) error {
			h := &Head{URL: parse("nntp://news.example.net/museum.general")}
			return p.Menu(w, h, &scheme.Menu{URL: h.URL, Items: items(
				article(101, "Where?", "Ada <ada@example.net>", "1@x"), article(102, "Re: Where?", "Bo <bo@example.org>", "2@x", "1@x"),
				article(103, "New", "Keeper", "3@x"), article(104, "Re: Where?", "Ada", "4@x", "1@x", "2@x"), article(105, "Re: Where?", "Cy", "5@x", "1@x"),
			)})
		},
		"results": func(w io.Writer) error {
			h := &Head{URL: parse("wais://wais.example.net/museum?first%20protocols")}
			hit := anItem("The first <protocols>", "wais://wais.example.net/museum/TEXT/1", scheme.KindObject, "text/plain", 2345)
			hit.Note, hit.Fields = "score 640, 40 lines", fields("score", 640, "lines", 40)
			return p.Menu(w, h, &scheme.Menu{URL: h.URL, Items: items(hit),
				Form: &scheme.Form{URL: h.URL, Title: "Search museum", Fields: []scheme.FormField{{Kind: scheme.FieldText, Prompt: "Words", Default: "first protocols"}}}})
		},
		"prospero": func(w io.Writer) error {
			h := &Head{URL: parse("prospero://archive.example.net//museum;version=1")}
			link := anItem("1971", "ftp://ftp.example.net/pub/1971.txt", scheme.KindObject, "text/plain", 484)
			link.Note = "AFTP; union"
			return p.Menu(w, h, &scheme.Menu{URL: h.URL, Items: items(link)})
		},
		"text": func(w io.Writer) error {
			h := &Head{URL: parse("gopher://gopher.example.net/0/about"), Title: "About", Sent: sent, Views: []View{
				{URL: parse("gopher://gopher.example.net/0/about"), Type: "text/plain", Language: "En_US", Current: true, Size: -1},
				{URL: parse("gopher://gopher.example.net/0/about%09%09+text/plain%20Es_ES"), Type: "text/plain", Language: "Es_ES", Size: 1200},
			}}
			o := object("text/plain", 321, "<b>Hall</b> at <URL:gopher://gopher.example.net/1>,\r\nmail mailto:keeper@example.net. javascript:alert(1)\r\n\x1b[31mred\x1b[0m \u202ebidi caf\xe9 \u00fc\r")
			o.ModTime = aTime
			return p.Object(w, h, o)
		},
		"document": func(w io.Writer) error {
			h := &Head{URL: parse("http://www.example.net/index.html"), Cached: true, Age: 3 * time.Minute}
			return p.Object(w, h, object("text/html; charset=utf-8", 2048, aDocument))
		},
		"frame": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("http://www.example.net/index.html"), Show: Show{As: ClassFrame}}, object("text/html", 0, ""))
		},
		"image": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("ftp://ftp.example.net/pub/map.png")}, object("image/png", 1234, ""))
		},
		"sound": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("gopher://gopher.example.net/s/modem.wav")}, object("audio/x-wav", 123456, ""))
		},
		"video": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("ftp://ftp.example.net/film.mp4")}, object("video/mp4", 123456, ""))
		},
		"file": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("ftp://ftp.example.net/pub/all.zip")}, &scheme.Object{Type: "application/zip", Size: 1234567, ModTime: aTime, Name: "a\"l<l.zip"})
		},
		"article": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("nntp://news.example.net/museum.general/104")}, object("message/rfc822", 1234, crlf(anArticle)))
		},
		"letter": func(w io.Writer) error {
			return p.Object(w, &Head{URL: parse("mid:5@example.net")}, object("message/rfc822", 1234, crlf(aMessage)))
		},
		"form": func(w io.Writer) error {
			f := &scheme.Form{URL: parse("gopher://gopher.example.net/0/guest%09%09?"), Title: "Guest <book>", Fields: []scheme.FormField{
				{Kind: scheme.FieldNote, Prompt: "A word\nfrom <you>."}, {Kind: scheme.FieldText, Prompt: "Your name", Default: "\"A\""}, {Kind: scheme.FieldLines, Prompt: "Liked"},
				{Kind: scheme.FieldChoice, Prompt: "First", Choices: []string{"lists", "files"}}, {Kind: scheme.FieldChoice, Prompt: "One", Choices: []string{"1", "2", "3", "4", "5", "6"}, Default: "2"},
				{Kind: scheme.FieldHidden, Prompt: "Secret", Default: "hush"}, {Kind: scheme.FieldCheck, Prompt: "Again", Default: "1"}, {Kind: scheme.FieldFile, Prompt: "Picture"}, {Kind: scheme.FieldSaveAs, Prompt: "Store as"},
			}}
			return p.Form(w, &Head{URL: f.URL, Token: "t0ken"}, f, nil, &scheme.AnswerError{Field: 1, Prompt: "Your name", Err: errors.New("too short")})
		},
		"terminal": func(w io.Writer) error {
			return p.Terminal(w, &Head{URL: parse("telnet://guest:secret@library.example.net/")})
		},
		"compose": func(w io.Writer) error {
			return p.Message(w, &Head{URL: parse("mailto:keeper@example.net"), Token: "t0ken"}, Message{To: "keeper@example.net", Subject: "<Q>", Relay: "smtps://mail.example.net:465", LeftOut: []string{"bcc"}, Problem: errors.New("from: not an address")})
		},
		"preview": func(w io.Writer) error {
			return p.Message(w, &Head{URL: parse("mailto:keeper@example.net"), Token: "t0ken"}, Message{From: "a@example.net", To: "keeper@example.net", Body: "</textarea>\n", Relay: "smtps://mail.example.net:465", Preview: "From: a@example.net\n| </pre>\x1b\n"})
		},
		"sent": func(w io.Writer) error {
			return p.Message(w, &Head{URL: parse("mailto:keeper@example.net")}, Message{Relay: "smtps://mail.example.net:465", Sent: "250 <ok>"})
		},
		"no-relay": func(w io.Writer) error {
			return p.Message(w, &Head{URL: parse("mailto:keeper@example.net")}, Message{})
		},
		"failure": func(w io.Writer) error {
			return p.Failure(w, &Head{URL: parse("gopher://nobody.example.net/1"), Sent: sent}, "unreachable", errors.New("no such host"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			got := printed(t, print)
			harmless(t, got)
			if strings.Contains(got, "secret") {
				t.Error("a password is shown")
			}
			file := filepath.Join("testdata", name+".html")
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if got != string(want) {
				t.Errorf("differs from %s; -update rewrites it\n%s", file, firstDifference(got, string(want)))
			}
		})
	}
}

// firstDifference returns the first line in which two texts differ.
func firstDifference(got, want string) string {
	a, b := strings.Split(got, "\n"), strings.Split(want, "\n")
	for i := range min(len(a), len(b)) {
		if a[i] != b[i] {
			return "got  " + a[i] + "\nwant " + b[i]
		}
	}
	return "one is longer"
}
