package archived

import (
	"bytes"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/locus-url/locus/scheme"
)

func TestBuffer(t *testing.T) {
	if For(&scheme.Request{}) != nil || For(&scheme.Request{Source: true, Probe: true}) != nil {
		t.Error("a buffer without a request for one")
	}
	b := For(&scheme.Request{Source: true})
	io.Copy(io.Discard, b.Tee(strings.NewReader("old")))
	b.Reset()
	io.Copy(io.Discard, b.Tee(strings.NewReader("octets, dropped")))
	b.Truncate(len("octets"))
	m := new(scheme.Menu)
	b.Attach(m, "text/x")
	if octets, kind := m.Source(); string(octets) != "octets" || kind != "text/x" || b.Len() != 6 {
		t.Errorf("%q, %q", octets, kind)
	}
	for range maxOctets>>20 + 1 {
		b.Write(make([]byte, 1<<20))
	}
	b.Write([]byte("x"))
	if octets, _ := m.Source(); octets != nil {
		t.Errorf("%d octets", len(octets))
	}
}

func TestNoBuffer(t *testing.T) {
	var b *Buffer
	b.Reset()
	b.Truncate(0)
	in := strings.NewReader("x")
	m := new(scheme.Menu)
	b.Attach(m, "")
	if n, err := b.Write([]byte("abc")); n != 3 || err != nil || b.Len() != 0 || b.Tee(in) != io.Reader(in) || m.Source != nil {
		t.Error(n, err)
	}
}

type datedBody struct {
	*bytes.Reader
	date time.Time
}

func (d datedBody) Date() time.Time { return d.date }

func TestDate(t *testing.T) {
	then := time.Date(1996, 5, 1, 0, 0, 0, 0, time.UTC)
	if got := Date(datedBody{date: then}); !got.Equal(then) {
		t.Error(got)
	}
	for _, r := range []io.Reader{datedBody{}, strings.NewReader("")} {
		if got := Date(r); time.Since(got) > time.Hour {
			t.Error(got)
		}
	}
}
