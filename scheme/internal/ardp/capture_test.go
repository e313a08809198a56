package ardp

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"
)

// Capture is a recorded conversation with the original Prospero server, or a handmade invalid
// conversation. Captures are files in testdata. Lines that begin with "#" are comments. A line
// that begins with "reply" contains the SHA-256 of a request and of its reply. Each other line is
// a datagram: its direction, the server (A or B), the time in milliseconds since the beginning,
// what happened to the datagram, and its octets.
type Capture struct {
	Name      string
	Datagrams []Datagram
	Replies   map[[sha256.Size]byte]string // hexadecimal checksums of the replies, by the checksum of the request
}

// Datagram is a datagram in a Capture.
type Datagram struct {
	Sent   bool // whether the client sent the datagram
	Server string
	Time   time.Duration
	Fate   string // delivered, lost, duplicate, delayed, removed, made
	Octets []byte
}

// ID returns the connection id of the datagram, or 0 if there is none.
func (d Datagram) ID() uint16 {
	h, _, _ := ParseHeader(d.Octets)
	return h.ID
}

// Data returns the octets that follow the datagram's header.
func (d Datagram) Data() []byte {
	_, data, _ := ParseHeader(d.Octets)
	return data
}

// ReadCapture reads testdata/name.txt.
func ReadCapture(t testing.TB, name string) Capture {
	t.Helper()
	text, err := os.ReadFile("testdata/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	c := Capture{Name: name, Replies: map[[sha256.Size]byte]string{}}
	for line := range strings.Lines(string(text)) {
		words := strings.Fields(line)
		switch words[0] {
		case "#":
		case "reply":
			sum, err := hex.DecodeString(words[1])
			if err != nil {
				t.Fatal(err)
			}
			c.Replies[[sha256.Size]byte(sum)] = words[2]
		default:
			d := Datagram{Sent: words[0] == "c2s", Server: words[1], Fate: words[3]}
			ms := 0
			if _, err := fmt.Sscan(words[2], &ms); err != nil {
				t.Fatal(err)
			}
			d.Time = time.Duration(ms) * time.Millisecond
			if len(words) > 4 {
				if d.Octets, err = hex.DecodeString(words[4]); err != nil {
					t.Fatal(err)
				}
			}
			c.Datagrams = append(c.Datagrams, d)
		}
	}
	return c
}

// Dialog is the part of a Capture that has one connection id.
type Dialog struct {
	ID        uint16
	Request   []byte
	Datagrams []Datagram
}

// Dialogs splits a capture into dialogs. In a handmade capture, all datagrams belong to the only
// request, even if they have another id.
func (c Capture) Dialogs() (list []*Dialog) {
	of := func(d Datagram) *Dialog {
		for _, x := range list {
			if id := d.ID(); !d.Sent && (d.Fate == "made" || id == 0) || id == x.ID || id == swapped(x.ID) {
				return x
			}
		}
		x := &Dialog{ID: d.ID()}
		list = append(list, x)
		return x
	}
	for _, d := range c.Datagrams {
		x := of(d)
		x.Datagrams = append(x.Datagrams, d)
	}
	for _, x := range list {
		x.Request = join(x.Datagrams, true)
	}
	return list
}

// Reply returns the server's message, which is the data of its packets in the order of their
// numbers.
func (x *Dialog) Reply() []byte { return join(x.Datagrams, false) }

// join returns the message that one side sent. It uses the simplest algorithm.
func join(list []Datagram, sent bool) (message []byte) {
	packets := map[uint16][]byte{}
	for _, d := range list {
		if h, data, err := ParseHeader(d.Octets); err == nil && d.Sent == sent {
			number, _ := h.Position()
			packets[uint16(number)] = data
		}
	}
	for n := uint16(1); packets[n] != nil; n++ {
		message = append(message, packets[n]...)
	}
	return message
}

// WantReply checks a reply against the checksums of the capture.
func (c Capture) WantReply(t *testing.T, request, reply []byte) {
	t.Helper()
	if got := fmt.Sprintf("%x", sha256.Sum256(reply)); got != c.Replies[sha256.Sum256(request)] {
		t.Errorf("the reply to %q is %d octets with sum %s: %q", request, len(reply), got, shorten(reply))
	}
}

func shorten(b []byte) []byte { return bytes.Clone(b[:min(len(b), 100)]) }
