package mailto_test

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/bnf/bnftest"
	"github.com/locus-url/locus/scheme/mailto"
)

func TestSection3_5(t *testing.T) {
	bnftest.Vectors(t, "../../testdata/rfc1738-3.5.txt", mailto.Scheme())
}

// An address for a gateway, which contains "%", is not a valid URL unless the "%" is escaped.
func TestPercent(t *testing.T) {
	if _, err := locus.Parse("mailto:user%gateway.dom@host.dom"); !errors.Is(err, locus.ErrEscape) {
		t.Error(err)
	}
}

func TestParse(t *testing.T) {
	invariants.Fields(t, [][2]string{
		{"mailto:joe@host.dom", `addrSpec="joe@host.dom"`},
		{"mailto:a%25b@c.test", `addrSpec="a%b@c.test"`},
		{"mailto:a%2525b@c.test", `addrSpec="a%25b@c.test"`}, // decoded once
		{"mailto:joe@host.dom?subject=x", `addrSpec="joe@host.dom?subject=x"`},
		{"MailTo:joe@host.dom#fragment", `addrSpec="joe@host.dom"`},
		{"mailto:a%0D%0ABcc:%20b@c", `addrSpec="a\r\nBcc: b@c"`},
		{"mailto:%C3%BC@c", `addrSpec="ü@c"`},
		{"mailto:caf%E9@c", `addrSpec="caf\xe9@c"`},
		{"mailto://joe@host.dom", `addrSpec="//joe@host.dom"`},
		{"mailto:+", `addrSpec="+"`},
	})
}

func TestParseRefuses(t *testing.T) {
	invariants.Refuses(t, []bnftest.Refusal{
		{"mailto:", "", "encoded822addr", locus.ErrForm},
		{"mailto:", "#f", "encoded822addr", locus.ErrForm},
		{"", "news:a@b", "scheme", locus.ErrForm},
	})
	if _, err := mailto.Parse(locus.URL{}); err == nil {
		t.Error("the zero URL is a mailto URL")
	}
}

// TestAddress checks that Address returns only valid addresses.
func TestAddress(t *testing.T) {
	for _, row := range []struct {
		text   string
		offset int // offset of the expected error; -1 if the address is valid
	}{
		{"mailto:joe@host.dom", -1},
		{"mailto:a%25b@c.test", -1},
		{"mailto:%22a%20b%22.c@%5B10.0.0.1%5D", -1},
		{"mailto:a%0D%0ABcc:b@c", 8},
		{"mailto:%22a%0D%0Ab%22@c", 11},
		{"mailto:%22a%00b%22@c", 11},
		{"mailto:%22%5C%0Ab%22@c", 13},
		{"mailto:a@b%0A", 10},
		{"mailto:joe", 10},
		{"mailto:@c", 7},
		{"mailto:a@", 9},
		{"mailto:caf%E9@c", 10},
		{"mailto:a@b?subject=x%20y", 20},
	} {
		m := bnftest.MustParse(t, mailto.Parse, row.text)
		address, err := m.Address()
		if row.offset < 0 {
			if err != nil || address != m.AddrSpec() {
				t.Errorf("%q: %q, %v", row.text, address, err)
			}
			continue
		}
		bnftest.Refused(t, row.text, err, "addr-spec", row.offset, locus.ErrValue)
		if address != "" {
			t.Errorf("%q: %q beside an error", row.text, address)
		}
	}
}

func TestParts(t *testing.T) {
	for _, row := range []struct{ addrSpec, want string }{
		{"joe@host.dom", "mailto:joe@host.dom"},
		{"a%b@c.test", "mailto:a%25b@c.test"},
		{`"a@b"@c`, "mailto:%22a%40b%22@c"},
		{"a?b&c,d@e", "mailto:a%3Fb%26c%2Cd@e"},
		{"//joe@h", "mailto:%2F%2Fjoe@h"},
		{"a\r\n@\xff", "mailto:a%0D%0A@%FF"},
		{"joe", "mailto:joe"},
	} {
		m, err := mailto.Parts{AddrSpec: row.addrSpec}.URL()
		if err != nil || m.URL().String() != row.want || m.AddrSpec() != row.addrSpec {
			t.Errorf("%q: %q, %v", row.addrSpec, m.URL(), err)
		}
	}
	if m, err := (mailto.Parts{}).URL(); !errors.Is(err, locus.ErrForm) {
		t.Errorf("no address: %v, %v", m, err)
	}
	if _, err := (mailto.Parts{AddrSpec: strings.Repeat("a", locus.MaxLen)}).URL(); !errors.Is(err, locus.ErrTooLong) {
		t.Error(err)
	}
}

