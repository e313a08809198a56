package access_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"strconv"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/escape"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// This file adds a scheme to a program: its syntax, and how its URLs are accessed.
// RFC 1738 section 4 reserves names that begin with "x-" for experiments. It asks for
// "the syntax for representing such a scheme" and "a definition of an algorithm for
// accessing of resources within that scheme".
//
// The scheme is for Finger (RFC 1288), which describes the users of a host:
//
//	fingerurl = "x-finger://" hostport [ "/" user ]
//	user      = *uchar
//
// Without a user, the server lists all users.

const fingerPort = 79

// fingerURL is a URL of the scheme with its decoded parts. It is comparable, like a
// locus.URL.
type fingerURL struct {
	url  locus.URL
	user string // decoded; empty: all users
}

// parseFinger reads u. The error is a *locus.SyntaxError with the offset and the part.
func parseFinger(u locus.URL) (fingerURL, error) {
	if u.Scheme() != "x-finger" {
		return fingerURL{}, u.Errorf(0, "scheme", "%w: the scheme is not x-finger", locus.ErrForm)
	}
	if !u.Facts().Has(locus.Internet) || u.Host() == "" {
		return fingerURL{}, u.Errorf(u.PathOffset(), "hostport", `%w: "//" and a host come after the scheme`, locus.ErrForm)
	}
	path, _ := u.Path()
	if i := strings.IndexAny(path, "/?"); i >= 0 {
		return fingerURL{}, u.Errorf(u.PathOffset()+i, "user", `%w: "/" and "?" are encoded in the name of a user`, locus.ErrForm)
	}
	user, err := escape.Decode(path)
	if err != nil {
		return fingerURL{}, u.Errorf(u.PathOffset(), "user", "%w", err)
	}
	// The name is sent as a line, so it must not have a line end (RFC 1738 section 6).
	// The check comes before anything is sent.
	if strings.ContainsAny(user, "\r\n\x00") {
		return fingerURL{}, u.Errorf(u.PathOffset(), "user", "%w: it is sent as a line, so CR, LF and NUL can't be in it", locus.ErrValue)
	}
	return fingerURL{u, user}, nil
}

func (f fingerURL) address() string {
	port := uint16(fingerPort)
	if n, ok := f.url.Port(); ok {
		port = n
	}
	return net.JoinHostPort(strings.Trim(f.url.Host(), "[]"), strconv.Itoa(int(port)))
}

// openFinger is the algorithm: one request and response, over a connection from
// Request.Dial.
func openFinger(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
	f, err := parseFinger(req.URL)
	if err != nil {
		return nil, err
	}
	conn, err := req.Dial.DialContext(ctx, "tcp", f.address())
	if err != nil {
		return nil, fmt.Errorf("finger: %w", err)
	}
	// The end of ctx ends both the request and the response.
	answer := &fingerAnswer{Conn: conn, ctx: ctx, stop: context.AfterFunc(ctx, func() { conn.Close() })}
	req.Traced(true, f.user)
	if _, err := fmt.Fprintf(conn, "%s\r\n", f.user); err != nil {
		answer.Close()
		return nil, fmt.Errorf("finger: %w", answer.reason(err))
	}
	// The end of the connection is the end of the object.
	return &scheme.Object{URL: req.URL, Type: "text/plain", Size: -1, Body: scheme.Limit(answer, req.Limit)}, nil
}

// fingerAnswer is the body of the response. It ends with ctx.
type fingerAnswer struct {
	net.Conn
	ctx  context.Context
	stop func() bool // of the AfterFunc of ctx
}

func (a *fingerAnswer) Read(p []byte) (int, error) {
	n, err := a.Conn.Read(p)
	return n, a.reason(err)
}

func (a *fingerAnswer) Close() error {
	a.stop()
	return a.Conn.Close()
}

// reason returns the cause of ctx if that ended, otherwise err.
func (a *fingerAnswer) reason(err error) error {
	if err != nil && err != io.EOF && a.ctx.Err() != nil {
		return a.ctx.Err()
	}
	return err
}

// finger is the row for the registry, which sets the defaults of the missing fields.
func finger() scheme.Scheme {
	return scheme.Scheme{
		Name:    "x-finger",
		Port:    fingerPort,
		Status:  scheme.Experimental,
		Section: "RFC 1288 2.3",
		Syntax: scheme.Syntax{
			Form: "x-finger://<host>:<port>/<user>",
			Fields: func(u locus.URL) ([]scheme.Field, error) {
				f, err := parseFinger(u)
				return []scheme.Field{{Name: "user", Value: f.user}}, err
			},
		},
		Access: scheme.Access{Protocol: "Finger (RFC 1288)", Opener: scheme.OpenerFunc(openFinger)},
	}
}

// A program adds its own scheme: a row in the registry. The client, the policy and the
// limits are those of all schemes.
func Example_newScheme() {
	registry, err := new(scheme.Registry).With(finger()) // or all.Registry, or any other
	if err != nil {
		panic(err)
	}
	rules, err := policy.New(policy.Rules{TypedPrivate: true}) // the server is on this machine
	if err != nil {
		panic(err)
	}
	client := access.New(registry, rules, nil)
	defer client.Close()

	u, stop := fingerServer()
	defer stop()
	resource, err := client.Open(context.Background(), u.String())
	if err != nil {
		panic(err)
	}
	defer resource.Close()
	text, err := io.ReadAll(resource.Resource.(*scheme.Object).Body)
	fmt.Printf("%s%v\n", text, err)

	// The URL is parsed by the scheme,
	u = locus.MustParse("X-Finger://Host.example/tim%2Dbl")
	canonical, changes, err := registry.Canonical(u)
	fmt.Println(canonical, err)
	for _, change := range changes.Texts() {
		fmt.Println("-", change)
	}
	// and a name with a line end is refused before anything is sent.
	for _, text := range []string{"x-finger://host.example/a%0D%0Ab", "x-finger://host.example:25/a"} {
		_, err = client.Open(context.Background(), text)
		fmt.Println(access.KindOf(err))
	}
	// Output:
	// timbl is at his desk.
	// <nil>
	// x-finger://host.example/tim-bl <nil>
	// - the scheme's name is written in lower case
	// - a host's name is written in lower case
	// - an escape that is not needed is written as its character
	// syntax
	// denied
}

// fingerServer starts a server for one request, and returns its URL.
func fingerServer() (u locus.URL, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		user, err := bufio.NewReader(c).ReadString('\n')
		if err == nil {
			fmt.Fprintf(c, "%s is at his desk.\n", strings.TrimSpace(user))
		}
	}()
	return locus.MustParse("x-finger://" + l.Addr().String() + "/timbl"), func() {
		l.Close()
		<-done
	}
}
