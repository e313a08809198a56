package ftp_test

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"net"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/schemetest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// dialer counts the connections that it opens.
type dialer struct {
	net.Dialer
	dialed atomic.Int32
	mu     sync.Mutex
	last   []string // dialed addresses
}

func (d *dialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	d.dialed.Add(1)
	d.mu.Lock()
	d.last = append(d.last, address)
	d.mu.Unlock()
	return d.Dialer.DialContext(ctx, network, address)
}

// dataDialer is a dialer that implements scheme.DataDialer.
type dataDialer struct {
	dialer
	data atomic.Int32
}

func (d *dataDialer) DialData(ctx context.Context, control net.Conn, port uint16) (net.Conn, error) {
	d.data.Add(1)
	host, _, _ := net.SplitHostPort(control.RemoteAddr().String())
	return d.Dialer.DialContext(ctx, "tcp", net.JoinHostPort(host, fmt.Sprint(port)))
}

func (d *dataDialer) ListenData(ctx context.Context, control net.Conn) (net.Listener, error) {
	d.data.Add(1)
	host, _, _ := net.SplitHostPort(control.LocalAddr().String())
	return new(net.ListenConfig).Listen(ctx, "tcp", net.JoinHostPort(host, "0"))
}

// fixture holds a server and a client for one test.
type fixture struct {
	*testing.T
	server *ftptest.Server
	addr   string // address of the server
	client *ftp.Client
	dial   scheme.Dialer
	req    scheme.Request // default fields of each request
	trace  []string
}

func start(t *testing.T, files ftptest.Files, so *ftptest.Options, co *ftp.Options) *fixture {
	t.Helper()
	s, err := ftptest.Start(files, so)
	if err != nil {
		t.Fatal(err)
	}
	c := ftp.New(co)
	t.Cleanup(func() {
		c.Close()
		s.Close()
	})
	return &fixture{T: t, server: s, addr: s.Addr(), client: c, dial: new(dialer)}
}

// open opens the URL with the given login and path on the server.
func (w *fixture) open(login, path string) (scheme.Resource, error) {
	return w.openContext(context.Background(), "ftp", login, path)
}

func (w *fixture) openContext(ctx context.Context, name, login, path string) (scheme.Resource, error) {
	req := w.req
	req.URL = locus.MustParse(name + "://" + login + w.addr + path)
	req.Dial = w.dial
	req.Trace = func(sent bool, line string) {
		w.trace = append(w.trace, fmt.Sprint(map[bool]string{true: "> ", false: "< "}[sent], line))
	}
	return w.client.Open(ctx, &req)
}

// get reads the object at path.
func (w *fixture) get(login, path string) (string, error) {
	r, err := w.open(login, path)
	if err != nil {
		return "", err
	}
	defer r.Close()
	b, err := io.ReadAll(r.(*scheme.Object).Body)
	return string(b), err
}

func (w *fixture) wantGet(login, path, want string) {
	w.Helper()
	if got, err := w.get(login, path); got != want || err != nil {
		w.Errorf("%s: %.60q, %v; want %.60q", path, got, err, want)
	}
}

// titles reads the menu at path. It returns a text for each item, which is "title" or "title
// url".
func (w *fixture) titles(login, path string) ([]string, error) {
	w.req.Source = true
	r, err := w.open(login, path)
	w.req.Source = false
	if err != nil {
		return nil, err
	}
	defer r.Close()
	var list []string
	var all []scheme.Item
	for it, err := range r.(*scheme.Menu).Items {
		if err != nil {
			return list, err
		}
		all = append(all, it)
		list = append(list, string(it.Kind)+" "+strings.TrimPrefix(it.URL.String(), "ftp://"+login+w.addr))
	}
	if m, ok := r.(*scheme.Menu); ok && m.Source != nil {
		schemetest.SameArchived(w, ftp.Scheme(w.client), r.(*scheme.Menu), all)
	}
	return list, nil
}

// sent returns the commands that the server received over connection n. It omits the login and
// the commands that open data connections.
func (w *fixture) sent(n int) string {
	log := w.server.Log()
	if n >= len(log) {
		return ""
	}
	return strings.Join(slices.DeleteFunc(log[n], func(text string) bool {
		verb, _, _ := strings.Cut(text, " ")
		return slices.Contains([]string{"USER", "PASS", "EPSV", "PASV", "EPRT", "PORT", "SIZE", "MDTM", "QUIT"}, verb)
	}), "|")
}

func (w *fixture) wantSent(n int, want string) {
	w.Helper()
	if got := w.sent(n); got != want {
		w.Errorf("connection %d: sent %q, want %q", n, got, want)
	}
}

// wantError checks that err wraps kind, and that its message contains the words.
func (w *fixture) wantError(err, kind error, words ...string) {
	w.Helper()
	if !errors.Is(err, kind) {
		w.Errorf("%v; want %v", err, kind)
		return
	}
	for _, word := range words {
		if !strings.Contains(err.Error(), word) {
			w.Errorf("%v; lacks %q", err, word)
		}
	}
}

// The client must send different commands for the three similar URLs in RFC 1738 section
// 3.2.2.
func TestSimilarURLsDiffer(t *testing.T) {
	files := ftptest.Files{"etc/motd": {Data: "of the system"}, "home/alice/etc/motd": {Data: "of alice"}}
	for _, c := range []struct {
		empty ftptest.EmptyCWD
		want  string
	}{{ftptest.EmptyRoot, "of the system"}, {ftptest.EmptyHome, "of alice"}, {ftptest.EmptyStay, "of alice"}} {
		w := start(t, files, &ftptest.Options{User: "alice", Password: "s3cret", Home: "home/alice", EmptyCWD: c.empty}, nil)
		w.wantGet("alice:s3cret@", "/etc/motd", "of alice")
		w.wantGet("alice:s3cret@", "/%2Fetc/motd", "of the system")
		w.wantGet("alice:s3cret@", "//etc/motd", c.want)
		w.wantSent(0, "CWD etc|TYPE I|RETR motd")
		w.wantSent(1, "CWD /etc|TYPE I|RETR motd")
		w.wantSent(2, "CWD |CWD etc|TYPE I|RETR motd")
	}
}

func TestRefusedEmptyCWD(t *testing.T) {
	files := ftptest.Files{"etc/motd": {Data: "x"}}
	w := start(t, files, &ftptest.Options{EmptyCWD: ftptest.EmptyRefuse}, nil)
	_, err := w.get("", "//etc/motd")
	w.wantError(err, scheme.ErrNotFound, "CWD ", "550", "%2F")
	if r := scheme.ReasonOf(err); r != scheme.ReasonEmptySegment || strings.Contains(err.Error(), "--") {
		t.Errorf("reason %q: %v", r, err)
	}
	w.wantSent(0, "CWD ")
}

