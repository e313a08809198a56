package document_test

import (
	"fmt"
	"html"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
)

func TestHTML(t *testing.T) {
	testRows(t, document.HTML, nil, []row{
		// Attributes.
		{`<a href="a.html">`, wantLines("a href a.html")},
		{`<A HREF='http://host/'>x</A>`, wantLines("a href http://host/")},
		{`<a href=a.html>`, wantLines("a href a.html")},
		{`<a href=a/>`, wantLines("a href a/")},
		{`<a href = "a" >`, wantLines("a href a")},
		{"<a\n\thref\n=\n'a'\n>", wantLines("a href a")},
		{`<a/href=a>`, wantLines("a href a")},
		{`<a href="a"title="b"src="c">`, wantLines("a href a", "a src c")},
		{`<a href="a" href="b">`, wantLines("a href a")},
		{`<a HREF="" href="b">`, nil},
		{`<a href>`, nil}, {`<a href=>`, nil}, {`<a href=""> <a href=" ">`, nil},
		{`<a =href=a href=b>`, wantLines("a href b")},
		{`<a title="> <a href=x>" href="y">`, wantLines("a href y")},
		{`<a href="a>b">`, wantLines("a href a>b")},
		{`<a href='a"b'>`, wantLines(`a href a"b`)},
		{`<a href="  a.html ` + "\n" + `">`, wantLines("a href a.html")},
		{"<a href=\"http://host/a\r\n\tb\">", wantLines("a href http://host/ab as \"http://host/a\\r\\n\\tb\"")},
		{`<a href="http://host/a b">`, wantLines("a href http://host/a b")},
		{`<a href="http://host/%zz">`, wantLines("a href http://host/%zz")},
		{`<a href="x-new:a"> <a href="MAILTO:a@b">`, wantLines("a href x-new:a", "a href MAILTO:a@b")},
		{`<a href="#top"> <a href="?q"> <a href="//host/"> <a href="..">`, wantLines("a href #top", "a href ?q", "a href //host/", "a href ..")},
		{`<a href="javascript:open('http://host/')">`, nil},
		{`</a href="a"> <area/ href=b>`, wantLines("area href b")},
		{`<área href=a>`, nil}, {`< a href=a>`, nil}, {`<1 href=a>`, nil}, {`<>`, nil}, {`<`, nil}, {`a<b`, nil},
		{`<svg:a xlink:href=b> <use href=c> <svg:a href=d>`, wantLines("svg:a xlink:href b", "use href c", "svg:a href d")},
		// Only scripts read these attributes.
		{`<my-part href=a> <button href=b> <p href=c> <p cite=d> <p longdesc=e> <p ping=f> <p formaction=g> <Card href=h>`, nil},
		// Elements.
		{`<img src=a longdesc=b lowsrc=c> <script src=d></script> <iframe src=e></iframe> <blockquote cite=f> <video poster=g>`,
			wantLines("img src a", "img longdesc b", "img lowsrc c", "script src d", "iframe src e", "blockquote cite f", "video poster g")},
		{`<body background=a> <button formaction=b> <applet codebase=c> <area ping=" d http://host/e ">`,
			wantLines("body background a", "button formaction b", "area ping d", "area ping http://host/e")},
		{`<applet codebase=a archive=b> <object codebase=c archive=d data=e>`, wantLines("object data e")},
		// Forms that a browser submits with POST.
		{`<form action=a method=get><button formaction=b><input formaction=c formmethod=Post src=d></form><form method=POST action=e><button formaction=f><button formmethod=get formaction=g></form><button formaction=h>`,
			wantLines("form action a", "button formaction b", "input post formaction c", "input src d", "form post action e", "button post formaction f", "button formaction g", "button formaction h")},
		{`<form action=a> <p action=b> <object data=c> <p data=d> <head profile=e> <p profile=f> <html manifest=g> <p manifest=h> <p content="0;i">`,
			wantLines("form action a", "object data c", "head profile e", "html manifest g")},
		{`<link rel=preconnect href=//a><link href=b REL=" DNS-Prefetch preconnect "><link rel="preconnect stylesheet" href=c><link href=d><link rel href=e>`,
			wantLines("link preconnect href //a", "link preconnect href b", "link href c", "link href d", "link href e")},
		{`<object archive="a.jar  http://host/b,c " data=d> <applet archive="a.jar, b%20c.jar,,http://host/d"> <p archive=e>`,
			wantLines("object archive a.jar", "object archive http://host/b,c", "object data d", "applet archive a.jar", "applet archive b%20c.jar", "applet archive http://host/d")},
		{`<param value=a valuetype=REF><param valuetype="data" value=b><param value=http://host/c><PARAM name=d VALUETYPE=ref VALUE="http://host/e">`,
			wantLines("param value a", "param value http://host/e")},
		// Documents in attributes.
		{`<iframe srcdoc="<a href=a.html></a>&quot;http://host/b&quot;" src=c></iframe><a href=d>`, wantLines("a href a.html", "bare http://host/b", "iframe src c", "a href d")},
		{`<base href=http://x/><iframe srcdoc='&lt;base href="http://y/&amp;amp;"&gt;<img src="a&amp;amp;b">'></iframe><a href=c>`,
			wantLines("base href http://x/", `base href http://y/& as "http://y/&amp;amp;" in http://x/`, `img src a&b as "a&amp;amp;b" in http://y/&`, "a href c in http://x/")},
		{`<iframe srcdoc="<iframe srcdoc='<a href=&amp;quot;b&amp;quot;>'>">`, wantLines("a href b")},
		{`<p srcdoc="<a href=a>">`, nil},
		// Character references.
		{`<a href="?a=1&amp;b=2">`, wantLines(`a href ?a=1&b=2 as "?a=1&amp;b=2"`)},
		{`<a href="?a&copy=1&copyb&copy;">`, wantLines(`a href ?a&copy=1&copyb© as "?a&copy=1&copyb&copy;"`)},
		{`<a href="?a&copy">`, wantLines(`a href ?a© as "?a&copy"`)},
		{`<a href="?&lt&gt;&quot;&#x41;&#66;&#67 &Aacute;&notin;&bogus;&;&#;&#x;">`,
			wantLines(`a href ?<>"ABC Á∉&bogus;&;&#;&#x; as "?&lt&gt;&quot;&#x41;&#66;&#67 &Aacute;&notin;&bogus;&;&#;&#x;"`)},
		{`<a href="&#104;ttp&colon;//host/&#x1F600;">`, wantLines(`a href http://host/😀 as "&#104;ttp&colon;//host/&#x1F600;"`)},
		{`<a href="&#32;a&#10;b&#9;">`, wantLines(`a href ab as "a&#10;b"`)},
		// srcset: HTML 4.8.4.2.2.
		{`<img srcset="a.png">`, wantLines("img srcset a.png")},
		{`<img srcset="a.png, b.png 2x,c.png 3x">`, wantLines("img srcset a.png", "img srcset b.png", "img srcset c.png")},
		{`<img srcset=" , a,b 1x ,, http://host/?a&amp;b 100w 2h , c,">`,
			wantLines("img srcset a,b", `img srcset http://host/?a&b as "http://host/?a&amp;b"`, "img srcset c")},
		{`<img srcset="a f(b, c), d">`, wantLines("img srcset a", "img srcset d")},
		{`<link imagesrcset="a 1x">`, wantLines("link imagesrcset a")},
		// Refresh: HTML 4.2.5.3.
		{`<meta http-equiv=refresh content="5; url=a.html">`, wantLines("meta content a.html")},
		{`<META CONTENT="0;URL = 'a b' c" HTTP-EQUIV=Refresh>`, wantLines("meta content a b")},
		{`<meta http-equiv=refresh content="1.5,a"> <meta http-equiv=refresh content="1 url=&quot;b">`, wantLines("meta content a", "meta content b")},
		{`<meta http-equiv=refresh content="5">`, nil}, {`<meta http-equiv=refresh content="a">`, nil}, {`<meta http-equiv=refresh content="5; ">`, nil},
		{`<meta http-equiv=refresh content="5; url">`, wantLines("meta content url")},
		{`<meta name=refresh content="5; url=a.html"> <meta content="5; url=a.html">`, nil},
		// Preview images of a page.
		{`<meta property="og:image" content=a><meta content=b property=og:image:secure_url><meta name=Twitter:Image content=c><meta property="twitter:image:src" content="http://h/d"><meta property=og:image:url content=e>`,
			wantLines("meta content a", "meta content b", "meta content c", "meta content http://h/d", "meta content e")},
		{`<meta property="og:url" content=a><meta property="og:image:alt" content=b><meta property=og:image>`, nil},
		// Base.
		{`<a href=a><base href="http://host/"><a href=b></a> http://c/ <base href=d><a href=e>`,
			wantLines("a href a", "base href http://host/", "a href b in http://host/", "bare http://c/ in http://host/",
				"base href d in http://host/", "a href e in http://host/")},
		{`<base target=x><base href="?a&amp;b"><img src=a>`, wantLines(`base href ?a&b as "?a&amp;b"`, "img src a in ?a&b")},
		// Style.
		{`<p style="background: url(a.png), URL( 'b.png' ) , url(&quot;c.png&quot;)">`, wantLines("p style a.png", "p style b.png", "p style c.png")},
		{`<p style="x: url(a\29 b\).png) url('c\'d')">`, wantLines(`p style a)b).png as "a\\29 b\\).png"`, `p style c'd as "c\\'d"`)},
		{`<p style="x: my-url(a) url(a b) url(a(b) 'url(c)' url('d' e) /* url(f) */ url() url( ) url(g">`, nil},
		{`<style>@import "a.css"; @import url(b.css); @namespace url(http://host/); p { background: url(c.png) } <a href=d></style>`,
			wantLines("style a.css", "style b.css", "style c.png")},
		{"<style>x: 'a\n url(b); y: \"\\\n\" url('c\\\nd')</style>", wantLines("style b", `style cd as "c\\\nd"`)},
		{`<p style="x: image-set('a' 1x, url(b) 2x)">`, wantLines("p style a", "p style b")},
		{`<path fill="url(#a)" stroke='url("b.svg#c") red' mask=url(d) clip-path=none cursor="url(e.cur), auto"> <g filter=blur() marker-end="url( #f )">`,
			wantLines("path style #a", "path style b.svg#c", "path style d", "path style e.cur", "g style #f")},
		// Texts of links.
		{`<a href=a>http://host/ <b>http://host/b</b></a> http://host/c <a name=d>http://host/d</a> <a href=e/>http://host/e <a href=f><td>http://host/f</td>http://host/g<A HREF=h>http://host/h</A>`,
			wantLines("a href a", "bare http://host/c", "bare http://host/d", "a href e/", "bare http://host/e", "a href f", "bare http://host/g", "a href h")},
		{`<a href=a>&lt;URL:http://host/&gt;<img src=b></a> <svg><a xlink:href=c>http://host/</a></svg>`, wantLines("a href a", "img src b", "a xlink:href c")},
		// Elements without tags in their content.
		{`<script>"<a href=a>"; // http://host/` + "\n" + `</SCRIPT ><a href=b>`, wantLines("a href b")},
		{`<script>"</scripts><a href=a>"</script><a href=b>`, wantLines("a href b")},
		{`<title>http://host/&amp; <a href=a></title><textarea><a href=b> gopher://host/</textarea>`,
			wantLines(`bare http://host/& as "http://host/&amp;"`, "bare gopher://host/")},
		{`<xmp><a href=a> http://host/?a&amp;b</xmp> <iframe><a href=b></iframe> <noscript><a href=c></noscript>`,
			wantLines("bare http://host/?a&amp;b", "a href c")},
		{`<plaintext><a href=a> http://host/</plaintext><a href=b>`, wantLines("bare http://host/")},
		{`<script src=a><a href=b>`, wantLines("script src a")},
		{`<?xml version="1.0"?><html><script src="a"/><a href="b"/><![CDATA[<a href=c> http://host/]]><a href="d"/>`,
			wantLines("script src a", "a href b", "bare http://host/", "a href d")},
		{`<![CDATA[<a href=a> <a href=b>]]>`, wantLines("a href b")},
		// Text that HTML skips.
		{`<!-- <a href=a> http://host/ --><a href=b>`, wantLines("a href b")},
		{`<!--><a href=a><!---><a href=b><!--a--!><a href=c><!-- --- > <a href=d> ---><a href=e><!--!><a href=f>-->`,
			wantLines("a href a", "a href b", "a href c", "a href e")},
		{`<!DOCTYPE html PUBLIC "-//W3C//DTD XHTML 1.0 Strict//EN" "http://www.w3.org/TR/xhtml1/DTD/xhtml1-strict.dtd"><a href=a>`, wantLines("a href a")},
		{`<?php "<a href=a>" ?></ <a href=b><a href=c>`, wantLines("a href c")},
		{`<a href="a" title="<a href=b>`, wantLines("a href a")}, {`<a href="a`, nil}, {`<a href=a`, nil}, {`<a href=`, nil}, {`<a href`, nil}, {`<a `, nil},
		{`<!-- <a href=a>`, nil}, {`</a href="`, nil}, {`<!`, nil}, {`</`, nil}, {`<?`, nil},
		// Running text.
		{`<p>See <b>http://host/a</b>, http://host/?b&amp;c=d.</p>`, wantLines("bare http://host/a", `bare http://host/?b&c=d as "http://host/?b&amp;c=d"`)},
		{`"http://host/" &quot;http://host/a&quot; &lt;http://host/b&gt; (http://host/c)&nbsp;http://host/d&#160;x`,
			wantLines("bare http://host/", "bare http://host/a", "bracketed http://host/b", "bare http://host/c", "bare http://host/d")},
		{"&lt;URL:ftp://info.cern.ch/pub/www/doc;\ntype=d&gt; &ltURL:http://host/&gt", wantLines(
			`wrapped ftp://info.cern.ch/pub/www/doc;type=d as "ftp://info.cern.ch/pub/www/doc;\ntype=d"`, "wrapped http://host/")},
		{`<http://host/> <URL:gopher://host/>`, wantLines("bracketed http://host/", "wrapped gopher://host/")},
		{`http&colon;//host/ http&#58;//host/a`, wantLines(`bare http://host/ as "http&colon;//host/"`, `bare http://host/a as "http&#58;//host/a"`)},
		{"é\t<a href='ü'></a>\r\nhttp://host/ü", wantLines("a href ü", "bare http://host/ü")},
	})
}

