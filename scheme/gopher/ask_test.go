package gopher

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// survey returns the questions of the form in the capture umn-bang-ask, which contains every
// kind of question.
func survey() []question {
	return []question{
		{Kind: scheme.FieldNote, Prompt: "Please answer the questions below"},
		{Kind: scheme.FieldText, Prompt: "Your name"},
		{Kind: scheme.FieldText, Prompt: "Your town", Default: "Madrid"},
		{Kind: scheme.FieldHidden, Prompt: "Secret word"},
		{Kind: scheme.FieldLines, Prompt: "Your comments"},
		{Kind: scheme.FieldChoice, Prompt: "Favourite colour", Default: "Red", Choices: []string{"Red", "Green", "Blue"}},
		{Kind: scheme.FieldCheck, Prompt: "Send me the newsletter", Default: "1"},
		{Kind: scheme.FieldCheck, Prompt: "Call me back", Default: "0"},
		{Kind: scheme.FieldSaveAs, Prompt: "Save reply as", Default: "reply.txt"},
		{Kind: scheme.FieldFile, Prompt: "File to send"},
	}
}

func TestParseQuestion(t *testing.T) {
	for _, test := range []struct {
		line string
		want question
	}{
		{"Note: Read this", question{Kind: scheme.FieldNote, Prompt: "Read this"}},
		{"Note: a\tb: c", question{Kind: scheme.FieldNote, Prompt: "a\tb: c"}},
		{"Note:", question{Kind: scheme.FieldNote}},
		{"", question{Kind: scheme.FieldNote}},
		{"no colon\there", question{Kind: scheme.FieldNote, Prompt: "no colon\there"}},
		{"Ask:  two blanks ", question{Kind: scheme.FieldText, Prompt: " two blanks "}},
		{"Ask:Name: first", question{Kind: scheme.FieldText, Prompt: "Name: first"}},
		{"ask: a\tb\tc", question{Kind: scheme.FieldText, Prompt: "a", Default: "b"}},
		{"Ask: a\t b ", question{Kind: scheme.FieldText, Prompt: "a", Default: " b "}},
		{" ASKP : a\tb", question{Kind: scheme.FieldHidden, Prompt: "a", Default: "b"}},
		{"askl: a\tb", question{Kind: scheme.FieldLines, Prompt: "a", Default: "b"}},
		{"aSKf: a\t../b", question{Kind: scheme.FieldSaveAs, Prompt: "a", Default: "../b"}},
		{"choosef: a\t/etc/passwd", question{Kind: scheme.FieldFile, Prompt: "a"}},
		{"CHOOSE: a\tb\tc", question{Kind: scheme.FieldChoice, Prompt: "a", Default: "b", Choices: []string{"b", "c"}}},
		{"Choose: a\tb\t\tc\t\t", question{Kind: scheme.FieldChoice, Prompt: "a", Default: "b", Choices: []string{"b", "", "c"}}},
		{"Choose: a\t\tb", question{Kind: scheme.FieldChoice, Prompt: "a", Choices: []string{"", "b"}}},
		{"Choose: a", question{Kind: scheme.FieldText, Prompt: "a"}},
		{"Choose: a\t", question{Kind: scheme.FieldText, Prompt: "a"}},
		{"Select: a", question{Kind: scheme.FieldCheck, Prompt: "a", Default: "0"}},
		{"Select: a:0", question{Kind: scheme.FieldCheck, Prompt: "a", Default: "0"}},
		{"select: a:1", question{Kind: scheme.FieldCheck, Prompt: "a", Default: "1"}},
		{"Select: a: b:1", question{Kind: scheme.FieldCheck, Prompt: "a: b", Default: "1"}},
		{"Select: a:2", question{Kind: scheme.FieldCheck, Prompt: "a:2", Default: "0"}},
		{"Select:1", question{Kind: scheme.FieldCheck, Prompt: "1", Default: "0"}},
		{"Select: a\t", question{Kind: scheme.FieldCheck, Prompt: "a", Default: "0"}},
		{"Select: a\t1", question{Kind: scheme.FieldCheck, Prompt: "a", Default: "1"}},
		{"Select: a:1\tb", question{Kind: scheme.FieldCheck, Prompt: "a:1", Default: "0", Choices: []string{"b"}}},
		{"Select: a\tb\tc:1\td:0\t", question{Kind: scheme.FieldCheck, Prompt: "a", Default: "010", Choices: []string{"b", "c", "d"}}},
		{"Frob: a\tb", question{Kind: scheme.FieldText, Prompt: "a", Default: "b"}},
		{": a", question{Kind: scheme.FieldText, Prompt: "a"}},
	} {
		if got := parseQuestion(test.line); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: %+v; want %+v", test.line, got, test.want)
		}
	}
}

