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

// survey is the form in the capture umn-bang-ask, which has every kind of question.
func survey() []Question {
	return []Question{
		{Kind: KindNote, Prompt: "Please answer the questions below"},
		{Kind: KindAsk, Prompt: "Your name"},
		{Kind: KindAsk, Prompt: "Your town", Default: "Madrid"},
		{Kind: KindAskP, Prompt: "Secret word"},
		{Kind: KindAskL, Prompt: "Your comments"},
		{Kind: KindChoose, Prompt: "Favourite colour", Default: "Red", Choices: []string{"Red", "Green", "Blue"}},
		{Kind: KindSelect, Prompt: "Send me the newsletter", Default: "1"},
		{Kind: KindSelect, Prompt: "Call me back", Default: "0"},
		{Kind: KindAskF, Prompt: "Save reply as", Default: "reply.txt"},
		{Kind: KindChooseF, Prompt: "File to send"},
	}
}

func TestParseQuestion(t *testing.T) {
	for _, test := range []struct {
		line string
		want Question
	}{
		{"Note: Read this", Question{Kind: KindNote, Prompt: "Read this"}},
		{"Note: a\tb: c", Question{Kind: KindNote, Prompt: "a\tb: c"}},
		{"Note:", Question{Kind: KindNote}},
		{"", Question{Kind: KindNote}},
		{"no colon\there", Question{Kind: KindNote, Prompt: "no colon\there"}},
		{"Ask:  two blanks ", Question{Kind: KindAsk, Prompt: " two blanks "}},
		{"Ask:Name: first", Question{Kind: KindAsk, Prompt: "Name: first"}},
		{"ask: a\tb\tc", Question{Kind: KindAsk, Prompt: "a", Default: "b"}},
		{"Ask: a\t b ", Question{Kind: KindAsk, Prompt: "a", Default: " b "}},
		{" ASKP : a\tb", Question{Kind: KindAskP, Prompt: "a", Default: "b"}},
		{"askl: a\tb", Question{Kind: KindAskL, Prompt: "a", Default: "b"}},
		{"aSKf: a\t../b", Question{Kind: KindAskF, Prompt: "a", Default: "../b"}},
		{"choosef: a\t/etc/passwd", Question{Kind: KindChooseF, Prompt: "a"}},
		{"CHOOSE: a\tb\tc", Question{Kind: KindChoose, Prompt: "a", Default: "b", Choices: []string{"b", "c"}}},
		{"Choose: a\tb\t\tc\t\t", Question{Kind: KindChoose, Prompt: "a", Default: "b", Choices: []string{"b", "", "c"}}},
		{"Choose: a\t\tb", Question{Kind: KindChoose, Prompt: "a", Choices: []string{"", "b"}}},
		{"Choose: a", Question{Kind: KindChoose, Prompt: "a"}},
		{"Choose: a\t", Question{Kind: KindChoose, Prompt: "a"}},
		{"Select: a", Question{Kind: KindSelect, Prompt: "a", Default: "0"}},
		{"Select: a:0", Question{Kind: KindSelect, Prompt: "a", Default: "0"}},
		{"select: a:1", Question{Kind: KindSelect, Prompt: "a", Default: "1"}},
		{"Select: a: b:1", Question{Kind: KindSelect, Prompt: "a: b", Default: "1"}},
		{"Select: a:2", Question{Kind: KindSelect, Prompt: "a:2", Default: "0"}},
		{"Select:1", Question{Kind: KindSelect, Prompt: "1", Default: "0"}},
		{"Select: a\t", Question{Kind: KindSelect, Prompt: "a", Default: "0"}},
		{"Select: a\t1", Question{Kind: KindSelect, Prompt: "a", Default: "1"}},
		{"Select: a:1\tb", Question{Kind: KindSelect, Prompt: "a:1", Default: "0", Choices: []string{"b"}}},
		{"Select: a\tb\tc:1\td:0\t", Question{Kind: KindSelect, Prompt: "a", Default: "010", Choices: []string{"b", "c", "d"}}},
		{"Frob: a\tb", Question{Kind: "Frob", Prompt: "a", Default: "b"}},
		{": a", Question{Prompt: "a"}},
	} {
		if got := ParseQuestion(test.line); !reflect.DeepEqual(got, test.want) {
			t.Errorf("%q: %+v; want %+v", test.line, got, test.want)
		}
	}
}

