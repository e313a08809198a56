package prospero

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

// TestVectors checks the examples in RFC 1738 section 3.11 and in the section "Prospero" of the
// URI draft.
func TestVectors(t *testing.T) { bnftest.Vectors(t, "../../testdata/rfc1738-3.11.txt", Scheme(nil)) }

func TestParse(t *testing.T) {
	for _, test := range []struct {
		url, hsoname, version, attributes string
		fields                            []Field
	}{
		{"prospero://host.dom//pros/name", "/pros/name", "", "", nil},
		{"prospero://h/", "", "", "", nil},
		{"prospero://h/%2Fa", "/a", "", "", nil},
		{"prospero://h/a%3Bb=c", "a;b=c", "", "", nil},
		{"prospero://h/a%2500", "a%00", "", "", nil},
		{"prospero://h/a;b=;=c;B=%3d=", "a", "", "", []Field{{"b", ""}, {"", "c"}, {"B", "=="}}},
		{"prospero://h/a;b=%00", "a", "", "", []Field{{"b", "\x00"}}},
		{"prospero://h/;a=b", "", "", "", []Field{{"a", "b"}}},
		{"prospero://h/a%00007xyz;b=c", "a", "007", "xyz", []Field{{"b", "c"}}},
		{"prospero://h/%001%2f2;b=c", "", "1", "/2", []Field{{"b", "c"}}},
	} {
		x := parse(t, test.url)
		version, ok := x.Version()
		if x.Hsoname() != test.hsoname || version != test.version || ok != (test.version != "") || x.Attributes() != test.attributes || !reflect.DeepEqual(x.Fields(), test.fields) {
			t.Errorf("%s: %q %q %q %q", test.url, x.Hsoname(), version, x.Attributes(), x.Fields())
		}
	}
}

func TestFields(t *testing.T) {
	x := parse(t, "prospero://h/a;Id=1;ID=2;object-version=%33")
	for name, want := range map[string]string{"ID": "1", "iD": "1", "OBJECT-VERSION": "3"} {
		if value, ok := x.Field(name); value != want || !ok {
			t.Errorf("%s: %q %v", name, value, ok)
		}
	}
	if value, ok := x.Field("b"); ok {
		t.Errorf("b: %q", value)
	}
}

