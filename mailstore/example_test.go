package mailstore_test

import (
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/mailstore"
	"github.com/locus-url/locus/message"
	"github.com/locus-url/locus/scheme/mid"
)

// The message of a mid URL.
func Example() {
	u, err := mid.Parse(locus.MustParse("mid:9601031@host.dom"))
	if err != nil {
		fmt.Println(err)
		return
	}
	dir, err := os.MkdirTemp("", "mail-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	mbox := "From joe@host.dom Sat Jan  3 01:05:34 1996\nSubject: A line\nMessage-ID: <9601031@host.dom>\n\n>From here on it is mail.\n\n"
	if err := os.WriteFile(filepath.Join(dir, "inbox"), []byte(mbox), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	store, err := mailstore.Open(context.Background(), mailstore.Options{Sources: []string{dir}, Cache: filepath.Join(dir, ".cache")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	text, err := messageText(context.Background(), store, u)
	fmt.Print(text, err)
	// Output:
	// Subject: A line
	// Message-ID: <9601031@host.dom>
	//
	// From here on it is mail.
	// <nil>
}

// messageText returns the message of a mid URL, as mail readers show it.
func messageText(ctx context.Context, store *mailstore.Store, u mid.URL) (string, error) {
	for file, err := range store.Messages(ctx, u.MessageID()) {
		if err != nil {
			return "", err
		}
		defer file.Close()
		m, err := message.Read(file, nil)
		if err != nil {
			return "", err
		}
		var text strings.Builder
		err = m.WriteText(&text, nil)
		return text.String(), err
	}
	return "", fs.ErrNotExist
}

func ExampleStore_Find() {
	dir, err := os.MkdirTemp("", "mail-")
	if err != nil {
		fmt.Println(err)
		return
	}
	defer os.RemoveAll(dir)
	mbox := "From joe@host.dom Sat Jan  3 01:05:34 1996\nMessage-ID: <9601031@host.dom>\n\n>From here on it is mail.\n\n"
	if err := os.WriteFile(filepath.Join(dir, "inbox"), []byte(mbox), 0o600); err != nil {
		fmt.Println(err)
		return
	}
	store, err := mailstore.Open(context.Background(), mailstore.Options{Sources: []string{dir}, Cache: filepath.Join(dir, ".cache")})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer store.Close()
	list, err := store.Find(context.Background(), "9601031@host.dom")
	for _, l := range list {
		m, err := store.Open(l)
		if err != nil {
			fmt.Println(err)
			return
		}
		text, err := io.ReadAll(m)
		fmt.Printf("%d octets, %d quoted line\n%s%v\n", m.Size(), m.Quoted, text, err)
		m.Close()
	}
	fmt.Println(len(list), err)
	// Output:
	// 57 octets, 1 quoted line
	// Message-ID: <9601031@host.dom>
	//
	// From here on it is mail.
	// <nil>
	// 1 <nil>
}
