package peers

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// The University of Minnesota's client, by the authors of Gopher+, reads
// the responses of our test server.

// wireDir is the directory with captured exchanges between real clients and servers.
const wireDir = "../../../scheme/gopher/testdata/wire"

func umnServer(t *testing.T) *gophertest.Server {
	t.Helper()
	english := func(data string) []gophertest.View {
		return []gophertest.View{{Type: "Text/plain", Language: "En_US", Data: data}}
	}
	root := gophertest.Item{Items: []gophertest.Item{
		{Name: "A text to read", Selector: "0/text", Views: english("The first line.\n.hidden\nThe last line.\n"), Abstract: "What the text is about."},
		{Name: "A search", Selector: "7/search", Search: func(words string) []gophertest.Item {
			return []gophertest.Item{{Name: "Found " + words, Selector: "0/text", Views: english("")}}
		}},
		{Name: "A folder", Selector: "1/folder", Items: []gophertest.Item{{Name: "Deep down", Data: "The deepest text.\n"}}},
		{Name: "A survey", Selector: "0/survey", Views: english(""), Reply: gophertest.Echo, Ask: []string{
			"Note: Please answer the questions below", "Ask: Your name", "Ask: Your town\tMadrid", "AskP: Secret word", "AskL: Your comments",
			"Choose: Favourite colour\tRed\tGreen\tBlue", "Select: Send me the newsletter:1", "Select: Call me back:0", "AskF: Save reply as\treply.txt", "ChooseF: File to send",
		}},
		{Type: '2', Name: "A phone book"},
	}}
	s, err := gophertest.Start(root, &gophertest.Options{Admin: "Ann Admin <ann@example.org>", Phone: []gophertest.Person{
		{Alias: "a-smith", Name: "Anna Smith", Email: "asmith@example.org", Phone: "555 0101"},
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	return s
}

// umn starts the client, and waits for it to show the root menu.
func umn(t *testing.T, s *gophertest.Server) *terminal {
	t.Helper()
	program := need(t, "gopher")
	host, port, err := net.SplitHostPort(s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	x := onTerminal(t, t.TempDir(), program, host, port)
	x.wait(t, "Press RETURN to continue")
	x.press(t, "\r")
	x.wait(t, "-->  [1]  A text to read", "[2]  A search <?>", "[3]  A folder/", "[4]  A survey <??>", "[5]  A phone book <CSO>", "Page: 1/1")
	return x
}

func asked(t *testing.T, s *gophertest.Server, want ...string) {
	t.Helper()
	if got := s.Log(); !slices.Equal(got, want) {
		t.Errorf("the client asked\n%q\nwant\n%q", got, want)
	}
}

func TestUMNMenuAndText(t *testing.T) {
	s := umnServer(t)
	x := umn(t, s)
	x.press(t, "\r")
	x.wait(t, "The first line.\n.hidden\nThe last line.\n", "100%")
	x.press(t, "u")
	x.wait(t, "-->  [1]  A text to read", "Page: 1/1")
	x.press(t, "3\r")
	x.wait(t, "-->  [1]  Deep down", "Page: 1/1")
	x.press(t, "\r")
	x.wait(t, "The deepest text.", "100%")
	asked(t, s, "\t$\r\n", "0/text\t+Text/plain En_US\r\n", "1/folder\t$\r\n", "1/folder/Deep down\t+Text/plain\r\n")
}

func TestUMNAttributes(t *testing.T) {
	s := umnServer(t)
	x := umn(t, s)
	x.press(t, "=")
	x.wait(t, "Type=0+\n", "Name=A text to read\n", "Path=0/text\n", "Admin=Ann Admin <ann@example.org>\n",
		"ModDate=Sat Jan  1 00:00:00 1994 <19940101000000>\n", "/00/text>\n", "What the text is about.\n", "Language", "English (USA)", "Text/plain\n")
}

func TestUMNSearch(t *testing.T) {
	s := umnServer(t)
	x := umn(t, s)
	x.press(t, "2\r")
	x.wait(t, "Words to search for", "[Accept: ^X]")
	x.press(t, "two words\r")
	x.wait(t, "-->  [1]  Found two words", "Page: 1/1")
	x.press(t, "\r")
	x.wait(t, "The first line.", "100%")
	asked(t, s, "\t$\r\n", "7/search\ttwo words\t$\r\n", "0/text\t+Text/plain En_US\r\n")
}

// The responses were captured from the server of the University of Minnesota. The client must send
// exactly the same bytes as for the capture.
func TestUMNForm(t *testing.T) {
	sent, err := os.ReadFile(filepath.Join(wireDir, "client-umn-ask-form.c2s.bin"))
	if err != nil {
		t.Fatal(err)
	}
	s := umnServer(t)
	x := umn(t, s)
	x.press(t, "4\r")
	x.wait(t, "Please answer the questions below", "Your name", "Madrid", "Secret word", "Your comments", "Red", "Yes", "No", "reply.txt", "[Accept: ^X]")
	for _, field := range []struct{ keys, shown string }{
		{"Anna\t", "Your name               Anna"},
		{"\b\b\b\b\b\bLisboa\t", "Your town               Lisboa"},
		{"s3cret\t", "Secret word             ******"},
		{"line one\rline two\t", "line two"},
		{"\t\t\t\t\t\t\t\t", "[Cycle Values: Space]"}, // the remaining lines of ten
		{" \t", "Favourite colour        Green"},
		{" \t", "Send me the newsletter  No"},
		{" \t", "Call me back            Yes"},
	} {
		x.press(t, field.keys)
		x.wait(t, field.shown)
	}
	x.press(t, "\x18")
	x.wait(t, "Answers received:\n1: [Anna]\n2: [Lisboa]\n3: [s3cret]\n", "8: [Green]\n9: [0]\n10: [1]\n11: [reply.txt]\n")
	asked(t, s, "\t$\r\n", string(sent))
}

func TestUMNPhoneBook(t *testing.T) {
	s := umnServer(t)
	x := umn(t, s)
	x.press(t, "5\r")
	x.wait(t, "A phone book", "name", "email", "[Accept: ^X]")
	x.press(t, "smith\x18")
	x.wait(t, "alias: a-smith\n", "name: Anna Smith\n", "email: asmith@example.org\n", "phone: 555 0101\n")
	// The client may show this text before its last request arrives at the server.
	got, want := s.PhoneLog(), []string{"fields", "quit", "query name=smith ", "quit"}
	if len(got) < 3 || len(got) > 4 || !slices.Equal(got, want[:len(got)]) {
		t.Errorf("the phone book was asked\n%q\nwant\n%q", got, want)
	}
}
