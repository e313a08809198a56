package tour_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/internal/tour"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

func open(t *testing.T) (*tour.Demo, *tour.Guide, *bytes.Buffer) {
	t.Helper()
	museum, err := tour.Open()
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	guide, err := tour.NewGuide(&out, func(o *access.Options) (*access.Client, error) {
		return newClient(t, museum, o)
	})
	if err != nil {
		t.Fatal(err)
	}
	return museum, guide, &out
}

// newClient returns a client with the same schemes as the command's client.
func newClient(t *testing.T, museum *tour.Demo, o *access.Options) (*access.Client, error) {
	t.Helper()
	schemes := museum.Schemes()
	for _, s := range schemes {
		if c, ok := s.Access.Opener.(io.Closer); ok {
			t.Cleanup(func() { c.Close() })
		}
	}
	registry, err := all.Registry(schemes...)
	if err != nil {
		return nil, err
	}
	return museum.Client(registry, o)
}

func TestEveryStopAnswers(t *testing.T) {
	defer goleak.VerifyNone(t)
	museum, guide, out := open(t)
	for _, stop := range museum.Stops() {
		out.Reset()
		if err := guide.Visit(t.Context(), stop, tour.Full); err != nil {
			t.Errorf("%s: %v", stop.URL, err)
		}
		for _, want := range []string{stop.Name, stop.Section, stop.Title, stop.URL.String()} {
			if !strings.Contains(out.String(), want) {
				t.Errorf("the guide does not print %q:\n%s", want, out)
			}
		}
		if !slices.Contains([]string{"file", "mid", "cid", "mailto", "data"}, stop.Scheme) && !strings.Contains(out.String(), "    > ") {
			t.Errorf("%s: the guide prints no request:\n%s", stop.URL, out)
		}
		if strings.ContainsAny(out.String(), "\x1b\r") {
			t.Errorf("%s: not safe for a terminal: %q", stop.URL, out)
		}
	}
	if err := errors.Join(guide.Close(), museum.Close()); err != nil {
		t.Error(err)
	}
}

// visit returns the guide's output for a stop. It first calls change, which may modify the stop.
func visit(t *testing.T, name string, change func(*tour.Stop)) (string, error) {
	t.Helper()
	museum, guide, out := open(t)
	defer museum.Close()
	defer guide.Close()
	stop := named(t, museum, name)
	change(&stop)
	err := guide.Visit(t.Context(), stop, tour.Full)
	return out.String(), err
}

func named(t *testing.T, museum *tour.Demo, name string) tour.Stop {
	t.Helper()
	for _, stop := range museum.Stops() {
		if stop.Name == name {
			return stop
		}
	}
	t.Fatalf("no stop is named %q", name)
	return tour.Stop{}
}

