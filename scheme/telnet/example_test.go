package telnet_test

import (
	"fmt"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme/telnet"
)

// A user name is advice for the user. One that a program would take for an option is
// refused.
func ExampleURL_Advice() {
	for _, text := range []string{"telnet://guest@host.dom/", "telnet://-froot@host.dom/"} {
		t, err := telnet.Parse(locus.MustParse(text))
		if err != nil {
			fmt.Println(err)
			continue
		}
		fmt.Println(t.Advice())
	}
	// Output:
	// guest <nil>
	//  locus: "telnet://-froot@host.dom/": octet 9: a user name that begins with "-" is read as an option
}

func ExampleParts() {
	t, err := telnet.Parts{Scheme: "tn3270", Host: "host.dom"}.URL()
	fmt.Println(t.URL(), err)
	// Output: tn3270://host.dom/ <nil>
}
