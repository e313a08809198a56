package gophertest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

var people = []gophertest.Person{
	{Alias: "j-smith", Name: "John Smith", Email: "jsmith@example.org", Phone: "555 0100"},
	{Alias: "a-smith", Name: "Anna Smith", Email: "asmith@example.org", Phone: "555 0101", Address: "1 High Street\nTown"},
}

// The replies must be the same as those of the server in the captures.
func TestPhoneCaptures(t *testing.T) {
	s := start(t, gophertest.Item{}, &gophertest.Options{Phone: people})
	for _, name := range []string{"client-umn-cso-fields", "client-umn-cso-query", "cso-bad", "cso-nomatch", "cso-status", "cso-toomany"} {
		sent, want := capture(t, name)
		got := strings.ReplaceAll(ask(t, s.PhoneAddr(), sent), "gophertest", "synthetic")
		if got != want {
			t.Errorf("%s: %q gets\n%s\nwant\n%s", name, sent, got, want)
		}
	}
	if log := s.PhoneLog(); fmt.Sprintf("%q", log[:4]) != `["fields" "quit" "query name=smith " "quit"]` {
		t.Errorf("log %q", log)
	}
}

func TestPhone(t *testing.T) {
	const one, ok = "102:There was 1 match to your request.\r\n", "200:Ok.\r\n"
	s := start(t, gophertest.Item{}, &gophertest.Options{Phone: people})
	for sent, want := range map[string]string{
		"query anna return name":                one + "-200:1:           name: Anna Smith\r\n" + ok,
		"query smith ANNA return NAME":          one + "-200:1:           name: Anna Smith\r\n" + ok,
		`query "anna s" return name`:            one + "-200:1:           name: Anna Smith\r\n" + ok,
		"query name=j*smith return name":        one + "-200:1:           name: John Smith\r\n" + ok,
		"query email=jsmith return address":     one + "-508:1:        address: Not present in entry.\r\n" + ok,
		"query phone=0101 return address":       one + "-200:1:        address: 1 High Street\r\n-200:1:               : Town\r\n" + ok,
		"query shoe=44":                         "507:No such field.\r\n",
		"query smith return shoe":               "507:No such field.\r\n",
		"query":                                 "515:No usable key in the query.\r\n",
		"query return name":                     "515:No usable key in the query.\r\n",
		"":                                      "514:Unknown command.\r\n",
		"query john return all\r\nquery nobody": one + "-200:1:          alias: j-smith\r\n-200:1:           name: John Smith\r\n-200:1:          email: jsmith@example.org\r\n-200:1:          phone: 555 0100\r\n" + ok + "501:No matches to your query.\r\n",
	} {
		if got := ask(t, s.PhoneAddr(), sent+"\r\nquit\r\n"); got != want+"200:Bye!\r\n" {
			t.Errorf("%q gets\n%s\nwant\n%s", sent, got, want)
		}
	}
}
