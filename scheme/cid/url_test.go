package cid_test

import (
	"errors"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/cid"
)

func TestParse(t *testing.T) {
	laws.Fields(t, [][2]string{
		{"cid:foo4%25foo1@bar.net", `contentId="foo4%foo1@bar.net"`}, // RFC 2392 section 2
		{"cid:foo4%2525foo1@bar.net", `contentId="foo4%25foo1@bar.net"`},
		{"cid:a/b@c", `contentId="a/b@c"`},
		{"CID:image001.png#f", `contentId="image001.png"`},
		{"cid:%3Ca@b%3E", `contentId="<a@b>"`},
		{"cid:a%0D%0A@b", `contentId="a\r\n@b"`},
		{"cid://a@b", `contentId="//a@b"`},
	})
}

func TestParseRefuses(t *testing.T) {
	laws.Refuses(t, []bnftest.Refusal{
		{"cid:", "", "content-identifier", locus.ErrForm},
		{"cid:", "#f", "content-identifier", locus.ErrForm},
		{"", "mid:a@b", "scheme", locus.ErrForm},
	})
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
