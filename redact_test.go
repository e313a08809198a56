package locus_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// secrets are passwords with delimiters and other special characters.
var secrets = []string{
	"Secret", "Se:cret", "Se@cret", "Se/cret", "Se//cret", "Se cret", "Se#cret", "Se?cret", `Se\cret`, "Se%cret", "Se%40cret", "Se\ncret", "Se\x00cret",
	"Sécret", "Se\xffcret", "S@e/c:r#e?t", "://Secret", "@Secret", "Secret@", ":Secret", "Se]cret[", "Se;type=a", strings.Repeat("Secret", 50),
}

// frames are texts around a password.
var frames = []string{
	"ftp://user:%s@host/", "ftp://user:%s@host:21/a/b", "ftp://user:%s@host", "ftp://:%s@host/", "http://user:%s@host/?a=b#c",
	"ftp://user:%s@ho st/", "ftp://user:%s@host:x/", "FTP://user:%s@[::1]/", "//user:%s@host/", "ftp:/user:%s@ho st/", "user@ftp://user:%s@h/",
	"ftp:/user:%s@ho st/", "ftp:user:%s@ho st/", `http:\\user:%s@ho st/`, "ftp:///user:%s@ho st/", "user:%s@ho st", " user:%s@ho st",
	"<URL:ftp://user:%s@ho|st:x/>", "URL:ftp://user:%s@host:x/", "see ftp://user:%s@host/", "ftp//user:%s@host/", "url:ftp://user:%s@host/",
}

// showsSecret reports whether text shows the password, or half of it.
func showsSecret(text, secret string) bool {
	return strings.Contains(text, secret) || strings.Contains(text, "ecret") || strings.Contains(text, "cret")
}

// No message may show a password, whether the text is a URL or not.
func TestPasswordsStayHidden(t *testing.T) {
	for _, frame := range frames {
		for _, secret := range secrets {
			text := fmt.Sprintf(frame, secret)
			u, err := locus.Parse(text)
			if password, ok := u.Password(); err == nil && frame[0] != 'u' && (!ok || password != secret) {
				// By the grammar, the user is "user", the password is "S" and the host is "e".
				// The host and the path must be shown.
				continue
			}
			if got := locus.Mask(text); showsSecret(got, secret) || len(got) != len(text) {
				t.Errorf("Mask(%q) = %q", text, got)
			}
			checkHidden(t, u, err, secret)
			_, err = locus.ParseWrapped(text)
			checkHidden(t, locus.URL{}, err, secret)
			_, err = locus.ParseWrapped("\n <URL:" + text + " >")
			checkHidden(t, locus.URL{}, err, secret)
			var v locus.URL
			checkHidden(t, locus.URL{}, v.UnmarshalText([]byte(text)), secret)
		}
	}
}

// checkHidden tests that no output of a URL or an error, except String, contains the password.
func checkHidden(t *testing.T, u locus.URL, err error, secret string) {
	t.Helper()
	var texts []string
	if err != nil {
		var e *locus.SyntaxError
		if !errors.As(err, &e) {
			t.Fatalf("%T", err)
		}
		texts = append(texts, err.Error(), fmt.Sprintf("%v %+v %q %#v", err, err, err, *e), e.Input, logged(err))
	} else if !u.IsZero() {
		bad := u.Errorf(u.HostOffset(), "host", "%w: %s", locus.ErrHost, u.Host())
		texts = append(texts, u.Shown(), logged(u), bad.Error(), bad.Input, logged(bad))
		if !strings.Contains(u.Shown(), "***") || len(bad.Input) != u.Len() {
			t.Errorf("%q: shown %q, masked %q", u, u.Shown(), bad.Input)
		}
	}
	for _, text := range texts {
		if showsSecret(text, secret) {
			t.Errorf("%q shows in %q", secret, text)
		}
	}
}

func logged(v any) string {
	var b bytes.Buffer
	slog.New(slog.NewTextHandler(&b, nil)).Info("m", "v", v)
	slog.New(slog.NewJSONHandler(&b, nil)).Info("m", "v", v)
	return b.String()
}

