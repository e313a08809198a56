package main

import (
	"encoding/json"
	"strings"
	"testing"

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
			t.Fatalf("%q: %v", text, err)
		}
		if err == nil && isObject && len(list) < len(object) {
			t.Fatalf("%q: %v", text, list)
		}
		x := &answers{file: list}
		all := questions(&scheme.Form{Fields: everyKind().fields[:5]})
		_ = x.apply(all, make([]string, 5)) // must not panic
	})
}
