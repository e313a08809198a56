package file_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/file"
)

// The example of RFC 1738 section 3.10.
func ExampleParse() {
	f, err := file.Parse(locus.MustParse("file://vms.host.edu/disk$user/my/notes/note12345.txt"))
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(f.Host(), f.Local())
	fmt.Printf("%q\n", f.Segments())
	// Output:
	// vms.host.edu false
	// ["disk$user" "my" "notes" "note12345.txt"]
}

func ExampleParts() {
	f, err := file.Parts{Segments: []string{"home", "me", "AC/DC?.txt"}}.URL()
	fmt.Println(f.URL(), err)
	// Output: file:///home/me/AC%2FDC%3F.txt <nil>
}

// With a root, the client cannot open anything outside it.
func ExampleClient_Open() {
	dir, err := os.MkdirTemp("", "locus")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	if err := os.WriteFile(filepath.Join(dir, "motd.txt"), []byte("Welcome\n"), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		fmt.Println(err)
		return
	}
	defer root.Close()

	client := file.New(&file.Options{Root: root})
	resource, err := client.Open(context.Background(), &scheme.Request{URL: locus.MustParse("file:///motd.txt")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer resource.Close()
	object := resource.(*scheme.Object)
	text, err := io.ReadAll(object.Body)
	fmt.Printf("%s, %d octets: %s", object.Type, object.Size, text)

	_, err = client.Open(context.Background(), &scheme.Request{URL: locus.MustParse("file:///../etc/passwd")})
	fmt.Println(err)
	// Output:
	// text/plain; charset=utf-8, 8 octets: Welcome
	// locus: "file:///../etc/passwd": offset 8: ".." could leave the root directory
}
