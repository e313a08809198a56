package mailstore

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestMessageIDs(t *testing.T) {
	for _, test := range []struct {
		value string
		want  []string
	}{
		// RFC 5322 appendix A.
		{" <1234@local.machine.example>", []string{"1234@local.machine.example"}},
		{" <testabcd.1234@silly.test>", []string{"testabcd.1234@silly.test"}},
		{"\n <testabcd.1234@silly.test>\n\t", []string{"testabcd.1234@silly.test"}},
		{" <a@[127.0.0.1]>", []string{"a@[127.0.0.1]"}},
		{` <"a>b"@c>`, []string{`"a>b"@c`}},
		{` <"a b"@c>`, []string{`"a b"@c`}},
		{` <"a\"> b"@c>`, []string{`"a\"> b"@c`}},
		{" <long\n @folded.dom>", []string{"long@folded.dom"}},
		{" (comment <no@a>) <yes@a> (another (nested) \\) one)", []string{"yes@a"}},
		// Broken, and met.
		{" a@b", []string{"a@b"}},
		{" a@b (added)", []string{"a@b"}},
		{" a@b>", []string{"a@b"}},
		{" <a@b", []string{"a@b"}},
		{" <a@b\n c", []string{"a@b"}},
		{" <<a@b>>", []string{"a@b"}},
		{" Message 12 <a@b> of joe", []string{"a@b"}},
		{" <a@b> <c@d>", []string{"a@b", "c@d"}},
		{` <"a@b>`, []string{`"a@b`}},
		{" (unended <a@b>", []string{"a@b"}},
		{" <>", nil},
		{" < >", nil},
		{"", nil},
		{" ()", nil},
		{" <\x00\xFF@b>", []string{"\x00\xFF@b"}},
	} {
		if got := messageIDs([]byte(test.value)); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.value, got, test.want)
		}
	}
}

func headerOf(t testing.TB, text string) header {
	w := new(window)
	w.reset(t.Context(), strings.NewReader(text), int64(len(text)))
	return w.header(0, false)
}

func TestHeader(t *testing.T) {
	long := strings.Repeat("x", mostID)
	for _, test := range []struct {
		text string
		want []string
		body string
	}{
		{"Message-ID: <a@b>\n\nbody\nMessage-ID: <no@b>\n", []string{"a@b"}, "body\nMessage-ID: <no@b>\n"},
		{"MESSAGE-id \t: <a@b>\r\n\r\nbody", []string{"a@b"}, "body"},
		{"Message-ID:\r\n <a@b>\r\nX: y\r\n\r\n", []string{"a@b"}, ""},
		{"Message-Id: <a@b>\nMessage-ID: <c@d>\nMessage-ID: <a@b>\n\n", []string{"a@b", "c@d"}, ""},
		{"X-Message-ID: <a@b>\nMessage-IDs: <a@b>\nResent-Message-ID: <a@b>\n\n", nil, ""},
		{"Message-ID: <" + long + ">\nMessage-ID: <a@b>\n\n", []string{"a@b"}, ""},
		{"Message-ID: " + strings.Repeat("\n (", mostID) + "\n <a@b>\n\n", nil, ""},
		{" folded into nothing\nMessage-ID: <a@b>\n\n", []string{"a@b"}, ""},
		{"From joe Sat Jan  3 01:05:34 1996\nMessage-ID: <a@b>\n\n", []string{"a@b"}, ""},
		{"A: b\nno field\nMessage-ID: <a@b>\n\n", nil, "no field\nMessage-ID: <a@b>\n\n"},
		{"Message-ID: <a@b>", []string{"a@b"}, ""},
		{"Message-ID: <a\rb@c>\n\n", []string{"ab@c"}, ""},
		{"", nil, ""},
		{"\n", nil, ""},
	} {
		h := headerOf(t, test.text)
		if !slices.Equal(h.ids, test.want) || test.text[h.body:] != test.body {
			t.Errorf("%.60q: %q, body %q", test.text, h.ids, test.text[h.body:])
		}
	}
}

// A header of nothing but identifiers is read once, and leads to a message by some
// of them. To look for each among all others would take hours.
func TestManyIDs(t *testing.T) {
	var text, one strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&text, "Message-ID: <%d@a>\n", i)
	}
	for i := range mostIDs + 1 {
		fmt.Fprintf(&one, "<%d@a>", i)
	}
	for _, text := range []string{text.String() + "\n", "Message-ID: " + one.String() + "\n\n"} {
		h := headerOf(t, text)
		if n := len(h.ids); n != mostIDs || h.ids[0] != "0@a" || h.ids[n-1] != fmt.Sprint(n-1, "@a") || int(h.body) != len(text) {
			t.Errorf("%.40q: %d identifiers, body at %d of %d", text, n, h.body, len(text))
		}
	}
}

// What is written as a Message-Id should be is read back, whatever is in it.
func FuzzMessageIDs(f *testing.F) {
	for _, seed := range []string{"a@b", `"a b"@c`, `"a\">"@c`, "<a>", "(a)", "a\n b", "\\", `"`, "a>b", "\r\r<", "<\"a\\\nb\"@c>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list := messageIDs([]byte(text))
		for _, id := range list {
			if id == "" || len(id) > len(text) || strings.Contains(id, "\n") {
				t.Errorf("%q gives %q", text, id)
			}
		}
		if strings.ContainsAny(text, "<>\"\\ \t\r\n") || text == "" {
			return
		}
		for _, value := range []string{"<" + text + ">", " (c (d))\n\t<" + text + ">\t(e)", "\n < " + text + "\n > "} {
			if got := messageIDs([]byte(value)); !reflect.DeepEqual(got, []string{text}) {
				t.Errorf("%q gives %q", value, got)
			}
		}
	})
}
