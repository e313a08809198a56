package extract_test

import (
	"fmt"
	"strings"

	"github.com/locus-url/locus/extract"
)

// This is the example in the appendix of RFC 1738.
func ExampleAll() {
	for m := range extract.All(appendix, nil) {
		fmt.Println(m.Form, m.URL)
	}
	// Output:
	// wrapped ftp://info.cern.ch/pub/www/doc;type=d
	// wrapped ftp://ds.internic.net/rfc
	// wrapped http://ds.internic.net/instructions/overview.html#WARNING
}

func ExampleStream() {
	mail := "> It is in the archive\n> <URL:http://www.acl.lanl.gov/URI/uri-\n> archive.html>, and\n> (http://info.cern.ch/).\n"
	lines := extract.NewLines(strings.NewReader(mail))
	for m, err := range extract.Stream(lines, nil) {
		if err != nil {
			fmt.Println(err)
			return
		}
		at := lines.At(m.Start)
		fmt.Printf("%d:%d %v\n", at.Line, at.Column, m.URL)
		if !m.Alternative.IsZero() {
			fmt.Printf("  or %v\n", m.Alternative)
		}
	}
	// Output:
	// 2:8 http://www.acl.lanl.gov/URI/uri-archive.html
	//   or http://www.acl.lanl.gov/URI/uriarchive.html
	// 4:4 http://info.cern.ch/
}
