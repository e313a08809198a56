package gopher

import (
	"testing"

	"github.com/locus-url/locus/internal/bnf/bnftest"
)

// These regular expressions express the production gopherurl of RFC 1738 section 5. In the
// production, "%09" is an escape like any other, so the production selector alone matches
// every gopher-path.
const (
	gtype        = bnftest.Xchar
	selector     = "(?:" + bnftest.Xchar + ")*"
	search       = "(?:" + bnftest.Uchar + "|[;:@&=])*"
	gopherString = "(?:" + bnftest.Xchar + ")*"
	gopherurl    = "gopher://" + bnftest.HostPort + "(?:/(?:" + gtype + "(?:" + selector +
		"(?:%09" + search + "(?:%09" + gopherString + ")?)?)?)?)?"
)

var invariants = bnftest.Invariants{
	Scheme:    Scheme(nil),
	Reference: bnftest.Production(gopherurl),
	Parse:     bnftest.Parser(Parse),
	Thorough:  check,
}

var seeds = []string{
	"gopher://h", "gopher://h/", "gopher://h.dom/1", "gopher://h:70/11/docs", "gopher://h/00/about.txt", "gopher://10.0.0.1:7070/9a%20b",
	"gopher://h/7sel%09two%20words", "gopher://h/7sel?a+b", "gopher://h/7%09a/b?c%09+", "gopher://h/0sel%09%09!+ABSTRACT%20+SMELL",
	"gopher://h/0sel%09%09+application/postscript%20Es_ES", "gopher://h/0sel%09%09?", "gopher://h/1sel%09%09$+VIEWS",
	"gopher://h/0sel%09%09+%091%0D%0A+-1%0D%0Aa%0D%0Ab%0D%0A.%0D%0A", "gopher://h/0sel%09%09+v%20l%091%0d%0a+3%0D%0Aa%00b",
	"gopher://h/hURL:http://x/", "gopher://h/%30a%0D%0Ab", "gopher://h/0a;b?c:d@e&f=g", "gopher://h/8login", "gopher:h/1",
}

func TestAgainstProduction(t *testing.T) { invariants.Random(t, 25000, seeds) }
