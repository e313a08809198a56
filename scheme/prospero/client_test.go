package prospero_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/ardp"
	"github.com/locus-url/locus/scheme/internal/ardp/ardptest"
	"github.com/locus-url/locus/scheme/prospero"
	"github.com/locus-url/locus/scheme/prospero/prosperotest"
)

// answers contains the replies of a server. The key for the attributes of an object is its
// hsoname. The key for its links is "LIST " and the hsoname, and the key for its contents is
// "CONTENTS " and the hsoname. If there is no key, the object is missing.
type answers map[string]string

func (a answers) answer(request string) string {
	question := requestKey(request)
	key := question
	if object, ok := strings.CutPrefix(withoutFields(question), "GET-OBJECT-INFO "+attributes+" ASCII "); ok {
		key = strings.TrimSuffix(object, " 0")
	} else if object, ok := strings.CutPrefix(question, "GET-OBJECT-INFO CONTENTS ASCII "); ok {
		key = "CONTENTS " + strings.TrimSuffix(object, " 0")
	} else if object, ok := strings.CutPrefix(question, "DIRECTORY ASCII "); ok {
		object, _, _ = strings.Cut(object, "|")
		key = "LIST " + strings.TrimSuffix(object, " 0")
	}
	if reply, ok := a[key]; ok {
		return reply
	}
	return "FAILURE NOT-FOUND FILE\n"
}

func (a answers) fixture(t testing.TB) *fixture { return newFixture(t, textHandler(a.answer)) }

const (
	theServer  = "prospero://h.example/"
	method     = "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE "
	aDirectory = "ATTRIBUTE OBJECT INTRINSIC UNIX-MODES SEQUENCE drwxr-xr-x\n"
)

// The client must return the correct result for each combination of access methods.
func TestMethods(t *testing.T) {
	for _, c := range []struct {
		name, info, to string
		err            error
		says           string
	}{
		{name: "its contents first", info: "PROSPERO-CONTENTS '' '' '' ''|AFTP INTERNET-D f.example ASCII '/a' BINARY", to: "object"},
		{name: "LOCAL is never used", info: "LOCAL '' '' '' ''|PROSPERO-CONTENTS INTERNET-D H.Example ASCII x", to: "object"},
		{name: "another before its contents", info: "AFTP INTERNET-D f.example ASCII '/a b' TEXT|PROSPERO-CONTENTS '' '' '' ''|GOPHER INTERNET-D 'g.example(70)' ASCII 'docs' 0",
			to: "ftp://f.example/a%20b;type=a gopher://g.example:70/0docs"},
		{name: "contents elsewhere", info: "PROSPERO-CONTENTS INTERNET-D 'o.example(2000)' ASCII '/y'", to: "prospero://o.example:2000//y"},
		{name: "contents of another name", info: "PROSPERO-CONTENTS INTERNET-D h.example ASCII y", to: "prospero://h.example/y"},
		{name: "a login is left out", info: "FTP INTERNET-D f.example ASCII '/home/a' BINARY|AFTP INTERNET-D f.example ASCII '/a' BINARY",
			to: "ftp://f.example/a;type=i"},
		{name: "a login alone", info: "LOCAL '' '' '' ''|FTP INTERNET-D f.example ASCII '/home/a' BINARY|FTP INTERNET-D g.example ASCII '/home/a' BINARY",
			err: scheme.ErrAuth, says: "ftp://USER@f.example/%2Fhome/a;type=i"},
		{name: "sessions and what is not mounted", info: "NFS INTERNET-D n.example ASCII a '/b'|TELNET INTERNET-D t.example ASCII ''|FTP INTERNET-D f.example ASCII '/a' BINARY",
			to: "telnet://t.example/ nfs://n.example/b/a"},
		{name: "none", info: "LOCAL '' '' '' ''|RCP INTERNET-D r.example ASCII a", err: scheme.ErrUnsupported, says: "LOCAL"},
		{name: "too short", info: "AFTP '' ''", err: scheme.ErrUnsupported, says: "3 of 5 tokens"},
	} {
		t.Run(c.name, func(t *testing.T) {
			info := ""
			for m := range strings.SplitSeq(c.info, "|") {
				info += method + m + "\n"
			}
			w := answers{"x": info, "CONTENTS x": "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA abc\n"}.fixture(t)
			res, err := w.open(theServer + "x")
			if c.err != nil {
				wantError(t, err, c.err, c.says)
				return
			}
			got := fmt.Sprint(err)
			switch r := res.(type) {
			case *scheme.Object:
				got = "object"
			case *scheme.Redirect:
				got = strings.Trim(fmt.Sprint(r.To), "[]")
			}
			if got != c.to {
				t.Errorf("%s, want %s", got, c.to)
			}
		})
	}
}

func wantError(t *testing.T, err, kind error, says string) {
	t.Helper()
	if !errors.Is(err, kind) || !strings.Contains(err.Error(), says) || !strings.HasPrefix(err.Error(), "prospero: ") {
		t.Errorf("%v, want %v that says %q", err, kind, says)
	}
}

