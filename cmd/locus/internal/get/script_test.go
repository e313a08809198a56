package get_test

import (
	"bytes"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/http"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/internal/command/scripttest"
	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/scheme/news/newstest"
	"github.com/locus-url/locus/scheme/prospero/prosperotest"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
	"github.com/locus-url/locus/scheme/wais/waistest"
)

// The scripts in testdata/get use test servers. Environment variables such as HTTP, FTP, GOPHER,
// PROSPERO and WAIS contain the host and port of a server. GOPHERPORT contains only the port. NEWS
// and PRIVATENEWS are news servers; PRIVATENEWS requires a login. No server listens at
// PROSPEROGONE. The host TELNET accepts the user guest with the password s3cret. The hosts
// OPENTELNET, RLOGIN and TN3270 accept every user. The host PLAINTELNET does not support the
// Telnet protocol. GATEWAY is a proxy that opens tunnels, and responds to any other request with
// the requested URL.
func TestGetScripts(t *testing.T) {
	p := scripttest.Params(t, "testdata/get")
	setup := p.Setup
	p.Setup = func(e *testscript.Env) error { return errors.Join(setup(e), startServers(e)) }
	p.Condition = func(name string) (bool, error) {
		if name != "root" {
			return false, fmt.Errorf("no condition %q", name)
		}
		return os.Geteuid() == 0, nil
	}
	maps.Copy(p.Cmds, map[string]func(ts *testscript.TestScript, neg bool, args []string){
		"await":     await,
		"ftplog":    ftpLog,
		"gopherlog": gopherLog,
		"newslog":   newsLog,
		"proslog":   prosLog,
		"waislog":   waisLog,
	})
	testscript.Run(t, p)
}

// scriptStep is the time limit for a step of a script.
const scriptStep = 2 * time.Minute

// await is the script command "await FILE N", which waits until a file contains N bytes.
func await(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 2 {
		ts.Fatalf("usage: await FILE N")
	}
	n, err := strconv.ParseInt(args[1], 10, 64)
	ts.Check(err)
	for end := time.Now().Add(scriptStep); time.Now().Before(end); time.Sleep(time.Millisecond) {
		if info, err := os.Stat(ts.MkAbs(args[0])); err == nil && info.Size() == n {
			return
		}
	}
	ts.Fatalf("%s has no %d octets", args[0], n)
}

// ftpLog is the script command "ftpLog TEXT...". It checks that the FTP server received the
// commands in this order, possibly with other commands between them. With "!", it checks that the
// server received none of the commands.
func ftpLog(ts *testscript.TestScript, neg bool, args []string) {
	inLog(ts, slices.Concat(ts.Value(ftpKey{}).(*ftptest.Server).Log()...), neg, args)
}

// gopherLog is like ftpLog for the Gopher server. Without a TEXT, it checks that the client sent
// nothing. In a TEXT, "\t" represents a TAB, and "\r\n" represents a line end within a form.
func gopherLog(ts *testscript.TestScript, neg bool, args []string) {
	log := ts.Value(gopherKey{}).(*gophertest.Server).Log()
	if len(args) == 0 && len(log) > 0 {
		ts.Fatalf("the server's log is %q", log)
	}
	requests := make([]string, len(args))
	for i, arg := range args {
		requests[i] = strings.NewReplacer(`\t`, "\t", `\r\n`, "\r\n").Replace(arg) + "\r\n"
	}
	inLog(ts, log, neg, requests)
}

// newsLog is like ftpLog for the news server that requires no login.
func newsLog(ts *testscript.TestScript, neg bool, args []string) {
	inLog(ts, slices.Concat(ts.Value(newsKey{}).(*newstest.Server).Log()...), neg, args)
}

// prosLog is like ftpLog for the last lines of messages to the Prospero server.
func prosLog(ts *testscript.TestScript, neg bool, args []string) {
	var lines []string
	for _, message := range ts.Value(prosperoKey{}).(*prosperotest.Server).Requests() {
		message = strings.TrimSuffix(message, "\n")
		lines = append(lines, message[strings.LastIndexByte(message, '\n')+1:])
	}
	inLog(ts, lines, neg, args)
}

// waisLog is like ftpLog for the WAIS server, with requests in the form of words. Without a TEXT,
// it checks that the server received no requests.
func waisLog(ts *testscript.TestScript, neg bool, args []string) {
	log := ts.Value(waisKey{}).(*waistest.Server).Lines()
	if len(args) == 0 && len(log) > 0 {
		ts.Fatalf("the server's log is %q", log)
	}
	inLog(ts, log, neg, args)
}

