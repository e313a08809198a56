package prospero_test

import (
	"fmt"

	"github.com/locus-url/locus/scheme/prospero"
)

func ExampleAppendInfo() {
	q := &prospero.Query{Hsoname: "/pub/it's here"}
	request, err := prospero.AppendInfo(nil, q, "ACCESS-METHOD", "SIZE", "LAST-MODIFIED", "UNIX-MODES")
	fmt.Printf("%s%v\n", request, err)
	// Output:
	// VERSION 5 locus
	// AUTHENTICATE '' UNAUTHENTICATED anonymous
	// GET-OBJECT-INFO ACCESS-METHOD+SIZE+LAST-MODIFIED+UNIX-MODES ASCII '/pub/it''s here' 0
	// <nil>
}

func ExampleParseReply() {
	r, err := prospero.ParseReply([]byte(`LINK  L EXTERNAL release' notes' INTERNET-D FTP.EXAMPLE.ORG ASCII '/pub/gnu/release notes' 0
ATTRIBUTE CACHED FIELD ACCESS-METHOD AFTP '' '' '' '' TEXT
ATTRIBUTE CACHED INTRINSIC SIZE SEQUENCE 4096' bytes'
`), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, l := range r.Links {
		fmt.Println(l.Name, prospero.Size(l.Attributes))
		methods, _ := prospero.Methods(l.Attributes, l.Target, l.Type == prospero.TypeExternal)
		for _, m := range methods {
			fmt.Println(m.URL())
		}
	}
	// Output:
	// release notes 4096
	// ftp://ftp.example.org/pub/gnu/release%20notes;type=a <nil>
}

func ExampleGatewayURLs() {
	fmt.Println(prospero.GatewayURLs("ARCHIE/HOST/ftp.example.org/pub/gnu"))
	// Output: [ftp://ftp.example.org/pub/gnu/;type=d]
}
