// Package archived helps schemes to archive menus. A [Buffer] collects the bytes of a menu for
// Menu.Source, and the other functions help Access.Archived to parse such bytes again.
package archived

import (
	"context"
	"io"
	"net"
	"time"

	"github.com/locus-url/locus/scheme"
)

// maxOctets limits the collected bytes of a menu. The newsgroup list of a large news server is
// about a tenth of this size.
const maxOctets = 64 << 20

// Buffer collects the bytes of a menu. A nil *Buffer collects nothing. It may be used by
// one goroutine at a time.
type Buffer struct {
	octets []byte
	full   bool
}

// For returns a Buffer if the Source field of the request is true and the request is not a
// probe. Otherwise it returns nil.
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

// Write adds bytes to the buffer. It never fails.
func (b *Buffer) Write(p []byte) (int, error) {
	switch {
	case b == nil || b.full:
	case len(b.octets)+len(p) > maxOctets:
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

// Tee returns a reader that reads from r and adds the bytes to the buffer.
func (b *Buffer) Tee(r io.Reader) io.Reader {
	if b == nil {
		return r
	}
	return io.TeeReader(r, b)
}

// Attach sets the Source function of the menu m. The parameter mediaType is the type that the
// server reported. If there were too many bytes, the Source function returns nil.
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

// Dialer is a [scheme.Dialer] for archived bytes. The connections of a Dialer read the same
// body, one connection after the other, and discard written bytes.
type Dialer struct{ body io.ReadCloser }

// NewDialer returns a Dialer that reads body. Closing a connection closes body.
func NewDialer(body io.ReadCloser) *Dialer { return &Dialer{body} }

// DialContext implements [scheme.Dialer]. It opens no network connection.
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

// Dated is implemented by a body with a known capture time. A scheme needs this time if
// dates in its format lack a year.
type Dated interface{ Date() time.Time }

// Date returns the time at which body was archived, or the current time if the capture time
// is unknown.
func Date(body io.Reader) time.Time {
	if d, ok := body.(Dated); ok && !d.Date().IsZero() {
		return d.Date()
	}
	return time.Now()
}

// Selected is the interface of a body whose request may select a range of items. A
// scheme that calls the function [Items] must apply the returned range.
type Selected interface{ Items() scheme.ItemRange }

// Items returns the range of items that the client requested from body. The zero ItemRange
// selects all items.
func Items(body io.Reader) scheme.ItemRange {
	if s, ok := body.(Selected); ok {
		return s.Items()
	}
	return scheme.ItemRange{}
}

// Object returns a copy of the object o that contains the whole body.
func Object(o scheme.Object, body io.ReadCloser) *scheme.Object {
	o.Size, o.Body = -1, body
	return &o
}
