package prospero

import (
	"bufio"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"os"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/scheme"
)

// captured is a recorded reply.
type captured struct {
	name   string
	reply  string
	tokens [][]string // nil if unknown
	sum    string     // checksum of the object in the reply
}

// readCaptured returns the recorded replies in testdata.
func readCaptured(t testing.TB) (list []captured) {
	t.Helper()
	f, err := os.Open("testdata/replies.txt")
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	s := bufio.NewScanner(f)
	s.Buffer(nil, 1<<20)
	for n := 1; s.Scan(); n++ {
		mark, rest, _ := strings.Cut(s.Text(), " ")
		if mark == "#" && strings.Contains(rest, "/") {
			list = append(list, captured{name: rest})
		}
		if len(list) == 0 {
			continue
		}
		c := &list[len(list)-1]
		switch mark {
		case "S:":
			text, err := strconv.Unquote(rest)
			if err != nil {
				t.Fatalf("line %d: %v", n, err)
			}
			c.reply += text
		case "T:":
			var tokens []string
			if err := json.Unmarshal([]byte(rest), &tokens); err != nil {
				t.Fatalf("line %d: %v", n, err)
			}
			for i := range tokens {
				tokens[i] = octets(tokens[i])
			}
			c.tokens = append(c.tokens, tokens)
		case "F:":
			c.sum = rest
		}
	}
	if s.Err() != nil || len(list) != 78 {
		t.Fatalf("%d replies, %v", len(list), s.Err())
	}
	return list
}

// octets converts text to octets. Each character becomes the octet with the same number.
func octets(text string) string {
	var b []byte
	for _, r := range text {
		b = append(b, byte(r))
	}
	return string(b)
}

func recordedReply(t testing.TB, name string) []byte {
	t.Helper()
	for _, c := range readCaptured(t) {
		if c.name == name {
			return []byte(c.reply)
		}
	}
	t.Fatalf("there is no reply %s", name)
	return nil
}

func parsed(t testing.TB, name string) *reply {
	t.Helper()
	r, err := parseReply(recordedReply(t, name))
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return r
}

// tokensOf splits a message into lines and tokens, like parseReply.
func tokensOf(message string) (lines [][]string, closed bool) {
	for closed = true; message != "" && closed; {
		if l, rest, ok := cutNullLink(message); ok {
			lines, message = append(lines, []string{"LINK", "L", "NULL", l.Name, "NULL", "NULL", "NULL", "NULL", "0"}), rest
			continue
		}
		var line string
		if line, message, closed = cutLine(message); !closed {
			break
		}
		if tokens := appendTokens(nil, line); tokens != nil {
			lines = append(lines, tokens)
		}
	}
	return lines, closed
}

func TestCapturedTokens(t *testing.T) {
	for _, c := range readCaptured(t) {
		if c.tokens == nil || c.name == "v1-list-attributes/02" {
			// The program that produced the expected tokens interpreted the
			// apostrophes of version 1 as quotes. TestVersion1 tests their correct
			// meaning.
			continue
		}
		got, closed := tokensOf(c.reply)
		if !closed || !reflect.DeepEqual(got, c.tokens) {
			t.Errorf("%s: %q, not %q", c.name, got, c.tokens)
		}
	}
}

// The client must parse each reply of the original server. The number of parsed parts must equal
// the number of lines.
func TestCapturedReplies(t *testing.T) {
	for _, c := range readCaptured(t) {
		if c.tokens == nil {
			continue
		}
		r, err := parseReply([]byte(c.reply))
		if strings.HasPrefix(c.name, "unresolved") && errors.Is(err, scheme.ErrProtocol) {
			continue // the client sends no request with components
		}
		if err != nil {
			t.Errorf("%s: %v", c.name, err)
			continue
		}
		if r.Old {
			continue
		}
		links, attributes, failed := 0, 0, false
		for _, l := range c.tokens {
			switch l[0] {
			case "LINK":
				links++
			case "ATTRIBUTE":
				attributes++
			case "FAILURE", "ERROR", "VERSION-NOT-SUPPORTED":
				failed = true
			}
		}
		if c.name == "forwarded-object-all/01" {
			failed = false
		}
		if len(r.Links) != links || count(r) != attributes || (r.Failure != nil) != failed || r.Warnings != nil {
			t.Errorf("%s: %d links, %d attributes, %v, %q", c.name, len(r.Links), count(r), r.Failure, r.Warnings)
		}
		for _, l := range r.Links {
			if l.Err != nil {
				t.Errorf("%s: %s: %v", c.name, l.Name, l.Err)
			}
		}
		if c.sum != "" {
			contents, ok := r.Contents()
			if sum := sha256.Sum256(contents); !ok || hex.EncodeToString(sum[:]) != c.sum {
				t.Errorf("%s: %d octets of contents", c.name, len(contents))
			}
		}
	}
}

// count returns the number of attributes in a reply.
func count(r *reply) int {
	n := len(r.Attributes)
	for _, l := range r.Links {
		n += len(l.Attributes)
	}
	return n
}

