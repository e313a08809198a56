package locus_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/escape"
)

func TestPartsURL(t *testing.T) {
	text := func(s string) *string { return &s }
	for want, p := range map[string]locus.Parts{
		"http://h":            {Scheme: "http", Host: "h"},
		"http://h/":           {Scheme: "http", Host: "h", Path: text("")},
		"http://h:8080/a?b#c": {Scheme: "http", Host: "h", Port: 8080, Path: text("a?b"), Fragment: text("c")},
		"http://h#":           {Scheme: "http", Host: "h", Fragment: text("")},
		"ftp://@h":            {Scheme: "ftp", User: text(""), Host: "h"},
		"ftp://:@h":           {Scheme: "ftp", User: text(""), Password: text(""), Host: "h"},
		"ftp://u:p:q@h//a":    {Scheme: "ftp", User: text("u"), Password: text("p:q"), Host: "h", Path: text("/a")},
		"file:///a":           {Scheme: "file", Path: text("a")},
		"x://":                {Scheme: "x"},
		"x://[::1]:1":         {Scheme: "x", Host: "[::1]", Port: 1},
		"mailto:a@b":          {Scheme: "mailto", SchemePart: text("a@b")},
		"x:":                  {Scheme: "x", SchemePart: text("")},
		"x:/a#b":              {Scheme: "x", SchemePart: text("/a"), Fragment: text("b")},
	} {
		u, err := p.URL()
		if err != nil || u.String() != want {
			t.Errorf("%q, %v; want %q", u, err, want)
			continue
		}
		if v, err := u.Parts().URL(); v != u || err != nil {
			t.Errorf("%q: parts give %q, %v", u, v, err)
		}
	}
}

