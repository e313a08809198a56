package urn_test

import (
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/schemetest"
	"github.com/locus-url/locus/scheme/urn"
)

func TestScheme(t *testing.T) {
	schemetest.Run(t, urn.Scheme(), schemetest.Config{
		Good: []string{"urn:example:a123,z456", "urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3", "urn:example:a?+b?=c#d", "urn:a"},
	})
}

func TestFields(t *testing.T) {
	for text, want := range map[string]string{
		"urn:example:a123,z456":                                             `nid="example" nss="a123,z456" rComponent=<nil> qComponent=<nil> fComponent=<nil>`,
		"URN:Example:a%2fb":                                                 `nid="Example" nss="a/b" rComponent=<nil> qComponent=<nil> fComponent=<nil>`,
		"urn:example:foo-bar-baz-qux?+CCResolve:cc=uk":                      `nid="example" nss="foo-bar-baz-qux" rComponent="CCResolve:cc=uk" qComponent=<nil> fComponent=<nil>`,
		"urn:example:weather?=op=map&lat=39.56?x#f":                         `nid="example" nss="weather" rComponent=<nil> qComponent="op=map&lat=39.56?x" fComponent="f"`,
		"urn:example:a?+b?c?=d?=e#":                                         `nid="example" nss="a" rComponent="b?c" qComponent="d?=e" fComponent=<nil>`,
		"urn:example:a?b":                                                   `nid="example" nss="a" rComponent=<nil> qComponent=<nil> fComponent=<nil>`,
		"urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3":                        `nid=<nil> nss="/iana/dns/ch/cern/cn/techdoc/94/1642-3" rComponent=<nil> qComponent=<nil> fComponent=<nil>`,
		"urn:publicid:-:OASIS:DTD+DocBook+XML+V4.1.2:EN":                    `nid="publicid" nss="-:OASIS:DTD+DocBook+XML+V4.1.2:EN" rComponent=<nil> qComponent=<nil> fComponent=<nil>`,
		"urn:uuid:f81d4fae-7dec-11d0-a765-00a0c91e6bf6":                     `nid="uuid" nss="f81d4fae-7dec-11d0-a765-00a0c91e6bf6" rComponent=<nil> qComponent=<nil> fComponent=<nil>`,
		"urn:oasis:names:specification:docbook:dtd:xml:4.1.2":               `nid="oasis" nss="names:specification:docbook:dtd:xml:4.1.2" rComponent=<nil> qComponent=<nil> fComponent=<nil>`,
		"urn:example:1/406/47452/2":                                         `nid="example" nss="1/406/47452/2" rComponent=<nil> qComponent=<nil> fComponent=<nil>`,
		"urn:example:a?=b?+c":                                               `nid="example" nss="a" rComponent=<nil> qComponent="b?+c" fComponent=<nil>`,
		"urn://user:secret@host/a:b":                                        `nid=<nil> nss=<nil> rComponent=<nil> qComponent=<nil> fComponent=<nil>`,
		"urn:isbn:0-395-36341-1#p":                                          `nid="isbn" nss="0-395-36341-1" rComponent=<nil> qComponent=<nil> fComponent="p"`,
		"urn:ietf:params:xml:ns:netconf:base:1.0?+x?=y":                     `nid="ietf" nss="params:xml:ns:netconf:base:1.0" rComponent="x" qComponent="y" fComponent=<nil>`,
		"urn:nbn:de:101:1-201102033592?+":                                   `nid="nbn" nss="de:101:1-201102033592" rComponent="" qComponent=<nil> fComponent=<nil>`,
		"urn:lex:eu:council:directive:2010-03-09;2010-19-UE":                `nid="lex" nss="eu:council:directive:2010-03-09;2010-19-UE" rComponent=<nil> qComponent=<nil> fComponent=<nil>`,
		"urn:lsid:zoobank.org:pub:CDC8D258-8F57-41DC-B560-247E17D3DC8C?=#f": `nid="lsid" nss="zoobank.org:pub:CDC8D258-8F57-41DC-B560-247E17D3DC8C" rComponent=<nil> qComponent="" fComponent="f"`,
	} {
		fields, err := urn.Scheme().Syntax.Fields(locus.MustParse(text))
		if got := bnftest.Fields(fields); got != want || err != nil {
			t.Errorf("%q: %v\n got %s\nwant %s", text, err, got, want)
		}
	}
}

// RFC 1738 and the URI draft must treat a URN like any other URL.
func TestRFC1738(t *testing.T) {
	r, err := scheme.NewRegistry(urn.Scheme())
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range []struct{ text, canonical, rules string }{
		{"urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3", "urn:/iana/dns/ch/cern/cn/techdoc/94/1642-3", ""},
		{"URN:ISBN:%30-a", "urn:ISBN:0-a", "scheme-case@0"},
		{"urn:example:a?b", "urn:example:a?b", ""},
		{"urn:example:a~", "urn:example:a%7E", "unsafe-character@13"},
	} {
		u := locus.MustParse(row.text)
		canonical, _, err := r.Canonical(u)
		if err != nil || canonical.String() != row.canonical {
			t.Errorf("%q: canonical %q, %v", row.text, canonical, err)
		}
		if got := bnftest.Rules(r.Check(u, locus.RFC1738)); got != row.rules {
			t.Errorf("%q: %s, want %s", row.text, got, row.rules)
		}
	}
}

func TestSpans(t *testing.T) {
	r, err := scheme.NewRegistry(urn.Scheme())
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"urn:example:a:b?+r?=q?=#f":    "scheme=urn NID=example NSS=a:b r-component=r q-component=q?= fragmentid=f ",
		"urn:example:a?=q":             "scheme=urn NID=example NSS=a q-component=q ",
		"urn:/iana/dns":                "scheme=urn NSS=/iana/dns ",
		"urn:example:foo-bar-baz?+r/?": "scheme=urn NID=example NSS=foo-bar-baz r-component=r/? ",
	} {
		got := ""
		for _, span := range r.Spans(locus.MustParse(text)) {
			if span.Name != "" {
				got += span.Name + "=" + span.Text + " "
			}
		}
		if got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
	if title := r.Title(locus.MustParse("urn:example:a%20b")); title != "example:a b" {
		t.Errorf("title %q", title)
	}
}
