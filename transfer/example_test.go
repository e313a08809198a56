package transfer_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/transfer"
)

func ExampleSafeName() {
	for _, octets := range []string{"rfc1738.txt", "../../etc/passwd", "-rf", ".profile", "gr\xfcn", "nul.txt", ".."} {
		fmt.Printf("%q\n", transfer.SafeName(octets))
	}
	// Output:
	// "rfc1738.txt"
	// "passwd"
	// "_rf"
	// "_profile"
	// "grün"
	// "_nul.txt"
	// ""
}

// echo is a scheme in which each object contains its own name.
func echo() (*scheme.Registry, error) {
	s := scheme.Generic("x-echo", scheme.Experimental)
	s.Access.Opener = scheme.OpenerFunc(func(_ context.Context, req *scheme.Request) (scheme.Resource, error) {
		path, _ := req.URL.Path()
		if path == "nothing" {
			return nil, scheme.ErrNotFound
		}
		return &scheme.Object{URL: req.URL, Size: int64(len(path)), Body: io.NopCloser(strings.NewReader(path))}, nil
	})
	return scheme.NewRegistry(s)
}

func ExampleRun() {
	registry, err := echo()
	if err != nil {
		fmt.Println(err)
		return
	}
	client := access.New(registry, policy.Policy{}, nil)
	defer client.Close()

	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	folder, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer folder.Close()

	var jobs []transfer.Job
	for _, text := range []string{"x-echo://a.example/one", "x-echo://a.example/nothing", "x-echo://b.example/three"} {
		u := locus.MustParse(text)
		jobs = append(jobs, transfer.Job{URL: u, Name: transfer.Name(registry, u)})
	}
	results, err := transfer.Run(context.Background(), client, folder, jobs, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for r := range results {
		fmt.Printf("%s: %d octets, %q\n", r.Job.Name, r.Size, access.KindOf(r.Err))
	}
	// Output:
	// one: 3 octets, ""
	// nothing: 0 octets, "not-found"
	// three: 5 octets, ""
}
