package all_test

import (
	"fmt"
	"log"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/all"
	"github.com/locus-url/locus/scheme/ftp"
)

// The Go example of README.md.
func Example() {
	u, err := locus.Parse("FTP://myname:secret@host.dom//etc/motd")
	if err != nil {
		log.Fatal(err) // with the offset, what is wrong, and what would be right
	}
	fmt.Println(u.Redacted())
	f, err := ftp.Parse(u) // the scheme's own URL: split, then decoded once
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
	fmt.Println(canonical.Redacted())
	// Output:
	// FTP://myname:***@host.dom//etc/motd
	// ["" "etc"] "motd"
	// ftp://myname:***@host.dom//etc/motd
}
