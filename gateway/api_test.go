package gateway_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

// description is the gateway's own description of its API.
type description struct {
	t    *testing.T
	doc  any
	c    *jsonschema.Compiler
	seen map[string]bool
}

func describe(t *testing.T, w *fixture) *description {
	t.Helper()
	a := w.get("/api/openapi.json")
	doc, err := jsonschema.UnmarshalJSON(strings.NewReader(a.body))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	c.AssertFormat()
	if err := c.AddResource("openapi.json", doc); err != nil {
		t.Fatal(err)
	}
	return &description{t, doc, c, make(map[string]bool)}
}

// check validates a response against the description of its call.
func (d *description) check(method, call string, a answer) {
	d.t.Helper()
	name, _, _ := strings.Cut(call, "?")
	kind := a.Header.Get("Content-Type")
	at := fmt.Sprintf("#/paths/%s/%s/responses/%d/content/%s/schema", strings.ReplaceAll("~1api~1"+name, "/", "~1"), strings.ToLower(method), a.StatusCode, strings.ReplaceAll(kind, "/", "~1"))
	schema, err := d.c.Compile("openapi.json" + at)
	if err != nil {
		d.t.Errorf("%s %s: %s, %s is not described: %v", method, call, a.Status, kind, err)
		return
	}
	d.seen[name+" "+strings.ToLower(method)] = true
	lines := []string{a.body}
	if kind == "application/x-ndjson" {
		lines = strings.Split(strings.TrimSuffix(a.body, "\n"), "\n")
	}
	for _, line := range lines {
		if line == "" {
			continue
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			d.t.Errorf("%s %s: %v: %s", method, call, err, line)
			continue
		}
		if err := schema.Validate(v); err != nil {
			d.t.Errorf("%s %s: %v\n%s", method, call, err, line)
		}
	}
}

