package get

import (
	"bytes"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/show"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
	"github.com/locus-url/locus/internal/session"
	"github.com/locus-url/locus/tn3270"
)

func TestUnescape(t *testing.T) {
	for text, want := range map[string]string{
		"":             "",
		"plain ü":      "plain ü",
		`\r\n\t\e\\`:   "\r\n\t\x1b\\",
		`a\x41\xfFb`:   "aA\xffb",
		`\\x41`:        `\x41`,
		`\x00guest\r`:  "\x00guest\r",
		`ends in one\`: "",
		`\q`:           "",
		`\x`:           "",
		`\x4`:          "",
		`\x4g`:         "",
		`\x+4`:         "",
		`\`:            "",
	} {
		got, err := unescape(text)
		if got != want || (err != nil) != (want == "" && text != "") {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestScriptFlags(t *testing.T) {
	a := base.New(t.Context(), strings.NewReader(""), io.Discard, io.Discard, clitest.NoEnv)
	var err error
	if a.Registry, err = a.NewRegistry(); err != nil {
		t.Fatal(err)
	}
	var s script
	f := pflag.NewFlagSet("get", pflag.ContinueOnError)
	s.addFlags(f)
	if err := f.Parse([]string{"--send", `a\r`, "--expect=b+", "--press", "pf12", "--send", "c"}); err != nil {
		t.Fatal(err)
	}
	if len(s.steps) != 4 || s.settle != 2*time.Second {
		t.Fatalf("%+v, want 4 of s.steps and s.settle %d", s, 2*time.Second)
	}
	if s.steps[0].send != "a\r" || s.steps[1].expect.String() != "b+" || s.steps[2].press != tn3270.PF12 || s.steps[3].send != "c" {
		t.Errorf("%+v, want s.steps[0].send %q, s.steps[1].expect %q, s.steps[2].press %d and s.steps[3].send %q", s.steps, "a\r", "b+", tn3270.PF12, "c")
	}
	for _, args := range [][]string{{"tn3270://h/"}, {"http://h/", "tn3270://h/"}, {"-"}} {
		if err := s.settleFlags(a, args); err != nil {
			t.Errorf("%q: %v, want no error", args, err)
		}
	}
	if s.settleFlags(a, []string{"telnet://h/"}) == nil || s.settleFlags(a, []string{"http://h/"}) == nil {
		t.Error("a key is pressed where there are none")
	}
}

// A character that arrives in several pieces is complete in the event that contains its last byte.
func TestSessionEvents(t *testing.T) {
	var out bytes.Buffer
	a := base.New(t.Context(), nil, &out, io.Discard, clitest.NoEnv)
	tell := (&getter{Viewer: show.Viewer{App: a}}).sessionEvents(show.Found{Asked: locus.MustParse("telnet://u:p@h/")})
	for _, event := range []struct {
		name   session.Event
		octets string
	}{
		{"received", "a\xc3"}, {"sent", "x"}, {"received", "\xbcb\xe6"}, {"received", "\x97"}, {"received", "\xa5\xff"}, {"received", "\xf0\x9f"}, {"closed", ""},
	} {
		if err := tell(event.name, []byte(event.octets)); err != nil {
			t.Fatal(err)
		}
	}
	var got []string
	for line := range strings.Lines(out.String()) {
		line = strings.TrimPrefix(line, `{"url":"telnet://u:***@h/","event":`)
		got = append(got, strings.TrimSuffix(line, "}\n"))
	}
	want := []string{
		`"received","text":"a"`, `"sent","text":"x"`, `"received","text":"üb"`, `"received","text":"æ\u0097¥ÿ"`,
		`"received","text":"ð\u009f"`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
