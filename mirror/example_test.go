package mirror_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/file"
)

func ExampleRun() {
	dir, err := os.MkdirTemp("", "mirror")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(dir)
	os.MkdirAll(filepath.Join(dir, "from", "sub"), 0o777)
	os.WriteFile(filepath.Join(dir, "from", "sub", "a.txt"), []byte("text"), 0o666)

	registry, err := scheme.NewRegistry(file.Scheme(nil))
	if err != nil {
		log.Fatal(err)
	}
	rules, err := policy.New(policy.Rules{Files: true})
	if err != nil {
		log.Fatal(err)
	}
	client := access.New(registry, rules, nil)
	defer client.Close()
	start, err := locus.Parse("file://" + filepath.ToSlash(dir) + "/from/")
	if err != nil {
		log.Fatal(err)
	}
	ctx := context.Background()
	to := filepath.Join(dir, "to")
	summary, err := mirror.Run(ctx, client, to, []locus.URL{start}, &mirror.Options{Relink: true})
	fmt.Println(summary.Added, "files,", err)
	summary, err = mirror.Run(ctx, client, to, []locus.URL{start}, &mirror.Options{Relink: true})
	fmt.Println(summary.Same, "unchanged,", err)
	// Output:
	// 3 files, <nil>
	// 3 unchanged, <nil>
}
