package open_test

import (
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// In the pager, a message is formatted for reading, and a newsgroup shows the article numbers.
func TestOpenNews(t *testing.T) {
	server, err := newstest.Start(commandtest.NewsGroups(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	change := func(a *base.App) {
		env := a.Getenv
		a.OutTTY = true
		a.Getenv = func(name string) string {
			return map[string]string{"NNTPSERVER": server.Addr(), "PAGER": "sed 's/^/| /'"}[name] + env(name)
		}
	}
	for _, test := range []struct {
		args []string
		want string
	}{
		{[]string{"news:one@h.example"}, "| Subject: Gr\u00fc\u00dfe\n| From: J\u00fcrgen <j@h.example>\n"},
		{[]string{"news:two@h.example"}, "| Subject: \\x1b]0;title\\x07\\x1b[2Jred\n"},
		{[]string{"news:three@h.example"}, "| References:\n| news:one@h.example\n| news:two@h.example\n"},
		{[]string{"--part", "1", "news:three@h.example"}, "| see the file"},
		{[]string{"--items", "3001-", "news:misc.test"}, "|           not listed: 3000\n" +
			"|     3001  1994-12-01 11:30  hostile@h.example         \\x1b]0;title\\x07\\x1b[2Jred\n" +
			"|     3003  1994-12-01 12:30  fred@h.example            with a file\n"},
		{[]string{"news:*"}, "| misc.empty                                   0  Nothing.\n" +
			"| misc.test                                    4  Tests of \\x1b[2Jall kinds.\n"},
	} {
		got := commandtest.Run(t, change, append([]string{"open"}, test.args...)...)
		if got.Status != 0 || !strings.Contains(got.Out, test.want) || strings.Contains(got.Out, "\x1b") {
			t.Errorf("%q: %+v, want %q", test.args, got, test.want)
		}
	}
}
