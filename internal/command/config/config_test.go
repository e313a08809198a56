package config

import (
	"encoding"
	"fmt"
	"io/fs"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
)

// TestEveryFieldIsASetting changes each setting and checks that each field of Config changes.
func TestEveryFieldIsASetting(t *testing.T) {
	texts := map[string]string{
		"bool": "true", "int": "7", "string": "x", "duration": "7", "ports": "7", "size": "7", "cwdMode": "none",
		"newsServer": "h", "paths": "/x", "sender": "a@b", "relay": "smtp://h", "words": "x", "model": "3", "codePage": "1047", "archive": "http://h/{url}", "apiURL": "http://h/", "proxyTable": "http=http://h", "logFormat": "json", "rulesName": "whatwg", "gatewayAddress": "127.0.0.1:7",
	}
	c := Default()
	for _, s := range c.settings() {
		if err := s.setText(texts[lowerFirst(reflect.TypeOf(s.value).Elem().Name())]); err != nil {
			t.Errorf("%s: %v, want no error", s.key, err)
		}
	}
	var walk func(name string, got, old reflect.Value)
	walk = func(name string, got, old reflect.Value) {
		// A setting may be a struct itself.
		isText := reflect.PointerTo(got.Type()).Implements(reflect.TypeFor[encoding.TextUnmarshaler]())
		if got.Kind() == reflect.Struct && !isText {
			for i := range got.NumField() {
				walk(name+"."+got.Type().Field(i).Name, got.Field(i), old.Field(i))
			}
			return
		}
		if reflect.DeepEqual(got.Interface(), old.Interface()) {
			t.Errorf("no setting changes %s", name)
		}
	}
	walk("config", reflect.ValueOf(c), reflect.ValueOf(Default()))
}

func TestGatewayAddress(t *testing.T) {
	for text, want := range map[string]struct {
		path string
		mode fs.FileMode
		ok   bool
	}{
		"127.0.0.1:0": {}, "[::1]:1738": {}, "unix.example:1": {},
		"unix:/run/a,b.sock": {"/run/a,b.sock", 0, true}, "unix:/run/l.sock,mode=660": {"/run/l.sock", 0o660, true},
	} {
		var g GatewayAddress
		if err := g.Set(text); err != nil {
			t.Errorf("%s: %v, want no error", text, err)
		}
		if path, mode, ok := g.Socket(); ok != want.ok || ok && (path != want.path || mode != want.mode) {
			t.Errorf("%s: %q %o %t, want %+v", text, path, mode, ok, want)
		}
	}
	for text, says := range map[string]string{
		"": "is not HOST:PORT", "/run/l.sock": "is not HOST:PORT", "unix:": "absolute path", "unix:l.sock": "absolute path",
		"unix:/run/l.sock,mode=": "mode of a socket", "unix:/run/l.sock,mode=668": "mode of a socket", "unix:/run/l.sock,mode=0": "mode of a socket", "unix:/run/l.sock,mode=4777": "mode of a socket",
	} {
		var g GatewayAddress
		if err := g.Set(text); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%s: %v, want %q", text, err, says)
		}
	}
}

func lowerFirst(s string) string { return strings.ToLower(s[:1]) + s[1:] }

func TestSize(t *testing.T) {
	for _, test := range []struct {
		in   string
		want int64
		out  string
	}{
		{"0", 0, "0"}, {"1", 1, "1"}, {"1023", 1023, "1023"}, {"1K", 1 << 10, "1K"}, {"10M", 10 << 20, "10M"}, {"5g", 5 << 30, "5G"},
		{"5GB", 5 << 30, "5G"}, {"1536", 1536, "1536"}, {"8388607T", 8388607 << 40, "8388607T"},
	} {
		var s Size
		if err := s.Set(test.in); err != nil || int64(s) != test.want || s.String() != test.out {
			t.Errorf("%q: %d %q, %v, want no error, int64(s) %d and s %q", test.in, s, s.String(), err, test.want, test.out)
		}
	}
	for _, in := range []string{"", "K", "-1", "1.5M", "1X", "8388608T", "9223372036854775808", "1 M"} {
		var s Size
		if err := s.Set(in); err == nil {
			t.Errorf("%q is %d, want an error", in, s)
		}
	}
}

