package mirror_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/scheme/gemini/geminitest"
)

func TestRelinkMarkdown(t *testing.T) {
	s := &site{pages: map[string]string{
		"/a.md":      "[b](/d/b.md#part \"a title\") ![i](<d/i.png>) [gone](none.md) <http://else.example/> [else](http://else.example/x)\n\n[ref]: d/b.md\n\n```\n[code](d/b.md)\n```\n",
		"/d/b.md":    "# b\n[up](../a.md) [here](#part)\n",
		"/d/i.png":   "i",
		"/d/none.md": "not linked",
	}}
	root, folder := serve(t, s)
	dir := t.TempDir()
	out := run(t, newClient(t), dir, &mirror.Options{Relink: true, Hosts: pattern("127.0.0.1")}, root+"/a.md")
	if out.err != nil || out.Added != 3 || out.Failed != 1 {
		t.Fatal(out.err, out.events)
	}
	checkFiles(t, filesOf(t, dir), below(folder, map[string]string{
		"a.md":    "[b](d/b.md#part \"a title\") ![i](<d/i.png>) [gone](" + root + "/none.md) <http://else.example/> [else](http://else.example/x)\n\n[ref]: d/b.md\n\n```\n[code](d/b.md)\n```\n",
		"d/b.md":  "# b\n[up](../a.md) [here](#part)\n",
		"d/i.png": "i",
	}))
}

// Gemini pages are menus with gemtext lines.
func TestGemini(t *testing.T) {
	responses := map[string]string{
		"/":        "20 text/gemini\r\n# Title\n=> /d/a.gmi A\n=>d/b.txt\n=> /ask Ask\n=> /old Moved\n=> gemini://else.example/ Else\n=> http://web.example/ Web\n```\n=> /code\n```\n",
		"/d/a.gmi": "20 text/gemini; lang=en\r\n=> ../ Up\n=> b.txt B\n=> a%20b.gmi?q Query\n",
		"/d/b.txt": "20 text/plain\r\ntext\n",
		"/ask":     "10 Words?\r\n",
		"/old":     "31 /d/a.gmi\r\n",
		"/code":    "20 text/plain\r\nnot linked\n",

		"/d/a%20b.gmi?q": "20 text/gemini\r\n=> /d/b.txt B\n",
	}
	s, err := geminitest.Start(responses)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	start, folder := "gemini://"+s.Addr()+"/", hostFolder(s.Addr())
	dir := t.TempDir()
	c := newClient(t)
	o := &mirror.Options{Relink: true}
	if out := run(t, c, dir, o, start); out.err != nil {
		t.Fatal(out.err, out.events)
	}
	files := filesOf(t, dir)
	for name, want := range map[string][]string{
		"d/b.txt":    {"text\n"},
		".menu":      {"# Title\n", "=> d/a.gmi.html A\n", "=>d/b.txt\n", "=> gemini://else.example/ Else\n", "=> /code\n"},
		"index.html": {`<a href="d/b.txt">`, `<a href="gemini://else.example/">Else</a>`},
		"d/a.gmi":    {"=> b.txt B\n"},
	} {
		for _, w := range want {
			if !strings.Contains(files[folder+"/"+name], w) {
				t.Errorf("%s does not have %q: %q", name, w, files[folder+"/"+name])
			}
		}
	}
	for name, text := range files {
		if strings.Contains(text, "not linked") {
			t.Errorf("%s is kept", name)
		}
	}
	if out := run(t, c, dir, o, start); out.err != nil || out.Added+out.Changed+out.Gone > 0 {
		t.Errorf("%v, %+v %v", out.err, out.Summary, out.statuses())
	}
	checkFiles(t, filesOf(t, dir), files)
	// Without Relink the octets of the server come back.
	out := run(t, c, dir, nil, start)
	if text := filesOf(t, dir)[folder+"/.menu"]; out.err != nil || "20 text/gemini\r\n"+text != responses["/"] {
		t.Errorf("%v, %q", out.err, text)
	}
}
