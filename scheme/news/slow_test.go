package news_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/news"
)

// invariants compares the package with the production of section 5:
//
//	newsurl   = "news:" grouppart
//	grouppart = "*" | group | article
//	group     = alpha *[ alpha | digit | "-" | "." | "+" | "_" ]
//	article   = 1*[ uchar | ";" | "/" | "?" | ":" | "&" | "=" ] "@" host
//
// In this production, "news://h/a@b" is an article on the host b. Section 3.1 requires a host
// after "//", so Parse rejects a "//" without a host.
var invariants = bnftest.Invariants{
	Scheme: news.Schemes(nil)[0],
	Reference: func(text string) bool {
		if !newsurl(text) || !strings.HasPrefix(text, "news://") {
			return newsurl(text)
		}
		u, err := locus.Parse(text)
		if err == nil {
			_, err = news.Parse(u)
		}
		return err == nil
	},
	Parse: bnftest.Parser(news.Parse),
}

var newsurl = bnftest.Production(`news:(?:\*|` + bnftest.Group + `|(?:` + bnftest.Uchar + `|[;/?:&=])+@` + bnftest.Host + `)`)

var seeds = []string{
	"news:*", "news:comp.infosystems.www.misc", "news:alt.a-b_c+d", "news:unique@full.domain.name", "news:a/b?c;d:e&f=g%25@127.0.0.1",
	"news:3b.x", "news:a@[127.0.0.1]", "news:a@b_c.d", "news://host.dom:119/comp.lang.c", "news://h/a@b.c", "news://h/", "NEWS:x",
}

func TestProduction(t *testing.T) {
	invariants.Random(t, 20_000, seeds)
	nntpInvariants.Random(t, 20_000, nntpSeeds)
}

// nntpInvariants compares the package with the production of section 5:
//
//	nntpurl = "nntp://" hostport "/" group [ "/" digits ]
var nntpInvariants = bnftest.Invariants{
	Scheme:    news.Schemes(nil)[2],
	Reference: bnftest.Production("nntp://" + bnftest.HostPort + "/" + bnftest.Group + "(?:/" + bnftest.Digits + ")?"),
	Parse:     bnftest.Parser(news.Parse),
}

var nntpSeeds = []string{
	"nntp://host.dom:119/comp.infosystems.www.misc/12345", "nntp://127.0.0.1/alt.a-b_c+d", "nntp://h/g/0", "nntp://h/g/007", "nntp://h/g/",
	"nntp://h/g/99999999999999999999", "nntp://u:p@h:0/g/1", "nntp:group/12", "NNTP://H.x:563/3b.x/2",
}