func TestPorts(t *testing.T) {
	var p Ports
	for _, in := range []string{"0", "65536", "-1", "x", "", "1,,2"} {
		if err := p.Set(in); err == nil {
			t.Errorf("%q is %v, want an error", in, p)
		}
	}
	p = nil
	if err := p.UnmarshalText([]byte("25, 119,25")); err != nil || !slices.Equal(p, []uint16{25, 119}) || p.String() != "25,119" {
		t.Errorf("%v, %v, want no error, p %v and p %q", p, err, []uint16{25, 119}, "25,119")
	}
	if err := p.UnmarshalText(nil); err != nil || p != nil {
		t.Errorf("%v, %v, want no error and p nil", p, err)
	}
}

func TestNewsServer(t *testing.T) {
	for text, want := range map[string]string{
		"":                           "",
		" ":                          "",
		"news.example.net":           "nntp://news.example.net",
		" news.example.net\n":        "nntp://news.example.net",
		"news.example.net:1119":      "nntp://news.example.net:1119",
		"[::1]:119":                  "nntp://[::1]:119",
		"nntp://h":                   "nntp://h",
		"NNTPS://h:563/":             "NNTPS://h:563/",
		"nntps://fred:s3cret@h.exam": "nntps://fred:s3cret@h.exam",
	} {
		var n newsServer
		if err := n.UnmarshalText([]byte(text)); err != nil || n.String() != want {
			t.Errorf("%q: %s, %v, want no error and n %q", text, n, err, want)
		}
	}
	for _, text := range []string{"a b", "h:99999", "http://h/", "nntp:h", "nntp://", "nntp://h/group", "h/group", "h#f", "::1", "a\nb", "nntp://u:s3cret@h:x"} {
		n := newsServer{}
		if err := n.UnmarshalText([]byte(text)); err == nil || !n.IsZero() || strings.Contains(err.Error(), "s3cret") {
			t.Errorf("%q: %s, %v, want an error and no %q in err.Error()", text, n, err, "s3cret")
		}
	}
}

func TestPaths(t *testing.T) {
	var p Paths
	if err := p.UnmarshalText([]byte(strings.Join([]string{"/a", "", "~/b c"}, string(os.PathListSeparator)))); err != nil || fmt.Sprint(p) != "[/a ~/b c]" {
		t.Errorf("%q, %v, want no error and fmt.Sprint(p) %q", p, err, "[/a ~/b c]")
	}
	if err := p.UnmarshalTOML([]any{"/x"}); err != nil || fmt.Sprint(p) != "[/x]" {
		t.Errorf("%q, %v, want no error and fmt.Sprint(p) %q", p, err, "[/x]")
	}
	if err := p.UnmarshalTOML([]any{}); err != nil || len(p) != 0 {
		t.Errorf("%q, %v, want no error and an empty list", p, err)
	}
	for _, value := range []any{"/x", 1, []any{1}, []any{"/x", ""}, nil} {
		if err := p.UnmarshalTOML(value); err == nil {
			t.Errorf("%v is %q, want an error", value, p)
		}
	}
}

func TestArchiveTemplate(t *testing.T) {
	var a archive
	if err := a.UnmarshalText([]byte("https://archive.example/web/{url}")); err != nil {
		t.Fatal(err)
	}
	if got := a.URLOf(locus.MustParse("http://h/?a=b&c")).String(); got != "https://archive.example/web/http://h/?a=b&c" {
		t.Errorf("%q, want %q", got, "https://archive.example/web/http://h/?a=b&c")
	}
	if err := a.UnmarshalText(nil); err != nil || a != "" {
		t.Errorf("%v, %q, want no error and an empty list", err, a)
	}
}

