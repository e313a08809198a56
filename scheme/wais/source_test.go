package wais

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
)

// TestParseSourceCaptured parses a source description that freeWAIS-sf generated for a
// database with one text.
func TestParseSourceCaptured(t *testing.T) {
	for _, name := range []string{"describe-database", "session-info"} {
		text, err := os.ReadFile("testdata/wire/" + name + ".doc.bin")
		if err != nil {
			t.Fatal(err)
		}
		s, err := parseSource(text)
		if err != nil {
			t.Fatal(err)
		}
		want := &source{
			IPName: "localhost", IPAddress: "127.0.0.1", Port: 210, Database: "coast", Cost: "0.00", CostUnit: "free",
			Maintainer:  "root@localhost",
			Description: "Server created with freeWAIS-sf 2.2.10 on Nov 20 20:18:10 2026 by root@localhost\nThe files of type Text used in the index were:\n   /wais/harbour/mole.TEXT\n",
		}
		if !reflect.DeepEqual(s, want) {
			t.Errorf("%s: %+v", name, s)
		}
		if u, err := s.URL(); err != nil || u.String() != "wais://localhost/coast" {
			t.Errorf("%s: %v, %v", name, u, err)
		}
	}
}

func TestParseSource(t *testing.T) {
	for text, want := range map[string]source{
		"(:source)":                                                     {},
		"(:source":                                                      {},
		"\r\n\t (:source :tcp-port 3":                                   {Port: 3},
		"( :source :version x)":                                         {},
		"(:source :version)":                                            {},
		`(:source :ip-name "a\"b\\c\d")`:                                {IPName: `a"b\cd`},
		"(:source :ip-name \"a\nb\xff\x00\")":                           {IPName: "a\nb\xff\x00"},
		`(:source :ip-name"a":tcp-port 8210)more)`:                      {IPName: "a", Port: 8210},
		`(:source :ip-name "a" :ip-name "b")`:                           {IPName: "b"},
		`(:source :cost-unit :dollars-per-minute :cost 1.50)`:           {CostUnit: "dollars-per-minute", Cost: "1.50"},
		`(:source :bytes (:any :size 3 :bytes #( 1 2 3 )) :tcp-port 2)`: {Port: 2},
		`(:source :script #(:a "x)" (:b ())) :font (((("(")))) :configuration "" :database-name d)`: {Database: "d"},
		`(:source :keyword-list ("a b" c (d) "" ) :maintainer m)`:                                   {Maintainer: "m"},
		`(:source # :x :tcp-port 1)`: {Port: 1},
	} {
		s, err := parseSource([]byte(text))
		if err != nil || !reflect.DeepEqual(*s, want) {
			t.Errorf("%s: %+v, %v", text, s, err)
		}
	}
	for text, says := range map[string]string{
		"":                          `octet 0: protocol error: it must begin with "(:source"`,
		"\n\n":                      "octet 2",
		"<html>":                    "must begin with",
		"(:question :version 1)":    `not with "(:question"`,
		`(:source :description "x`:  `":description": a text has no closing quotation mark`,
		`(:source :description "x\`: "quotation mark",
		`(:source :tcp-port 0)`:     `":tcp-port": port "0" is out of range`,
		`(:source :tcp-port 65536)`: "is out of range",
		`(:source :tcp-port (210))`: "is out of range",
		`(:source "x`:               "quotation mark",
		`(:source (("`:              "quotation mark",
		"(:source :a " + strings.Repeat("(", maxSourceDepth): "more than 32 nested lists",
		"(:source :a " + strings.Repeat("(", maxSource-100):  "more than 32 nested lists",
	} {
		_, err := parseSource([]byte(text))
		if !errors.Is(err, scheme.ErrProtocol) || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "wais: source description: ") {
			t.Errorf("%.40s: %v", text, err)
		}
	}
	if _, err := parseSource([]byte("(:source :a " + strings.Repeat("(", maxSourceDepth-1) + ")")); err != nil {
		t.Error(err)
	}
	if _, err := parseSource(make([]byte, maxSource+1)); !errors.Is(err, scheme.ErrTooLarge) {
		t.Error(err)
	}
}

func TestSourceURL(t *testing.T) {
	for want, s := range map[string]source{
		"wais://h/db":                  {IPName: "h", IPAddress: "192.0.2.1", Database: "db"},
		"wais://192.0.2.1/db":          {IPAddress: "192.0.2.1", Port: 210, Database: "db"},
		"wais://[2001:db8::1]:8210/db": {IPAddress: "2001:db8::1", Port: 8210, Database: "db"},
		"wais://h/%2Fwais%2Fcoast":     {IPName: "h", Database: "/wais/coast"},
		"wais://h/":                    {IPName: "h"},
	} {
		if u, err := s.URL(); err != nil || u.String() != want {
			t.Errorf("%+v: %v, %v", s, u, err)
		}
	}
	for _, s := range []source{{Database: "db"}, {Database: "db", Port: 210}, {IPName: "h/x", Database: "db"}, {IPName: "u@h"}, {IPName: "h:1"}, {IPName: "a b"}} {
		if u, err := s.URL(); err == nil {
			t.Errorf("%+v: %v", s, u)
		}
	}
}

// sourceText returns the text of a source description.
func sourceText(s *source) string {
	quoted := func(text string) string {
		return `"` + strings.NewReplacer(`"`, `\"`, `\`, `\\`).Replace(text) + `"`
	}
	var b strings.Builder
	b.WriteString("(:source :version 3")
	if s.Port != 0 {
		fmt.Fprintf(&b, " :tcp-port %d", s.Port)
	}
	for keyword, text := range map[string]string{":ip-name": s.IPName, ":ip-address": s.IPAddress, ":database-name": s.Database,
		":cost": s.Cost, ":cost-unit": ":" + s.CostUnit, ":maintainer": s.Maintainer, ":description": s.Description} {
		fmt.Fprintf(&b, " %s %s", keyword, quoted(text))
	}
	b.WriteString(")")
	return b.String()
}

// Parsing the text of a parsed description must return the same description.
func FuzzSource(f *testing.F) {
	for _, name := range []string{"describe-database", "session-info"} {
		if text, err := os.ReadFile("testdata/wire/" + name + ".doc.bin"); err == nil {
			f.Add(text)
		}
	}
	f.Add([]byte(`(:source :keyword-list #(a "b\"c" (d :x 1)) :tcp-port 1 :cost-unit :free :bytes (:any :size 1 :bytes #(1)))`))
	f.Add([]byte(`(:source :description "x`))
	f.Fuzz(func(t *testing.T, text []byte) {
		s, err := parseSource(text)
		if err != nil {
			if !errors.Is(err, scheme.ErrProtocol) && !errors.Is(err, scheme.ErrTooLarge) {
				t.Error(err)
			}
			return
		}
		if u, err := s.URL(); err == nil {
			x, err := Parse(u)
			if err != nil || x.Database() != s.Database {
				t.Errorf("%v: %q, %v", u, x.Database(), err)
			}
		}
		again, err := parseSource([]byte(sourceText(s)))
		if len(sourceText(s)) <= maxSource && (err != nil || !reflect.DeepEqual(s, again)) {
			t.Errorf("%+v\n%+v, %v", s, again, err)
		}
	})
}