func TestCWDModes(t *testing.T) {
	files := ftptest.Files{"a/b/x": {Data: "x"}}
	for _, c := range []struct {
		mode            ftp.CWDMode
		file, dir, list string
	}{
		{ftp.CWDMulti, "CWD a|CWD b|TYPE I|RETR x", "CWD a|CWD b|FEAT|MLSD", "CWD a|NLST b"},
		{ftp.CWDSingle, "CWD a/b|TYPE I|RETR x", "CWD a/b|FEAT|MLSD", "CWD a|NLST b"},
		{ftp.CWDNone, "TYPE I|RETR a/b/x", "FEAT|MLSD a/b", "NLST a/b"},
	} {
		for i, p := range []struct{ path, want string }{{"/a/b/x", c.file}, {"/a/b/", c.dir}, {"/a/b;type=d", c.list}} {
			w := start(t, files, nil, &ftp.Options{CWD: c.mode})
			if i == 0 {
				w.wantGet("", p.path, "x")
			} else if got, err := w.titles("", p.path); err != nil || len(got) != 1 || !strings.HasSuffix(got[0], " /a/b/x") {
				t.Errorf("%v %s: %q, %v", c.mode, p.path, got, err)
			}
			w.wantSent(0, p.want)
		}
	}
}

func TestNames(t *testing.T) {
	files := ftptest.Files{}
	paths := map[string]string{
		"b c.txt": "b%20c.txt", "semi;type=a.txt": "semi%3Btype=a.txt", "per%2Fcent": "per%252Fcent", "hash#x": "hash%23x", "caf\xe9": "caf%E9",
		"café": "caf%C3%A9", "what?": "what%3F", " lead": "%20lead", "*star[1]": "*star%5B1%5D", "-la": "-la", "ff\xff": "ff%FF", "tab\tx": "tab%09x",
	}
	for name := range paths {
		files["a dir/"+name] = ftptest.File{Data: "content of " + name}
	}
	w := start(t, files, nil, nil)
	for name, path := range paths {
		w.wantGet("", "/a%20dir/"+path, "content of "+name)
	}
	for _, dir := range []string{"/a%20dir/", "/a%20dir;type=d"} {
		got, err := w.titles("", dir)
		if err != nil || len(got) != len(paths) {
			t.Fatalf("%s: %q, %v", dir, got, err)
		}
		for _, path := range paths {
			if !slices.ContainsFunc(got, func(s string) bool { return strings.HasSuffix(s, " /a%20dir/"+path) }) {
				t.Errorf("%s: %q lacks %s", dir, got, path)
			}
		}
	}
	if len(w.server.Log()) != 2 {
		t.Errorf("%d connections; one for what is in the directory, and one for NLST outside it", len(w.server.Log()))
	}
}

// If a URL contains an encoded line end, the text after it would be another command. The
// client must reject the URL before it dials.
func TestNothingIsSent(t *testing.T) {
	w := start(t, nil, nil, nil)
	for _, c := range []struct{ login, path string }{
		{"u:p@", "/a%0d%0aDELE%20x"}, {"a%0d%0aNOOP@", "/"}, {"u:p%0Aq@", "/x"}, {"", "/a%00b/x"}, {"", "/x%0D;type=d"},
	} {
		_, err := w.open(c.login, c.path)
		var e *locus.SyntaxError
		if !errors.As(err, &e) || strings.Contains(err.Error(), "%0Aq") {
			t.Errorf("%s %s: %v", c.login, c.path, err)
		}
	}
	if n := w.dial.(*dialer).dialed.Load(); n != 0 || len(w.server.Log()) != 0 || len(w.trace) != 0 {
		t.Errorf("%d dialed, log %q, trace %q", n, w.server.Log(), w.trace)
	}
	// The client must also reject such a password from Ask.
	w = start(t, nil, &ftptest.Options{User: "u", Password: "p"}, nil)
	w.req.Ask = func(context.Context, scheme.Question) (scheme.Credentials, bool, error) {
		return scheme.Credentials{Password: "p\r\nDELE x"}, true, nil
	}
	if _, err := w.open("u@", "/x"); err == nil || strings.Contains(err.Error(), "DELE") {
		t.Errorf("%v", err)
	}
	if got := w.server.Log(); len(got) != 1 || !slices.Equal(got[0], []string{"USER u"}) {
		t.Errorf("sent %q", got)
	}
}

func TestNoHostAndNoDialer(t *testing.T) {
	c := ftp.New(nil)
	if _, err := c.Open(context.Background(), &scheme.Request{URL: locus.MustParse("ftp:///x"), Dial: new(dialer)}); !errors.Is(err, locus.ErrValue) {
		t.Error(err)
	}
	if _, err := c.Open(context.Background(), &scheme.Request{URL: locus.MustParse("ftp://h/x")}); !errors.Is(err, scheme.ErrUnsupported) {
		t.Error(err)
	}
	if _, err := c.Open(context.Background(), &scheme.Request{URL: locus.MustParse("http://h/x")}); !errors.Is(err, locus.ErrForm) {
		t.Error(err)
	}
}

func TestObject(t *testing.T) {
	when := time.Date(1994, 12, 20, 12, 34, 56, 0, time.UTC)
	w := start(t, ftptest.Files{"pub/x.html": {Data: "one\ntwo\n", ModTime: when}}, nil, nil)
	r, err := w.open("", "/pub/x.html")
	if err != nil {
		t.Fatal(err)
	}
	o := r.(*scheme.Object)
	if o.Size != 8 || !o.ModTime.Equal(when) || o.Type != "text/html" || o.Name != "x.html" || o.Start != 0 || o.Tag != "8-19941220123456" || !strings.HasSuffix(o.URL.String(), "/pub/x.html") {
		t.Errorf("%+v", o)
	}
	o.Close()
	o.Close()
	if _, err := o.Body.Read(make([]byte, 1)); err == nil {
		t.Error("read after Close")
	}

	// With type A, the object must contain the received octets, and no size.
	r, err = w.open("", "/pub/x.html;type=a")
	if err != nil {
		t.Fatal(err)
	}
	o = r.(*scheme.Object)
	b, err := io.ReadAll(o.Body)
	if string(b) != "one\r\ntwo\r\n" || err != nil || o.Size != -1 || !o.ModTime.Equal(when) {
		t.Errorf("%q %v %+v", b, err, o)
	}
	o.Close()
	if log := strings.Join(slices.Concat(w.server.Log()...), "|"); strings.Count(log, "SIZE") != 1 {
		t.Errorf("SIZE in type A: %s", log)
	}
}

