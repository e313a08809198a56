package document_test

import (
	"fmt"
	"io"
	"iter"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/extract"
)

// linksAs returns a finder that reads a text as the type that a file name selects.
func linksAs(t testing.TB, name string) finder {
	return func(text string, o *document.Options) iter.Seq[document.Link] {
		return func(yield func(document.Link) bool) {
			for l, err := range document.Links(struct{ io.Reader }{strings.NewReader(text)}, name, o) {
				if err != nil {
					t.Fatal(err)
				}
				if !yield(l) {
					return
				}
			}
		}
	}
}

func TestAsciiDoc(t *testing.T) {
	testRows(t, linksAs(t, "a.adoc"), nil, []row{
		// Links with labels, and bare URLs.
		{"http://h/s200[good] link:http://h/w[w] http://h/x[] http://h/y", wantLines("link http://h/s200", "link http://h/w", "link http://h/x", "bare http://h/y")},
		{"http://h/ids#one[sec], (http://h/a) *http://h/b* _http://h/c_ \"http://h/d\"", wantLines("link http://h/ids#one", "bare http://h/a", "bare http://h/b", "bare http://h/c", "bare http://h/d")},
		{"http://h/a[text http://h/b] <http://h/c> http://h/d[two\nlines]", wantLines("link http://h/a", "bracketed http://h/c", "link http://h/d")},
		{"http://h/a[x \\] y] http://h/b[see [1]] http://h/c[", wantLines("link http://h/a", "link http://h/b", "bare http://h/c")},
		{"x [http://h/a] xhttp://h/b gopher://h/c[d] http://h/?a&amp;b[c]", wantLines("bare http://h/a", "bare gopher://h/c", `link http://h/?a&b as "http://h/?a&amp;b"`)},
		{"http://h/v1\\...v2[x]", wantLines(`link http://h/v1...v2 as "http://h/v1\\...v2"`)},
		{"link:a.html[b] link:++c d.html++[e] link:f g[h] link:[i] link:j", wantLines("link a.html", `link c%20d.html as "c d.html"`)},
		{"mailto:a@b[c] mailto:d@e", wantLines("link mailto:a@b", "bare mailto:d@e")},
		{"http://h/a[image:b.png[c]] image:d e.png[f,link=http://h/g] icon:h[link=\"i.html\"]",
			wantLines("link http://h/a", "image b.png", `image d%20e.png as "d e.png"`, "link http://h/g", "link i.html")},
		// Cross references.
		{"<<a>> <<b,text>> <<#c>> <<d.adoc#e,f>> <<g#h>> <<i.adoc#>> <<j\nk>>",
			wantLines(`xref #a as "a"`, `xref #b as "b"`, "xref #c", "xref d.adoc#e", `xref g.adoc#h as "g#h"`, `xref i.adoc as "i.adoc#"`, "xref #j\nk as \"j\\nk\"")},
		{"xref:a[] xref:b.adoc[b] xref:c.adoc#d[e] xref:f#g[] xref:h.pdf[i] xref:#j[k]",
			wantLines(`xref #a as "a"`, "xref b.adoc", "xref c.adoc#d", `xref f.adoc#g as "f#g"`, "xref h.pdf", "xref #j")},
		{"a << b >> c <<>> <<=", nil},
		{"xref:m:p.adoc[x] xref:1.0@c:m:p.adoc[] include::partial$p.adoc[]", wantLines("xref m:p.adoc", "xref 1.0@c:m:p.adoc")},
		// Blocks that refer to files.
		{"image::a.png[]\nvideo::b.mp4[]\naudio::c.ogg[]\nvideo::d[youtube]\n", wantLines("image a.png", "link b.mp4", "link c.ogg")},
		{":imagesdir: img/\n\nimage::a.png[]\nimage:b.png[] image:http://h/c.png[] image:/d.png[]",
			wantLines(`image img/a.png as "a.png"`, `image img/b.png as "b.png"`, "image http://h/c.png", "image /d.png")},
		{"include::a.adoc[]\n\n----\ninclude::b.rb[tag=c]\n----\n\ninclude::d.adoc[opts=optional]\n\\include::e.adoc[]", wantLines("include a.adoc", "include b.rb")},
		// Attributes.
		{":a: http://h\n:b: {a}/b\n:c!:\n\n{b}[d] {a}/e[] {b}/{c}/f[g] {A}/h link:{b}[i]",
			wantLines(`link http://h/b as "{b}"`, `link http://h/e as "{a}/e"`, `link http://h/b/{c}/f as "{b}/{c}/f"`, `bare http://h/h as "{A}/h"`, `link http://h/b as "{b}"`)},
		{"http://h/{v}/x[y] http://h/{v}/z. link:{u}[w] image:{i}/j.png[]\n{u}", wantLines("link http://h/{v}/x", "bare http://h/{v}/z", "link {u}", "image {i}/j.png")},
		{":a: http://h/ \\\n  b\n:!c:\n\n{a}[]", wantLines(`bare http://h/ as "{a}"`)},
		{":a: b \\\n  c\n\nhttp://h/{a}[x]", wantLines(`bare http://h/b as "http://h/{a}"`)},
		{"ifdef::x[]\n:a: b\nendif::[]\nifndef::c[:c: d]\n\nlink:{a}[] link:{c}[]", wantLines("link {a}", `link d as "{c}"`)},
		{"= T\n:a: b\n\nx\n:a: c\n\n:a: d\n\nlink:{a}[] \\{a}[]", wantLines(`link d as "{a}"`)},
		// Text that is not a link.
		{"\\http://h/a \\link:b[c] \\<<d>> +http://h/e+ ++http://h/f++ `+http://h/g+`", wantLines("bare http://h/a", "bare http://h/e", "bare http://h/f", "bare http://h/g")},
		{"+++<a href=b>+++ pass:[<a href=c>] $$<<d>>$$", wantLines("a href b", "a href c")},
		{"++++\n<a href=a>\n++++\n\n////\nhttp://h/b\n////\n// http://h/c\n[comment]\nhttp://h/d", wantLines("a href a")},
		// Tables, titles and lists.
		{"|===\n|http://h/a|link:b[c]\n|http://h/d\n|===\n,===\nhttp://h/e,http://h/f\n,===", wantLines("bare http://h/a", "link b", "bare http://h/d", "bare http://h/e", "bare http://h/f")},
		{"= T http://h/a[b]\n\n.link:c[d]\n* link:e[f]\n\n  link:g[h]\n\nT link:i[]\n----------\n\nlink:j[]\n\n----\nlink:k[]\n----", wantLines("link http://h/a", "link c", "link e", "link i", "link j")},
	})
}

