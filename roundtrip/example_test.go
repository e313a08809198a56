package roundtrip_test

import (
	"fmt"
	"io"
	"net/http"

	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/roundtrip"
	"github.com/locus-url/locus/scheme/all"
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
	a, err := all.Client(&all.Options{Rules: policy.Rules{AllowPrivate: true}}) // the server is on this machine
	if err != nil {
		fmt.Println(err)
		return
	}
	defer a.Close()

	// http and https as usual, and ftp through the access client.
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
