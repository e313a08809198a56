package cid

import (
	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/addrspec"
	"github.com/locus-url/locus/internal/bnf"
)

// URL is a cid URL. It is a comparable value; the zero URL is none.
type URL struct {
	url       locus.URL
	contentID string
}

// Parse reads u as a cid URL. The error is a [*locus.SyntaxError]: u has another
// scheme, or no identifier.
func Parse(u locus.URL) (URL, error) {
	if u.Scheme() != "cid" {
		return URL{}, u.Errorf(0, "scheme", "%w: it is no cid URL", locus.ErrForm)
	}
	text, offset := bnf.SchemePart(u)
	if text == "" {
		return URL{}, u.Errorf(offset, "content-identifier", `%w: a content-id follows "cid:"`, locus.ErrForm)
	}
	return URL{url: u, contentID: bnf.Decode(text)}, nil
}

// URL returns the URL as it was parsed.
func (c URL) URL() locus.URL { return c.url }

// ContentID returns the identifier of the body part, decoded and without "<" and
// ">". It may hold any octets.
func (c URL) ContentID() string { return c.contentID }

// Parts are what a cid URL is made of, decoded.
type Parts struct {
	ContentID string // without "<" and ">"; needed
}

// URL makes the URL. The error is a [*locus.SyntaxError]: there is no ContentID.
func (p Parts) URL() (URL, error) {
	text := addrspec.Encode(p.ContentID, escape.Unreserved())
	u, err := locus.Parts{Scheme: "cid", SchemePart: &text}.URL()
	if err != nil {
		return URL{}, err
	}
	return Parse(u)
}
