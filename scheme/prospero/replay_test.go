package prospero_test

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"maps"
	"net"
	"net/netip"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/ardp/ardptest"
	"github.com/locus-url/locus/scheme/prospero"
	"github.com/locus-url/locus/scheme/schemetest"
)

// These are the URLs of the two recorded servers, with the hostnames that the servers used for
// themselves.
const (
	serverA = "prospero://pfs.example.edu:11525/"
	serverB = "prospero://pfs2.example.edu:11526/"
)

// recorded maps requests to the replies of the original server.
type recorded map[string]string

// requestKey returns the key of a request in recorded. The key omits the version, the client's
// identity and quotes.
func requestKey(request string) string {
	var lines []string
	for line := range strings.Lines(request) {
		if !strings.HasPrefix(line, "VERSION") && !strings.HasPrefix(line, "AUTHENTICATE") {
			lines = append(lines, strings.ReplaceAll(strings.TrimSuffix(line, "\n"), "'", ""))
		}
	}
	return strings.Join(lines, "|")
}

// exchange is a request of an original client of 1994, the original server's reply, and the
// client's output.
type exchange struct {
	name, request, reply string
	sum                  string   // hexadecimal SHA-256 of the object in the reply
	shown                []string // lines of the client's output
}

// readExchanges reads a file of recordings, and returns the recordings by name.
func readExchanges(t testing.TB, name string) map[string]*exchange {
	t.Helper()
	all := map[string]*exchange{}
	var e *exchange
	for line := range strings.Lines(file(t, name)) {
		mark, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		text, _ := strconv.Unquote(rest)
		switch mark {
		case "#":
			if name, _, _ := strings.Cut(rest, " "); strings.Contains(name, "/") {
				e = &exchange{name: name}
				all[name] = e
			}
		case "C:":
			e.request += text
		case "S:":
			e.reply += text
		case "F:":
			e.sum = rest
		case "O:":
			e.shown = append(e.shown, text)
		}
	}
	return all
}

// The files contain recordings: client messages with their replies, all replies, and client
// output.
const (
	exchanged = "prosperotest/testdata/exchanges.txt"
	replied   = "testdata/replies.txt"
	listings  = "testdata/listings.txt"
)

// readRecorded reads all recordings, because each recording contains different requests.
func readRecorded(t testing.TB) recorded {
	t.Helper()
	all := recorded{}
	exchanges := readExchanges(t, exchanged)
	for _, name := range slices.Sorted(maps.Keys(exchanges)) {
		e := exchanges[name]
		if key := requestKey(e.request); all[key] == "" {
			all[key] = e.reply
		}
	}
	return all
}

