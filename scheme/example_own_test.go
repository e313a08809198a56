package scheme_test

import (
	"context"
	"fmt"
	"io"
	"net"
	"strings"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
)

// daytime returns a custom scheme: a server sends the time to each client (RFC 867).
func daytime() scheme.Scheme {
	const port = 13
	open := func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		conn, err := scheme.Connect(ctx, req, port)
		if err != nil {
			return nil, err
		}
		return &scheme.Object{URL: req.URL, Type: "text/plain", Size: -1, Body: scheme.Limit(conn, req.Limit)}, nil
	}
	return scheme.Scheme{
		Name: "x-daytime", Port: port, Section: "RFC 867",
		Access: scheme.Access{Protocol: "Daytime (RFC 867)", Opener: scheme.OpenerFunc(open)},
	}
}

// A custom scheme is a scheme.Scheme in a registry. The client applies the policy, the
// limits and the errors of all schemes. One call of schemetest.Run tests the scheme.
func ExampleScheme() {
	client, err := all.Client(&all.Options{
		Schemes: []scheme.Scheme{daytime()},
		Rules:   policy.Rules{TypedPrivate: true}, // the server is on this machine
	})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer client.Close()

	address, stop := startClock()
	defer stop()
	res, err := client.Open(context.Background(), "X-Daytime://"+address)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer res.Close()
	text, err := io.ReadAll(res.Resource.(*scheme.Object).Body)
	fmt.Println(strings.TrimSpace(string(text)), err)

	_, err = client.Open(context.Background(), "x-daytime://host.example:25/")
	fmt.Println(access.KindOf(err))
	// Output:
	// Thursday, October 20, 1994 12:00:00 <nil>
	// denied
}

// startClock starts a server whose time never changes.
func startClock() (address string, stop func()) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		if conn, err := l.Accept(); err == nil {
			io.WriteString(conn, "Thursday, October 20, 1994 12:00:00\r\n")
			conn.Close()
		}
	}()
	return l.Addr().String(), func() {
		l.Close()
		<-done
	}
}
