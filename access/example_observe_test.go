package access_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

// An ObserveFunc can write a log of all requests, without passwords.
func ExampleObserveFunc() {
	log := slog.New(slog.NewTextHandler(os.Stdout, &slog.HandlerOptions{ReplaceAttr: func(_ []string, a slog.Attr) slog.Attr {
		if a.Key == slog.TimeKey {
			return slog.Attr{}
		}
		return a
	}}))
	observe := func(ctx context.Context, a access.Attempt) func(access.AttemptResult) {
		return func(r access.AttemptResult) {
			log.InfoContext(ctx, "request", "url", a.URL, "plan", a.Plan, "bytes", r.Bytes, "failure", r.Kind, "rule", r.Rule)
		}
	}

	row := scheme.Generic("x-greeting", scheme.Extension)
	row.Access.Opener = scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		return &scheme.Object{URL: req.URL, Size: 5, Body: io.NopCloser(strings.NewReader("hello"))}, nil
	})
	registry, err := scheme.NewRegistry(row)
	if err != nil {
		fmt.Println(err)
		return
	}
	client := access.New(registry, policy.Policy{}, &access.Options{Observe: observe})
	defer client.Close()
	result, err := client.Open(context.Background(), "x-greeting://host.example/")
	if err != nil {
		fmt.Println(err)
		return
	}
	io.Copy(io.Discard, result.Resource.(*scheme.Object).Body)
	result.Close()
	_, _ = client.Open(context.Background(), "x-greeting://user:secret@127.0.0.1/")
	// Output:
	// level=INFO msg=request url=x-greeting://host.example/ plan=direct bytes=5 failure="" rule=""
	// level=INFO msg=request url=x-greeting://user:***@127.0.0.1/ plan="" bytes=0 failure=denied rule=password
}
