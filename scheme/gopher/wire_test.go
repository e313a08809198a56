package gopher

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// capture is a recorded request and reply of real programs. The file testdata/wire/name.txt
// describes it, and other files contain the data.
type capture struct {
	name, peer string
	kind       string // kind of reply: menu, text, binary, plusmenu, plustext, plusbin, plusattrs or raw
	sent       string // the request, as quoted in the description
	c2s, s2c   []byte // the data that the client sent and received
	expect     []string
	note       string
}

// captures returns all captures, sorted by name.
func captures(t testing.TB) []capture {
	t.Helper()
	names, err := filepath.Glob("testdata/wire/*.txt")
	if err != nil || len(names) == 0 {
		t.Fatalf("no captures: %v", err)
	}
	list := make([]capture, len(names))
	for i, name := range names {
		list[i] = readCapture(t, strings.TrimSuffix(name, ".txt"))
	}
	return list
}

// captured returns the capture with the given name.
func captured(t testing.TB, name string) capture {
	t.Helper()
	return readCapture(t, filepath.Join("testdata", "wire", name))
}

func readCapture(t testing.TB, path string) capture {
	t.Helper()
	read := func(end string) []byte {
		octets, err := os.ReadFile(path + end)
		if err != nil {
			t.Fatal(err)
		}
		return octets
	}
	c := capture{c2s: read(".c2s.bin"), s2c: read(".s2c.bin")}
	for line := range strings.Lines(string(read(".txt"))) {
		key, value, ok := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		if !ok {
			continue
		}
		switch key {
		case "name":
			c.name = value
		case "peer":
			c.peer = value
		case "kind":
			c.kind = value
		case "sent":
			sent, err := strconv.Unquote(`"` + strings.ReplaceAll(value, `"`, `\"`) + `"`)
			if err != nil {
				t.Fatalf("%s: sent: %v", path, err)
			}
			c.sent = sent
		case "received": // the comparison of the data checks this
		case "expect":
			c.expect = append(c.expect, value)
		case "note":
			c.note = value
		default:
			t.Fatalf("%s: %q is unknown", path, key)
		}
	}
	return c
}

func TestCaptures(t *testing.T) {
	list := captures(t)
	for _, c := range list {
		if c.name == "" || c.peer == "" || c.kind == "" || c.note == "" || len(c.c2s) == 0 {
			t.Errorf("%s: incomplete", c.name)
		}
		if !bytes.Equal(c.c2s, []byte(c.sent)) {
			t.Errorf("%s: sent %q, and the text says %q", c.name, c.c2s, c.sent)
		}
	}
	if got := captured(t, list[0].name); got.peer != list[0].peer {
		t.Errorf("%s: another capture", list[0].name)
	}
}

// TestExpectations compares the replies of real servers with the expectations in the captures,
// except for expectations about attributes.
func TestExpectations(t *testing.T) {
	checked := 0
	for _, c := range captures(t) {
		t.Run(c.name, func(t *testing.T) {
			for _, want := range c.expect {
				form, _, _ := strings.Cut(want, ":")
				check, ok := expectations[form]
				if !ok {
					t.Fatalf("nothing checks %q", want)
				}
				if check == nil {
					continue
				}
				if got := check(c); !strings.HasPrefix(want, got) {
					t.Errorf("%s\n got %s\nwant %s", c.note, got, want)
				}
				checked++
			}
		})
	}
	if checked < 150 {
		t.Errorf("%d expectations", checked)
	}
}

// expectations maps each kind of expectation to a function that returns the actual value. In a
// capture, an explanation may follow the expected value.
var expectations = map[string]func(c capture) string{
	"header":                                expectHeader,
	"menu items":                            expectMenu,
	"binary body":                           func(c capture) string { return "binary body: " + sum(c.s2c) },
	"body":                                  expectBody,
	"body-sha256":                           func(c capture) string { return fmt.Sprintf("body-sha256: %x", sha256.Sum256(c.body(false))) },
	"final dot":                             nil, // this and the next one are about attributes
	"attribute blocks":                      nil,
	"text, terminator=first lone dot line ": func(c capture) string { return expectText(c, true) },
	"text, terminator=only a last-line dot": func(c capture) string { return expectText(c, false) },
}

func sum(octets []byte) string {
	return fmt.Sprintf("%d bytes sha256 %x", len(octets), sha256.Sum256(octets))
}

// header reads the Gopher+ header of the reply.
func (c capture) header() (plusHeader, *bufio.Reader) {
	r := bufio.NewReader(bytes.NewReader(c.s2c))
	if !strings.HasPrefix(c.kind, "plus") {
		return plusHeader{Length: lengthClose}, r
	}
	h, err := readHeader(r)
	if err != nil {
		panic(err)
	}
	return h, r
}

// body returns the reply without the header.
func (c capture) body(text bool) []byte {
	h, r := c.header()
	octets, err := io.ReadAll(h.Body(r, text))
	if err != nil {
		panic(err)
	}
	return octets
}

// rest returns the reply without the header, with all dots.
func (c capture) rest() []byte {
	_, r := c.header()
	octets, _ := io.ReadAll(r)
	return octets
}

func expectHeader(c capture) string {
	h, _ := c.header()
	switch {
	case !h.Plus:
		return "header: none"
	case h.Failed:
		return fmt.Sprintf("header: %v  status=failure length=%d", h, h.Length)
	}
	return fmt.Sprintf("header: %v  status=success length=%d", h, h.Length)
}

func expectMenu(c capture) string {
	// A reply that begins with +INFO contains attributes. The only such capture has a single
	// line.
	m := newMenuReader(bytes.NewReader(bytes.TrimPrefix(c.rest(), []byte(infoPrefix))), nil)
	items, malformed := 0, 0
	for {
		l, err := m.Next()
		if err == io.EOF {
			break
		} else if err != nil {
			panic(err)
		}
		items++
		if l.Assumed || l.Fault != nil {
			malformed++
		}
	}
	explanation := " (fewer than 4 fields)"
	if h, _ := c.header(); h.Plus && h.Length == lengthClose {
		explanation = ""
	}
	dot := strconv.FormatBool(m.terminated)
	return fmt.Sprintf("menu items: %d malformed%s: %d final dot seen: %s", items, explanation, malformed, strings.ToUpper(dot[:1])+dot[1:])
}

func expectBody(c capture) string {
	h, r := c.header()
	octets, err := io.ReadAll(h.Body(r, false))
	if err != nil {
		panic(err)
	}
	if h.Length == lengthClose {
		return fmt.Sprintf("body: %d bytes to close; sha256 %x", len(octets), sha256.Sum256(octets))
	}
	after, _ := io.ReadAll(r)
	return fmt.Sprintf("body: %d of %d announced bytes present; bytes after the announced body: %d", len(octets), h.Length, len(after))
}

func expectText(c capture, strict bool) string {
	read := func(octets []byte) []byte {
		text, err := io.ReadAll(textBody(bytes.NewReader(octets), &textOptions{Strict: strict}))
		if err != nil {
			panic(err)
		}
		return text
	}
	text := read(c.rest())
	// If data follows the lone dot, the reader must ignore the data, or treat the dot as part
	// of the text.
	more := read(append(c.rest(), "more"...))
	terminated, what := "False", "only a last-line dot"
	if string(more) != string(text)+"more" {
		terminated = "True"
	}
	if strict {
		what = "first lone dot line "
	} else if !bytes.Equal(text, c.body(true)) {
		return "another body"
	}
	return fmt.Sprintf("text, terminator=%s: %s terminated=%s", what, sum(text), terminated)
}