func TestVisitOutput(t *testing.T) {
	museum, guide, out := open(t)
	defer museum.Close()
	defer guide.Close()
	for name, want := range map[string][]string{
		"gopher-menu":        {"a menu, links: 9", "\n    The museum of the network, room of lists\n", "form     Guest book ", "search   Phone book "},
		"gopher-latin1":      {"iso-8859-1", "caf\u00e9, se\u00f1or"},
		"gopher-phone":       {"> query veronica", "Veronica of Reno"},
		"gopher-item":        {"%09%09+Text/plain%20De_DE", "    ABSTRACT:\n      A word of welcome"},
		"gopher-language":    {"die n\u00e4chste Liste"},
		"gopher-form":        {"a form, Guest book, to fill in:", "What did you like?             Lists that I can read.\n                                   Nothing moves.\n", "Thank you, Ada."},
		"ftp-names":          {"a menu, links: "},
		"news-groups":        {"museum.usenet", "news:museum.usenet", "a menu, links: 2"},
		"news-group":         {"a menu, links: 7", "Re: How it began ", "news:uucp.1980@museum.example", "What day is it?"},
		"news-article":       {"\n    .\n", "\n    You should see one.\n"},
		"news-file":          {"[2] text/tab-separated-values renamed.tsv", "news:began.1979@museum.example"},
		"nntp-group":         {"/museum.usenet/5\n"},
		"nntp-article":       {"> ARTICLE 2", "Ren\u00e9 of the modems <rene@museum.example>", "\u00abto whom\u00bb"},
		"wais-database":      {"a menu with a search, links: 2", "\n    Words to search for ", "\n    The room of questions.", "Catalog for database: museum"},
		"wais-search":        {"a menu with a search, links: 4", "database server\n    object   1991: a database of databases ", "/museum/HTML/1%3D127.0.0.1%3A"},
		"wais-document":      {"an object, text/plain", "\n    1991: a database of databases\n", "Here it is called INFO."},
		"wais-html":          {"an object, text/html", "<h1>1991: a database of databases</h1>"},
		"prospero-directory": {"> DIRECTORY ASCII '/museum'", "object   archie  ", "ftp://127.0.0.1:", "telnet://archie@archie.mcgill.ca/", "a menu, links: 9"},
		"prospero-object":    {"> GET-OBJECT-INFO CONTENTS ASCII '/museum/welcome' 0", "an object, text/plain", "\n    The room of names\n"},
		"prospero-link":      {"ACCESS-METHOD SEQUENCE AFTP", "> RETR 1971.txt", "\n    1971: files travel\n"},
		"prospero-field":     {"//pros/name;key=value\n", "LAST-MODIFIED+UNIX-MODES+key ASCII", "\n    This object has "},
		"prospero-missing":   {"//pros/name;key=other\n", "  not found, as expected: ", "not the object named: its \"key\" is \"value\", not \"other\""},
		"prospero-archie":    {"> DIRECTORY ASCII 'ARCHIE/MATCH(10,10,10,0,s)/.txt'", "/pub/history/1994.txt;type=i", "a menu, links: 5"},
		"telnet-login":       {"> typed: \"guest\\r\"", "> typed: ***", "a session for the user guest:\n", "\n    login: guest\n", "\n    you do NAWS\n", "\n    Goodbye.\n"},
		"telnet-library":     {"  5  Krol, Ed: The Whole Internet", "\n    > show 5\n", "The\n    Web gets a chapter", "\n    Goodbye.\n"},
		"mailto-message":     {"To: keeper@museum.example", "| It is larger than it looks"},
		"ftps-file":          {"> RETR welcome.txt", "Welcome to the museum"},
		"https-page":         {"How an address is read"},
		"gophers-menu":       {"How an envelope came about"},
		"nntps-group":        {"The doors are open", "New: a card index of RFCs \u00ab made by hand \u00bb"},
		"ftp-escapes":        {"> RETR 100% of #1.txt"},
		"ftp-archive":        {"application/zip, ", "|PK.."},
		"http-sound":         {"audio/wav, 6444 bytes", "|RIFF"},
		"news-picture":       {"[1.1] image/gif terminal.gif"},
		"wais-cards":         {"RFC 822: Standard for the format"},
		"rlogin-host":        {"> begin: guest as guest, vt100", "\n    > size\n", "\n    Goodbye.\n"},
		"tn3270-screens":     {"> WILL TN3270E", "> typed: \"99\\r\"", "> typed: \"3\\r\"", "\n     ROOM 3: GOPHER MENUS", "    A menu with an item of each type"},
		"mid-message":        {"(no request: the resource is on this computer)", "\n    From then on a letter"},
		"mid-picture":        {"A picture in a letter \u2014 the sign", "[2] image/png at.png", "cid:sign%25at@museum.example"},
		"mid-part":           {"image/png, ", "which begins:", ".PNG........IHDR"},
		"cid-part":           {"image/png"},
		"finger-2":           {"> ada", "an object, text/plain", "\n    To weave algebraic patterns.\n"},
		"finger-3":           {"> /W ada", "Office: Engine room"},
		"gemini-1":           {"a menu, links: 3", "Say something", "/notes/"},
		"gemini-3":           {"/echo\n", "a form, ", "What should the server say?    hello\n", "\n    You said: hello\n"},
		"gemini-4":           {"< 31 /notes/", "The first note"},
	} {
		out.Reset()
		if err := guide.Visit(t.Context(), named(t, museum, name), tour.Full); err != nil {
			t.Error(err)
		}
		got := out.String()
		for _, text := range want {
			if !strings.Contains(got, text) {
				t.Errorf("the guide does not print %q:\n%s", text, got)
			}
		}
	}
}

// If a session does not print the expected text, the visit must fail, and the guide must not print
// passwords.
func TestSessionsThatFail(t *testing.T) {
	wrong := []tour.Typed{{Await: "login: ", Text: "guest\r"}, {Await: "Password: ", Text: "s3cret\r", Secret: true}}
	for _, c := range []struct {
		name  string
		types []tour.Typed
		want  string
	}{
		{"rlogin-host", []tour.Typed{{Await: "> ", Text: "bye\r"}, {Await: "never"}}, `tour: waiting for "never": protocol error: the host ended the session before any output matched "never"`},
		{"rlogin-host", []tour.Typed{{Await: "> ", Text: "flood 70000\r"}, {Await: "never"}}, "the session showed more than 65536 bytes"}, // the limit may be exceeded while typing or while waiting
		{"tn3270-screens", []tour.Typed{{Await: "Room", Text: "\x1bOR"}}, "no such character"},
		{"tn3270-screens", []tour.Typed{{Await: "Room", Text: "A"}}, "digits"},
		{"telnet-login", append(slices.Repeat(wrong, 3), tour.Typed{Await: "> "}), "> typed: ***"},
	} {
		got, err := visit(t, c.name, func(s *tour.Stop) { s.Types = c.types })
		if err == nil || !strings.Contains(got, c.want) || !strings.Contains(got, "failed: ") || strings.Contains(got, "s3cret") {
			t.Errorf("%q: %v\n%s", c.want, err, got)
		}
	}
}

