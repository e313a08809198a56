package markup_test

import (
	"iter"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/markup"
)

// The names must equal the names that Asciidoctor generates for the same documents.
func TestAsciiDocIDs(t *testing.T) {
	for source, want := range map[string]string{
		"== First Section":                                                       "_first_section",
		"== A\n\n== A\n\n== A":                                                   "_a _a_2 _a_3",
		"=== What's new -- 2.0... (C) `x_y` _z_":                                 "_whats_new2_0_x_y_z",
		"== a--b -> c & d &amp; e":                                               "_ab_c_d_e",
		"== Über *bold* #mark# ^sup^":                                            "_über_bold_mark_sup",
		"== https://h[Label] <<x,Text>> image:a.png[b]":                          "_label_text",
		":idprefix:\n:idseparator: -\n\n== A b.c":                                "a-b-c",
		":idprefix: id_\n:idseparator:\n\n== A b.c":                              "id_ab.c",
		":sectids!:\n\n== A\n\n[#b]\n== C":                                       "b",
		"[[a]]\n== B\n\n[#c.d]\n== E\n\n[id=f]\n== G\n\n[id=\"h\",role=i]\n== J": "a c f h",
		"== A [[b]]\n\n== C [[d,e]]":                                             "b d e",
		"[[a,b]]\nText [[c]]with anchor:d[] and [#e]#f#.":                        "a b c d e",
		"* [[[a]]] B\n* [[[c,1]]] D":                                             "a c 1",
		"[discrete]\n== A\n\n====\n== B\n\n[float]\n== C\n====":                  "_a _c",
		"A\n-\n\nBcd\n---\n\nEfgh\n~~~~~":                                        "_bcd _efgh",
		"## A\n\n# B":                                                            "_a _b",
		":a: b\n\n== {a} {c}":                                                    "_b_c",
		"----\n== A\n[[b]]\n----\n\n// == C\n\n////\n== D\n////":                 "",
		"image::a.png[id=b]\n\n[#c]\nd\n\n[#e]\n|===\n|[[f]]g\n|===":             "b c e f",
	} {
		got, _ := markup.AsciidocIDs(source)
		for _, id := range strings.Fields(want) {
			if !slices.Contains(got, id) {
				t.Errorf("%q: %q lacks %q", source, got, id)
			}
		}
		for _, id := range got {
			if strings.HasPrefix(id, "_") && !strings.HasPrefix(id, "_z") && !slices.Contains(strings.Fields(want), id) {
				t.Errorf("%q: %q is too much", source, id)
			}
		}
	}
}

// GitHub uses another prefix and separator, and a title is a name of its section.
func TestAsciiDocOtherNames(t *testing.T) {
	got, open := markup.AsciidocIDs("= The Title\n\n== First Section\n\n=== First Section")
	for _, id := range []string{"the-title", "first-section", "first-section-2", "First Section", "_first_section_2"} {
		if !slices.Contains(got, id) {
			t.Errorf("%q lacks %q", got, id)
		}
	}
	if open {
		t.Error("the document has no other names")
	}
	for _, source := range []string{"= T\n\ninclude::a.adoc[]", "== A part"} {
		if _, open := markup.AsciidocIDs(source); !open {
			t.Errorf("%q may have other names", source)
		}
	}
}

func TestRSTNames(t *testing.T) {
	n := markup.RSTNames("=====\nTitle\n=====\n\n.. _a b:\n\nOne\n---\n\n_`c` and [1]_.\n\n``Two`` `x <y>`_ :r:`z`\n-----------------------\n\n.. figure:: d\n   :name: e\n\n.. [#f] g\n.. contents:: H\n\n::\n\n  Not\n  ---\n")
	if want := []string{"Title", "One", "Two x z"}; !slices.Equal(n.Sections, want) {
		t.Errorf("sections %q, want %q", n.Sections, want)
	}
	for _, name := range []string{"a b", "c", "e", "f", "contents", "H"} {
		if !slices.Contains(n.Others, name) {
			t.Errorf("%q lacks %q", n.Others, name)
		}
	}
	for _, source := range []string{".. literalinclude:: a", ".. include:: a\n   :literal:\n", ".. include:: a\n   :code: c\n", ".. include:: <isonum.txt>"} {
		if markup.RSTNames(source).Open {
			t.Errorf("%q is open", source)
		}
	}
	if n.Open || !markup.RSTNames(".. include:: a").Open || !markup.RSTNames(".. automodule:: a").Open {
		t.Error("only the document with a part from elsewhere is open")
	}
}

// Reading repeated text must take linear time. With quadratic time, this test would not end.
func TestIDsHostile(t *testing.T) {
	for _, unit := range []string{"== A\n", "== [[a]]\n", "= [", "== <<a", "== a--b", "== &a", "== _a", "[[a]]\n", "[[a", "[#a]#", "[#a]", "anchor:a[", "a\n-\n", "a\n===\n", ".. _a:\n", "_`a", "_`a`", ".. [a] ", "===\na\n", "`a`", "{a}", "|===\n", "include::a[]\n", "footnote:", "]_ "} {
		text := strings.Repeat(unit, 1<<16/len(unit))
		for _, text := range []string{text, "== " + text, text + "\n====\n"} {
			markup.AsciidocIDs(text)
			markup.RSTNames(text)
		}
	}
}

// FuzzPieces checks that the pieces of a document are valid and in order, and that the names in
// the document can be read.
func FuzzPieces(f *testing.F) {
	for _, s := range []string{
		":a: b\n\n== T [[c]]\n\n{a} `x` https://h/{a}[y] <<c,d>>\n\n[source]\n----\ne\n----\n|===\n|f\n|===\nimage::g[link=h]\n",
		"= T\n\n[[a,b]]\nC\n-\n\n+++d+++ pass:[e] [#f]#g#\n\nifdef::h[]\n:i: j\nendif::[]\ninclude::{i}[]\n",
		"T\n=\n\n.. _a: b\n   c\n.. d:: e\n   :name: f\n\n   g\n\n`h <i>`_ ``j``::\n\n  k\n\n+-+-+\n|l|m|\n+-+-+\n",
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		for _, read := range []func(string) iter.Seq[markup.Piece]{markup.Asciidoc, markup.RST} {
			start := 0
			for p := range read(s) {
				if p.Start < start || p.Start >= p.End || p.End > len(s) {
					t.Fatalf("%q: a piece from %d to %d, after %d", s, p.Start, p.End, start)
				}
				start = p.Start
			}
		}
		ids, _ := markup.AsciidocIDs(s)
		for _, name := range append(ids, markup.RSTNames(s).Sections...) {
			if len(name) > 16*len(s)+maxName {
				t.Fatalf("%q: a name of %d octets", s, len(name))
			}
		}
	})
}

// maxName is larger than the size that attributes can add to a name.
const maxName = 2 << 20
