package tour

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/netip"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/mailstore"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// Museum is the running servers. Close ends them.
type Museum struct {
	house *house
	stops []Stop
	rooms []io.Closer
	news  locus.URL
	mail  *mailstore.Store
}

// Room is where the stops of a scheme, or of a few that belong together, are.
type Room struct {
	Scheme string // of the first
	Name   string
	About  string // a sentence or two
	Stops  []Stop
}

// room is what one scheme brings: its stops, and how to end what it started.
type room struct {
	name, about string // for people; empty: it is one of the last, behind the others
	stops       []Stop
	close       func() error     // nil: it started nothing
	news        locus.URL        // a server for those that name none; zero: there is none
	mail        *mailstore.Store // mail that was received; nil: there is none
}

// Close ends what the room started.
func (r room) Close() error {
	if r.close == nil {
		return nil
	}
	return r.close()
}

// Open starts the servers of all rooms, on loopback, on ports that the kernel
// chooses, and those that rows bring.
func Open(rows ...scheme.Scheme) (*Museum, error) {
	exhibits, err := fs.Sub(embedded, "museum")
	if err != nil {
		return nil, fmt.Errorf("tour: %w", err)
	}
	m := &Museum{}
	if m.house, err = newHouse(exhibits); err != nil {
		return nil, fmt.Errorf("tour: %w", err)
	}
	rooms := []func(*house) (room, error){
		ftpRoom, httpRoom, gopherRoom, mailtoRoom, newsRoom, sessionRoom, waisRoom, fileRoom, prosperoRoom, mailRoom,
	}
	rooms = append(rooms, secureRooms()...)
	for _, s := range rows {
		if s.Demo != nil {
			rooms = append(rooms, demoRoom(s))
		}
	}
	for _, open := range rooms {
		r, err := open(m.house)
		if err != nil {
			return nil, errors.Join(fmt.Errorf("tour: %w", err), m.Close())
		}
		m.take(r)
	}
	m.house.begin()
	return m, nil
}

// demoRoom returns what starts the demonstration of a scheme.
func demoRoom(s scheme.Scheme) func(*house) (room, error) {
	return func(h *house) (room, error) {
		d, err := s.Demo()
		if err != nil {
			return room{}, err
		}
		r := room{name: d.Name, about: d.About, close: d.Close}
		for _, stop := range d.Stops {
			port, _ := stop.URL.Port()
			h.doors.set(net.JoinHostPort(stop.URL.Host(), strconv.Itoa(int(port))), true)
			r.stops = append(r.stops, Stop{Scheme: s.Name, Section: s.Section, Title: stop.Title, URL: stop.URL, Kind: stop.Kind, Type: stop.Type, Answers: stop.Answers})
		}
		return r, nil
	}
}

// take adds a room.
func (m *Museum) take(r room) {
	m.rooms = append(m.rooms, r)
	for i := range r.stops {
		if r.stops[i].Kind != "" {
			continue
		}
		r.stops[i].Kind, r.stops[i].Type = scheme.KindUnknown, ""
		if !r.stops[i].Missing {
			r.stops[i].Kind, r.stops[i].Type = promise(r.stops[i].URL)
		}
	}
	m.stops = append(m.stops, r.stops...)
	if !r.news.IsZero() {
		m.news = r.news
	}
	if r.mail != nil {
		m.mail = r.mail
	}
	rooms := &m.house.rooms
	switch last := len(*rooms) - 1; {
	case r.name != "":
		*rooms = append(*rooms, Room{r.stops[0].Scheme, r.name, r.about, r.stops})
	case (*rooms)[last].Name == secureName:
		(*rooms)[last].Stops = append((*rooms)[last].Stops, r.stops...)
	default:
		*rooms = append(*rooms, Room{"tls", secureName, secureAbout, r.stops})
	}
}

// Stops returns what there is to see, in the order of RFC 1738's section 3, with
// rlogin and tn3270 behind telnet, then what only the URI draft has, and then what
// neither has.
func (m *Museum) Stops() []Stop { return m.stops }

// Rooms returns the same by rooms.
func (m *Museum) Rooms() []Room { return m.house.rooms }

// News returns the news server that a visitor's client is to use where a URL names
// none, as "nntp://host:port".
func (m *Museum) News() locus.URL { return m.news }

// Mail returns the mail that a visitor's client is to find messages in. It is good
// until Close.
func (m *Museum) Mail() *mailstore.Store { return m.mail }

// TLS returns what a visitor's client needs to trust the museum's servers, which
// nobody else does. It is not to be changed.
func (m *Museum) TLS() *tls.Config { return m.house.client }

// Close ends the servers and removes what they left on the disk.
func (m *Museum) Close() error {
	m.house.begin() // nobody is to wait for what does not come
	var errs []error
	for _, r := range m.rooms {
		errs = append(errs, r.Close())
	}
	m.rooms = nil
	return errors.Join(append(errs, m.house.Close())...)
}

// Holds reports whether u is the URL of one of the museum's files.
func (m *Museum) Holds(u locus.URL) bool { return m.house.holds(u) }

// Ports returns the ports of the museum's servers, for [policy.Rules]: a referral
// leads to a scheme's own port, and in the museum the kernel chose the ports.
func (m *Museum) Ports() []uint16 { return m.house.doors.ports() }

// Client returns a client for the schemes of r that reaches the museum and nothing
// else: no other port of this machine, no other file, no other host, whose name is
// not even looked up. Dial and Lookup of o, which may be nil, count for nothing; its
// Check is asked besides.
func (m *Museum) Client(r *scheme.Registry, o *access.Options) (*access.Client, error) {
	var options access.Options
	if o != nil {
		options = *o
	}
	options.Dial, options.Lookup = m.dial, noNames
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
	// The gates above are narrower than these rules.
	p, err := policy.New(policy.Rules{
		AllowPrivate: true, Files: true,
		// A referral leads to a scheme's own port, and here each scheme has another.
		Ports: m.Ports(),
	})
	if err != nil {
		return nil, fmt.Errorf("tour: %w", err)
	}
	return access.New(r, p, &options), nil
}

// dial connects to the museum's own addresses.
func (m *Museum) dial(ctx context.Context, network, address string) (net.Conn, error) {
	if !m.house.doors.isOpen(address) {
		return nil, notHere(address)
	}
	return new(net.Dialer).DialContext(ctx, network, address)
}

func noNames(_ context.Context, host string) ([]netip.Addr, error) { return nil, notHere(host) }

// notHere refuses what is not in the museum.
func notHere(subject string) error {
	return &policy.DeniedError{
		Rule: "host", Subject: locus.Quote(subject), Reason: "the tour leads through the museum, and nowhere else", Help: "outside the tour it may be opened",
	}
}

// check refuses a URL of something that is not in the museum. port is that of its
// scheme.
func (m *Museum) check(u locus.URL, port uint16) error {
	if u.Scheme() == "file" {
		if !m.house.holds(u) {
			return notHere(u.String())
		}
		return nil
	}
	if u.Host() == "" {
		return nil
	}
	if n, ok := u.Port(); ok {
		port = n
	}
	if address := net.JoinHostPort(u.Host(), strconv.Itoa(int(port))); !m.house.doors.isOpen(address) {
		return notHere(address)
	}
	return nil
}

// holds reports whether a file URL is that of a file that was laid out.
func (h *house) holds(u locus.URL) bool {
	rest, ok := strings.CutPrefix(u.String(), h.base["file"]+"/")
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
