package document_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/document"
)

const page = `<!doctype html>
<title>Archive</title>
<p>Read the <a href="notes/1994.html#may">notes</a>,
or see <img src="map.gif"> and ftp://ftp.example.com/pub/.
`

// This example prints each link in a page with its line, its column and the resolved URL.
func ExampleLinks() {
	base := locus.MustParse("http://example.com/archive/")
	for l, err := range document.Links(strings.NewReader(page), "index.html", nil) {
		if err != nil {
			log.Print(err)
			continue
		}
		u, err := l.Resolve(base)
		if err != nil {
			log.Print(err)
			continue
		}
		fmt.Printf("%d:%d %s (%s)\n", l.Line, l.Column, u, l.Element)
	}
	// Output:
	// 3:22 http://example.com/archive/notes/1994.html#may (a href)
	// 4:18 http://example.com/archive/map.gif (img src)
	// 4:32 ftp://ftp.example.com/pub/ ()
}
