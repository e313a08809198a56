package message_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme/mid"
	"github.com/locus-url/locus/scheme/news"
)

func TestDecodeWords(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		// RFC 2047 section 8, with comments as in the field.
		{"(=?ISO-8859-1?Q?a?=)", "(a)"},
		{"(=?ISO-8859-1?Q?a?= b)", "(a b)"},
		{"(=?ISO-8859-1?Q?a?= =?ISO-8859-1?Q?b?=)", "(ab)"},
		{"(=?ISO-8859-1?Q?a?=  =?ISO-8859-1?Q?b?=)", "(ab)"},
		{"(=?ISO-8859-1?Q?a?=\r\n    =?ISO-8859-1?Q?b?=)", "(ab)"},
		{"(=?ISO-8859-1?Q?a_b?=)", "(a b)"},
		{"(=?ISO-8859-1?Q?a?= =?ISO-8859-2?Q?_b?=)", "(a b)"},
		{"=?US-ASCII?Q?Keith_Moore?= <moore@cs.utk.edu>", "Keith Moore <moore@cs.utk.edu>"},
		{"=?ISO-8859-1?Q?Keld_J=F8rn_Simonsen?= <keld@dkuug.dk>", "Keld Jørn Simonsen <keld@dkuug.dk>"},
		{"=?ISO-8859-1?Q?Andr=E9?= Pirard <PIRARD@vm1.ulg.ac.be>", "André Pirard <PIRARD@vm1.ulg.ac.be>"},
		{"=?ISO-8859-1?B?SWYgeW91IGNhbiByZWFkIHRoaXMgeW8=?=\n =?ISO-8859-2?B?dSB1bmRlcnN0YW5kIHRoZSBleGFtcGxlLg==?=", "If you can read this you understand the example."},
		{"=?ISO-8859-1?Q?Olle_J=E4rnefors?= <ojarnef@admin.kth.se>", "Olle Järnefors <ojarnef@admin.kth.se>"},
		{"Nathaniel Borenstein <nsb@thumper.bellcore.com>\n    (=?iso-8859-8?b?7eXs+SDv4SDs6Pj08A==?=)", "Nathaniel Borenstein <nsb@thumper.bellcore.com>     (םולש ןב לטרפנ)"},
		// RFC 2231 section 5.
		{"=?US-ASCII*EN?Q?Keith_Moore?= <moore@cs.utk.edu>", "Keith Moore <moore@cs.utk.edu>"},
		// Common deviations.
		{"plain", "plain"},
		{"", ""},
		{"=?utf-8?Q?=C3?= =?UTF-8?Q?=A9?=", "é"},
		{"=?utf-8?B?w6k?=", "é"},
		{"=?utf-8?q?two words?=", "two words"},
		{`"=?utf-8?Q?quoted?="`, `"quoted"`},
		{"a=?utf-8?Q?b?=c", "abc"},
		{"=?utf-8?Q?a?= b =?utf-8?Q?c?=", "a b c"},
		{"=?utf-8?Q?a?= ", "a "},
		{"=?iso-2022-jp?B?GyRCRnxLXBsoQg==?=", "日本"},
		{"=?gb2312?B?suLK1A==?=", "测试"},
		{"=?KOI8-R?B?8NLJ18XU?=", "Привет"},
		{"=?us-ascii?Q?caf=E9?=", "café"},
		{"=?utf-8?Q?=ZZ=4?=", "=ZZ=4"},
		{"=?utf-8?Q??=", ""},
		// Other text stays.
		{"=?martian?Q?a=41?= b", "=?martian?Q?a=41?= b"},
		{"=?martian?Q?a?= =?martian?Q?b?=", "=?martian?Q?a?= =?martian?Q?b?="},
		{"=?utf-8?Q?a?= =?martian?Q?b?=", "a =?martian?Q?b?="},
		{"=?utf-8?X?a?=", "=?utf-8?X?a?="},
		{"=?utf-8?Q?a?", "=?utf-8?Q?a?"},
		{"=?utf-8?Q?a", "=?utf-8?Q?a"},
		{"=??Q?a?=", "=??Q?a?="},
		{"=?=?utf-8?Q?a?=", "=?a"},
		{"=?", "=?"},
		// Raw octets.
		{"Größe", "Größe"},
		{"Gr\xf6\xdfe", "Größe"},
		{"\xff =?utf-8?Q?=C3=A9?=", "ÿ é"},
		// A line end in a word becomes a space.
		{"=?utf-8?Q?a=0D=0AFrom:_b=E2=80=A8c?=", "a  From: b c"},
		{"a\r\n b", "a   b"},
		{"=?utf-8?Q?a=1B[31m?=", "a\x1b[31m"},
	} {
		if got := message.DecodeWords(row.text); got != row.want {
			t.Errorf("%q: %q, want %q", row.text, got, row.want)
		}
	}
}

