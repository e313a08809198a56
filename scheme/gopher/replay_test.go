package gopher

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/locus-url/locus/scheme"
)

// replay is a dialer that connects to a server that replays a capture.
type replay struct {
	c     capture
	dials int
	sent  chan []byte
}

func (r *replay) DialContext(context.Context, string, string) (net.Conn, error) {
	client, server := net.Pipe()
	r.dials++
	again := r.dials > 1
	go func() {
		defer server.Close()
		lines := bufio.NewReader(server)
		got, _ := lines.ReadSlice('\n')
		got = bytes.Clone(got)
		rest := make([]byte, max(len(r.c.c2s)-len(got), 0))
		if again {
			rest = nil
		}
		if r.c.kind == "raw" {
			// A phone book client sends "quit" after it has received the reply.
			server.Write(r.c.s2c)
		}
		n, _ := io.ReadFull(lines, rest)
		if !again {
			r.sent <- append(got, rest[:n]...)
		}
		if r.c.kind != "raw" {
			server.Write(r.c.s2c)
		}
	}()
	return client, nil
}

// notReplayed lists captures with requests that no URL can express, and the reasons.
var notReplayed = map[string]string{
	"gn-text-lf-request":    "the request ends in LF without CR, which is never sent",
	"client-umn-cso-query":  "the words end in a blank",
	"client-umn-cso-fields": "the command fields is not a search",
	"client-lynx-cso":       "lynx takes no leave of the phone book",
	"cso-bad":               "frobnicate is not a search",
	"cso-status":            "status is not a search",
}

// captureTypes contains the gophertypes of captures, if the kind of the capture does not
// determine the gophertype.
var captureTypes = map[string]byte{
	"gn-url-redirect": '9', "py-url-redirect": '9', "gn-html": 'h', "umn-html": 'h', "gn-gif": 'g',
	"gn-search-qmark": '1', "py-plus-search": '7', "py-plus-two-tabs": '1', "umn-search-bang": '7', "umn-search-plus": '7',
}

// urlOf returns a URL for the captured request. The result literal reports whether the client
// sends this request only with Options.LiteralTabs.
func urlOf(t *testing.T, c capture) (g URL, literal bool) {
	t.Helper()
	line, data, _ := strings.Cut(string(c.c2s), "\r\n")
	p := Parts{Host: "h", Type: map[string]byte{"menu": '1', "plusmenu": '1', "binary": '9', "plusbin": '9', "plusattrs": '0', "raw": '2'}[c.kind]}
	if p.Type == 0 {
		p.Type = '0'
	}
	if gtype, ok := captureTypes[c.name]; ok {
		p.Type = gtype
	}
	if words, ok := strings.CutPrefix(line, "query "); ok && c.kind == "raw" {
		p.Search = &words
	} else {
		fields := strings.SplitN(line, "\t", 3)
		p.Selector = fields[0]
		switch {
		case len(fields) == 1:
		case fields[1] == "" || !strings.Contains("+!$", fields[1][:1]):
			p.Search = &fields[1]
			if len(fields) == 3 {
				p.Plus = &fields[2]
			}
			literal = fields[1] == "" && p.Type != '7'
			if c.kind == "menu" {
				p.Type = '7'
			}
		default:
			plus := strings.Join(fields[1:], "\t")
			if data != "" {
				plus += "\r\n" + data
			}
			p.Plus = &plus
		}
	}
	g, err := p.URL()
	if err != nil {
		t.Fatalf("%s: %v", c.name, err)
	}
	return g, literal
}

// wanted is the expected reply, which the text file of a capture describes.
type wanted struct {
	sum      string // checksum of an object's contents
	items    int    // number of items in a menu
	plus     bool
	failed   bool
	hasItems bool
}

