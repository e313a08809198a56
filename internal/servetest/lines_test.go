package servetest

import (
	"io"
	"net"
	"slices"
	"strings"
	"testing"
)

func TestLineServer(t *testing.T) {
	l, err := Listen(nil)
	if err != nil {
		t.Fatal(err)
	}
	s := ServeLines(l, 100, strings.ToUpper)
	for sent, want := range map[string]string{"hello\r\n": "HELLO", strings.Repeat("x", 200): ""} {
		c, err := net.Dial("tcp", s.Addr())
		if err != nil {
			t.Fatal(err)
		}
		io.WriteString(c, sent)
		if got, _ := io.ReadAll(c); string(got) != want {
			t.Errorf("%q", got)
		}
		c.Close()
	}
	if got := s.Requests(); !slices.Equal(got, []string{"hello"}) {
		t.Errorf("%q", got)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
}