func TestShownHidesPasswords(t *testing.T) {
	for text, want := range map[string]string{
		"ftp://u:p@h/x":             "ftp://u:***@h/x",
		"ftp://:p@h/x":              "ftp://:***@h/x",
		"ftp://u:p:q@h/x@y":         "ftp://u:***@h/x@y",
		"ftp://u:@h/":               "ftp://u:@h/",
		"ftp://u@h:21/a:b@c":        "ftp://u@h:21/a:b@c",
		"http://h:80/@b":            "http://h:80/@b",
		"mailto:a:b@c":              "mailto:a:b@c",
		"news:a%2F@b":               "news:a%2F@b",
		"url:ftp://u:p@h/":          "url:ftp://u:***@h/",
		"view-source:http://u:p@h/": "view-source:http://u:***@h/",

		// These are mistyped: by the grammar they have no password.
		"ftp:/u:PW@h":                            "ftp:/u:***@h",
		"ftp:/u:PW@h/a@b":                        "ftp:/u:***@h/a@b",
		"ftp:/u:P/W@h":                           "ftp:/u:***@h",
		"ftp:u:PW@h":                             "ftp:u:***@h",
		"ftp:u:P/W@h":                            "ftp:u:***@h",
		"ftp:///u:PW@h/":                         "ftp:///u:***@h/",
		"ftp:////u:PW@h/":                        "ftp:////u:***@h/",
		`http:\\u:PW@h/`:                         `http:\\u:***@h/`,
		`http:/\u:PW@h/`:                         `http:/\u:***@h/`,
		"ftp:/u:PW":                              "ftp:/u:***",
		"u:PW@h":                                 "u:***@h",
		"u:P/W@h":                                "u:***@h",
		"ftp:PW@h":                               "ftp:***@h",
		"http://u%3APW@h/":                       "http://u%3A***@h/",
		"http://u%253aPW@h/":                     "http://u%253a***@h/",
		"http://u%3APW%40h/":                     "http://u%3A***%40h/",
		"http://u%3APW/":                         "http://u%3A***/",
		"http://u\uff1aPW@h/":                    "http://u\uff1a***@h/",
		"http://u\uff1aPW\uff20h/":               "http://u\uff1a***\uff20h/",
		"http://u%EF%BC%9APW@h/":                 "http://u%EF%BC%9A***@h/",
		"ftp:\uff0f\uff0fu:PW@h/":                "ftp:\uff0f\uff0fu:***@h/",
		"ftp://u%3Ap:PW@h/":                      "ftp://u%3A***@h/",
		"ftp://u:PW@x%40h/":                      "ftp://u:***%40h/",
		"url:URL:ftp:/u:PW@h":                    "url:URL:ftp:/u:***@h",
		"sip:u:PW@h":                             "sip:u:***@h",
		"http://h/?v=ftp://u:PW@h2/":             "http://h/?v=ftp://u:***@h2/",
		"http://h/?v=ftp:/u:PW@h2/":              "http://h/?v=ftp:/u:***@h2/",
		"http://h/?v=ftp:u:PW@h2":                "http://h/?v=ftp:***@h2",
		"http://h/?v=u:PW@h2&w=a@b":              "http://h/?v=u:***@h2&w=a@b",
		"http://h/?ftp://u:PW":                   "http://h/?ftp://u:***",
		"http://h/a/ftp://u:PW@h2/":              "http://h/a/ftp://u:***@h2/",
		"http://h/a/ftp:/u:PW@h2/":               "http://h/a/ftp:/u:***@h2/",
		"http://h/a/ftp:u:PW@h2/":                "http://h/a/ftp:u:***@h2/",
		"http://h//u:PW@h2/":                     "http://h//u:***@h2/",
		"gopher://h/hURL:ftp://u:PW":             "gopher://h/hURL:ftp://u:***",
		"gopher:///hURL:ftp://u:PW":              "gopher:///hURL:***//u:***",
		"http://h/#ftp://u:PW@h2/":               "http://h/#ftp://u:***@h2/",
		"mailto:a@b?body=x://u:PW@h":             "mailto:a@b?body=x://u:***@h",
		"http://h/?v=ftp%3A%2F%2Fu%3APW%40h2%2F": "http://h/?v=ftp%3A%2F%2Fu%3A***%40h2%2F",
		"http://h/?v=http%3A%2F%2Fh2%3Fw%3Dftp%253A%252F%252Fu%253APW%2540h": "http://h/?v=http%3A%2F%2Fh2%3Fw%3Dftp%253A%252F%252Fu%253A***%2540h",
		"ftp://u:PW@h/?v=ftp://u:PW@h2/":                                     "ftp://u:***@h/?v=ftp://u:***@h2/",

		// These have no password and must stay readable.
		"mailto:a@b":                     "mailto:a@b",
		"mailto:a@b?cc=c@d&bcc=e@f":      "mailto:a@b?cc=c@d&bcc=e@f",
		"MAILTO:a@b":                     "MAILTO:a@b",
		"news:x@y":                       "news:x@y",
		"news://h/x@y":                   "news://h/x@y",
		"mid:x@y/z@y":                    "mid:x@y/z@y",
		"cid:x:z@y":                      "cid:x:z@y",
		"ssh:git@h":                      "ssh:git@h",
		"urn:a:b@c":                      "urn:a:b@c",
		"tag:a@b,2001:x":                 "tag:a@b,2001:x",
		"http://h/path@x":                "http://h/path@x",
		"http://h:8080/a@b":              "http://h:8080/a@b",
		"http://h/a:b@c":                 "http://h/a:b@c",
		"http://h/?a@b":                  "http://h/?a@b",
		"http://h/?m=mailto:a@b":         "http://h/?m=mailto:a@b",
		"http://h/?u=http://h2:80/a@b":   "http://h/?u=http://h2:80/a@b",
		"http://h/?u=http://h2:80&m=a@b": "http://h/?u=http://h2:80&m=a@b",
		"http://h/web/http://h2/a@b":     "http://h/web/http://h2/a@b",
		"http://h/#:~:text=a@b":          "http://h/#:~:text=a@b",
		"http://[::1]:80/a@b":            "http://[::1]:80/a@b",
		"http://u@[::1]:80/a@b":          "http://u@[::1]:80/a@b",
		"ftp://u@h:21/a@b":               "ftp://u@h:21/a@b",
		"file:///home/a@b/c:d":           "file:///home/a@b/c:d",
		"file:///C:/x@y":                 "file:///C:/x@y",
		"urn:isbn:123":                   "urn:isbn:123",
		"x:y":                            "x:y",
		"prospero://h:191/a:b":           "prospero://h:191/a:b",
		"gopher://h/1a%09b":              "gopher://h/1a%09b",
	} {
		if got := locus.MustParse(text).Shown(); got != want {
			t.Errorf("%q.Shown() = %q, want %q", text, got, want)
		}
	}
}

