package message_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/message"
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
		// Broken fields seen in practice.
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
		{"(old <x@y>) <real@id>", []string{"real@id"}},
		{"<real@id> (new <x@y>)", []string{"real@id"}},
		{`(a \) <x@y>) <real@id>`, []string{"real@id"}},
		{`"<no@a>" <yes@a>`, []string{"yes@a"}},
		{`"a b"@c`, []string{`"a b"@c`}},
		{`"a b"`, nil},
		{"\"a\r\n b\"@c", []string{`"a b"@c`}},
		{"(c)\r\n (d <e@f>)\r\n\t<a@b>", []string{"a@b"}},
		{"<a@b> <cut", []string{"a@b"}},
		{" <\x00\xFF@b>", []string{"\x00\xFF@b"}},
	} {
		if got := message.MessageIDs(test.value); !slices.Equal(got, test.want) {
			t.Errorf("%q: %q, want %q", test.value, got, test.want)
		}
	}
}

// References and Content-ID must be read like Message-ID.
func TestIDsElsewhere(t *testing.T) {
	m := parse(t, "Message-ID: (old <x@y>) <real@id>\n"+
		"References: (first <no@a>)\n <a@b> \"<no@c>\" <\"d>e\"@f>\n (last) <long\n @folded.dom> <cut\n"+
		"In-Reply-To: \"Joe <joe@host>\" (on <no@b>) message <g@h>\n"+
		"Content-ID: (part <no@d>)\n <i@j> (of it)\n\n")
	if got := m.MessageID(); got != "real@id" {
		t.Errorf("Message-ID %q", got)
	}
	if got, want := m.References(), []string{"a@b", `"d>e"@f`, "long@folded.dom"}; !slices.Equal(got, want) {
		t.Errorf("References %q, want %q", got, want)
	}
	if got, want := m.InReplyTo(), []string{"g@h"}; !slices.Equal(got, want) {
		t.Errorf("In-Reply-To %q, want %q", got, want)
	}
	if p, ok := m.Find("<i@j>"); !ok || p.ContentID != "i@j" {
		t.Errorf("Content-ID %q, found %v", p.ContentID, ok)
	}
}

// A field full of unclosed delimiters must take linear time: a few milliseconds. Quadratic
// time would be hours.
func TestIDsHostile(t *testing.T) {
	for _, piece := range []string{"(", "( ", "<", "< ", `"`, `"\" `, `<"a> `, `<"\"> `, "(a ", `<"`, `a"`, `a"\" `, "(\\) ", "<a@b> ", `"a" `} {
		text := strings.Repeat(piece, 2<<20/len(piece))
		if n := len(message.MessageIDs(text)) + len(message.ParseIDs(text)); n > 2*len(text) {
			t.Errorf("%q: %d", piece, n)
		}
	}
}

// Any identifier in a well-formed Message-ID must be read back.
func FuzzMessageIDs(f *testing.F) {
	for _, seed := range []string{"a@b", `"a b"@c`, `"a\">"@c`, "<a>", "(a)", "a\n b", "\"\n\"@0", "\\", `"`, "a>b", "\r\r<", "<\"a\\\nb\"@c>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		list := message.MessageIDs(text)
		for _, id := range list {
			if id == "" || len(id) > len(text) || strings.ContainsAny(id, "\r\n") {
				t.Errorf("%q gives %q", text, id)
			}
		}
		if strings.ContainsAny(text, "<>\"\\ \t\r\n") || text == "" {
			return
		}
		for _, value := range []string{"<" + text + ">", " (c (d))\n\t<" + text + ">\t(e)", "\n < " + text + "\n > "} {
			if got := message.MessageIDs(value); !reflect.DeepEqual(got, []string{text}) {
				t.Errorf("%q gives %q", value, got)
			}
		}
	})
}