func TestHTMLHidden(t *testing.T) {
	testRows(t, document.HTML, &document.Options{Hidden: true}, []row{
		{`<!-- http://host/a <a href=b> -->`, wantLines("bare http://host/a")},
		{`<a href=b>http://host/a</a>`, wantLines("a href b", "bare http://host/a")},
		{`<script>x = "http://host/a"</script>`, wantLines("bare http://host/a")},
		{`<style>/* http://host/a */ b { c: url(http://host/d) }</style>`,
			wantLines("style http://host/d", "bare http://host/a", "bare http://host/d")},
		{`<!DOCTYPE html SYSTEM "http://host/a"><html xmlns="http://host/b"><?x http://host/c?>`, wantLines("bare http://host/a", "bare http://host/b", "bare http://host/c")},
		{`<a href="javascript:open('http://host/a')" title="http://host/b" data-x=http://host/c>`, wantLines("bare http://host/a", "bare http://host/b", "bare http://host/c")},
		{`<meta property="og:url" content="http://host/a">`, wantLines("bare http://host/a")},
	})
}

// The links in a truncated document must be links in the whole document, except for a truncated
// link.
func TestHTMLCut(t *testing.T) {
	const text = `<!DOCTYPE html><html><base href="http://host/"><title>http://a/</title><!-- http://b/ --><style>p { c: url(d) }</style>
<p style="url(e)">See <a href="http://host/f?g&amp;h" title='i'>http://host/?j&amp;k</a> <img srcset="l 1x, m 2x" src=n>
<meta http-equiv=refresh content="0; url=o"> &lt;URL:ftp://host/p
q&gt; <http://host/r>, <script src="s">"http://t/"</script> (mailto:u@host) <![CDATA[http://v/]]> http://host/w`
	checkCut(t, document.HTML, text)
}