func TestMask(t *testing.T) {
	for text, want := range map[string]string{
		"":                   "",
		"@":                  "@",
		":@":                 ":@",
		"ftp://u:pw@h/":      "ftp://u:**@h/",
		"ftp://u:pw@h/a@b":   "ftp://u:**@h/a@b",
		"ftp://u:p w@h/":     "ftp://u:***@h/",
		"ftp://u:p/w@h/":     "ftp://u:***@h/",
		"ftp://u:p w@h/a@b":  "ftp://u:*****/**b", // browsers end the host at "/"
		"http://h:80/a b":    "http://h:80/a b",
		"mailto:a b@c":       "mailto:a b@c",
		"http://h/%zz":       "http://h/%zz",
		"ftp://u v@h/":       "ftp://u v@h/",
		"x:y:p w@h":          "x:y:***@h",
		"//u:pw@h/":          "//u:**@h/",
		"a/b:pw@h":           "a/b:**@h",
		":pw @h":             ":***@h",
		"ftp://u:p w@h/\xff": "ftp://u:***@h/\xff",

		"ftp://u:PW":                "ftp://u:**",
		"ftp://u:P W/x":             "ftp://u:***/x",
		"//u:PW/":                   "//u:**/",
		"http://u:PW%40h/":          "http://u:**%40h/",
		"http://u:PW%2540h/":        "http://u:**%2540h/",
		"http://u:PW\uff20h/":       "http://u:**\uff20h/",
		"ftp://u\uff1aP W@h/":       "ftp://u\uff1a***@h/",
		"ftp\uff1a//u:P W@h/":       "ftp\uff1a//u:***@h/",
		"u:P W@h":                   "u:***@h",
		"ftp:u:P W@h":               "ftp:u:***@h",
		"URL:ftp:/u:P W@h":          "URL:ftp:/u:***@h",
		`http:\\u:P W@h/`:           `http:\\u:***@h/`,
		"a@b ftp://u:PW":            "a@b ftp://u:**",
		"http://h/a b?v=x://u:PW@h": "http://h/a b?v=x://u:**@h",
		"http://h/a b?v=u:PW@h":     "http://h/a b?v=u:**@h",
		"http://h/a b?v=x://u:PW":   "http://h/a b?v=x://u:**",
		"http://[::1/":              "http://[::1/",
		"http://::1/":               "http://::1/",
		"http://fe80::1:80/":        "http://fe80::1:80/",
		"http://h:99999/":           "http://h:99999/",
		"http://localhost:port":     "http://localhost:port",
		"http://h:PORT/x":           "http://h:PORT/x",
		"http://h:ports":            "http://h:*****",
		"http://u:port@h/":          "http://u:****@h/",
		"http://u:port%40h/":        "http://u:****%40h/",
		"news:a b@c":                "news:a b@c",
		" <URL:mailto:a b@c>":       " <URL:mailto:a b@c>",
		"see http://h/a":            "see http://h/a",
		"a/b@c d":                   "a/b@c d",
	} {
		if got := locus.Mask(text); got != want {
			t.Errorf("Mask(%q) = %q, want %q", text, got, want)
		}
	}
}