// The client must follow ARDP redirects, and return a redirect for an object that has moved.
func TestRedirects(t *testing.T) {
	replies := readRecorded(t)
	for _, c := range []struct{ url, to string }{
		{serverA + "/pfs/info/moved-file", serverB + "/pfs2/info/archive/old%20paper.txt"},
		{serverA + "/pfs/info/moved", serverB + "/pfs2/info/archive"},
		{serverA + "/pfs/info/moved-file;A=B;object-version=0;C=D", serverB + "/pfs2/info/archive/old%20paper.txt;A=B;C=D"},
	} {
		res, err := newFixture(t, textHandler(replies.answer)).open(c.url)
		if r, ok := res.(*scheme.Redirect); !ok || len(r.To) != 1 || r.To[0].String() != c.to || r.URL.String() != c.url || r.Permanent {
			t.Errorf("%s: %+v, %v, want %s", c.url, res, err, c.to)
		}
	}
	for name, reply := range map[string]string{
		"a pointer":  replies["GET-OBJECT-INFO #ALL ASCII /pfs/info/moved-file 0"],
		"a version":  "FORWARDED INTERNET-D o.example ASCII '/a' 7\n",
		"of methods": "FORWARDED INTERNET-D 'O.Example(1525)' ASCII '/a' 7\n",
	} {
		res, err := answers{"x": reply}.fixture(t).open(theServer + "x;OBJECT-VERSION=0")
		want := "prospero://o.example//a;OBJECT-VERSION=7"
		if name == "a pointer" {
			want = serverB + "/pfs2/info/archive/old%20paper.txt"
		}
		if r, ok := res.(*scheme.Redirect); !ok || len(r.To) != 1 || r.To[0].String() != want {
			t.Errorf("%s: %+v, %v", name, res, err)
		}
	}
	if _, err := newFixture(t, textHandler(replies.answer)).follow(serverA + "/pfs/info/loop"); err != errCircle {
		t.Errorf("a loop: %v", err)
	}
	for reply, kind := range map[string]error{
		"FORWARDED VIRTUAL-SYSTEM '#/a' ASCII '/a' 0\n":  scheme.ErrUnsupported,
		"FORWARDED INTERNET-D 'h/x' ASCII '/a' 0\n":      scheme.ErrProtocol,
		"FORWARDED INTERNET-D \u212a.com ASCII '/a' 0\n": scheme.ErrProtocol, // the Kelvin sign, whose lower-case letter is k
	} {
		_, err := answers{"x": reply}.fixture(t).open(theServer + "x")
		wantError(t, err, kind, "")
	}
	contents := answers{"x": method + "PROSPERO-CONTENTS '' '' '' ''\n", "CONTENTS x": "FORWARDED INTERNET-D o.example ASCII y 0\n"}
	if res, err := contents.fixture(t).open(theServer + "x"); err != nil || fmt.Sprint(res.(*scheme.Redirect).To) != "[prospero://o.example/y]" {
		t.Errorf("%v, %v", res, err)
	}
}

// Opening a name that is neither an object nor a directory must fail.
func TestFailures(t *testing.T) {
	replies := readRecorded(t)
	recordings := readExchanges(t, exchanged)
	reply := func(name string) string { return recordings[name+"/01"].reply }
	for name, c := range map[string]struct {
		answers answers
		kind    error
		says    string
	}{
		"not found":          {answers{"x": reply("fail-not-found"), "LIST x": reply("fail-not-a-directory")}, scheme.ErrNotFound, "NOT-FOUND"},
		"no method":          {answers{"x": "NONE-FOUND\n", "LIST x": reply("fail-file-as-directory")}, scheme.ErrUnsupported, "no access method"},
		"not authorized":     {answers{"x": reply("fail-not-authorized")}, scheme.ErrAuth, "NOT-AUTHORIZED"},
		"too many":           {answers{"x": "NONE-FOUND\n", "LIST x": reply("archie-too-many")}, scheme.ErrAuth, "between 1 and 10000"},
		"too many, unknown":  {answers{"x": reply("fail-not-found"), "LIST x": reply("archie-too-many")}, scheme.ErrAuth, "between 1 and 10000"},
		"unimplemented":      {answers{"x": reply("fail-unimplemented")}, scheme.ErrUnsupported, ""},
		"error":              {answers{"x": reply("fail-unknown-command")}, scheme.ErrProtocol, ""},
		"CR LF":              {answers{"x": reply("fail-crlf")}, scheme.ErrProtocol, ""},
		"partly":             {answers{"x": "NONE-FOUND\n", "LIST x": reply("fail-partial")}, scheme.ErrUnsupported, ""},
		"another version":    {answers{"x": reply("version-unsupported")}, scheme.ErrUnsupported, "1-5"},
		"unresolved":         {answers{"x": "NONE-FOUND\n", "LIST x": reply("unresolved")}, scheme.ErrProtocol, "unresolved"},
		"says nothing":       {answers{"x": ""}, scheme.ErrProtocol, ""},
		"says it has none":   {answers{"x": method + "PROSPERO-CONTENTS '' '' '' ''\n", "CONTENTS x": "NONE-FOUND\n"}, scheme.ErrNotFound, "contents"},
		"can't be listed":    {answers{"x": aDirectory, "LIST x": reply("fail-not-a-directory")}, nil, "NOT-A-DIRECTORY"},
		"has gone meanwhile": {answers{"x": method + "PROSPERO-CONTENTS '' '' '' ''\n"}, scheme.ErrNotFound, "NOT-FOUND"},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := c.answers.fixture(t).open(theServer + "x")
			if err == nil {
				t.Fatalf("%+v", res)
			}
			if c.kind == nil {
				c.kind = err
			}
			wantError(t, err, c.kind, c.says)
		})
	}
	// An empty directory must be a menu.
	res, err := newFixture(t, textHandler(replies.answer)).open(serverA + "/pfs/info/empty")
	if list := items(t, res, err); len(list) != 0 {
		t.Errorf("%+v", list)
	}
}