func TestParams(t *testing.T) {
	for _, row := range []struct {
		text, typ string
		want      map[string]string
	}{
		// RFC 2231 section 3.
		{"message/external-body; access-type=URL;\n URL*0=\"ftp://\";\n URL*1=\"cs.utk.edu/pub/moore/bulk-mailer/bulk-mailer.tar\"", "message/external-body",
			map[string]string{"access-type": "URL", "url": "ftp://cs.utk.edu/pub/moore/bulk-mailer/bulk-mailer.tar"}},
		// Section 4.
		{"application/x-stuff;\n title*=us-ascii'en-us'This%20is%20%2A%2A%2Afun%2A%2A%2A", "application/x-stuff", map[string]string{"title": "This is ***fun***"}},
		// Section 4.1.
		{"application/x-stuff;\n title*0*=us-ascii'en'This%20is%20even%20more%20;\n title*1*=%2A%2A%2Afun%2A%2A%2A%20;\n title*2=\"isn't it!\"", "application/x-stuff",
			map[string]string{"title": "This is even more ***fun*** isn't it!"}},
		// RFC 2045 section 5.1.
		{"text/plain; charset=us-ascii (Plain text)", "text/plain", map[string]string{"charset": "us-ascii"}},
		{`text/plain; charset="us-ascii"`, "text/plain", map[string]string{"charset": "us-ascii"}},
		// Common deviations.
		{`TEXT/Plain; NAME="a;b\"c"; name=second`, "text/plain", map[string]string{"name": `a;b"c`}},
		{`a/b; name=two words.txt; x=y`, "a/b", map[string]string{"name": "two words.txt", "x": "y"}},
		{`a/b; name="C:\dir\file.txt"`, "a/b", map[string]string{"name": `C:\dir\file.txt`}},
		{`a/b; title*1=b; title*0=a; title*3=d`, "a/b", map[string]string{"title": "ab"}},
		{`a/b; title*=iso-8859-1''caf%E9; title=cafe`, "a/b", map[string]string{"title": "café"}},
		{`a/b; title*=martian''caf%E9`, "a/b", map[string]string{"title": "café"}},
		{`a/b; title*=100%; *=x; a*b=c; t*999=d`, "a/b", map[string]string{"title": "100%"}},
		{`a/b (comment); c (of c) = d`, "a/b", map[string]string{"c": "d"}},
		{`a/b; c; d=; ;; e = "f`, "a/b", map[string]string{"c": "", "d": "", "e": "f"}},
		{`a/b; name="=?utf-8?Q?=C3=A9?="`, "a/b", map[string]string{"name": "=?utf-8?Q?=C3=A9?="}},
	} {
		m := parse(t, "Content-Type: "+row.text+"\n\n")
		p := m.Parts()[0]
		if got := p.Params(); p.Type != row.typ || !maps.Equal(got, row.want) {
			t.Errorf("%s: %s %q, want %s %q", row.text, p.Type, got, row.typ, row.want)
		}
	}
	many := parse(t, "Content-Type: a/b"+strings.Repeat("; x", 1000)+strings.Repeat("; x*9=y", 1000)+"\n\n")
	if got := many.Parts()[0].Params(); len(got) != 1 {
		t.Errorf("%d parameters", len(got))
	}
}

