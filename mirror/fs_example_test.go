package mirror_test

import (
	"context"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/mirror"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/gopher"
	"github.com/locus-url/locus/scheme/gopher/gophertest"
)

// The menus of a gopher server are walked like directories, and its items read like
// files.
func ExampleNewFS() {
	server, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Type: 'i', Name: "Welcome"},
		{Name: "Read me first", Selector: "/README", Data: "Gopher is a menu.\n"},
		{Name: "Talks", Selector: "/talks/", Items: []gophertest.Item{
			{Type: '9', Name: "Slides", Selector: "/talks/1991/slides.ps", Data: "%!PS"},
			{Type: '1', Name: "All talks", Selector: "/talks/"},
		}},
	}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()

	registry, err := scheme.NewRegistry(gopher.Scheme(gopher.New(nil))) // or all.Registry
	if err != nil {
		fmt.Println(err)
		return
	}
	rules, err := policy.New(policy.Rules{TypedPrivate: true}) // the server is on this machine
	if err != nil {
		fmt.Println(err)
		return
	}
	client := access.New(registry, rules, nil)
	defer client.Close()
	tree, err := mirror.NewFS(context.Background(), client, locus.MustParse("gopher://"+server.Addr()), nil)
	if err != nil {
		fmt.Println(err)
		return
	}

	err = fs.WalkDir(tree, ".", func(name string, entry fs.DirEntry, err error) error {
		if err == nil {
			fmt.Println(entry.Type(), name)
		}
		return err
	})
	fmt.Println(err)
	text, err := fs.ReadFile(tree, "README")
	fmt.Printf("%q %v\n", text, err)
	info, err := fs.Stat(tree, "talks/slides.ps")
	if err != nil {
		fmt.Println(err)
		return
	}
	source := info.Sys().(*mirror.FSSource)
	path, _ := source.URL.Path()
	fmt.Println(source.Item.Title, path)
	// Output:
	// d--------- .
	// ---------- README
	// d--------- talks
	// ---------- talks/slides.ps
	// L--------- talks/talks
	// <nil>
	// "Gopher is a menu.\r\n" <nil>
	// Slides 9/talks/1991/slides.ps%09%09+
}

// A tree is copied to a folder without a manifest: names come from the menus.
func ExampleFS_copy() {
	server, err := gophertest.Start(gophertest.Item{Items: []gophertest.Item{
		{Name: "Read me first", Selector: "/README", Data: "Gopher is a menu.\n"},
		{Name: "Talks", Selector: "/talks/", Items: []gophertest.Item{
			{Type: '9', Name: "Slides", Selector: "/talks/1991/slides.ps", Data: "%!PS"},
		}},
	}}, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer server.Close()
	dir, err := os.MkdirTemp("", "mirror")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)

	registry, err := scheme.NewRegistry(gopher.Scheme(gopher.New(nil)))
	if err != nil {
		fmt.Println(err)
		return
	}
	rules, err := policy.New(policy.Rules{TypedPrivate: true})
	if err != nil {
		fmt.Println(err)
		return
	}
	client := access.New(registry, rules, nil)
	defer client.Close()
	tree, err := mirror.NewFS(context.Background(), client, locus.MustParse("gopher://"+server.Addr()), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(os.CopyFS(filepath.Join(dir, "copy"), tree))
	for _, name := range []string{"README", "talks/slides.ps"} {
		text, err := os.ReadFile(filepath.Join(dir, "copy", filepath.FromSlash(name)))
		fmt.Printf("%s %q %v\n", name, text, err)
	}
	// Output:
	// <nil>
	// README "Gopher is a menu.\r\n" <nil>
	// talks/slides.ps "%!PS" <nil>
}
