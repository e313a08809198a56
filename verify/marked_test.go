package verify_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/document"
	"github.com/locus-url/locus/verify"
)

// verifyFiles returns the results for links that are not alive.
func verifyFiles(t *testing.T, preset string, files map[string]string) (lines []string) {
	t.Helper()
	report, err := verify.Files(texts(files), &verify.FilesOptions{Options: verify.Options{Document: document.Options{NoCode: true}}, Preset: preset})
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Verdict == verify.Alive {
			continue
		}
		written := r.Written
		if written == "" {
			written = r.URL.String()
		}
		lines = append(lines, r.Document+": "+written+": "+r.Verdict.String())
	}
	slices.Sort(lines)
	return lines
}

func checkFiles(t *testing.T, preset string, files map[string]string, want ...string) {
	t.Helper()
	got := verifyFiles(t, preset, files)
	if slices.Sort(want); !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestAsciiDocFiles(t *testing.T) {
	checkFiles(t, "", map[string]string{
		"a.adoc": "= T\n:dir: img\n\n== A Part\n\n<<_a_part>> <<a-part>> <<A Part>> <<none>> xref:b.adoc[B] xref:b.adoc#here[h] xref:b.adoc#gone[g] xref:c.adoc[C]\n" +
			"link:b.adoc#_section[x] image:{dir}/p.png[] image:{dir}/q.png[]\n+++<b id=raw>x</b>+++ <<raw>>\n\n----\nlink:code.html[x]\n----\n\ninclude::lost.adoc[]\n",
		"b.adoc":    "= B\n\n== Section\n\n[[here]]Here. link:a.adoc#raw[] link:a.adoc#any[]\n",
		"img/p.png": "p", "m.md": "[x](b.adoc#_section) [y](b.adoc#section) [z](b.adoc#_none)\n",
		"part.adoc": "<<elsewhere>>\n",
		"code.adoc": "= C\n\n----\ninclude::part.adoc[]\n----\n\n[source]\ninclude::part.adoc[]\n\ninclude::x.rb[]\n\n<<none>>\n", "x.rb": "x",
	},
		// The document includes another document, which may define the name.
		"code.adoc: #none: fragment", "a.adoc: #none: ignored", "b.adoc: a.adoc#any: ignored", "part.adoc: #elsewhere: ignored",
		"a.adoc: b.adoc#gone: fragment", "a.adoc: c.adoc: dead", "a.adoc: img/q.png: dead", "a.adoc: lost.adoc: dead", "m.md: b.adoc#_none: fragment")
}

func TestRSTFiles(t *testing.T) {
	checkFiles(t, "", map[string]string{
		"a.rst": "Title\n=====\n\n.. _My Target:\n\nA Part\n------\n\n`x <b.rst>`_ `x <b.rst#a-part-2>`_ `x <b.rst#none>`_ `x <#my-target>`_ `x <#a-part>`_ `x <#none>`_ `x <c.rst>`_\n" +
			"`x <b.html>`_ `x <b.html#none>`_ `x <i.html#none>`_ `x <d.html>`_ :doc:`b` :ref:`none`\n\n.. image:: p.png\n.. image:: q.png\n\n.. code::\n\n   `x <code.rst>`_\n",
		"b.rst": "A Part 2\n========\n", "i.rst": ".. include:: b.rst\n", "p.png": "p",
	},
		"a.rst: b.rst#none: fragment", "a.rst: #none: fragment", "a.rst: c.rst: dead", "a.rst: b.html#none: fragment", "a.rst: i.html#none: ignored", "a.rst: d.html: dead", "a.rst: q.png: dead",
		"a.rst: b: ignored", "a.rst: none: ignored")
}

func TestSphinxRoles(t *testing.T) {
	checkFiles(t, "auto", map[string]string{
		"conf.py":   "project = 'X'\nextensions = ['sphinx.ext.autodoc']\nhtml_additional_pages = {'start': 'start.html'}\n",
		"index.rst": "T\n=\n\n.. _A Label:\n\n:doc:`a` :doc:`t </sub/b>` :doc:`none` :ref:`a label` :ref:`t <A Label>` :ref:`none` :doc:`other:a` `x <start.html>`_ `x <a.html>`_ `x <a.rst#any>`_\n\n.. toctree::\n\n   a\n   sub/b\n   lost\n",
		"a.rst":     "A\n=\n\n.. literalinclude:: sub/b.rst\n", "sub/b.rst": "B\n=\n",
	}, "index.rst: a.rst#any: ignored", "index.rst: none: dead", "index.rst: none: ignored", "index.rst: lost: dead", "index.rst: other:a: ignored")
}

// Jekyll creates pages from AsciiDoc documents only with a plugin.
func TestAsciiDocOfSite(t *testing.T) {
	checkFiles(t, "jekyll", map[string]string{"_config.yml": "title: X\n", "a.adoc": "= A\n\nlink:/b/[b] link:c.html[c]\n", "b.adoc": "= B\n", "d.md": "---\n---\n[x](/none/)\n"},
		"a.adoc: /b/: warning", "a.adoc: c.html: warning", "d.md: /none/: dead")
}

// Antora looks for pages and pictures in the directories of a module.
func TestAntora(t *testing.T) {
	checkFiles(t, "", map[string]string{
		"docs/modules/ROOT/pages/a/p.adoc": "= P\n\nxref:q.adoc[] xref:m:r.adoc#s[] xref:./t.adoc[] xref:a/t.adoc[] xref:none.adoc[] xref:other::x.adoc[] xref:1.0@q.adoc[] image:i.png[] image:m:j.png[] image:none.png[]\n" +
			"xref:m:r.adoc#gone[]\n\ninclude::example$x.rb[]\n",
		"docs/modules/ROOT/pages/a/t.adoc": "= T\n", "docs/modules/ROOT/pages/q.adoc": "= Q\n\nxref:m:page$r.adoc[]\n", "docs/modules/ROOT/images/i.png": "i",
		"docs/modules/m/pages/r.adoc": "= R\n\n[#s]\n== S\n\nxref:ROOT:q.adoc[] xref::q.adoc[]\n", "docs/modules/m/assets/images/j.png": "j", "docs/modules/ROOT/nav.adoc": "* xref:q.adoc[]\n",
		"else.adoc": "= E\n\nxref:m:p.adoc[]\n",
	},
		"docs/modules/ROOT/pages/a/p.adoc: none.adoc: warning", "docs/modules/ROOT/pages/a/p.adoc: none.png: warning", "docs/modules/ROOT/pages/a/p.adoc: other::x.adoc: ignored",
		"docs/modules/ROOT/pages/a/p.adoc: 1.0@q.adoc: ignored", "docs/modules/ROOT/pages/a/p.adoc: example$x.rb: ignored", "docs/modules/ROOT/pages/a/p.adoc: m:r.adoc#gone: fragment", "else.adoc: m:p.adoc: ignored")
}

// A component of Antora may have several content roots, which are searched for a module.
func TestAntoraRoots(t *testing.T) {
	checkFiles(t, "", map[string]string{
		"a/antora.yml": "name: x # boot\n", "b/antora.yml": "version: 1\nname: 'x'\n", "c/antora.yml": "name: other\n",
		"a/modules/ROOT/pages/i.adoc": "= I\n\nxref:api:p.adoc[] xref:api:p.adoc#gone[] xref:api:none.adoc[] xref:api:java/index.html[] xref:lib:p.adoc[] xref:q.adoc[] xref:none.adoc[] xref:old.adoc[] image:none.png[] image:api:p.png[]\n",
		"b/modules/api/pages/p.adoc":  "= P\n:page-aliases: ROOT:older.adoc, \\\n  ROOT:old.adoc\n", "b/modules/api/images/p.png": "p", "b/modules/ROOT/pages/q.adoc": "= Q\n",
		"c/modules/lib/pages/p.adoc": "= P\n", "c/modules/lib/pages/none.adoc": "= N\n",
	},
		"a/modules/ROOT/pages/i.adoc: api:p.adoc#gone: fragment", "a/modules/ROOT/pages/i.adoc: api:none.adoc: dead", "a/modules/ROOT/pages/i.adoc: api:java/index.html: warning",
		"a/modules/ROOT/pages/i.adoc: lib:p.adoc: warning", "a/modules/ROOT/pages/i.adoc: none.adoc: dead", "a/modules/ROOT/pages/i.adoc: old.adoc: warning", "a/modules/ROOT/pages/i.adoc: none.png: dead")
}

// A file named .asc is an AsciiDoc document, or ASCII armor.
func TestAscExtension(t *testing.T) {
	checkFiles(t, "", map[string]string{"a.asc": "= A\n\nlink:none.html[x]\n", "b.asc": "-----BEGIN PGP SIGNATURE-----\n\nlink:none.html[x]\n"}, "a.asc: none.html: dead")
}

// Links in an included document are relative to the including documents. A cross reference to a
// document may have no file extension.
func TestParts(t *testing.T) {
	checkFiles(t, "", map[string]string{
		"a.asc": "= A\n\ninclude::b/c.asc[]\n\ninclude::d.asc[]\n\n<<d#x>> <<e#x>>\n", "b/c.asc": "include::f.asc[]\n\nimage::p.png[]\n", "b/f.asc": "link:g.html[x] link:c.asc[x]\n\ninclude::lost.asc[]\n",
		"d.asc": "[[x]]\n\nlink:none.html[x]\n", "p.png": "p",
		"m.rst": ".. include:: h/n.rst\n\n`x <none.html>`_\n", "h/n.rst": "`x <none.html>`_ `x <//none.html>`_ `x <n.rst>`_\n",
	}, "a.asc: e.adoc#x: dead", "b/c.asc: p.png: ignored", "b/f.asc: g.html: ignored", "b/f.asc: lost.asc: dead", "d.asc: none.html: dead", "h/n.rst: none.html: ignored", "h/n.rst: //none.html: ignored", "m.rst: none.html: dead")
}

// The Verifier finds each id that Asciidoctor and docutils create for a part of a document.
func TestMarkedIDs(t *testing.T) {
	for name, file := range map[string]string{"asciidoc.adoc": "asciidoc.expected", "rst.rst": "rst.expected"} {
		text, err := os.ReadFile("../document/testdata/marked/" + name)
		if err != nil {
			t.Fatal(err)
		}
		expected, err := os.ReadFile("../document/testdata/marked/" + file)
		if err != nil {
			t.Fatal(err)
		}
		var links strings.Builder
		for line := range strings.Lines(string(expected)) {
			if id, ok := strings.CutPrefix(strings.TrimSpace(line), "id "); ok && id != "footer-text" {
				links.WriteString("[x](" + name + "#" + id + ")\n")
			}
		}
		links.WriteString("[x](" + name + "#no-such-id)\n")
		got := verifyFiles(t, "", map[string]string{"a.md": links.String(), name: string(text)})
		got = slices.DeleteFunc(got, func(line string) bool { return !strings.HasPrefix(line, "a.md: ") })
		if want := []string{"a.md: " + name + "#no-such-id: fragment"}; !slices.Equal(got, want) {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}
