package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// survey is a scheme, x-form, that wants answers before it gives anything, and
// then gives the answers back.
type survey struct {
	fields []scheme.FormField
	name   string // of the scheme, and there is no other; empty: x-form, besides all others
	refuse string // an answer that Submit refuses
	long   bool   // the answers fit into no URL
	reply  scheme.Resource

	mu   sync.Mutex
	sent [][]string
}

func (s *survey) Open(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	form := &scheme.Form{URL: req.URL, Title: "A survey\x1b[2J", Fields: s.fields}
	form.Submit = func(answers []string) (locus.URL, error) {
		if err := form.Check(answers); err != nil {
			return locus.URL{}, err
		}
		for i, answer := range answers {
			if answer == s.refuse && answer != "" {
				return locus.URL{}, &scheme.AnswerError{Field: i, Prompt: s.fields[i].Prompt, Err: errors.New("can't be sent")}
			}
		}
		if s.long {
			return locus.URL{}, fmt.Errorf("x-form: %w", locus.ErrTooLong)
		}
		return locus.Parse("x-form://h:7070/sent'" + url.QueryEscape(strings.Join(answers, "|")))
	}
	if req.Fill == nil {
		return s.menu(form), nil
	}
	answers, ok, err := req.Fill(ctx, form)
	switch {
	case err != nil:
		return nil, fmt.Errorf("x-form: %w", err)
	case !ok:
		return s.menu(form), nil
	}
	if err := form.Check(answers); err != nil {
		return nil, err
	}
	req.Traced(true, "***")
	s.mu.Lock()
	defer s.mu.Unlock()
	s.sent = append(s.sent, answers)
	if s.reply != nil {
		return s.reply, nil
	}
	body := io.NopCloser(strings.NewReader(strings.Join(answers, "|") + "\n"))
	return &scheme.Object{URL: req.URL, Type: "text/plain", Size: -1, Body: body}, nil
}

func (s *survey) menu(f *scheme.Form) *scheme.Menu {
	return &scheme.Menu{URL: f.URL, Title: f.Title, Form: f, Items: func(func(scheme.Item, error) bool) {}}
}

// last are the answers that were sent last.
func (s *survey) last() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.sent) == 0 {
		return nil
	}
	return s.sent[len(s.sent)-1]
}

// in makes an app know the scheme.
func (s *survey) in(a *base.App) {
	row := scheme.Generic(cmp.Or(s.name, "x-form"), scheme.Experimental)
	row.Access.Opener, row.Access.Protocol = s, "memory"
	if s.name == "gophers" {
		row.Traits = scheme.Secure
	}
	a.NewRegistry = func(rows ...scheme.Scheme) (*scheme.Registry, error) {
		if s.name != "" {
			return scheme.NewRegistry(row)
		}
		return all.Registry(append(rows, row)...)
	}
}