// No error may show the password in a frame.
func FuzzMask(f *testing.F) {
	for i, s := range secrets {
		f.Add("ftp", "user", s, "host"+frames[i%len(frames)])
	}
	f.Add("", "u", "p", "")
	f.Add("a:b", "", "p@", " ")
	f.Fuzz(func(t *testing.T, scheme, user, password, rest string) {
		// The text around the password contains neither these characters, nor escapes of them,
		// nor similar characters.
		const mark = "\u00b6Q7"
		if strings.ContainsAny(scheme+user, ":@/%\uff1a\ufe55\ufe13\u2236\ua789\uff20\ufe6b\uff0f\u2044\u2215\uff3c\ufe68") || strings.Contains(scheme+user+rest, mark) {
			return
		}
		text := scheme + "://" + user + ":" + mark + password + mark + "@" + rest
		checkSameHost(t, scheme+"://"+user+":"+password+"@"+rest)
		if _, err := locus.ParseWrapped(text); err == nil {
			return
		}
		_, err := locus.Parse(text)
		var e *locus.SyntaxError
		if !errors.As(err, &e) || len(e.Input) != len(text) {
			t.Fatalf("Parse(%q): %v", text, err)
		}
		for _, got := range []string{e.Input, locus.Mask(text)} {
			if strings.Contains(got, mark) || !strings.HasPrefix(got, scheme+"://"+user+":*") {
				t.Fatalf("%q shows in %q", text, got)
			}
		}
		whole, _ := json.Marshal(e)
		if strings.Contains(err.Error()+fmt.Sprintf("%+v", e)+string(whole), "Q7") && !strings.Contains(scheme+user+rest, "Q7") {
			t.Fatalf("%q shows in %v", text, err)
		}
	})
}

func TestQuote(t *testing.T) {
	for text, want := range map[string]string{
		"":              `""`,
		"a b":           `"a b"`,
		"a\x1b[31m\n\"": `"a\x1b[31m\n\""`,
		"é\xff\u202e":   `"\u00e9\xff\u202e"`,
	} {
		if got := locus.Quote(text); got != want {
			t.Errorf("Quote(%q) = %s, want %s", text, got, want)
		}
	}
	if got := locus.Quote(strings.Repeat("x", 160)); len(got) != 162 {
		t.Errorf("160 octets make %d", len(got))
	}
	long := strings.Repeat("x", 1<<20) + "end"
	if got := locus.Quote(long); len(got) > 200 || !strings.HasSuffix(got, `end"`) || !strings.Contains(got, "bytes") {
		t.Errorf("Quote of a megabyte is %s", got)
	}
}

// Closing brackets and punctuation after a URL must not be part of it.
func TestMaskText(t *testing.T) {
	for text, want := range map[string]string{
		"refused (through http://127.0.0.1:42709)": "refused (through http://127.0.0.1:42709)",
		"see http://h:8080, and http://h:80.":      "see http://h:8080, and http://h:80.",
		"[ftp://u:secret@h/], ftp://u:secret)":     "[ftp://u:***@h/], ftp://u:***)",
		"[x](//u:secret) see [y](//h:80/a)":        "[x](//u:***) see [y](//h:80/a)",
		"no URL: a@b, 12:30":                       "no URL: a@b, 12:30",
		// Browsers remove tabs.
		"see ftp://u:x\tsecret@h/ a@b":     "see ftp://u:***@h/ a@b",
		"ftp://u\t:secret\t@h/\tx":         "ftp://u\t:***@h/\tx",
		"ftp://u:\tsecret@h/":              "ftp://u:***@h/",
		"http://h:80\tjoe@mail.example":    "http://h:80\tjoe@mail.example",
		"http://h/\tb:c\tjoe@mail.example": "http://h/\tb:c\tjoe@mail.example",
		"http://h\tx y@mail.example":       "http://h\tx y@mail.example",
	} {
		if got := locus.MaskText(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
