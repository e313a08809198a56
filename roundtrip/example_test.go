package roundtrip_test

import (
	"fmt"
	"io"
	"net/http"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/roundtrip"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

// An http.Client gets a file and a directory over FTP.
func Example() {
	server, err := ftptest.Start(ftptest.Files{"pub/hello.txt": {Data: "Hello\n"}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	opener := ftp.New(nil)
	defer opener.Close()
	registry, err := scheme.NewRegistry(ftp.Scheme(opener)) // or all.Registry
	if err != nil {
		fmt.Println(err)
		return
	}
	rules, err := policy.New(policy.Rules{TypedPrivate: true}) // the server is on this machine
	if err != nil {
		fmt.Println(err)
		return
	}
	a := access.New(registry, rules, nil)
	defer a.Close()

	// Over HTTP as ever, and by the access client for URLs of ftp.
	transport := new(http.Transport)
	transport.RegisterProtocol("ftp", roundtrip.New(a, &roundtrip.Options{Menu: roundtrip.JSON}))
	client := &http.Client{Transport: transport}

	for _, path := range []string{"/pub/hello.txt", "/pub/", "/nothing"} {
		resp, err := client.Get("ftp://" + server.Addr() + path)
		if err != nil {
			fmt.Println(err)
			return
		}
		body, err := io.ReadAll(resp.Body)
		resp.Body.Close()
		fmt.Println(resp.Status, err)
		if path == "/pub/hello.txt" {
			fmt.Printf("%s", body)
		}
	}
	// Output:
	// 200 OK <nil>
	// Hello
	// 200 OK <nil>
	// 404 Not Found <nil>
}
