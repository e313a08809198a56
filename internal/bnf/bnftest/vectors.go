package bnftest

import (
	"cmp"
	"encoding/json"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// vector is a line in a file of test vectors. A vector contains a URL and the expected
// results. The JSON keys are the same as in the output of "locus parse --json".
type vector struct {
	Section   string         `json:"section"`
	URL       string         `json:"url"`
	Canonical string         `json:"canonical"` // same as URL if empty
	Locator   map[string]any `json:"locator"`   // null if the scheme rejects the URL
	Rules     []string       `json:"rules"`     // rules of the expected findings by RFC 1738
	Draft     []string       `json:"draft"`     // rules of the expected findings by the URI draft; not tested if absent
}

// Vectors tests a scheme with a file that contains a test vector as a JSON object on each
// line. Vectors ignores lines that are empty or begin with "#".
func Vectors(t *testing.T, file string, s scheme.Scheme) {
	t.Helper()
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	n, number := 0, 0
	for line := range strings.Lines(string(text)) {
		number++
		if line == "\n" || line[0] == '#' {
			continue
		}
		var v vector
		d := json.NewDecoder(strings.NewReader(line))
		d.DisallowUnknownFields()
		if err := d.Decode(&v); err != nil {
			t.Fatalf("%s:%d: %v", file, number, err)
		}
		n++
		t.Run(v.Section+" "+v.URL, func(t *testing.T) {
			t.Logf("%s:%d", file, number)
			v.test(t, s)
		})
	}
	if n == 0 {
		t.Errorf("%s has no vectors", file)
	}
}

func (v vector) test(t *testing.T, s scheme.Scheme) {
	u, err := locus.Parse(v.URL)
	if err != nil {
		t.Fatal(err)
	}
	if got := rules(s.Syntax.Check(u, locus.RFC1738)); !slices.Equal(got, v.Rules) {
		t.Errorf("rules %q, want %q", got, v.Rules)
	}
	if got := rules(s.Syntax.Check(u, locus.RFC1630)); v.Draft != nil && !slices.Equal(got, v.Draft) {
		t.Errorf("rules of the draft %q, want %q", got, v.Draft)
	}
	fields, err := s.Syntax.Fields(u)
	canonical, _, canonicalErr := s.Syntax.Canonical(u)
	if v.Locator == nil {
		if err == nil || canonicalErr == nil {
			t.Errorf("fields %v, canonical %q; want errors", fields, canonical)
		}
		return
	}
	if got := locator(t, fields); err != nil || !reflect.DeepEqual(got, v.Locator) {
		t.Errorf("%v\n got %v\nwant %v", err, got, v.Locator)
	}
	want := cmp.Or(v.Canonical, v.URL)
	if canonicalErr != nil || canonical.String() != want {
		t.Errorf("canonical %q, %v; want %q", canonical, canonicalErr, want)
	}
}

func rules(list []locus.Violation) (names []string) {
	for _, v := range list {
		names = append(names, v.Rule)
	}
	return names
}

// locator converts fields to JSON and back, for comparison with a vector.
func locator(t *testing.T, fields []scheme.Field) map[string]any {
	t.Helper()
	b, err := json.Marshal(object(fields))
	if err != nil {
		t.Fatal(err)
	}
	var m map[string]any
	if err := json.Unmarshal(b, &m); err != nil {
		t.Fatal(err)
	}
	return m
}

func object(fields []scheme.Field) map[string]any {
	m := map[string]any{}
	for _, f := range fields {
		switch v := f.Value.(type) {
		case string:
			m[f.Name] = utf8OrLatin1(v)
		case [][]scheme.Field:
			list := []any{}
			for _, record := range v {
				list = append(list, object(record))
			}
			m[f.Name] = list
		default:
			m[f.Name] = v
		}
	}
	return m
}

func utf8OrLatin1(octets string) string {
	if utf8.ValidString(octets) {
		return octets
	}
	var b strings.Builder
	for i := range len(octets) {
		b.WriteRune(rune(octets[i]))
	}
	return b.String()
}