// The client must handle malformed replies, which are handmade.
func TestBadReplies(t *testing.T) {
	recordings := readExchanges(t, replied)
	for name, c := range map[string]struct {
		titles string
		err    error
	}{
		"bad-line-unterminated-quote": {err: scheme.ErrProtocol},
		"bad-link-short":              {err: scheme.ErrProtocol},
		"bad-nesting":                 {err: scheme.ErrProtocol},
		"bad-link-type":               {titles: "intro.txt|other.txt!"},
		"ok-crlf":                     {titles: "intro.txt|other.txt"},
		"ok-no-final-newline":         {titles: "intro.txt|other.txt"},
		"ok-unknown-line":             {titles: "intro.txt|#"},
		"ok-warning":                  {titles: "intro.txt|#"},
	} {
		t.Run(name, func(t *testing.T) {
			res, err := answers{"x": aDirectory, "LIST x": recordings[name+"/01"].reply}.fixture(t).open(theServer + "x")
			if c.err != nil {
				wantError(t, err, c.err, "")
				return
			}
			var got []string
			for _, item := range items(t, res, err) {
				title := item.Title
				switch item.Kind {
				case scheme.KindError:
					title += "!"
				case scheme.KindInfo:
					title = "#"
				}
				got = append(got, title)
			}
			if strings.Join(got, "|") != c.titles {
				t.Errorf("%q, want %q", got, c.titles)
			}
		})
	}
}

// The fields of a URL identify the object (RFC 1738 section 3.11).
func TestFields(t *testing.T) {
	info := "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 3' bytes'\nATTRIBUTE OBJECT FIELD OWNER A. B.\nATTRIBUTE OBJECT FIELD OWNER c\n" + method + "PROSPERO-CONTENTS '' '' '' ''\n"
	w := answers{"x": info, "CONTENTS x": "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA abc\n"}.fixture(t)
	for fields, ok := range map[string]bool{
		";size=3%20bytes":           true,
		";SIZE=4%20bytes":           false,
		";OWNER=A.%20B.":            true,
		";owner=c":                  true,
		";owner=A.":                 false,
		";nobody=knows":             true,
		";SIZE=3%20bytes;OWNER=d":   false,
		";OBJECT-VERSION=0;OWNER=c": true,
	} {
		res, err := w.open(theServer + "x" + fields)
		if ok && err == nil {
			res.Close()
			continue
		}
		if ok {
			t.Errorf("%s: %v", fields, err)
			continue
		}
		wantError(t, err, scheme.ErrNotFound, "not the object named")
	}
	w.requests()
	w.open(theServer + "x;OBJECT-VERSION=12;ID=REMOTE%20345;A=B%0AC")
	if requests := w.requests(); len(requests) == 0 || requests[0] != "GET-OBJECT-INFO "+attributes+"+A ASCII x 12|SELECT OBJECT FIELD ID REMOTE 345" {
		t.Errorf("%q", requests)
	}
	w.addresses()
	for url, offset := range map[string]int{
		"x;OBJECT-VERSION=x":                    17,
		"x;A=B;%6Fbject-version=2147483648":     23,
		"x;OBJECT-VERSION=1;OBJECT-VERSION=%3b": 34,
		"x%0099999999999":                       1,
		"x;ID=REMOTE%20x":                       5,
	} {
		_, err := w.open(theServer + url)
		var e *locus.SyntaxError
		if !errors.As(err, &e) || e.Offset != len(theServer)+offset || !errors.Is(err, locus.ErrValue) {
			t.Errorf("%s: %v", url, err)
		}
	}
	if dialed := w.addresses(); len(dialed) > 0 {
		t.Errorf("dialed %q", dialed)
	}
}

