package mid_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"iter"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/mid"
)

// store is an in-memory mail store. The path of each message begins with its Message-ID.
type store struct {
	fstest.MapFS
	open map[string]int // number of open files by path
	err  error
}

func newStore(messages map[string]string) *store {
	s := &store{MapFS: fstest.MapFS{}, open: map[string]int{}}
	for path, text := range messages {
		s.MapFS[path] = &fstest.MapFile{Data: []byte(text)}
	}
	return s
}

func (s *store) Messages(ctx context.Context, id string) iter.Seq2[fs.File, error] {
	return func(yield func(fs.File, error) bool) {
		if s.err != nil {
			yield(nil, s.err)
			return
		}
		list, _ := fs.Glob(s, id+"/*")
		for _, path := range list {
			f, err := s.Open(path)
			if err == nil {
				s.open[path]++
				f = &file{f, bytes.NewReader(s.MapFS[path].Data), func() { s.open[path]-- }}
			}
			if !yield(f, err) {
				return
			}
		}
	}
}

type file struct {
	fs.File
	io.ReaderAt
	closed func()
}

func (f *file) Close() error {
	f.closed()
	return f.File.Close()
}

const related = "Message-ID: <960830.1639@XIson.com>\r\nDate: Fri, 30 Aug 1996 16:39:00 +0200\r\nMIME-Version: 1.0\r\n" +
	"Content-Type: multipart/related; boundary=b; type=\"text/html\"\r\n\r\n" +
	"--b\r\nContent-Type: text/html; charset=\"iso-8859-1\"\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n<IMG SRC=3D\"cid:foo4*foo1@bar.net\">\r\n" +
	"--b\r\nContent-ID: <foo4*foo1@bar.net>\r\nContent-Type: IMAGE/GIF; name=\"a.gif\"\r\nContent-Transfer-Encoding: base64\r\n\r\nR0lGODlh\r\n" +
	"--b--\r\n"

func get(t *testing.T, c *mid.Client, req *scheme.Request, text string) (*scheme.Object, string, error) {
	t.Helper()
	req.URL = locus.MustParse(text)
	r, err := c.Open(t.Context(), req)
	if err != nil {
		return nil, "", err
	}
	o := r.(*scheme.Object)
	octets, err := io.ReadAll(o.Body)
	if closeErr := o.Close(); err == nil {
		err = closeErr
	}
	return o, string(octets), err
}

func TestGet(t *testing.T) {
	s := newStore(map[string]string{"960830.1639@XIson.com/1": related, "a/b@c/1": "Message-ID: <a/b@c>\n\nx\n"})
	c := mid.New(&mid.Options{Store: s})
	o, text, err := get(t, c, new(scheme.Request), "mid:960830.1639@XIson.com")
	if err != nil || text != related || o.Type != "message/rfc822" || o.Size != int64(len(related)) || o.Name != "960830.1639@XIson.com" ||
		!o.ModTime.Equal(time.Date(1996, 8, 30, 14, 39, 0, 0, time.UTC)) {
		t.Errorf("%+v, %q, %v", o, text, err)
	}
	o, text, err = get(t, c, new(scheme.Request), "mid:960830.1639@XIson.com/foo4*foo1@bar.net")
	if err != nil || text != "GIF89a" || o.Type != "image/gif; name=a.gif" || o.Name != "a.gif" || o.Size != 6 {
		t.Errorf("%+v, %q, %v", o, text, err)
	}
	if o, text, err = get(t, c, new(scheme.Request), "mid:a%2Fb@c"); err != nil || text != "Message-ID: <a/b@c>\n\nx\n" || !o.ModTime.IsZero() {
		t.Errorf("%+v, %q, %v", o, text, err)
	}
	for url, want := range map[string]string{"mid:960830.1639@XIson.com": related[10:], "mid:960830.1639@XIson.com/foo4*foo1@bar.net": "GIF89a"[3:]} {
		offset := int64(10)
		if want == "89a" {
			offset = 3
		}
		if o, text, err := get(t, c, &scheme.Request{Offset: offset}, url); err != nil || text != want || o.Start != offset {
			t.Errorf("%s from %d: %+v, %q, %v", url, offset, o, text, err)
		}
		if o, text, err := get(t, c, &scheme.Request{Offset: 1 << 40}, url); err != nil || !strings.HasSuffix(text, want) || o.Start != 0 {
			t.Errorf("%s from behind its end: %+v, %q, %v", url, o, text, err)
		}
	}
	u, err := mid.Parse(locus.MustParse("mid:a%2Fb@c"))
	if err != nil {
		t.Fatal(err)
	}
	if o, err := c.Get(t.Context(), u); err != nil || o.Close() != nil {
		t.Error(err)
	}
	closed(t, s)
}