// Each part must be read back unchanged, or rejected.
func TestPartsRefuse(t *testing.T) {
	text := func(s string) *string { return &s }
	for name, p := range map[string]locus.Parts{
		"no scheme":                    {Host: "h"},
		"scheme with :":                {Scheme: "http:x", Host: "h"},
		"scheme with //":               {Scheme: "http://a", Host: "h"},
		"user with @":                  {Scheme: "ftp", User: text("a@b"), Host: "h"},
		"user with :":                  {Scheme: "ftp", User: text("a:b"), Host: "h"},
		"user with : before password":  {Scheme: "ftp", User: text("a:b"), Password: text("Secret"), Host: "h"},
		"user with /":                  {Scheme: "ftp", User: text("evil/"), Host: "h"},
		"user with #":                  {Scheme: "ftp", User: text("evil#"), Host: "h"},
		"user with CR LF":              {Scheme: "ftp", User: text("a\r\nDELE b"), Host: "h"},
		"password without user":        {Scheme: "ftp", Password: text("Secret"), Host: "h"},
		"password with @":              {Scheme: "ftp", User: text("u"), Password: text("@evil"), Host: "h"},
		"password with /":              {Scheme: "ftp", User: text("u"), Password: text("12/34"), Host: "h"},
		"password with #":              {Scheme: "ftp", User: text("u"), Password: text("12#34"), Host: "h"},
		"password with space":          {Scheme: "ftp", User: text("u"), Password: text("12 34"), Host: "h"},
		"host with @":                  {Scheme: "http", Host: "a@b"},
		"host with user before":        {Scheme: "http", User: text("u"), Host: "a@b"},
		"host with port":               {Scheme: "http", Host: "a:80"},
		"host with only :":             {Scheme: "http", Host: "a:"},
		"host with port and port":      {Scheme: "http", Host: "a:80", Port: 80},
		"host with /":                  {Scheme: "http", Host: "a/b"},
		"host with / before path":      {Scheme: "http", Host: "a/b", Path: text("c")},
		"host with ?":                  {Scheme: "http", Host: "a?b"},
		"host with #":                  {Scheme: "http", Host: "a#b"},
		`host with \`:                  {Scheme: "http", Host: `127.0.0.1\`},
		"host with space":              {Scheme: "http", Host: "a b"},
		"host with %":                  {Scheme: "http", Host: "a%"},
		"host [":                       {Scheme: "http", Host: "["},
		"host with an invalid address": {Scheme: "http", Host: "[1]"},
		"path with #":                  {Scheme: "http", Host: "h", Path: text("a#b")},
		"path with # before fragment":  {Scheme: "http", Host: "h", Path: text("a#b"), Fragment: text("c")},
		"path with CR LF":              {Scheme: "http", Host: "h", Path: text("a\r\nHost: x")},
		"path with %":                  {Scheme: "http", Host: "h", Path: text("%4")},
		"path with NUL":                {Scheme: "http", Host: "h", Path: text("a\x00")},
		"fragment with tab":            {Scheme: "http", Host: "h", Fragment: text("a\tb")},
		"scheme part with //":          {Scheme: "x", SchemePart: text("//h")},
		"scheme part with #":           {Scheme: "x", SchemePart: text("a#b")},
		"scheme part and host":         {Scheme: "x", SchemePart: text("a"), Host: "h"},
		"scheme part and path":         {Scheme: "x", SchemePart: text("a"), Path: text("")},
		"scheme part and user":         {Scheme: "x", SchemePart: text("a"), User: text("")},
		"scheme part and port":         {Scheme: "x", SchemePart: text("a"), Port: 1},
		"scheme with : by scheme part": {Scheme: "x:y", SchemePart: text("a")},
		"too long":                     {Scheme: "x", SchemePart: text(strings.Repeat("a", locus.MaxLen))},
	} {
		u, err := p.URL()
		var e *locus.SyntaxError
		if !errors.As(err, &e) || !u.IsZero() || e.Part == "" {
			t.Errorf("%s: %q, %v", name, u, err)
			continue
		}
		if p.Password != nil && strings.Contains(err.Error()+e.Input, *p.Password) {
			t.Errorf("%s: the password shows in %v", name, err)
		}
	}
}

// Parts.URL and URL.Parts must be inverse for any parts, or Parts.URL must fail.
func FuzzParts(f *testing.F) {
	f.Add("http", "u", "p", "h", uint16(80), "a/b", "f", uint8(0xFF))
	f.Add("x", "", "", "[::1]", uint16(0), "", "", uint8(0))
	f.Add("mailto", "", "", "", uint16(0), "a@b", "", uint8(16))
	f.Add("http", "", "p", "h", uint16(0), "", "", uint8(32|2))
	// No other part and no message contains this text.
	const secret = "<a secret>"
	f.Fuzz(func(t *testing.T, scheme, user, password, host string, port uint16, path, fragment string, have uint8) {
		if have&32 != 0 {
			password = secret + password
		}
		p := locus.Parts{Scheme: scheme, Host: host, Port: port}
		for i, part := range []struct {
			to   **string
			text *string
		}{{&p.User, &user}, {&p.Password, &password}, {&p.Path, &path}, {&p.Fragment, &fragment}} {
			if have>>i&1 != 0 {
				*part.to = part.text
			}
		}
		if have&16 != 0 {
			p = locus.Parts{Scheme: scheme, SchemePart: &path, Fragment: p.Fragment}
		}
		u, err := p.URL()
		if err != nil {
			if strings.Contains(err.Error(), secret) && !strings.Contains(scheme+user+host+path+fragment, secret) {
				t.Fatalf("%q shows in %v", password, err)
			}
			return
		}
		q := u.Parts()
		same := func(a, b *string) bool { return a == b || a != nil && b != nil && *a == *b }
		if q.Scheme != p.Scheme || q.Host != p.Host || q.Port != p.Port || !same(q.User, p.User) || !same(q.Password, p.Password) ||
			!same(q.Path, p.Path) || !same(q.Fragment, p.Fragment) || !same(q.SchemePart, p.SchemePart) {
			t.Fatalf("%+v gives %q, which is %+v", p, u, q)
		}
	})
}

func TestEncodeUser(t *testing.T) {
	for _, octets := range []string{"", "joe", "a:b@c/d;e?f&g=h#i%j k", "\x00\xff\r\n", "é"} {
		text := locus.EncodeUser(octets)
		u, err := locus.Parts{Scheme: "ftp", User: &text, Password: &text, Host: "h"}.URL()
		if err != nil || !u.Facts().Has(locus.LoginPlain) {
			t.Errorf("%q: %v", text, err)
		}
		if back, err := escape.Decode(text); back != octets || err != nil {
			t.Errorf("%q: %q, %v", text, back, err)
		}
	}
}

func TestIsHost(t *testing.T) {
	label := strings.Repeat("a", 63)
	for host, want := range map[string]bool{
		"": false, "h": true, "a.b": true, "a-b.c9": true, "A.B": true, "9a.b": true, "a.9b": false, "a.9": false, "9": false,
		"1.2.3.4": true, "01.2.3.4": false, "1.2.3.256": false, "1.2.3": false, "1.2.3.4.5": false, "255.255.255.255": true, "0.0.0.0": true,
		"-a": false, "a-": false, ".a": false, "a.": false, "a..b": false, "a_b": false, "a b": false, "a/b": false, "a:1": false, "é": false, "a%41": false,
		label: true, label + "a": false, label + ".b": true, "b." + label + "a": false,
		strings.Repeat("a.", 126) + "a": true, strings.Repeat("a.", 126) + "aa": false,
		"[::1]": true, "[::]": true, "[1:2:3:4:5:6:7:8]": true, "[1::8]": true, "[::1.2.3.4]": true, "[1:2:3:4:5:6:1.2.3.4]": true, "[2001:DB8::a]": true,
		"[]": false, "[1]": false, "[::1": false, "[::1]:80": false, "[::1]x": false, "[1::2::3]": false, "[::1.2.3]": false, "[::g]": false, "[:1]": false, "[1:]": false,
		"[1:2:3:4:5:6:7:8:9]": false, "[1:2:3:4:5:6:7::]": true, "[1:2:3:4:5:6:7::8]": false, "[1:2:3:4:5:6:7:8::]": false, "[1:2:3:4:5:6:7:1.2.3.4]": false, "[::]x]": false,
	} {
		if got := locus.IsHost(host); got != want {
			t.Errorf("IsHost(%q) = %v", host, got)
		}
	}
}

func TestIsScheme(t *testing.T) {
	for name, want := range map[string]bool{
		"": false, "http": true, "x-a.b+1": true, "1": true, "Http": false, "a_b": false, "a:": false, "é": false, "a b": false,
	} {
		if got := locus.IsScheme(name); got != want {
			t.Errorf("IsScheme(%q) = %v", name, got)
		}
	}
}