// The client must request the fields that the URL names. Like the original server, the test server
// sends only the attributes that the client requests.
func TestFieldsInRequest(t *testing.T) {
	object := prosperotest.Object{Data: "text\n", Attributes: []prosperotest.Attribute{{Name: "key", Value: []string{"value"}}}}
	names := prosperotest.Directory{"/a": object, "/d": {Links: []prosperotest.Link{}, Attributes: object.Attributes}}
	s, err := prosperotest.Start(names, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	for fields, ok := range map[string]bool{
		";key=value":             true,
		";key=other":             false,
		";OWNER=me;key=other":    false,
		";key=value;key=other":   false,
		";nosuch=1;key=value":    true,
		";CONTENTS=x;key=value":  true,
		";%23ALL=x;key=value":    true,
		";a%20b=x;key=other":     false,
		";SIZE=5%20bytes":        true,
		";OBJECT-VERSION=0;key=": false,
	} {
		for _, object := range []string{"/a", "/d"} {
			u := locus.MustParse("prospero://" + s.Addr() + "/" + object + fields)
			res, err := prospero.New().Open(t.Context(), &scheme.Request{URL: u, Dial: new(net.Dialer)})
			switch {
			case err == nil:
				res.Close()
				if !ok {
					t.Errorf("%s is found", u)
				}
			case ok && !strings.Contains(fields, "SIZE"):
				t.Errorf("%s: %v", u, err)
			case !ok:
				wantError(t, err, scheme.ErrNotFound, `"key" is "value", not "`)
			}
		}
	}
}

// The client must request each attribute name only once, no name that selects several attributes,
// and at most 16 names.
func TestRequestedFields(t *testing.T) {
	w := answers{"x": aDirectory, "LIST x": "NONE-FOUND\n"}.fixture(t)
	many := ""
	for n := range 20 {
		many += fmt.Sprintf("+n%d", n)
	}
	for fields, want := range map[string]string{
		"":                                       "",
		";a=1;A=2;b=3":                           "+a+b",
		";size=1;Contents=2;id=3":                "+id",
		";a%2Bb=1;a/b=1;%27=1;=1":                "",
		";a%0Ab=1;a%00b=1;%23I=1":                "",
		";OBJECT-VERSION=1;ID=x":                 "+ID",
		strings.ReplaceAll(many, "+", ";") + "=": many[:strings.Index(many, "+n16")],
	} {
		fields = strings.ReplaceAll(fields, ";n", "=1;n")
		fields = strings.TrimPrefix(fields, "=1")
		if res, err := w.open(theServer + "x" + fields); err == nil {
			res.Close()
		}
		if got := w.requests(); len(got) == 0 || !strings.HasPrefix(got[0], "GET-OBJECT-INFO "+attributes+want+" ASCII x ") {
			t.Errorf("%s: requests %q, want %s", fields, got, want)
		}
	}
}

// If the server rejects a request because of a field, the client must repeat the request without
// the fields.
func TestRejectedFields(t *testing.T) {
	w := newFixture(t, textHandler(func(request string) string {
		if requestKey(request) == "GET-OBJECT-INFO "+attributes+"+key ASCII x 0" {
			return "FAILURE NOT-FOUND ATTRIBUTE key\n"
		}
		return answers{"x": aDirectory, "LIST x": "NONE-FOUND\n"}.answer(request)
	}))
	res, err := w.open(theServer + "x;key=value")
	if _, ok := res.(*scheme.Menu); !ok {
		t.Errorf("%+v, %v", res, err)
	}
}

// If the context is canceled during a wait, the error must mention that the server announced the
// wait.
func TestTimeoutDuringWait(t *testing.T) {
	w := newFixture(t, func(string) ardptest.Reply {
		return ardptest.Reply{Silent: true, Wait: 15 * time.Minute, QueuePosition: 1}
	})
	over := errors.New("no time left")
	ctx, cancel := context.WithCancelCause(t.Context())
	defer cancel(nil)
	_, err := prospero.New().Open(ctx, &scheme.Request{URL: locus.MustParse(theServer + "x"), Dial: w, Trace: func(_ bool, line string) {
		if strings.Contains(line, "asks to wait") {
			cancel(over)
		}
	}})
	wantError(t, err, over, `the server reported "wait 15m0s, position 1", then did not reply to `)
}

// link returns a LINK line for a link of the kind L or U to a directory.
func link(kind, name, host, hsoname string) string {
	return fmt.Sprintf("LINK %s DIRECTORY %s INTERNET-D %s ASCII %s 0\n", kind, name, host, hsoname)
}

// movedTo returns the attribute line that follows a link whose object has moved.
func movedTo(hsoname string) string {
	return "ATTRIBUTE OBJECT INTRINSIC FORWARDING-POINTER LINK L FP f INTERNET-D o.example ASCII " + hsoname + " 0\n"
}

func titles(list []scheme.Item) string {
	var all []string
	for _, item := range list {
		all = append(all, item.Title)
	}
	return strings.Join(all, " ")
}

// The links of a directory must replace the union link to this directory. The client must list
// each directory only once.
func TestUnions(t *testing.T) {
	w := answers{
		"x": aDirectory,
		"LIST x": link("L", "a", "h.example", "a") + link("U", "u", "o.example", "u") + link("U", "again", "O.Example", "u") +
			link("U", "self", "h.example", "x") + link("I", "hidden", "h.example", "i") + link("U", "moved", "o.example", "m") +
			link("U", "nobody", "nobody.example", "n") + link("U", "nobody2", "nobody.example", "n2") + link("U", "round", "h.example", "r1") +
			link("U", "missing", "o.example", "missing") + link("U", "pointer", "h.example", "p") + movedTo("p2") + link("L", "z", "h.example", "z"),
		"LIST u":  "WARNING MESSAGE hello\n" + link("L", "b", "o.example", "b") + link("U", "back", "h.example", "x") + link("U", "deep", "h.example", "d"),
		"LIST d":  link("L", "c", "o.example", "c"),
		"LIST m":  "FORWARDED INTERNET-D h.example ASCII m2 0\n",
		"LIST m2": link("L", "e", "o.example", "e"),
		"LIST p2": link("L", "f", "o.example", "f"),
		"LIST r1": "FORWARDED INTERNET-D o.example ASCII r2 0\n",
		"LIST r2": "FORWARDED INTERNET-D h.example ASCII r1 0\n",
	}.fixture(t)
	res, err := w.open(theServer + "x")
	list := items(t, res, err)
	if got := titles(list); got != "a b c e nobody nobody2 round missing f z hello" {
		t.Errorf("%s", got)
	}
	for _, item := range list {
		failed := strings.Contains(item.Note, "could not be listed")
		if want := slices.Contains([]string{"nobody", "nobody2", "round", "missing"}, item.Title); failed != want || failed && (item.URL.IsZero() || item.Kind != scheme.KindMenu) {
			t.Errorf("%+v", item)
		}
	}
	if last := list[len(list)-1]; last.Kind != scheme.KindInfo || !last.URL.IsZero() {
		t.Errorf("%+v", last)
	}
	dialed := w.addresses()
	if n := strings.Count(strings.Join(dialed, " "), "nobody.example"); n != 2 {
		t.Errorf("%d dials of a server that is not there, want udp4 and udp: %q", n, dialed)
	}
}

// The client must limit the nesting of union links and the number of requests for them.
func TestUnionLimits(t *testing.T) {
	deep := answers{"x": aDirectory, "LIST x": link("U", "u0", "h.example", "d0")}
	for i := range 20 {
		deep[fmt.Sprintf("LIST d%d", i)] = link("L", fmt.Sprint(i), "h.example", "l") + link("U", fmt.Sprintf("u%d", i+1), "h.example", fmt.Sprintf("d%d", i+1))
	}
	res, err := deep.fixture(t).open(theServer + "x")
	list := items(t, res, err)
	if got := titles(list); got != "0 1 2 3 4 5 6 7 u8" {
		t.Errorf("%s", got)
	}
	if last := list[len(list)-1]; !strings.Contains(last.Note, "more than 8 deep") {
		t.Errorf("%+v", last)
	}

	wide := answers{"x": aDirectory}
	for i := range 20 {
		wide["LIST x"] += link("U", fmt.Sprintf("u%d", i), "h.example", fmt.Sprintf("d%d", i))
		wide[fmt.Sprintf("LIST d%d", i)] = "NONE-FOUND\n"
	}
	w := wide.fixture(t)
	res, err = w.open(theServer + "x")
	if got := titles(items(t, res, err)); got != "u16 u17 u18 u19" {
		t.Errorf("%s", got)
	}
	if n := len(w.requests()); n != 2+16 {
		t.Errorf("%d requests", n)
	}
}

// The client must follow a union link only if the policy allows the link.
func TestUnionRedirect(t *testing.T) {
	w := answers{
		"x":      aDirectory,
		"LIST x": link("U", "u", "'o.example(2000)'", "u") + link("U", "v", "no.example", "v"),
		"LIST u": link("L", "b", "o.example", "b"),
	}.fixture(t)
	denied := errors.New("denied")
	var redirects []string
	res, err := prospero.New().Open(t.Context(), &scheme.Request{URL: locus.MustParse(theServer + "x"), Dial: w, RedirectDialer: func(to locus.URL) (scheme.Dialer, error) {
		redirects = append(redirects, to.String())
		if to.Host() == "no.example" {
			return nil, denied
		}
		return w, nil
	}})
	list := items(t, res, err)
	if titles(list) != "b v" || !strings.Contains(list[1].Note, "denied") || strings.Join(redirects, " ") != "prospero://o.example:2000/u prospero://no.example/v" {
		t.Errorf("%+v, %q", list, redirects)
	}
	if got := strings.Join(w.addresses(), " "); got != "h.example:1525 h.example:1525 o.example:2000" {
		t.Errorf("%q", got)
	}
}

// When the caller closes a menu or the context is canceled, the client must stop requesting the
// directories of union links.
func TestUnionEnds(t *testing.T) {
	silent := func(request string) ardptest.Reply {
		if strings.Contains(request, "DIRECTORY ASCII u") {
			return ardptest.Reply{Silent: true}
		}
		return ardptest.Reply{Message: []byte(answers{"x": aDirectory, "LIST x": link("L", "a", "h.example", "a") + link("U", "u", "h.example", "u")}.answer(request))}
	}
	for _, how := range []string{"close", "cancel"} {
		t.Run(how, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			w := newFixture(t, silent)
			res, err := prospero.New().Open(ctx, &scheme.Request{URL: locus.MustParse(theServer + "x"), Dial: w})
			if err != nil {
				t.Fatal(err)
			}
			end := res.(*scheme.Menu).Close
			if how == "cancel" {
				end = func() error { cancel(); return nil }
			}
			var last error
			for item, err := range res.(*scheme.Menu).Items {
				if item.Title == "a" {
					go end()
				}
				last = err
			}
			want := fs.ErrClosed
			if how == "cancel" {
				want = context.Canceled
			}
			if wantError(t, last, want, ""); errors.Is(last, scheme.ErrUnreachable) && how == "close" {
				t.Errorf("the server is blamed: %v", last)
			}
		})
	}
}