func TestTraceHidesThePassword(t *testing.T) {
	w := start(t, ftptest.Files{"x": {Data: "x"}}, &ftptest.Options{User: "u", Password: "s3cret"}, nil)
	w.wantGet("u:s3cret@", "/x", "x")
	text := strings.Join(w.trace, "\n")
	if strings.Contains(text, "s3cret") || !strings.Contains(text, "> PASS ***\n< 230 ") || !strings.Contains(text, "> USER u\n") {
		t.Error(text)
	}
	_, err := w.get("u:wr0ng@", "/x")
	w.wantError(err, scheme.ErrAuth, "530", "PASS ***")
	if strings.Contains(err.Error(), "wr0ng") {
		t.Error(err)
	}
}

func TestAnonymous(t *testing.T) {
	w := start(t, ftptest.Files{"x": {Data: "x"}}, nil, &ftp.Options{AnonymousPassword: "me@example.org"})
	w.wantGet("", "/x", "x")
	w.wantGet("anonymous@", "/x", "x")
	for i, log := range w.server.Log() {
		if !slices.Equal(log[:2], []string{"USER anonymous", "PASS me@example.org"}) {
			t.Errorf("%d: %q", i, log)
		}
	}
	w = start(t, ftptest.Files{"x": {Data: "x"}}, &ftptest.Options{NoAnonymous: true, User: "u", Password: "p"}, nil)
	_, err := w.get("", "/x")
	w.wantError(err, scheme.ErrAuth, "530", "ftp://user@host/")
	if got := w.server.Log()[0]; !slices.Equal(got, []string{"USER anonymous", "PASS anonymous@"}) {
		t.Errorf("%q", got)
	}
	// An empty user must differ from a missing user.
	_, err = w.get("@", "/x")
	w.wantError(err, scheme.ErrAuth)
	_, err = w.get(":@", "/x")
	w.wantError(err, scheme.ErrAuth)
	if got := w.server.Log(); got[1][0] != "USER " || !slices.Equal(got[2], []string{"USER ", "PASS "}) {
		t.Errorf("%q", got)
	}
}

// asker implements Request.Ask: it returns the passwords of a list, one after another.
type asker struct {
	passwords []string
	questions []scheme.Question
}

func (a *asker) ask(_ context.Context, q scheme.Question) (scheme.Credentials, bool, error) {
	a.questions = append(a.questions, q)
	if len(a.questions) > len(a.passwords) {
		return scheme.Credentials{}, false, nil
	}
	return scheme.Credentials{Password: a.passwords[len(a.questions)-1]}, true, nil
}

func TestAsk(t *testing.T) {
	files := ftptest.Files{"x": {Data: "x"}}
	so := &ftptest.Options{User: "alice", Password: "right"}
	for _, c := range []struct {
		passwords string
		questions int
		want      error
	}{
		{"right", 1, nil}, {"wrong right", 2, nil}, {"wrong wrong right", 3, nil}, {"wrong wrong wrong right", 3, scheme.ErrAuth}, {"wrong", 2, scheme.ErrAuth}, {"", 1, scheme.ErrAuth},
	} {
		w := start(t, files, so, nil)
		a := &asker{passwords: strings.Fields(c.passwords)}
		w.req.Ask = a.ask
		if _, err := w.get("alice@", "/x"); !errors.Is(err, c.want) || (err == nil) != (c.want == nil) {
			t.Errorf("%s: %v", c.passwords, err)
		}
		for i, q := range a.questions {
			if q.User != "alice" || q.Attempt != i || !strings.Contains(q.Realm, "password") {
				t.Errorf("%s: question %d: %+v", c.passwords, i, q)
			}
		}
		if len(a.questions) != c.questions {
			t.Errorf("%s: %d questions", c.passwords, len(a.questions))
		}
	}

	// The client must send the password in the URL, whether or not it is correct.
	w := start(t, files, so, nil)
	a := &asker{passwords: []string{"right"}}
	w.req.Ask = a.ask
	_, err := w.get("alice:wrong@", "/x")
	w.wantError(err, scheme.ErrAuth)
	// The client must not call Ask for a password that the server does not require.
	w2 := start(t, files, &ftptest.Options{NoPassword: true}, nil)
	w2.req.Ask = a.ask
	w2.wantGet("alice@", "/x", "x")
	w2.wantGet("", "/x", "x")
	if len(a.questions) != 0 {
		t.Errorf("asked: %+v", a.questions)
	}
	// If Ask is nil, the open must fail.
	w.req.Ask = nil
	_, err = w.get("alice@", "/x")
	w.wantError(err, scheme.ErrAuth, "alice")
	failed := errors.New("the terminal is gone")
	w.req.Ask = func(context.Context, scheme.Question) (scheme.Credentials, bool, error) {
		return scheme.Credentials{}, false, failed
	}
	_, err = w.get("alice@", "/x")
	w.wantError(err, failed)
}

func TestUserFromAsk(t *testing.T) {
	w := start(t, ftptest.Files{"x": {Data: "x"}}, &ftptest.Options{User: "alice", Password: "right"}, nil)
	w.req.Ask = func(context.Context, scheme.Question) (scheme.Credentials, bool, error) {
		return scheme.Credentials{User: "alice", Password: "right"}, true, nil
	}
	w.wantGet("bob@", "/x", "x")
	if got := w.server.Log()[0][:3]; !slices.Equal(got, []string{"USER bob", "USER alice", "PASS right"}) {
		t.Errorf("%q", got)
	}
}

// The client must reuse a connection with a login from Ask only if Ask returns the same login.
func TestAskIsPerConnection(t *testing.T) {
	w := start(t, ftptest.Files{"x": {Data: "x"}}, &ftptest.Options{User: "u", Password: "right"}, nil)
	first, second, third := &asker{passwords: []string{"right"}}, &asker{passwords: []string{"wrong"}}, &asker{passwords: []string{"right"}}
	w.req.Ask = first.ask
	w.wantGet("u@", "/x", "x")
	w.req.Ask = second.ask
	_, err := w.get("u@", "/x")
	w.wantError(err, scheme.ErrAuth)
	w.req.Ask = nil
	_, err = w.get("u@", "/x")
	w.wantError(err, scheme.ErrAuth)
	w.req.Ask = third.ask
	w.wantGet("u@", "/x", "x")
	if n := len(w.server.Log()); n != 3 || len(second.questions) != 2 || len(third.questions) != 1 {
		t.Errorf("%d connections, %d and %d questions", n, len(second.questions), len(third.questions))
	}
}