func TestCapturedFailures(t *testing.T) {
	for _, c := range []struct {
		name, word, text string
		kind             error
	}{
		{"archie-too-many/01", "NOT-AUTHORIZED", "Legal values for max hits are between 1 and 10000", scheme.ErrAuth},
		{"fail-crlf/01", "ERROR", "Malformed input line: Read Prospero message with an empty line.", scheme.ErrProtocol},
		{"fail-file-as-directory/01", "NOT-A-DIRECTORY", "", scheme.ErrNotFound},
		{"fail-filter/01", "NOT-FOUND", "FILTER This server does not support the PREDEFINED SERVER filter named NO-SUCH-FILTER.", scheme.ErrNotFound},
		{"fail-filter-location/01", "ERROR", "", scheme.ErrProtocol},
		{"fail-not-authorized/01", "NOT-AUTHORIZED", "", scheme.ErrAuth},
		{"fail-not-found/01", "NOT-FOUND", "", scheme.ErrNotFound},
		{"fail-partial/01", "NOT-A-DIRECTORY", "", scheme.ErrNotFound},
		{"fail-unimplemented/01", "UNIMPLEMENTED", "ATOMIC", scheme.ErrUnsupported},
		{"fail-unknown-command/01", "ERROR", "Unknown message: FETCH ASCII /pfs/info/papers/intro.txt", scheme.ErrProtocol},
		{"fail-unterminated-quote/01", "ERROR", "Malformed input line: Read Prospero message with an unterminated quote", scheme.ErrProtocol},
		{"version-unsupported/01", "VERSION-NOT-SUPPORTED", "TRY 1-5", scheme.ErrUnsupported},
	} {
		r := parsed(t, c.name)
		var failure *failureError
		if !errors.As(r.Failure, &failure) || failure.Word != c.word || !errors.Is(r.Failure, c.kind) || c.text != "" && failure.Text != c.text {
			t.Errorf("%s: %v", c.name, r.Failure)
			continue
		}
		if text := r.Failure.Error(); !strings.Contains(text, c.word) || strings.ContainsAny(text, "\n\x1b") {
			t.Errorf("%s: %q", c.name, text)
		}
	}
	if n := len(parsed(t, "fail-partial/01").Links); n != 1 {
		t.Errorf("%d links before the failure", n)
	}
}

func TestCapturedForwarded(t *testing.T) {
	want := target{HostType: "INTERNET-D", Host: "PFS2.EXAMPLE.EDU", Port: 11526, NameType: "ASCII", Name: "/pfs2/info/archive/old paper.txt"}
	for _, name := range []string{"forwarded-object/01", "forwarded-object-all/01"} {
		r := parsed(t, name)
		if r.Forwarded == nil || r.Failure != nil {
			t.Errorf("%s: %v %v", name, r.Forwarded, r.Failure)
			continue
		}
		if *r.Forwarded != want {
			t.Errorf("%s: %+v", name, *r.Forwarded)
		}
	}
}

func TestCapturedLinks(t *testing.T) {
	guide := parsed(t, "list-attributes/01").Links
	byName := map[string]link{}
	for _, l := range guide {
		byName[l.Name] = l
	}
	emacs := byName["emacs-19.22.tar.gz"]
	if emacs.Type != typeExternal || emacs.Host != "FTP.EXAMPLE.ORG" || sizeOf(emacs.Attributes) != 10893760 || isDirectory(emacs.Attributes) ||
		!modTime(emacs.Attributes).Equal(time.Date(1994, 3, 5, 12, 0, 0, 0, time.UTC)) {
		t.Errorf("%+v", emacs)
	}
	if l := byName["in a virtual system"]; l.Type != typeSymbolic || l.HostType != hostVirtual || l.Host != "#/INET/EDU/EXAMPLE/vs" || l.Err != nil {
		t.Errorf("%+v", l)
	}
	if l := byName["Weather maps"]; l.Host != "GOPHER.EXAMPLE.NET" || l.Port != 70 || l.target.Name != "1/Weather/Maps" {
		t.Errorf("%+v", l)
	}
	also := byName["see also"].Attributes
	if len(also) != 2 || also[0].Link == nil || also[0].Link.Name != "README" || also[1].Name != "AFTER" {
		t.Errorf("%+v", also)
	}

	union := parsed(t, "list-union/02").Links
	if len(union) != 3 || union[0].Kind != kindLink || union[1].Kind != kindUnion || union[2].Kind != kindUnion || union[2].Port != 11526 {
		t.Errorf("%+v", union)
	}
	null := parsed(t, "list-null-link/01").Links
	if len(null) != 1 || null[0].Type != typeNull || null[0].Name != "secret plan" || null[0].Host != "NULL" || null[0].Err != nil {
		t.Errorf("%+v", null)
	}
	ids := parsed(t, "list-id-blank-line/02").Links
	if len(ids) != 2 || !reflect.DeepEqual(find(ids[0].Attributes, "id")[0].Value, []string{"REMOTE", "123456"}) || len(ids[1].Attributes) != 0 {
		t.Errorf("%+v", ids)
	}
	filtered := parsed(t, "list-filter-attribute/01").Links
	if len(filtered) != 1 || !reflect.DeepEqual(filtered[0].Attributes[0].Value, []string{"DIRECTORY", "CLIENT", "POST", "PREDEFINED", "attribute match", "ARGS", "one", "two three"}) {
		t.Errorf("%+v", filtered)
	}
}

