package prospero

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

// Our requests equal those of the original client, or of the measurements, except the
// client's identity.
func TestRequests(t *testing.T) {
	for _, c := range []struct {
		name string
		make func() ([]byte, error)
		want string // as recorded
	}{
		{"goi-file", func() ([]byte, error) {
			return AppendInfo(nil, &Query{Hsoname: "AFTP/pub/docs/notes.txt"}, "ACCESS-METHOD", "SIZE", "LAST-MODIFIED", "UNIX-MODES")
		}, "GET-OBJECT-INFO ACCESS-METHOD+SIZE+LAST-MODIFIED+UNIX-MODES ASCII AFTP'/pub/docs/notes.txt' 0\n"},
		{"goi-contents", func() ([]byte, error) {
			return AppendInfo(nil, &Query{Hsoname: "/pfs/info/papers/two words.txt"}, "CONTENTS")
		}, "GET-OBJECT-INFO CONTENTS ASCII '/pfs/info/papers/two words.txt' 0\n"},
		{"goi-all", func() ([]byte, error) {
			return AppendInfo(nil, &Query{Hsoname: "/pfs/info/papers/intro.txt", Version: 2147483647}, "#ALL")
		}, "GET-OBJECT-INFO #ALL ASCII '/pfs/info/papers/intro.txt' 2147483647\n"},
		{"list-attributes", func() ([]byte, error) {
			return AppendList(nil, &Query{Hsoname: "/pfs/info/guide"})
		}, "DIRECTORY ASCII '/pfs/info/guide'\nLIST ATTRIBUTES COMPONENTS\n"},
		{"list-component", func() ([]byte, error) {
			return AppendList(nil, &Query{Hsoname: "/pfs/info/guide"}, "Weather maps")
		}, "DIRECTORY ASCII '/pfs/info/guide'\nLIST ATTRIBUTES COMPONENTS 'Weather maps'\n"},
		{"several components and a version", func() ([]byte, error) {
			return AppendList(nil, &Query{Hsoname: "/pfs/info", Version: 7}, "remote", "year 1993", "")
		}, "DIRECTORY ASCII '/pfs/info' 7\nLIST ATTRIBUTES COMPONENTS remote 'year 1993' ''\n"},
		{"archie-domain-filter", func() ([]byte, error) {
			return AppendList(nil, &Query{Hsoname: "ARCHIE/MATCH(3,3,3,0,S)/x11", Filters: []Filter{{"AR_DOMAIN", []string{"fi:se"}}}})
		}, "DIRECTORY ASCII ARCHIE'/MATCH(3,3,3,0,S)/x11'\nLIST ATTRIBUTES+FILTER COMPONENTS\nFILTER DIRECTORY SERVER PRE PREDEFINED AR_DOMAIN ARGS fi:se\n"},
		{"one of several", func() ([]byte, error) {
			return AppendInfo(nil, &Query{Hsoname: "x", Remote: "123456"}, "SIZE")
		}, "GET-OBJECT-INFO SIZE ASCII x 0\nSELECT OBJECT FIELD ID REMOTE 123456\n"},
		{"one of several directories", func() ([]byte, error) {
			return AppendList(nil, &Query{Hsoname: "x", Remote: "1"})
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
	for name, q := range map[string]Query{
		"NUL in the name":      {Hsoname: "a\x00b"},
		"two words":            {Hsoname: "a", SoftwareID: "a b"},
		"a line more":          {Hsoname: "a", SoftwareID: "a\nLIST-ACL"},
		"a long software id":   {Hsoname: "a", SoftwareID: strings.Repeat("x", 40)},
		"an id with a line":    {Hsoname: "a", Remote: "1\nX"},
		"an id of no number":   {Hsoname: "a", Remote: "one"},
		"a negative id":        {Hsoname: "a", Remote: "-1"},
		"a filter of no name":  {Hsoname: "a", Filters: []Filter{{}}},
		"a filter of two":      {Hsoname: "a", Filters: []Filter{{Name: "A B"}}},
		"a filter of NUL":      {Hsoname: "a", Filters: []Filter{{Name: "A\x00"}}},
		"a filter of NUL args": {Hsoname: "a", Filters: []Filter{{"A", []string{"\x00"}}}},
	} {
		if got, err := AppendList([]byte("x"), &q); !errors.Is(err, locus.ErrValue) || string(got) != "x" {
			t.Errorf("%s: %q %v", name, got, err)
		}
	}
	for _, attributes := range [][]string{nil, {""}, {"A B"}, {"A+B"}, {"A\nB"}, {"A", "'"}} {
		if got, err := AppendInfo([]byte("x"), &Query{Hsoname: "a"}, attributes...); !errors.Is(err, locus.ErrValue) || string(got) != "x" {
			t.Errorf("%q: %q %v", attributes, got, err)
		}
	}
	if _, err := AppendList(nil, &Query{Hsoname: "a"}, "b", "\x00"); !errors.Is(err, locus.ErrValue) {
		t.Errorf("%v", err)
	}
	if got, err := AppendInfo(nil, &Query{Hsoname: "a", SoftwareID: strings.Repeat("x", 39)}, "SIZE"); err != nil {
		t.Errorf("%q %v", got, err)
	}
}

// FuzzRequests: whatever the names, a request has exactly the intended lines.
func FuzzRequests(f *testing.F) {
	f.Add("/pfs/info", int32(0), "a", "b c", "1", "AR_DOMAIN")
	f.Add("'\n", int32(7), "LIST", "'''", "", "")
	f.Add("x\x00", int32(-1), "\r\n", "\xff", "\n", "A B")
	f.Fuzz(func(t *testing.T, hsoname string, version int32, word, component, remote, filter string) {
		q := Query{Hsoname: hsoname, Version: version, Remote: remote}
		lines := 4
		if remote != "" {
			lines++
		}
		if b, err := AppendInfo(nil, &q, word); err == nil {
			if got, closed := slowTokens(string(b)); !closed || len(got) != lines-1 || got[2][1] != word || got[2][3] != hsoname {
				t.Errorf("%+v: %q", q, b)
			}
		}
		if filter != "" {
			q.Filters = []Filter{{Name: filter, Args: []string{word, component}}}
			lines++
		}
		b, err := AppendList(nil, &q, component, word)
		if err != nil {
			return
		}
		got, closed := slowTokens(string(b))
		if !closed || len(got) != lines || got[2][2] != hsoname || !strings.HasSuffix(string(b), "\n") {
			t.Fatalf("%+v: %q", q, b)
		}
		list := got[3]
		if remote != "" {
			list = got[4]
		}
		if !slices.Equal(list[3:], []string{component, word}) {
			t.Errorf("%+v: %q", q, b)
		}
	})
}
