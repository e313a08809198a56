package submit_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/submit"
)

func TestCheckAddress(t *testing.T) {
	for _, address := range []string{
		// RFC 5321 appendix D, RFC 5322 appendix A, RFC 6068 section 6, RFC 1738 section 3.5.
		"Smith@bar.com", "Jones@foo.com", "brown@foo.com", "jdoe@machine.example", "mary@example.net", "john.q.public@example.com",
		"gorby%kremvax@example.com", "unlikely?address@example.com", `"not@me"@example.org`, `"oh\\no"@example.org`, `"\\\"it's ugly\\\""@example.org`,
		"user@localhost", "a@[192.0.2.1]", "a@[IPv6:2001:db8::1]", "a@[ipv6:::1]", `" "@b`, `""@7`, "a+b@c", "-oQ/tmp@x.example", "a@xn--bcher-kva.example",
		// RFC 6531 section 3.3.
		"用户@例子.广告", "Pelé@example.com", "δοκιμή@παράδειγμα.δοκιμή", "अजय@डाटा.भारत", `"ü x"@b`,
		strings.Repeat("a", 64) + "@b", "a@" + strings.Repeat("b", 63) + ".c",
	} {
		if err := submit.CheckAddress(address); err != nil {
			t.Error(err)
		}
	}
	for _, address := range []string{
		"", "a", "@", "a@", "@b", "a b@c", "a@b c", "<a@b>", "a@b>", "a@b> SIZE=1", "a@b,c@d", "a@b;c", "a@@b", "a..b@c", ".a@b", "a.@b",
		"a@b.", "a@.b", "a@b..c", "a@-b", "a@b-.c", "a@b_c", "a@[192.0.2.256]", "a@[192.0.2.1", "a@[x]", "a@[IPv6:192.0.2.1]", "a@[2001:db8::1]",
		"a@[IPv6:fe80::1%eth0]", "a@[192.0.2.1].c", "a@b.[192.0.2.1]", "a(c)@b", `"a@b`, `"a"b@c`, "a@!b", "@one,@two:jdoe@h",
		"caf\xe9@h", "a\r\n@b", "a@b\r\nRCPT TO:<x@y>", "a\x00@b", "a\t@b", "\"a\tb\"@c", "a@b\u202e.c", "\u200ba@b", "a@b\u2028", "\u00a0@b", "a@b\u3000c",
		strings.Repeat("a", 65) + "@b", "a@" + strings.Repeat("b", 64), "a@" + strings.Repeat("b.", 128) + "c",
	} {
		err := submit.CheckAddress(address)
		if !errors.Is(err, submit.ErrAddress) || strings.ContainsAny(err.Error(), "\r\n\x00\u202e") {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestParseMailboxes(t *testing.T) {
	for text, want := range map[string][]submit.Mailbox{
		"joe@host.dom":                        {{Address: "joe@host.dom"}},
		"Joe <joe@host.dom>, a@b":             {{Name: "Joe", Address: "joe@host.dom"}, {Address: "a@b"}},
		`"Doe, Jane" <"a b"@c>`:               {{Name: "Doe, Jane", Address: `"a b"@c`}},
		"=?utf-8?q?J=C3=B6e?= <joe@host.dom>": {{Name: "Jöe", Address: "joe@host.dom"}},
		"Jöe <jöe@host.dom>":                  {{Name: "Jöe", Address: "jöe@host.dom"}},
		"a@[192.0.2.1]":                       {{Address: "a@[192.0.2.1]"}},
		"a@[IPv6:::1]":                        {{Address: "a@[IPv6:::1]"}},
	} {
		got, err := submit.ParseMailboxes(text)
		if err != nil || !slices.Equal(got, want) {
			t.Errorf("%s: %q, %v", text, got, err)
			continue
		}
		for _, m := range got {
			if again, err := submit.ParseMailboxes(m.String()); err != nil || !slices.Equal(again, []submit.Mailbox{m}) {
				t.Errorf("%s: %q, %v", m, again, err)
			}
		}
	}
	// RFC 5321 allows an empty local part, which package net/mail does not read.
	if got, err := submit.ParseMailboxes(`""@7`); err != nil || !slices.Equal(got, []submit.Mailbox{{Address: `""@7`}}) {
		t.Errorf("%q, %v", got, err)
	}
	for _, text := range []string{`Joe <""@7>`, `""@7, a@b`, "", "joe", "a@b,,;", "a@b c@d", "<a@b", "a@b\r\nBcc: x@y", "a@b\n", "Joe\x00 <a@b>", "a@b_c", "=?utf-8?q?a=0D=0AX=3A_y?= <a@b>"} {
		if got, err := submit.ParseMailboxes(text); !errors.Is(err, submit.ErrAddress) && !errors.Is(err, submit.ErrField) {
			t.Errorf("%q: %q, %v", text, got, err)
		}
	}
}

func FuzzCheckAddress(f *testing.F) {
	f.Add("joe@host.dom")
	f.Add(`"a b\""@[IPv6:::1]`)
	f.Add("jöe@bücher.example")
	f.Fuzz(func(t *testing.T, address string) {
		if submit.CheckAddress(address) != nil {
			return
		}
		if strings.HasPrefix(address, `""@`) {
			return // net/mail does not parse an empty name
		}
		// The address must be parsed again between "<" and ">".
		if strings.ContainsAny(address, "\r\n\x00\t") {
			t.Fatalf("%q", address)
		}
		if got, err := submit.ParseMailboxes("<" + address + ">"); !strings.Contains(address, ":") && (err != nil || len(got) != 1) {
			t.Fatalf("%q: %q, %v", address, got, err)
		}
	})
}
