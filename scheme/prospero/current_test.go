package prospero_test

import (
	"testing"

	"github.com/locus-url/locus/scheme/internal/current/currenttest"
	"github.com/locus-url/locus/scheme/prospero"
)

func TestCurrent(t *testing.T) {
	currenttest.Examples(t, prospero.Scheme(nil), []currenttest.Example{
		{"RFC 4157 2", "prospero://host.dom//pros/name", "", "prospero://host.dom//pros/name"},
		{"RFC 4157 2", "prospero://host:1525/hsoname;field=value", "", "prospero://host/hsoname;field=value"},
		{"RFC 1738 3.11", "prospero://host.dom//pros/name;a=b;c=d", "", ""},
		{"", "prospero://host/", "", "prospero://host/"},
		{"", "prospero://host/a%3Bb", "", "prospero://host/a%3Bb"},
		{"", "prospero://host", "path@15", ""},
		{"", "prospero://host/a;b", "field@18", ""},
		{"", "prospero://host/a;", "field@18", ""},
		{"", "prospero://host/a;b=c;;d=e", "field@22", ""},
		{"", "prospero://host/a;b=c/d", "slash@21", ""},
		{"", "prospero://host/a?b", "query@17!", ""},
		{"", "prospero://me@host/a", "userinfo@13", ""},
		{"", "prospero://me:secret@host/a", "password@13!, userinfo@20", ""},
		{"", "prospero:///a", "host@11", ""},
		{"", "prospero:a", "authority@9", ""},
	})
}

func TestCurrentReference(t *testing.T) {
	const char = "(?:" + currenttest.Unreserved + "|" + currenttest.Escape + "|[!$&'()*+,:@])"
	currenttest.Reference(t, prospero.Scheme(nil), "//"+currenttest.Host+currenttest.Port+"/(?:"+char+"|[=/])*(?:;"+char+"*=(?:"+char+"|=)*)*"+currenttest.Query+currenttest.Fragment,
		"prospero://host.dom//pros/name", "prospero://host:1525/hsoname;field=value", "prospero://h/a;b=c;d=e?f#g")
}

func FuzzCurrent(f *testing.F) {
	currenttest.Fuzz(f, prospero.Scheme(nil), "prospero://h/a/..;b=c", "prospero:a", "prospero://h;a=b", "prospero://u:p@h:1/;=;", "prospero:///")
}