func TestAsciiDocCode(t *testing.T) {
	o := &document.Options{NoCode: true}
	testRows(t, linksAs(t, "a.asciidoc"), o, []row{
		{"----\nhttp://h/a\n----\n\n....\nhttp://h/b\n....\n\n```sh\nhttp://h/c\n```\n\n http://h/d\n\n[source]\nhttp://h/e\n\nhttp://h/f", wantLines("bare http://h/f")},
		{"`http://h/a` `link:b[c]` ``http://h/d``e \\http://h/f +http://h/g+ `+http://h/h+` http://h/i", wantLines("link b", "bare http://h/i")},
		{"[source]\n--\nhttp://h/a\n--\nhttp://h/b\n\n====\n----\n====\nhttp://h/c", wantLines("bare http://h/b", "bare http://h/c")},
		{"* a\n+\n----\nhttp://h/a\n----\n  * http://h/b\n\nx::\n\n  http://h/c\n\nstem:[http://h/d]", wantLines("bare http://h/b", "bare http://h/c")},
	})
}

func TestRST(t *testing.T) {
	testRows(t, linksAs(t, "a.rst"), nil, []row{
		{"`a <b.html>`_ `c <http://h/d>`__ `e`_ f_ `g <h_>`_ `<i>`_", wantLines("link b.html", "link http://h/d", "link i")},
		{"`a b\nc <http://h/\nd>`_ `x <none.rst>`_", wantLines("link http://h/d as \"http://h/\\nd\"", "link none.rst")},
		{"http://h/a_ **http://h/b** *http://h/c* (http://h/d), <http://h/e>", wantLines("bare http://h/a", "bare http://h/b", "bare http://h/c", "bare http://h/d", "bracketed http://h/e")},
		{`http://h/a\_b`, wantLines(`bare http://h/a_b as "http://h/a\\_b"`)},
		{".. _a: b.html\n.. _c d: http://h/\n   e\n.. _`f: g`: h\n.. _i: c_\n.. _j:\n__ http://h/k\n.. __: l", wantLines("definition b.html", "definition http://h/e as \"http://h/\\n   e\"", "definition h", "definition http://h/k", "definition l")},
		{".. _a: b@c", wantLines(`definition mailto:b@c as "b@c"`)},
		{".. image:: a.png\n   :alt: http://h/b\n   :target: c.html\n.. figure:: d.png\n   :target: e_\n\n   http://h/f\n\n.. |g| image:: h.png", wantLines("image a.png", "link c.html", "image d.png", "bare http://h/f", "image h.png")},
		{"- .. image:: a.png\n\n.. image:: b.*\n", wantLines("image a.png")},
		{".. include:: a.rst\n.. include:: <isonum.txt>\n.. literalinclude:: b.py\n   :lines: 1\n\n.. raw:: html\n   :file: c.html", wantLines("include a.rst", "include b.py", "include c.html")},
		{".. raw:: html\n\n   <a href=a>\n\n.. raw:: latex\n\n   http://h/b", wantLines("a href a")},
		{".. a comment http://h/a\n\n   http://h/b\n\n..\n\n   http://h/c\n\nhttp://h/d", wantLines("bare http://h/c", "bare http://h/d")},
		{":doc:`a` :ref:`b` :download:`c <d>` :pep:`8`\n\n.. toctree::\n   :maxdepth: 2\n\n   e\n   f <g>", nil},
		{"+---+----------+\n| a | http://h/a|\n+---+----------+\n\n=====  ======\nb      `c <d>`_\n=====  ======\n\nhttp://h/e", wantLines("bare http://h/a", "link d", "bare http://h/e")},
		{"Title <http://h/a>\n==================\n\n======\nhttp://h/b\n======\n", wantLines("bracketed http://h/a", "bare http://h/b")},
		{".. [1] http://h/a\n.. note:: `b <c>`_\n\n   `d <e>`_", wantLines("bare http://h/a", "link c", "link e")},
		{"it`s `a <b>`_ and ``c`` d``s `e <f>`_", wantLines("link b", "link f")},
	})
}