func TestName(t *testing.T) {
	for text, want := range map[string]string{
		`filename="photo.png"`:                        "photo.png",
		`filename="../../etc/passwd"`:                 "passwd",
		`filename="C:\Users\x\y.doc"`:                 "y.doc",
		`filename=".."`:                               "",
		`filename="a/"`:                               "",
		`filename*=utf-8''a%2Fb%0Ac%00`:               "b c_",
		`filename*=utf-8''x%E2%80%AEgpj.exe`:          "x_gpj.exe",
		`filename="=?utf-8?Q?=C3=A9.txt?="`:           "é.txt",
		`filename=` + strings.Repeat("é", 200):        strings.Repeat("é", 127),
		`filename="` + strings.Repeat("a/", 99) + `"`: "",
	} {
		p := parse(t, "Content-Disposition: attachment; "+text+"\n\n").Parts()[0]
		if p.Name != want || p.Disposition != "attachment" {
			t.Errorf("%s: %q %s, want %q", text, p.Name, p.Disposition, want)
		}
	}
	if p := parse(t, "Content-Type: image/png; name=b.png\nContent-Disposition: inline\n\n").Parts()[0]; p.Name != "b.png" {
		t.Errorf("%q", p.Name)
	}
}

func TestFlowed(t *testing.T) {
	for _, row := range []struct{ params, text, want string }{
		// RFC 3676 section 4.7.
		{"", "`Take some more tea,' the March Hare said to Alice, very \nearnestly.\n\n`I've had nothing yet,' Alice replied in an offended tone, `so \nI can't take more.'\n\n`You mean you can't take LESS,' said the Hatter: `it's very \neasy to take MORE than nothing.'\n",
			"`Take some more tea,' the March Hare said to Alice, very earnestly.\n\n`I've had nothing yet,' Alice replied in an offended tone, `so I can't take more.'\n\n`You mean you can't take LESS,' said the Hatter: `it's very easy to take MORE than nothing.'\n"},
		{"", ">>>Take some more tea.\n>>I've had nothing yet, so I can't take more.\n>You mean you can't take LESS, it's very easy to take \n>MORE than nothing.\n",
			">>> Take some more tea.\n>> I've had nothing yet, so I can't take more.\n> You mean you can't take LESS, it's very easy to take MORE than nothing.\n"},
		// Section 4.1, DelSp.
		{"; delsp=yes", "日本 \n語\n", "日本語\n"},
		{"; delsp=YES", "two  \nwords\n", "two words\n"},
		{"", "two \nwords\n", "two words\n"},
		// Section 4.3.
		{"", "text \n-- \nname\n", "text \n-- \nname\n"},
		{"", "> text\n> -- \n> name\n", "> text\n> -- \n> name\n"},
		// Section 4.4.
		{"", " From here\n  indented\n >no quote\n", "From here\n indented\n>no quote\n"},
		// Section 4.5: another quote level begins another paragraph.
		{"", "> one \n>> two \nthree\n", "> one \n>> two \nthree\n"},
		{"", "> \n>\n", "> \n> \n"},
		{"", "last \n", "last "},
		{"", "last", "last"},
		{"", "", ""},
	} {
		for _, text := range []string{row.text, crlf(row.text)} {
			p := parse(t, "Content-Type: text/plain; charset=utf-8; format=flowed"+row.params+"\n\n"+text).Parts()[0]
			if got := readAll(t, p.Text()); got != row.want {
				t.Errorf("%q: %q, want %q", text, got, row.want)
			}
		}
	}
	if got := readAll(t, parse(t, "A: b\n\ntwo \nwords\n").Parts()[0].Text()); got != "two \nwords\n" {
		t.Errorf("fixed: %q", got)
	}
}

