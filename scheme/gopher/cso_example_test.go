package gopher_test

import (
	"fmt"
	"io"
	"strings"

	"github.com/locus-url/locus/scheme/gopher"
)

func ExampleNewPhoneReader() {
	answer := "102:There was 1 match to your request.\r\n" +
		"-200:1:           name: Anna Smith\r\n" +
		"-200:1:        address: 1 High Street\r\n" +
		"-200:1:               : Town\r\n" +
		"200:Ok.\r\n"
	p := gopher.NewPhoneReader(strings.NewReader(answer), nil)
	for {
		entry, err := p.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			fmt.Println(err)
			return
		}
		for _, field := range entry.Fields {
			fmt.Printf("%s %q\n", field.Name, field.Lines)
		}
	}
	// Output:
	// name ["Anna Smith"]
	// address ["1 High Street" "Town"]
}
