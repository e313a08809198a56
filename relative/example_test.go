package relative_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/relative"
)

func ExampleRef_Resolve() {
	base := locus.MustParse("http://info.cern.ch/hypertext/WWW/TheProject.html")
	ref, err := relative.Parse("../DataSources/Overview.html#news")
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(ref.Resolve(base))
	// Output: http://info.cern.ch/hypertext/DataSources/Overview.html#news <nil>
}

func ExampleRef_ResolveWith() {
	base := locus.MustParse("magic://a/b/c//d/e/f")
	ref := relative.MustParse("/g")
	modern, _ := ref.Resolve(base)
	draft, _, _ := ref.ResolveWith(base, relative.Options{Rules: relative.RFC1630})
	fmt.Println(modern)
	fmt.Println(draft)
	// Output:
	// magic://a/g
	// magic://a/b/c//d/g
}

func ExampleBetween() {
	base := locus.MustParse("ftp://ftp.example.net/pub/rfc/rfc1738.txt")
	target := locus.MustParse("ftp://ftp.example.net/pub/www/README")
	fmt.Println(relative.Between(base, target, relative.Path))
	// Output: ../www/README <nil>
}