func TestEncodings(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for _, row := range []struct{ encoding, text, want string }{
		{"base64", "QUJDREVG", "ABCDEF"},
		{"BASE64", "QUJD\r\nREVG\r\n", "ABCDEF"},
		{"base64", "QU\n J*D\x00\nRE=\nQQ==QUI=", "ABCDAAB"},
		{"base64", "QUJDRE", "ABCD"},
		{"base64", "QUJDR", "ABC"},
		{"base64", "====", ""},
		{"base64 (what it is)", "QQ==", "A"},
		// RFC 2045 section 6.7.
		{"quoted-printable", "Now's the time =\nfor all folk to come=\n to the aid of their country.", "Now's the time for all folk to come to the aid of their country."},
		{"quoted-printable", "=3D=3d=41 \t \r\nb=\t\r\nc=", "==A\r\nbc"},
		{"quoted-printable", "=4x=\n=zz==41", "=4x=zz=A"},
		{"quoted-printable", long + "=41" + long + "=", long + "A" + long},
		{"quoted-printable", strings.Repeat("x", 16<<10-1) + "=41", strings.Repeat("x", 16<<10-1) + "A"},
		{"quoted-printable", strings.Repeat("x", 16<<10-2) + "=41", strings.Repeat("x", 16<<10-2) + "A"},
		{"7bit", "a=41\r\n", "a=41\r\n"},
		{"8Bit", "\xff\x00", "\xff\x00"},
		{"", "a", "a"},
		{"x-uuencode", "junk\nbegin 644 cat.txt\n#0V%T\n`\nend\nafter\n", "Cat"},
		{"x-uuencode", "begin 644 a\n!80\n \nend\n", "a"},
		{"uuencode", "begin 644 a\r\n#0V%T\r\n", "Cat"},
		{"x-uue", "no file", ""},
	} {
		p := parse(t, "Content-Type: image/png\nContent-Transfer-Encoding: "+row.encoding+"\n\n"+row.text).Parts()[0]
		got := readAll(t, p.Open())
		if got != row.want {
			t.Errorf("%s %.60q: %.60q, want %.60q", row.encoding, row.text, got, row.want)
		}
		if n, err := p.DecodedSize(); n != int64(len(got)) || err != nil {
			t.Errorf("%s %.60q: %d octets, %v", row.encoding, row.text, n, err)
		}
	}
}

func TestCharsets(t *testing.T) {
	for _, row := range []struct{ charset, text, want string }{
		{"utf-8", "é\xff", "é\ufffd"},
		{"iso-8859-1", "caf\xe9 \x80", "café €"},
		{"iso-8859-15", "\xa4", "€"},
		{"KOI8-R", "\xf0\xd2", "Пр"},
		{"iso-2022-jp", "\x1b$BF|K\\\x1b(B", "日本"},
		{"utf-16", "\x00a", "a"},
		{"hz-gb-2312", "~{<:~}", "己"},
		{"ks_c_5601-1987", "\xb0\xa1", "가"},
		{"us-ascii", "é\xe9", "éé"},
		{"unknown-8bit", "\xe9", "é"},
		{"martian", "é\xe9 \xe2\x82", "éé â\u0082"},
		{"", "\xe2\x82\xac", "€"},
	} {
		p := parse(t, "Content-Type: text/plain; charset="+row.charset+"\n\n"+row.text).Parts()[0]
		if got := readAll(t, p.Text()); got != row.want {
			t.Errorf("%s %q: %q, want %q", row.charset, row.text, got, row.want)
		}
	}
	// A character at any offset in the buffers.
	for n := range 10 {
		text := strings.Repeat("x", 4090+n) + "€"
		if got := readAll(t, parse(t, "A: b\n\n"+text).Parts()[0].Text()); got != text {
			t.Errorf("%d: %q", n, got[4085:])
		}
	}
}