// checkCut truncates text at every byte. Each link must then begin at the same offset as a link in
// the whole text. Both links must be equal unless the link is truncated.
func checkCut(t *testing.T, find finder, text string) {
	whole := map[int64]string{}
	for m := range find(text, nil) {
		whole[m.Start] = showLink(text, m)
	}
	for n := range len(text) {
		for m := range find(text[:n], nil) {
			line, ok := whole[m.Start]
			if !ok || line != showLink(text, m) && m.End < int64(n)-cutMargin {
				t.Errorf("cut at %d: %s at %d; the whole has %q", n, showLink(text, m), m.Start, line)
			}
		}
	}
}

// cutMargin is the maximum number of bytes before the truncation that may depend on the missing
// text, which is the length of a character reference.
const cutMargin = 8

func ExampleHTML() {
	const text = `<base href="http://info.cern.ch/"><a href="hypertext/WWW/?a&amp;b">the web</a>, &lt;URL:ftp://info.cern.ch/&gt;`
	for m := range document.HTML(text, nil) {
		if m.Ref != "" {
			fmt.Println(m.Element, m.Ref, "in", m.Base)
		} else {
			fmt.Println(m.Form, m.URL)
		}
	}
	// Output:
	// attribute http://info.cern.ch/
	// a href hypertext/WWW/?a&b in http://info.cern.ch/
	// wrapped ftp://info.cern.ch/
}