// The API matches its description, for valid and invalid requests.
func TestAPI(t *testing.T) {
	w, m := museum(t, loopbackSetup)
	d := describe(t, w)
	for call, want := range map[string]string{
		"parse?url=" + query("gopher://h/7sel%09word"):                       `"locator":{"gophertype":"7","selector":"sel","search":"word","gopherPlus":null}`,
		"parse?url=" + query("ftp://u:p@h:21/a/b;type=i#f"):                  `"password":"p"`,
		"parse?url=" + query("wais://h/d/t/1=a;2=b;"):                        `"ok":true`,
		"parse?url=" + query("<URL:http://h/>"):                              `"url":"http://h/"`,
		"check?url=" + query("<URL:http://h/>"):                              `"notes":[{"rule":"wrapper"`,
		"canonical?url=" + query("URL:HTTP://h/"):                            `"canonical":"http://h/"`,
		"compare?a=" + query("<http://h/>") + "&b=http://h/":                 `"same":true`,
		"resolve?base=" + query("<URL:http://a/b>") + "&ref=" + query("<c>"): `"url":"http://a/c"`,
		"parse?url=" + query("x y"):                                          `"ok":false`,
		"parse?url=http://h/&url=" + query("no url"):                         "\n",
		"parse":                             `"error"`,
		"check?url=" + query("http://h/~u"): `"conforms":false`,
		"check?rules=rfc1630&url=" + query("http://h/"):                         `"rules":"rfc1630"`,
		"check?rules=none&url=http://h/":                                        `"error"`,
		"check?rules=all&url=" + query("http://h/~"):                            `"verdicts":[{"rules":"rfc1738","ok":true,"conforms":false`,
		"check?rules=whatwg&url=" + query(`http:\h`):                            `"special-scheme-missing-following-solidus"`,
		"parse?rules=rfc3986,whatwg&url=" + query("http://H/a b"):               `"whatwg":{"href":"http://h/a%20b"`,
		"parse?rules=whatwg&url=" + query("http://["):                           `"whatwg":null`,
		"parse?rules=none&url=http://h/":                                        `"error"`,
		"canonical?rules=all&url=" + query("http://h/~"):                        `"verdicts":[`,
		"canonical?rules=rfc3986&url=" + query("http://h/%7e"):                  `"canonical":"http://h/~"`,
		"compare?rules=whatwg&a=" + query("http://h/%7e") + "&b=http://h/~":     `"same":false`,
		"resolve?rules=whatwg&base=http://a/&ref=" + query(`\\b`):               `"url":"http://b/"`,
		"check?url=" + query("http://h:99999/"):                                 `"port-range"`,
		"canonical?url=" + query("HTTP://H:80"):                                 `"canonical":"http://h/"`,
		"canonical?url=" + query("gopher:h"):                                    `"ok":false`,
		"compare?a=" + query("http://h/%7eu") + "&b=" + query("HTTP://H:80/~u"): `"same":true`,
		"compare?a=http://h/a&b=" + query("http://h/b"):                         `the path differs`,
		"compare?a=x&b=http://h/":                                               `"same":false`,
		"compare?a=http://h/":                                                   `"error"`,
		"resolve?base=http://a/b/c/d&ref=../g":                                  `"url":"http://a/b/g"`,
		"resolve?base=" + query("magic://a/b/c//d/e/f") + "&ref=/g":             `"other":{"rules":"rfc1630"`,
		"resolve?base=http://a/b&ref=../../g":                                   `"notes":["a \"..\" above the root`,
		"resolve?base=x&ref=y":                                                  `"ok":false`,
		"resolve?base=http://a/&ref=b&rules=none":                               `"error"`,
		"lens?url=" + query("http://0x7f.1/"):                                   `"differences":["host"],"confusion":"ipv4","danger":true`,
		"lens?url=" + query("http://u:p4ss@h/") + "&url=x":                      `"password":"***"`,
		"lens":                         `"error"`,
		"schemes":                      `"name":"gopher"`,
		"openapi.json":                 `"openapi"`,
		"get?url=" + query("x-none:y"): `"unsupported"`,
		"get?url=" + query("gopher://127.0.0.1:1/"):                                       `"denied"`,
		"get?url=" + query("no url"):                                                      `"syntax"`,
		"get?url=" + query("telnet://127.0.0.1/"):                                         `"kind":"session"`,
		"get?url=" + query(strings.Replace(m.News().String(), "nntp", "nntp", 1)+"/none"): `"not-found"`,
	} {
		a := w.get("/api/" + call)
		if !strings.Contains(a.body, want) || a.Header.Get("X-Content-Type-Options") != "nosniff" {
			t.Errorf("%s: %s %s", call, a.Status, a.body)
		}
		d.check("GET", call, a)
	}
	for _, stop := range m.Stops() {
		if isTLS(stop.URL) {
			continue
		}
		call := "get?url=" + query(stop.URL.String())
		a := w.get("/api/" + call)
		d.check("GET", call, a)
		if stop.Missing != (a.StatusCode == 404) || a.StatusCode != 200 && !stop.Missing && stop.Scheme != "cid" && stop.Scheme != "file" && stop.Scheme != "mailto" {
			t.Errorf("%s: %s %s", call, a.Status, a.body)
		}
	}
	for call, body := range map[string]string{
		"parse": "http://h/\r\nx y\n", "check": "http://h/~\n", "check?rules=rfc1630": "x", "canonical": "HTTP://h\n\n", "lens": "http:/h/\n",
		"extract": "see <URL:ftp://h/a b\n c>, <gopher://h/> and http://x.example/. http://exampleこれは.example/ä http://xn--はじめよう.example/",
	} {
		a := w.exchange("POST", "/api/"+call, body, "Content-Type", "text/plain")
		if a.StatusCode != 200 || a.body == "" {
			t.Errorf("%s: %s %s", call, a.Status, a.body)
		}
		if call == "extract" && (!strings.Contains(a.body, `"iri":true,"ascii":"http://xn--example-v73f2ijk.example/%C3%A4"}`) || !strings.Contains(a.body, `"iri":true}`)) {
			t.Errorf("no IRI: %s", a.body)
		}
		d.check("POST", call, a)
	}
	if a := w.exchange("POST", "/api/parse", ""); a.StatusCode != 400 {
		t.Errorf("nothing: %s", a.Status)
	}
	if a := w.exchange("POST", "/api/extract", strings.Repeat("x", 2<<20)); a.StatusCode != http.StatusRequestEntityTooLarge {
		t.Errorf("too much: %s", a.Status)
	} else {
		d.check("POST", "extract", a)
	}
	// The number of inputs is limited, for inputs in lines and in parameters.
	for n, status := range map[int]int{10_000: 200, 10_001: 400} {
		a := w.exchange("POST", "/api/canonical", strings.Repeat("\n", n))
		if status == 400 && !strings.Contains(a.body, "expected 1 to 10000 inputs") {
			t.Errorf("%d lines: %.200s", n, a.body)
		}
		for _, a := range []answer{a, w.get("/api/canonical?url" + strings.Repeat("&url", n-1))} {
			if a.StatusCode != status || status == 200 && strings.Count(a.body, "\n") != n {
				t.Errorf("%d inputs: %s %.200s", n, a.Status, a.body)
			}
		}
	}
	// Every described call exists.
	var doc struct {
		OpenAPI string                                `json:"openapi"`
		Paths   map[string]map[string]json.RawMessage `json:"paths"`
	}
	if err := json.Unmarshal([]byte(w.get("/api/openapi.json").body), &doc); err != nil || !strings.HasPrefix(doc.OpenAPI, "3.1.") {
		t.Fatal(err)
	}
	for path, methods := range doc.Paths {
		for method := range methods {
			if !d.seen[strings.TrimPrefix(path, "/api/")+" "+method] {
				t.Errorf("%s %s was not tried", method, path)
			}
		}
	}
}

// The API and the command write the same bytes for a menu.
func TestAPIMenu(t *testing.T) {
	w, m := museum(t, loopbackSetup)
	for _, stop := range m.Stops() {
		if stop.Scheme != "wais" || !strings.Contains(stop.URL.String(), "?") {
			continue
		}
		a := w.get("/api/get?url=" + query(stop.URL.String()))
		var menu struct {
			Items []struct {
				Title  string
				Fields map[string]any
			}
		}
		if err := json.Unmarshal([]byte(a.body), &menu); err != nil || len(menu.Items) == 0 || menu.Items[0].Fields["score"] == nil {
			t.Errorf("%v: %s", err, a.body)
		}
		if !bytes.HasSuffix([]byte(a.body), []byte("]}\n")) {
			t.Errorf("%s", a.body)
		}
	}
}
