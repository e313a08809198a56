package scheme_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

func TestFormCheck(t *testing.T) {
	f := scheme.Form{Fields: []scheme.FormField{
		{Kind: scheme.FieldNote, Prompt: "Read this"},
		{Kind: scheme.FieldText, Prompt: "Name", Default: "Anna"},
		{Kind: scheme.FieldHidden, Prompt: "Secret"},
		{Kind: scheme.FieldLines, Prompt: "Story"},
		{Kind: scheme.FieldChoice, Prompt: "Colour", Choices: []string{"Red", "Green\x00"}},
		{Kind: scheme.FieldCheck, Prompt: "Letters"},
		{Kind: scheme.FieldSaveAs, Prompt: "Keep as", Default: "r.txt"},
		{Kind: scheme.FieldFile, Prompt: "File"},
		{Kind: "other", Prompt: "?"},
	}}
	if got, want := f.Defaults(), []string{"", "Anna", "", "", "Red", "0", "r.txt", "", ""}; !slices.Equal(got, want) || f.Check(got) != nil {
		t.Errorf("%q, %v", got, f.Check(got))
	}
	good := []string{"", "Bert", "x y", "one\ntwo", "Red", "1", "", "\x00\r\n", ""}
	if err := f.Check(good); err != nil {
		t.Error(err)
	}
	for field, list := range map[int][]string{
		0: {"x"}, 1: {"a\nb", "a\r", "\x00"}, 2: {"secret\n"}, 3: {"a\r\nb", "\x00"}, 4: {"red", "", "Green\x00"}, 5: {"", "2", "yes"}, 6: {"a\nb"}, 8: {"\n"},
	} {
		for _, answer := range list {
			answers := slices.Clone(good)
			answers[field] = answer
			err := f.Check(answers)
			var wrong *scheme.AnswerError
			if !errors.As(err, &wrong) || wrong.Field != field || answer == "secret\n" && strings.Contains(err.Error(), "secret") {
				t.Errorf("field %d takes %q: %v", field, answer, err)
			}
		}
	}
	if err := f.Check(good[:3]); err == nil {
		t.Error("too few answers are taken")
	}
	if !f.Fields[2].Secret() || f.Fields[1].Secret() {
		t.Error("which answers are secret")
	}
}

func TestNewForm(t *testing.T) {
	u := locus.MustParse("x:a")
	f := scheme.NewForm(u, "Words", scheme.FormField{Kind: scheme.FieldText, Prompt: "Which?"}, func(answer string) (locus.URL, error) { return locus.Parse("x:" + answer) })
	if got, err := f.Submit([]string{"b"}); got.String() != "x:b" || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := f.Submit([]string{"a\nb"}); err == nil {
		t.Errorf("%s", got)
	}
	m := f.Menu()
	if m.Form != f || m.URL != u || m.Title != "Words" {
		t.Errorf("%+v", m)
	}
	for range m.Items {
		t.Error("a form has items")
	}
}
