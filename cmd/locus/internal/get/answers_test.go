package get

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/form"
	"github.com/locus-url/locus/scheme"
)

func FuzzParseAnswers(f *testing.F) {
	for _, text := range []string{`{}`, `[]`, `{"a":["b"]}`, `[1,true,null,"x"]`, `{"a":1,"a":2}`, `{`, `[[[[`, `{"a"}`, `[]x`} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list, err := parseAnswers(strings.NewReader(text))
		var v any
		valid := json.Unmarshal([]byte(text), &v) == nil
		_, isList := v.([]any)
		object, isObject := v.(map[string]any)
		if (err == nil) != (valid && (isList || isObject)) {
			t.Fatalf("%q: %v, want success %v", text, err, (valid && (isList || isObject)))
		}
		if err == nil && isObject && len(list) < len(object) {
			t.Fatalf("%q: %v, want an answer for each of %d members", text, list, len(object))
		}
		x := &answers{file: list}
		all := form.Questions(&scheme.Form{Fields: []scheme.FormField{
			{Kind: scheme.FieldNote, Prompt: "About you"},
			{Kind: scheme.FieldText, Prompt: "Your name:", Default: "Anna"},
			{Kind: scheme.FieldHidden, Prompt: "Password"},
			{Kind: scheme.FieldLines, Prompt: "Comments"},
			{Kind: scheme.FieldChoice, Prompt: "Color", Choices: []string{"Red", "gr\xfcn", "2"}},
		}})
		_ = x.apply(all, make([]string, 5)) // must not panic
	})
}