// When the context is canceled, a menu without pending requests must end too.
func TestMenuEnds(t *testing.T) {
	res, err := answers{"x": aDirectory, "LIST x": link("L", "a", "h.example", "a") + link("L", "b", "h.example", "b")}.fixture(t).open(theServer + "x")
	if err != nil {
		t.Fatal(err)
	}
	var last error
	for _, err := range res.(*scheme.Menu).Items {
		last = err
		res.Close()
	}
	wantError(t, last, fs.ErrClosed, "")
}

// The items of a menu must contain additional information about the links.
func TestItems(t *testing.T) {
	for _, c := range []struct{ name, line, url, kind, note string }{
		{"object", "LINK L OBJECT n INTERNET-D 'H.EXAMPLE(1525)' ASCII '/a;b' 3\n", "prospero://h.example//a%3Bb;OBJECT-VERSION=3", "unknown", ""},
		{"both", "LINK L DIRECTORY+FILE n INTERNET-D h.example ASCII '/a' 0\n", "prospero://h.example//a", "menu", ""},
		{"moved", "LINK L FILE n INTERNET-D h.example ASCII '/a' 0\n" + movedTo("'/b'"), "prospero://o.example//b", "object", "moved"},
		{"null", "LINK L NULL n NULL NULL NULL NULL 0\n", "", "unknown", "the server shows only its name"},
		{"filter", "LINK L DIRECTORY n INTERNET-D h.example ASCII '/a' 0\nATTRIBUTE LINK FIELD FILTER FILTER DIRECTORY CLIENT POST PREDEFINED p ARGS q\n", "prospero://h.example//a", "menu", "the link has a filter, which is not applied: the directory is shown whole"},
		{"filtered union", "LINK U DIRECTORY n INTERNET-D h.example ASCII '/a' 0\nATTRIBUTE LINK FIELD FILTER FILTER DIRECTORY CLIENT POST PREDEFINED p ARGS q\n", "prospero://h.example//a", "menu", "the link has a filter, which is not applied: the directory is shown whole"},
		{"no method", "LINK L EXTERNAL n INTERNET-D e.example ASCII '/a' 0\n", "", "unknown", "no URL: it has no access method"},
		{"directory by FTP", "LINK L EXTERNAL n INTERNET-D e.example ASCII '/a' 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' DIRECTORY\n", "ftp://e.example/a;type=d", "menu", ""},
		{"search", "LINK L EXTERNAL n INTERNET-D 'e.example(70)' ASCII 's' 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD GOPHER '' '' '' '' 7\n", "gopher://e.example:70/7s", "search", ""},
		{"gopher menu", "LINK L EXTERNAL n INTERNET-D 'e.example(70)' ASCII '' 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD GOPHER '' '' '' ''\n", "gopher://e.example:70/1", "menu", ""},
		{"gopher session", "LINK L EXTERNAL n INTERNET-D 'e.example(23)' ASCII u 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD GOPHER '' '' '' '' 8\n", "gopher://e.example:23/8u", "session", ""},
		{"by another server", "LINK L EXTERNAL n INTERNET-D e.example ASCII u 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD PROSPERO-CONTENTS INTERNET-D p.example ASCII '/b'\n", "prospero://p.example//b", "unknown", ""},
		{"forwarding pointer", "LINK L FP n INTERNET-D e.example ASCII u 0\n", "", "unknown", "unexpected link type "},
		{"two reasons", "LINK L DIRECTORY n INTERNET-D 'e/x' ASCII '/a' 0\nATTRIBUTE LINK FIELD FILTER FILTER DIRECTORY CLIENT POST PREDEFINED p ARGS q\n", "", "menu", "no URL: protocol error: not an Internet host: \"INTERNET-D\" \"e/x\"; the link has a filter"},
		{"access method LOCAL", "LINK L EXTERNAL n INTERNET-D e.example ASCII '/a' 0\nATTRIBUTE CACHED FIELD ACCESS-METHOD LOCAL '' '' '' ''\n", "", "unknown", "no URL: "},
		{"in no Internet", "LINK L FILE n X-NET e.example ASCII '/a' 0\n", "", "error", "not supported: host type "},
		{"ends in NUL", "LINK L FILE n INTERNET-D h.example ASCII '/a' 0\n\x00", "prospero://h.example//a", "object", ""},
		{"nowhere", "LINK L FILE n INTERNET-D 'e/x' ASCII '/a' 0\n", "", "object", "no URL: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			res, err := answers{"x": aDirectory, "LIST x": c.line}.fixture(t).open(theServer + "x")
			list := items(t, res, err)
			if len(list) != 1 {
				t.Fatalf("%+v", list)
			}
			url := ""
			if !list[0].URL.IsZero() {
				url = list[0].URL.String()
			}
			if list[0].Title != "n" || url != c.url || string(list[0].Kind) != c.kind || !strings.HasPrefix(list[0].Note, c.note) || (list[0].Note == "") != (c.note == "") {
				t.Errorf("%+v", list[0])
			}
		})
	}
}

