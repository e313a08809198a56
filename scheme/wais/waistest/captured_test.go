package waistest_test

import (
	"bytes"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"go.uber.org/goleak"

	"github.com/locus-url/locus/scheme/wais/waistest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

const wire = "../testdata/wire"

func captured(t testing.TB, name string) []byte {
	t.Helper()
	octets, err := os.ReadFile(filepath.Join(wire, name))
	if err != nil {
		t.Fatal(err)
	}
	return octets
}

func start(t testing.TB, databases []waistest.Database, o *waistest.Options) *waistest.Server {
	t.Helper()
	s, err := waistest.Start(databases, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// filler returns a text with the given numbers of octets and lines, in place of a text that
// the captures do not contain.
func filler(octets, lines int) []byte {
	return []byte(strings.Repeat("x", octets-lines) + strings.Repeat("\n", lines))
}

// coastDatabase returns the database of the captures. The captures contain only the beginning
// of the catalogue. For the texts pilot, nonl and mole, they contain only the sizes and the
// numbers of lines.
func coastDatabase(t testing.TB) waistest.Database {
	const dir = "/wais/harbour/"
	document := func(name, wtype string, data []byte) waistest.Document {
		d := waistest.Document{Headline: name, Path: dir + name, Types: []waistest.Typed{{Wtype: wtype, Data: data}}}
		if wtype == "TEXT" {
			d.Headline += "   " + dir
		}
		return d
	}
	nonl := append(filler(84, 2), 'x')
	mole := document("mole.TEXT", "TEXT", filler(101, 4))
	mole.Types = append(mole.Types, waistest.Typed{Wtype: "GIF", Data: captured(t, "retrieve-multitype.doc.bin")})
	db := waistest.Database{
		Name: "coast",
		Documents: []waistest.Document{
			document("almanac.txt", "TEXT", captured(t, "retrieve-long-waissearch.doc.bin")),
		},
		Source:  captured(t, "describe-database.doc.bin"),
		Catalog: append(captured(t, "retrieve-catalogue.doc.bin"), filler(1545-32, 68)...),
	}
	at := 0
	for i, ship := range []string{"Albatross", "Petrel", "Cormorant", "Skua", "Puffin", "Fulmar"} {
		line := fmt.Sprintf("berth %d: the %s lies here, %d metres\n", i, ship, 10+3*i)
		berth := document("berths.lst", "TEXT", []byte(line))
		berth.Headline, berth.Start = strings.TrimSpace(line), at
		db.Documents = append(db.Documents, berth)
		at += len(line)
	}
	db.Documents = append(db.Documents,
		document("chart.gif", "GIF", captured(t, "retrieve-gif.doc.bin")),
		document("crlf.txt", "TEXT", captured(t, "retrieve-crlf.doc.bin")),
		document("index.html", "HTML", captured(t, "retrieve-html.doc.bin")),
		document("lamp.txt", "TEXT", captured(t, "lynx-retrieve.doc.bin")),
		document("latin.txt", "TEXT", captured(t, "retrieve-latin1.doc.bin")),
		mole,
		document("nonl.txt", "TEXT", nonl),
		document("pilot.txt", "TEXT", filler(249, 7)),
	)
	return db
}

// scores holds the scores in the captures. The first key consists of the words and the text of
// the example, and the second key is the file.
var scores = map[string]map[string]int{
	"almanac":      {"almanac.txt": 47},
	"lantern":      {"lamp.txt": 586},
	"mole":         {"mole.TEXT": 928, "coast.src": 150},
	"lantern mole": {"mole.TEXT": 928, "lamp.txt": 586},
	"metres":       {"berths.lst": 335},
	"harbour":      {"coast.src": 150},
	"harbour buoy": {
		"latin.txt": 502, "pilot.txt": 397, "index.html": 195, "nonl.txt": 167, "mole.TEXT": 164,
		"crlf.txt": 161, "lamp.txt": 155, "almanac.txt": 44,
	},
	"buoy 206": {
		"lamp.txt": 13077, "mole.TEXT": 1538, "pilot.txt": 940, "nonl.txt": 939, "latin.txt": 904, "index.html": 690,
		"crlf.txt": 513, "almanac.txt": 80, "berths.lst": 73,
	},
	"buoy 69": {
		"lamp.txt": 5290, "mole.TEXT": 846, "pilot.txt": 490, "latin.txt": 350, "nonl.txt": 321, "crlf.txt": 310, "almanac.txt": 61,
	},
}

func score(s waistest.Search, d *waistest.Document) int {
	key := strings.TrimSpace(s.Words)
	for _, text := range s.Like {
		key += " " + strconv.Itoa(len(text))
	}
	return scores[key][filepath.Base(d.Path)]
}

// packet returns the first packet in octets. If the packet is truncated, it returns all
// octets.
func packet(t testing.TB, octets []byte) []byte {
	t.Helper()
	const header, digits = 25, 10
	if len(octets) < header {
		return octets
	}
	n, err := strconv.Atoi(string(octets[:digits]))
	if err != nil {
		t.Fatal(err)
	}
	return octets[:min(header+n, len(octets))]
}

// receive reads a packet. If the connection is closed, it returns nil.
func receive(t testing.TB, c net.Conn) []byte {
	t.Helper()
	head := make([]byte, 25)
	switch n, err := io.ReadFull(c, head); {
	case n == 0 && err != nil:
		return nil
	case err != nil:
		t.Fatalf("%v after %q", err, head[:n])
	}
	n, err := strconv.Atoi(string(head[:10]))
	if err != nil {
		t.Fatal(err)
	}
	apdu := make([]byte, n)
	if _, err := io.ReadFull(c, apdu); err != nil {
		t.Fatal(err)
	}
	return append(head, apdu...)
}

func dial(t testing.TB, s *waistest.Server) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

// exchange sends the packets one after the other, and returns the responses.
func exchange(t testing.TB, c net.Conn, packets []byte) (replies []byte) {
	t.Helper()
	for len(packets) > 0 {
		p := packet(t, packets)
		if _, err := c.Write(p); err != nil {
			t.Fatal(err)
		}
		reply := receive(t, c)
		if reply == nil {
			return replies
		}
		replies = append(replies, reply...)
		packets = packets[len(p):]
	}
	return replies
}

// The server must respond to the captured requests with the captured responses, octet for
// octet.
func TestCaptures(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(wire, "*.c2s.bin"))
	if err != nil || len(names) == 0 {
		t.Fatal("no captures", err)
	}
	s := start(t, []waistest.Database{coastDatabase(t)}, &waistest.Options{Host: "localhost:8210", Score: score})
	for _, name := range names {
		name = strings.TrimSuffix(filepath.Base(name), ".c2s.bin")
		t.Run(name, func(t *testing.T) {
			sent, want := captured(t, name+".c2s.bin"), captured(t, name+".s2c.bin")
			c := dial(t, s)
			var got []byte
			if name == "pipelined" {
				if _, err := c.Write(sent); err != nil {
					t.Fatal(err)
				}
				got = receive(t, c)
			} else {
				got = exchange(t, c, sent)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("the server answers\n%q\nwant\n%q", got, want)
			}
		})
	}
}