func TestRSTCode(t *testing.T) {
	o := &document.Options{NoCode: true}
	testRows(t, linksAs(t, "a.rest"), o, []row{
		{"a::\n\n  http://h/a\n\n  http://h/b\n\nhttp://h/c\n\n::\n\n > http://h/d\n\n- e::\n\n    http://h/f\n\n  http://h/g", wantLines("bare http://h/c", "bare http://h/g")},
		{"a::\n\n> http://h/a\n> http://h/b\n\nhttp://h/c", wantLines("bare http://h/c")},
		{".. code::\n\n   http://h/a\n\n.. code-block:: sh\n   :caption: x\n\n   http://h/b\n.. math:: http://h/c\n\nhttp://h/d", wantLines("bare http://h/d")},
		{"``http://h/a`` :file:`http://h/b` `http://h/c` http://h/d\n\n>>> http://h/e\nhttp://h/f", wantLines("bare http://h/d")},
	})
}

// Sphinx roles are reported only if the option Templates is set.
func TestRSTRoles(t *testing.T) {
	o := &document.Options{Templates: true}
	testRows(t, linksAs(t, "a.rst"), o, []row{
		{":doc:`a` :ref:`b c` :download:`d <e>` :ref:`f\ng <h>` :doc:`!i`\n\n.. toctree::\n   :maxdepth: 2\n\n   j\n   k <l>\n   http://h/\n   self\n   m*",
			wantLines("doc a", `ref b%20c as "b c"`, "doc e", "ref h", "doc j", "doc l", "link http://h/")},
	})
}