func TestMailConfig(t *testing.T) {
	c := Default()
	err := decodeText(&c, `
editor = "vim -n"
[mail]
from = "Fred <fred@example.net>"
relay = "smtps://fred@mail.example"
sendmail = ["msmtp", "-C", "my file"]
clear = true
`)
	if err != nil || c.Editor != "vim -n" || c.Mail.From.String() != "Fred <fred@example.net>" || c.Mail.Relay.String() != "smtps://fred@mail.example:465" ||
		len(c.Mail.Sendmail) != 3 || c.Mail.Sendmail[2] != "my file" || !c.Mail.Clear {
		t.Errorf("%v, %+v, want no error, c.Editor %q, c.Mail.From %q, c.Mail.Relay %q, 3 of c.Mail.Sendmail and c.Mail.Sendmail[2] %q", err, c.Mail, "vim -n", "Fred <fred@example.net>", "smtps://fred@mail.example:465", "my file")
	}
	if err := decodeText(&c, "[mail]\nsendmail = \"/usr/sbin/sendmail -x\""); err != nil || len(c.Mail.Sendmail) != 2 {
		t.Errorf("%v, %q, want no error and 2 of c.Mail.Sendmail", err, c.Mail.Sendmail)
	}
	for text, says := range map[string]string{
		`from = "a@b, c@d"`:              "one sender",
		`from = "nobody"`:                "not an address",
		`relay = "mail.example"`:         "smtps://user@host",
		`relay = "smtps://u:sesame@h"`:   "omit the password",
		`relay = "smtps:u:sesame@h"`:     "not a relay",
		`relay = "smtp+clear://u@h"`:     "a login needs TLS",
		`sendmail = 1`:                   "list",
		`relay = "smtps://u:ses ame@h/"`: "not a relay: write",
	} {
		err := decodeText(&c, "[mail]\n"+text)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "sesame") || strings.Contains(err.Error(), "ame@") {
			t.Errorf("%s: %v, want an error, %q in err.Error(), no %q in err.Error() and no %q in err.Error()", text, err, says, "sesame", "ame@")
		}
	}
}

// A file with every setting as shown gives the same configuration.
func TestSettingsAsFile(t *testing.T) {
	changed := Default()
	for variable, text := range map[string]string{
		"LOCUS_TIMEOUT": "5", "LOCUS_POLICY_ALLOW_PORTS": "25,119", "LOCUS_POLICY_MAX_SIZE": "5G", "LOCUS_MAIL_STORES": "/a:/b", "LOCUS_NEWS_SERVER": "h",
		"LOCUS_MAIL_RELAY": "smtps://user@h", "LOCUS_MAIL_FROM": "Fred <a@b>", "LOCUS_MAIL_SENDMAIL": "msmtp -a work", "LOCUS_GATEWAYS": "gopher=http://h/{url} except=localhost",
	} {
		for _, s := range changed.settings() {
			if s.variable() == variable {
				if err := s.setText(text); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	for name, want := range map[string]Config{"default": Default(), "changed": changed} {
		var text string
		for _, s := range want.Settings() {
			text += s.Key + " = " + s.TOML() + "\n"
		}
		got := Default()
		if err := decodeText(&got, text); err != nil {
			t.Errorf("%s: %v\n%s, want no error", name, err, text)
		} else if a, b := got.Settings(), want.Settings(); !reflect.DeepEqual(a, b) {
			t.Errorf("%s: %+v\nwant %+v", name, a, b)
		}
	}
}

func TestDuration(t *testing.T) {
	for text, want := range map[string]time.Duration{"5": 5 * time.Second, "0.5": time.Second / 2, "2m": 2 * time.Minute, "0": 0, "1h30m": 90 * time.Minute} {
		var d Duration
		if err := d.Set(text); err != nil || time.Duration(d) != want {
			t.Errorf("%q: %v, %v, want no error and time.Duration(d) %d", text, time.Duration(d), err, want)
		}
	}
	for _, text := range []string{"", "x", "5x", "-5", "-5s", "1e30", "NaN", "Inf"} {
		var d Duration
		if err := d.Set(text); err == nil || strings.Contains(err.Error(), "time:") {
			t.Errorf("%q: %v, %v, want an error and no %q in err.Error()", text, time.Duration(d), err, "time:")
		}
	}
}

// decodeText returns the first mistake of a file.
func decodeText(c *Config, text string) error {
	if _, errs := c.decode(text); len(errs) > 0 {
		return errs[0]
	}
	return nil
}