// The test cases include the examples in RFC 6068 section 6.
func TestHeaders(t *testing.T) {
	type fields = []mailto.Field
	for _, row := range []struct {
		text   string
		to     []string
		fields fields
	}{
		{"mailto:chris@example.com", []string{"chris@example.com"}, nil},
		{"mailto:infobot@example.com?subject=current-issue", []string{"infobot@example.com"}, fields{{"subject", "current-issue"}}},
		{"mailto:infobot@example.com?body=send%20current-issue", []string{"infobot@example.com"}, fields{{"body", "send current-issue"}}},
		{"mailto:infobot@example.com?body=send%20current-issue%0D%0Asend%20index", []string{"infobot@example.com"}, fields{{"body", "send current-issue\r\nsend index"}}},
		{"mailto:list@example.org?In-Reply-To=%3C3469A91.D10AF4C@example.com%3E", []string{"list@example.org"}, fields{{"In-Reply-To", "<3469A91.D10AF4C@example.com>"}}},
		{"mailto:majordomo@example.com?body=subscribe%20bamboo-l", []string{"majordomo@example.com"}, fields{{"body", "subscribe bamboo-l"}}},
		{"mailto:joe@example.com?cc=bob@example.com&body=hello", []string{"joe@example.com"}, fields{{"cc", "bob@example.com"}, {"body", "hello"}}},
		{"mailto:gorby%25kremvax@example.com", []string{"gorby%kremvax@example.com"}, nil},
		{"mailto:unlikely%3Faddress@example.com?blat=foop", []string{"unlikely?address@example.com"}, fields{{"blat", "foop"}}},
		{"mailto:Mike%26family@example.org", []string{"Mike&family@example.org"}, nil},
		{"mailto:%22not%40me%22@example.org", []string{`"not@me"@example.org`}, nil},
		{"mailto:%22oh%5C%5Cno%22@example.org", []string{`"oh\\no"@example.org`}, nil},
		{"mailto:%22%5C%5C%5C%22it's%5C%20ugly%5C%5C%5C%22%22@example.org", []string{`"\\\"it's\ ugly\\\""@example.org`}, nil},
		{"mailto:user@example.org?subject=caf%C3%A9", []string{"user@example.org"}, fields{{"subject", "caf\u00e9"}}},
		{"mailto:addr1@an.example,addr2@an.example", []string{"addr1@an.example", "addr2@an.example"}, nil},
		{"mailto:?to=addr1@an.example,addr2@an.example", []string{"addr1@an.example", "addr2@an.example"}, nil},
		{"mailto:addr1@an.example?to=addr2@an.example", []string{"addr1@an.example", "addr2@an.example"}, nil},
		{"mailto:?subject=a+b%2Bc", nil, fields{{"subject", "a+b+c"}}},
		{"mailto:?to=&subject=", nil, fields{{"subject", ""}}},
		{"mailto:%E7%B4%8D@example.org?subject=a=b", []string{"\u7d0d@example.org"}, fields{{"subject", "a=b"}}},
	} {
		m := bnftest.MustParse(t, mailto.Parse, row.text)
		h, err := m.Headers()
		if want := (mailto.Headers{To: row.to, Fields: row.fields}); err != nil || !reflect.DeepEqual(h, want) {
			t.Errorf("%q: %q, %v", row.text, h, err)
		}
	}
}

func TestHeadersRefuses(t *testing.T) {
	for _, row := range []struct {
		text   string
		offset int
		part   string
	}{
		{"mailto:joe", 10, "addr-spec"},
		{"mailto:a@b,,c@d", 11, "addr-spec"},
		{"mailto:a@b,%20c@d", 11, "addr-spec"},
		{"mailto:a%0D%0ABcc:x@b", 8, "addr-spec"},
		{"mailto:%FF@b", 7, "addr-spec"},
		{"mailto:a@b?", 11, "hfield"},
		{"mailto:a@b?subject", 11, "hfield"},
		{"mailto:a@b?subject=x&", 21, "hfield"},
		{"mailto:a@b?=x", 11, "hfname"},
		{"mailto:a@b?x%0D%0ABcc=x", 12, "hfname"},
		{"mailto:a@b?x%3A=x", 12, "hfname"},
		{"mailto:a@b?%41%C3%A9=x", 14, "hfname"},
		{"mailto:a@b?%41%FF=x", 14, "hfname"},
		{"mailto:a@b?subject=x%0D%0ABcc:%20y", 20, "hfvalue"},
		{"mailto:a@b?body=%41x%00", 20, "hfvalue"},
		{"mailto:a@b?cc=c@d&to=x%0D%0Ay@z", 22, "addr-spec"},
	} {
		m := bnftest.MustParse(t, mailto.Parse, row.text)
		h, err := m.Headers()
		e, ok := err.(*locus.SyntaxError)
		if !ok || e.Offset != row.offset || e.Part != row.part || h.To != nil || h.Fields != nil {
			t.Errorf("%q: %q, %v", row.text, h, err)
		}
	}
}
