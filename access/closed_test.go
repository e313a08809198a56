package access_test

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"net"
	"strings"
	"testing"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
)

// An error because the caller closed a resource is not the server's fault.
func TestClosedByTheCaller(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			defer c.Close()
		}
	}()
	s := scheme.Generic("silent", scheme.Extension)
	s.Access.Opener = scheme.OpenerFunc(func(ctx context.Context, req *scheme.Request) (scheme.Resource, error) {
		c, err := req.Dial.DialContext(ctx, "tcp", l.Addr().String())
		if err != nil {
			return nil, err
		}
		return &scheme.Object{URL: req.URL, Size: -1, Body: c}, nil
	})
	registry, err := scheme.NewRegistry(s)
	if err != nil {
		t.Fatal(err)
	}
	c := access.New(registry, anyAddress(t), nil)
	defer c.Close()
	open := func() *scheme.Object {
		res, err := c.Open(t.Context(), "silent://"+l.Addr().String()+"/")
		if err != nil {
			t.Fatal(err)
		}
		return res.Resource.(*scheme.Object)
	}
	check := func(err error, says string) {
		t.Helper()
		if access.KindOf(err) != access.Interrupted || !errors.Is(err, fs.ErrClosed) || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "server") {
			t.Errorf("%s: %v", access.KindOf(err), err)
		}
	}
	o := open()
	o.Close()
	_, err = o.Body.Read(make([]byte, 1))
	check(err, "the resource was closed")
	o = open()
	read := make(chan error)
	go func() {
		_, err := io.ReadAll(o.Body)
		read <- err
	}()
	c.Close()
	check(<-read, "the client was closed")
	o.Close()
	_, err = c.Open(t.Context(), "silent://"+l.Addr().String()+"/")
	check(err, "the client was closed")
}
