package ftp_test

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/ftp"
	"github.com/locus-url/locus/scheme/schemetest"
)

// datedBody is an archived listing with the time of archiving.
type datedBody struct {
	io.Reader
	date time.Time
}

func (b *datedBody) Close() error    { return nil }
func (b *datedBody) Date() time.Time { return b.date }

// The client must interpret a date without a year as a date before the time of archiving.
func TestArchivedYear(t *testing.T) {
	body := &datedBody{strings.NewReader("-rw-r--r-- 1 a b 5 Jan  2 10:20 a\r\n"), time.Date(1996, 5, 1, 0, 0, 0, 0, time.UTC)}
	res, err := ftp.Scheme(nil).Access.Archived(locus.MustParse("ftp://h/d/"), "", body)
	if err != nil {
		t.Fatal(err)
	}
	for item, err := range res.(*scheme.Menu).Items {
		if want := time.Date(1996, 1, 2, 10, 20, 0, 0, time.UTC); err != nil || !item.ModTime.Equal(want) || item.URL.String() != "ftp://h/d/a" {
			t.Errorf("%+v, %v", item, err)
		}
	}
}

func TestArchivedObject(t *testing.T) {
	for _, text := range []string{"ftp://h/a.txt", "ftp://h/a.txt;type=a"} {
		body := io.NopCloser(strings.NewReader("type=file; name\r\n"))
		res, err := ftp.Scheme(nil).Access.Archived(locus.MustParse(text), "", body)
		if o, ok := res.(*scheme.Object); err != nil || !ok || o.Name != "a.txt" || o.Type != "text/plain" {
			t.Errorf("%s: %+v, %v", text, res, err)
		}
	}
}

// FuzzArchived checks that any archived bytes result in a resource or an error, and that the
// reader is closed.
func FuzzArchived(f *testing.F) {
	f.Add([]byte("type=dir;modify=20200102030405; sub\r\ntype=file;size=3; a b\r\n"))
	f.Add([]byte("total 1\r\n-rw-r--r-- 1 a b 5 Jan  2 2020 a\r\nodd\r\n\x00\r\na\r\nodd\r\n"))
	f.Add([]byte("a\nb\n"))
	f.Add(bytes.Repeat([]byte("x"), 20<<10))
	s := ftp.Scheme(nil)
	f.Fuzz(func(t *testing.T, octets []byte) {
		for _, path := range []string{"", "d/", "d;type=d", "d/;type=d", "a"} {
			schemetest.ReadArchived(t, s, locus.MustParse("ftp://h/"+path), "", octets)
		}
	})
}
