package prospero

import (
	"strings"
	"testing"

	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/bnf/bnftest"
)

// These regular expressions are the production prosperourl of RFC 1738 section 5 in a readable
// form.
const (
	fieldname   = "(?:" + bnftest.Uchar + "|[?:@&])*"
	fieldvalue  = "(?:" + bnftest.Uchar + "|[?:@&])*"
	fieldspecs  = "(?:;" + fieldname + "=" + fieldvalue + ")*"
	psegment    = "(?:" + bnftest.Uchar + "|[?:@&=])*"
	ppath       = psegment + "(?:/" + psegment + ")*"
	prosperourl = "prospero://" + bnftest.HostPort + "/" + ppath + fieldspecs
)

var invariants = bnftest.Invariants{
	Scheme:    Scheme(nil),
	Reference: bnftest.Production(prosperourl),
	Parse:     bnftest.Parser(Parse),
	Thorough:  check,
}

var seeds = []string{
	"prospero://host.dom//pros/name", "prospero://h/a", "prospero://h:1525/", "prospero://10.0.0.1:191/%2Fa/./../b//",
	"prospero://h//pros/name;OBJECT-VERSION=12", "prospero://h/a?b:c@d&e=f;a=b;A=%3B%3D", "prospero://h/a%3Bb;=;object-version=x",
	"prospero://h/a%0012", "prospero://h/a%00%31x/y;b=c", "prospero://h/a%00;OBJECT-VERSION=1", "prospero://h/a;b", "prospero:h/a",
}

func TestAgainstProduction(t *testing.T) { invariants.Random(t, 25000, seeds) }

// slowSplit is a simple, readable parser for a url-path. It splits the path at ";", and each field
// at its first "=". Then it decodes the parts and searches for a NUL.
func slowSplit(path string) (hsoname, version, attributes string, fields []Field, ok bool) {
	parts := strings.Split(path, ";")
	octets, _ := escape.Decode(parts[0])
	names := strings.Split(octets, "\x00")
	hsoname = names[0]
	ok = len(names) <= 2
	if len(names) > 1 {
		attributes = strings.TrimLeft(names[1], "0123456789")
		version = names[1][:len(names[1])-len(attributes)]
		ok = ok && version != ""
	}
	for _, part := range parts[1:] {
		name, value, equals := strings.Cut(part, "=")
		name, _ = escape.Decode(name)
		value, _ = escape.Decode(value)
		fields = append(fields, Field{name, value})
		ok = ok && equals && !(len(names) > 1 && asciiUpper(name) == "OBJECT-VERSION")
	}
	return hsoname, version, attributes, fields, ok
}

func asciiUpper(octets string) string {
	b := []byte(octets)
	for i, o := range b {
		if o >= 'a' && o <= 'z' {
			b[i] = o - 32
		}
	}
	return string(b)
}