func TestFormFields(t *testing.T) {
	f := newForm(parse(t, "gopher://h/0x%09%09?"), plusView{}, "A title", append(survey(),
		parseQuestion("Select: Lists\tnews\tgossip:1"), parseQuestion("Select:\tx"), parseQuestion("Choose: any"), parseQuestion("Frob: a\tb"),
		question{Kind: scheme.FieldCheck, Prompt: "by hand", Choices: []string{"y", "z"}}, question{Kind: scheme.FieldFile, Default: "/etc/passwd"}))
	if f.URL.String() != "gopher://h/0x%09%09?" || f.Title != "A title" {
		t.Errorf("%s, %q", f.URL, f.Title)
	}
	want := []scheme.FormField{
		{Kind: scheme.FieldNote, Prompt: "Please answer the questions below"},
		{Kind: scheme.FieldText, Prompt: "Your name"},
		{Kind: scheme.FieldText, Prompt: "Your town", Default: "Madrid"},
		{Kind: scheme.FieldHidden, Prompt: "Secret word"},
		{Kind: scheme.FieldLines, Prompt: "Your comments"},
		{Kind: scheme.FieldChoice, Prompt: "Favourite colour", Default: "Red", Choices: []string{"Red", "Green", "Blue"}},
		{Kind: scheme.FieldCheck, Prompt: "Send me the newsletter", Default: "1"},
		{Kind: scheme.FieldCheck, Prompt: "Call me back", Default: "0"},
		{Kind: scheme.FieldSaveAs, Prompt: "Save reply as", Default: "reply.txt"},
		{Kind: scheme.FieldFile, Prompt: "File to send"},
		{Kind: scheme.FieldCheck, Prompt: "Lists: news", Default: "0"},
		{Kind: scheme.FieldCheck, Prompt: "Lists: gossip", Default: "1"},
		{Kind: scheme.FieldCheck, Prompt: "x", Default: "0"},
		{Kind: scheme.FieldText, Prompt: "any"},
		{Kind: scheme.FieldText, Prompt: "a", Default: "b"},
		{Kind: scheme.FieldCheck, Prompt: "by hand: y"},
		{Kind: scheme.FieldCheck, Prompt: "by hand: z"},
		{Kind: scheme.FieldFile},
	}
	if !reflect.DeepEqual(f.Fields, want) {
		t.Errorf("%+v\nwant %+v", f.Fields, want)
	}
	if err := f.Check(f.Defaults()); err != nil {
		t.Errorf("the defaults: %v", err)
	}
}

// TestFormRFC1738 checks the example in RFC 1738 section 3.4.9.
func TestFormRFC1738(t *testing.T) {
	const (
		text = "+%091%0D%0A+-1%0D%0A<ask_item1_value>%0D%0A<ask_item2_value>%0D%0A.%0D%0A"
		sent = "<a_gopher_selector><tab>+<tab>1<cr><lf>\n" +
			"+-1<cr><lf>\n" +
			"<ask_item1_value><cr><lf>\n" +
			"<ask_item2_value><cr><lf>\n" +
			".<cr><lf>\n"
	)
	values := strings.NewReplacer("<a_gopher_selector>", "sel", "<ask_item1_value>", "Anna", "<ask_item2_value>", "Madrid",
		"<tab>", "\t", "<cr>", "\r", "<lf>\n", "\n")
	ask := []question{{Kind: scheme.FieldText}, {Kind: scheme.FieldText}}
	u, err := newForm(parse(t, "gopher://h/0sel%09%09?"), plusView{}, "", ask).Submit([]string{"Anna", "Madrid"})
	if want := "gopher://h/0sel%09%09" + values.Replace(text); u.String() != want || err != nil {
		t.Fatalf("%s, %v; want %s", u, err, want)
	}
	g, err := Parse(u)
	if err != nil {
		t.Fatal(err)
	}
	if got, err := g.AppendRequest(nil); string(got) != values.Replace(sent) || err != nil {
		t.Errorf("sends %q, %v", got, err)
	}
}