func TestFormFields(t *testing.T) {
	f := NewForm(parse(t, "gopher://h/0x%09%09?"), View{}, "A title", append(survey(),
		ParseQuestion("Select: Lists\tnews\tgossip:1"), ParseQuestion("Select:\tx"), ParseQuestion("Choose: any"), ParseQuestion("Frob: a\tb"),
		Question{Kind: KindSelect, Prompt: "by hand", Choices: []string{"y", "z"}}, Question{Kind: KindChooseF, Default: "/etc/passwd"}))
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

// TestFormRFC1738 is section 3.4.9, verbatim.
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
	ask := []Question{{Kind: KindAsk}, {Kind: KindAsk}}
	u, err := NewForm(parse(t, "gopher://h/0sel%09%09?"), View{}, "", ask).Submit([]string{"Anna", "Madrid"})
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

// TestFormOfCaptures fills in the form of a real server, and compares the request with
// the captured one.
func TestFormOfCaptures(t *testing.T) {
	ask := oneSet(t, "umn-bang-ask").Ask
	english := View{Type: "Text/plain", Language: "En_US"}
	for _, test := range []struct {
		name    string
		view    View
		ask     []Question
		answers []string
	}{
		{"umn-ask-submit", View{}, ask, []string{"", "Anna", "Madrid", "s3cret", "line one\nline two", "Green", "1", "0", "reply.txt", ""}},
		{"umn-ask-submit-view", english, ask[1:2], []string{"Anna"}},
		// That client counts one empty line too many.
		{"client-umn-ask-form", english, ask, []string{"", "Anna", "Lisboa", "s3cret", "line one\nline two\n", "Green", "0", "1", "reply.txt", ""}},
		{"py-form-submit-unsupported", View{}, oneSet(t, "py-bang-ask").Ask, []string{"Anna", "Red"}},
	} {
		c := captured(t, test.name)
		selector, _, _ := strings.Cut(c.sent, "\t")
		g, err := Parts{Host: "h", Type: '0', Selector: selector}.URL()
		if err != nil {
			t.Fatal(err)
		}
		u, err := NewForm(g, test.view, "", test.ask).Submit(test.answers)
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
	one := []Question{{Kind: KindAsk, Prompt: "Name"}}
	for _, test := range []struct{ of, want string }{
		{"gopher://h/0a%20b", "gopher://h/0a%20b%09%09+%091%0D%0A+-1%0D%0A%25%C3%A9%20+%0D%0A.%0D%0A"},
		{"gopher://h:7070/7a%09words", "gopher://h:7070/7a%09words%09+%091%0D%0A+-1%0D%0A%25%C3%A9%20+%0D%0A.%0D%0A"},
		{"gophers://h/0a%09%09+x/y", "gophers://h/0a%09%09+%091%0D%0A+-1%0D%0A%25%C3%A9%20+%0D%0A.%0D%0A"},
	} {
		u, err := NewForm(parse(t, test.of), View{}, "", one).Submit([]string{"%é +"})
		if u.String() != test.want || err != nil {
			t.Errorf("%s: %s, %v; want %s", test.of, u, err, test.want)
		}
	}

	g := parse(t, "gopher://h/0a")
	long := NewForm(g, View{}, "", one)
	if _, err := long.Submit([]string{strings.Repeat("x", locus.MaxLen)}); !errors.Is(err, locus.ErrTooLong) || !strings.Contains(err.Error(), strconv.Itoa(locus.MaxLen)) {
		t.Errorf("more than a URL can hold: %v", err)
	} else if len(err.Error()) > 300 {
		t.Errorf("an error of %d octets", len(err.Error()))
	}
	if _, err := long.Submit(nil); err == nil {
		t.Error("no answers for one question")
	}
	for _, v := range []View{{Type: "a\tb"}, {Type: "a", Language: "b\r\nc"}, {Type: "a\t1\r\n+-1\r\n.\r\n"}} {
		if u, err := NewForm(g, v, "", one).Submit([]string{"x"}); err == nil {
			t.Errorf("the view %q makes %s", v, u)
		}
	}
}

func TestAppendData(t *testing.T) {
	file := Question{Kind: KindChooseF, Prompt: "File"}
	lines := Question{Kind: KindAskL, Prompt: "Lines"}
	for _, test := range []struct {
		why     string
		ask     []Question
		answers []string
		want    string
	}{
		{"no questions", nil, nil, "+-1\r\n.\r\n"},
		{"only notes", []Question{{Kind: KindNote, Prompt: "x"}}, []string{""}, "+-1\r\n.\r\n"},
		{"empty answers", []Question{{Kind: KindAsk}, {Kind: KindAskP}, {Kind: KindAskF}}, []string{"", "", ""}, "+-1\r\n\r\n\r\n\r\n.\r\n"},
		{"no lines", []Question{lines}, []string{""}, "+-1\r\n0\r\n.\r\n"},
		{"a line", []Question{lines}, []string{"a"}, "+-1\r\n1\r\na\r\n.\r\n"},
		{"empty lines", []Question{lines}, []string{"\n\n"}, "+-1\r\n3\r\n\r\n\r\n\r\n.\r\n"},
		{"dots", []Question{lines, {Kind: KindAsk}}, []string{"..\n. ", " ."}, "+-1\r\n2\r\n..\r\n. \r\n .\r\n.\r\n"},
		{"octets", []Question{{Kind: KindAsk}}, []string{"\t\xff+%\x1b"}, "+-1\r\n\t\xff+%\x1b\r\n.\r\n"},
		{"options", []Question{ParseQuestion("Select: a\tb\tc"), {Kind: KindAsk}}, []string{"1", "0", "x"}, "+-1\r\n1\r\n0\r\nx\r\n.\r\n"},
		{"another kind", []Question{{Kind: "Frob"}}, []string{"x"}, "+-1\r\nx\r\n.\r\n"},
		{"no file", []Question{file}, []string{""}, "+-1\r\n.\r\n"},
		{"a file", []Question{file}, []string{"a\r\n.\r\nb\x00"}, "+8\r\na\r\n.\r\nb\x00"},
		{"a file among answers", []Question{file, {Kind: KindAsk}, lines}, []string{"\nabc", "x", "y"}, "+13\r\nx\r\n1\r\ny\r\n\nabc"},
		{"one of two files", []Question{file, file}, []string{"", "abc"}, "+3\r\nabc"},
	} {
		got, err := AppendData([]byte("before"), test.ask, test.answers)
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
	text := Question{Kind: KindAsk, Prompt: "Name"}
	file := Question{Kind: KindChooseF, Prompt: "File"}
	for _, test := range []struct {
		why     string
		ask     []Question
		answers []string
		field   int
		prompt  string
	}{
		{"too few", []Question{text, text}, []string{secret}, 1, ""},
		{"too many", []Question{text}, []string{secret, secret}, 1, ""},
		{"CR", []Question{text, {Kind: KindAskP, Prompt: "Password"}}, []string{"", secret + "\r"}, 1, "Password"},
		{"LF", []Question{text}, []string{secret + "\n.\nGET /"}, 0, "Name"},
		{"NUL", []Question{{Kind: "Frob", Prompt: "P"}}, []string{"\x00" + secret}, 0, "P"},
		{"CR in lines", []Question{{Kind: KindAskL, Prompt: "L"}}, []string{secret + "\r\nb"}, 0, "L"},
		{"NUL in lines", []Question{{Kind: KindAskL, Prompt: "L"}}, []string{"a\n" + secret + "\x00"}, 0, "L"},
		{"LF in a name", []Question{{Kind: KindAskF, Prompt: "F"}}, []string{secret + "\n"}, 0, "F"},
		{"a dot", []Question{text, text}, []string{"x", "."}, 1, "Name"},
		{"a dot among lines", []Question{{Kind: KindAskL, Prompt: "L"}}, []string{secret + "\n.\nb"}, 0, "L"},
		{"a dot with a file", []Question{text, file}, []string{".", secret}, 0, "Name"},
		{"a choice of a dot", []Question{{Kind: KindChoose, Prompt: "C", Choices: []string{"."}}}, []string{"."}, 0, "C"},
		{"a choice with CR", []Question{{Kind: KindChoose, Prompt: "C", Choices: []string{"a\rb"}}}, []string{"a\rb"}, 0, "C"},
		{"no choice", []Question{{Kind: KindChoose, Prompt: "C", Choices: []string{"a"}}}, []string{secret}, 0, "C"},
		{"neither yes nor no", []Question{{Kind: KindSelect, Prompt: "S"}}, []string{secret}, 0, "S"},
		{"an option", []Question{text, ParseQuestion("Select: a\tb\tc")}, []string{"", "0", secret}, 2, "a: c"},
		{"a note", []Question{{Kind: KindNote, Prompt: "N"}}, []string{secret}, 0, "N"},
		{"two files", []Question{file, file}, []string{secret, secret}, 1, "File"},
	} {
		got, err := AppendData([]byte("before"), test.ask, test.answers)
		wrong, ok := errors.AsType[*scheme.AnswerError](err)
		if !ok || wrong.Field != test.field || wrong.Prompt != test.prompt || string(got) != "before" {
			t.Errorf("%s: %q, %v; want an error about field %d, %q", test.why, got, err, test.field, test.prompt)
			continue
		}
		if strings.Contains(err.Error(), secret) {
			t.Errorf("%s: the answer is in the error: %v", test.why, err)
		}
		if u, err := NewForm(parse(t, "gopher://h/0a"), View{}, "", test.ask).Submit(test.answers); err == nil || !u.IsZero() || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: submitted as %s, %v", test.why, u, err)
		}
	}
}

// answersIn reads a data block like a server.
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

func ExampleNewForm() {
	item, err := Parse(locus.MustParse("gopher://h/00/survey%09%09?"))
	if err != nil {
		fmt.Println(err)
		return
	}
	f := NewForm(item, View{}, "Survey", []Question{ParseQuestion("Ask: Your name"), ParseQuestion("Choose: Colour\tRed\tGreen")})
	fmt.Println(f.Submit([]string{"Anna", "Green"}))
	fmt.Println(f.Submit([]string{"Anna", "Blue"}))
	// Output:
	// gopher://h/00/survey%09%09+%091%0D%0A+-1%0D%0AAnna%0D%0AGreen%0D%0A.%0D%0A <nil>
	//  field 2, "Colour": not one of the choices
}