func TestHTML(t *testing.T) {
	for text, want := range map[string]string{
		"<p>one<p>two":                                               "one\n\ntwo",
		"a<br>b<br><br>c<BR/>d":                                      "a\nb\n\nc\nd",
		"  many \n blanks  <b> here</b> ":                            "many blanks here",
		"&lt;b&gt; &amp &euro; &#x41;&#65; &nope; &":                 "<b> & € AA &nope; &",
		"a&nbsp;&nbsp;b":                                             "a  b",
		"<ul><li>one</li><li>two</li></ul>x":                         "* one\n* two\nx",
		"<pre>a\n  b\n\nc</pre>d":                                    "a\n  b\n\nc\n\nd",
		"<blockquote>a<br>b<blockquote>c</blockquote></blockquote>d": "> a\n> b\n\n> > c\n\nd",
		"<script>if (a<b) alert('</p>')</script>x":                   "x",
		"<STYLE>p{}</Style >x<title>t</title>":                       "x",
		"<script>never ends <b>":                                     "",
		"a<!-- c -- > <b> -->b<!--->c<!-->d":                         "abcd",
		"a<!-->b<!--->c":                                             "abc",
		"a<!doctype html>b<?xml?>c":                                  "abc",
		"1 < 2 <3 a<b":                                               "1 < 2 <3 a",
		`<img alt="a&gt;b"><img src=x><img alt=' '>`:                 "[a>b]",
		`<a title=">" href='http://h/'>x</a>`:                        "x[1]\n\nLinks:\n[1] http://h/",
		`<a href=http://h/>x</a> <a href="http://h/">y</a> <a href=/b?c&amp;d>z</a>`: "x[1] y[1] z[2]\n\nLinks:\n[1] http://h/\n[2] /b?c&d",
		`<a href="http://h/">http://h/</a> <a href="mailto:a@b">a@b</a>`:             "http://h/ a@b",
		`<a href="javascript:x()">x</a><a href=#y>y</a><a>z</a><a href="data:,">w`:   "xyzw",
		"<a href=\"ht\ntp://h/\x1b[1m\">x</a>":                                       "x[1]\n\nLinks:\n[1] http://h/[1m",
		"<a href=http://h/1>x<a href=http://h/2>y</a>":                               "x[1]y[2]\n\nLinks:\n[1] http://h/1\n[2] http://h/2",
		"<a href=http://h/>x </a>y<p><a href=http://i/><p>z</p></a>":                 "x[1] y\n\nz\n\n[2]\n\nLinks:\n[1] http://h/\n[2] http://i/",
		"a<hr>b": "a\n----\nb",
		"a<ul><li>b<ul><li>c</ul></ul><dl><dt>d<dd>e":   "a\n\n* b\n  * c\n\nd\n  e",
		"a<p>&nbsp;<p>&nbsp; b":                         "a\n\n  b",
		"a<select><option>b</select><object>c</object>": "ac",
		"<table><tr><td>a<td>b<tr><td>c</table>":        "a b\nc",
		"<":                                             "<",
		"</":                                            "",
		"<a":                                            "",
		"":                                              "",
	} {
		m := parse(t, "A: b\nContent-Type: text/html; charset=utf-8\n\n"+text)
		var b strings.Builder
		if err := m.WriteText(&b, nil); err != nil {
			t.Fatal(err)
		}
		if got := strings.TrimSuffix(b.String(), "\n"); got != want {
			t.Errorf("%s:\n%q, want\n%q", text, got, want)
		}
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "<a href=http://h/%d>x</a>", i)
	}
	var b strings.Builder
	if err := parse(t, "Content-Type: text/html\n\n"+many.String()).WriteText(&b, nil); err != nil || strings.Count(b.String(), "http://") != 200 {
		t.Errorf("%d links, %v", strings.Count(b.String(), "http://"), err)
	}
}

// HTML is read in pieces: a tag, a reference or a text may span two of them.
func TestHTMLPieces(t *testing.T) {
	const unit, shown = `<p title="a>b">one &lt;two&gt;<!-- x --> <i>t</i>hree`, "one <two> three"
	for shift := range len(unit) {
		text := strings.Repeat("x", shift) + strings.Repeat(unit, 2000)
		var b strings.Builder
		if err := parse(t, "Content-Type: text/html\n\n"+text).WriteText(&b, nil); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(b.String(), shown); n != 2000 || strings.ContainsAny(b.String(), "&/-") {
			t.Fatalf("shift %d: %d paragraphs", shift, n)
		}
	}
	var b strings.Builder
	long := "before<!-- " + strings.Repeat("x", 1<<20) + " -->after"
	if err := parse(t, "Content-Type: text/html\n\n"+long).WriteText(&b, nil); err != nil {
		t.Fatal(err)
	}
	if got := b.String(); !strings.HasPrefix(got, "before\n") || !strings.Contains(got, "more than 1 MiB") || strings.Contains(got, "after") {
		t.Errorf("%.200q", got)
	}
}