// everyKind has a field of every kind.
func everyKind() *survey {
	return &survey{fields: []scheme.FormField{
		{Kind: scheme.FieldNote, Prompt: "About you"},
		{Kind: scheme.FieldText, Prompt: "Your name:", Default: "Anna"},
		{Kind: scheme.FieldHidden, Prompt: "Password"},
		{Kind: scheme.FieldLines, Prompt: "Comments"},
		{Kind: scheme.FieldChoice, Prompt: "Color", Choices: []string{"Red", "gr\xfcn", "2"}},
		{Kind: scheme.FieldCheck, Prompt: "a=b", Default: "1"},
		{Kind: scheme.FieldSaveAs, Prompt: "Keep as", Default: "../../re\x1bply.txt"},
		{Kind: scheme.FieldFile, Prompt: "Picture", Default: "/etc/passwd"},
	}}
}

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
		want  string // of the answers, with "|" between them; empty: it fails
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
		{[]string{"4=2"}, "|Anna|||2|1||", ""}, // a text before a number
		{[]string{"4=3"}, "|Anna|||2|1||", ""},
		{[]string{"6=mine.txt", "7=" + picture}, "|Anna|||Red|1|mine.txt|\x00GIF\n", ""},
		{[]string{"7="}, "|Anna|||Red|1||", ""},
		{[]string{"4=green"}, "", `--answer: field 4 "Color": not a choice; the choices are 1 "Red", 2 "grün", 3 "2"`},
		{[]string{"4=r"}, "", "not a choice"},
		{[]string{"5=maybe"}, "", `field 5 "a=b": write y for yes or n for no`},
		{[]string{"1=a\nb"}, "", `field 1 "Your name": an answer of one line`},
		{[]string{"6=/etc/x"}, "", "not a path"},
		{[]string{"7=" + dir}, "", "not a regular file"},
		{[]string{"7=" + big}, "", "larger than the limit of 16777216 octets"},
		{[]string{"7=/nonexistent/x"}, "", "no such file"},
		{[]string{"1=a", "s3cret"}, "", `--answer, number 2, names no field: they are 1 "Your name", 2 "Password", 3 "Comments"`},
		{[]string{"s3cret=x"}, "", "--answer, number 1, names no field"},
		{[]string{"0=x"}, "", "names no field"},
		{[]string{"8=x"}, "", "names no field"},
		{[]string{"About you=x"}, "", "names no field"},
		{[]string{"1=a", "Your name=b"}, "", `field 1 "Your name" is answered twice`},
		{[]string{"1=refused"}, "", `field 1 "Your name": can't be sent`},
	} {
		s := everyKind()
		s.refuse = "refused"
		var args []string
		for _, flag := range test.flags {
			args = append(args, "--answer", flag)
		}
		got := runGet(t, s.in, append(args, "-v", "x-form://h/")...)
		if strings.Contains(got.err, "s3cret") {
			t.Errorf("%q: a secret is shown: %s", test.flags, got.err)
		}
		if test.err != "" {
			if got.status != base.StatusUsage || !strings.Contains(got.err, test.err) || got.out != "" || s.last() != nil {
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
		if list := s.last(); strings.Join(list, "|") != strings.Join(want, "|") || got.status != 0 || got.out != strings.Join(want, "|")+"\n" {
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
		{`{"s3cret": "s3cret"}`, "", nil, `--answers: value 1 names no field: they are 1 "Your name"`},
		{`{"1": "a", "Your name": "b"}`, "", nil, `--answers: field 1 "Your name" is answered twice`},
		{`["a","","",null,null,null,null,"s3cret"]`, "", nil, "--answers: value 8 names no field"},
		{`[true]`, "", nil, "true and false only answer fields of kind check"},
		{`[["a"]]`, "", nil, "a list only answers fields of kind lines"},
		{`[null, null, [1]]`, "", nil, "lines must be strings"},
		{`[{}]`, "", nil, "an object is not an answer"},
		{`"s3cret"`, "", nil, "--answers: write a JSON object of answers"},
		{``, "", nil, "--answers: not JSON: unexpected EOF"},
		{`{"a": `, "", nil, "--answers: not JSON: unexpected EOF"},
		{`{"a": s3cret}`, "", nil, "--answers: not JSON: invalid character"},
		{`[] []`, "", nil, "--answers: there is text after the JSON"},
	} {
		s := everyKind()
		args := []string{"--answers", "-"}
		for _, flag := range test.flags {
			args = append(args, "--answer", flag)
		}
		got := runGet(t, func(a *base.App) { s.in(a); a.In = strings.NewReader(test.json) }, append(args, "x-form://h/")...)
		if strings.Contains(got.err, "s3cret") {
			t.Errorf("%s: a secret is shown: %s", test.json, got.err)
		}
		if test.err != "" {
			if got.status != base.StatusUsage || !strings.Contains(got.err, test.err) || s.last() != nil {
				t.Errorf("%s: %+v, want %q", test.json, got, test.err)
			}
			continue
		}
		if list := strings.Join(s.last(), "|"); list != test.want || got.status != 0 {
			t.Errorf("%s: %q, want %q; %+v", test.json, list, test.want, got)
		}
	}
	if got := runGet(t, nil, "--answers", "-", "-"); got.status != base.StatusUsage || !strings.Contains(got.err, "both the URLs and the answers") {
		t.Errorf("%+v", got)
	}
	if got := runGet(t, nil, "--answers", "/nonexistent/x", "file:///"); got.status != base.StatusUsage {
		t.Errorf("%+v", got)
	}
}

// Of one question, as in a search, all text is the answer.
func TestGetAnswersSearch(t *testing.T) {
	search := func() *survey {
		return &survey{fields: []scheme.FormField{{Kind: scheme.FieldNote, Prompt: "x"}, {Kind: scheme.FieldText, Prompt: "Words"}}}
	}
	for _, words := range []string{"two words", "1=x", "Words=y", ""} {
		s := search()
		if got := runGet(t, s.in, "--answer", words, "x-form://h/"); got.out != "|"+words+"\n" || got.status != 0 || got.err != "" {
			t.Errorf("%q: %+v", words, got)
		}
	}
	s := search()
	if got := runGet(t, s.in, "--answer", "a", "--answer", "b", "x-form://h/"); got.status != base.StatusUsage || !strings.Contains(got.err, "answered twice") {
		t.Errorf("%+v", got)
	}
	s.fields = s.fields[:1]
	if got := runGet(t, s.in, "--answer", "a", "x-form://h/"); got.status != base.StatusUsage || !strings.Contains(got.err, "has none to answer") {
		t.Errorf("%+v", got)
	}
	s.fields = []scheme.FormField{{Kind: scheme.FieldText, Prompt: "Word"}, {Kind: scheme.FieldText, Prompt: "word:"}}
	if got := runGet(t, s.in, "--answer", "word=a", "x-form://h/"); got.status != base.StatusUsage || !strings.Contains(got.err, "more than one field: use the number") {
		t.Errorf("%+v", got)
	}
	// Answers that nothing took are not forgotten in silence.
	if got := runGet(t, nil, "--answer", "a", "file:///etc/"); got.status != 0 || !strings.Contains(got.err, "there was no form") {
		t.Errorf("%+v", got)
	}
}

// A wrong answer is of its own kind in JSON, and a form is never a file.
func TestGetAnswersFailures(t *testing.T) {
	s := everyKind()
	got := runGet(t, s.in, "--json", "--answer", "5=s3cret", "x-form://h/")
	var v struct {
		Error struct{ Kind, Message string }
	}
	if err := json.Unmarshal([]byte(got.out), &v); err != nil || v.Error.Kind != "answer" || got.status != base.StatusUsage || strings.Contains(got.out, "s3cret") {
		t.Errorf("%v: %+v", err, got)
	}
	file := filepath.Join(t.TempDir(), "out")
	if got := runGet(t, s.in, "-o", file, "x-form://h/"); got.status != base.StatusAccess || !strings.Contains(got.err, "it is a form (--answer answers it)") {
		t.Errorf("%+v", got)
	}
	if _, err := os.Stat(file); err == nil {
		t.Error("there is a file")
	}
	if got := runGet(t, s.in, "--answer", "1=Bob", "-o", file, "x-form://h/"); got.status != 0 {
		t.Errorf("%+v", got)
	}
	if octets, err := os.ReadFile(file); err != nil || string(octets) != "|Bob|||Red|1|re_ply.txt|\n" {
		t.Errorf("%q, %v", octets, err)
	}
}

// Without answers a form is the list of its questions.
func TestGetForm(t *testing.T) {
	s := everyKind()
	const note = `locus: this wants answers: "locus open" asks for them, "--answer FIELD=TEXT" of "locus get" gives them` + "\n"
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
	latin := "locus: x-form://h/: text that is not UTF-8 is shown as ISO Latin 1\n"
	if got := runGet(t, func(a *base.App) { s.in(a); a.OutTTY = true }, "x-form://h/"); got.out != want || got.err != latin+note || got.status != 0 {
		t.Errorf("%s\n%s", got.out, got.err)
	}
	got := runGet(t, s.in, "x-form://h/")
	for line := range strings.Lines(got.out) {
		if strings.Count(line, "\t") != 1 || !strings.HasSuffix(line, "\t\n") {
			t.Errorf("a script takes part of a question for a URL: %q", line)
		}
	}
	if !strings.Contains(got.out, "1  text     Your name:  [Anna]\t\n") {
		t.Errorf("%q", got.out)
	}
	got = runGet(t, s.in, "--json", "x-form://h/")
	wantJSON := `{"url":"x-form://h/","kind":"menu","title":"A survey\u001b[2J","form":{"title":"A survey\u001b[2J","fields":[` +
		`{"kind":"note","prompt":"About you","default":""},` +
		`{"number":1,"kind":"text","prompt":"Your name:","default":"Anna"},` +
		`{"number":2,"kind":"hidden","prompt":"Password","default":""},` +
		`{"number":3,"kind":"lines","prompt":"Comments","default":""},` +
		`{"number":4,"kind":"choice","prompt":"Color","default":"Red","choices":["Red","grün","2"]},` +
		`{"number":5,"kind":"check","prompt":"a=b","default":"1"},` +
		`{"number":6,"kind":"save-as","prompt":"Keep as","default":"re_ply.txt"},` +
		`{"number":7,"kind":"file","prompt":"Picture","default":""}]},"items":[]}` + "\n"
	if got.out != wantJSON || got.err != "" {
		t.Errorf("got\n%s\nwant\n%s\n%s", got.out, wantJSON, got.err)
	}
}
