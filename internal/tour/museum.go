package tour

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/internal/certtest"
	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/mailstore"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/finger/fingertest"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
	"github.com/locus-url/locus/scheme/gemini/geminitest"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// Demo runs the demonstration servers. The caller must call Close.
type Demo struct {
	rooms []Server

	tcp       map[string]net.Listener // TCP listeners by server name; see tcpServers
	udp       net.PacketConn
	addresses addressSet
	// base maps the name of a server to its base URL, such as "ftp://127.0.0.1:34121" for
	// "ftp". The map is complete before any server runs, so that every exhibit can link to
	// every server.
	base map[string]string

	server, client *tls.Config // TLS configurations; client trusts only the server's certificate
	dir            string      // directory of the files and the mail
	mail           *mailstore.Store

	started chan struct{} // closed when all servers run
	start   func()        // closes started, once
	closers []io.Closer
}

// Server is a demonstration server of the tour. Its URLs have one scheme or several related
// schemes.
type Server struct {
	Scheme string // scheme of the first stop
	Name   string
	About  string // description of one or two sentences
	Stops  []Stop
}

// tcpServers lists the names of the TCP servers and the prefixes of their URLs.
var tcpServers = []struct{ name, prefix string }{
	{"ftp", "ftp://"}, {"http", "http://"}, {"gopher", "gopher://"}, {"phone", "gopher://"}, {"nntp", "nntp://"},
	{"telnet", "telnet://"}, {"desk", "telnet://guest@"}, {"rlogin", "rlogin://guest@"}, {"tn3270", "tn3270://"}, {"wais", "wais://"},
	{"ftps", "ftps://"}, {"https", "https://"}, {"gophers", "gophers://"}, {"nntps", "nntps://"},
}

// demos lists functions that start a test server and describe its room, which is the tour's word
// for a server. The file museum/rooms.json describes the other rooms.
var demos = []func() (*servetest.Demo, error){
	fingertest.Demo,
	geminitest.Demo,
}

// Open starts a server for each scheme of RFC 1738 and the URI draft, and all servers in demos.
// The servers use loopback addresses and ports that the kernel chooses.
func Open() (*Demo, error) {
	m := &Demo{tcp: map[string]net.Listener{}, base: map[string]string{}, started: make(chan struct{})}
	m.start = sync.OnceFunc(func() { close(m.started) })
	if err := m.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("tour: %w", err), m.Close())
	}
	return m, nil
}

func (m *Demo) open() error {
	if err := m.listen(); err != nil {
		return err
	}
	if err := m.writeFiles(); err != nil {
		return err
	}
	m.startHTTP(m.tcp["http"])
	err := errors.Join(
		m.startFTP(ftptest.Options{Listener: m.tcp["ftp"]}), m.startGopher(), m.startNews(newstest.Options{Listener: m.tcp["nntp"]}),
		m.startSessions(), m.startWAIS(), m.startProspero(), m.openMail(), m.startSecure(),
	)
	if err != nil {
		return err
	}
	var rooms []Server
	if err := m.readJSON("rooms.json", &rooms); err != nil {
		return err
	}
	for _, r := range rooms {
		m.addServer(r)
	}
	for _, start := range demos {
		if err := m.addDemo(start()); err != nil {
			return err
		}
	}
	m.start()
	return nil
}

func (m *Demo) listen() (err error) {
	if m.server, m.client, err = certtest.Pair(); err != nil {
		return err
	}
	for _, s := range tcpServers {
		l, err := m.addresses.listen("tcp4", "127.0.0.1:0")
		if err != nil {
			return err
		}
		m.tcp[s.name], m.base[s.name] = l, s.prefix+l.Addr().String()
	}
	if m.udp, err = net.ListenPacket("udp4", "127.0.0.1:0"); err != nil {
		return err
	}
	m.addresses.add(m.udp.LocalAddr().String())
	m.base["prospero"] = "prospero://" + m.udp.LocalAddr().String()
	return nil
}

// addServer adds a server to the tour and sets the default values of its stops.
func (m *Demo) addServer(r Server) {
	for i := range r.Stops {
		s := &r.Stops[i]
		if s.Scheme == "" {
			s.Scheme = s.URL.Scheme()
		}
		switch {
		case s.Kind != "":
		case s.Type != "":
			s.Kind = scheme.KindObject
		default:
			s.Kind = scheme.KindUnknown
		}
	}
	if r.Scheme == "" {
		r.Scheme = r.Stops[0].Scheme
	}
	m.rooms = append(m.rooms, r)
}

// addDemo adds a server that already runs to the tour.
func (m *Demo) addDemo(d *servetest.Demo, err error) error {
	if err != nil {
		return err
	}
	m.closers = append(m.closers, closerFunc(d.Close))
	r := Server{Name: d.Name, About: d.About}
	for i, s := range d.Stops {
		u, err := locus.Parse(s.URL)
		if err != nil {
			return err
		}
		m.addresses.add(hostPort(u, 0))
		r.Stops = append(r.Stops, Stop{
			Name: fmt.Sprintf("%s-%d", d.Scheme, i+1), Section: d.Section, Title: s.Title, URL: u, Kind: scheme.ItemKind(s.Kind), Type: s.Type, Answers: s.Answers,
		})
	}
	m.addServer(r)
	return nil
}