func file(t testing.TB, name string) string {
	t.Helper()
	b, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

const (
	attributes = "ACCESS-METHOD+SIZE+LAST-MODIFIED+UNIX-MODES"
	// aFile is the end of the server's reply about a file that the Prospero server itself can
	// send.
	aFile = "ATTRIBUTE OBJECT INTRINSIC ACCESS-METHOD SEQUENCE PROSPERO-CONTENTS '' '' '' ''\n"
)

// withoutFields returns a request without the attributes that come from the fields of the URL.
func withoutFields(question string) string {
	if rest, ok := strings.CutPrefix(question, "GET-OBJECT-INFO "+attributes+"+"); ok {
		_, object, _ := strings.Cut(rest, " ")
		return "GET-OBJECT-INFO " + attributes + " " + object
	}
	return question
}

// answer returns the recorded server's reply to a request of this client. The recorded client used
// a different command to list directories, and requested fewer attributes at once.
func (r recorded) answer(request string) string {
	question := requestKey(request)
	if reply, ok := r[question]; ok {
		return reply
	}
	if directory, ok := strings.CutSuffix(question, "LIST ATTRIBUTES COMPONENTS"); ok {
		for _, options := range []string{"LIST  COMPONENTS", "LIST LEXPAND COMPONENTS"} {
			if reply, ok := r[directory+options]; ok {
				return reply
			}
		}
		return "FAILURE NOT-A-DIRECTORY\n"
	}
	object, ok := strings.CutPrefix(withoutFields(question), "GET-OBJECT-INFO "+attributes+" ASCII ")
	if !ok {
		return "ERROR not recorded\n"
	}
	for _, other := range []string{"ACCESS-METHOD", "#ALL"} {
		if reply, ok := r["GET-OBJECT-INFO "+other+" ASCII "+object]; ok && reply != "NONE-FOUND\n" {
			return reply
		}
	}
	if _, ok := r["GET-OBJECT-INFO CONTENTS ASCII "+object]; ok {
		return aFile
	}
	return "NONE-FOUND\n"
}

// fixture is an in-process network of servers.
type fixture struct {
	t    testing.TB
	addr netip.AddrPort // address of all servers

	mu     sync.Mutex
	dialed []string // dialed addresses
	asked  []string // requests to the servers
}

// newFixture makes all servers answer with reply.
func newFixture(t testing.TB, reply func(request string) ardptest.Reply) *fixture {
	t.Helper()
	pc, err := net.ListenPacket("udp4", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	w := &fixture{t: t}
	s := ardptest.Serve(pc, func(r *ardptest.Request) ardptest.Reply {
		w.mu.Lock()
		w.asked = append(w.asked, requestKey(string(r.Message)))
		w.mu.Unlock()
		return reply(string(r.Message))
	}, nil)
	t.Cleanup(func() { s.Close() })
	w.addr = s.Addr()
	return w
}

// DialContext connects to the test server, for any host except "nobody.example".
func (w *fixture) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	w.mu.Lock()
	w.dialed = append(w.dialed, address)
	w.mu.Unlock()
	if network != "udp4" || strings.HasPrefix(address, "nobody.example:") {
		return nil, &net.DNSError{Err: "nobody is there", Name: address, IsNotFound: true}
	}
	return new(net.Dialer).DialContext(ctx, network, w.addr.String())
}

// requests returns the requests since the previous call of requests.
func (w *fixture) requests() (list []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list, w.asked = w.asked, nil
	return list
}

// addresses returns the dialed addresses since the previous call of addresses.
func (w *fixture) addresses() (list []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	list, w.dialed = w.dialed, nil
	return list
}

// open opens a URL with a client that uses the test network.
func (w *fixture) open(url string) (scheme.Resource, error) {
	return prospero.New().Open(w.t.Context(), &scheme.Request{URL: locus.MustParse(url), Dial: w, Source: true})
}

// textHandler returns a handler that answers every request with a text message from the function
// reply.
func textHandler(reply func(request string) string) func(string) ardptest.Reply {
	return func(request string) ardptest.Reply { return ardptest.Reply{Message: []byte(reply(request))} }
}

// follow opens a URL and follows redirects, like package access.
func (w *fixture) follow(url string) (scheme.Resource, error) {
	seen := map[string]bool{}
	for !seen[url] {
		seen[url] = true
		res, err := w.open(url)
		r, ok := res.(*scheme.Redirect)
		if err != nil || !ok {
			return res, err
		}
		url = r.To[0].String()
	}
	return nil, errCircle
}

var errCircle = errors.New("a circle")

// items returns the items of a menu.
func items(t testing.TB, res scheme.Resource, err error) (list []scheme.Item) {
	t.Helper()
	m, ok := res.(*scheme.Menu)
	if err != nil || !ok {
		t.Fatalf("%T, %v, want a menu", res, err)
	}
	defer m.Close()
	for item, err := range m.Items {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, item)
	}
	if m.Source != nil {
		schemetest.SameArchived(t, prospero.Scheme(nil), m, list)
	}
	return list
}

// formatItem returns an item in the output format of the original client: a letter for the item's
// type, its name, the host and the hsoname.
func formatItem(item scheme.Item) string {
	field := func(name string) string {
		for _, f := range item.Fields {
			if f.Name == name {
				s, _ := f.Value.(string)
				return s
			}
		}
		return ""
	}
	letter := map[string]string{"DIRECTORY": "D", "EXTERNAL": "E", "OBJECT": "O", "SYMBOLIC": "S"}[field("target")]
	return strings.Join([]string{letter, item.Title, strings.ToLower(field("host")), field("hsoname")}, "|")
}

var outputLine = regexp.MustCompile(`^(.)  (.{21}) +([^ (]*)(?:\((\d+)\))? +(.*)$`)

