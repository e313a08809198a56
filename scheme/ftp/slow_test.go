package ftp

import (
	"testing"

	"github.com/locus-url/locus/internal/bnf/bnftest"
)

// RFC 1738 section 5, for comparison with the standard:
//
//	ftpurl   = "ftp://" login [ "/" fpath [ ";type=" ftptype ]]
//	fpath    = fsegment *[ "/" fsegment ]
//	fsegment = *[ uchar | "?" | ":" | "@" | "&" | "=" ]
//	ftptype  = "A" | "I" | "D" | "a" | "i" | "d"
//
// By the conventions of RFC 822, the literal ";type=" may be in upper or lower case.
const (
	ftptype  = "(?:A|I|D|a|i|d)"
	fsegment = "(?:" + bnftest.Uchar + "|[?:@&=])*"
	fpath    = fsegment + "(?:/" + fsegment + ")*"
	ftpurl   = "ftp://" + bnftest.Login + "(?:/" + fpath + "(?:;(?i:type)=" + ftptype + ")?)?"
)

var invariants = bnftest.Invariants{Scheme: Scheme(nil), Reference: bnftest.Production(ftpurl), Parse: bnftest.Parser(Parse)}

var seeds = []string{
	"ftp://h", "ftp://h.dom/", "ftp://h//", "ftp://h/;type=d", "ftp://h/etc/motd", "ftp://h//etc/motd", "ftp://h/%2Fetc/motd",
	"ftp://u@h/a/b/c;type=i", "ftp://u:p@h:21/a;TYPE=A", "ftp://u:@h:2121/..//./x;type=D", "ftp://@10.0.0.1/a?b:c@d&e=f",
	"ftp://h/a%3Btype=a;type=a", "ftp://h/x;type=z", "ftp://h/x;type=AN", "ftp://h/x;type=l8", "ftp://h/x;type=E", "ftp://h/a;type=i/b",
	"ftp://u:p@h/a%0d%0aDELE%20x", "ftp://a%0AN:%00@h/", "ftp://h/caf%E9%20%23%25", "ftp://u;a?b&c=d:e;f@h/x", "ftp:h/x",
}

func TestAgainstProduction(t *testing.T) { invariants.Random(t, 25000, seeds) }