func TestNotFound(t *testing.T) {
	w := start(t, ftptest.Files{"pub/sub/x": {Data: "x"}, "pub/y": {Data: "y"}}, nil, nil)
	for _, c := range []struct {
		path string
		says []string
	}{
		{"/pub/nope", []string{"RETR nope", "550"}},
		{"/no/such/x", []string{"CWD no", "550"}},
		{"/pub/no/x", []string{"CWD no", "550"}},
		{"/nope;type=d", []string{"NLST nope", "550"}},
		{"/pub/sub", []string{"RETR sub", "550", "directory", `"/"`}},
	} {
		_, err := w.open("", c.path)
		w.wantError(err, scheme.ErrNotFound, c.says...)
		if c.path == "/pub/nope" && strings.Contains(err.Error(), "directory") {
			t.Errorf("%s: %v", c.path, err)
		}
	}
	// The client must reuse the connection after each of these errors.
	w.wantGet("", "/pub/sub/x", "x")
	if n := len(w.server.Log()); n > 3 {
		t.Errorf("%d connections", n)
	}
}

func TestResume(t *testing.T) {
	const size = 300_000
	files := ftptest.Files{"x": {Size: size}}
	whole := make([]byte, size)
	for i := range whole {
		whole[i] = ftptest.Octet(int64(i))
	}
	w := start(t, files, &ftptest.Options{Fault: ftptest.Fault{Cut: 100_001, Cuts: 1}}, nil)
	r, err := w.open("", "/x")
	if err != nil {
		t.Fatal(err)
	}
	o := r.(*scheme.Object)
	part, err := io.ReadAll(o.Body)
	o.Close()
	w.wantError(err, scheme.ErrProtocol, "RETR x", "stopped after 100001 of 300000 bytes", "426")
	if len(part) != 100_001 {
		t.Fatalf("%d octets", len(part))
	}

	w.req.Offset, w.req.Tag, w.req.ModTime = int64(len(part)), o.Tag, o.ModTime
	r, err = w.open("", "/x")
	if err != nil {
		t.Fatal(err)
	}
	again := r.(*scheme.Object)
	rest, err := io.ReadAll(again.Body)
	again.Close()
	if err != nil || again.Start != int64(len(part)) || again.Size != size || string(part)+string(rest) != string(whole) {
		t.Errorf("%d octets from %d on, %v", len(rest), again.Start, err)
	}

	// In this request, the caller already has the whole object.
	w.req.Offset = size
	if r, err = w.open("", "/x"); err != nil {
		t.Fatal(err)
	}
	rest, err = io.ReadAll(r.(*scheme.Object).Body)
	if err != nil || len(rest) != 0 || r.(*scheme.Object).Start != size {
		t.Errorf("%d octets, %v", len(rest), err)
	}
	r.Close()

	// In these requests, the object has changed or may have changed, or the server cannot
	// resume the transfer.
	for _, req := range []scheme.Request{
		{Offset: 5, Tag: "5-19940101000000"}, {Offset: 5, ModTime: time.Unix(1, 0)}, {Offset: size + 1}, {Offset: -5},
	} {
		w.req = req
		w.wantGet("", "/x", string(whole))
	}
	for _, unknown := range [][]string{{"REST"}, {"SIZE", "MDTM", "REST"}, {"MDTM"}} {
		w := start(t, files, &ftptest.Options{Unknown: unknown}, nil)
		w.req = scheme.Request{Offset: 5, Tag: o.Tag}
		w.wantGet("", "/x", string(whole))
	}
	// Without SIZE, the client knows only the length of the first part.
	w = start(t, files, &ftptest.Options{Unknown: []string{"SIZE"}}, nil)
	w.req = scheme.Request{Offset: 5}
	w.wantGet("", "/x", string(whole[5:]))
	w.wantGet("", "/x;type=a", strings.ReplaceAll(string(whole), "\n", "\r\n"))
}

func TestStopsInTheMiddle(t *testing.T) {
	files := ftptest.Files{"x": {Size: 1000}}
	for _, c := range []struct {
		name  string
		fault ftptest.Fault
		says  []string
	}{
		{"426", ftptest.Fault{Cut: 400}, []string{"426", "400 of 1000"}},
		{"226", ftptest.Fault{Cut: 400, SilentCut: true}, []string{"400 of 1000"}},
		{"wrong size", ftptest.Fault{Replies: map[string]string{"SIZE": "213 1007\r\n"}}, []string{"1000 of 1007"}},
	} {
		w := start(t, files, &ftptest.Options{Fault: c.fault}, nil)
		got, err := w.get("", "/x")
		w.wantError(err, scheme.ErrProtocol, c.says...)
		if len(got) > 1000 {
			t.Errorf("%s: %d octets", c.name, len(got))
		}
	}
	// If the size is unknown, only the final reply reveals the truncation.
	w := start(t, files, &ftptest.Options{Unknown: []string{"SIZE"}, Fault: ftptest.Fault{Cut: 400}}, nil)
	_, err := w.get("", "/x")
	w.wantError(err, scheme.ErrProtocol, "426")
	// The client must accept a file that has grown.
	w = start(t, files, &ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"SIZE": "213 993\r\n"}}}, nil)
	if got, err := w.get("", "/x"); len(got) != 1000 || err != nil {
		t.Errorf("%d octets, %v", len(got), err)
	}
}

// refusing returns a port on which no connection is possible until the end of the test.
func refusing(t *testing.T) int {
	held, err := servetest.Refusing("tcp")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { held.Close() })
	return held.LocalAddr().(*net.TCPAddr).Port
}