// shownBefore returns the original client's output lines in the same format as shown.
func shownBefore(t *testing.T, lines []string) (list []string) {
	t.Helper()
	for _, line := range lines {
		found := outputLine.FindStringSubmatch(line)
		if found == nil {
			t.Fatalf("%q", line)
		}
		host := strings.ToLower(found[3])
		if found[4] != "" {
			host += ":" + found[4]
		}
		fields := []string{found[1], found[2], host, found[5]}
		for i, f := range fields {
			fields[i] = strings.TrimRight(latin1(f), " ")
		}
		list = append(list, strings.Join(fields, "|"))
	}
	return list
}

// latin1 encodes text in ISO Latin 1.
func latin1(text string) string {
	var octets []byte
	for _, r := range text {
		octets = append(octets, byte(r))
	}
	return string(octets)
}

// For the same replies, this client must list the same items as the original client.
func TestListings(t *testing.T) {
	replies, recordings := readRecorded(t), readExchanges(t, listings)
	for name, url := range map[string]string{
		"list":                serverA + "/pfs/info/guide",
		"list-union":          serverA + "/pfs/info/union",
		"forwarded-list":      serverA + "/pfs/info/moved",
		"unresolved-followed": serverB + "/pfs2/info/archive/year%201993",
		"multi-packet":        serverA + "/pfs/info/big",
		"window":              serverA + "/pfs/info/huge",
		"priority":            serverA + "/pfs/info/papers",
		"redirect":            serverB + "/pfs2/info/archive",
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, textHandler(replies.answer))
			res, err := w.follow(url)
			var got []string
			for _, item := range items(t, res, err) {
				got = append(got, formatItem(item))
			}
			want := shownBefore(t, recordings[name+"/listing"].shown)
			slices.Sort(got)
			slices.Sort(want)
			for i := range max(len(got), len(want)) {
				if i >= len(got) || i >= len(want) || got[i] != want[i] {
					t.Fatalf("%d items, want %d; from the %dth: %.300q, want %.300q", len(got), len(want), i, got[i:], want[i:])
				}
			}
		})
	}
}

// The menu of a directory with every type of link must contain the correct items.
func TestLinks(t *testing.T) {
	w := newFixture(t, textHandler(readRecorded(t).answer))
	res, err := w.open(serverA + "/pfs/info/guide")
	type item struct {
		url  string
		kind scheme.ItemKind
		note string
	}
	want := map[string]item{
		"emacs-19.22.tar.gz":  {"ftp://ftp.example.org/pub/gnu/emacs-19.22.tar.gz;type=i", scheme.KindObject, ""},
		"release notes":       {"ftp://mirror.example.net/mirror/gnu/release%20notes;type=a", scheme.KindObject, ""},
		"private report":      {"ftp://ftp.example.org/%2Fhome/staff/report.ps;type=i", scheme.KindObject, "it requires your own login"},
		"Weather maps":        {"gopher://gopher.example.net:70/11/Weather/Maps", scheme.KindMenu, ""},
		"About gopher":        {"gopher://gopher.example.net:7070/0about/text%3Fx", scheme.KindObject, ""},
		"Old catalogue":       {"", scheme.KindUnknown, "no URL: "},
		"Library terminal":    {"telnet://guest@library.example.edu:23/", scheme.KindSession, `Use the account name "guest" to log in`},
		"Mainframe":           {"tn3270://vm.example.edu/", scheme.KindSession, ""},
		"Shared volume":       {"nfs://nfs.example.edu/export/home1/pub/docs/paper.ps", scheme.KindObject, ""},
		"Cell file":           {"afs://example.edu/doc/file.txt", scheme.KindObject, ""},
		"Two ways":            {"ftp://ftp.example.org/pub/a.txt;type=a", scheme.KindObject, ""},
		"Unknown method":      {"", scheme.KindUnknown, "no URL: "},
		"README":              {serverA + "AFTP/pub/docs/README", scheme.KindObject, ""},
		"archive":             {serverB + "/pfs2/info/archive", scheme.KindMenu, ""},
		"in a virtual system": {"", scheme.KindUnknown, "a link to the virtual system"},
		"dated":               {serverA + "/pfs/info/papers/intro.txt", scheme.KindObject, ""},
		"slash/name":          {serverA + "/pfs/info/papers/intro.txt", scheme.KindObject, ""},
		"see also":            {serverA + "/pfs/info/papers/intro.txt", scheme.KindUnknown, ""},
		"don't":               {serverA + "/pfs/info/papers/it's.txt", scheme.KindObject, ""},
	}
	for _, it := range items(t, res, err) {
		w, ok := want[it.Title]
		if !ok {
			t.Errorf("%+v", it)
		}
		delete(want, it.Title)
		url := ""
		if !it.URL.IsZero() {
			url = it.URL.String()
		}
		if url != w.url || it.Kind != w.kind || !strings.HasPrefix(it.Note, w.note) {
			t.Errorf("%s: %q %s %q, want %+v", it.Title, url, it.Kind, it.Note, w)
		}
		if it.Title == "emacs-19.22.tar.gz" && (it.Size != 10893760 || !it.ModTime.Equal(time.Date(1994, 3, 5, 12, 0, 0, 0, time.UTC)) || it.Type == "") {
			t.Errorf("%+v", it)
		}
	}
	for title := range want {
		t.Errorf("no %q", title)
	}
}

