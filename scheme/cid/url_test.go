package cid_test

import (
	"errors"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/cid"
)

func TestParse(t *testing.T) {
	for _, row := range []struct{ text, want string }{
		{"cid:foo4%25foo1@bar.net", `contentId="foo4%foo1@bar.net"`}, // RFC 2392 section 2
		{"cid:foo4%2525foo1@bar.net", `contentId="foo4%25foo1@bar.net"`},
		{"cid:a/b@c", `contentId="a/b@c"`},
		{"CID:image001.png#f", `contentId="image001.png"`},
		{"cid:%3Ca@b%3E", `contentId="<a@b>"`},
		{"cid:a%0D%0A@b", `contentId="a\r\n@b"`},
		{"cid://a@b", `contentId="//a@b"`},
	} {
		u := locus.MustParse(row.text)
		list, err := laws.Scheme.Fields(u)
		if got := bnftest.Fields(list); got != row.want || err != nil {
			t.Errorf("%q: %s, %v", row.text, got, err)
		}
		c, err := cid.Parse(u)
		if again, _ := cid.Parse(c.URL()); c.URL() != u || again != c || err != nil {
			t.Errorf("%q: read again: %v, %v", row.text, again, err)
		}
	}
}

func TestParseRefuses(t *testing.T) {
	for _, row := range []struct {
		text   string
		offset int
		part   string
	}{
		{"cid:", 4, "content-identifier"},
		{"cid:#f", 4, "content-identifier"},
		{"mid:a@b", 0, "scheme"},
	} {
		_, err := cid.Parse(locus.MustParse(row.text))
		e, ok := err.(*locus.SyntaxError)
		if !ok || e.Offset != row.offset || e.Part != row.part || !errors.Is(err, locus.ErrForm) {
			t.Errorf("%q: %v", row.text, err)
		}
	}
}

func TestParts(t *testing.T) {
	for _, row := range []struct{ contentID, want string }{
		{"foo4%foo1@bar.net", "cid:foo4%25foo1@bar.net"},
		{"//a@b@c", "cid:%2F%2Fa%40b@c"},
		{"image001.png", "cid:image001.png"},
	} {
		c, err := cid.Parts{ContentID: row.contentID}.URL()
		if err != nil || c.URL().String() != row.want || c.ContentID() != row.contentID {
			t.Errorf("%q: %q, %v", row.contentID, c.URL(), err)
		}
	}
	if c, err := (cid.Parts{}).URL(); !errors.Is(err, locus.ErrForm) {
		t.Errorf("no identifier: %v, %v", c, err)
	}
}
