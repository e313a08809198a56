package prospero

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// The requests must equal the recorded requests of the original client, except for the client's
// identity.
func TestRequests(t *testing.T) {
	for _, c := range []struct {
		name string
		make func() ([]byte, error)
		want string // recorded request
	}{
		{"goi-file", func() ([]byte, error) {
			return (&query{hsoname: "AFTP/pub/docs/notes.txt"}).info("ACCESS-METHOD", "SIZE", "LAST-MODIFIED", "UNIX-MODES")
		}, "GET-OBJECT-INFO ACCESS-METHOD+SIZE+LAST-MODIFIED+UNIX-MODES ASCII AFTP'/pub/docs/notes.txt' 0\n"},
		{"goi-contents", func() ([]byte, error) {
			return (&query{hsoname: "/pfs/info/papers/two words.txt"}).info("CONTENTS")
		}, "GET-OBJECT-INFO CONTENTS ASCII '/pfs/info/papers/two words.txt' 0\n"},
		{"goi-all", func() ([]byte, error) {
			return (&query{hsoname: "/pfs/info/papers/intro.txt", version: 2147483647}).info("#ALL")
		}, "GET-OBJECT-INFO #ALL ASCII '/pfs/info/papers/intro.txt' 2147483647\n"},
		{"list-attributes", func() ([]byte, error) {
			return (&query{hsoname: "/pfs/info/guide"}).list()
		}, "DIRECTORY ASCII '/pfs/info/guide'\nLIST ATTRIBUTES COMPONENTS\n"},
		{"a version", func() ([]byte, error) {
			return (&query{hsoname: "/pfs/info", version: 7}).list()
		}, "DIRECTORY ASCII '/pfs/info' 7\nLIST ATTRIBUTES COMPONENTS\n"},
		{"one of several", func() ([]byte, error) {
			return (&query{hsoname: "x", remote: "123456"}).info("SIZE")
		}, "GET-OBJECT-INFO SIZE ASCII x 0\nSELECT OBJECT FIELD ID REMOTE 123456\n"},
		{"one of several directories", func() ([]byte, error) {
			return (&query{hsoname: "x", remote: "1"}).list()
		}, "DIRECTORY ASCII x\nSELECT OBJECT FIELD ID REMOTE 1\nLIST ATTRIBUTES COMPONENTS\n"},
	} {
		got, err := c.make()
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		const who = "VERSION 5 locus\nAUTHENTICATE '' UNAUTHENTICATED anonymous\n"
		lines, closed := slowTokens(string(got))
		want, _ := slowTokens(who + c.want)
		if !closed || !slices.EqualFunc(lines, want, slices.Equal[[]string]) || !strings.HasPrefix(string(got), who) || strings.Contains(string(got), "\r") {
			t.Errorf("%s: %q", c.name, got)
		}
	}
}

func TestRequestsRefused(t *testing.T) {
	for name, q := range map[string]query{
		"NUL in the name":    {hsoname: "a\x00b"},
		"an id with a line":  {hsoname: "a", remote: "1\nX"},
		"an id of no number": {hsoname: "a", remote: "one"},
		"a negative id":      {hsoname: "a", remote: "-1"},
	} {
		if got, err := q.list(); !errors.Is(err, locus.ErrValue) || got != nil {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	for _, attributes := range [][]string{{""}, {"A B"}, {"A+B"}, {"A\nB"}, {"A", "'"}} {
		if got, err := (&query{hsoname: "a"}).info(attributes...); !errors.Is(err, locus.ErrValue) || got != nil {
			t.Errorf("%q: %q %v", attributes, got, err)
		}
	}
}

// FuzzRequests checks that a request with arbitrary names consists of exactly the intended lines.
func FuzzRequests(f *testing.F) {
	f.Add("/pfs/info", int32(0), "a", "1")
	f.Add("'\n", int32(7), "LIST", "")
	f.Add("x\x00", int32(-1), "\r\n", "\n")
	f.Fuzz(func(t *testing.T, hsoname string, version int32, word, remote string) {
		q := query{hsoname: hsoname, version: version, remote: remote}
		lines := 4
		if remote != "" {
			lines++
		}
		if b, err := q.info(word); err == nil {
			if got, closed := slowTokens(string(b)); !closed || len(got) != lines-1 || got[2][1] != word || got[2][3] != hsoname {
				t.Errorf("%+v: %q", q, b)
			}
		}
		b, err := q.list()
		if err != nil {
			return
		}
		got, closed := slowTokens(string(b))
		if !closed || len(got) != lines || got[2][2] != hsoname || !strings.HasSuffix(string(b), "LIST ATTRIBUTES COMPONENTS\n") {
			t.Fatalf("%+v: %q", q, b)
		}
	})
}
