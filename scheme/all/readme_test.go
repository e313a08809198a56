package all_test

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log"
	"net/http"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp"
)

// The Go example of README.md.
func Example() {
	u, err := locus.Parse("FTP://myname:secret@host.dom//etc/motd")
	if err != nil {
		log.Fatal(err) // with the offset, the fault, and the fix
	}
	fmt.Println(u.Shown())
	f, err := ftp.Parse(u) // the scheme's own URL type: split, then decoded once
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q %q\n", f.CWD(), f.Name())
	registry, err := all.Registry()
	if err != nil {
		log.Fatal(err)
	}
	canonical, _, err := registry.Canonical(u)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(canonical.Shown())
	// Output:
	// FTP://myname:***@host.dom//etc/motd
	// ["" "etc"] "motd"
	// ftp://myname:***@host.dom//etc/motd
}

// A webhook URL that a customer entered leads into the private network.
func Example_webhook() {
	client := &http.Client{Transport: access.NewTransport(nil)}
	_, err := client.Post("http://169.254.169.254/latest/", "application/json", strings.NewReader("{}"))
	if errors.Is(err, fs.ErrPermission) {
		fmt.Println("refused:", err)
	}
	// Output:
	// refused: Post "http://169.254.169.254/latest/": policy: "http://169.254.169.254/latest/": its host is not a public address: link local (RFC 3927)
}

// A client for every scheme, under the same policy.
func ExampleClient_refused() {
	client, err := all.Client(nil)
	if err != nil {
		log.Fatal(err)
	}
	defer client.Close()
	result, err := client.Open(context.Background(), "gopher://127.0.0.1/1/")
	if err != nil {
		fmt.Println(access.KindOf(err), errors.Is(err, fs.ErrPermission))
		return
	}
	defer result.Close()
	// Output:
	// denied true
}
