package peers

import (
	"bufio"
	"context"
	"encoding/json"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
	"github.com/locus-url/locus/scheme/news/newstest"
	"github.com/locus-url/locus/scheme/prospero/prosperotest"
	"github.com/locus-url/locus/scheme/wais/waistest"
)

// startGateway starts "locus gateway" with permission to open all addresses on this machine. It
// returns the URL of the gateway pages.
func startGateway(t *testing.T, env []string, args ...string) string {
	t.Helper()
	needCI(t)
	dir := t.TempDir()
	cmd := exec.Command(program, append([]string{"gateway", "--allow-private", "--no-cache", "--listen", "127.0.0.1:0", "--log-format", "none"}, args...)...)
	cmd.Dir = dir
	cmd.Env = append(env, "HOME="+dir, "PATH="+os.Getenv("PATH"))
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Error(err)
		}
		// The exit status reports the interrupt.
		_ = cmd.Wait()
	})
	url, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(url)
}

// sampleURLs holds the URLs of running servers.
type sampleURLs struct{ gopher, ftp, wais, news, prospero, http string }

func startSamples(t *testing.T) (s sampleURLs, news string) {
	t.Helper()
	g, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Type: 'i', Name: "Welcome to the hole"},
		{Name: "A burrow", Selector: "burrow", Data: "deep and dry\n"},
	}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { g.Close() })
	f, err := ftptest.Start(ftptest.Files{"pub/hello.txt": {Data: "hello from afar\n"}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	w, err := waistest.Start([]waistest.Database{{Name: "coast", Description: "All about the coast.\n", Documents: []waistest.Document{
		{Headline: "The lamp", Path: "/lamp", Date: "940131", Types: []waistest.Typed{{Wtype: "TEXT", Data: []byte("It is lit at dusk.\n")}}},
	}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	n, err := newstest.Start(newstest.Groups{"misc.test": {Description: "Tests", First: 1, Articles: []string{
		"From: a@h.example\r\nDate: Thu, 01 Dec 1994 10:30:00 +0000\r\nNewsgroups: misc.test\r\nSubject: Tide\r\nMessage-ID: <tide@h.example>\r\n\r\nHigh water at noon.\r\n",
	}}}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { n.Close() })
	p, err := prosperotest.Start(prosperotest.Directory{
		"/pros":       {Links: []prosperotest.Link{{Name: "hello"}}},
		"/pros/hello": {Data: "hello by way of a link\n"},
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	web := nginx(t, "")
	write(t, filepath.Join(web.pub, "page.html"), "<title>A page</title><p>of the web\n", 0o644)
	return sampleURLs{
		gopher: "gopher://" + g.Addr() + "/", ftp: "ftp://" + f.Addr() + "/pub/", wais: "wais://" + w.Addr() + "/coast?dusk",
		news: "news:tide@h.example", prospero: "prospero://" + p.Addr() + "//pros", http: "http://" + web.addr() + "/page.html",
	}, n.Addr()
}

// document returns the URL of the first document that a search finds.
func document(t *testing.T, search string) string {
	t.Helper()
	var menu struct{ Items []struct{ URL string } }
	r := locus(t, "get", "--json", search)
	if err := json.Unmarshal([]byte(r.out), &menu); err != nil || len(menu.Items) == 0 {
		t.Fatalf("%v: %s%s", err, r.out, r.err)
	}
	return menu.Items[0].URL
}

// proxied lists the schemes for which programs read a proxy from environment variables.
var proxied = []string{"http", "ftp", "gopher", "wais", "news", "nntp"}

// shows runs a program with the proxy variables set to via, and checks that its output
// contains the words.
func shows(t *testing.T, via string, words string, args ...string) {
	t.Helper()
	home := t.TempDir()
	ctx, cancel := context.WithTimeout(t.Context(), maxSession)
	defer cancel()
	cmd := exec.CommandContext(ctx, need(t, args[0]), args[1:]...)
	cmd.Dir = home
	cmd.Env = []string{"HOME=" + home, "PATH=" + os.Getenv("PATH"), "TERM=dumb", "LANG=C.UTF-8"}
	for _, scheme := range proxied {
		// ELinks reads some of the variables in upper case.
		cmd.Env = append(cmd.Env, scheme+"_proxy="+via, strings.ToUpper(scheme)+"_PROXY="+via)
	}
	out, err := cmd.CombinedOutput()
	if err != nil || !strings.Contains(string(out), words) {
		t.Errorf("%q: %v, and not %q:\n%s", args, err, words, out)
	}
}

// Unmodified Debian programs reach every scheme through the gateway. They use the proxy variables
// for schemes that they support, and the gateway pages for other schemes. The program curl sends
// the whole URL in the request line.
func TestPrograms(t *testing.T) {
	s, news := startSamples(t)
	_, port, _ := strings.Cut(strings.TrimSuffix(strings.TrimPrefix(s.gopher, "gopher://"), "/"), ":")
	gw := startGateway(t, []string{"LOCUS_NEWS_SERVER=" + news}, "--connect-port", port)
	lamp := document(t, s.wais)
	lynx := []string{"lynx", "-dump", "-width=200"}
	elinks := []string{"elinks", "-dump"}
	wget := []string{"wget", "-qO-", "--tries=1"}
	curl := []string{"curl", "-sS", "--fail"}
	page := func(u string) string { return gw + "?url=" + url.QueryEscape(u) }
	for _, c := range []struct {
		name    string
		program []string
		args    []string
		words   string
	}{
		{"http", lynx, []string{s.http}, "of the web"},
		{"http", elinks, []string{s.http}, "of the web"},
		{"http", wget, []string{s.http}, "<p>of the web"},
		{"http", curl, []string{s.http}, "<p>of the web"},

		{"gopher menu", lynx, []string{s.gopher}, "A burrow"},
		{"gopher menu", curl, []string{s.gopher}, "0A burrow\tburrow\t"}, // through a tunnel
		{"gopher menu", curl, []string{"--request-target", s.gopher, gw}, "A burrow\t" + s.gopher + "0burrow"},
		{"gopher menu", elinks, []string{page(s.gopher)}, "A burrow"},
		{"gopher menu", wget, []string{page(s.gopher)}, "A burrow"},
		{"gopher text", lynx, []string{s.gopher + "0burrow"}, "deep and dry"},

		{"FTP listing", lynx, []string{s.ftp}, "hello.txt"},
		{"FTP listing", elinks, []string{s.ftp}, "hello.txt"},
		{"FTP listing", wget, []string{s.ftp}, "hello.txt\t" + s.ftp + "hello.txt"},
		{"FTP listing", curl, []string{s.ftp}, "hello.txt\t" + s.ftp + "hello.txt"},
		{"FTP file", lynx, []string{s.ftp + "hello.txt"}, "hello from afar"},
		{"FTP file", elinks, []string{s.ftp + "hello.txt"}, "hello from afar"},
		{"FTP file", wget, []string{s.ftp + "hello.txt"}, "hello from afar"},
		{"FTP file", curl, []string{s.ftp + "hello.txt"}, "hello from afar"},

		{"WAIS search", lynx, []string{s.wais}, "The lamp"},
		{"WAIS search", curl, []string{"--request-target", s.wais, gw}, "The lamp\t" + lamp},
		{"WAIS search", elinks, []string{page(s.wais)}, "The lamp"},
		{"WAIS search", wget, []string{page(s.wais)}, "The lamp"},
		{"WAIS document", lynx, []string{lamp}, "It is lit at dusk."},
		{"WAIS document", curl, []string{"--request-target", lamp, gw}, "It is lit at dusk."},
		{"WAIS document", elinks, []string{page(lamp)}, "It is lit at dusk."},

		{"news article", lynx, []string{s.news}, "High water at noon."},
		{"news article", curl, []string{"--request-target", s.news, gw}, "High water at noon."},
		{"news article", elinks, []string{page(s.news)}, "High water at noon."},
		{"news article", wget, []string{page(s.news)}, "High water at noon."},

		{"Prospero links", lynx, []string{page(s.prospero)}, "hello"},
		{"Prospero links", curl, []string{"--request-target", s.prospero, gw}, "hello\t" + s.prospero + "/hello"},
		{"Prospero link", elinks, []string{page(s.prospero + "/hello")}, "hello by way of a link"},
		{"Prospero link", wget, []string{page(s.prospero + "/hello")}, "hello by way of a link"},
		{"Prospero link", curl, []string{"--request-target", s.prospero + "/hello", gw}, "hello by way of a link"},
	} {
		t.Run(c.name+" in "+c.program[0], func(t *testing.T) {
			shows(t, gw, c.words, slices.Concat(c.program, c.args)...)
		})
	}
}

// The command locus also reaches every scheme through the gateway.
func TestGatewayOfGateway(t *testing.T) {
	s, news := startSamples(t)
	gw := startGateway(t, []string{"LOCUS_NEWS_SERVER=" + news})
	for _, c := range []struct{ url, words string }{
		{s.http, "<p>of the web"},
		{s.gopher, "A burrow\t" + s.gopher + "0burrow"},
		{s.ftp + "hello.txt", "hello from afar"},
		{document(t, s.wais), "It is lit at dusk."},
		{s.news, "High water at noon."},
		{s.prospero + "/hello", "hello by way of a link"},
	} {
		for _, via := range []string{strings.TrimSuffix(gw, "/"), gw + "?url={url}"} {
			r := locus(t, "get", "-v", "--gateway", "all="+via, c.url)
			page := strings.HasSuffix(via, "}")
			if words, _, _ := strings.Cut(c.words, "\t"); r.status != 0 || page && !strings.Contains(r.out, strings.TrimPrefix(words, "<p>")) || !page && !strings.Contains(r.out, c.words) {
				t.Errorf("%s by way of %s: status %d, %s\n%s", c.url, via, r.status, clip(r.out), r.err)
			}
			r.says(t, "* "+c.url+" through "+via)
		}
	}
	// The second gateway uses the first gateway as its proxy.
	far := startGateway(t, nil, "--gateway", "all="+gw)
	r := locus(t, "get", "--gateway", "gopher="+far, s.gopher+"0burrow")
	r.want(t, 0, "deep and dry\r\n")
}
