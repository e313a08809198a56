package base

import (
	"strings"
	"testing"
)

func TestCutHost(t *testing.T) {
	for text, want := range map[string][2]string{
		"example.com: X: 1":                    {"example.com", "X: 1"},
		"localhost: X: 1":                      {"localhost", "X: 1"},
		"[::1]:80: X: 1":                       {"[::1]:80", "X: 1"},
		"*: X: 1":                              {"*", "X: 1"},
		"https://a.example/x*: X: Bearer a: b": {"https://a.example/x*", "X: Bearer a: b"},
		"X: 1":                                 {},
		"X: a: b":                              {},
		"Referer: http://a.example/: x":        {},
		"example.com: X":                       {},
		"":                                     {},
	} {
		pattern, field, ok := cutHost(text)
		if ok != (want[0] != "") || ok && (pattern != want[0] || field != want[1]) {
			t.Errorf("%q: %q %q %v, want ok %v", text, pattern, field, ok, (want[0] != ""))
		}
	}
}

// An error about a field never contains its value, and an accepted value contains no line end.
func FuzzHostField(f *testing.F) {
	f.Add("h.example: X: ", "")
	f.Add("h.example: X: $", " ")
	f.Add("*: Authorization: Bearer ", "\r\nX: 1")
	f.Add("[::1]: X", ":")
	f.Fuzz(func(t *testing.T, before, after string) {
		const value = "Xq7Zw9Vk"
		if strings.ContainsAny(before, "@") || !strings.Contains(before, ": ") {
			return
		}
		a := New(t.Context(), strings.NewReader(""), nil, nil, func(string) string { return value })
		pattern, field, ok := cutHost(before + value + after)
		if !ok || strings.Contains(pattern, value) || strings.HasPrefix(strings.TrimSpace(field), value) {
			return
		}
		name, _, _ := strings.Cut(field, ":")
		if err := a.addHostField(pattern, field); err != nil && strings.Contains(err.Error(), value) && !strings.Contains(name, value) && !strings.Contains(field, "$") && !strings.Contains(field, "env:") {
			t.Errorf("%q: %v, want an error without the value", field, err)
		}
		for _, got := range a.Flags.HostFields {
			if strings.ContainsAny(got.Name+got.Value, "\r\n\x00") {
				t.Errorf("%q, want none of %q in got.Name + got.Value", got, "\r\n\x00")
			}
		}
	})
}
