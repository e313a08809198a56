package archive_test

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/archive"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/warc"
)

func ExampleRecorder() {
	dir, err := os.MkdirTemp("", "example")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	name := filepath.Join(dir, "a.warc.gz")
	if err := os.WriteFile(filepath.Join(dir, "hello.txt"), []byte("Hello, archive\n"), 0o666); err != nil {
		log.Fatal(err)
	}
	registry, err := all.Registry()
	if err != nil {
		log.Fatal(err)
	}
	rules, err := policy.New(policy.Rules{Files: true})
	if err != nil {
		log.Fatal(err)
	}

	w, err := warc.Create(name, nil)
	if err != nil {
		log.Fatal(err)
	}
	recorder := archive.NewRecorder(w, registry, nil)
	client := access.New(registry, rules, &access.Options{Record: recorder.Record})

	res, err := client.Open(context.Background(), "file://"+filepath.ToSlash(dir)+"/hello.txt")
	if err != nil {
		log.Fatal(err)
	}
	io.Copy(io.Discard, res.Resource.(*scheme.Object).Body)
	res.Close()
	client.Close()
	if err := recorder.Close(); err != nil {
		log.Fatal(err)
	}

	f, err := os.Open(name)
	if err != nil {
		log.Fatal(err)
	}
	defer f.Close()
	for in := warc.NewReader(f); ; {
		record, err := in.Next()
		if err != nil {
			break
		}
		fmt.Println(record.Type, record.Get("Content-Length"))
	}
	// Output:
	// warcinfo 122
	// resource 15
}
