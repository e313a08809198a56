package submit_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/locus-url/locus/submit"
)

func TestParseRelay(t *testing.T) {
	for text, want := range map[string]submit.Relay{
		"smtps://me@mail.example":         {Security: submit.TLS, Host: "mail.example", User: "me"},
		"smtps://mail.example:1465/":      {Security: submit.TLS, Host: "mail.example", Port: 1465},
		"smtp://me%40home.example@h:587":  {Security: submit.StartTLS, Host: "h", Port: 587, User: "me@home.example"},
		"SMTP://h":                        {Security: submit.StartTLS, Host: "h"},
		"smtp+clear://127.0.0.1:2525":     {Security: submit.Clear, Host: "127.0.0.1", Port: 2525},
		"smtps://u%3Aser@[2001:db8::1]:1": {Security: submit.TLS, Host: "2001:db8::1", Port: 1, User: "u:ser"},
	} {
		got, err := submit.ParseRelay(text)
		if err != nil || got != want {
			t.Errorf("%s: %+v, %v", text, got, err)
			continue
		}
		again, err := submit.ParseRelay(got.String())
		if again.Port = want.Port; err != nil || again != want {
			t.Errorf("%s: %s: %+v, %v", text, got, again, err)
		}
	}
	for text, want := range map[string]string{
		"smtp://h": "smtp://h:587", "smtps://u@h": "smtps://u@h:465", "smtp+clear://[::1]": "smtp+clear://[::1]:25",
	} {
		if r, err := submit.ParseRelay(text); err != nil || r.String() != want {
			t.Errorf("%s: %s, %v", text, r, err)
		}
	}
	for _, text := range []string{
		"", "mail.example", "mail.example:25", "http://h/", "smtp:h", "smtp://", "smtp:///x", "smtp://h/x", "smtp://h#x", "smtp://h?x", "smtp://h:99999",
		"smtp://u:sesame@h", "smtps://:sesame@h", "smtp+clear://u@h", "smtp://a%zz@h", "smtp://h%0d%0a", "smtp://u:sesame@h:x", "smtp://h h:sesame@",
	} {
		r, err := submit.ParseRelay(text)
		if !errors.Is(err, submit.ErrRelay) || strings.Contains(err.Error(), "sesame") {
			t.Errorf("%s: %+v, %v", text, r, err)
		}
	}
}
