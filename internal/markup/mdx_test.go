package markup_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/markup"
)

// The rows contain syntax that MDX adds to Markdown, with the links and images in the text.
func TestMDX(t *testing.T) {
	for source, want := range map[string]string{
		"{/* [a](b) */} [c](d) x {/* [e](f)\n[g](h) */} [i](j)":                                  "d j",
		"{/*\n\n[a](b)\n\n*/}\n[c](d)":                                                           "d",
		"> {/* [a](b)\n>\n> [c](d) */}\n> [e](f)\n\n- {/* [g](h) */}":                            "f",
		"[a](b {/* c) */} {/* [d](e)":                                                            "e",
		"import A from './a.mdx'\nimport {B} from \"b\"\nexport const c = \"[d](e)\"\n\n[f](g)":  "g",
		"export const a = {\n  b: \"[c](d)\",\n\n  e: `\n\n[f](g) }`, // }\n}\n\n[h](i)":         "i",
		"export const a = /[(]/\n\n# B\n\n[c](d)":                                                "d",
		"export default function A() {\n  return <a href='b'>x</a>\n}\n\n[c](d)":                 "d",
		"importing [a](b)\n\nexport: [c](d)":                                                     "b d",
		"x\nimport {a} from '[b](c)'\n\n- import {d} from '[e](f)'\n\n    import {g} from 'h'":   "c f",
		"<A>\n\n  ```js\n\nexport default A;\n  ```\n</A>\n\n[b](c)":                             "c",
		"```\nexport const a = {\n```\n[b](c)":                                                   "c",
		"export const a = '{' /* { \n\n [b](c) */\n[d](e)\n\n[f](g)":                             "g",
		"<A>\n  ```sh\n  [a](b)\n  ```\n\n  [c](d)\n</A>\n[e](f)":                                "d f",
		"<A>\n        [a](b)\n          ```\n[c](d)\n          ```\n</A>":                        "b",
		"<A b={x > 1}\n  c='d\n> e'\n  f={`[g](h)\n\n${ '>' }[i](j)`}\n>\n[k](l)":                "l",
		"<details><summary>\n[a](b)\n</summary>\n*x* <b c={() => 1}>[d](e)</b>":                  "b e",
		"<div>[a](b)</div>\n<http://h/> [c](d)\n<!-- [e](f)\n\n[g](h) -->\n[i](j)\n<a\n\n[k](l)": "b d j l",
	} {
		var got []string
		for p := range markup.MDX(source) {
			if p.Kind == markup.Link || p.Kind == markup.Image {
				got = append(got, source[p.Start:p.End])
			}
		}
		if !slices.Equal(got, strings.Fields(want)) {
			t.Errorf("%q: %q, want %q", source, got, want)
		}
	}
	for p := range markup.Markdown("{/* [a](b) */}") {
		if p.Kind == markup.Unseen {
			t.Error("a comment of MDX in Markdown")
		}
	}
}

// MDXHeadings must also read the headings after a component.
func TestMDXHeadings(t *testing.T) {
	const source = "<A>\n  ```\n  # a\n  ```\n</A>\n\n## B\n\n    ## C\n"
	if got := markup.MDXHeadings(source); !slices.Equal(got, []string{"B", "C"}) {
		t.Errorf("%q", got)
	}
}

func TestMDXHostile(t *testing.T) {
	for _, unit := range []string{"{/*", "{/*\n\n", "{/* */}", "export const a = {\n", "export const a = {\n\n", "import {}\n\n", "{", "<a", "<a b={", "<a\n", "<a b={\n", "<a b='\n\n", "- <A>\n", "`\n", "export default `\n\n"} {
		for range markup.MDX(strings.Repeat(unit, 1<<20/len(unit))) {
		}
	}
}

func FuzzMDX(f *testing.F) {
	f.Add("import a from 'b'\n\n{/* c */} [d](e)\n\nexport const f = {\n\n g: `h` }\n\n{/*\n\n*/}")
	f.Add("> {/* a\n\nexport {\n\n})(]}`${\n/*\n\n# b")
	f.Fuzz(func(t *testing.T, source string) {
		end := 0
		for p := range markup.MDX(source) {
			if p.Start < end || p.Start >= p.End || p.End > len(source) {
				t.Fatalf("%q: %v after %d", source, p, end)
			}
			end = p.End
		}
	})
}
