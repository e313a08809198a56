package template

import (
	"bytes"
	"errors"
	"fmt"
	htmltemplate "html/template"
	"maps"
	"strings"
	"testing"
)

// row is data of the tests.
type row struct {
	Name, Link string
	Kind       kind
	Count      int
	On         bool
	Items      []row
	More       *row
	Any        any
	Err        error
	*embedded
}

type embedded struct{ Hidden string }

type kind string

// templates have values in each place that is allowed.
var templates = []string{
	`{{.Name}}`,
	`<p class="a {{.Name}} b" title="{{.Name}}">{{.Name}}</p>`,
	`<a href="{{.Link}}">{{.Name}}</a>`,
	`<a href="/x/{{.Link}}?q={{.Name}}&amp;r={{.Name}}#{{.Name}}">x</a>`,
	`<a href="{{.Name}}{{.Link}}">x</a><img src="{{.Link}}#{{.Name}}" alt="{{.Name}}">`,
	`<form action="{{.Link}}"{{if .On}} method="post"{{end}}><input value="{{.Name}}"{{if .On}} checked{{end}}></form>`,
	`<div data-socket="{{.Link}}" data-url="{{.Link}}" data-src-x="{{.Link}}" aria-label="{{.Name}}">x</div>`,
	`<title>{{.Name}}</title><textarea name="{{.Name}}">{{"\n"}}{{.Name}}</textarea>`,
	`<script>if (a < b) { c("</p>") }</script><style>a > b { color: red }</style>{{.Name}}`,
	`<!doctype html><html lang="en"><meta name=viewport content='x'><br/>{{.Name}}`,
	`{{range .Items}}<li{{if .On}} class="on"{{end}}>{{.Name}}</li>{{else}}none{{end}}`,
	`{{range $i, $e := .Items}}{{if $i}}, {{end}}{{$i}} {{$e.Name}} {{$.Name}}{{end}}`,
	`{{with .More}}{{.Name}}{{else}}{{.Link}}{{end}}{{with $x := .Name}}{{$x}}{{end}}`,
	`{{$n := .Name}}{{if eq .Kind "note"}}{{$n}}{{else if or .On (not .Name)}}{{printf "%s-%d" .Name .Count}}{{else if and .Name .On}}a{{else}}b{{end}}`,
	`{{define "x"}}<b>{{.}}</b>{{end}}{{template "x" .Name}}{{template "x" .Count}}{{template "x" .On}}{{template "x" .Kind}}`,
	`{{if ne .Name "a"}}{{.Name | upper}}{{end}}{{upper .Name | upper}}`,
	`<p class="x{{if .On}} on{{end}}"{{with .Name}} title="{{.}}"{{end}}>`,
	`{{.Any}}{{if .Any}}any{{end}}{{if .Err}}{{.Err}}{{end}}`,
	`<svg><use href="/a/icons.svg#{{.Name}}"/></svg>`,
	"{{- /* comment */ -}}\n a {{- .Name -}} b ",
	`{{if .Items}}{{range .Items}}{{range .Items}}{{.Name}}{{end}}{{$.Name}}{{end}}{{end}}`,
	`<p class="{{if .On}}on{{end}} {{.Name}}" title="javascript:{{.Name}}"><a href="x{{if .On}}y{{end}}/{{.Name}}">x</a>`,
	`{{printf "%v %s" .Any .Name}}<title>a {{.Name}}</title>`,
	`<a href="mailto:{{.Name}}">x</a><a href="?{{.Name}}">x</a><a href="#{{.Name}}">x</a>`,
}

var funcs = Funcs{"upper": strings.ToUpper}

// same compares the output of both packages.
func same(t *testing.T, text string, data any) {
	t.Helper()
	their, err := htmltemplate.New("").Funcs(htmltemplate.FuncMap(funcs)).Parse(text)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	var want, got bytes.Buffer
	if err := their.Execute(&want, data); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	our, err := ParseHTML(text, funcs)
	if err != nil {
		t.Fatal(err)
	}
	if err := our.Execute(&got, "", data); err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	if got.String() != want.String() {
		t.Errorf("%s\ngot  %s\nwant %s", text, &got, &want)
	}
}

// hostile are values that want out of their place.
var hostile = []string{
	"", "plain", `"><script>alert(1)</script>`, "' onmouseover='x", "javascript:alert(1)", "JaVaScRiPt:x", "\x01javascript:x", "data:text/html,<b>", "gopher://h/1",
	"http://h/a b?c=d&e=f#g", "HTTPS://h/", "mailto:a@b", "/path:with/colon", "//h/x", "%zz%41%", "ä€\xff\x00+=", "</title><img src=x onerror=y>", "</textarea>", "&lt;", "a\nb\tc\r",
}