// TestFormOfCaptures fills in the form of a real server, and compares the request with a
// captured request.
func TestFormOfCaptures(t *testing.T) {
	ask := oneSet(t, "umn-bang-ask").Ask
	english := plusView{Type: "Text/plain", Language: "En_US"}
	for _, test := range []struct {
		name    string
		view    plusView
		ask     []question
		answers []string
	}{
		{"umn-ask-submit", plusView{}, ask, []string{"", "Anna", "Madrid", "s3cret", "line one\nline two", "Green", "1", "0", "reply.txt", ""}},
		{"umn-ask-submit-view", english, ask[1:2], []string{"Anna"}},
		// The captured client counts one empty line too many.
		{"client-umn-ask-form", english, ask, []string{"", "Anna", "Lisboa", "s3cret", "line one\nline two\n", "Green", "0", "1", "reply.txt", ""}},
		{"py-form-submit-unsupported", plusView{}, oneSet(t, "py-bang-ask").Ask, []string{"Anna", "Red"}},
	} {
		c := captured(t, test.name)
		selector, _, _ := strings.Cut(c.sent, "\t")
		g, err := Parts{Host: "h", Type: '0', Selector: selector}.URL()
		if err != nil {
			t.Fatal(err)
		}
		u, err := newForm(g, test.view, "", test.ask).Submit(test.answers)
		if err != nil {
			t.Errorf("%s: %v", test.name, err)
			continue
		}
		if g, err = Parse(u); err != nil {
			t.Fatal(err)
		}
		if got, err := g.AppendRequest(nil); string(got) != string(c.c2s) || err != nil {
			t.Errorf("%s: sends %q, %v\nwant %q", test.name, got, err, c.c2s)
		}
	}
}

func TestSubmit(t *testing.T) {
	one := []question{{Kind: scheme.FieldText, Prompt: "Name"}}
	for _, test := range []struct{ of, want string }{
		{"gopher://h/0a%20b", "gopher://h/0a%20b%09%09+%091%0D%0A+-1%0D%0A%25%C3%A9%20+%0D%0A.%0D%0A"},
		{"gopher://h:7070/7a%09words", "gopher://h:7070/7a%09words%09+%091%0D%0A+-1%0D%0A%25%C3%A9%20+%0D%0A.%0D%0A"},
		{"gophers://h/0a%09%09+x/y", "gophers://h/0a%09%09+%091%0D%0A+-1%0D%0A%25%C3%A9%20+%0D%0A.%0D%0A"},
	} {
		u, err := newForm(parse(t, test.of), plusView{}, "", one).Submit([]string{"%é +"})
		if u.String() != test.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", test.of, u, err, test.want)
		}
	}

	g := parse(t, "gopher://h/0a")
	long := newForm(g, plusView{}, "", one)
	if _, err := long.Submit([]string{strings.Repeat("x", locus.MaxLen)}); !errors.Is(err, locus.ErrTooLong) || !strings.Contains(err.Error(), strconv.Itoa(locus.MaxLen)) {
		t.Errorf("more than a URL can hold: %v", err)
	} else if len(err.Error()) > 300 {
		t.Errorf("an error of %d octets", len(err.Error()))
	}
	if _, err := long.Submit(nil); err == nil {
		t.Error("no answers for one question")
	}
	for _, v := range []plusView{{Type: "a\tb"}, {Type: "a", Language: "b\r\nc"}, {Type: "a\t1\r\n+-1\r\n.\r\n"}} {
		if u, err := newForm(g, v, "", one).Submit([]string{"x"}); err == nil {
			t.Errorf("the view %q makes %s", v, u)
		}
	}
}