func inLog(ts *testscript.TestScript, log []string, neg bool, args []string) {
	rest := log
	for _, want := range args {
		i := slices.Index(rest, want)
		if neg == (i >= 0) {
			ts.Fatalf("%q: the server's log is %q", want, log)
		}
		if !neg {
			rest = rest[i+1:]
		}
	}
}

type (
	ftpKey      struct{}
	gopherKey   struct{}
	newsKey     struct{}
	prosperoKey struct{}
	waisKey     struct{}
)

func startServers(env *testscript.Env) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	server := &http.Server{Handler: &site{cut: map[string]bool{}}}
	served := make(chan error)
	go func() { served <- server.Serve(l) }()
	env.Defer(func() {
		server.Close()
		<-served
	})
	files := ftptest.Files{
		"pub/hello.txt":    {Data: "hello\n"},
		"pub/big.bin":      {Data: string(pattern())},
		"pub/a b;c%#.txt":  {Data: "odd\n"},
		"pub/deep/one.txt": {Data: "1\n"},
		"pub/deep/two.txt": {Data: "2\n"},
		"home/motd":        {Data: "private\n"},
	}
	ftp, err := ftptest.Start(files, &ftptest.Options{
		User: "fred", Password: "s3cret", Home: "home",
		Fault: ftptest.Fault{Cut: 200_000, Cuts: 1},
	})
	if err != nil {
		return err
	}
	env.Defer(func() { ftp.Close() })
	env.Values[ftpKey{}] = ftp
	gopher, err := gophertest.Start(gopherItems, nil)
	if err != nil {
		return err
	}
	env.Defer(func() { gopher.Close() })
	env.Values[gopherKey{}] = gopher
	if err := startNews(env); err != nil {
		return err
	}
	if err := startProspero(env, ftp.Addr()); err != nil {
		return err
	}
	if err := startWAIS(env); err != nil {
		return err
	}
	if err := startSessions(env); err != nil {
		return err
	}
	env.Setenv("GOPHER", gopher.Addr())
	_, port, err := net.SplitHostPort(gopher.Addr())
	if err != nil {
		return err
	}
	env.Setenv("GOPHERPORT", port)
	startGateway(env)
	env.Setenv("HTTP", l.Addr().String())
	env.Setenv("FTP", ftp.Addr())
	env.Setenv("FTPPORT", ftp.Addr()[strings.LastIndexByte(ftp.Addr(), ':')+1:])
	return nil
}

func startNews(env *testscript.Env) error {
	news, err := newstest.Start(commandtest.NewsGroups(), nil)
	if err != nil {
		return err
	}
	env.Defer(func() { news.Close() })
	env.Values[newsKey{}] = news
	env.Setenv("NEWS", news.Addr())
	private, err := newstest.Start(commandtest.NewsGroups(), &newstest.Options{User: "fred", Password: "s3cret", Private: []string{"*"}})
	if err != nil {
		return err
	}
	env.Defer(func() { private.Close() })
	env.Setenv("PRIVATENEWS", private.Addr())
	return nil
}

func startProspero(env *testscript.Env, ftp string) error {
	host := prosperotest.HostToken(ftp)
	prospero, err := prosperotest.Start(prosperoNames(host), &prosperotest.Options{Archie: prosperotest.Search([]prosperotest.Find{
		{Site: host, Path: "/pub/hello.txt", Size: 6},
		{Site: "ftp.example.org", Path: "/pub/hello", Directory: true, Size: 512},
		{Site: "ftp.example.org", Path: "/pub/hello/all.tar", Size: 10240},
	})})
	if err != nil {
		return err
	}
	env.Defer(func() { prospero.Close() })
	env.Values[prosperoKey{}] = prospero
	env.Setenv("PROSPERO", prospero.Addr())
	gone, err := servetest.Refusing("udp")
	if err != nil {
		return err
	}
	env.Defer(func() { gone.Close() })
	env.Setenv("PROSPEROGONE", gone.LocalAddr().String())
	return nil
}