func TestBadServers(t *testing.T) {
	refused := refusing(t)
	files := ftptest.Files{"x": {Data: "x"}}
	for _, c := range []struct {
		name string
		so   ftptest.Options
		path string
		want error
		says string
	}{
		{"no greeting of FTP", ftptest.Options{Greeting: "SSH-2.0-OpenSSH\r\n"}, "/x", scheme.ErrProtocol, "SSH-2.0"},
		{"a full server", ftptest.Options{Greeting: "421 Too many users\r\n"}, "/x", scheme.ErrUnreachable, "Too many"},
		{"a closed server", ftptest.Options{Greeting: "530 No\r\n"}, "/x", scheme.ErrAuth, "530"},
		{"endless reply", ftptest.Options{Fault: ftptest.Fault{Endless: "RETR"}}, "/x", scheme.ErrProtocol, "exceeds the limit"},
		{"endless features", ftptest.Options{Fault: ftptest.Fault{Endless: "FEAT"}}, "/", scheme.ErrProtocol, "exceeds the limit"},
		{"long line", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"CWD": "250 " + strings.Repeat("x", 300_000) + "\r\n"}}}, "/a/x", scheme.ErrProtocol, "too much text"},
		{"wrong order", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"RETR": "226 Transfer complete.\r\n150 Here comes the data.\r\n"}}}, "/x", scheme.ErrProtocol, "226"},
		{"not an FTP reply", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"RETR": ""}}}, "/x", scheme.ErrProtocol, "closed"},
		{"no login", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"PASS": ""}}}, "/x", scheme.ErrProtocol, "closed"},
		{"account", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"PASS": "332 Need account\r\n"}}}, "/x", scheme.ErrAuth, "332"},
		{"no type", ftptest.Options{Unknown: []string{"TYPE"}}, "/x", scheme.ErrUnsupported, "TYPE I"},
		{"no passive mode", ftptest.Options{Unknown: []string{"EPSV", "PASV"}}, "/x", scheme.ErrUnsupported, "PASV"},
		{"nonsense for a port", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"EPSV": "229 here\r\n", "PASV": "227 there\r\n"}}}, "/x", scheme.ErrProtocol, "PASV"},
		{"refused data connection", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"EPSV": fmt.Sprintf("229 ok (|||%d|)\r\n", refused), "PASV": fmt.Sprintf("227 ok (127,0,0,1,%d,%d)\r\n", refused>>8, refused&0xFF)}}}, "/x", scheme.ErrUnreachable, "data connection"},
		{"can't open", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"RETR": "425 Can't open\r\n"}}}, "/x", scheme.ErrUnreachable, "425"},
		{"never ready", ftptest.Options{Greeting: strings.Repeat("120 wait\r\n", 100)}, "/x", scheme.ErrProtocol, "preliminary"},
		{"begins what ends at once", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"CWD": "150 ok\r\n"}}}, "/a/x", scheme.ErrProtocol, "150"},
		{"listing that broke off", ftptest.Options{Fault: ftptest.Fault{Cut: 1}}, "/", scheme.ErrProtocol, "426"},
		{"450 for a listing", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"NLST": "450 No such file\r\n"}}}, "/;type=d", scheme.ErrNotFound, "NLST"},
		{"empty line first", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"CWD": "\r\n250 ok\r\n"}}}, "/a/x", scheme.ErrProtocol, "not an FTP reply"},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := start(t, files, &c.so, nil)
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			r, err := w.openContext(ctx, "ftp", "", c.path)
			if err == nil {
				switch r := r.(type) {
				case *scheme.Object:
					_, err = io.ReadAll(r.Body)
				case *scheme.Menu:
					for _, err = range r.Items {
					}
				}
				r.Close()
			}
			w.wantError(err, c.want, c.says)
		})
	}
}

// pieces is a dialer whose connections deliver one byte at a time.
type pieces struct{ net.Dialer }

func (p *pieces) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := p.Dialer.DialContext(ctx, network, address)
	return piecesConn{c}, err
}

type piecesConn struct{ net.Conn }

func (c piecesConn) Read(p []byte) (int, error) { return c.Conn.Read(p[:1]) }

// Reading after Close must return fs.ErrClosed, and not a protocol error.
func TestClosed(t *testing.T) {
	w := start(t, ftptest.Files{"big": {Size: 1 << 24}, "a": {}}, nil, nil)
	for _, path := range []string{"/big", "/"} {
		r, err := w.open("", path)
		if err != nil {
			t.Fatal(err)
		}
		r.Close()
		switch r := r.(type) {
		case *scheme.Object:
			_, err = io.Copy(io.Discard, r.Body)
		case *scheme.Menu:
			for _, err = range r.Items {
			}
		}
		if !errors.Is(err, fs.ErrClosed) || errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%s: %v", path, err)
		}
	}
}

// The client must accept replies that arrive byte by byte.
func TestRepliesInPieces(t *testing.T) {
	w := start(t, ftptest.Files{"a/x": {Data: "x"}}, &ftptest.Options{Greeting: "220-one\r\n221 two\r\n220 three\r\n"}, nil)
	w.dial = new(pieces)
	w.wantGet("", "/a/x", "x")
	if got, err := w.titles("", "/a/"); err != nil || !slices.Equal(got, []string{"object /a/x"}) {
		t.Errorf("%q, %v", got, err)
	}
}

func TestPassive(t *testing.T) {
	files := ftptest.Files{"x": {Data: "x"}, "y": {Data: "y"}}
	for _, c := range []struct {
		name string
		so   ftptest.Options
		want string
	}{
		{"EPSV", ftptest.Options{LyingPASV: true}, "EPSV EPSV"},
		{"no EPSV, and PASV names another host", ftptest.Options{LyingPASV: true, Unknown: []string{"EPSV"}}, "EPSV PASV PASV"},
		{"EPSV leads nowhere", ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"EPSV": "229 ok (|||1|)\r\n"}}}, "EPSV PASV PASV"},
	} {
		for _, d := range []scheme.Dialer{new(dialer), new(dataDialer)} {
			w := start(t, files, &c.so, nil)
			w.dial = d
			w.wantGet("", "/x", "x")
			w.wantGet("", "/y", "y")
			var got []string
			for _, text := range w.server.Log()[0] {
				if text == "EPSV" || text == "PASV" {
					got = append(got, text)
				}
			}
			if strings.Join(got, " ") != c.want {
				t.Errorf("%s: %q", c.name, got)
			}
			if d, ok := d.(*dataDialer); ok && (d.dialed.Load() != 1 || d.data.Load() < 2) {
				t.Errorf("%s: %d dialed, %d for data", c.name, d.dialed.Load(), d.data.Load())
			}
			if d, ok := d.(*dialer); ok {
				for _, address := range d.last {
					if !strings.HasPrefix(address, "127.0.0.1:") {
						t.Errorf("%s: dialed %s", c.name, address)
					}
				}
			}
		}
	}
}

func TestActive(t *testing.T) {
	files := ftptest.Files{"x": {Data: "x"}, "y": {Data: "y"}}
	for _, c := range []struct {
		unknown []string
		want    string
	}{{nil, "EPRT EPRT"}, {[]string{"EPRT"}, "EPRT PORT PORT"}} {
		w := start(t, files, &ftptest.Options{Unknown: c.unknown}, &ftp.Options{Active: true})
		w.dial = new(dataDialer)
		w.wantGet("", "/x", "x")
		w.wantGet("", "/y", "y")
		var got []string
		for _, text := range w.server.Log()[0] {
			if verb, _, _ := strings.Cut(text, " "); verb == "EPRT" || verb == "PORT" {
				got = append(got, verb)
			}
		}
		if strings.Join(got, " ") != c.want {
			t.Errorf("%q: %q", c.unknown, got)
		}
		_, err := w.get("", "/nope")
		w.wantError(err, scheme.ErrNotFound)
	}
	w := start(t, files, nil, &ftp.Options{Active: true})
	_, err := w.get("", "/x")
	w.wantError(err, scheme.ErrUnsupported, "listen")
	w = start(t, files, &ftptest.Options{Unknown: []string{"EPRT", "PORT"}}, &ftp.Options{Active: true})
	w.dial = new(dataDialer)
	_, err = w.get("", "/x")
	w.wantError(err, scheme.ErrUnsupported, "PORT")
}

