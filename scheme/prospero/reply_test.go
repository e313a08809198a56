package prospero

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/scheme"
)

const aLink = "LINK L FILE x INTERNET-D h.example ASCII /x 0\n"

func mustReply(t testing.TB, message string) *reply {
	t.Helper()
	r, err := parseReply([]byte(message))
	if err != nil {
		t.Fatalf("%q: %v", message, err)
	}
	return r
}

func TestReplyLines(t *testing.T) {
	null := link{Kind: 'L', Type: "NULL", target: target{HostType: "NULL", Host: "NULL", NameType: "NULL", Name: "NULL"}}
	named := func(name string) reply {
		l := null
		l.Name = name
		return reply{Links: []link{l}}
	}
	aFile := link{Kind: 'L', Type: "FILE", Name: "x", target: target{HostType: "INTERNET-D", Host: "h.example", NameType: "ASCII", Name: "/x"}}
	for _, c := range []struct {
		message string
		want    reply
	}{
		{"SUCCESS\n", reply{}},
		{"SUCCESS All' is well'\n", reply{}},
		{"NONE-FOUND", reply{}},
		{"VERSION 5 P53.17May94b\n", reply{}},
		{"AUTHENTICATED x y\nPARAMETER a b\nID REMOTE 7\n", reply{}},
		{"WARNING OUT-OF-DATE the' link'\nWARNING MESSAGE\nWARNING\nWARNING MESSAGE' 'x\n", reply{Warnings: []string{"OUT-OF-DATE the link", "MESSAGE x"}}},
		{"FAILURE\n", reply{Failure: &failureError{}}},
		{"FAILURE NOT-FOUND\nFAILURE NOT-AUTHORIZED later\n", reply{Failure: &failureError{Word: "NOT-FOUND"}}},
		{"FAILURE AMBIGUOUS \t two of them' '\n", reply{Failure: &failureError{Word: "AMBIGUOUS", Text: "two of them"}}},
		// A rejection with unbalanced quotes must still be a rejection.
		{"ERROR what' is don't", reply{Failure: &failureError{Word: "ERROR", Text: "what is dont"}}},
		{"FAILURE NOT-FOUND it's not here\n", reply{Failure: &failureError{Word: "NOT-FOUND", Text: "its not here"}}},
		{"VERSION-NOT-SUPPORTED TRY 5", reply{Failure: &failureError{Word: "VERSION-NOT-SUPPORTED", Text: "TRY 5"}}},
		{"FORWARDED INTERNET-D 'H(7)' ASCII '' 3 DEST-EXP 19991231235959Z\nID REMOTE 7\n", reply{Forwarded: &target{"INTERNET-D", "H", 7, "ASCII", "", 3}}},
		{"FORWARDED INTERNET-D a ASCII b 0\nFORWARDED INTERNET-D c ASCII d 0\n", reply{Forwarded: &target{HostType: "INTERNET-D", Host: "a", NameType: "ASCII", Name: "b"}}},
		{aLink + "ID REMOTE 7\nID LOCAL a' b'\n", reply{Links: []link{aFile}}},
		{aLink + "FORWARDED INTERNET-D a ASCII DEST-EXP 0 DEST-EXP 19991231235959Z\nID REMOTE 7\n", reply{Links: []link{aFile},
			Forwarded: &target{"INTERNET-D", "a", 0, "ASCII", "DEST-EXP", 0}}},
		// This line has as many words as a LINK line of version 1.
		{"LINK L FILE x INTERNET-D h.example ASCII '/a b' 0\n", reply{Links: []link{{Kind: 'L', Type: "FILE", Name: "x", target: target{HostType: "INTERNET-D", Host: "h.example", NameType: "ASCII", Name: "/a b"}}}}},
		{"\n\r\n \t\n" + aLink + "\n", reply{Links: []link{aFile}}},

		{"LINK  L NULL secret plan NULL NULL NULL NULL 0\n", named("secret plan")},
		{"LINK L NULL it's mine NULL NULL NULL NULL 0\nNONE-FOUND\n", reply{Links: named("it's mine").Links}},
		{"LINK L NULL it''s NULL NULL NULL NULL 0", named("its")},
		{"LINK L NULL 'two words' NULL NULL NULL NULL 0\r\n", named("two words")},
		{"LINK L NULL 'a' and 'b' NULL NULL NULL NULL 0\n", named("'a' and 'b'")},
		{"LINK L NULL  NULL NULL NULL NULL 0\n", named("")},
		{"LINK L NULL NULL NULL NULL NULL NULL 0\n", named("NULL")},
	} {
		if got := mustReply(t, c.message); !reflect.DeepEqual(*got, c.want) {
			t.Errorf("%q: %+v, not %+v", c.message, *got, c.want)
		}
	}
}