func closed(t *testing.T, s *store) {
	t.Helper()
	for path, n := range s.open {
		if n != 0 {
			t.Errorf("%s: %d are open", path, n)
		}
	}
}

func TestGetFails(t *testing.T) {
	s := newStore(map[string]string{"a@b/1": related, "empty@b/1": "\x00\x01 no header"})
	for _, test := range []struct {
		url   string
		store mid.Store
		limit int64
		want  error
		text  string
	}{
		{"mid:a@b", nil, 0, scheme.ErrUnsupported, "name the directories and files"},
		{"mid:no%22body@b", s, 0, scheme.ErrNotFound, `"no\"body@b"`},
		{"mid:a@b/none@c", s, 0, scheme.ErrNotFound, `"none@c"`},
		{"mid:a@b", s, int64(len(related)) - 1, scheme.ErrTooLarge, "limit"},
		{"mid:a@b/foo4*foo1@bar.net", s, 5, scheme.ErrTooLarge, "part 2"},
		{"mid:empty@b/x@c", s, 0, nil, "not a message"},
		{"mid:a@b", &store{err: fs.ErrPermission}, 0, fs.ErrPermission, ""},
	} {
		_, _, err := get(t, mid.New(&mid.Options{Store: test.store}), &scheme.Request{Limit: test.limit}, test.url)
		if err == nil || test.want != nil && !errors.Is(err, test.want) || !strings.HasPrefix(err.Error(), "mid: ") || !strings.Contains(err.Error(), test.text) {
			t.Errorf("%s: %v", test.url, err)
		}
	}
	if _, text, err := get(t, mid.New(&mid.Options{Store: s}), &scheme.Request{Limit: int64(len(related))}, "mid:a@b"); err != nil || text != related {
		t.Errorf("at the limit: %v", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	r, err := mid.New(&mid.Options{Store: s}).Open(ctx, &scheme.Request{URL: locus.MustParse("mid:a@b")})
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if _, err := io.ReadAll(r.(*scheme.Object).Body); !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	r.Close()
	closed(t, s)
}

func TestSameIdentifier(t *testing.T) {
	large := strings.Repeat("x", 200_000)
	s := newStore(map[string]string{
		"same@a/1": "A: b\n\n" + large, "same@a/2": "A: b\n\n" + large,
		"other@a/1": "A: b\n\n" + large + "1", "other@a/2": "A: b\n\n" + large + "2", "other@a/3": "A: b\n\n",
	})
	for i := 1; i <= 20; i++ { // the client compares only 10 of these messages with the first
		s.MapFS[fmt.Sprintf("many@a/%d", i)] = &fstest.MapFile{Data: fmt.Appendf(nil, "A: b\n\n%d", i)}
	}
	c := mid.New(&mid.Options{Store: s})
	for id, want := range map[string]int{"same@a": 0, "other@a": 2, "many@a": 10} {
		o, text, err := get(t, c, new(scheme.Request), "mid:"+id)
		if err != nil || text != string(s.MapFS[id+"/1"].Data) || strings.Count(o.Note, "another message") != want {
			t.Errorf("%s: %q, %v", id, o.Note, err)
		}
	}
	closed(t, s)
}
