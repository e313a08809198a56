package access_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
)

// A service calls the webhooks that its customers entered.
func ExampleNewTransport() {
	client := &http.Client{Transport: access.NewTransport(nil)}
	for _, webhook := range []string{"http://169.254.169.254/latest/meta-data/", "http://0x7f.1/", "https://[64:ff9b::10.0.0.1]/", "http://8.8.8.8:6379/"} {
		_, err := client.Post(webhook, "application/json", strings.NewReader("{}"))
		if denied := (*policy.DeniedError)(nil); errors.As(err, &denied) {
			fmt.Println(denied.Rule+":", denied.Reason)
		}
	}
	// Output:
	// link-local: its host is not a public address: link local (RFC 3927)
	// host: "0x7f.1" is not a host
	// private: its host is not a public address: translated to IPv4 (RFC 6052), which contains an address for private use (RFC 1918)
	// port: port 6379 belongs to Redis, which could read this request as commands
}

// A program fetches pages of its own network.
func ExampleNewTransport_options() {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		fmt.Fprintf(w, "%s from %s", r.Method, r.UserAgent())
	}))
	defer server.Close()
	rules, err := policy.New(policy.Rules{AllowPrivate: true})
	if err != nil {
		panic(err)
	}
	client := &http.Client{Transport: access.NewTransport(&access.TransportOptions{Policy: rules, UserAgent: "example/1.0"})}
	defer client.CloseIdleConnections()
	resp, err := client.Get(server.URL)
	if err != nil {
		panic(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	fmt.Println(resp.Status, string(text), err)
	// Output:
	// 200 OK GET from example/1.0 <nil>
}

// A person may name the printer, but a page from the Internet may not lead there.
func ExampleClient_Follow() {
	rules, err := policy.New(policy.Rules{TypedPrivate: true})
	if err != nil {
		panic(err)
	}
	client := access.New(nil, rules, nil)
	defer client.Close()
	// A page that a program read by other means. By default it is from the public Internet.
	page := &access.Result{URL: locus.MustParse("http://www.example/")}
	_, err = client.Follow(context.Background(), page, locus.MustParse("http://printer.local/"))
	fmt.Println(err)
	// Output:
	// locus: open http://printer.local/: policy: its host is not a public name: link local (RFC 6762), and it comes from a link or redirect
}