func TestFailureKinds(t *testing.T) {
	for word, kind := range map[string]error{
		"NOT-FOUND": scheme.ErrNotFound, "NOT-A-DIRECTORY": scheme.ErrNotFound,
		"NOT-AUTHORIZED": scheme.ErrAuth, "AUTHENTICATION-REQUIRED": scheme.ErrAuth, "AUTHENTICATION-DATA": scheme.ErrAuth,
		"UNIMPLEMENTED": scheme.ErrUnsupported, "FILTER-APPLICATION": scheme.ErrUnsupported, "TOO-MANY": scheme.ErrTooLarge,
		"SERVER-FAILED": scheme.ErrProtocol, "AMBIGUOUS": scheme.ErrProtocol, "BAD-VALUE": scheme.ErrProtocol, "NAME-CONFLICT": scheme.ErrProtocol, "X": scheme.ErrProtocol,
	} {
		r := mustReply(t, "FAILURE "+word+" \x1b[2J'two\nlines'\n")
		if !errors.Is(r.Failure, kind) || strings.ContainsAny(r.Failure.Error(), "\n\x1b") || !strings.Contains(r.Failure.Error(), word) {
			t.Errorf("%s: %v", word, r.Failure)
		}
	}
}

// The error for a malformed reply must contain the offset of the fault.
func TestReplyErrors(t *testing.T) {
	for _, c := range []struct {
		message      string
		line, offset int
	}{
		{"", 0, 0},
		{"\n\r\n  \n", 0, 0},
		{"'", 1, 0},
		{"VERSION 5\n\nWARNING it's\n", 2, 11},
		{aLink + "LINK L FILE 'y\n", 2, len(aLink)},
		{"LINK\n", 1, 0},
		{"LINK L FILE x INTERNET-D h ASCII /x\n", 1, 0},
		{"LINK L NULL NULL NULL NULL NULL 0\n", 1, 0},
		{"LINK X NULL a b NULL NULL NULL\n", 1, 0},
		{"ATTRIBUTE OBJECT FIELD\n", 1, 0},
		{"ATTRIBUTE> OBJECT FIELD X SEQUENCE y\n", 1, 0},
		{aLink + "ATTRIBUTE CACHED FIELD X SEQUENCE y\nATTRIBUTE> CACHED FIELD X SEQUENCE y\n", 3, len(aLink) + 36},
		{"ATTRIBUTE OBJECT APPLICATION X LINK L FILE x\n", 1, 0},
		{"ATTRIBUTE OBJECT FIELD CLOSURE L\n", 1, 0},
		{"FORWARDED INTERNET-D h ASCII /x\n", 1, 0},
		{"FORWARDED VIRTUAL-SYSTEM h ASCII /x 0\n", 1, 0},
		{"FORWARDED INTERNET-D h(0) ASCII /x 0\n", 1, 0},
		{"FORWARDED INTERNET-D h ASCII /x y\n", 1, 0},
		{"FORWARDED INTERNET-D h OTHER /x 0\n", 1, 0},
		{"LINK-INFO CACHED SIZE\n", 1, 0},
		{"LINK-INFO CACHED SIZE ASCII 1\nLINK L FILE\n", 2, 30},
	} {
		r, err := parseReply([]byte(c.message))
		want := fmt.Sprintf("line %d of the reply, at octet %d: ", c.line, c.offset)
		if r != nil || !errors.Is(err, scheme.ErrProtocol) || c.line > 0 && !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %+v %v", c.message, r, err)
		}
	}
}

