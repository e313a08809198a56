package scheme_test

import (
	"errors"
	"net"
	"testing"

	"github.com/locus-url/locus/scheme"
)

func TestPlainTerminal(t *testing.T) {
	near, far := net.Pipe()
	defer far.Close()
	c := scheme.PlainTerminal(near)
	if c.Echoes() || c.Commands() != nil || c.Status() != nil || c.SetWindow(80, 24) != nil || !errors.Is(c.Command("break"), scheme.ErrUnsupported) {
		t.Error("more than octets")
	}
	c.OnChange(nil)
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if _, err := near.Write([]byte("x")); err == nil {
		t.Error("the connection outlives its terminal")
	}
}