// prosperoNames returns directories with all kinds of entries. The parameter ftp is the FTP host
// to which some of the entries refer.
func prosperoNames(ftp string) prosperotest.Directory {
	method := func(m ...string) []prosperotest.Method { return []prosperotest.Method{m} }
	return prosperotest.Directory{
		"/pros": {Links: []prosperotest.Link{
			{Name: "hello"},
			{Name: "Gr\u00fc\u00dfe \x1b[2J", HSOName: "/pros/hello"},
			{Name: "more", Union: true, HSOName: "/annex"},
			{Name: "by file transfer", Host: ftp, HSOName: "/pub/hello.txt", Methods: method("AFTP", "", "", "", "", "TEXT")},
			{Name: "a session", Host: "LIBRARY.EXAMPLE.EDU", Methods: method("TELNET", "", "", "", "", `Use the account name "guest" to log in`)},
			{Name: "this machine's", Host: "H.EXAMPLE", HSOName: "/etc/passwd", Methods: method("LOCAL", "", "", "", "")},
			{Name: "secret plan", Target: "NULL"},
		}},
		"/annex":        {Links: []prosperotest.Link{{Name: "inside"}}},
		"/annex/inside": {Data: "in\n"},
		"/pros/hello":   {Data: "hello\n", Attributes: []prosperotest.Attribute{{Name: "key", Value: []string{"value"}}}},
		"/pros/long":    {Data: string(pattern())},
		"/pros/ftp":     {NoContents: true, Methods: method("AFTP", "INTERNET-D", ftp, "ASCII", "/pub/hello.txt", "BINARY")},
		"/pros/none":    {NoContents: true},
		"/pros/local":   {NoContents: true, Methods: method("LOCAL", "INTERNET-D", "H.EXAMPLE", "ASCII", "/etc/passwd")},
		"/pros/moved":   {Moved: &prosperotest.Link{HSOName: "/pros/hello"}},
		"/pros/round":   {Moved: &prosperotest.Link{HSOName: "/pros/about"}},
		"/pros/about":   {Moved: &prosperotest.Link{HSOName: "/pros/round"}},
		"/pros/closed":  {Fail: "NOT-AUTHORIZED"},
	}
}

func startSessions(env *testscript.Env) error {
	for name, start := range map[string]func() (*telnettest.Server, error){
		"TELNET": func() (*telnettest.Server, error) {
			return telnettest.StartTelnet(&telnettest.TelnetOptions{Users: map[string]string{"guest": "s3cret"}, Banner: "a host"})
		},
		"OPENTELNET": func() (*telnettest.Server, error) { return telnettest.StartTelnet(nil) },
		"PLAINTELNET": func() (*telnettest.Server, error) {
			return telnettest.StartTelnet(&telnettest.TelnetOptions{Plain: true})
		},
		"RLOGIN": func() (*telnettest.Server, error) { return telnettest.StartRlogin(nil) },
		"TN3270": func() (*telnettest.Server, error) { return telnettest.StartTN3270(nil) },
	} {
		server, err := start()
		if err != nil {
			return err
		}
		env.Defer(func() { server.Close() })
		env.Setenv(name, server.Addr())
	}
	return nil
}

func startWAIS(env *testscript.Env) error {
	wais, err := waistest.Start([]waistest.Database{waisCoast()}, nil)
	if err != nil {
		return err
	}
	env.Defer(func() { wais.Close() })
	env.Values[waisKey{}] = wais
	env.Setenv("WAIS", wais.Addr())
	env.Setenv("WAISPORT", wais.Addr()[strings.LastIndexByte(wais.Addr(), ':')+1:])
	return nil
}

// waisCoast returns a database with documents of all kinds.
func waisCoast() waistest.Database {
	return waistest.Database{
		Name:        "coast",
		Description: "All about the coast.\nIt is \x1b[2Jred.\n",
		Documents: []waistest.Document{
			{Headline: "The lamp", Path: "/lamp", Date: "940131", Types: waisTypes("TEXT", "It is lit at dusk.\n")},
			{Headline: "Ca\xf1\xf3n", Path: "/latin", Types: waisTypes("TEXT", "ca\xf1\xf3n al anochecer, at dusk\r\n")},
			{Headline: "The mole", Path: "/mole", Types: waisTypes("TEXT", "It has a picture.\n", "GIF", "GIF89a\x00")},
			{Headline: "\x1b]0;title\a\x1b[2Jred", Path: "/a b;c", Types: waisTypes("HTML", "<b>crimson</b>\n")},
			{Headline: "http://example.org/", Path: "/url", Types: waisTypes("URL", "elsewhere")},
			{Headline: "Long", Path: "/long", Types: waisTypes("TEXT", string(pattern()))},
		},
	}
}

// waisTypes returns the versions of a document. The list contains the type and the content of each
// version, in turn.
func waisTypes(list ...string) (types []waistest.Typed) {
	for pair := range slices.Chunk(list, 2) {
		types = append(types, waistest.Typed{Wtype: pair[0], Data: []byte(pair[1])})
	}
	return types
}

