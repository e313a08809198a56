package main

import (
	"bytes"
	"context"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/cmd/locus/internal/commands"
	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/internal/command/base"
	"github.com/locus-url/locus/internal/command/clitest"
)

// shownFaulty maps URLs in help texts and documents that do not conform to RFC 1738 to the reason
// why the text shows the URL.
var shownFaulty = map[string]string{
	"https://example.com/~user?next=/a?b":     "only later standards allow it",
	"HTTP://Example.com:80/":                  "compared with its canonical form",
	"HTTP://Example.com:80":                   "made canonical",
	"HTTP://A":                                "made canonical",
	"HTTP://a/":                               "compared with its canonical form",
	"http://a/\\nb":                           "in a string of the shell",
	"gopher://example.com:25/0HELO%20h%0D%0A": "refused: it has line ends",
	"FTP://myname:secret@host.dom//etc/motd":  "parsed and made canonical",
	"http://2130706433/":                      "refused: it is an address for some programs",
	"file:/etc/hosts":                         "checked: it has one slash",
	"http://fred:***@www.example.com/":        "in an error about a URL that is malformed",
	"gopher://h/7sel%09word~":                 "parsed: \"~\" is unsafe",
	"http://h/~":                              "checked: \"~\" is unsafe",
	"HTTP://Example.com:80/%7Euser":           "made canonical",
	"http://example.com/~joe":                 "checked: \"~\" is unsafe",
	"http://www.example.com/~joe":             "the same as %7E by RFC 3986",
	"http://example.com/~user":                "checked: \"~\" is unsafe",
	"ftp://example.com/a;type=z":              "checked: there is no such type",
	"HTTP://H.example:80/%7efred":             "compared with its canonical form",
	"HTTP://Info.Example.NET:80/%7efred":      "made canonical",
	"http://gw.example/{url}":                 "a template, in which {url} is replaced",
	"https://archive.example/web/{url}":       "a template, in which {url} is replaced",
	"nntps://host":                            "the address of a news server, without a newsgroup",
	"nntp://host":                             "the address of a news server, without a newsgroup",
	"http://0xA9FEA9FE/":                      "a hexadecimal number, which some parsers read as an address",
	"http://[::ffff:10.0.0.1]/":               "a private address in an IPv6 form, which the policy refuses",
}

// position matches the offset that "locus check" prints after a URL.
var position = regexp.MustCompile(`:[0-9]+$`)

// writtenByTest matches the tables that tests write into docs/dev/standards.md. Most URLs in these
// tables do not conform to RFC 1738, and the tables say so.
var writtenByTest = regexp.MustCompile(`(?s)<!-- \w+: go test .*?<!-- end -->`)

// Every URL in help texts and in the documents of the project conforms to RFC 1738, unless
// shownFaulty lists the URL.
func TestURLsInTexts(t *testing.T) {
	texts := map[string]string{}
	for _, name := range append(theDocs(t), "../../CONTRIBUTING.md") {
		octets, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		texts[name] = writtenByTest.ReplaceAllString(string(octets), "")
	}
	var out bytes.Buffer
	a := base.New(context.Background(), strings.NewReader(""), &out, &out, clitest.NoEnv)
	root := commands.NewRoot(a)
	var help func(cmd *cobra.Command)
	help = func(cmd *cobra.Command) {
		out.Reset()
		cmd.SetOut(&out)
		if err := cmd.Help(); err != nil {
			t.Error(err)
		}
		texts["the help of "+cmd.Name()] = out.String()
		for _, c := range cmd.Commands() {
			help(c)
		}
	}
	help(root)
	registry, err := a.NewRegistry()
	if err != nil {
		t.Fatal(err)
	}
	count := 0
	for where, text := range texts {
		for m := range extract.All(text, nil) {
			count++
			list := registry.Check(m.URL.WithoutFragment(), locus.RFC1738)
			if locus.Conforms(list) || shownFaulty[position.ReplaceAllString(m.URL.String(), "")] != "" {
				continue
			}
			t.Errorf("%s: %s: %v", where, m.URL, list)
		}
	}
	if count < 70 {
		t.Errorf("only %d URLs were found in %d texts", count, len(texts))
	}
	t.Logf("%d URLs in %d texts", count, len(texts))
}
