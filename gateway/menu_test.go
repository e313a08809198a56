package gateway

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/internal/charset"
	"github.com/locus-url/locus/scheme"
)

// closer records that it is closed.
type closer struct{ closed chan struct{} }

func (c closer) Close() error {
	close(c.closed)
	return nil
}

// slowMenu is a menu that yields items as the test sends them, until it is closed.
func slowMenu(items chan scheme.Item) *scheme.Menu {
	closed := make(chan struct{})
	return &scheme.Menu{Closer: closer{closed}, Items: func(yield func(scheme.Item, error) bool) {
		for {
			select {
			case i, ok := <-items:
				if !ok || !yield(i, nil) {
					return
				}
			case <-closed:
				yield(scheme.Item{}, errors.New("x-page: closed"))
				return
			}
		}
	}}
}

// A menu is written as its items arrive.
func TestMenuStreaming(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		items := make(chan scheme.Item)
		body := newMenuBody(menuText, slowMenu(items), locus.URL{}, meta{})
		buffer := make([]byte, 1000)
		for i := range 3 {
			title := fmt.Sprint("item ", i)
			go func() { items <- scheme.Item{Title: title} }()
			if n, err := body.Read(buffer); string(buffer[:n]) != title+"\t\n" || err != nil {
				t.Errorf("%q, %v", buffer[:n], err)
			}
		}
		// Close ends a blocked Read.
		done := make(chan error)
		go func() {
			_, err := body.Read(buffer)
			done <- err
		}()
		synctest.Wait()
		if err := body.Close(); err != nil {
			t.Error(err)
		}
		if err := <-done; err == nil || err == io.EOF {
			t.Errorf("Read while it is closed: %v", err)
		}
		if _, err := body.Read(buffer); !errors.Is(err, http.ErrBodyReadAfterClose) {
			t.Errorf("Read after Close: %v", err)
		}
	})
}

// The body of a menu of any length buffers one item.
func TestMenuMemory(t *testing.T) {
	const many = 100_000
	u := locus.MustParse("x-page://h/m")
	body := newMenuBody(menuText, &scheme.Menu{Items: func(yield func(scheme.Item, error) bool) {
		for range many {
			if !yield(scheme.Item{URL: u, Title: "an item", Kind: scheme.KindMenu, Size: -1}, nil) {
				return
			}
		}
	}}, u, meta{})
	buffer, total := make([]byte, 32<<10), 0
	for {
		n, err := body.Read(buffer)
		if n > 100 {
			t.Fatalf("%d octets at once: they were held", n)
		}
		total += n
		if err == io.EOF {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if want := many * len("an item\tx-page://h/m\n"); total != want {
		t.Errorf("%d octets, want %d", total, want)
	}
}

// Hostile items can't break the lines or the JSON of a menu.
func FuzzMenu(f *testing.F) {
	f.Add("title", "note", "x-page://h/x")
	f.Add("</li><script>", "\"'", "javascript:alert(1)")
	f.Add("\x1b\xff\u202e", "\u2028", "x-page://u:pw@h/'\"")
	f.Add("", "{{.}}", "file:///x")
	f.Fuzz(func(t *testing.T, title, note, url string) {
		u, err := locus.Parse(url)
		if err != nil {
			u = locus.URL{}
		}
		asked := locus.MustParse("x-page://h/m")
		read := func(format menuFormat) string {
			m := &scheme.Menu{Title: title, Items: func(yield func(scheme.Item, error) bool) {
				yield(scheme.Item{Title: title, Note: note, URL: u, Size: -1}, nil)
			}}
			text, err := io.ReadAll(newMenuBody(format, m, asked, meta{url: asked}))
			if err != nil {
				t.Fatal(err)
			}
			return string(text)
		}
		var d struct {
			Title string
			Items []struct{ Title, Note string }
		}
		text := read(menuJSON)
		if err := json.Unmarshal([]byte(text), &d); err != nil || d.Title != charset.Text(title) || len(d.Items) != 1 || d.Items[0].Title != charset.Text(title) || d.Items[0].Note != charset.Text(note) {
			t.Errorf("%s: %+v, %v", text, d, err)
		}
		if lines := read(menuText); strings.Count(lines, "\t") != 1 || strings.Count(lines, "\n") != 1 {
			t.Errorf("%q", lines)
		}
	})
}

// For any request, the range begins in the object, and the preferences are valid.
func FuzzAsked(f *testing.F) {
	f.Add("bytes=1-", `"x"`, "text/html")
	f.Add("bytes=1-2", "Tue, 20 Dec 1994 12:00:00 GMT", "text/plain;q=0.5, */*;q=0.1")
	f.Add("bytes=-1", `W/"x"`, "application/json")
	f.Fuzz(func(t *testing.T, ranged, version, accept string) {
		req := fetchRequest{fields: http.Header{"Range": {ranged}, "If-Range": {version}}}
		if conditional := req.setRange(); req.Offset < 0 || conditional && version == "" || req.Tag != "" && !isStrong(req.Tag) {
			t.Errorf("%q, %q: %+v", ranged, version, req.Request)
		}
		if _, err := scheme.ParsePreference(withMenus(accept)); err != nil {
			t.Errorf("%q: %v", accept, err)
		}
	})
}
