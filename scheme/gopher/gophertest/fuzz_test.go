package gophertest

import (
	"bytes"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// FuzzRequest checks that the server closes the connection after any input, and that the log
// contains the unchanged request.
func FuzzRequest(f *testing.F) {
	sent, err := filepath.Glob("../testdata/wire/*.c2s.bin")
	if err != nil || len(sent) == 0 {
		f.Fatal("no captures", err)
	}
	for _, name := range sent {
		octets, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(octets)
	}
	for _, text := range []string{"\t\t\t\r\n", "0/survey\t+\t1\r\n+-2\r\n", "0/survey\t+\t1\r\n+99999999999999999999\r\n", "0/survey\t+\t1\r\n+-3\r\n", "find\t\t+\t1\r\n+1\r\nx"} {
		f.Add([]byte(text))
	}
	items, err := index(Item{Items: []Item{
		{Name: "report", Selector: "0/report", Data: ".", Views: []View{{Type: "a"}, {Type: "a", Language: "b"}}},
		{Name: "survey", Selector: "0/survey", Ask: []string{"Ask: x"}, Reply: Echo},
		{Name: "find", Selector: "find", Search: func(words string) []Item { return []Item{{Name: words}} }},
		{Name: "docs", Selector: "1/docs", Items: []Item{{Name: "x", Abstract: "y"}}},
	}})
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, request []byte) {
		s := &Server{o: Options{Idle: time.Minute, Admin: "a <b>"}, items: items, host: "h", port: 70}
		s.request(&canned{left: bytes.NewReader(request)})
		if len(s.log) > 1 || len(s.log) == 1 && !strings.HasPrefix(string(request), s.log[0]) {
			t.Errorf("log %q of %q", s.log, request)
		}
		if len(request) > 0 && len(s.log) == 0 {
			t.Errorf("no log of %q", request)
		}
	})
}

// canned is a connection whose peer has already sent all data, and discards what it receives.
type canned struct {
	net.Conn // nil
	left     *bytes.Reader
}

func (c *canned) Read(p []byte) (int, error)       { return c.left.Read(p) }
func (c *canned) Write(p []byte) (int, error)      { return len(p), nil }
func (c *canned) Close() error                     { return nil }
func (c *canned) SetDeadline(time.Time) error      { return nil }
func (c *canned) SetReadDeadline(time.Time) error  { return nil }
func (c *canned) SetWriteDeadline(time.Time) error { return nil }

// FuzzPhone checks that the phone book replies to any line with whole lines.
func FuzzPhone(f *testing.F) {
	for _, text := range []string{"query name=*a* return email", `query "a b" c=d`, "fields", "help", "quit", "", `"`, "return", "query =", "query *=*"} {
		f.Add(text)
	}
	s := &Server{o: Options{Phone: []Person{{Name: "a", Address: "b\nc"}}}}
	f.Fuzz(func(t *testing.T, line string) {
		answer, _ := s.phoneAnswer(line)
		if !strings.HasSuffix(answer, "\r\n") {
			t.Errorf("%q gets %q", line, answer)
		}
		last := answer[strings.LastIndex(strings.TrimSuffix(answer, "\r\n"), "\r\n")+1:]
		if strings.HasPrefix(strings.TrimPrefix(last, "\n"), "-") {
			t.Errorf("%q gets an answer without a last line: %q", line, answer)
		}
	})
}
