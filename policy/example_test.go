package policy_test

import (
	"errors"
	"fmt"
	"net/netip"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/policy"
)

// RFC 1738 section 6 mentions "using gopher URLs to cause a rude message to be sent via a SMTP
// server". Only Rules.Ports allows another service's port.
func ExamplePolicy_CheckURL() {
	var p policy.Policy
	err := p.CheckURL(policy.Target{URL: locus.MustParse("gopher://mail.example:25/0HELO%20there"), Reach: policy.Network, Port: 70}, policy.Typed)
	var denied *policy.DeniedError
	if errors.As(err, &denied) {
		fmt.Println(denied.Rule)
		fmt.Println(denied.Reason)
		fmt.Println(denied.Port)
	}
	// Output:
	// port
	// port 25 is reserved (below 1024); gopher uses 70
	// 25
}

// A user may enter the name of a machine on the local network. A remote page may not link to
// it.
func ExamplePolicy_CheckAddr() {
	p, err := policy.New(policy.Rules{TypedPrivate: true})
	if err != nil {
		panic(err)
	}
	printer := netip.MustParseAddrPort("192.168.1.9:80")
	fmt.Println(p.CheckAddr(printer, policy.Typed))
	fmt.Println(p.CheckAddr(printer, policy.FromPublic))
	// Output:
	// <nil>
	// policy: 192.168.1.9:80: not a public address: private use (RFC 1918), and it comes from a link or redirect
}

func ExampleIsPublic() {
	for _, text := range []string{"1.1.1.1", "10.0.0.1", "::ffff:10.0.0.1", "64:ff9b::10.0.0.1"} {
		fmt.Println(text, policy.IsPublic(netip.MustParseAddr(text)))
	}
	// Output:
	// 1.1.1.1 true
	// 10.0.0.1 false
	// ::ffff:10.0.0.1 false
	// 64:ff9b::10.0.0.1 false
}
