package wais_test

import (
	"testing"

	"github.com/locus-url/locus/scheme/internal/current/currenttest"
	"github.com/locus-url/locus/scheme/wais"
)

func TestCurrent(t *testing.T) {
	currenttest.Examples(t, wais.Scheme(nil), []currenttest.Example{
		{"RFC 4156 2", "wais://host:210/database", "", "wais://host/database"},
		{"RFC 4156 2", "wais://host:210/database?search", "", "wais://host/database?search"},
		{"RFC 4156 2", "wais://host:210/database/wtype/wpath", "", "wais://host/database/wtype/wpath"},
		{"RFC 1738 3.9", "wais://vega.lib.ncsu.edu/alawon.src?nren", "", ""},
		{"", "wais://host/db?", "", ""},
		{"", "wais://host/db/TEXT/", "", ""},
		{"", "wais://host", "database@11", ""},
		{"", "wais://host/", "database@12", ""},
		{"", "wais://host?a", "database@11", ""},
		{"", "wais://host//TEXT/a", "database@12", ""},
		{"", "wais://host/db/TEXT", "path@19", ""},
		{"", "wais://host/db/TEXT/a/b", "path@21", ""},
		{"", "wais://host/db/TEXT/a?b", "query@21", ""},
		{"", "wais://host/db/TEXT/%2e.", "dot-segment@20?", ""},
		{"", "wais://host/.", "dot-segment@12?", ""},
		{"", "wais://me@host/db", "userinfo@9", ""},
		{"", "wais:///db", "host@7", ""},
		{"", "wais:db", "authority@5", ""},
	})
}

func TestCurrentReference(t *testing.T) {
	const name, part = currenttest.Pchar + "+", currenttest.Pchar + "*"
	currenttest.Reference(t, wais.Scheme(nil), "//"+currenttest.Host+currenttest.Port+"/"+name+"(?:"+currenttest.Query+"|/"+part+"/"+part+")"+currenttest.Fragment,
		"wais://host:210/database", "wais://h/db?a+b", "wais://h/db/TEXT/1%3D2%3B", "wais://h/db/a/b#c")
}

func FuzzCurrent(f *testing.F) {
	currenttest.Fuzz(f, wais.Scheme(nil), "wais://h/a/../b", "wais:a", "wais://h/./%2e/..", "wais://u:p@h:1/a?b#c", "wais:///", "wais://h/a/b/c/d?")
}