// The room list of the tn3270 server must fit on the screen.
func TestPlan(t *testing.T) {
	got, err := visit(t, "tn3270-screens", func(s *tour.Stop) { s.Types = []tour.Typed{{Await: "Room ===>"}} })
	_, screen, ok := strings.Cut(got, "its last screen:\n")
	if err != nil || !ok {
		t.Fatalf("%v:\n%s", err, got)
	}
	lines := strings.Split(screen, "\n")
	for i, line := range lines {
		if lines[i] = strings.TrimPrefix(line, "    "); len(lines[i]) > 79 {
			t.Errorf("row %d is too long: %q", i+1, lines[i])
		}
	}
	if !strings.HasPrefix(lines[0], " THE MUSEUM") || !strings.HasSuffix(lines[0], "  THE ROOM OF SCREENS") || strings.TrimSpace(lines[1]) != "" {
		t.Errorf("the title is %q, the next row %q", lines[0], lines[1])
	}
	if said := strings.Join(strings.Fields(strings.Join(lines[2:5], " ")), " "); !strings.Contains(said, "Nothing you type is sent before a key is pressed that says so. Then all of it is, and the screen waits.") {
		t.Errorf("the plan says %q", said)
	}
}

// A stop that declares its resource missing must fail if the resource exists, or if the server
// does not respond.
func TestMissing(t *testing.T) {
	got, err := visit(t, "prospero-field", func(s *tour.Stop) { s.Missing = true })
	if err == nil || !strings.Contains(got, "failed: tour: prospero://") || !strings.Contains(got, "should be missing") {
		t.Errorf("%v:\n%s", err, got)
	}
	got, err = visit(t, "prospero-missing", func(s *tour.Stop) { s.Missing = false })
	if err == nil || !strings.Contains(got, "failed: ") {
		t.Errorf("%v:\n%s", err, got)
	}
	got, err = visit(t, "wais-search", func(s *tour.Stop) { s.Missing, s.URL = true, locus.MustParse("wais://127.0.0.1:1/x?y") })
	if err == nil || !strings.Contains(got, "failed: ") {
		t.Errorf("%v:\n%s", err, got)
	}
}

func TestFormWithoutAnswers(t *testing.T) {
	got, err := visit(t, "gopher-form", func(s *tour.Stop) { s.Answers = nil })
	if err != nil || !strings.Contains(got, "a form, links: 0") || !strings.Contains(got, "Where were you first?") {
		t.Errorf("%v:\n%s", err, got)
	}
	got, err = visit(t, "gopher-form", func(s *tour.Stop) { s.Answers[3] = "nowhere" })
	if wrong := (*scheme.AnswerError)(nil); !errors.As(err, &wrong) || wrong.Field != 3 || !strings.Contains(got, "failed: ") {
		t.Errorf("%v, want an error about field 3:\n%s", err, got)
	}
}

// The tour must remove its files when it ends.
func TestCloseRemovesFiles(t *testing.T) {
	t.Setenv("TMPDIR", t.TempDir())
	museum, guide, _ := open(t)
	if err := errors.Join(guide.Close(), museum.Close()); err != nil {
		t.Fatal(err)
	}
	if names, err := os.ReadDir(os.Getenv("TMPDIR")); err != nil || len(names) != 0 {
		t.Errorf("left behind: %v, %v", names, err)
	}
}

func TestVisitAfterClose(t *testing.T) {
	museum, guide, out := open(t)
	defer guide.Close()
	if err := museum.Close(); err != nil {
		t.Fatal(err)
	}
	for _, stop := range museum.Stops() {
		if err := guide.Visit(t.Context(), stop, tour.Full); err == nil && stop.Scheme != "mailto" && stop.Scheme != "data" {
			t.Errorf("%s: no error after its server ended", stop.URL)
		}
	}
	if !strings.Contains(out.String(), "failed: ") {
		t.Errorf("the guide prints no failure:\n%s", out)
	}
}

func TestInterrupted(t *testing.T) {
	museum, guide, _ := open(t)
	defer museum.Close()
	defer guide.Close()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, stop := range museum.Stops() {
		if err := guide.Visit(ctx, stop, tour.Full); !errors.Is(err, context.Canceled) {
			t.Errorf("%s: %v, want context.Canceled", stop.URL, err)
		}
	}
}
