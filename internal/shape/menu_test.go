package shape

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/policy"
	"github.com/locus-url/locus/scheme"
)

var requested = locus.MustParse("wais://h/d?words")

func samples() []scheme.Item {
	return []scheme.Item{
		{Title: "A text", Kind: scheme.KindInfo, Size: -1},
		{URL: locus.MustParse("gopher://h/0a'b<c>&d"), Title: "<&> \x1b \u202e", Kind: scheme.KindObject, Type: "text/plain", Size: 0, ModTime: time.Unix(800_000_000, 0).UTC(), Note: "note", Fields: []scheme.Field{
			{Name: "score", Value: 1000}, {Name: "from", Value: "a@b"}, {Name: "none", Value: nil}, {Name: "yes", Value: true},
			{Name: "references", Value: []string{"a", "b"}}, {Name: "records", Value: [][]scheme.Field{{{Name: "n", Value: 1}, {Name: "t", Value: "x"}}}},
		}},
		{URL: locus.MustParse("ftp://h/"), Title: "", Kind: scheme.KindMenu, Size: 5},
	}
}

func write(t testing.TB, list []scheme.Item, failure error) string {
	t.Helper()
	var b bytes.Buffer
	w := MenuWriter{Stored: true}
	form := &scheme.Form{Title: "Search", Fields: []scheme.FormField{
		{Kind: scheme.FieldNote, Prompt: "Note"}, {Kind: scheme.FieldText, Prompt: "Words", Default: "old"}, {Kind: scheme.FieldHidden, Prompt: "Secret", Default: "secret"},
		{Kind: scheme.FieldChoice, Prompt: "Which", Choices: []string{"a", "b"}},
	}}
	err := w.Begin(&b, MenuHead{Resource: NewResource(requested, locus.URL{}, "menu"), Title: "A menu", Form: NewForm(form, requested, nil)})
	for _, i := range list {
		err = errors.Join(err, w.Item(&b, i))
	}
	var reason *Reason
	if failure != nil {
		r := NewReason(failure)
		reason = &r
	}
	if err = errors.Join(err, w.End(&b, reason)); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// A written menu is read back, in one piece or byte by byte.
func TestMenu(t *testing.T) {
	text := write(t, samples(), nil)
	for _, r := range []io.Reader{strings.NewReader(text), oneOctet{strings.NewReader(text)}} {
		m, found, err := ReadMenu(r)
		if err != nil || !found.IsZero() {
			t.Fatal(found, err)
		}
		if m.URL != requested || m.Title != "A menu" || m.Form == nil || len(m.Form.Fields) != 4 || m.Form.URL != requested || m.Form.Fields[1].Default != "old" || m.Form.Fields[2].Default != "" {
			t.Errorf("%+v %+v", m, m.Form)
		}
		if _, err := m.Form.Submit(nil); !errors.Is(err, scheme.ErrUnsupported) {
			t.Error(err)
		}
		var got []scheme.Item
		for i, err := range m.Items {
			if err != nil {
				t.Fatal(err)
			}
			got = append(got, i)
		}
		if want := samples(); !reflect.DeepEqual(got, want) {
			t.Errorf("got  %+v\nwant %+v", got, want)
		}
	}
	if strings.Contains(text, "secret") || strings.ContainsAny(text, "\x1b\u202e") {
		t.Error(text)
	}
}

// A menu contains the URL after redirects. Titles in ISO Latin 1 and all URLs have the same
// bytes again.
func TestMenuFound(t *testing.T) {
	for _, octets := range []string{"caf\xe9 \xc3\xa9\xff", "caf\xc3\xa9", "\xe2\x82\xac"} {
		var b bytes.Buffer
		w := MenuWriter{Stored: true}
		at := func(host string) locus.URL {
			return locus.MustParse("wais://" + host + "/" + strings.ReplaceAll(octets, " ", ""))
		}
		form := NewForm(&scheme.Form{URL: at("form")}, at("requested"), nil)
		err := errors.Join(w.Begin(&b, MenuHead{Resource: NewResource(at("requested"), at("found"), "menu"), Form: form}), w.Item(&b, scheme.Item{URL: at("item"), Title: octets, Size: -1}),
			w.Item(&b, scheme.Item{URL: at("item"), Size: -1}), w.End(&b, nil))
		if err != nil {
			t.Fatal(err)
		}
		m, found, err := ReadMenu(&b)
		if err != nil || found != at("found") || m.URL != at("requested") || m.Form.URL != at("form") {
			t.Fatalf("%s, found at %s, %v", m.URL, found, err)
		}
		for i, err := range m.Items {
			if err != nil || i.URL != at("item") || i.Title != octets && i.Title != "" {
				t.Errorf("%s %q, %v", i.URL, i.Title, err)
			}
		}
	}
}

type oneOctet struct{ r io.Reader }

func (o oneOctet) Read(p []byte) (int, error) { return o.r.Read(p[:min(1, len(p))]) }

// After a round trip, a failure has the same kind, and the items before it remain.
func TestMenuBroken(t *testing.T) {
	_, syntax := locus.Parse("x")
	for _, failure := range []error{
		scheme.ErrNotFound, scheme.ErrUnreachable, scheme.ErrProtocol, scheme.ErrAuth, scheme.ErrTooLarge, scheme.ErrUnsupported,
		policy.ErrDenied, os.ErrDeadlineExceeded, context.DeadlineExceeded, context.Canceled, fs.ErrClosed, syntax,
	} {
		m, _, err := ReadMenu(strings.NewReader(write(t, samples(), failure)))
		if err != nil {
			t.Fatal(err)
		}
		n := 0
		var broken error
		for _, err := range m.Items {
			if broken = err; err == nil {
				n++
			}
		}
		if n != 3 || access.KindOf(broken) != access.KindOf(failure) {
			t.Errorf("%v: %d items, %v", failure, n, broken)
		}
	}
	text := write(t, samples(), nil)
	for cut := range len(text) - 1 {
		m, _, err := ReadMenu(strings.NewReader(text[:cut]))
		if err != nil {
			continue
		}
		var broken error
		for _, err := range m.Items {
			broken = err
		}
		if broken == nil {
			t.Errorf("%q is whole", text[:cut])
		}
	}
	for _, text := range []string{"", "null", "[]", `{"url":5}`, `{"url":"no url"}`, `{"url":"x:y"}`, `{"items":{}}`} {
		if _, _, err := ReadMenu(strings.NewReader(text)); err == nil {
			t.Errorf("%q is a menu", text)
		}
	}
}

func FuzzReadMenu(f *testing.F) {
	f.Add(write(f, samples(), nil))
	f.Add(write(f, nil, scheme.ErrNotFound))
	f.Add(`{"items":[{"url":null,"title":"x","kind":"info","fields":{"a":[{}],"b":[],"c":-1}}]}`)
	f.Fuzz(func(t *testing.T, text string) {
		m, _, err := ReadMenu(strings.NewReader(text))
		if err != nil {
			return
		}
		ended := false
		for i, err := range m.Items {
			if ended {
				t.Fatal("items follow an error")
			}
			if ended = err != nil; ended {
				continue
			}
			// A menu that was read can be written and read again with the same result.
			again, _, err := ReadMenu(strings.NewReader(write(t, []scheme.Item{i}, nil)))
			if err != nil {
				t.Fatal(err)
			}
			for j, err := range again.Items {
				if err != nil || j.URL != i.URL.WithoutPassword() || j.Kind != i.Kind || j.Size != i.Size || len(j.Fields) != len(i.Fields) {
					t.Fatalf("%+v, %+v, %v", i, j, err)
				}
			}
		}
	})
}
