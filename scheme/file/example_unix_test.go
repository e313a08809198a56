//go:build unix

package file_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/file"
)

func ExampleFromPath() {
	fmt.Println(file.FromPath("/usr/share/100% free/"))
	// Output: file:///usr/share/100%25%20free/ <nil>
}

func ExamplePath() {
	for _, text := range []string{"file:///etc/motd", "file://localhost/etc/motd", "file://vms.host.edu/notes", "file:///AC%2FDC"} {
		path, err := file.Path(locus.MustParse(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(path)
	}
	// Output:
	// /etc/motd
	// /etc/motd
	// locus: "file://vms.host.edu/notes": offset 7: no path of this system reaches this host
	// locus: "file:///AC%2FDC": offset 8: a filename cannot contain "/": write the "/" between segments without an escape
}
