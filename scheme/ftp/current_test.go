package ftp_test

import (
	"regexp"
	"testing"

	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/internal/current/currenttest"
)

func TestCurrent(t *testing.T) {
	currenttest.Examples(t, ftp.Scheme(nil), []currenttest.Example{
		{"RFC 3986 1.1.2", "ftp://ftp.is.co.za/rfc/rfc1808.txt", "", ""},
		{"RFC 1738 3.1", "ftp://@host.com/", "", "ftp://@host.com/"},
		{"RFC 1738 3.1", "ftp://host.com/", "", "ftp://host.com/"},
		{"RFC 1738 3.1", "ftp://foo:@host.com/", "password@9!", ""},
		{"RFC 1738 3.2.2", "ftp://myname@host.dom/%2Fetc/motd", "", "ftp://myname@host.dom/%2Fetc/motd"},
		{"RFC 1738 3.2.2", "ftp://myname@host.dom/etc/motd", "", ""},
		{"RFC 1738 3.2.2", "ftp://myname@host.dom//etc/motd", "", "ftp://myname@host.dom//etc/motd"},
		{"RFC 1738 A", "ftp://info.cern.ch/pub/www/doc;type=d", "", ""},
		{"", "ftp://host", "", "ftp://host/"},
		{"", "FTP://host:21/a;TYPE=A", "", "ftp://host/a;type=a"},
		{"", "ftp://host/a;type=x", "typecode@18", ""},
		{"", "ftp://host/a;type=", "typecode@18", ""},
		{"", "ftp://host/a;type=i/b", "", ""},
		{"", "ftp://host/a;%74ype=ab", "typecode@20", ""},
		{"", "ftp://host/a;TYP%45=%49", "", "ftp://host/a;type=i"},
		{"", "ftp://host/a?b", "query@12!", ""},
		{"", "ftp:///a", "host@6", ""},
		{"", "ftp:a", "authority@4", ""},
	})
	if s := ftp.SecureScheme(nil); s.Syntax.Current.Name != "" || s.Syntax.Current.Check == nil {
		t.Errorf("ftps: %+v", s.Syntax.Current)
	}
}

func TestCurrentReference(t *testing.T) {
	row := ftp.Scheme(nil)
	generic := currenttest.Production(row, "//"+currenttest.Userinfo+currenttest.Host+currenttest.Port+currenttest.PathAbempty+currenttest.Query+currenttest.Fragment)
	typecode := regexp.MustCompile(`^[^/]*//[^/?#]*/(?:[^?#]*/)?[^/?#]*;(?i:(?:t|%[57]4)(?:y|%[57]9)(?:p|%[57]0)(?:e|%[46]5))=([^/;?#]*)(?:[?#]|$)`)
	letter := regexp.MustCompile(`^(?:[aAiIdD]|%[46][149])$`).MatchString
	currenttest.ReferenceFunc(t, row, func(text string) bool {
		code := typecode.FindStringSubmatch(text)
		return generic(text) && (code == nil || letter(code[1]))
	}, "ftp://myname@host.dom/%2Fetc/motd", "ftp://host.dom//etc/motd;type=a", "ftp://h:2121/;type=d", "ftp://h", "ftp://h/a;b;type=i#c", "ftp://h/a;%74yp%45=%69")
}

func FuzzCurrent(f *testing.F) {
	currenttest.Fuzz(f, ftp.Scheme(nil), "ftp://u:p@h:21/a/../b;TYPE=A", "ftp:a", "ftp://h/;type=", "ftp://h/a;type=x?b#c", "ftp:///")
}