func TestReplyLimits(t *testing.T) {
	long := strings.Repeat("x", maxToken+1)
	contents := "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA " + long + "\n"
	for name, c := range map[string]struct {
		message string
		ok      bool
	}{
		"lines":            {strings.Repeat("SUCCESS\n\n", maxLines), true},
		"more lines":       {strings.Repeat("SUCCESS\n", maxLines+1), false},
		"many NULL links":  {strings.Repeat("LINK L NULL x NULL NULL NULL NULL 0\n", maxLines+1), false},
		"a token":          {"X " + long[1:] + "\n", true},
		"a long token":     {"X " + long + "\n", false},
		"a word in data":   {contents, true},
		"not the data":     {strings.Replace(contents, "DATA", "TAGGED", 1), false},
		"not the contents": {strings.Replace(contents, "CONTENTS", "X", 1), false},
	} {
		_, err := parseReply([]byte(c.message))
		if (err == nil) != c.ok || !c.ok && !errors.Is(err, scheme.ErrTooLarge) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A malformed link must not affect other links.
func TestLinkErrors(t *testing.T) {
	for line, kind := range map[string]error{
		"LINK X FILE x INTERNET-D h ASCII /x 0":                   scheme.ErrProtocol,
		"LINK '' FILE x INTERNET-D h ASCII /x 0":                  scheme.ErrProtocol,
		"LINK LL FILE x INTERNET-D h ASCII /x 0":                  scheme.ErrProtocol,
		"LINK L GONE x INTERNET-D h ASCII /x 0":                   scheme.ErrUnsupported,
		"LINK L FILE x INTERNET-D h ASCII /x -1":                  scheme.ErrProtocol,
		"LINK L FILE x INTERNET-D h ASCII /x 2147483648":          scheme.ErrProtocol,
		"LINK L FILE x INTERNET-D h( ASCII /x 0":                  scheme.ErrProtocol,
		"LINK L FILE x INTERNET-D h() ASCII /x 0":                 scheme.ErrProtocol,
		"LINK L FILE x INTERNET-D h(65536) ASCII /x 0":            scheme.ErrProtocol,
		"LINK L FILE x INTERNET-D h(+1) ASCII /x 0":               scheme.ErrProtocol,
		"LINK L FILE x INTERNET-D h(1)x ASCII /x 0":               scheme.ErrProtocol,
		"LINK L FILE x VIRTUAL-SYSTEM h ASCII /x 0":               scheme.ErrUnsupported,
		"LINK L DIRECTORY x X-NET h ASCII /x 0":                   scheme.ErrUnsupported,
		"LINK L DIRECTORY+FILE x INTERNET-D h EBCDIC /x 0":        scheme.ErrUnsupported,
		"LINK U OBJECT x INTERNET-D h ASCII /x 0 DEST-EXP":        nil,
		"LINK I OBJECT x INTERNET-D h(1) ASCII /x 2147483647":     nil,
		"LINK L FILE x INTERNET-D h ASCII /x 0 DEST-EXP tomorrow": nil,
		"LINK L EXTERNAL x X-NET h OTHER /x 0":                    nil,
		"LINK L SYMBOLIC x VIRTUAL-SYSTEM '#/a(b' ASCII /x 0":     nil,
	} {
		r := mustReply(t, aLink+line+"\n"+aLink)
		if len(r.Links) != 3 || r.Links[0].Err != nil || r.Links[2].Err != nil {
			t.Errorf("%s: %+v", line, r.Links)
			continue
		}
		if l := r.Links[1]; (l.Err == nil) != (kind == nil) || !errors.Is(l.Err, kind) || l.Name != "x" {
			t.Errorf("%s: %+v", line, l)
		}
	}
}

// The parser must accept attributes with and without the type word.
func TestAttributeTypes(t *testing.T) {
	for line, want := range map[string]attribute{
		"OBJECT INTRINSIC SIZE SEQUENCE 4096' bytes'":  {Name: "SIZE", Type: "SEQUENCE", Value: []string{"4096 bytes"}},
		"OBJECT INTRINSIC SIZE ASCII 1' bytes'":        {Name: "SIZE", Type: "SEQUENCE", Value: []string{"1 bytes"}},
		"OBJECT APPLICATION X SEQUENCE":                {Name: "X", Type: "SEQUENCE"},
		"OBJECT FIELD X SEQUENCE a b":                  {Name: "X", Type: "SEQUENCE", Value: []string{"a", "b"}},
		"OBJECT FIELD ACCESS-METHOD SEQUENCE AFTP ''":  {Name: "ACCESS-METHOD", Type: "SEQUENCE", Value: []string{"AFTP", ""}},
		"OBJECT FIELD ACCESS-METHOD AFTP ''":           {Name: "ACCESS-METHOD", Type: "SEQUENCE", Value: []string{"AFTP", ""}},
		"OBJECT FIELD OWNER SEQUENCE":                  {Name: "OWNER", Type: "SEQUENCE", Value: []string{"SEQUENCE"}},
		"OBJECT FIELD HSONAME-TYPE ASCII":              {Name: "HSONAME-TYPE", Type: "SEQUENCE", Value: []string{"ASCII"}},
		"OBJECT FIELD VERSION":                         {Name: "VERSION", Type: "SEQUENCE"},
		"OBJECT INTRINSIC ACCESS-METHOD SEQUENCE AFTP": {Name: "ACCESS-METHOD", Type: "SEQUENCE", Value: []string{"AFTP"}},
		"LINK FIELD FILTER FILTER  DIRECTORY CLIENT":   {Name: "FILTER", Type: "FILTER", Value: []string{"DIRECTORY", "CLIENT"}},
		"LINK FIELD FILTER DIRECTORY CLIENT":           {Name: "FILTER", Type: "FILTER", Value: []string{"DIRECTORY", "CLIENT"}},
		"LINK APPLICATION PIPE FILTER a":               {Name: "PIPE", Type: "FILTER", Value: []string{"a"}},
		"LINK FIELD CLOSURE L FILE n INTERNET-D h ASCII a 0": {Name: "CLOSURE", Type: "LINK", Link: &link{
			Kind: 'L', Type: "FILE", Name: "n", target: target{HostType: "INTERNET-D", Host: "h", NameType: "ASCII", Name: "a"}}},
		"LINK FIELD CLOSURE LINK L FILE n INTERNET-D h ASCII a 0": {Name: "CLOSURE", Type: "LINK", Link: &link{
			Kind: 'L', Type: "FILE", Name: "n", target: target{HostType: "INTERNET-D", Host: "h", NameType: "ASCII", Name: "a"}}},
	} {
		words := strings.Fields(line)
		want.AppliesTo = words[0]
		r := mustReply(t, "ATTRIBUTE "+line+"\n")
		if len(want.Value) == 0 && want.Type == "SEQUENCE" {
			want.Value = []string{}
		}
		if len(r.Attributes) != 1 || r.Warnings != nil || !reflect.DeepEqual(r.Attributes[0], want) {
			t.Errorf("%s: %+v, not %+v", line, r, want)
		}
	}
	for _, line := range []string{"OBJECT APPLICATION X", "OBJECT FIELD X", "OBJECT INTRINSIC SIZE PICTURE a b"} {
		r := mustReply(t, "ATTRIBUTE "+line+"\nATTRIBUTE OBJECT APPLICATION Y SEQUENCE z\n")
		if len(r.Attributes) != 1 || r.Attributes[0].Name != "Y" || len(r.Warnings) != 1 {
			t.Errorf("%s: %+v", line, r)
		}
	}
}

func TestNesting(t *testing.T) {
	const value = " CACHED APPLICATION %s LINK L FILE x INTERNET-D h ASCII /x 0\n"
	line := func(signs, name string) string { return "ATTRIBUTE" + signs + fmt.Sprintf(value, name) }
	r := mustReply(t, aLink+line("", "a")+line(">", "b")+line(">>", "c")+line(">>", "d")+line(">", "e")+line(">>", "f")+line("", "g")+line(">", "h")+
		aLink+line("", "i")+line(">", "j"))
	var names string
	for _, l := range r.Links {
		for _, a := range l.Attributes {
			names += a.Name
		}
		names += " "
	}
	if names != "ag i " {
		t.Error(names)
	}
	if _, err := parseReply([]byte(aLink + line("", "a") + aLink + line(">", "b"))); !errors.Is(err, scheme.ErrProtocol) {
		t.Errorf("an attribute of a link before: %v", err)
	}
}

func TestAttributeValues(t *testing.T) {
	sizes := map[string]int64{
		"":                                       -1,
		"OBJECT 12 bytes":                        12,
		"OBJECT '12 bytes'":                      12,
		"OBJECT 12":                              12,
		"OBJECT -1":                              -1,
		"OBJECT 9223372036854775808":             -1,
		"OBJECT":                                 -1,
		"OBJECT 1 2 3":                           -1,
		"OBJECT 12 lines":                        -1,
		"CACHED 1|OBJECT 2":                      2,
		"OBJECT 2|CACHED 1":                      2,
		"CACHED 1|LINK 2|REPLACEMENT 3|OBJECT 4": 3,
		"OBJECT 5|OBJECT 6":                      5,
	}
	for text, want := range sizes {
		var list []attribute
		for part := range strings.SplitSeq(text, "|") {
			if tokens := appendTokens(nil, part); tokens != nil {
				list = append(list, attribute{AppliesTo: tokens[0], Name: "Size", Type: valueSequence, Value: tokens[1:]})
			}
		}
		if got := sizeOf(list); got != want {
			t.Errorf("%q: %d, not %d", text, got, want)
		}
	}
	for text, want := range map[string]time.Time{
		"19940305120000Z": time.Date(1994, 3, 5, 12, 0, 0, 0, time.UTC),
		"19940231120000Z": {}, "1994": {}, "19940305120000": {}, "yesterday": {},
	} {
		if got := modTime([]attribute{{Name: "LAST-MODIFIED", Value: []string{text}}}); !got.Equal(want) {
			t.Errorf("%q: %v", text, got)
		}
	}
	for text, want := range map[string]bool{"drwxr-xr-x": true, "-rw-r--r--": false, "": false} {
		if isDirectory([]attribute{{Name: "UNIX-MODES", Value: []string{text}}}) != want {
			t.Errorf("%q", text)
		}
	}
	if isDirectory(nil) || !modTime(nil).IsZero() || find(nil, "SIZE") != nil {
		t.Error("nothing tells something")
	}
}

func TestContents(t *testing.T) {
	const attribute = "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE "
	for message, want := range map[string]string{
		attribute + "DATA ''\n": "",
		attribute + "DATA a'\x00\r\n\xff'\n" + attribute + "DATA ' b'\n":        "a\x00\r\n\xff b",
		attribute + "DATA two words\n":                                          "two words",
		attribute + "TAGGED a b\n" + attribute + "TAGGED c\n":                   "a: b\nc: \n",
		"ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 1\n" + attribute + "DATA x\n": "x",
	} {
		if got, ok := mustReply(t, message).Contents(); !ok || string(got) != want {
			t.Errorf("%q: %q %v", message, got, ok)
		}
	}
	for _, message := range []string{"NONE-FOUND\n", attribute + "\n", attribute + "PICTURE x\n", attribute + "TAGGED\n", aLink + attribute + "DATA x\n"} {
		if got, ok := mustReply(t, message).Contents(); ok || got != nil {
			t.Errorf("%q: %q", message, got)
		}
	}
}

// The parser must handle the replies of a malicious server.
func TestHostileReplies(t *testing.T) {
	const octets = 1 << 20
	for name, piece := range map[string]string{
		"words": "a ", "lines": "\n", "returns": "\r", "quotes": "''", "blanks": " \t", "NUL": "\x00",
		"links": "LINK ", "NULL links": "LINK L NULL ", "attributes": "ATTRIBUTE>", "signs": ">", "names": "UNRESOLVED a\n",
		"old links": "LINK L FILE a INTERNET-D h ASCII /a 0 0\n", "ids": aLink + "ID a b c d\n",
		"failures": "FAILURE it's\n", "warnings": "X\n",
	} {
		message := []byte(strings.Repeat(piece, octets/len(piece)))
		r, err := parseReply(message)
		if err != nil {
			if len(err.Error()) > 1000 || r != nil {
				t.Errorf("%s: %.1000v", name, err)
			}
		}
	}
}

// FuzzReply checks that the parser accepts or rejects any reply, and that the client can use the
// parsed reply.
func FuzzReply(f *testing.F) {
	for _, c := range readCaptured(f) {
		if len(c.reply) < 4000 {
			f.Add([]byte(c.reply))
		}
	}
	f.Add([]byte("LINK L EXTERNAL(AFTP,BINARY) x INTERNET-D h ASCII /x 0 7\nLINK-INFO CACHED SIZE ASCII 1 bytes\n"))
	f.Fuzz(func(t *testing.T, message []byte) {
		r, err := parseReply(message)
		if err != nil {
			if r != nil || !errors.Is(err, scheme.ErrProtocol) && !errors.Is(err, scheme.ErrTooLarge) {
				t.Fatalf("%q: %+v %v", message, r, err)
			}
			return
		}
		if octets, ok := r.Contents(); !ok && octets != nil || len(octets) > 2*len(message) {
			t.Errorf("%q: %d octets", message, len(octets))
		}
		callAccessors(t, r.Attributes, target{}, false)
		for _, l := range r.Links {
			callAccessors(t, l.Attributes, l.target, l.Type == typeExternal)
			gatewayURLs(l.target.Name)
		}
		if again, err := parseReply(message); err != nil || !reflect.DeepEqual(r, again) {
			t.Errorf("%q: %+v, and then %+v %v", message, r, again, err)
		}
	})
}

// callAccessors calls the functions that a client calls with attributes.
func callAccessors(t *testing.T, list []attribute, of target, external bool) {
	if sizeOf(list) < -1 {
		t.Errorf("%+v: size", list)
	}
	modTime(list)
	isDirectory(list)
	methods, _ := methodsOf(list, of, external)
	for _, m := range methods {
		checkMethod(t, m)
	}
	for _, a := range list {
		if (a.Link != nil) != (a.Type == valueLink) {
			t.Errorf("%+v", a)
		}
	}
}

func BenchmarkParseReply(b *testing.B) {
	for _, name := range []string{"goi-file/01", "list-attributes/01", "lost-ack/02", "goi-contents-multi/01"} {
		message := recordedReply(b, name)
		b.Run(strings.TrimSuffix(name, "/01"), func(b *testing.B) {
			b.SetBytes(int64(len(message)))
			b.ReportAllocs()
			for b.Loop() {
				if _, err := parseReply(message); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