// The menu for an Archie query must contain alternative URLs for directories.
func TestArchie(t *testing.T) {
	const query = "ARCHIE/MATCH(4,4,4,0,=)/prospero.tar.Z"
	w := newFixture(t, textHandler(readRecorded(t).answer))
	res, err := w.open(serverA + query)
	var got []string
	for _, item := range items(t, res, err) {
		got = append(got, item.URL.String())
	}
	if want := []string{
		"ftp://ftp.example.org/pub/gnu/prospero.tar.Z;type=i",
		"ftp://gatekeeper.example.com/systems/unix/prospero.tar.Z;type=i",
		"ftp://nic.example.net/mirrors/archie%20clients/prospero.tar.Z;type=i",
		"ftp://src.example.ac.uk/pub/net/prospero/prospero.tar.Z;type=i",
	}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	a := answers{"q": "NONE-FOUND\n", "LIST q": link("L", "n", "a.example", "ARCHIE/HOST/f.example/pub/n")}
	res, err = a.fixture(t).open(theServer + "q")
	item := items(t, res, err)[0]
	if item.URL.String() != "prospero://a.example/ARCHIE/HOST/f.example/pub/n" {
		t.Errorf("%+v", item)
	}
	if last := item.Fields[len(item.Fields)-1]; last.Name != "alternatives" || fmt.Sprint(last.Value) != "[ftp://f.example/pub/n/;type=d]" {
		t.Errorf("%+v", last)
	}
	// If the server does not know a gateway name, the result must be a redirect to the target
	// in the gateway name.
	const gateway = "GOPHER-GW/g.example(70)/1/docs"
	res, err = answers{gateway: "NONE-FOUND\n", "LIST " + gateway: "FAILURE NOT-A-DIRECTORY\n"}.fixture(t).open(theServer + gateway)
	if r, ok := res.(*scheme.Redirect); !ok || fmt.Sprint(r.To) != "[gopher://g.example:70/1docs]" {
		t.Errorf("%+v, %v", res, err)
	}
}

