package prosperotest_test

import (
	"context"
	"fmt"
	"net"
	"net/netip"

	"github.com/locus-url/locus/scheme/internal/ardp"
	"github.com/locus-url/locus/scheme/prospero/prosperotest"
)

func Example() {
	server, err := prosperotest.Start(prosperotest.Directory{"/pros/name": {Data: "Hello.\n"}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	reply, err := ardp.New(nil).Do(context.Background(), &ardp.Call{
		Message: []byte("GET-OBJECT-INFO CONTENTS ASCII '/pros/name' 0\n"),
		Dial: func(ctx context.Context, _ netip.AddrPort) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "udp4", server.Addr())
		},
	})
	fmt.Printf("%q %q %v\n", server.Requests(), reply, err)
	// Output:
	// ["GET-OBJECT-INFO CONTENTS ASCII '/pros/name' 0\n"] "ATTRIBUTE OBJECT INTRINSIC CONTENTS SEQUENCE DATA Hello.'\n'\n" <nil>
}