func TestAppendData(t *testing.T) {
	file := question{Kind: scheme.FieldFile, Prompt: "File"}
	lines := question{Kind: scheme.FieldLines, Prompt: "Lines"}
	for _, test := range []struct {
		why     string
		ask     []question
		answers []string
		want    string
	}{
		{"no questions", nil, nil, "+-1\r\n.\r\n"},
		{"only notes", []question{{Kind: scheme.FieldNote, Prompt: "x"}}, []string{""}, "+-1\r\n.\r\n"},
		{"empty answers", []question{{Kind: scheme.FieldText}, {Kind: scheme.FieldHidden}, {Kind: scheme.FieldSaveAs}}, []string{"", "", ""}, "+-1\r\n\r\n\r\n\r\n.\r\n"},
		{"no lines", []question{lines}, []string{""}, "+-1\r\n0\r\n.\r\n"},
		{"a line", []question{lines}, []string{"a"}, "+-1\r\n1\r\na\r\n.\r\n"},
		{"empty lines", []question{lines}, []string{"\n\n"}, "+-1\r\n3\r\n\r\n\r\n\r\n.\r\n"},
		{"dots", []question{lines, {Kind: scheme.FieldText}}, []string{"..\n. ", " ."}, "+-1\r\n2\r\n..\r\n. \r\n .\r\n.\r\n"},
		{"octets", []question{{Kind: scheme.FieldText}}, []string{"\t\xff+%\x1b"}, "+-1\r\n\t\xff+%\x1b\r\n.\r\n"},
		{"options", []question{parseQuestion("Select: a\tb\tc"), {Kind: scheme.FieldText}}, []string{"1", "0", "x"}, "+-1\r\n1\r\n0\r\nx\r\n.\r\n"},
		{"another kind", []question{{Kind: "Frob"}}, []string{"x"}, "+-1\r\nx\r\n.\r\n"},
		{"no file", []question{file}, []string{""}, "+-1\r\n.\r\n"},
		{"a file", []question{file}, []string{"a\r\n.\r\nb\x00"}, "+8\r\na\r\n.\r\nb\x00"},
		{"a file among answers", []question{file, {Kind: scheme.FieldText}, lines}, []string{"\nabc", "x", "y"}, "+13\r\nx\r\n1\r\ny\r\n\nabc"},
		{"one of two files", []question{file, file}, []string{"", "abc"}, "+3\r\nabc"},
	} {
		got, err := appendData([]byte("before"), test.ask, test.answers)
		if string(got) != "before"+test.want || err != nil {
			t.Errorf("%s: %q, %v; want %q", test.why, got, err, test.want)
		}
		if i, why := plusFault([]byte("+" + formStart + test.want)); i >= 0 {
			t.Errorf("%s: a URL can't hold it: octet %d, %s", test.why, i, why)
		}
	}
}