// When a transfer resumes, the caller must not receive the first part of the object again.
func TestOffset(t *testing.T) {
	w := answers{
		"x":          "ATTRIBUTE OBJECT INTRINSIC LAST-MODIFIED SEQUENCE 19940505000000Z\nATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 7' bytes'\n" + method + "PROSPERO-CONTENTS '' '' '' ''\n",
		"CONTENTS x": "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA abcdef\n",
		"y":          "ATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 0' bytes'\n" + method + "PROSPERO-CONTENTS '' '' '' ''\n",
		"CONTENTS y": "NONE-FOUND\n",
	}.fixture(t)
	modified := time.Date(1994, 5, 5, 0, 0, 0, 0, time.UTC)
	for _, c := range []struct {
		request scheme.Request
		want    string
		err     error
	}{
		{scheme.Request{}, "abcdef", nil},
		{scheme.Request{Offset: 2}, "cdef", nil},
		{scheme.Request{Offset: 2, ModTime: modified.Add(time.Millisecond)}, "cdef", nil},
		{scheme.Request{Offset: 2, ModTime: modified.Add(time.Second)}, "abcdef", nil},
		{scheme.Request{Offset: 6}, "", nil},
		{scheme.Request{Offset: 7}, "abcdef", nil},
		{scheme.Request{Limit: 6}, "abcdef", nil},
		{scheme.Request{Limit: 5}, "", scheme.ErrTooLarge},
	} {
		c.request.URL, c.request.Dial = locus.MustParse(theServer+"x"), w
		res, err := prospero.New().Open(t.Context(), &c.request)
		if c.err != nil {
			wantError(t, err, c.err, "")
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		o := res.(*scheme.Object)
		b, err := io.ReadAll(o.Body)
		if string(b) != c.want || err != nil || o.Size != 6 || o.Start != int64(6-len(c.want)) || !o.ModTime.Equal(modified) || o.Name != "x" {
			t.Errorf("%+v: %q, %v, %+v", c.request, b, err, o)
		}
	}
	res, err := w.open(theServer + "y")
	if o, ok := res.(*scheme.Object); !ok || o.Size != 0 {
		t.Errorf("an empty object: %+v, %v", res, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	res, err = prospero.New().Open(ctx, &scheme.Request{URL: locus.MustParse(theServer + "x"), Dial: w})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	_, err = res.(*scheme.Object).Body.Read(make([]byte, 1))
	wantError(t, err, context.Canceled, "")
}

// A probe must not fetch the resource.
func TestProbe(t *testing.T) {
	w := answers{
		"d": aDirectory, "LIST d": link("L", "n", "h.example", "n"),
		"o.txt": method + "PROSPERO-CONTENTS '' '' '' ''\nATTRIBUTE OBJECT INTRINSIC SIZE SEQUENCE 3' bytes'\n",
		"q":     "NONE-FOUND\n", "LIST q": "NONE-FOUND\n",
	}.fixture(t)
	open := func(name string) (scheme.Resource, error) {
		return prospero.New().Open(t.Context(), &scheme.Request{URL: locus.MustParse(theServer + name), Dial: w, Probe: true})
	}
	res, err := open("d")
	if list, requests := items(t, res, err), w.requests(); len(list) != 0 || len(requests) != 1 {
		t.Errorf("a directory: %+v, requests %q", list, requests)
	}
	res, err = open("o.txt")
	o, ok := res.(*scheme.Object)
	if !ok {
		t.Fatalf("an object: %T, %v", res, err)
	}
	defer o.Close()
	b, err := io.ReadAll(o.Body)
	if requests := w.requests(); len(b) != 0 || err != nil || len(requests) != 1 || o.Size != 3 || o.Type != "text/plain" || o.Name != "o.txt" {
		t.Errorf("an object: %+v, %q, %v, requests %q", o, b, err, requests)
	}
	res, err = open("q") // q may be a directory, or may not exist
	if list, requests := items(t, res, err), w.requests(); len(list) != 0 || len(requests) != 2 {
		t.Errorf("a query: %+v, requests %q", list, requests)
	}
	_, err = open("none")
	wantError(t, err, scheme.ErrNotFound, "")
}

// The client must handle the messages that a server sends before its reply.
func TestDelivery(t *testing.T) {
	var lines []string
	open := func(t *testing.T, w *fixture, o *ardp.Options) error {
		lines = nil
		res, err := prospero.NewWith(o).Open(t.Context(), &scheme.Request{URL: locus.MustParse(theServer + "x"), Dial: w, Trace: func(sent bool, line string) {
			lines = append(lines, fmt.Sprint(map[bool]string{true: "> ", false: "< "}[sent], line))
		}})
		if err == nil {
			items(t, res, nil)
		}
		return err
	}
	t.Run("wait", func(t *testing.T) {
		a := answers{"x": aDirectory, "LIST x": link("L", "n", "h.example", "n")}
		w := newFixture(t, func(request string) ardptest.Reply {
			return ardptest.Reply{Message: []byte(a.answer(request)), Wait: 3 * time.Minute, QueuePosition: 5, QueueTime: time.Minute}
		})
		if err := open(t, w, nil); err != nil {
			t.Fatal(err)
		}
		all := strings.Join(lines, "\n")
		for _, want := range []string{"> LIST ATTRIBUTES COMPONENTS\n", "> VERSION 5 locus\n", "< LINK L DIRECTORY n INTERNET-D h.example ASCII n 0", "asks to wait 3m0s", "position 5", "in 1m0s"} {
			if !strings.Contains(all, want) {
				t.Errorf("no %q in\n%s", want, all)
			}
		}
	})
	t.Run("refused", func(t *testing.T) {
		w := newFixture(t, func(string) ardptest.Reply { return ardptest.Reply{Refuse: true} })
		wantError(t, open(t, w, nil), scheme.ErrUnreachable, "unreachable: \"h.example:1525\": the server refused")
	})
	t.Run("silent", func(t *testing.T) {
		w := newFixture(t, func(string) ardptest.Reply { return ardptest.Reply{Silent: true} })
		err := open(t, w, &ardp.Options{Timer: time.Millisecond, Tries: 2})
		wantError(t, err, scheme.ErrUnreachable, "no response")
		var timeout interface{ Timeout() bool }
		if !errors.As(err, &timeout) || !timeout.Timeout() {
			t.Errorf("%v is no time-out", err)
		}
	})
	t.Run("too large", func(t *testing.T) {
		w := newFixture(t, func(string) ardptest.Reply { return ardptest.Reply{Message: make([]byte, 5000)} })
		wantError(t, open(t, w, &ardp.Options{Octets: 4000}), scheme.ErrTooLarge, "")
		wantError(t, open(t, w, &ardp.Options{Packets: 3}), scheme.ErrTooLarge, "")
	})
	t.Run("nobody", func(t *testing.T) {
		pc, err := net.ListenPacket("udp4", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		at := pc.LocalAddr().(*net.UDPAddr).AddrPort()
		pc.Close()
		w := newFixture(t, nil)
		w.addr = at
		wantError(t, open(t, w, nil), scheme.ErrUnreachable, "")
	})
	t.Run("sent on", func(t *testing.T) {
		a := answers{"x": aDirectory, "LIST x": "NONE-FOUND\n"}
		other := a.fixture(t)
		w := newFixture(t, func(string) ardptest.Reply { return ardptest.Reply{Redirect: other.addr} })
		var to []string
		refer := func(u locus.URL) (scheme.Dialer, error) {
			to = append(to, u.String())
			return dialAny{}, nil
		}
		res, err := prospero.New().Open(t.Context(), &scheme.Request{URL: locus.MustParse(theServer + "x"), Dial: w, RedirectDialer: refer})
		list, requests := items(t, res, err), other.requests()
		if len(list) != 0 || len(requests) != 2 {
			t.Errorf("%+v, %q", list, requests)
		}
		if want := "prospero://" + other.addr.String() + "/x"; strings.Join(to, " ") != want+" "+want {
			t.Errorf("%q", to)
		}
	})
	t.Run("no datagrams", func(t *testing.T) {
		_, err := prospero.New().Open(t.Context(), &scheme.Request{URL: locus.MustParse(theServer + "x"), Dial: noDatagrams{}})
		wantError(t, err, scheme.ErrUnsupported, "prospero: not supported: streams alone")
	})
	t.Run("not sent on", func(t *testing.T) {
		w := newFixture(t, func(string) ardptest.Reply { return ardptest.Reply{Redirect: netip.MustParseAddrPort("127.0.0.2:1")} })
		denied := errors.New("denied")
		_, err := prospero.New().Open(t.Context(), &scheme.Request{URL: locus.MustParse(theServer + "x"), Dial: w, RedirectDialer: func(locus.URL) (scheme.Dialer, error) { return nil, denied }})
		wantError(t, err, denied, "")
	})
}

// dialAny is a dialer that allows every address.
type dialAny struct{ net.Dialer }

func (d dialAny) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	return d.Dialer.DialContext(ctx, network, address)
}

// noDatagrams is a dialer without UDP.
type noDatagrams struct{}

func (noDatagrams) DialContext(context.Context, string, string) (net.Conn, error) {
	return nil, fmt.Errorf("%w: streams alone", scheme.ErrUnsupported)
}

func TestNoDialer(t *testing.T) {
	_, err := prospero.New().Open(t.Context(), &scheme.Request{URL: locus.MustParse(theServer + "x")})
	wantError(t, err, scheme.ErrUnsupported, "without a dialer")
}

// The client must also connect to a host with only IPv6 addresses.
func TestIPv6(t *testing.T) {
	pc, err := net.ListenPacket("udp6", "[::1]:0")
	if err != nil {
		t.Skip("no IPv6 here: ", err)
	}
	s := ardptest.Serve(pc, func(r *ardptest.Request) ardptest.Reply {
		return ardptest.Reply{Message: []byte("FAILURE NOT-AUTHORIZED\n")}
	}, nil)
	defer s.Close()
	x, err := prospero.Parse(locus.MustParse("prospero://" + s.Addr().String() + "/x"))
	if err != nil {
		t.Fatal(err)
	}
	_, err = prospero.New().Get(t.Context(), new(net.Dialer), x)
	wantError(t, err, scheme.ErrAuth, "NOT-AUTHORIZED")
}

// Lost, duplicated and reordered datagrams must delay the result, but must not change it.
func TestLoss(t *testing.T) {
	data := strings.Repeat("a'b c\n", 10_000)
	server, err := prosperotest.Start(prosperotest.Directory{"/pros/name": {Data: data}}, &prosperotest.Options{
		Faults: ardptest.Faults{Loss: 0.3, Duplicate: 0.2, Reorder: 0.2, Seed: 1738},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	client := prospero.NewWith(&ardp.Options{Timer: 2 * time.Millisecond, Tries: 12})
	res, err := client.Open(t.Context(), &scheme.Request{URL: locus.MustParse("prospero://" + server.Addr() + "//pros/name"), Dial: new(net.Dialer)})
	if err != nil {
		t.Fatal(err)
	}
	if b, err := io.ReadAll(res.(*scheme.Object).Body); string(b) != data || err != nil {
		t.Errorf("%d octets, %v", len(b), err)
	}
}
