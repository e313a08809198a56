package prosperotest

import (
	"strings"
	"testing"
)

// FuzzExchange checks that the reply to any message consists of well-formed lines.
func FuzzExchange(f *testing.F) {
	list := readExchanged(f)
	for _, e := range list {
		f.Add(e.request)
	}
	f.Add("DIRECTORY ASCII 'ARCHIE/MATCH(-1,99999999999999999999,,0,r)/('\nLIST '' COMPONENTS\n")
	s := newServer(treeA(list), &Options{Host: hostA, Archie: Search([]Find{{Site: "a", Path: "/b"}})})
	f.Fuzz(func(t *testing.T, message string) {
		x := exchange{s: s}
		x.run(message)
		for rest := string(x.out); rest != ""; {
			line, behind, ok := cutLine(rest)
			switch _, some := split(line); {
			case strings.HasPrefix(line, "ERROR Unknown message: "): // this message contains the client's line unchanged
				return
			case !ok, !some && line != "":
				t.Errorf("to %q says the line %q", message, line)
			}
			rest = behind
		}
	})
}

// FuzzToken checks that splitting the octets of a quoted token returns the token.
func FuzzToken(f *testing.F) {
	for _, text := range []string{"", "release notes", "it's.txt", "AFTP/pub/docs", "4096 bytes", "'", "''", "a\x00\n\xff"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		line := string(appendTokens(nil, text, "end"))
		tokens, ok := split(line)
		if !ok || len(tokens) != 2 || tokens[0] != text {
			t.Errorf("%q is written %q and read %v", text, line, tokens)
		}
		if cut, rest, ok := cutLine(line + "\n"); cut != line || rest != "" || !ok {
			t.Errorf("%q is cut to %q", line, cut)
		}
	})
}
