package verify

import (
	"strings"
	"testing"

	"github.com/locus-url/locus/policy"
)

func TestTemplates(t *testing.T) {
	for _, written := range []string{
		"https://h/users/{id}", "https://h/{+path}/x{?a,b*}", "https://h/{user-id}/x", "{H}/dead/{name}", "https://h/{f.name()}", "https://h/{a:[0-9]+}",
		"{{ x }}", "{{ page.url }}/x", "https://h/v{{ version }}/x", "${x}", "#{id}", "{% url 'a' %}", "https://{host}/", "https://h:{port}/",
		"https://h/users/<id>", "https://h/<your name>/x", "<%= x %>", "<?php echo 1 ?>", "https://<host>/x",
		"https://h/$VERSION/x", "https://h/v$VERSION.zip", "$API_URL/x", "https://h/$(uname -r)/x", "https://$host/x",
		"%PUBLIC_URL%/favicon.ico", "https://h/%ABC_DEF%", "https://h/%s", "https://h/%d/x", "http://localhost:%d/",
		"https://h/users/:id", "/:owner/:repo", "https://h/users/:id.json", "https://h/:a?/x",
		"https://h/...", "https://h/…", "https://h/a/.../b", "https://h/abc...", "...", "https://h/abc…",
		"http://localhost:port", "http://localhost:port/x", "http://h:PORT", "http://h:your_port/", "http://*.example.com/", "https://h/#/users/:id", "mailto:{{ x }}", "{{ ", "https://h/{{ ", "x-new:<%= y %>",
	} {
		if !isTemplate(written) {
			t.Errorf("%s is no template", written)
		}
	}
	for _, written := range []string{
		"https://h/", "https://h:8080/a:b", "https://h/wiki/Talk:A", "https://h/wiki/:Category:A", "https://h/a/:80", "//h/x", "../a", "a.md#b",
		`https://h/?q={"a":1}`, `https://h/?q={ "a": 1 }`, "https://h/{3F2504E0-4F89-11D3-9A0C-0305E82C3301}", "https://h/{}", "https://h/{x",
		"https://h/$metadata", "https://h/Map$Entry.html", "https://h/$1/x", "https://h/?$A=1", "https://h/a<b", "https://h/a>b",
		"https://h/%41%20", "https://h/%CAFE%20x", "https://h/100%", "operator%.html", "https://tc39.es/ecma262/#sec-%typedarray%.prototype.find", "https://h/#%_sec_6.2",
		"https://github.com/a/b/compare/v1...v2", "https://h/…And_Justice", "#sources…", "a.md#part...", "https://h/a*b", "http://h/http://x", "https://h/x[0]/[id]",
		"http://u:port@h/", "http://h:secret/", "http://[::1]:80/", "mailto:a@b", "data:image/svg+xml,<svg>{a}</svg>", "C:/x", "urn:a:b", "",
	} {
		if isTemplate(written) {
			t.Errorf("%s is a template", written)
		}
	}
}

// Checking a link of a megabyte takes time proportional to its length.
func TestTemplatesHostile(t *testing.T) {
	for _, unit := range []string{"{", "{\"", "}", "{\"}", "<", "$", "$A", "%", "%A", "%AB%", "/:", "/...", "…", ":", "//:", "_port"} {
		isTemplate("http://" + strings.Repeat(unit, 1<<20/len(unit)))
	}
}

// Some links are ignored for every target, so nothing is requested.
func TestSkippedLinks(t *testing.T) {
	for name, text := range map[string]string{
		"a.html": `<form method=POST action=/none></form><form method=post><button formaction=/none></form><button formmethod=post formaction=/none>` +
			`<a ping=http://a.example/none> file:///none <button href=none> <p longdesc=none> <applet codebase=none> ` +
			`<a href="http://a.example/ok">http://a.example/none <code>file:///none</code></a> http://a.example/none/<id> http://a.example/none/<var>id</var> <a href="%PUBLIC_URL%/none">x</a>`,
		"a.md": "[http://a.example/none](http://a.example/ok) ![http://a.example/none](http://a.example/ok) [x](http://a.example/ok 'http://a.example/none') file:///none\n\n" +
			"http://a.example/none/{id} http://a.example/none/:id http://a.example/none/<id> http://a.example/none{{ version }}/x http://a.example/$NONE/x\n" +
			"http://a.example/none/... http://a.example/none/… http://a.example/none/$(uname -r)/x http://a.example/none/${x} <http://a.example:port> [y](http://a.example/none/{{ v }}/x)\n",
		"a.txt": "file:///none\n",
	} {
		w := newFixture(t, policy.Rules{})
		w.serve("a.example", pages)
		for _, r := range w.run(textDoc(name, text)) {
			if r.Verdict != Alive && r.Verdict != Ignored {
				t.Errorf("%s: %s %v", name, r.Link(), r.Outcome)
			}
			if r.Verdict == Ignored && r.Detail == "" {
				t.Errorf("%s: %s is ignored for no reason", name, r.Link())
			}
		}
		for _, request := range w.requestedURLs() {
			if request != "HEAD http://a.example/ok" {
				t.Errorf("%s: %s", name, request)
			}
		}
	}
}

// A segment ":name" in a marked-up link is data.
func TestNamedSegments(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.o.Reserved = false
	w.serve("h.iana.org", pages)
	w.want(w.run(textDoc("a.md", "[a](http://h.iana.org/ok/:where) <http://h.iana.org/ok/:b> <a href='http://h.iana.org/ok/::c'></a> http://h.iana.org/ok/:id\n"+
		"[d](/ok/:d) [e](http://h.iana.org/:e/{f}) [g](http://h.example/:g)")),
		"a.md:1 http://h.iana.org/ok/:where dead 404", "a.md:1 http://h.iana.org/ok/:b dead 404", "a.md:1 http://h.iana.org/ok/::c dead 404", "a.md:1 http://h.iana.org/ok/:id ignored",
		"a.md:2 /ok/:d ignored", "a.md:2 http://h.iana.org/:e/{f} ignored", "a.md:2 http://h.example/:g ignored")
}

// The test contains a base URL that a program fills in, and a Thymeleaf attribute.
func TestTemplatesOfOthers(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	for text, want := range map[string]string{
		`<base href="{{ x }}"><a href="a"></a><a href="#b"></a><a href=/c>`:  "a #b /c",
		`<base href='{{ url("x") }}'><a href="a">`:                           "a",
		`<a href="a" th:href="@{b}"></a><img th:src="c" src="d">`:            "a d",
		`<a href="{{ url_for("x", y="z") }}">{{ x }}</a><img src="%s?a=%d">`: "{{ url_for( %s?a=%d",
	} {
		var got []string
		for _, r := range w.run(textDoc("a.html", text)) {
			if r.Cause != Template {
				t.Errorf("%s: %s %v", text, r.Link(), r.Outcome)
			}
			got = append(got, r.Link())
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%s: %q", text, got)
		}
	}
}

// A "file" URL that is marked up as a link is verified, and the word "port" is shown.
func TestMarkedLinks(t *testing.T) {
	w := newFixture(t, policy.Rules{})
	w.want(w.run(textDoc("a.md", "<http://localhost:port> <URL:file:///none> <file:///none> [x](file:///none)")),
		"a.md:1 http://localhost:port ignored", "a.md:1 file:///none denied", "a.md:1 file:///none denied", "a.md:1 file:///none denied")
}