// The links in a document must equal the links in the HTML that the original processor generates.
func TestMarkedDocuments(t *testing.T) {
	for name, file := range map[string]string{"asciidoc.adoc": "asciidoc.expected", "rst.rst": "rst.expected"} {
		text, err := os.ReadFile("testdata/marked/" + name)
		if err != nil {
			t.Fatal(err)
		}
		expected, err := os.ReadFile("testdata/marked/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var want, got []string
		for line := range strings.Lines(string(expected)) {
			if link, ok := strings.CutPrefix(strings.TrimSpace(line), "link "); ok {
				want = append(want, strings.TrimPrefix(link, "mailto:"))
			}
		}
		for l := range linksAs(t, name)(string(text), &document.Options{NoCode: true, Extract: extract.Options{Schemeless: true}}) {
			link := l.Ref
			if l.Ref == "" {
				link = strings.TrimPrefix(l.URL.String(), "mailto:")
			}
			if l.Element == "xref" {
				link = strings.Replace(link, ".adoc", ".html", 1)
			}
			got = append(got, strings.ReplaceAll(link, "b%20c", "b c"))
		}
		slices.Sort(want)
		slices.Sort(got)
		if want, got = slices.Compact(want), slices.Compact(got); !slices.Equal(got, want) {
			t.Errorf("%s\n got  %q\n want %q", name, got, want)
		}
	}
}

// Reading repeated text must take linear time. With quadratic time, this test would take many
// times as long.
func TestMarkedHostile(t *testing.T) {
	size := 1 << 16
	if testing.Short() {
		size = 1 << 13
	}
	for _, unit := range []string{
		"[", "]", "<<", "<<a", "[[", "[[a", "[#a]", "[#a", "link:", "link:a[", "link:++", "http://h[", "http://h/[a", "image:", "image:a", "image:a[", "xref:a", "xref:a[", "anchor:a", "pass:[", "stem:[",
		"`", "`a", "`a ", "``", "``a", "`+", "+", "+a", "++", "+++", "$$", "\\", ":", "{", "{a", "{a}", "\\{a}", ":a: {a}{a}\n", "ifdef::a[]\n", "ifndef::a[]\n:a: b\n", "include::a[]\n", "image::a[b,link=", "image::a[\"",
		"----\n", "====\n", "--\n", "|===\n", "|", "a::\n", " a\n", "* a\n", "[a]\n", "[a,", "= a\n", "== a--b--\n", "a\n--\n", "a\n-\n\n", "// a\n", "////\n", ".a\n", "_a ", "== _a ", "== [[", "== <<a", "== &", "== [",
		"`a`_", "`a <b>`_", "`a <b", ":a:`", "`a`:", "_`", "`` ", "`` a``", ".. ", "..\n", "..\n\n", ".. _a: b\n", ".. _a", ".. _`a", ".. a::\n", ".. a:: b\n   :c: d\n", ".. image:: a\n", ".. code::\n\n a\n", "a::\n\n b\n\n", "a::\n\n>\n",
		">>> a\n", "a\n====\n", "====\na\n====\n", "=== ===\n", "+--+\n", "+--+\n|a|\n", "- ", "1. ", ":a: ", "| ", "(a) ", "|a|", "__ a\n", ".. [a] ", ".. |a| ", "\t", " ", "\n", "\r", "é",
	} {
		text := strings.Repeat(unit, size/len(unit))
		for _, text := range []string{text, "a " + text, ":a: " + strings.Repeat("b", 4000) + "\n\n" + text} {
			for _, name := range []string{"a.adoc", "a.rst"} {
				for l := range linksAs(t, name)(text, &document.Options{NoPosition: true, Templates: true}) {
					if l.Start > l.End {
						t.Fatal(unit)
					}
				}
			}
		}
	}
}

func FuzzMarked(f *testing.F) {
	for _, s := range []string{
		"= T\n:a: http://h\n:b: {a}/b\n\n{b}[c] link:++d e++[f] <<g>> xref:h.adoc#i[j] image::k[l,link=m]\n\n----\n`n`\n----\n|===\n|{a}|o\n|===\n",
		"ifndef::x[:x: y]\n[[a]]\n== B [[c]]\n\n[#d]*e* `+f+` +++<a href=g>+++ \\{x} pass:[h]\n\nT\n--\n\n[quote, 'http://h[i]']\n j\n",
		"`a <b>`_ ``c`` :doc:`d` _`e`\n\n.. _f: g\n   h\n.. image:: i\n   :target: j\n\nk::\n\n  l\n\nT\n===\n\n=== ===\nm   n\n=== ===\n",
	} {
		f.Add(s, false)
		f.Add(s, true)
	}
	f.Fuzz(func(t *testing.T, s string, hidden bool) {
		if strings.HasPrefix(s, "WARC/") || strings.HasPrefix(s, "\xFF") || strings.HasPrefix(s, "\xFE") {
			return
		}
		for _, name := range []string{"a.adoc", "a.rst"} {
			checkMarked(t, s, name, &document.Options{Hidden: hidden, Templates: true})
		}
	})
}

// checkMarked checks the properties that the links in every document have. All links from one
// attribute reference have the same offset.
func checkMarked(t *testing.T, s, name string, o *document.Options) {
	start := int64(0)
	for l, err := range document.Links(strings.NewReader(s), name, o) {
		switch {
		case err != nil || l.Member != "":
			return
		case l.Start > l.End || l.End > int64(len(s)) || l.Start < start && !o.Hidden:
			t.Fatalf("%s %q: %v %q %q is at %d to %d, after %d", name, s, l.Form, l.URL, l.Ref, l.Start, l.End, start)
		case l.URL.IsZero() == (l.Ref == ""):
			t.Fatalf("%s %q: URL %q and partial form %q", name, s, l.URL, l.Ref)
		}
		start = l.Start
	}
}

func ExampleLinks_asciidoc() {
	const text = ":docs: https://docs.example\n\nSee {docs}/guide[the guide] and xref:install.adoc#linux[Linux].\n"
	for l, err := range document.Links(strings.NewReader(text), "README.adoc", nil) {
		fmt.Println(l.Line, l.URL, l.Ref, err)
	}
	// Output:
	// 3 https://docs.example/guide  <nil>
	// 3  install.adoc#linux <nil>
}