func TestIDs(t *testing.T) {
	for text, want := range map[string]string{
		"<a@b>":                              "a@b",
		"<a@b> <c@d>\r\n\t<e@f>":             "a@b c@d e@f",
		"<a@b><c@d>":                         "a@b c@d",
		`Your message of "Tue, 1 Jan" <a@b>`: "a@b",
		"<a@\r\n b>":                         "a@b",
		"<cut <a@b> junk> <":                 "a@b",
		"<>, <a@b>":                          "a@b",
		"a@b c@d":                            "a@b c@d",
		"a message from joe@host (Joe)":      "",
		"":                                   "",
		"<no-at>":                            "no-at",
	} {
		m := parse(t, "References: "+text+"\nIn-Reply-To: "+text+"\n\n")
		if got := strings.Join(m.References(), " "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
		if !slices.Equal(m.References(), m.InReplyTo()) {
			t.Errorf("%q: In-Reply-To %q", text, m.InReplyTo())
		}
	}
	for text, want := range map[string]string{"<a@b>": "a@b", " <a@b> (c)": "a@b", "a@b": "a@b", "<a@b": "a@b", "": "", "<a b@c>": "ab@c"} {
		if got := parse(t, "Message-Id: "+text+"\n\n").MessageID(); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if got := parse(t, "Newsgroups: a.b, c.d,e ,\n\n").Newsgroups(); !slices.Equal(got, []string{"a.b", "c.d", "e"}) {
		t.Errorf("%q", got)
	}
}

// The schemes must read the identifiers back from the URLs.
func TestLinks(t *testing.T) {
	list := []string{
		"a@b", "960830.1639@XIson.com", "a%b/c?d=e#f+g*h!i'j{k}l|m~n@[127.0.0.1]", "a/b@c/d", "//a@b", "*@*", `"a b"@c`, "a@b@c", "\x00\r\n@\xff", "é@h",
		"foo4%25foo1@bar.net", "<a@b>",
	}
	for _, id := range list {
		u, err := message.Link("news", id)
		if err != nil {
			t.Fatalf("%q: %v", id, err)
		}
		if n, err := news.Parse(u); err != nil || n.MessageID() != id {
			t.Errorf("%q: %s is %q, %v", id, u, n.MessageID(), err)
		}
		if made, err := (news.Parts{MessageID: id}).URL(); err != nil || made.URL() != u {
			t.Errorf("%q: %s, package news makes %s, %v", id, u, made.URL(), err)
		}
		u, err = message.Link("mid", id)
		if err != nil {
			t.Fatalf("%q: %v", id, err)
		}
		m, err := mid.Parse(u)
		if _, pair := m.ContentID(); err != nil || m.MessageID() != id || pair {
			t.Errorf("%q: %s is %q, %v", id, u, m.MessageID(), err)
		}
		if made, err := (mid.Parts{MessageID: id}).URL(); err != nil || made.URL() != u {
			t.Errorf("%q: %s, package mid makes %s, %v", id, u, made.URL(), err)
		}
	}
	if u, err := message.Link("mid", "no-at"); err != nil || u.String() != "mid:no-at" {
		t.Error(u, err)
	}
	for _, id := range []string{"", "no-at", strings.Repeat("a", 1<<16) + "@b"} {
		if u, err := message.Link("news", id); err == nil {
			t.Errorf("%.20q: %.40s", id, u)
		}
	}
	if got := fmt.Sprint(message.Links("news", "a@b", "junk", "c@d", "a@b")); got != "[news:a@b news:c@d]" {
		t.Error(got)
	}
}

func TestWriteText(t *testing.T) {
	const letter = "Subject: =?utf-8?Q?a=0AFrom:_x?=\nReferences: <a@b>\nContent-Type: multipart/alternative; boundary=x\n\n--x\nContent-Type: text/html\n\n<p>h\n--x\nContent-Type: text/x-diff\n\nd\n--x--\n"
	for _, c := range []struct {
		groups    string
		isArticle bool
		want      string
	}{{"Newsgroups: a.b\n", false, "news:a@b"}, {"", true, "news:a@b"}, {"", false, "mid:a@b"}} {
		want := c.want
		var b strings.Builder
		if err := parse(t, c.groups+letter).WriteText(&b, &message.TextOptions{IsArticle: c.isArticle}); err != nil {
			t.Fatal(err)
		}
		if want := "Subject: a From: x\n" + c.groups + "\nd\n\nParts:\n[1] text/html 4 B\n\nReferences:\n" + want + "\n"; b.String() != want {
			t.Errorf("%s, want\n%s", &b, want)
		}
	}
	// The start of a multipart/related, and faults at the end.
	m := parse(t, "A: b\nContent-Type: multipart/related; boundary=x; start=\"<r@h>\"\n\n--x\n\none\n--x\nContent-ID: <r@h>\n\ntwo\n")
	var b strings.Builder
	if err := m.WriteText(&b, nil); err != nil {
		t.Fatal(err)
	}
	if want := "two\n\nParts:\n[1] text/plain 3 B\n\nFaults:\nbyte 101: the multipart ends without its last boundary, --\"x\"--\n"; b.String() != want {
		t.Errorf("%q, want\n%q", &b, want)
	}
}

// Delimiters in quoted strings and comments must not end an address, date or parameter.
func TestHidden(t *testing.T) {
	for text, want := range map[string]string{
		`Joe <"a>b"@c>, <d@e>`:      `Joe <"a>b"@c>; d@e`,
		`Joe (the <x@y> one) <a@b>`: "Joe <a@b>",
		`"Joe <x@y>" <a@b>`:         "Joe <x@y> <a@b>",
		`Joe <"a@b>, <d@e>`:         `Joe <"a@b>; d@e`,
		`Joe <a@b`:                  "Joe <a@b>",
		`(Joe \) <x@y>) a@b`:        "Joe ) <x@y> <a@b>",
	} {
		var list []string
		for _, a := range parse(t, "From: "+text+"\n\n").From() {
			list = append(list, a.String())
		}
		if got := strings.Join(list, "; "); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
	if at, ok := message.ParseDate(`Tue, 1 Jul 2003 10:52:37 +0200 (Central \) Europe)`); !ok || at.Unix() != 1057049557 {
		t.Errorf("%v, %v", at, ok)
	}
	if p := parse(t, "Content-Type: text/html (a \\); charset=x) ; charset=utf-8\n\n").Parts()[0]; p.Type != "text/html" || p.Charset != "utf-8" {
		t.Errorf("%q, %q", p.Type, p.Charset)
	}
}

// UTF-7 in words.
func TestUTF7Words(t *testing.T) {
	for text, want := range map[string]string{
		"=?utf-7?Q?Hi_Mom_-+Jjo--!?=":              "Hi Mom -☺-!",
		"=?UTF-7?B?K1plVm5MSXFlLQ==?=":             "日本語",
		"=?unicode-1-1-utf-7?Q?+AOk-t+AOk-?=":      "été",
		"=?utf-7?Q?+AOk?= =?utf-7?Q?bc?=":          "ébc", // each word begins in the initial state
		"=?utf-7?Q?+AOk-?=\r\n =?utf-8?Q?=C3=A9?=": "éé",
		"=?utf-7*en?Q?1_+-_1?=":                    "1 + 1",
		"=?utf-7-imap?Q?&AOk-?=":                   "=?utf-7-imap?Q?&AOk-?=",
	} {
		if got := message.DecodeWords(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
