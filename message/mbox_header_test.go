package message

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// headerOf reads a header like [ReadIDs].
func headerOf(t testing.TB, text string) idHeader {
	m := &Mbox{lines: newLines(strings.NewReader(text), 16<<10), header: idHeader{length: -1}, state: mboxHeader, single: true}
	for m.state != mboxBody && m.readLine() {
	}
	ids, start, err := ReadIDs(strings.NewReader(text), false)
	if !slices.Equal(ids, m.header.ids) || err != nil || (start > 0) != strings.HasPrefix(text, from) {
		t.Errorf("%.60q: %q, %d, %v", text, ids, start, err)
	}
	return m.header
}

func TestIDHeader(t *testing.T) {
	long := strings.Repeat("x", maxIDField)
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
		{"Message-ID: " + strings.Repeat("\n (", maxIDField) + "\n <a@b>\n\n", nil, ""},
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

// A header with half a million identifiers must be read once, up to a limit. Comparing all
// identifiers with each other would take hours.
func TestManyIDs(t *testing.T) {
	var text, one strings.Builder
	for i := range 500_000 {
		fmt.Fprintf(&text, "Message-ID: <%d@a>\n", i)
	}
	for i := range maxIDs + 1 {
		fmt.Fprintf(&one, "<%d@a>", i)
	}
	for _, text := range []string{text.String() + "\n", "Message-ID: " + one.String() + "\n\n"} {
		h := headerOf(t, text)
		if n := len(h.ids); n != maxIDs || h.ids[0] != "0@a" || h.ids[n-1] != fmt.Sprint(n-1, "@a") || int(h.body) != len(text) {
			t.Errorf("%.40q: %d identifiers, body at %d of %d", text, n, h.body, len(text))
		}
	}
}

// An index must contain the identifier that Header.MessageID returns.
func TestIDsAsShown(t *testing.T) {
	for _, value := range []string{
		"(old <x@y>) <real@id>", "\"<no@a>\" <yes@a>", "<a@b", "a@b (added)", "<\"a>b\"@c>", "<long\n @folded.dom>", "<a@b> <c@d>", "<<a@b>>", "a@b>", "", "()", "<>",
	} {
		text := "Message-ID: " + value + "\n\n"
		shown, err := ReadHeader(strings.NewReader(text), nil)
		if err != nil {
			t.Fatal(err)
		}
		found := ""
		if h := headerOf(t, text); len(h.ids) > 0 {
			found = h.ids[0]
		}
		if found != shown.MessageID() {
			t.Errorf("%q is found by %q and shown with %q", value, found, shown.MessageID())
		}
	}
}