func TestCapturedObjects(t *testing.T) {
	file := parsed(t, "goi-file/01")
	if sizeOf(file.Attributes) != 6 || isDirectory(file.Attributes) || len(find(file.Attributes, "ACCESS-METHOD")) != 3 {
		t.Errorf("%+v", file)
	}
	if directory := parsed(t, "goi-directory/01"); !isDirectory(directory.Attributes) || sizeOf(directory.Attributes) != 4096 || find(directory.Attributes, "ACCESS-METHOD") != nil {
		t.Errorf("%+v", directory)
	}
	for name, want := range map[string]string{
		"goi-contents/01":        "second file\nwith 'quotes' and a tab\there\n",
		"goi-contents-tagged/01": "Title: A tagged object\nAuthor: A. N. Other\nbody text\n",
	} {
		if got, ok := parsed(t, name).Contents(); !ok || string(got) != want {
			t.Errorf("%s: %q %v", name, got, ok)
		}
	}
	if got, ok := file.Contents(); ok || got != nil {
		t.Errorf("%q", got)
	}
}

func TestVersion1(t *testing.T) {
	r := parsed(t, "v1-list/02")
	if !r.Old || len(r.Links) != 13 || r.Links[0].Port != 11526 || r.Links[0].target.Name != "/pfs2/info/archive" || r.Links[12].Name != "ids" {
		t.Errorf("%+v", r)
	}
	r = parsed(t, "v1-list-attributes/02")
	var names []string
	for _, l := range r.Links {
		names = append(names, l.Name)
		if l.Err != nil || sizeOf(l.Attributes) < 2 || modTime(l.Attributes).IsZero() {
			t.Errorf("%+v", l)
		}
	}
	if want := []string{"it's.txt", "caf\xc3\xa9.txt", "semi;colon=100%.txt", "intro.txt", "a+b,c.txt", "tagged"}; !reflect.DeepEqual(names, want) {
		t.Errorf("%q", names)
	}
	if want := []string{"OUT-OF-DATE Some information you wanted can't be sent. Upgrade to Prospero v5."}; !reflect.DeepEqual(r.Warnings, want) {
		t.Errorf("%q", r.Warnings)
	}
	if r.Links[0].target.Name != "/pfs/info/papers/it's.txt" {
		t.Errorf("%+v", r.Links[0])
	}
	tagged := reply{Attributes: find(r.Links[5].Attributes, "CONTENTS")}
	if got, _ := tagged.Contents(); string(got) != "Title: A tagged object\nAuthor: A. N. Other\n" {
		t.Errorf("%q", got)
	}

	const external = "LINK L EXTERNAL(AFTP,BINARY) x INTERNET-D FTP.EXAMPLE.ORG ASCII /pub/x 0 7\nLINK L SYM-LINK 'y' VIRTUAL-SYSTEM #/a/b ASCII /c 0 0\n"
	r, err := parseReply([]byte(external))
	if err != nil || len(r.Links) != 2 || r.Links[0].Type != typeExternal || r.Links[1].Type != typeSymbolic || r.Links[1].Name != "'y'" || r.Links[1].Err != nil {
		t.Fatalf("%+v %v", r, err)
	}
	methods, faults := methodsOf(r.Links[0].Attributes, r.Links[0].target, true)
	if len(methods) != 1 || faults != nil {
		t.Fatalf("%+v %v", methods, faults)
	}
	if u, err := methods[0].URL(); err != nil || u.String() != "ftp://ftp.example.org/pub/x;type=i" {
		t.Errorf("%v %v", u, err)
	}
}

// Parsing a handmade reply must return the intended result.
func TestHandmadeReplies(t *testing.T) {
	for _, name := range []string{"bad-line-unterminated-quote/01", "bad-link-short/01", "bad-nesting/01"} {
		r, err := parseReply(recordedReply(t, name))
		if r != nil || err == nil || !strings.HasPrefix(err.Error(), "line 2 of the reply, at octet ") || !errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%s: %+v %v", name, r, err)
		}
	}
	r := parsed(t, "bad-link-type/01")
	if len(r.Links) != 2 || r.Links[0].Err != nil || !errors.Is(r.Links[1].Err, scheme.ErrProtocol) {
		t.Errorf("%+v", r)
	}
	for name, links := range map[string]int{"ok-crlf/01": 2, "ok-no-final-newline/01": 2, "ok-unknown-line/01": 1, "ok-warning/01": 1} {
		if r := parsed(t, name); len(r.Links) != links || r.Links[0].Err != nil || r.Links[0].Version != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
	if w := parsed(t, "ok-unknown-line/01").Warnings; len(w) != 1 || !strings.Contains(w[0], "X-NEWS") {
		t.Errorf("%q", w)
	}
	if w := parsed(t, "ok-warning/01").Warnings; !reflect.DeepEqual(w, []string{"The server goes down at 5 o'clock"}) {
		t.Errorf("%q", w)
	}
}