// gopherItems is a menu with items of all kinds.
var gopherItems = gophertest.Item{Items: []gophertest.Item{
	{Type: 'i', Name: "Welcome"},
	{Name: "A text", Selector: "text", Data: "one\ntwo\n"},
	{Name: "Gr\xfc\xdfe", Selector: "latin", Data: "gr\xfcn\n"},
	{Name: "Folder", Selector: "1/folder", Items: []gophertest.Item{{Name: "inside", Data: "in\n"}}},
	{Type: 'g', Name: "Picture", Selector: "g/picture", Data: "GIF89a\x00"},
	{Type: 'h', Name: "Elsewhere", Selector: "URL:http://example.org/"},
	{Type: '8', Name: "Session", Selector: "fred", Host: "example.org", Port: 23},
	{Name: "Search", Selector: "find", Search: func(words string) []gophertest.Item {
		return []gophertest.Item{{Name: "Found " + words, Selector: "text"}}
	}},
	{Name: "Report", Selector: "report", Abstract: "All about it", Views: []gophertest.View{
		{Type: "Text/plain", Language: "En_US", Data: "a report\n"},
		{Type: "Text/plain", Language: "De_DE", Data: "ein Bericht\n"},
		{Type: "application/postscript", Data: "%!PS\n"},
	}},
	{Name: "Survey", Selector: "survey", Reply: gophertest.Echo, Ask: []string{
		"Note: About you", "Ask: Your name\tAnna", "AskP: Password", "AskL: Comments", "Choose: Color\tRed\tGreen", "Select: Subscribe",
	}},
	{Name: "Gone", Selector: "gone", Fail: &gophertest.Failure{Code: 1, Lines: []string{"it is gone"}}},
}}

// pattern returns 300,000 bytes in which no part repeats another part.
var pattern = sync.OnceValue(func() []byte {
	var b bytes.Buffer
	for i := 0; b.Len() < 300_000; i++ {
		fmt.Fprintf(&b, "%09d\n", i)
	}
	return b.Bytes()
})

// site is an HTTP server that simulates a different problem at each path.
type site struct {
	mu  sync.Mutex
	cut map[string]bool // requested paths
}

func (s *site) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	again := s.cut[r.URL.Path]
	s.cut[r.URL.Path] = true
	s.mu.Unlock()
	data, tag := pattern(), `"1"`
	path, name := r.URL.Path, r.URL.Path[strings.LastIndexByte(r.URL.Path, '/')+1:]
	switch {
	case strings.HasPrefix(path, "/none"):
		http.NotFound(w, r)
		return
	case path == "/moved":
		http.Redirect(w, r, "/hello.txt", http.StatusFound)
		return
	case strings.HasPrefix(path, "/hello"):
		data = []byte("hello\n")
	case strings.HasPrefix(path, "/name/"):
		data = []byte(name + "\n")
	case strings.HasPrefix(path, "/long"):
		w.Header().Set("Content-Length", strconv.Itoa(len(data)+1))
		w.Write(data)
		return
	case strings.HasPrefix(path, "/cut") && !again:
		s.begin(w, tag, 200_000)
		panic(http.ErrAbortHandler)
	case strings.HasPrefix(path, "/slow") && !again:
		s.begin(w, tag, 200_000)
		<-r.Context().Done()
		return
	case strings.HasPrefix(path, "/changes") && !again:
		s.begin(w, `"0"`, 200_000)
		panic(http.ErrAbortHandler)
	case strings.HasPrefix(path, "/norange"):
		w.Header().Set("ETag", tag)
		w.Header().Set("Content-Length", strconv.Itoa(len(pattern())))
		if !again {
			w.Write(pattern()[:200_000])
			http.NewResponseController(w).Flush()
			panic(http.ErrAbortHandler)
		}
		w.Write(pattern())
		return
	case strings.HasPrefix(path, "/br"):
		w.Header().Set("Content-Encoding", "br")
		data = []byte("coded\n")
	case path == "/vault":
		if user, password, _ := r.BasicAuth(); user != "u" || password != "p" {
			w.Header().Set("WWW-Authenticate", `Basic realm="vault"`)
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		data = []byte("gold\n")
	}
	w.Header().Set("ETag", tag)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(data))
}

// begin sends the first n bytes of a longer response.
func (s *site) begin(w http.ResponseWriter, tag string, n int) {
	w.Header().Set("ETag", tag)
	w.Header().Set("Accept-Ranges", "bytes")
	w.Header().Set("Content-Length", strconv.Itoa(len(pattern())))
	w.Write(pattern()[:n])
	http.NewResponseController(w).Flush()
}
