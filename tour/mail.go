package tour

import (
	"context"
	"errors"
	"os"
	"path/filepath"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/mailstore"
)

// mailRoom is letters that were received: a mid URL finds them in a mailbox of this
// machine, and a cid URL finds what is in one of them.
func mailRoom(h *house) (room, error) {
	dir, err := os.MkdirTemp("", "locus-tour-")
	if err != nil {
		return room{}, err
	}
	store, err := layOutMail(h, dir)
	if err != nil {
		return room{}, errors.Join(err, os.RemoveAll(dir))
	}
	letter := locus.MustParse("mid:picture.1992@museum.example")
	return room{
		name: "Letters", about: "Mail that was received. Its addresses lead nowhere: they say which letter, and this machine has it.",
		stops: []Stop{
			{Scheme: "mid", Section: "URI draft, Message-Id", Title: "a letter, wherever in the mail it is", URL: locus.MustParse("mid:letters.1971@museum.example")},
			{Scheme: "mid", Section: "URI draft, Message-Id", Title: "a letter with a picture in it", URL: letter},
			{Scheme: "mid", Section: "RFC 2392", Title: "the picture, by the names of both", URL: locus.MustParse("mid:picture.1992@museum.example/sign%25at@museum.example")},
			{Scheme: "cid", Section: "URI draft, Content-Id", Title: "the picture, as the letter itself calls it", URL: locus.MustParse("cid:sign%25at@museum.example"), From: letter},
			{Scheme: "mid", Section: "URI draft, Message-Id", Title: "a letter with another letter in it, and a sound", URL: locus.MustParse("mid:visitor.1994@museum.example")},
		},
		mail:  store,
		close: func() error { return errors.Join(store.Close(), os.RemoveAll(dir)) },
	}, nil
}

// layOutMail puts the mail and its index into dir.
func layOutMail(h *house, dir string) (*mailstore.Store, error) {
	const letters = "letters.mbox"
	octets, err := h.read("mail/" + letters)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, letters)
	if err := os.WriteFile(path, octets, 0o600); err != nil {
		return nil, err
	}
	return mailstore.Open(context.Background(), mailstore.Options{Sources: []string{path}, Cache: filepath.Join(dir, "index")})
}
