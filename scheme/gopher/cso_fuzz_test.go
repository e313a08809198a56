package gopher

import (
	"bytes"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// These regular expressions match a line of a phone book reply.
var (
	slowAnswer = regexp.MustCompile(`(?s)\A(-?)([1-9][0-9][0-9]):(.*)\z`)
	slowField  = regexp.MustCompile(`(?s)\A([0-9]{1,9}):([^:]*):(.*)\z`)
)

func slowPhoneLine(text string) (l phoneLine, ok bool) {
	m := slowAnswer.FindStringSubmatch(text)
	if m == nil {
		return phoneLine{}, false
	}
	l.more = m[1] == "-"
	l.code, _ = strconv.Atoi(m[2])
	l.text = m[3]
	if m := slowField.FindStringSubmatch(l.text); m != nil {
		if l.index, _ = strconv.Atoi(m[1]); l.index > 0 {
			l.name, l.text = strings.Trim(m[2], " \t"), strings.TrimPrefix(m[3], " ")
		}
	}
	return l, true
}

func FuzzPhoneLine(f *testing.F) {
	for _, c := range captures(f) {
		if strings.Contains(c.name, "cso") {
			for line := range strings.Lines(string(c.s2c)) {
				f.Add(strings.TrimRight(line, "\r\n"))
			}
		}
	}
	for _, text := range []string{"", "-", "200", "-200:", "20:x", "099:x", "--200:x", "+200:x", "-200:1:", "-200::a:b", "-200:0000000001:a:b", "-200:-1:a:b", "200:1:a:b", "-200: 1:a:b", "２００:x"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got, ok := parsePhoneLine([]byte(text))
		want, wantOK := slowPhoneLine(text)
		if ok != wantOK || ok && got != want {
			t.Errorf("%q: %+v, %v, want %+v, %v", text, got, ok, want, wantOK)
		}
	})
}

// FuzzPhoneReader checks that reading ends within the limits, and that the reader returns all
// fields.
func FuzzPhoneReader(f *testing.F) {
	for _, c := range captures(f) {
		if strings.Contains(c.name, "cso") {
			f.Add(c.s2c)
		}
	}
	f.Add([]byte("-200:1: : a\n-200:1:b: c\n-300:x\n400:"))
	limits := &Limits{Line: 256, Items: 64, Octets: 4096}
	f.Fuzz(func(t *testing.T, answer []byte) {
		entries, err := readEntries(bytes.NewReader(answer), limits)
		if len(answer) == 0 && err == nil {
			t.Error("no answer was taken for one")
		}
		lines, want := 0, 0
		for _, e := range entries {
			if e.Number < 1 || len(e.Fields) == 0 {
				t.Errorf("an empty entry: %+v", e)
			}
			for _, field := range e.Fields {
				lines += len(field.Lines)
			}
			items := e.Items()
			for _, item := range items[1:] {
				if strings.Contains(item.Title, "\n") {
					t.Errorf("an item of several lines: %q", item.Title)
				}
			}
		}
		for line := range bytes.Lines(answer) {
			if l, ok := slowPhoneLine(strings.TrimSuffix(strings.TrimSuffix(string(line), "\n"), "\r")); ok && l.index > 0 {
				want++
			}
		}
		if lines > want || lines > limits.Items {
			t.Errorf("%d lines of entries, and there are %d", lines, want)
		}
	})
}

func FuzzAppendQuery(f *testing.F) {
	for _, words := range []string{"smith", "name=smith return name email", " ", "a\r\nb", "a\tb", "\x00", "caf\xe9"} {
		f.Add(words)
	}
	f.Fuzz(func(t *testing.T, words string) {
		b, err := appendQuery(nil, words)
		if (err == nil) == (strings.ContainsAny(words, "\t\r\n\x00") || strings.Trim(words, " ") == "") {
			t.Fatalf("%q: %v", words, err)
		}
		if err == nil && string(b) != "query "+words+"\r\n" {
			t.Errorf("%q: sends %q", words, b)
		}
	})
}
