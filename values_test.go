package locus_test

import (
	"bytes"
	"database/sql"
	"database/sql/driver"
	"encoding/gob"
	"errors"
	"fmt"
	"log"
	"reflect"
	"strings"
	"testing"

	"github.com/locus-url/locus"
)

func TestSQL(t *testing.T) {
	const text = "ftp://u:secret@h/~x"
	u := locus.MustParse(text)
	if v, err := u.Value(); v != text || err != nil {
		t.Errorf("Value: %v, %v", v, err)
	}
	if v, err := (locus.URL{}).Value(); v != nil || err != nil {
		t.Errorf("Value of the zero URL: %v, %v", v, err)
	}
	for _, row := range []struct {
		src  any
		want locus.URL
		fail bool
	}{
		{text, u, false}, {[]byte(text), u, false}, {"", locus.URL{}, false}, {nil, locus.URL{}, false},
		{"no URL", u, true}, {7, u, true},
	} {
		got := u
		if err := got.Scan(row.src); got != row.want || (err != nil) != row.fail {
			t.Errorf("Scan(%v): %v, %v", row.src, got, err)
		}
	}
	// As in database/sql.
	var column sql.Null[locus.URL]
	if err := column.Scan(text); err != nil || column.V != u || !column.Valid {
		t.Errorf("%v, %v", column, err)
	}
	if v, err := driver.DefaultParameterConverter.ConvertValue(u); v != text || err != nil {
		t.Errorf("%v, %v", v, err)
	}
}

func TestGob(t *testing.T) {
	type record struct {
		Name string
		URL  locus.URL
		List map[locus.URL]int
	}
	for _, want := range []record{
		{"a", locus.MustParse("ftp://u:p@h/%7e"), map[locus.URL]int{locus.MustParse("x:y"): 1}},
		{Name: "zero"},
	} {
		var b bytes.Buffer
		var got record
		if err := gob.NewEncoder(&b).Encode(want); err != nil {
			t.Fatal(err)
		}
		if err := gob.NewDecoder(&b).Decode(&got); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%v, %v; want %v", got, err, want)
		}
	}
	if err := new(locus.URL).UnmarshalBinary([]byte("no URL")); err == nil {
		t.Error("a text that is not a URL is read")
	}
	if b, err := locus.MustParse("x:y").AppendBinary([]byte("z ")); string(b) != "z x:y" || err != nil {
		t.Errorf("%q, %v", b, err)
	}
}

// Package log writes with the verbs of package fmt.
func TestLog(t *testing.T) {
	u := locus.MustParse("ftp://user:secret@h/")
	var b bytes.Buffer
	l := log.New(&b, "", 0)
	l.Print(u)
	l.Println("opening", u, &u)
	l.Printf("%s %v %+v %#v %q %10.40s", u, u, u, u, u, &u)
	l.Print([]locus.URL{u}, struct{ URL locus.URL }{u}, fmt.Errorf("opening %s: %w", u, u.Errorf(6, "user", "bad")))
	if text := b.String(); strings.Contains(text, "secret") || strings.Count(text, "user") < 13 {
		t.Error(text)
	}
}

func TestZero(t *testing.T) {
	var u locus.URL
	_, err := gopherLike(u)
	var e *locus.SyntaxError
	if !errors.Is(err, locus.ErrZero) || !errors.As(err, &e) || err.Error() != "locus: the zero URL is not a URL: make one with Parse or Parts.URL" {
		t.Error(err)
	}
	if text := fmt.Sprintf("%v %#v", u, u); text != " locus.URL{}" {
		t.Errorf("%q", text)
	}
}

// gopherLike rejects u like the packages of the schemes.
func gopherLike(u locus.URL) (locus.URL, error) {
	if u.Scheme() != "gopher" {
		return u, u.Errorf(0, "gopherurl", "%w: the scheme is not gopher", locus.ErrForm)
	}
	return u, nil
}

// A message must contain the reason, and neither the grammar's names nor redundant text.
func TestMessages(t *testing.T) {
	u := locus.MustParse("gopher://h/7")
	for _, row := range []struct {
		err  error
		is   error
		want string
	}{
		{u.Errorf(11, "gtype", "%w: write one character", locus.ErrForm), locus.ErrForm, `locus: "gopher://h/7": offset 11: write one character`},
		{u.Errorf(11, "gtype", "%w: not %q", locus.ErrValue, "7"), locus.ErrValue, `locus: "gopher://h/7": offset 11: not "7"`},
		{u.Errorf(11, "gtype", "%w", locus.ErrForm), locus.ErrForm, `locus: "gopher://h/7": offset 11: not a valid URL of this scheme`},
		{locus.NewSyntaxError("a b", 1, "xchar", fmt.Errorf("%w: encode it", locus.ErrValue)), locus.ErrValue, `locus: "a b": offset 1: encode it`},
	} {
		if row.err.Error() != row.want || !errors.Is(row.err, row.is) {
			t.Errorf("%v, want %s", row.err, row.want)
		}
	}
	_, err := locus.Parts{Scheme: "http", Host: "h/x"}.URL()
	if want := `locus: "http://h/x": offset 0: the Host would be read as another part: encode the delimiters in it`; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