func TestAppendDataRefuses(t *testing.T) {
	const secret = "s3cret"
	text := question{Kind: scheme.FieldText, Prompt: "Name"}
	file := question{Kind: scheme.FieldFile, Prompt: "File"}
	for _, test := range []struct {
		why     string
		ask     []question
		answers []string
		field   int
		prompt  string
	}{
		{"too few", []question{text, text}, []string{secret}, 1, ""},
		{"too many", []question{text}, []string{secret, secret}, 1, ""},
		{"CR", []question{text, {Kind: scheme.FieldHidden, Prompt: "Password"}}, []string{"", secret + "\r"}, 1, "Password"},
		{"LF", []question{text}, []string{secret + "\n.\nGET /"}, 0, "Name"},
		{"NUL", []question{{Kind: "Frob", Prompt: "P"}}, []string{"\x00" + secret}, 0, "P"},
		{"CR in lines", []question{{Kind: scheme.FieldLines, Prompt: "L"}}, []string{secret + "\r\nb"}, 0, "L"},
		{"NUL in lines", []question{{Kind: scheme.FieldLines, Prompt: "L"}}, []string{"a\n" + secret + "\x00"}, 0, "L"},
		{"LF in a name", []question{{Kind: scheme.FieldSaveAs, Prompt: "F"}}, []string{secret + "\n"}, 0, "F"},
		{"a dot", []question{text, text}, []string{"x", "."}, 1, "Name"},
		{"a dot among lines", []question{{Kind: scheme.FieldLines, Prompt: "L"}}, []string{secret + "\n.\nb"}, 0, "L"},
		{"a dot with a file", []question{text, file}, []string{".", secret}, 0, "Name"},
		{"a choice of a dot", []question{{Kind: scheme.FieldChoice, Prompt: "C", Choices: []string{"."}}}, []string{"."}, 0, "C"},
		{"a choice with CR", []question{{Kind: scheme.FieldChoice, Prompt: "C", Choices: []string{"a\rb"}}}, []string{"a\rb"}, 0, "C"},
		{"no choice", []question{{Kind: scheme.FieldChoice, Prompt: "C", Choices: []string{"a"}}}, []string{secret}, 0, "C"},
		{"neither yes nor no", []question{{Kind: scheme.FieldCheck, Prompt: "S"}}, []string{secret}, 0, "S"},
		{"an option", []question{text, parseQuestion("Select: a\tb\tc")}, []string{"", "0", secret}, 2, "a: c"},
		{"a note", []question{{Kind: scheme.FieldNote, Prompt: "N"}}, []string{secret}, 0, "N"},
		{"two files", []question{file, file}, []string{secret, secret}, 1, "File"},
	} {
		got, err := appendData([]byte("before"), test.ask, test.answers)
		wrong, ok := errors.AsType[*scheme.AnswerError](err)
		if !ok || wrong.Field != test.field || wrong.Prompt != test.prompt || string(got) != "before" {
			t.Errorf("%s: %q, %v; want an error about field %d, %q", test.why, got, err, test.field, test.prompt)
			continue
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the answer is in the error: %v", test.why, err)
		}
		if u, err := newForm(parse(t, "gopher://h/0a"), plusView{}, "", test.ask).Submit(test.answers); err == nil || !u.IsZero() || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: submitted as %s, %v", test.why, u, err)
		}
	}
}

// answersIn parses a data block, like a server.
func answersIn(fields []scheme.FormField, block string) (answers []string, err error) {
	header, rest, ok := strings.Cut(block, "\r\n")
	if !ok {
		return nil, errors.New("no header")
	}
	dotted := header == "+-1"
	if n := fmt.Sprintf("+%d", len(rest)); !dotted && header != n {
		return nil, fmt.Errorf("header %q; want +-1 or %s", header, n)
	}
	next := func() (line string) {
		line, rest, ok = strings.Cut(rest, "\r\n")
		if !ok || line == "." {
			err = fmt.Errorf("the lines end at %q", line)
		}
		return line
	}
	for _, f := range fields {
		switch f.Kind {
		case scheme.FieldNote, scheme.FieldFile:
			answers = append(answers, "")
		case scheme.FieldLines:
			n, _ := strconv.Atoi(next())
			var lines []string
			for i := 0; i < n && err == nil; i++ {
				lines = append(lines, next())
			}
			answers = append(answers, strings.Join(lines, "\n"))
		default:
			answers = append(answers, next())
		}
		if err != nil {
			return nil, err
		}
	}
	switch file := slices.IndexFunc(fields, func(f scheme.FormField) bool { return f.Kind == scheme.FieldFile }); {
	case dotted && rest != ".\r\n":
		return nil, fmt.Errorf("ends with %q", rest)
	case !dotted && (file < 0 || rest == ""):
		return nil, errors.New("no file, and no dot")
	case !dotted:
		answers[file] = rest
	}
	return answers, nil
}

func TestFormSubmit(t *testing.T) {
	f := newForm(parse(t, "gopher://h/00/survey%09%09?"), plusView{}, "Survey", []question{parseQuestion("Ask: Your name"), parseQuestion("Choose: Colour\tRed\tGreen")})
	u, err := f.Submit([]string{"Anna", "Green"})
	if want := "gopher://h/00/survey%09%09+%091%0D%0A+-1%0D%0AAnna%0D%0AGreen%0D%0A.%0D%0A"; u.String() != want || err != nil {
		t.Errorf("%s, %v", u, err)
	}
	if _, err := f.Submit([]string{"Anna", "Blue"}); err == nil || err.Error() != `field 2, "Colour": not one of the choices` {
		t.Error(err)
	}
}