func wants(t *testing.T, c capture) (w wanted) {
	t.Helper()
	w.plus = true
	for _, text := range c.expect {
		var n int
		sum := ""
		if i := strings.Index(text, "sha256 "); i >= 0 {
			sum = text[i+len("sha256 "):]
			sum, _, _ = strings.Cut(sum, " ")
		}
		switch {
		case strings.HasPrefix(text, "header: none"):
			w.plus = false
		case strings.HasPrefix(text, "header: -"):
			w.failed = true
		case strings.HasPrefix(text, "text, terminator=only a last-line dot"), strings.HasPrefix(text, "binary body"), strings.HasPrefix(text, "body: ") && sum != "":
			w.sum = sum
		case strings.HasPrefix(text, "body-sha256: "):
			w.sum = strings.TrimPrefix(text, "body-sha256: ")
		case strings.HasPrefix(text, "menu items: "):
			fmt.Sscanf(text, "menu items: %d", &n)
			w.items, w.hasItems = n, true
		case strings.Contains(text, "attribute blocks: "):
			fmt.Sscanf(text[strings.Index(text, "attribute blocks"):], "attribute blocks: %d", &n)
			w.items, w.hasItems = n, true
		}
	}
	return w
}

// For every captured request that a URL can express, the client must send the same request,
// octet for octet, and the result must match the capture.
func TestReplay(t *testing.T) {
	replayed := 0
	for _, c := range captures(t) {
		if notReplayed[c.name] != "" {
			continue
		}
		replayed++
		t.Run(c.name, func(t *testing.T) {
			g, literal := urlOf(t, c)
			r := &replay{c: c, sent: make(chan []byte, 1)}
			res, err := New(&Options{LiteralTabs: literal}).Open(t.Context(), &scheme.Request{URL: g.url, Dial: r})
			checkReplay(t, c, g, res, err)
			if sent := <-r.sent; !bytes.Equal(sent, c.c2s) {
				t.Errorf("%s: sends %q, want %q", g.URL(), sent, c.c2s)
			}
		})
	}
	if replayed < 85 {
		t.Errorf("%d captures were replayed", replayed)
	}
}

func checkReplay(t *testing.T, c capture, g URL, res scheme.Resource, err error) {
	t.Helper()
	w := wants(t, c)
	var refusal *ReplyError
	switch {
	case w.failed && g.hasPlus, isPlainError[c.name]:
		if !errors.As(err, &refusal) || refusal.Message == "" {
			t.Errorf("%s: %T, %v", g.URL(), res, err)
		}
		return
	case c.kind == "plusattrs" && !w.plus:
		if !errors.Is(err, scheme.ErrUnsupported) {
			t.Errorf("%s: %T, %v", g.URL(), res, err)
		}
		return
	case c.name == "cso-nomatch":
		if !errors.Is(err, scheme.ErrNotFound) {
			t.Errorf("%s: %v", g.URL(), err)
		}
		return
	case c.name == "cso-toomany":
		if err == nil {
			t.Errorf("%s: no error", g.URL())
		}
		return
	case err != nil:
		t.Fatalf("%s: %v", g.URL(), err)
	}
	defer res.Close()
	switch res := res.(type) {
	case *scheme.Object:
		octets, err := io.ReadAll(res.Body)
		if sum := fmt.Sprintf("%x", sha256.Sum256(octets)); err != nil || sum != w.sum {
			t.Errorf("%s: %d octets %q..., %v; sum %s, want %s", g.URL(), len(octets), octets[:min(len(octets), 40)], err, sum, w.sum)
		}
	case *scheme.Menu:
		items := 0
		for item, err := range res.Items {
			if err != nil {
				t.Fatalf("%s: %v", g.URL(), err)
			}
			if item.Title != "" || item.Kind == scheme.KindInfo {
				items++
			}
		}
		if w.hasItems && !strings.HasPrefix(g.plus, "!") && items != w.items {
			t.Errorf("%s: %d items, want %d", g.URL(), items, w.items)
		}
		if items == 0 && w.items != 0 {
			t.Errorf("%s: no items", g.URL())
		}
	}
}

// isPlainError lists captures whose reply is an error of plain Gopher.
var isPlainError = map[string]bool{
	"gn-error-menu": true, "py-error3": true, "umn-error-plain": true, "umn-two-tabs-rejected": true,
	"umn-error-badcommand": true,
}
