package wais

import (
	"reflect"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

func parse(t testing.TB, text string) URL {
	t.Helper()
	return bnftest.MustParse(t, Parse, text)
}

// TestVectors checks the unchanged examples in RFC 1738 section 3.9 and in "WAIS" of the URI
// draft.
func TestVectors(t *testing.T) { bnftest.Vectors(t, "../../testdata/rfc1738-3.9.txt", Scheme(nil)) }

func TestWords(t *testing.T) {
	for _, test := range []struct {
		url, search, words string
		ok                 bool
	}{
		{"wais://quake.think.com/wais-discussion-archives?lynch", "lynch", "lynch", true},
		{"wais://h/db?two+words", "two+words", "two words", true},
		{"wais://h/db?two%20words", "two words", "two words", true},
		{"wais://h/db?c%2B%2b+d", "c+++d", "c++ d", true},
		{"wais://h/db?%25%32%42", "%2B", "%2B", true},
		{"wais://h/db?", "", "", true},
		{"wais://h/db", "", "", false},
		{"wais://h/db/T/a", "", "", false},
	} {
		x := parse(t, test.url)
		search, ok := x.Search()
		words, wordsOK := x.Words()
		if search != test.search || words != test.words || ok != test.ok || wordsOK != test.ok {
			t.Errorf("%s: search %q %v, words %q %v", test.url, search, ok, words, wordsOK)
		}
	}
}

func TestForms(t *testing.T) {
	for _, test := range []struct {
		wpath  string
		form   Form
		length int64
		fields []Field
	}{
		{"206/1=h%3A210;2=db;3=0%200%20/a;7=%00;", LengthForm, 206, []Field{{1, "h:210"}, {2, "db"}, {3, "0 0 /a"}, {7, "\x00"}}},
		{"0/3=x;", LengthForm, 0, []Field{{3, "x"}}},
		{"1=h;2=db;3=id;", FieldsForm, 0, []Field{{1, "h"}, {2, "db"}, {3, "id"}}},
		{"3=id", FieldsForm, 0, []Field{{3, "id"}}},
		{"3=;2=", FieldsForm, 0, []Field{{3, ""}, {2, ""}}},
		{"3=a=b;", FieldsForm, 0, []Field{{3, "a=b"}}},
		{"3=a%3Bb%253B;", FieldsForm, 0, []Field{{3, "a;b%3B"}}},
		{"127=x;127=y;", FieldsForm, 0, []Field{{127, "x"}, {127, "y"}}},
		{"%33=a;", FieldsForm, 0, []Field{{3, "a"}}},
		{"%32%306/3=a;", LengthForm, 206, []Field{{3, "a"}}},
		{"1%3Dh%3B3%3D0%200%20%2Fa%3B7%3D%00%3B", EscapedForm, 0, []Field{{1, "h"}, {3, "0 0 /a"}, {7, "\x00"}}},
		{"1%3Dh;3=a%3b", EscapedForm, 0, []Field{{1, "h"}, {3, "a"}}},
		{"3%3D100%25%3B", EscapedForm, 0, []Field{{3, "100%"}}},
		{"3%3Da%253Bb", EscapedForm, 0, []Field{{3, "a%3Bb"}}},
		{"%01%04host", OpaqueForm, 0, nil},
		{"", OpaqueForm, 0, nil},
		{"206/", OpaqueForm, 0, nil},
		{"206/id", OpaqueForm, 0, nil},
		{"206%2F1=h;", OpaqueForm, 0, nil},
		{"=h;", OpaqueForm, 0, nil},
		{";", OpaqueForm, 0, nil},
		{"1=a;b;", OpaqueForm, 0, nil},
		{"1=a;;", OpaqueForm, 0, nil},
		{"a1=b", OpaqueForm, 0, nil},
		{"128%3Da", OpaqueForm, 0, nil},
		{strings.Repeat("1%3D%3B", 17), OpaqueForm, 0, nil},
		{strings.Repeat("1=;", 16), FieldsForm, 0, sixteenFields()},
	} {
		x := parse(t, "wais://h/db/TEXT/"+test.wpath)
		if x.Form() != test.form || !reflect.DeepEqual(x.Fields(), test.fields) {
			t.Errorf("%s: %v %v; want %v %v", test.wpath, x.Form(), x.Fields(), test.form, test.fields)
		}
		if n, ok := x.Length(); n != test.length || ok != (test.form == LengthForm) {
			t.Errorf("%s: length %d %v", test.wpath, n, ok)
		}
		if wtype, ok := x.Wtype(); wtype != "TEXT" || !ok {
			t.Errorf("%s: wtype %q %v", test.wpath, wtype, ok)
		}
	}
	if x := parse(t, "wais://h/db"); x.Form() != NoDocument || x.Fields() != nil {
		t.Errorf("%s: %v %v", x.URL(), x.Form(), x.Fields())
	}
}

func sixteenFields() []Field {
	list := make([]Field, 16)
	for i := range list {
		list[i].Number = 1
	}
	return list
}

func TestParseRefuses(t *testing.T) {
	invariants.Refuses(t, []bnftest.Refusal{
		{"wais:", "h/db", "waisurl", locus.ErrForm},
		{"", "http://h/db", "waisurl", locus.ErrForm},
		{"wais://h", "", "database", locus.ErrForm},
		{"wais://h", "#f", "database", locus.ErrForm},
		{"wais://h/db/", "", "wpath", locus.ErrForm},
		{"wais://h/db/TEXT", "", "wpath", locus.ErrForm},
		{"wais://h/db/TEXT", "?a/b", "wpath", locus.ErrForm},
		{"wais://h/db/TEXT/1=a;", "?b", "wpath", locus.ErrForm},
		{"wais://h/db/TEXT/", "0=a;", "digits", locus.ErrValue},
		{"wais://h/db/TEXT/1=a;", "128=a;", "digits", locus.ErrValue},
		{"wais://h/db/TEXT/1/1=a;", "18446744073709551617=a;", "digits", locus.ErrValue},
		{"wais://h/db/TEXT/", "9223372036854775807/1=a;", "length", locus.ErrValue},
		{"wais://h/db/TEXT/" + strings.Repeat("1=;", 16), "1=;", "wpath", locus.ErrValue},
	})
}

func TestSame(t *testing.T) {
	invariants.Pairs(t, []bnftest.Pair{
		{"wais://H:210/%64b", "wais://h/db", true},
		{"wais://h/db?a%20b", "wais://h/db?a%20%62", true},
		{"wais://h/db?a+b", "wais://h/db?a%2Bb", false},
		{"wais://h/db?a+b", "wais://h/db?a%20b", false},
		{"wais://h/a+b", "wais://h/a%2Bb", true},
		{"wais://h/db", "wais://h/db?", false},
		{"wais://h/db/T/1=a;", "wais://h/db/T/%31=%61;", true},
		{"wais://h/db/T/1=a;", "wais://h/db/T/1%3Da;", false},
		{"wais://h/db/T/a/../b", "wais://h/db/T/b", false},
	})
}

func ptr(s string) *string { return &s }

func TestParts(t *testing.T) {
	fields := []Field{{1, "h:210"}, {2, "/db"}, {3, "0 206 /a+b=c=d~"}, {7, "\x00"}}
	for _, test := range []struct {
		parts Parts
		want  string
	}{
		{Parts{Host: "h"}, "wais://h/"},
		{Parts{Host: "h", Port: 2100, Database: "/wais/a;b?c"}, "wais://h:2100/%2Fwais%2Fa%3Bb%3Fc"},
		{Parts{Host: "h", Database: "db", Search: ptr("c++ /?&")}, "wais://h/db?c%2B%2B%20%2F%3F&"},
		{Parts{Host: "h", Database: "db", Search: ptr("")}, "wais://h/db?"},
		{
			Parts{Host: "h", Database: "db", Document: &Document{Wtype: "TEXT", Fields: fields}},
			"wais://h/db/TEXT/1%3Dh%3A210%3B2%3D%2Fdb%3B3%3D0%20206%20%2Fa%2Bb%3Dc%3Dd%7E%3B7%3D%00%3B",
		},
		{
			// An unescaped ";" would end the field.
			Parts{Host: "h", Database: "db", Document: &Document{Wtype: "TEXT", Fields: []Field{{1, "h"}, {3, "a;b"}}}},
			"wais://h/db/TEXT/%01%01h%03%03a%3Bb",
		},
		{
			Parts{Host: "h", Database: "db", Document: &Document{Wtype: "T/", Wpath: "\x01\x04host/=;"}},
			"wais://h/db/T%2F/%01%04host%2F%3D%3B",
		},
		{
			Parts{Host: "h", Database: "db", Document: &Document{Wtype: "TEXT", Wpath: "1=h;2=db;"}},
			"wais://h/db/TEXT/1%3Dh%3B2%3Ddb%3B",
		},
	} {
		x, err := test.parts.URL()
		if err != nil || x.URL().String() != test.want {
			t.Errorf("%+v: %s, %v; want %s", test.parts, x.URL(), err, test.want)
		}
		if list := check(x.URL(), locus.RFC1738); list != nil {
			t.Errorf("%s: %v", x.URL(), list)
		}
		if words, _ := x.Words(); test.parts.Search != nil && words != *test.parts.Search {
			t.Errorf("%s: words %q", x.URL(), words)
		}
	}
}

func TestPartsRefuse(t *testing.T) {
	for _, parts := range []Parts{
		{},
		{Database: "db"},
		{Host: "h/x", Database: "db"},
		{Host: "h", Search: ptr("a"), Document: &Document{Wpath: "b"}},
		{Host: "h", Document: &Document{Fields: []Field{{0, "a"}}}},
		{Host: "h", Document: &Document{Fields: []Field{{-1, "a"}}}},
		{Host: "h", Document: &Document{Fields: []Field{{128, "a"}}}},
		{Host: "h", Document: &Document{Fields: make([]Field, 17)}},
		{Host: "h", Document: &Document{Fields: []Field{{1, "a"}}, Wpath: "2=b;"}},
	} {
		x, err := parts.URL()
		if bnftest.Made(t, parts, err) {
			t.Errorf("%+v: %s", parts, x.URL())
		}
	}
}

func TestNoAllocations(t *testing.T) {
	invariants.Conforming(t,
		"wais://quake.think.com/wais-discussion-archives?lynch", "wais://h:2100/%2Fdb", "wais://h/db?a%20b;c", "wais://h/db/TEXT/1%3Dh%3B")
	u := locus.MustParse("wais://quake.think.com/wais-discussion-archives?lynch")
	bnftest.NoAllocations(t, u, "Parse and canonical", func() { Parse(u); canonicalize(u) })
}
