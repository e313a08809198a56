package prospero

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// tokenVectors lists encoded tokens and their values. Some tokens come from the original server,
// and others are handmade.
var tokenVectors = []struct{ wire, token string }{
	{"release' notes'", "release notes"},
	{"it'''s.txt'", "it's.txt"},
	{"don'''t'", "don't"},
	{"'/pfs/info/papers/it''s.txt'", "/pfs/info/papers/it's.txt"},
	{"AFTP'/pub/docs'", "AFTP/pub/docs"},
	{"4096' bytes'", "4096 bytes"},
	{"''", ""},

	{"a", "a"},
	{"'a'", "a"},
	{"a''b", "ab"},
	{"''''", "'"},
	{"''''''", "''"},
	{"'a'b'c'", "abc"},
	{"'a''b'c", "a'bc"},
	{"' \t\r\n\x00\xff'", " \t\r\n\x00\xff"},
	{"a\v\f\x00b", "a\v\f\x00b"},
	{"caf\xc3\xa9", "caf\xc3\xa9"},
}

func TestTokens(t *testing.T) {
	for _, v := range tokenVectors {
		line, rest, closed := cutLine(v.wire + "\nx")
		if line != v.wire || rest != "x" || !closed {
			t.Errorf("%q: line %q, %q, %v", v.wire, line, rest, closed)
		}
		if got := appendTokens(nil, " \t"+v.wire+"\t b  "); !slices.Equal(got, []string{v.token, "b"}) {
			t.Errorf("%q: %q, not %q", v.wire, got, v.token)
		}
		if !isToken(v.wire) {
			t.Errorf("%q is no token", v.wire)
		}
	}
	for _, text := range []string{"", " ", "a ", " a", "a b", "'", "a'b", "'''", "a\n", "'a' 'b'"} {
		if isToken(text) {
			t.Errorf("%q is a token", text)
		}
	}
}

func TestCutLine(t *testing.T) {
	for _, c := range []struct {
		message, line, rest string
		closed              bool
	}{
		{"", "", "", true},
		{"a", "a", "", true},
		{"a\nb", "a", "b", true},
		{"a\r\nb", "a", "\nb", true},
		{"a\rb", "a", "b", true},
		{"'\n\r' x\nb", "'\n\r' x", "b", true},
		{"'a''\n'\nb", "'a''\n'", "b", true},
		{"a'\n", "a'\n", "", false},
		{"'a''\nb", "'a''\nb", "", false},
	} {
		line, rest, closed := cutLine(c.message)
		if line != c.line || rest != c.rest || closed != c.closed {
			t.Errorf("%q: %q %q %v", c.message, line, rest, closed)
		}
	}
}

func TestAppendToken(t *testing.T) {
	for token, want := range map[string]string{
		"":                         "''",
		"LIST":                     "LIST",
		"#ALL":                     "#ALL",
		"intro.txt":                "intro.txt",
		"/pfs/info/papers":         "'/pfs/info/papers'",
		"it's":                     "'it''s'",
		"'":                        "''''",
		"''":                       "''''''",
		"a+b":                      "'a+b'",
		"a,b":                      "'a,b'",
		"a b\tc\n\v\f\r":           "'a b\tc\n\v\f\r'",
		"caf\xc3\xa9":              "caf\xc3\xa9",
		"ARCHIE/MATCH(2,2,2,0,=)x": "'ARCHIE/MATCH(2,2,2,0,=)x'",
	} {
		got, err := appendToken([]byte("x "), token)
		if err != nil || string(got) != "x "+want {
			t.Errorf("%q: %q %v", token, got, err)
		}
	}
	for _, token := range []string{"\x00", "/a\x00b", "a\x00"} {
		if got, err := appendToken([]byte("x"), token); !errors.Is(err, locus.ErrValue) || string(got) != "x" {
			t.Errorf("%q: %q %v", token, got, err)
		}
	}
}

// slowTokens splits a message into lines and tokens in a simple, readable way. An apostrophe
// starts or ends quotes, and two apostrophes inside quotes mean one apostrophe.
func slowTokens(message string) (lines [][]string, closed bool) {
	var line []string
	var token []byte
	quoted, started := false, false
	endToken := func() {
		if started {
			line = append(line, string(token))
		}
		token, started = nil, false
	}
	endLine := func() {
		endToken()
		if line != nil {
			lines = append(lines, line)
		}
		line = nil
	}
	for i := 0; i < len(message); i++ {
		o := message[i]
		switch {
		case quoted && o == '\'' && i+1 < len(message) && message[i+1] == '\'':
			token = append(token, o)
			i++
		case o == '\'':
			quoted, started = !quoted, true
		case quoted:
			token = append(token, o)
		case o == '\n' || o == '\r':
			endLine()
		case o == ' ' || o == '\t':
			endToken()
		default:
			token, started = append(token, o), true
		}
	}
	endLine()
	return lines, !quoted
}

// FuzzTokens compares the tokens of a message with the result of slowTokens.
func FuzzTokens(f *testing.F) {
	for _, c := range readCaptured(f) {
		if len(c.reply) < 2000 {
			f.Add(c.reply)
		}
	}
	for _, v := range tokenVectors {
		f.Add(v.wire)
	}
	f.Fuzz(func(t *testing.T, message string) {
		if strings.Contains(message, "NULL") {
			return // LINK lines of type NULL use other quoting rules
		}
		want, closed := slowTokens(message)
		got, ok := tokensOf(message)
		if ok != closed {
			t.Fatalf("%q: closed %v, and slowly %v", message, ok, closed)
		}
		if closed && !slices.EqualFunc(got, want, slices.Equal[[]string]) {
			t.Errorf("%q: %q, and slowly %q", message, got, want)
		}
	})
}

// FuzzAppendToken checks that encoding and decoding a token returns the same token.
func FuzzAppendToken(f *testing.F) {
	for _, v := range tokenVectors {
		f.Add(v.token)
	}
	f.Fuzz(func(t *testing.T, token string) {
		b, err := appendToken(nil, token)
		if (err != nil) != strings.Contains(token, "\x00") {
			t.Fatalf("%q: %v", token, err)
		}
		if err != nil {
			return
		}
		if lines, closed := slowTokens(string(b) + " x\ny\n"); !closed || len(lines) != 2 || !slices.Equal(lines[0], []string{token, "x"}) {
			t.Errorf("%q: %q is %q", token, b, lines)
		}
	})
}
