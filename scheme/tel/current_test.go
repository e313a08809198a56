package tel_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/tel"
)

// These regular expressions are the grammar of RFC 3966 section 3 in a simple, readable form.
var (
	globalNumber = regexp.MustCompile(`^\+[0-9().-]*[0-9][0-9().-]*$`)
	localNumber  = regexp.MustCompile(`^(?:[0-9A-Fa-f*().-]|%23)*(?:[0-9A-Fa-f*]|%23)(?:[0-9A-Fa-f*().-]|%23)*$`)
	domain       = regexp.MustCompile(`^(?:(?:[A-Za-z0-9]|[A-Za-z0-9][A-Za-z0-9-]*[A-Za-z0-9])\.)*(?:[A-Za-z]|[A-Za-z][A-Za-z0-9-]*[A-Za-z0-9])\.?$`)
	isub         = regexp.MustCompile(`^(?i:isub)=(?:[/?:@&=+$,A-Za-z0-9\-_.!~*'()]|%[0-9A-Fa-f]{2})+$`)
	ext          = regexp.MustCompile(`^(?i:ext)=[0-9().-]+$`)
	other        = regexp.MustCompile(`^[A-Za-z0-9-]+(?:=(?:[\[\]/:&+$A-Za-z0-9\-_.!~*'()]|%[0-9A-Fa-f]{2})+)?$`)
)

// isTel reports whether text is a telephone-uri whose parameters have the order that section 3
// requires.
func isTel(text string) bool {
	text, _, _ = strings.Cut(text, "#")
	pieces := strings.Split(text[len("tel:"):], ";")
	number, contexts := pieces[0], 0
	var keys []string
	for _, p := range pieces[1:] {
		name, value, _ := strings.Cut(p, "=")
		name = strings.ToLower(name)
		var ok bool
		switch name {
		case "isub":
			ok, name = isub.MatchString(p), "0"
		case "ext":
			ok, name = ext.MatchString(p), "0"
		case "phone-context":
			ok, name = globalNumber.MatchString(value) || domain.MatchString(value), "1"
			contexts++
		default:
			ok, name = other.MatchString(p), "2"+name
		}
		if !ok {
			return false
		}
		keys = append(keys, name)
	}
	if !slices.IsSorted(keys) || len(slices.Compact(slices.Clone(keys))) != len(keys) {
		return false
	}
	return globalNumber.MatchString(number) || localNumber.MatchString(number) && contexts == 1
}

var current = bnftest.NewCurrentInvariants(tel.Scheme(), isTel)

var currentSeeds = []string{
	"tel:+1-201-555-0123", "tel:7042;phone-context=example.com", "tel:863-1234;phone-context=+1-914-555", "tel:+1(201)555.0123;ext=12-3;a=b;m-c",
	"tel:*21%23;isub=a%3Bb;phone-context=x.y;d", "tel:+1;isub=A,b;x=%28!",
}

