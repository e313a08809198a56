package wais_test

import (
	"bytes"
	"fmt"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/wais"
)

func ExampleAppendSearch() {
	packet, err := wais.AppendSearch(nil, &wais.Query{Database: "coast", Words: "lantern", Max: 40})
	fmt.Printf("%q\n%v\n", packet[:25], err)
	_, err = wais.AppendSearch(nil, &wais.Query{Database: "coast@elsewhere:210", Words: "lantern"})
	fmt.Println(err)
	// Output:
	// "0000000042z2wais        0"
	// <nil>
	// wais: invalid value: the name of a database can't contain "@" (octet 5): servers read it as another server or name
}

func ExampleSearchReply_Parse() {
	answer := strings.NewReader("0000000043z2wais        0" +
		"\x00\x0b\x17\x01\x00\x00\x00\x00\x00\x01\x00\x00\x00" + // an answer to a search
		"\x63\x1c" + "\x81\x16\x19" + // with the header of a document
		"\x74\x03\x03\x01a" + "\x76\x02\x02\x4a" + "\x78\x01\xce" + "\x7b\x0bThe lantern")
	apdu, err := wais.ReadPacket(answer, nil, 100000)
	if err != nil {
		fmt.Println(err)
		return
	}
	var reply wais.SearchReply
	if err := reply.Parse(apdu); err != nil {
		fmt.Println(err)
	}
	for _, h := range reply.Hits {
		fmt.Println(h.Score, h.Length, h.Wtypes, h.Headline)
	}
	// An answer that ends within an element is invalid.
	fmt.Println(reply.Parse(bytes.TrimSuffix(apdu, []byte("n"))))
	// Output:
	// 586 206 [TEXT] The lantern
	// wais: protocol error: at octet 15 of the APDU: an element has 28 octets, but its container only 27 more
}

func ExampleURL_DocumentID() {
	for _, text := range []string{
		"wais://host/db/TEXT/206/1=host%3A210;2=db;3=0%200%20/doc/a;",
		"wais://host/db/TEXT/%03%02ab",
	} {
		x, err := wais.Parse(locus.MustParse(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		id, _ := x.DocumentID()
		fields, ok := id.Fields()
		fmt.Printf("%q %q %v %v\n", id, id.LocalID(), fields, ok)
	}
	// Output:
	// "\x01\bhost:210\x02\x02db\x03\n0 0 /doc/a" "0 0 /doc/a" [{1 host:210} {2 db} {3 0 0 /doc/a}] true
	// "\x03\x02ab" "ab" [{3 ab}] true
}