func TestThousandFilesOneConnection(t *testing.T) {
	files := ftptest.Files{}
	for i := range 1000 {
		files[fmt.Sprintf("many/file%04d", i)] = ftptest.File{Data: fmt.Sprint("content ", i)}
	}
	w := start(t, files, nil, nil)
	for i := range 1000 {
		w.wantGet("", fmt.Sprintf("/many/file%04d", i), fmt.Sprint("content ", i))
	}
	log := w.server.Log()
	if len(log) != 1 {
		t.Fatalf("%d connections", len(log))
	}
	all := strings.Join(log[0], "|")
	if strings.Count(all, "CWD") != 1 || strings.Count(all, "TYPE") != 1 || strings.Count(all, "USER") != 1 {
		t.Errorf("needless commands: %.200s", all)
	}
}

// The client must open a new connection unless the old directory is a parent of the new
// directory. RFC 1738 section 3.2.5 says that "the only reliable algorithm is to disconnect
// and reestablish".
func TestReuse(t *testing.T) {
	files := ftptest.Files{"a/x": {Data: "x"}, "a/b/y": {Data: "y"}, "c/z": {Data: "z"}, "top": {Data: "t"}}
	so := &ftptest.Options{User: "u", Password: "p"}
	w := start(t, files, so, nil)
	w.wantGet("", "/top", "t")
	w.wantGet("", "/a/x", "x")     // reuses the connection in the login directory
	w.wantGet("", "/a/b/y", "y")   // reuses the connection in the directory a
	w.wantGet("", "/a/x", "x")     // the parent directory, so the client must connect again
	w.wantGet("", "/c/z", "z")     // another directory, so the client must connect again
	w.wantGet("", "/c/z", "z")     // the same directory
	w.wantGet("u:p@", "/c/z", "z") // another login
	w.wantGet("anonymous@", "/c/z", "z")
	w.dial = new(dialer)
	w.wantGet("", "/c/z", "z") // another dialer
	for i, want := range []string{
		"TYPE I|RETR top|CWD a|RETR x|CWD b|RETR y", "CWD a|TYPE I|RETR x", "CWD c|TYPE I|RETR z|RETR z",
		"CWD c|TYPE I|RETR z", "CWD c|TYPE I|RETR z", "CWD c|TYPE I|RETR z", "",
	} {
		w.wantSent(i, want)
	}

	// The client must use one connection for a listing and a file, and must send TYPE again.
	w = start(t, files, so, nil)
	w.titles("", "/a/")
	w.wantGet("", "/a/x", "x")
	w.titles("", "/a/")
	w.wantSent(0, "CWD a|FEAT|MLSD|TYPE I|RETR x|TYPE A|MLSD")

	w = start(t, files, so, nil)
	w.client.KeepIdle(0, 0)
	w.wantGet("", "/top", "t")
	w.wantGet("", "/top", "t")
	if len(w.server.Log()) != 2 {
		t.Errorf("kept: %q", w.server.Log())
	}

	w = start(t, files, so, nil)
	w.client.KeepIdle(1, time.Minute)
	w.wantGet("", "/a/x", "x")
	w.wantGet("", "/c/z", "z") // replaces the first idle connection
	w.wantGet("", "/a/x", "x")
	if len(w.server.Log()) != 3 {
		t.Errorf("%q", w.server.Log())
	}

	w = start(t, files, so, nil)
	w.wantGet("", "/top", "t")
	w.client.Close()
	w.wantGet("", "/top", "t")
	w.wantGet("", "/top", "t")
	if len(w.server.Log()) != 3 {
		t.Errorf("after Close: %q", w.server.Log())
	}
}

// If more URLs will follow, a connection returns to the login directory by its name, even if
// that name is not "/". If that fails, the client opens another connection.
func TestReturnHome(t *testing.T) {
	files := ftptest.Files{`h"o me/a/x`: {Data: "x"}, `h"o me/a/b/y`: {Data: "y"}, `h"o me/c/z`: {Data: "z"}}
	apart := []string{"PWD|CWD a|TYPE I|RETR x|CWD b|RETR y", "CWD c|TYPE I|RETR z", "CWD a|TYPE I|RETR x", ""}
	for reply, want := range map[string][]string{
		"257 \"/h\"\"o me\" is \"home\"\r\n": {`PWD|CWD a|TYPE I|RETR x|CWD /h"o me|CWD c|RETR z|CWD /h"o me|CWD a|CWD b|RETR y|CWD /h"o me|CWD a|RETR x`, ""},
		"500 What?\r\n":                      apart,
		"257 home\r\n":                       apart,
		"257 \"/\x00\" home\r\n":             apart,
		"257 \"/missing\"\r\n":               {"PWD|CWD a|TYPE I|RETR x|CWD /missing", "CWD c|TYPE I|RETR z", "CWD a|CWD b|TYPE I|RETR y", "CWD a|TYPE I|RETR x", ""},
		"":                                   {"PWD", "CWD a|TYPE I|RETR x|CWD b|RETR y", "CWD c|TYPE I|RETR z", "CWD a|TYPE I|RETR x", ""},
	} {
		t.Run(reply, func(t *testing.T) {
			w := start(t, files, &ftptest.Options{User: "u", Password: "p", Home: `h"o me`, Fault: ftptest.Fault{Replies: map[string]string{"PWD": reply}}}, nil)
			w.req.More = true
			w.wantGet("u:p@", "/a/x", "x")
			w.wantGet("u:p@", "/c/z", "z")
			w.wantGet("u:p@", "/a/b/y", "y")
			w.wantGet("u:p@", "/a/x", "x")
			for i, want := range want {
				w.wantSent(i, want)
			}
		})
	}
}

// closing is a connection that closes a channel when it is closed.
type closing struct {
	net.Conn
	closed chan<- struct{}
	once   *sync.Once
}

func (c closing) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

type closingDialer struct {
	net.Dialer
	control chan struct{} // closed together with the first dialed connection
	first   sync.Once
}

func (d *closingDialer) DialContext(ctx context.Context, network, address string) (net.Conn, error) {
	c, err := d.Dialer.DialContext(ctx, network, address)
	if err == nil {
		d.first.Do(func() { c = closing{c, d.control, new(sync.Once)} })
	}
	return c, err
}

func TestIdleTime(t *testing.T) {
	w := start(t, ftptest.Files{"x": {Data: "x"}}, nil, nil)
	w.client.KeepIdle(8, time.Millisecond)
	d := &closingDialer{control: make(chan struct{})}
	w.dial = d
	w.wantGet("", "/x", "x")
	select {
	case <-d.control:
	case <-time.After(time.Minute):
		t.Error("kept for ever")
	}
}