// Stops returns the stops of all servers. The schemes of RFC 1738 section 3 come first, in its
// order, with rlogin and tn3270 after telnet. The schemes of the URI draft follow, and then all
// other schemes.
func (m *Demo) Stops() []Stop {
	var all []Stop
	for _, r := range m.rooms {
		all = append(all, r.Stops...)
	}
	return all
}

// Servers returns the servers of the tour with their stops.
func (m *Demo) Servers() []Server { return m.rooms }

// News returns the URL of the news server, such as "nntp://host:port".
func (m *Demo) News() locus.URL { return locus.MustParse(m.base["nntp"]) }

// Mail returns the mail store for mid URLs. The store is valid until Close.
func (m *Demo) Mail() *mailstore.Store { return m.mail }

// MailFile returns the path of the mbox file from which Mail reads. The directory of that file
// contains all files of the tour.
func (m *Demo) MailFile() string { return filepath.Join(m.dir, "letters.mbox") }

// TLS returns a configuration that trusts only the tour's servers. The caller must not
// change it.
func (m *Demo) TLS() *tls.Config { return m.client }

// Close stops the servers and removes their files.
func (m *Demo) Close() error {
	m.start() // a waiting request must not block its server's shutdown
	var errs []error
	for _, c := range m.closers {
		errs = append(errs, c.Close())
	}
	m.closers = nil
	for _, l := range m.tcp {
		l.Close() // most listeners are closed already
	}
	if m.udp != nil {
		m.udp.Close()
	}
	if m.dir != "" {
		errs = append(errs, os.RemoveAll(m.dir))
	}
	return errors.Join(errs...)
}

type closerFunc func() error

func (f closerFunc) Close() error { return f() }

// closeLater registers a started server, so that Close closes the server.
func (m *Demo) closeLater(server io.Closer, err error) error {
	if err == nil {
		m.closers = append(m.closers, server)
	}
	return err
}

func (m *Demo) host(name string) string { return m.tcp[name].Addr().(*net.TCPAddr).IP.String() }
func (m *Demo) port(name string) int    { return m.tcp[name].Addr().(*net.TCPAddr).Port }

// Ports returns the ports of the tour's servers, for use in [policy.Rules]. The policy denies
// redirects to these servers unless the rules allow their ports, which are not the default ports
// of the schemes.
func (m *Demo) Ports() []uint16 { return m.addresses.ports() }

// Client returns a client for the schemes in the registry r. The client connects only to the tour's
// servers and opens only the tour's files. It does not resolve host names. It ignores o.Dial and
// o.Lookup, and calls o.Check after its own check. The options o may be nil.
func (m *Demo) Client(r *scheme.Registry, o *access.Options) (*access.Client, error) {
	var options access.Options
	if o != nil {
		options = *o
	}
	options.Dial, options.Lookup = m.dial, refuseLookup
	also := options.Check
	options.Check = func(u locus.URL) error {
		var port uint16
		if s, ok := r.Lookup(u.Scheme()); ok {
			port = s.Port
		}
		if err := m.check(u, port); err != nil || also == nil {
			return err
		}
		return also(u)
	}
	// The checks above are stricter than these rules.
	p, err := policy.New(policy.Rules{AllowPrivate: true, Files: true, Ports: m.Ports()})
	if err != nil {
		return nil, fmt.Errorf("tour: %w", err)
	}
	return access.New(r, p, &options), nil
}

func (m *Demo) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if !m.addresses.has(address) {
		return nil, denied(address)
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

func refuseLookup(_ context.Context, host string) ([]netip.Addr, error) { return nil, denied(host) }

func denied(subject string) error {
	return &policy.DeniedError{
		Rule: "host", Subject: locus.Quote(subject), Reason: "the tour reaches only its own servers and files", Help: "open it outside the tour",
	}
}

// check denies URLs that are not on the tour's servers or in its files. The parameter port is the
// default port of the URL's scheme.
func (m *Demo) check(u locus.URL, port uint16) error {
	switch {
	case u.Scheme() == "file" && !m.Holds(u):
		return denied(u.String())
	case u.Scheme() == "file" || u.Host() == "":
		return nil
	}
	if address := hostPort(u, port); !m.addresses.has(address) {
		return denied(address)
	}
	return nil
}

func hostPort(u locus.URL, port uint16) string {
	if n, ok := u.Port(); ok {
		port = n
	}
	return net.JoinHostPort(u.Host(), strconv.Itoa(int(port)))
}

// Holds reports whether the URL u names one of the tour's files.
func (m *Demo) Holds(u locus.URL) bool {
	rest, ok := strings.CutPrefix(u.String(), m.base["file"]+"/")
	if !ok {
		return false
	}
	for segment := range strings.SplitSeq(rest, "/") {
		name, err := escape.Decode(segment)
		if err != nil || name == "." || name == ".." || strings.ContainsAny(name, "/\\\x00") {
			return false
		}
	}
	return true
}

// filesDir returns the directory of the files that the FTP, HTTP and file URLs name.
func (m *Demo) filesDir() string { return filepath.Join(m.dir, "files") }
