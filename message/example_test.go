package message_test

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/locus-url/locus/extract"
	"github.com/locus-url/locus/message"
)

const article = `From: =?UTF-8?Q?Ren=C3=A9?= <rene@example.fr>
Newsgroups: comp.test
Subject: =?UTF-8?B?w6l0w6k=?=
Message-ID: <2@example.fr>
References: <1@example.fr>
MIME-Version: 1.0
Content-Type: multipart/mixed; boundary=next

--next
Content-Type: text/plain; charset=iso-8859-1
Content-Transfer-Encoding: quoted-printable

L'=E9t=E9 est l=E0: <http://example.fr/plage>.
--next
Content-Type: image/gif; name=ete.gif
Content-ID: <gif@example.fr>
Content-Transfer-Encoding: base64

R0lGODlh
--next--
`

// A letter, its parts, and its links.
func Example() {
	m, err := message.Read(strings.NewReader(article), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(m.Subject(), m.From()[0])
	for _, p := range m.Parts() {
		fmt.Println(p.Path, p.Type)
		if p.Type != "text/plain" {
			continue
		}
		text, err := io.ReadAll(p.Text())
		if err != nil {
			fmt.Println(err)
			return
		}
		for link := range extract.All(string(text), nil) {
			fmt.Println("  a link to", link.URL)
		}
	}
	for _, u := range m.Thread(false) {
		fmt.Println("an answer to", u)
	}
	// Output:
	// été René <rene@example.fr>
	// 1 text/plain
	//   a link to http://example.fr/plage
	// 2 image/gif
	// an answer to news:1@example.fr
}

func ExampleMessage_WriteText() {
	m, err := message.Parse(strings.NewReader(article), int64(len(article)), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	if err := m.WriteText(os.Stdout, nil); err != nil {
		fmt.Println(err)
	}
	// Output:
	// Subject: été
	// From: René <rene@example.fr>
	// Newsgroups: comp.test
	// Message-ID: <2@example.fr>
	//
	// L'été est là: <http://example.fr/plage>.
	//
	// Parts:
	// [2] image/gif ete.gif 6 B
	//
	// References:
	// news:1@example.fr
}

func ExampleMessage_Find() {
	m, err := message.Read(strings.NewReader(article), nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	p, ok := m.Find("gif@example.fr")
	octets, err := io.ReadAll(p.Open())
	fmt.Println(p.Path, p.Type, ok)
	fmt.Printf("%s %v\n", octets, err)
	// Output:
	// 2 image/gif true
	// GIF89a <nil>
}

func ExampleDecodeWords() {
	fmt.Println(message.DecodeWords("Re: =?ISO-8859-1?Q?Gr=FC=DFe?= =?UTF-8?Q?_f=C3?= =?UTF-8?Q?=BCr_alle?="))
	// Output: Re: Grüße für alle
}