func TestCSS(t *testing.T) {
	testRows(t, document.CSS, nil, []row{
		{`@import "a.css"; @import url(b.css) screen; @font-face { src: url('c.woff2') format("woff2"), URL( d\.woff ) }`,
			wantLines("style a.css", "style b.css", "style c.woff2", `style d.woff as "d\\.woff"`)},
		{`/* from http://host/a, url(no) */ p { x: url(http://host/b) } /* <URL:ftp://host/c> */`,
			wantLines("bare http://host/a", "style http://host/b", "wrapped ftp://host/c")},
		{`p { x: image-set("a.png" 1x, url(b.png) 2x, url('c.png') type("image/png")), url(d) ; y: -webkit-image-set( 'e' /* "f" */ 1x ) "g" }`,
			wantLines("style a.png", "style b.png", "style c.png", "style d", "style e")},
		{`p { x: image-set("a" type(("b")) "c"; y: "d" } q { x: Image-Set(("e") "f" } url(g)`, wantLines("style a", "style c", "style f", "style g")},
		{`@namespace svg url(http://host/ns); p::after { content: "http://host/d" } p { x: url(#e) url("") }`,
			wantLines("bare http://host/ns", "bare http://host/d", "style #e")},
		{`p { x: url("http://host/(f)") } http://host/g`, wantLines("style http://host/(f)", "bare http://host/g")},
		{`p { x: url(javascript:http://host/h) url(data:image/png;base64,AA==) }`, wantLines("bare http://host/h", "style data:image/png;base64,AA==")},
		{"p { x: url(a", nil}, {"@import 'a\n';", nil}, {"/* url(a)", nil}, {"", nil}, {`\`, nil}, {"@", nil},
	})
	hidden := &document.Options{Hidden: true}
	testRows(t, document.CSS, hidden, []row{{`/* http://host/a */ x: url(http://host/b)`, wantLines("bare http://host/a", "style http://host/b")}})
}

// HTML must read nested documents to a depth of four, and must not read them after the caller has
// stopped.
func TestNestedDocuments(t *testing.T) {
	text := `<a href="deepest">`
	for i := range 6 {
		text = fmt.Sprintf(`<a href="%d"><iframe srcdoc="%s">`, i, html.EscapeString(text))
	}
	var refs []string
	for l := range document.HTML(text, nil) {
		refs = append(refs, l.Ref)
	}
	if got := strings.Join(refs, " "); got != "5 4 3 2 1" {
		t.Errorf("the links are %s", got)
	}
	for l := range document.HTML(text, nil) {
		if l.Ref == "4" {
			break
		}
	}
}