// The output is that of package html/template, octet for octet.
func TestSameAsHTMLTemplate(t *testing.T) {
	for _, text := range templates {
		for i, value := range hostile {
			other := hostile[(i+7)%len(hostile)]
			r := row{Name: value, Link: other, Kind: kind(other), Count: i - 3, On: i%2 == 0, Any: i}
			if i%3 == 0 {
				r.More, r.Kind, r.Err = &row{Name: other}, "note", errors.New(value)
				r.Items = []row{{Name: value, On: true, Items: []row{{Name: other}}}, {Name: other}}
				r.Any = kind(value)
			}
			same(t, text, r)
		}
	}
}

func FuzzSameAsHTMLTemplate(f *testing.F) {
	for i, value := range hostile {
		f.Add(uint(i), value, hostile[len(hostile)-1-i], i, i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, at uint, name, link string, count int, on bool) {
		r := row{Name: name, Link: link, Kind: kind(link), Count: count, On: on, Items: []row{{Name: link, On: !on}}}
		same(t, templates[at%uint(len(templates))], r)
	})
}

// Templates with values in places where escaping is not enough are refused when they are parsed.
func TestRefusedPlaces(t *testing.T) {
	for text, why := range map[string]string{
		`<script>x = {{.}}</script>`:                  "a value in a script",
		`<style>{{.}}</style>`:                        "a value in a style",
		`<a onclick="{{.}}">`:                         `in the attribute "onclick"`,
		`<a ONclick="{{.}}">`:                         `in the attribute "onclick"`,
		`<p style="{{.}}">`:                           `in the attribute "style"`,
		`<img srcset="{{.}}">`:                        `in the attribute "srcset"`,
		`<iframe srcdoc="{{.}}">`:                     `in the attribute "srcdoc"`,
		`<use xlink:href="{{.}}">`:                    `in the attribute "xlink:href"`,
		`<a href={{.}}>`:                              "text or in double quotes",
		`<a href='{{.}}'>`:                            "text or in double quotes",
		`<a href=x{{.}}>`:                             "text or in double quotes",
		`<a {{.}}>`:                                   "text or in double quotes",
		`<a x{{.}}="y">`:                              "text or in double quotes",
		`<{{.}}>`:                                     `"<" at the end`,
		`<!-- {{.}} -->`:                              "a comment of HTML",
		`<!--><script>-->{{.}}</script>`:              "a comment of HTML",
		`<script><!--<script></script>{{.}}</script>`: `"<!--" in a script`,
		`<style><!--{{if .}}{{end}}--></style>`:       `"<!--" in a style`,
		`<script></script{{if .}}{{end}}><p onclick="</script>{{.}}">`: "an end tag continues",
		`<title><{{.}}</title>`:                             "an end tag continues",
		`<textarea></tEx{{.}}</textarea>`:                   "an end tag continues",
		`<a x= y="{{.}}">`:                                  `a blank after "="`,
		"<a x=\ny=\"{{.}}\">":                               `a blank after "="`,
		`<a href="&Tab;{{.}}">`:                             "part of a scheme",
		`<a href="&#106;avascript:{{.}}">`:                  "part of a scheme",
		`<a href="java{{.}}">`:                              "part of a scheme",
		`<a href="java{{if .}}{{end}}script:/{{.}}">`:       "part of a scheme",
		`<a href="javascript:x('/{{.}}')">`:                 "part of a scheme",
		`<a href="javascript:x{{if .}}{{end}}/{{.}}">`:      "part of a scheme",
		`<a href=" data:text/html,{{.}}">`:                  "part of a scheme",
		`<a href="{{.}}:{{.}}">`:                            "part of a scheme",
		`<a href="{{if .}}x{{else}}/{{end}}">`:              "different places",
		`<a href="/x{{range .}}{{.}}?{{end}}">`:             "different places",
		`<a href="`:                                         "ends within a tag",
		`<p>{{if .}}<a href="{{end}}x">`:                    "different places",
		`{{range .}}<p class="{{end}}`:                      "different places",
		`<a {{if .}}hre{{else}}sr{{end}}f="{{.}}">`:         "continues after a branch",
		`<scr{{if .}}ipt{{end}}>`:                           "continues after a branch",
		`<a href="{{if .}}/x{{end}}{{.}}">`:                 "different places",
		`<p title="{{template "x"}}">{{define "x"}}{{end}}`: "only in text",
		`a < b {{.}}`:                                       "name of a tag is missing",
		`<p "{{.}}">`:                                       "name of an attribute",
		`<!doctype {{.}}>`:                                  "name of a tag",
		`{{break}}`:                                         "break",
		`{{none .}}`:                                        `function "none" not defined`,
	} {
		if _, err := ParseHTML(text, nil); err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// What a template can't do with its data is an error, not a panic.
func TestExecutionErrors(t *testing.T) {
	broken := errors.New("broken")
	f := Funcs{"fail": func() (string, error) { return "", broken }, "text": func(s string) string { return s }}
	for text, why := range map[string]string{
		`{{.None}}`: "has no field None", `{{.Name.X}}`: "no struct or map", `{{.More.Name}}`: "no struct or map", `{{range .Name}}{{end}}`: "a range is over a list", `{{fail}}`: "broken",
		`{{text 1}}`: "argument 1 is int", `{{text}}`: "1 arguments, not 0", `{{text .More}}`: "argument 1", `{{eq .Name 1}}`: "two kinds", `{{eq .Items .Items}}`: "can't be compared", `{{.Name | 1}}`: "",
		`{{define "x"}}{{template "x"}}{{end}}{{template "x"}}`: "without an end", `{{template "none"}}`: "no template", `{{printf 1}}`: "format", `{{printf}}`: "format",
		`{{and}}`: "needs an argument", `{{not or}}`: "needs an argument", `{{if eq and}}{{end}}`: "needs an argument",
		`{{printf .Any}}`: "format", `{{define "y"}}{{printf .}}{{end}}{{template "y"}}`: "format", `{{.Hidden}}`: "a struct that is nil",
		`{{$x := .Items}}{{range $x = .Items}}{{end}}`: "set once", `{{$x := 1}}{{$x = 2}}`: "set once",
		`{{.Err.Error}}`: "no struct or map",
	} {
		tpl, err := ParseText(text, f)
		if err == nil {
			err = tpl.Execute(new(bytes.Buffer), "", row{})
		}
		if err == nil || !strings.Contains(err.Error(), why) {
			t.Errorf("%s: %v", text, err)
		}
	}
	tpl, err := ParseText("{{.a}}", nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := tpl.Execute(new(bytes.Buffer), "", map[string]string{}); err == nil {
		t.Error("no error for a missing key")
	}
	if err := tpl.Execute(new(bytes.Buffer), "none", nil); err == nil {
		t.Error("no error for a missing template")
	}
	if err := tpl.Execute(failingWriter{broken}, "", map[string]string{"a": "b"}); err != broken {
		t.Errorf("the error of the writer: %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

// Functions are replaced in a copy; text is not escaped.
func TestWithAndText(t *testing.T) {
	one, err := ParseText(`{{.}}{{f}}`, Funcs{"f": func() string { return "1" }})
	if err != nil {
		t.Fatal(err)
	}
	two := one.With(Funcs{"f": func() string { return "2" }})
	for want, tpl := range map[string]*Template{"<&1": one, "<&2": two} {
		var b bytes.Buffer
		if err := tpl.Execute(&b, "", "<&"); err != nil || b.String() != want {
			t.Errorf("%q, %v", b.String(), err)
		}
	}
}

// A parser that accepts a text neither hangs nor fails on it in another way than by an error.
func FuzzParseHTML(f *testing.F) {
	for _, text := range templates {
		f.Add(text)
	}
	known := maps.Clone(funcs)
	f.Fuzz(func(t *testing.T, text string) {
		tpl, err := ParseHTML(text, known)
		if err != nil {
			return
		}
		var got bytes.Buffer
		data := row{Name: `"><script>`, Link: "javascript:x", Items: []row{{Name: "<"}}}
		if tpl.Execute(&got, "", data) != nil {
			return
		}
		// What this package accepts, html/template makes the same of, if it accepts it.
		their, err := htmltemplate.New("").Funcs(htmltemplate.FuncMap(funcs)).Parse(text)
		var want bytes.Buffer
		if err != nil || their.Execute(&want, data) != nil {
			return
		}
		if got.String() != want.String() {
			t.Errorf("%s\ngot  %s\nwant %s", text, &got, &want)
		}
	})
}

func BenchmarkExecute(b *testing.B) {
	const text = `<ul>{{range .Items}}<li class="item{{if .On}} on{{end}}"><a href="{{.Link}}">{{.Name}}</a> {{.Count}}</li>{{end}}</ul>`
	data := row{}
	for i := range 100 {
		data.Items = append(data.Items, row{Name: fmt.Sprint("Item <", i), Link: "/gopher/h.example/1/a b", Count: i, On: i%2 == 0})
	}
	our, err := ParseHTML(text, nil)
	if err != nil {
		b.Fatal(err)
	}
	their := htmltemplate.Must(htmltemplate.New("").Parse(text))
	var out bytes.Buffer
	for name, execute := range map[string]func() error{"this": func() error { return our.Execute(&out, "", data) }, "html-template": func() error { return their.Execute(&out, data) }} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				out.Reset()
				if err := execute(); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