func TestObjectVersion(t *testing.T) {
	for _, test := range []struct {
		url       string
		n         int32
		ok, sound bool
	}{
		{"prospero://h/a", 0, false, true},
		{"prospero://h/a;OBJECT-VERSION=12", 12, true, true},
		{"prospero://h/a;%6Fbject-version=0%31", 1, true, true},
		{"prospero://h/a%0012", 12, true, true},
		{"prospero://h/a;OBJECT-VERSION=2147483647", 2147483647, true, true},
		{"prospero://h/a;OBJECT-VERSION=2147483648", 0, false, false},
		{"prospero://h/a;OBJECT-VERSION=", 0, false, false},
		{"prospero://h/a;OBJECT-VERSION=+1", 0, false, false},
		{"prospero://h/a;OBJECT-VERSION=1;object-Version=1", 1, true, false},
		{"prospero://h/a;OBJECT-VERſION=x", 0, false, true},
		{"prospero://h/a%00999999999999", 0, false, false},
	} {
		url := strings.ReplaceAll(test.url, "ſ", "%C5%BF")
		x := parse(t, url)
		n, ok := x.ObjectVersion()
		if ok != test.ok || ok && n != test.n {
			t.Errorf("%s: %d %v", test.url, n, ok)
		}
		if list := check(x.URL(), locus.RFC1738); locus.Conforms(list) != test.sound {
			t.Errorf("%s: %v", url, list)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	invariants.Refuses(t, []bnftest.Refusal{
		{"prospero:", "h/a", "prosperourl", locus.ErrForm},
		{"", "http://h/a", "prosperourl", locus.ErrForm},
		{"prospero://h", "", "ppath", locus.ErrForm},
		{"prospero://h/a", ";", "fieldspec", locus.ErrForm},
		{"prospero://h/a;b=c", ";d", "fieldspec", locus.ErrForm},
		{"prospero://h/a", ";;b=c", "fieldspec", locus.ErrForm},
		{"prospero://h/a", ";b%3Dc", "fieldspec", locus.ErrForm},
		{"prospero://h/a", "%00", "version", locus.ErrValue},
		{"prospero://h/%C3%A9", "%00x1", "version", locus.ErrValue},
		{"prospero://h/a", "%00;b=c", "version", locus.ErrValue},
		{"prospero://h/a%001", "%00", "attributes", locus.ErrValue},
		{"prospero://h/a%001b", "%002", "attributes", locus.ErrValue},
		{"prospero://h/a%001;b=c", ";OBJECT-VERSION=1", "fieldspec", locus.ErrValue},
		{"prospero://h/a%001", ";o%62ject-version=1", "fieldspec", locus.ErrValue},
	})
}

func TestSame(t *testing.T) {
	invariants.Pairs(t, []bnftest.Pair{
		{"prospero://HOST.dom:1525//pros/name", "prospero://host.dom//pros/%6eame", true},
		{"prospero://h/a%3bb", "prospero://h/a%3Bb", true},
		{"prospero://h/a;%62=c", "prospero://h/a;b=c#", true},
		{"prospero://h//a", "prospero://h/a", false},
		{"prospero://h/a/../b", "prospero://h/b", false},
		{"prospero://h/a/./b", "prospero://h/a/b", false},
		{"prospero://h/a%2Fb", "prospero://h/a/b", true}, // "/" has no significance within hsoname
		{"prospero://h/%2Fa%3f%3A%40%26%3D", "prospero://h//a?:@&=", true},
		{"prospero://h/a%3Bb=c", "prospero://h/a;b=c", false},
		{"prospero://h/a;b%3F=c%26", "prospero://h/a;b?=c&", true},
		{"prospero://h/a;b=c=d/e", "prospero://h/a;b=c%3Dd%2Fe", true},
		{"prospero://h/a;b%3Dc=d", "prospero://h/a;b=c%3Dd", false},
		{"prospero://h/a%3Bb=c", "prospero://h/a;b=c", false},
		{"prospero://h/a;b=c;d=e", "prospero://h/a;d=e;b=c", false},
		{"prospero://h/a%001", "prospero://h/a;OBJECT-VERSION=1", false},
	})
}

func TestParts(t *testing.T) {
	for _, test := range []struct {
		parts Parts
		want  string
	}{
		{Parts{Host: "host.dom", Hsoname: "/pros/name"}, "prospero://host.dom//pros/name"},
		{Parts{Host: "h"}, "prospero://h/"},
		{Parts{Host: "h", Port: 1525, Hsoname: "a;b%?:@&=#~ \xff"}, "prospero://h:1525/a%3Bb%25?:@&=%23%7E%20%FF"},
		{
			Parts{Host: "h", Hsoname: "a", Fields: []Field{{ObjectVersion, "12"}, {"a/=", "b;\x00"}, {"", ""}}},
			"prospero://h/a;OBJECT-VERSION=12;a%2F%3D=b%3B%00;=",
		},
	} {
		x, err := test.parts.URL()
		if err != nil || x.URL().String() != test.want {
			t.Errorf("%+v: %s, %v; want %s", test.parts, x.URL(), err, test.want)
		}
		if x.Hsoname() != test.parts.Hsoname || !reflect.DeepEqual(x.Fields(), test.parts.Fields) {
			t.Errorf("%s: %q %q", x.URL(), x.Hsoname(), x.Fields())
		}
		if list := check(x.URL(), locus.RFC1738); list != nil {
			t.Errorf("%s: %v", x.URL(), list)
		}
	}
	for _, test := range []struct {
		parts  Parts
		part   string
		offset int
		is     error
	}{
		{Parts{Hsoname: "a"}, "host", 11, locus.ErrForm},
		{Parts{Host: "h/", Hsoname: "a"}, "host", 0, locus.ErrForm},
		{Parts{Host: "h", Hsoname: "a\x00b"}, "ppath", 14, locus.ErrValue},
		{Parts{Host: "h", Hsoname: "a\x001"}, "ppath", 14, locus.ErrValue},
	} {
		_, err := test.parts.URL()
		bnftest.Refused(t, test.parts, err, test.part, test.offset, test.is)
	}
}

func TestNoAllocations(t *testing.T) {
	invariants.Conforming(t,
		"prospero://host.dom//pros/name", "prospero://h:191/%2Fa%20b", "prospero://h/a;b=c;OBJECT-VERSION=12", "prospero://h/a;%6Fbject-version=%31;d=%3B")
	u := locus.MustParse("prospero://h//a/b;b=c;OBJECT-VERSION=12")
	bnftest.NoAllocations(t, u, "Parse and canonical", func() { Parse(u); canonical(u) })
}