// The client must return the contents of objects that the Prospero server itself sends.
func TestContents(t *testing.T) {
	replies, recordings := readRecorded(t), readExchanges(t, replied)
	for name, hsoname := range map[string]string{
		"vget/04":                "AFTP/pub/docs/README",
		"goi-contents/01":        "/pfs/info/papers/two%20words.txt",
		"goi-contents-multi/01":  "AFTP/pub/docs/long.txt",
		"goi-contents-binary/01": "AFTP/pub/images/logo.gif",
		"goi-contents-tagged/01": "/pfs/info/papers/tagged",
	} {
		t.Run(name, func(t *testing.T) {
			w := newFixture(t, textHandler(replies.answer))
			res, err := w.open(serverA + hsoname)
			o, ok := res.(*scheme.Object)
			if !ok {
				t.Fatalf("%T, %v", res, err)
			}
			defer o.Close()
			b, err := io.ReadAll(o.Body)
			if err != nil || o.Size != int64(len(b)) || o.Start != 0 {
				t.Errorf("%d octets, %v, size %d", len(b), err, o.Size)
			}
			want := recordings[name].sum
			if name == "goi-contents-tagged/01" {
				want = sum([]byte("Title: A tagged object\nAuthor: A. N. Other\nbody text\n"))
			}
			if sum(b) != want {
				t.Errorf("%.100q", b)
			}
			if requests := w.requests(); len(requests) != 2 || !strings.HasPrefix(requests[1], "GET-OBJECT-INFO CONTENTS ASCII ") {
				t.Errorf("requests %q", requests)
			}
		})
	}
}

// To request the same information, this client must send the same words as the original client.
func TestRequestsLikeOriginal(t *testing.T) {
	replies, recordings := readRecorded(t), readExchanges(t, exchanged)
	for url, name := range map[string]string{
		serverA + "AFTP/pub/docs/notes.txt":                           "goi-file/01",
		serverA + "AFTP/pub/docs":                                     "goi-directory/01",
		serverA + "/pfs/info/guide":                                   "list-attributes/01",
		serverA + "/pfs/info/papers":                                  "list-native-attributes/01",
		serverA + "/pfs/info/filters":                                 "list-filter-attribute/01",
		serverA + "ARCHIE/MATCH(4,4,4,0,=)/prospero.tar.Z":            "archie-exact/01",
		serverA + "ARCHIE/MATCH(0,3,3,0,s)/emacs":                     "archie-too-many/01",
		serverA + "ARCHIE/MATCH(6,6,6,0,S)/emacs;OBJECT-VERSION=0":    "wait/01",
		serverA + "/pfs/info/papers/two%20words.txt;OBJECT-VERSION=0": "goi-contents/01",
		serverA + "AFTP/pub/docs/README":                              "vget/04",
	} {
		w := newFixture(t, textHandler(replies.answer))
		if res, err := w.open(url); err == nil {
			res.Close()
		}
		got := w.requests()
		if want := requestKey(recordings[name].request); !slices.Contains(got, want) {
			t.Errorf("%s: asked %q, want %q", url, got, want)
		}
	}
}

func sum(octets []byte) string { return fmt.Sprintf("%x", sha256.Sum256(octets)) }
