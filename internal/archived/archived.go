// Package archived helps schemes to collect the bytes of a menu, for Menu.Source, and to read
// them again, for Access.Archived.
package archived

import (
	"context"
	"io"
	"net"
	"time"

	"github.com/locus-url/locus/scheme"
)

// most limits the collected bytes of a menu. The newsgroup list of a large news server has about a
// tenth of this size.
const most = 64 << 20

// Buffer collects the bytes of a menu. A nil *Buffer collects nothing. It may be used by
// one goroutine at a time.
type Buffer struct {
	octets []byte
	full   bool
}

// For returns a Buffer if the request's Source is set and the request is not a probe, and
// otherwise nil.
func For(req *scheme.Request) *Buffer {
	if !req.Source || req.Probe {
		return nil
	}
	return new(Buffer)
}

// Reset drops the collected bytes.
func (b *Buffer) Reset() {
	if b != nil {
		*b = Buffer{}
	}
}

// Write adds octets. It never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	switch {
	case b == nil || b.full:
	case len(b.octets)+len(p) > most:
		*b = Buffer{full: true}
	default:
		b.octets = append(b.octets, p...)
	}
	return len(p), nil
}

// Len returns the number of collected bytes.
func (b *Buffer) Len() int {
	if b == nil {
		return 0
	}
	return len(b.octets)
}

// Truncate drops all bytes except the first n.
func (b *Buffer) Truncate(n int) {
	if b != nil && !b.full {
		b.octets = b.octets[:n]
	}
}

// Tee returns a reader of r that adds the bytes it reads.
func (b *Buffer) Tee(r io.Reader) io.Reader {
	if b == nil {
		return r
	}
	return io.TeeReader(r, b)
}

// Attach sets the Source of m. The parameter mediaType is the type that the server reported. If there
// were too many bytes, Source returns nil.
func (b *Buffer) Attach(m *scheme.Menu, mediaType string) {
	if b == nil {
		return
	}
	m.Source = func() ([]byte, string) {
		if b.octets == nil && !b.full {
			return []byte{}, mediaType // an empty menu
		}
		return b.octets, mediaType
	}
}

// Dialer is a [scheme.Dialer] for archived bytes. Its connections read a body, one after the
// other, and discard written bytes.
type Dialer struct{ body io.ReadCloser }

// NewDialer returns a Dialer for body. Closing a connection closes body.
func NewDialer(body io.ReadCloser) *Dialer { return &Dialer{body} }

// DialContext implements [scheme.Dialer]. It opens no connection.
func (d *Dialer) DialContext(context.Context, string, string) (net.Conn, error) {
	return conn{d.body}, nil
}

type conn struct{ io.ReadCloser }

func (conn) Write(p []byte) (int, error)      { return len(p), nil }
func (conn) LocalAddr() net.Addr              { return address{} }
func (conn) RemoteAddr() net.Addr             { return address{} }
func (conn) SetDeadline(time.Time) error      { return nil }
func (conn) SetReadDeadline(time.Time) error  { return nil }
func (conn) SetWriteDeadline(time.Time) error { return nil }

type address struct{}

func (address) Network() string { return "archived" }
func (address) String() string  { return "archived" }

// Dated is a body with the time of its capture, for formats with dates that lack a year.
type Dated interface{ Date() time.Time }

// Date returns the time when body was archived, or the current time if that is unknown.
func Date(body io.Reader) time.Time {
	if d, ok := body.(Dated); ok && !d.Date().IsZero() {
		return d.Date()
	}
	return time.Now()
}

// Selected is a body with the range of items that the request selects. A scheme that calls
// the function [Items] must apply the returned range.
type Selected interface{ Items() scheme.ItemRange }

// Items returns the range of items that the request for body selects. The zero ItemRange
// selects all items.
func Items(body io.Reader) scheme.ItemRange {
	if s, ok := body.(Selected); ok {
		return s.Items()
	}
	return scheme.ItemRange{}
}

// Object returns an object with the whole of body.
func Object(o scheme.Object, body io.ReadCloser) *scheme.Object {
	o.Size, o.Body = -1, body
	return &o
}