// The client must limit the number of idle connections.
func TestMaxIdleConnections(t *testing.T) {
	w := start(t, ftptest.Files{"x": {Data: "x"}}, &ftptest.Options{NoPassword: true}, nil)
	for i := range 100 {
		w.wantGet(fmt.Sprintf("user%d@", i), "/x", "x")
	}
	w.wantGet("user0@", "/x", "x")  // the client has closed this connection
	w.wantGet("user99@", "/x", "x") // this connection is still idle
	if n := len(w.server.Log()); n != 101 {
		t.Errorf("%d connections", n)
	}
}

// Closing an unfinished transfer must close the control connection.
func TestCloseEarly(t *testing.T) {
	w := start(t, ftptest.Files{"big": {Size: 100 << 20}, "x": {Data: "x"}}, nil, nil)
	r, err := w.open("", "/big")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(r.(*scheme.Object).Body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	r.Close()
	w.wantGet("", "/x", "x")
	if r, err = w.open("", "/"); err != nil {
		t.Fatal(err)
	}
	for range r.(*scheme.Menu).Items {
		break
	}
	r.Close()
	w.wantGet("", "/x", "x")
	if len(w.server.Log()) != 3 {
		t.Errorf("%q", w.server.Log())
	}
}

// A server may close an idle connection, with or without a reply.
func TestStale(t *testing.T) {
	files := ftptest.Files{"x": {Data: "x"}}
	for _, farewell := range []string{"", "421 Timeout\r\n"} {
		w := start(t, files, &ftptest.Options{Fault: ftptest.Fault{Idle: 1, Farewell: farewell}}, nil)
		for range 5 {
			w.wantGet("", "/x", "x")
		}
		if len(w.server.Log()) != 5 {
			t.Errorf("%q", w.server.Log())
		}
	}

	// On a new connection, the client must return the reply as an error.
	w := start(t, files, &ftptest.Options{Fault: ftptest.Fault{Replies: map[string]string{"CWD": "421 Timeout\r\n"}}}, nil)
	w.wantGet("", "/x", "x")
	_, err := w.open("", "/a/x")
	w.wantError(err, scheme.ErrUnreachable, "421", "Timeout")
	if len(w.server.Log()) != 2 {
		t.Errorf("%q", w.server.Log())
	}
}

func TestLimit(t *testing.T) {
	files := ftptest.Files{"x": {Size: 1000}}
	for _, unknown := range [][]string{nil, {"SIZE"}} {
		w := start(t, files, &ftptest.Options{Unknown: unknown}, nil)
		w.req.Limit = 1000
		if got, err := w.get("", "/x"); len(got) != 1000 || err != nil {
			t.Errorf("%d octets, %v", len(got), err)
		}
		w.req.Limit = 999
		got, err := w.get("", "/x")
		w.wantError(err, scheme.ErrTooLarge, "999")
		if len(got) > 999 {
			t.Errorf("%d octets", len(got))
		}
		w.req.Offset = 10
		if got, err := w.get("", "/x"); len(got) != 990 || err != nil {
			t.Errorf("%d octets, %v", len(got), err)
		}
	}
}

func TestContext(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	c := ftp.New(nil)
	ctx, cancel := context.WithTimeout(context.Background(), 20*time.Millisecond)
	defer cancel()
	began := time.Now()
	_, err = c.Open(ctx, &scheme.Request{URL: locus.MustParse("ftp://" + silent.Addr().String() + "/x"), Dial: new(dialer)})
	if !errors.Is(err, context.DeadlineExceeded) || time.Since(began) > time.Minute {
		t.Errorf("%v after %v", err, time.Since(began))
	}

	// In this case, the context ends while the caller reads a body.
	w := start(t, ftptest.Files{"big": {Size: 1 << 30}}, nil, nil)
	why := errors.New("the user left")
	cancellable, stop := context.WithCancelCause(context.Background())
	r, err := w.openContext(cancellable, "ftp", "", "/big")
	if err != nil {
		t.Fatal(err)
	}
	body := r.(*scheme.Object).Body
	if _, err := io.ReadFull(body, make([]byte, 1000)); err != nil {
		t.Fatal(err)
	}
	stop(why)
	if _, err := io.Copy(io.Discard, body); !errors.Is(err, why) {
		t.Errorf("%v", err)
	}
	r.Close()

	// In this case, the context has ended before the open.
	_, err = w.openContext(cancellable, "ftp", "", "/big")
	if !errors.Is(err, why) {
		t.Errorf("%v", err)
	}

	// If the context ends after the transfer, the client must keep the connection.
	w = start(t, ftptest.Files{"x": {Data: "x"}}, nil, nil)
	cancellable, stop = context.WithCancelCause(context.Background())
	if r, err = w.openContext(cancellable, "ftp", "", "/x"); err != nil {
		t.Fatal(err)
	}
	io.ReadAll(r.(*scheme.Object).Body)
	stop(why)
	r.Close()
	w.wantGet("", "/x", "x")
	if len(w.server.Log()) != 1 {
		t.Errorf("%q", w.server.Log())
	}
}

func TestManyAtOnce(t *testing.T) {
	files := ftptest.Files{}
	for i := range 40 {
		files[fmt.Sprintf("d%d/f%d", i%4, i)] = ftptest.File{Size: int64(1000 + i)}
	}
	w := start(t, files, nil, nil)
	var wg sync.WaitGroup
	for range 3 {
		for name, f := range files {
			wg.Go(func() {
				u, err := ftp.Parse(locus.MustParse("ftp://" + w.server.Addr() + "/" + name))
				if err != nil {
					t.Error(err)
					return
				}
				r, err := w.client.Get(context.Background(), w.dial, u)
				if err != nil {
					t.Error(err)
					return
				}
				defer r.Close()
				if n, err := io.Copy(io.Discard, r.(*scheme.Object).Body); n != f.Size || err != nil {
					t.Errorf("%s: %d octets, %v", name, n, err)
				}
			})
		}
	}
	wg.Wait()
}

func TestMenu(t *testing.T) {
	files := ftptest.Files{"pub/a b": {Data: "xyz"}, "pub/sub/x": {}, "pub/empty/": {}, ".hidden": {}}
	for _, unknown := range [][]string{nil, {"MLSD"}, {"FEAT"}, {"FEAT", "MLSD"}} {
		w := start(t, files, &ftptest.Options{Unknown: unknown}, nil)
		for path, want := range map[string][]string{
			"/pub/":           {"object /pub/a%20b", "menu /pub/empty/", "menu /pub/sub/"},
			"":                {"object /.hidden", "menu /pub/"},
			"/pub/empty/":     nil,
			"/pub;type=d":     {"unknown /pub/a%20b", "unknown /pub/empty", "unknown /pub/sub"},
			"/.hidden;type=d": {"unknown /.hidden"},
		} {
			if got, err := w.titles("", path); err != nil || !slices.Equal(got, want) {
				t.Errorf("%q, %s: %q, %v; want %q", unknown, path, got, err, want)
			}
		}
	}
	// This server lists MLSD in the reply to FEAT, but does not support it.
	w := start(t, files, &ftptest.Options{Unknown: []string{"MLSD"}, Fault: ftptest.Fault{Replies: map[string]string{"FEAT": "211-x\r\n MLST type*;\r\n211 End\r\n"}}}, nil)
	for range 2 {
		if got, err := w.titles("", "/pub/"); err != nil || len(got) != 3 {
			t.Errorf("%q, %v", got, err)
		}
	}
	w.wantSent(0, "CWD pub|FEAT|MLSD|LIST|LIST")
}

// An item from a hostile server must not have a URL outside the directory.
func TestHostileListing(t *testing.T) {
	names := []string{"../../etc/passwd", "..", ".", "/etc/passwd", "a/../b", "x\x1b[2J", "x\x00y", "C:\\..\\x", "good", "", "x\ry"}
	for i := range names {
		names[i] = "type=file; " + names[i]
	}
	w := start(t, nil, &ftptest.Options{Fault: ftptest.Fault{Listings: map[string]iter.Seq[string]{"MLSD": slices.Values(names)}}}, nil)
	got, err := w.titles("", "/")
	want := []string{"object ", "object /%2Fetc%2Fpasswd", "object ", "object /x%1B%5B2J", "object ", "object ", "object /good", "unknown ", "object "}
	if err != nil || !slices.Equal(got, want) {
		t.Errorf("%q, %v\nwant %q", got, err, want)
	}
}

// A long listing must need little memory, and a second iteration must continue where the first
// one stopped.
func TestHugeListing(t *testing.T) {
	const lines = 1_000_000
	made := func(yield func(string) bool) {
		for i := range lines {
			if !yield(fmt.Sprintf("type=file;size=%d; name%d", i, i)) {
				return
			}
		}
	}
	w := start(t, nil, &ftptest.Options{Fault: ftptest.Fault{Listings: map[string]iter.Seq[string]{"MLSD": made}}}, nil)
	r, err := w.open("", "/")
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	m := r.(*scheme.Menu)
	n := 0
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	for _, most := range []int{10, lines} {
		for it, err := range m.Items {
			if err != nil {
				t.Fatal(err)
			}
			if it.Size != int64(n) {
				t.Fatalf("item %d is %+v", n, it)
			}
			if n++; n == most {
				break
			}
		}
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	for range m.Items {
		t.Error("more than there are")
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); n != lines || grown > 4<<20 {
		t.Errorf("%d items, %d octets of memory", n, grown)
	}
}

// certificate returns a TLS configuration for a server, and a pool that contains the server's
// certificate.
func certificate(t *testing.T) (*tls.Config, *x509.CertPool) {
	t.Helper()
	server, client, err := certtest.Pair()
	if err != nil {
		t.Fatal(err)
	}
	return server, client.RootCAs
}

func TestTLS(t *testing.T) {
	server, known := certificate(t)
	files := ftptest.Files{"x": {Data: "secret\n"}, "big": {Size: 300_000}}
	for _, version := range []uint16{tls.VersionTLS12, tls.VersionTLS13} {
		so := &ftptest.Options{TLS: server, Reuse: true, User: "u", Password: "p"}
		client := &tls.Config{RootCAs: known, MaxVersion: version}
		for _, o := range []ftp.Options{{TLS: ftp.TLSTry}, {TLS: ftp.TLSRequire}, {TLS: ftp.TLSRequire, Active: true}} {
			o.TLSConfig = client
			w := start(t, files, so, &o)
			w.dial = new(dataDialer)
			for range 4 {
				w.wantGet("u:p@", "/x", "secret\n")
			}
			if got, err := w.titles("u:p@", "/"); len(got) != 2 || err != nil {
				t.Errorf("%q, %v", got, err)
			}
			if got, err := w.get("u:p@", "/big"); len(got) != 300_000 || err != nil {
				t.Errorf("%d octets, %v", len(got), err)
			}
			w.wantSent(0, "AUTH TLS|PBSZ 0|PROT P|TYPE I|RETR x|RETR x|RETR x|RETR x|FEAT|TYPE A|MLSD|TYPE I|RETR big")
		}

		// This is the configuration for ftps.
		so = &ftptest.Options{TLS: server, Implicit: true, Reuse: true}
		w := start(t, files, so, &ftp.Options{TLSConfig: client})
		r, err := w.openContext(context.Background(), "ftps", "", "/x")
		if err != nil {
			t.Fatal(err)
		}
		if b, err := io.ReadAll(r.(*scheme.Object).Body); string(b) != "secret\n" || err != nil {
			t.Errorf("%q, %v", b, err)
		}
		r.Close()
	}

	// An untrusted certificate must cause an error before the login.
	w := start(t, files, &ftptest.Options{TLS: server}, &ftp.Options{TLS: ftp.TLSTry})
	_, err := w.get("", "/x")
	w.wantError(err, scheme.ErrProtocol, "TLS", "certificate")
	w.wantSent(0, "AUTH TLS")

	// This server does not support TLS.
	w = start(t, files, nil, &ftp.Options{TLS: ftp.TLSTry})
	w.wantGet("", "/x", "secret\n")
	w = start(t, files, nil, &ftp.Options{TLS: ftp.TLSRequire})
	_, err = w.get("", "/x")
	w.wantError(err, scheme.ErrUnsupported, "AUTH TLS", "502")
	if got := w.server.Log()[0]; !slices.Equal(got, []string{"AUTH TLS"}) {
		t.Errorf("sent %q without TLS", got)
	}

	// The client must reject unencrypted data that follows the reply to AUTH.
	w = start(t, files, &ftptest.Options{TLS: server, Fault: ftptest.Fault{Replies: map[string]string{"AUTH": "234 ok\r\n230 you are in\r\n"}}}, &ftp.Options{TLS: ftp.TLSRequire})
	_, err = w.get("", "/x")
	w.wantError(err, scheme.ErrProtocol, "unencrypted")
}

// If the banner is that of a GNU server, the client must double the octet FF in a name.
func TestTelnetOctet(t *testing.T) {
	w := start(t, ftptest.Files{"ff\xff\xff": {Data: "x"}}, &ftptest.Options{Greeting: "220 h FTP server (GNU inetutils 2.4) ready.\r\n"}, nil)
	w.wantGet("", "/ff%FF", "x")
	w.wantSent(0, "TYPE I|RETR ff\xff\xff")
	if !slices.Contains(w.trace, "> RETR ff\xff") {
		t.Errorf("%q", w.trace)
	}
}
