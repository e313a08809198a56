package nfs_test

import (
	"testing"

	"github.com/locus-url/locus/scheme/internal/current/currenttest"
	"github.com/locus-url/locus/scheme/nfs"
	"github.com/locus-url/locus/scheme/schemetest"
)

func TestScheme(t *testing.T) {
	schemetest.Run(t, nfs.Scheme(), schemetest.Config{Good: []string{"nfs://server/d/e/f", "nfs:a", "nfs://h:2049/"}})
}

func TestCurrent(t *testing.T) {
	currenttest.Examples(t, nfs.Scheme(), []currenttest.Example{
		{"RFC 2224 6.1", "nfs://server/d/e/f", "", "nfs://server/d/e/f"},
		{"RFC 2224 6.1", "nfs://server//a/b/c/d/e/f", "absolute@12!", "nfs://server//a/b/c/d/e/f"},
		{"RFC 2224 1", "nfs://host:2049/directory/name", "", "nfs://host/directory/name"},
		{"", "nfs://host", "", "nfs://host/"},
		{"", "nfs://host/a%2Fb", "", ""},
		{"", "nfs://host/%C3%A4%00", "not-us-ascii@11?, not-us-ascii@14?, nul@17?", ""},
		{"", "nfs://host/a?b", "query@12", ""},
		{"", "nfs://me@host/", "userinfo@8", ""},
		{"", "nfs:///a", "host@6", ""},
		{"", "nfs:a", "authority@4", ""},
		{"", "nfs://h/%", "escape@8", ""},
	})
}

func TestCurrentReference(t *testing.T) {
	currenttest.Reference(t, nfs.Scheme(), "//"+currenttest.Host+currenttest.Port+currenttest.PathAbempty+currenttest.Fragment,
		"nfs://server/d/e/f", "nfs://server//a/b", "nfs://h", "nfs://h:2049/#a")
}

func FuzzCurrent(f *testing.F) {
	currenttest.Fuzz(f, nfs.Scheme(), "nfs://h/a/../b", "nfs:a", "nfs://u:p@h:1/%00%ff%?a#b", "nfs:////")
}
