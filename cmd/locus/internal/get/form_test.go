package get_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme"
)

func TestGetAnswers(t *testing.T) {
	dir := t.TempDir()
	picture := filepath.Join(dir, "picture")
	if err := os.WriteFile(picture, []byte("\x00GIF\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	big := filepath.Join(dir, "big")
	if err := os.WriteFile(big, nil, 0o666); err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(big, form.MaxFile+1); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		flags []string
		want  string // answers with "|" between them; empty if the command fails
		err   string
	}{
		{[]string{"1=Bob"}, "|Bob||||1||", ""},
		{[]string{"1="}, "|||||1||", ""},
		{[]string{"your NAME=a=b"}, "|a=b||||1||", ""},
		{[]string{"Your name:=Bob", "2=s3cret"}, "|Bob|s3cret||Red|1|re_ply.txt|", ""},
		{[]string{"a=b=no"}, "|Anna||||0||", ""},
		{[]string{"a=b=FALSE"}, "|Anna||||0||", ""},
		{[]string{"3=one\ntwo\n\n.", "4=1"}, "|Anna||one\ntwo\n\n.|Red|1||", ""},
		{[]string{"4=gr\u00fcn"}, "|Anna|||gr\xfcn|1||", ""},
		{[]string{"4=2"}, "|Anna|||2|1||", ""}, // a choice text takes precedence over a choice number
		{[]string{"4=3"}, "|Anna|||2|1||", ""},
		{[]string{"6=mine.txt", "7=" + picture}, "|Anna|||Red|1|mine.txt|\x00GIF\n", ""},
		{[]string{"7="}, "|Anna|||Red|1||", ""},
		{[]string{"4=green"}, "", `--answer: field 4 "Color": invalid choice: choose 1 "Red", 2 "grün", 3 "2"`},
		{[]string{"4=r"}, "", "invalid choice"},
		{[]string{"5=maybe"}, "", `field 5 "a=b": write y for yes or n for no`},
		{[]string{"1=a\nb"}, "", `field 1 "Your name": a single-line answer`},
		{[]string{"6=/etc/x"}, "", "not a path"},
		{[]string{"7=" + dir}, "", "not a regular file"},
		{[]string{"7=" + big}, "", "exceeds the limit of 16777216 bytes"},
		{[]string{"7=/nonexistent/x"}, "", "no such file"},
		{[]string{"1=a", "s3cret"}, "", `--answer number 2: unknown field: choose 1 "Your name", 2 "Password", 3 "Comments"`},
		{[]string{"s3cret=x"}, "", "--answer number 1: unknown field"},
		{[]string{"0=x"}, "", "unknown field"},
		{[]string{"8=x"}, "", "unknown field"},
		{[]string{"About you=x"}, "", "unknown field"},
		{[]string{"1=a", "Your name=b"}, "", `field 1 "Your name" is answered twice`},
		{[]string{"1=refused"}, "", `field 1 "Your name": can't be sent`},
	} {
		s := commandtest.EveryKind()
		s.Refuse = "refused"
		var args []string
		for _, flag := range test.flags {
			args = append(args, "--answer", flag)
		}
		got := runGet(t, s.In, append(args, "-v", "x-form://h/")...)
		if strings.Contains(got.Err, "s3cret") {
			t.Errorf("%q: a secret is shown: %s", test.flags, got.Err)
		}
		if test.err != "" {
			if got.Status != base.StatusUsage || !strings.Contains(got.Err, test.err) || got.Out != "" || s.Last() != nil {
				t.Errorf("%q: %+v, want %q", test.flags, got, test.err)
			}
			continue
		}
		want := strings.Split(test.want, "|")
		for i, standing := range map[int]string{4: "Red", 6: "re_ply.txt"} {
			if want[i] == "" {
				want[i] = standing
			}
		}
		if list := s.Last(); strings.Join(list, "|") != strings.Join(want, "|") || got.Status != 0 || got.Out != strings.Join(want, "|")+"\n" {
			t.Errorf("%q: %q, want %q; %+v", test.flags, list, want, got)
		}
	}
}

func TestGetAnswersFile(t *testing.T) {
	for _, test := range []struct {
		json, want string
		flags      []string
		err        string
	}{
		{`{}`, "|Anna|||Red|1|re_ply.txt|", nil, ""},
		{`[]`, "|Anna|||Red|1|re_ply.txt|", nil, ""},
		{`["Bob", "s3cret", ["one", "", "two"], 3, false, "mine", ""]`, "|Bob|s3cret|one\n\ntwo|2|0|mine|", nil, ""},
		{`[null, null, "x\ny"]`, "|Anna||x\ny|Red|1|re_ply.txt|", nil, ""},
		{`{"your name": "Bob", "5": "n", "Color": "grün"}`, "|Bob|||gr\xfcn|0|re_ply.txt|", nil, ""},
		{`{"your name": "Bob", "a=b": true}`, "|Joe|||Red|1|re_ply.txt|", []string{"1=Joe"}, ""},
		{`{"your name": 1738}`, "|1738|||Red|1|re_ply.txt|", nil, ""},
		{`{"s3cret": "s3cret"}`, "", nil, `--answers: value 1: unknown field: choose 1 "Your name"`},
		{`{"1": "a", "Your name": "b"}`, "", nil, `--answers: field 1 "Your name" is answered twice`},
		{`["a","","",null,null,null,null,"s3cret"]`, "", nil, "--answers: value 8: unknown field"},
		{`[true]`, "", nil, "true and false only answer fields of kind check"},
		{`[["a"]]`, "", nil, "a list only answers fields of kind lines"},
		{`[null, null, [1]]`, "", nil, "lines must be strings"},
		{`[{}]`, "", nil, "an object is not an answer"},
		{`"s3cret"`, "", nil, "--answers: write a JSON object of answers"},
		{``, "", nil, "--answers: not JSON: unexpected EOF"},
		{`{"a": `, "", nil, "--answers: not JSON: unexpected EOF"},
		{`{"a": s3cret}`, "", nil, "--answers: not JSON: invalid character"},
		{`[] []`, "", nil, "--answers: unexpected text after the JSON"},
	} {
		s := commandtest.EveryKind()
		args := []string{"--answers", "-"}
		for _, flag := range test.flags {
			args = append(args, "--answer", flag)
		}
		got := runGet(t, func(a *base.App) { s.In(a); a.In = strings.NewReader(test.json) }, append(args, "x-form://h/")...)
		if strings.Contains(got.Err, "s3cret") {
			t.Errorf("%s: a secret is shown: %s", test.json, got.Err)
		}
		if test.err != "" {
			if got.Status != base.StatusUsage || !strings.Contains(got.Err, test.err) || s.Last() != nil {
				t.Errorf("%s: %+v, want %q", test.json, got, test.err)
			}
			continue
		}
		if list := strings.Join(s.Last(), "|"); list != test.want || got.Status != 0 {
			t.Errorf("%s: %q, want %q; %+v", test.json, list, test.want, got)
		}
	}
	if got := runGet(t, nil, "--answers", "-", "-"); got.Status != base.StatusUsage || !strings.Contains(got.Err, "both the list of URLs and the answers") {
		t.Errorf("runGet(--answers, -, -) = %+v, want status %d and %q in err", got, base.StatusUsage, "both the list of URLs and the answers")
	}
	if got := runGet(t, nil, "--answers", "/nonexistent/x", "file:///"); got.Status != base.StatusUsage {
		t.Errorf("runGet(--answers, /nonexistent/x, file:///) = %+v, want status %d", got, base.StatusUsage)
	}
}

// If a form contains a single question, as a search does, the whole text is the answer.
func TestGetAnswersSearch(t *testing.T) {
	search := func() *commandtest.Survey {
		return &commandtest.Survey{Fields: []scheme.FormField{{Kind: scheme.FieldNote, Prompt: "x"}, {Kind: scheme.FieldText, Prompt: "Words"}}}
	}
	for _, words := range []string{"two words", "1=x", "Words=y", ""} {
		s := search()
		if got := runGet(t, s.In, "--answer", words, "x-form://h/"); got.Out != "|"+words+"\n" || got.Status != 0 || got.Err != "" {
			t.Errorf("%q: %+v, want out %q, status 0 and no err", words, got, "|"+words+"\n")
		}
	}
	s := search()
	if got := runGet(t, s.In, "--answer", "a", "--answer", "b", "x-form://h/"); got.Status != base.StatusUsage || !strings.Contains(got.Err, "answered twice") {
		t.Errorf("runGet(--answer, a, --answer, b, x-form://h/) = %+v, want status %d and %q in err", got, base.StatusUsage, "answered twice")
	}
	s.Fields = s.Fields[:1]
	if got := runGet(t, s.In, "--answer", "a", "x-form://h/"); got.Status != base.StatusUsage || !strings.Contains(got.Err, "has none to answer") {
		t.Errorf("runGet(--answer, a, x-form://h/) = %+v, want status %d and %q in err", got, base.StatusUsage, "has none to answer")
	}
	s.Fields = []scheme.FormField{{Kind: scheme.FieldText, Prompt: "Word"}, {Kind: scheme.FieldText, Prompt: "word:"}}
	if got := runGet(t, s.In, "--answer", "word=a", "x-form://h/"); got.Status != base.StatusUsage || !strings.Contains(got.Err, "more than one field: use the field's number") {
		t.Errorf("runGet(--answer, word=a, x-form://h/) = %+v, want status %d and %q in err", got, base.StatusUsage, "more than one field: use the field's number")
	}
	// The command reports answers that no form uses.
	if got := runGet(t, nil, "--answer", "a", "file:///etc/"); got.Status != 0 || !strings.Contains(got.Err, "the URL is not a form") {
		t.Errorf("runGet(--answer, a, file:///etc/) = %+v, want status 0 and %q in err", got, "the URL is not a form")
	}
}

// In JSON, a wrong answer is a separate kind of failure. The command does not store a form as a
// file.
func TestGetAnswersFailures(t *testing.T) {
	s := commandtest.EveryKind()
	got := runGet(t, s.In, "--json", "--answer", "5=s3cret", "x-form://h/")
	var v struct {
		Error struct{ Kind, Message string }
	}
	if err := json.Unmarshal([]byte(got.Out), &v); err != nil || v.Error.Kind != "answer" || got.Status != base.StatusUsage || strings.Contains(got.Out, "s3cret") {
		t.Errorf("%v: %+v, want no error, v.Error.Kind %q, status %d and no %q in out", err, got, "answer", base.StatusUsage, "s3cret")
	}
	file := filepath.Join(t.TempDir(), "out")
	if got := runGet(t, s.In, "-o", file, "x-form://h/"); got.Status != base.StatusAccess || !strings.Contains(got.Err, "it is a form (use --answer to answer it)") {
		t.Errorf("runGet(-o, %q, x-form://h/) = %+v, want status %d and %q in err", file, got, base.StatusAccess, "it is a form (use --answer to answer it)")
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("there is a file")
	}
	if got := runGet(t, s.In, "--answer", "1=Bob", "-o", file, "x-form://h/"); got.Status != 0 {
		t.Errorf("runGet(--answer, 1=Bob, -o, %q, x-form://h/) = %+v, want status 0", file, got)
	}
	if octets, err := os.ReadFile(file); err != nil || string(octets) != "|Bob|||Red|1|re_ply.txt|\n" {
		t.Errorf("ReadFile(%q) = %q, %v, want no error and octets %q", file, octets, err, "|Bob|||Red|1|re_ply.txt|\n")
	}
}

// Without answers, the command prints the list of questions in the form.
func TestGetForm(t *testing.T) {
	s := commandtest.EveryKind()
	const note = `locus: this URL is a form: use "locus open URL", or "locus get --answer FIELD=TEXT URL"` + "\n"
	want := `A survey\x1b[2J
                About you
    1  text     Your name:  [Anna]
    2  hidden   Password
    3  lines    Comments
    4  choice   Color  1 Red (default), 2 grün, 3 2
    5  check    a=b  [y]
    6  save-as  Keep as  [re_ply.txt]
    7  file     Picture
`
	latin := "locus: x-form://h/: text that is not UTF-8 is read as ISO Latin 1\n"
	if got := runGet(t, func(a *base.App) { s.In(a); a.OutTTY = true }, "x-form://h/"); got.Out != want || got.Err != latin+note || got.Status != 0 {
		t.Errorf("runGet(x-form://h/) = %s\n%s, want out %q, err %q and status 0", got.Out, got.Err, want, latin+note)
	}
	got := runGet(t, s.In, "x-form://h/")
	for line := range strings.Lines(got.Out) {
		if strings.Count(line, "\t") != 1 || !strings.HasSuffix(line, "\t\n") {
			t.Errorf("a script takes part of a question for a URL: %q", line)
		}
	}
	if !strings.Contains(got.Out, "1  text     Your name:  [Anna]\t\n") {
		t.Errorf("%q, want %q in out", got.Out, "1  text     Your name:  [Anna]\t\n")
	}
	got = runGet(t, s.In, "--json", "x-form://h/")
	wantJSON := `{"url":"x-form://h/","kind":"menu","title":"A survey\u001b[2J","form":{"title":"A survey\u001b[2J","fields":[` +
		`{"kind":"note","prompt":"About you","default":""},` +
		`{"number":1,"kind":"text","prompt":"Your name:","default":"Anna"},` +
		`{"number":2,"kind":"hidden","prompt":"Password","default":""},` +
		`{"number":3,"kind":"lines","prompt":"Comments","default":""},` +
		`{"number":4,"kind":"choice","prompt":"Color","default":"Red","choices":["Red","grün","2"]},` +
		`{"number":5,"kind":"check","prompt":"a=b","default":"1"},` +
		`{"number":6,"kind":"save-as","prompt":"Keep as","default":"re_ply.txt"},` +
		`{"number":7,"kind":"file","prompt":"Picture","default":""}]},"items":[]}` + "\n"
	if got.Out != wantJSON || got.Err != "" {
		t.Errorf("got\n%s\nwant\n%s\n%s", got.Out, wantJSON, got.Err)
	}
}