// The test cases are the examples in RFC 3966 and similar texts.
func TestCurrent(t *testing.T) {
	current.Examples(t, []bnftest.CurrentExample{
		{"6", "tel:+1-201-555-0123", ""},
		{"6", "tel:7042;phone-context=example.com", ""},
		{"6", "tel:863-1234;phone-context=+1-914-555", ""},
		{"8", "tel:+1-212-555-0101", ""},
		{"8", "tel:+1-201-555-0111", ""},
		{"8", "tel:+1-555-438-3732", ""},
		{"9", "tel:1234;phone-context=munich.example.com", ""},
		{"5.1.5", "tel:911;phone-context=+1", ""},
		{"5.1.5", "tel:1;phone-context=+49-6151-16", ""},
		{"5.1.5", "tel:1;phone-context=houston.example.com.", ""},
		{"3", "tel:+1;isub=a%3B/?", ""},
		{"3", "tel:+1;isub=a=b", ""},
		{"3", "tel:+1;isub=a?b@c;x=y?z", "parameter@21"},
		{"3", "tel:+1;isub?a", "parameter@7 query@11"},
		{"3", "tel:+1;x=y?isub=z", "query@10"},
		{"3", "tel:+1(2).3-;ext=1-2;a;b=[]/:&+$~!*'();c=%3D", "character@25 character@26"},
		{"3", "tel:-1;isub=1,@;phone-context=a", ""},
		{"5.1.3", "tel:*21%23;phone-context=a.b", ""},
		{"5.1.3", "tel:aF-*;phone-context=a.b", ""},
		{"5.4", "tel:+1;m-x=y", "mandatory@7!"},
		{"4", "TEL:+1;A=b;c=D", "case@7! case@11!"},
		{"4", "tel:+1;a=%C3%A9", ""},

		{"5.1.5", "tel:7042", "phone-context@4"},
		{"5.1.5", "tel:+7042;phone-context=example.com", "phone-context@10!"},
		{"5.1.5", "tel:7042;phone-context=1.2", "phone-context@23"},
		{"5.1.5", "tel:7042;phone-context=+", "phone-context@23"},
		{"5.1.5", "tel:7042;phone-context=-a.b", "phone-context@23"},
		{"5.1.5", "tel:7042;phone-context=", "parameter@9"},
		{"5.1.1", "tel:+1 201", "number@6"},
		{"5.1.1", "tel:+1%20201", "number@6"},
		{"5.1.2", "tel:+1-800-FLOWERS", "number@11"},
		{"5.1.2", "tel:1p2w;phone-context=a", "number@5 number@7"},
		{"5.1.3", "tel:+1*2%233", "number@6 number@8"},
		{"5.1.3", "tel:+1ab", "number@6"},
		{"5.1.3", "tel:*21#;phone-context=a", "phone-context@4 fragment@7!"},
		{"3", "tel:%2B1", "number@4"},
		{"3", "tel:+%31%2", "number@5 number@8"},
		{"3", "tel:+1+2", "number@6"},
		{"3", "tel:+", "number@5"},
		{"3", "tel:", "number@4 phone-context@4"},
		{"3", "tel:();phone-context=a", "number@4"},
		{"3", "tel:+1\u00e9", "number@6"},
		{"3", "tel://+1", "slashes@4"},
		{"3", "tel:+1?a", "query@6"},
		{"3", "tel:+1#a", "fragment@6!"},
		{"3", "tel:+1;", "parameter@7"},
		{"3", "tel:+1;=a", "parameter@7"},
		{"3", "tel:+1;a_b", "parameter@7"},
		{"3", "tel:+1;a=", "parameter@7"},
		{"3", "tel:+1;a=b=c,d@e", "parameter@10 parameter@12 parameter@14"},
		{"3", "tel:+1;isub", "parameter@7"},
		{"3", "tel:+1;ext=12a", "extension@13"},
		{"5.3", "tel:+1;ext=-", "extension@11?"},
		{"3", "tel:+1;ext=", "parameter@7"},
		{"3", "tel:+1;a;A", "duplicate@9 case@9!"},
		{"3", "tel:1;phone-context=a;phone-context=b", "duplicate@22"},
		{"5.3", "tel:+1;isub=1;ext=2", "duplicate@14"},
		{"5.3", "tel:+1;ext=2;isub=1", "duplicate@13"},
		{"3", "tel:+1;b;a", "order@9"},
		{"3", "tel:+1;a;ext=1", "order@9"},
		{"3", "tel:1;a;phone-context=b", "order@8"},
	})
}

// The test cases follow from section 4 and the sections to which it refers.
func TestEquivalence(t *testing.T) {
	current.Equal(t, [][]string{
		{"tel:+12015550123", "tel:+1-201-555-0123", "TEL:+1(201)555.0123"},
		{"tel:12015550123;phone-context=example.com", "tel:1-201-555-0123;phone-context=EXAMPLE.com"},
		{"tel:8631234;phone-context=+1914555", "tel:863-1234;phone-context=+1-914-555", "tel:863.1234;Phone-Context=+1914(555)"},
		{"tel:7042;phone-context=example.com", "tel:7042;PHONE-CONTEXT=Example.COM"},
		{"tel:7042;phone-context=example.org"},
		{"tel:a*%23;phone-context=b", "tel:A-*-%23;phone-context=B"},
		{"tel:+1;ext=12", "tel:+1;ext=1-2", "tel:+1;EXT=(12)"},
		{"tel:+1;isub=12"},
		{"tel:+1;isub=1-2"},
		{"tel:+1;isub=a?b;c=d", "TEL:+1;ISUB=A?B;C=D"},
		{"tel:+1;a=b(c;d", "tel:+1;A=%62%28C;D"},
		{"tel:+1;a=b%2Fc;d"},
		{"tel:+1;a=b/c;d"},
		{"tel:+1;a=%C3%A9", "tel:+1;a=%c3%a9"},
		{"tel:+1"},
		{"tel:+1;a"},
	})
}

func TestCurrentRandom(t *testing.T) { current.Random(t, 20_000, currentSeeds) }

func FuzzCurrent(f *testing.F) { current.Fuzz(f, currentSeeds) }
