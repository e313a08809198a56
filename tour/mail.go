package tour

import (
	"context"
	"os"
	"path/filepath"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/mailstore"
)

// mailRoom has messages in a mailbox of this machine: a mid URL names a message, and a
// cid URL a part of one.
func (m *Museum) mailRoom() (Room, error) {
	const rfc822, draft = "message/rfc822", "URI draft, Message-Id"
	letter := locus.MustParse("mid:picture.1992@museum.example")
	return Room{
		Name: "Letters", About: "Mail that was received. Its addresses lead nowhere: they say which letter, and this machine has it.",
		Stops: []Stop{
			{Section: draft, Type: rfc822, Title: "a letter, wherever in the mail it is", URL: locus.MustParse("mid:letters.1971@museum.example")},
			{Section: draft, Type: rfc822, Title: "a letter with a picture in it", URL: letter},
			{Section: "RFC 2392", Type: "image/png", Title: "the picture, by the names of both", URL: locus.MustParse("mid:picture.1992@museum.example/sign%25at@museum.example")},
			{Section: "URI draft, Content-Id", Type: "image/png", Title: "the picture, as the letter itself calls it", URL: locus.MustParse("cid:sign%25at@museum.example"), From: letter},
			{Section: draft, Type: rfc822, Title: "a letter with another letter in it, and a sound", URL: locus.MustParse("mid:visitor.1994@museum.example")},
		},
	}, m.openMail()
}

// openMail writes the mail and opens it.
func (m *Museum) openMail() error {
	octets, err := m.read("mail/letters.mbox")
	if err != nil {
		return err
	}
	mbox := filepath.Join(m.dir, "letters.mbox")
	if err := os.WriteFile(mbox, octets, 0o600); err != nil {
		return err
	}
	m.mail, err = mailstore.Open(context.Background(), mailstore.Options{Sources: []string{mbox}, Cache: filepath.Join(m.dir, "index")})
	return m.keep(m.mail, err)
}
