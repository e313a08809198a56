package ftp

import (
	"errors"
	"io"
	"net/textproto"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"time"

	"github.com/locus-url/locus/access"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/internal/line"
)

func replies(r io.Reader) (list []reply, err error) {
	lines := line.NewReader(r, maxReply)
	for {
		reply, err := readReply(lines, maxReply)
		if err != nil {
			return list, err
		}
		list = append(list, reply)
	}
}

// recorded contains the reply codes in the recordings of four servers, counted by hand.
var recorded = map[string][]int{
	"inetutils-empty-cwd":     {220, 331, 230, 500, 550, 200, 227, 550, 257, 250, 250, 227, 150, 226, 221},
	"inetutils-ff-name":       {220, 331, 230, 200, 227, 550, 227, 150, 226, 221},
	"proftpd-empty-cwd":       {220, 331, 230, 501, 550, 200, 227, 550, 257, 250, 250, 227, 150, 226, 221},
	"proftpd-mlsd-nlst":       {220, 331, 230, 211, 200, 550, 200, 213, 213, 250, 227, 150, 226, 227, 150, 226, 227, 450, 229, 150, 226, 221},
	"pureftpd-curl-anon-list": {220, 230, 257, 250, 229, 200, 150, 226, 221},
	"pureftpd-empty-cwd":      {220, 331, 230, 250, 550, 200, 227, 550, 257, 250, 250, 227, 150, 226, 221},
	"vsftpd-bad-password":     {220, 331, 530},
	"vsftpd-curl-abs-type-a":  {220, 331, 230, 257, 250, 250, 229, 200, 150, 226, 221},
	"vsftpd-empty-cwd":        {220, 331, 230, 550, 550, 200, 227, 550, 257, 250, 250, 227, 150, 226, 221},
	"vsftpd-lwp-active":       {220, 331, 230, 257, 200, 250, 213, 200, 150, 226},
	"vsftpd-lynx-abs-type-a":  {220, 331, 230, 215, 229, 150, 226},
	"vsftpd-wget-pctslash":    {220, 331, 230, 215, 257, 200, 250, 213, 227, 150, 226},
}

func TestRecordedReplies(t *testing.T) {
	files, err := filepath.Glob("testdata/*.s2c.bin")
	if err != nil || len(files) != len(recorded) {
		t.Fatalf("%d recordings, %v; want %d", len(files), err, len(recorded))
	}
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		list, err := replies(f)
		f.Close()
		if !errors.Is(err, scheme.ErrProtocol) || !strings.Contains(err.Error(), "closed") {
			t.Errorf("%s: ends with %v", name, err)
		}
		var got []int
		for _, r := range list {
			got = append(got, r.code)
		}
		if want := recorded[strings.TrimSuffix(filepath.Base(name), ".s2c.bin")]; !slices.Equal(got, want) {
			t.Errorf("%s:\n got %v\nwant %v", name, got, want)
		}
	}
}

func TestReadReply(t *testing.T) {
	for _, c := range []struct {
		input string
		code  int
		lines int
		text  string
	}{
		{"220 ready\r\n", 220, 1, "ready"},
		{"220 ready\n", 220, 1, "ready"},
		{"220\r\n", 220, 1, ""},
		{"220 \r\n", 220, 1, ""},
		{"220-a\r\n220 b\r\n", 220, 2, "b"},
		{"220-a\r\n221 no end\r\n 220 nor this\r\n220-nor this\r\n2200\r\n\r\n220 end\r\n", 220, 7, "end"},
		{"220-a\r\n220\r\n", 220, 2, ""},
		{"220-a\r\n123 digits\r\n220 end\r\n", 220, 3, "end"},
	} {
		for _, in := range []io.Reader{strings.NewReader(c.input), iotest.OneByteReader(strings.NewReader(c.input))} {
			list, _ := replies(in)
			if len(list) != 1 || list[0].code != c.code || len(list[0].lines) != c.lines || list[0].text() != c.text {
				t.Errorf("%q: %+v", c.input, list)
			}
		}
	}
	for _, input := range []string{
		"hello\r\n", "22 x\r\n", "2200 x\r\n", "620 x\r\n", "020 x\r\n", "2x0 x\r\n", "220x\r\n", "\r\n", "220", "220-a\r\n220-b\r\n",
		"SSH-2.0-x\r\n", "220 " + strings.Repeat("x", maxReply) + "\r\n", "220-x\r\n" + strings.Repeat("\r\n", maxReply/2),
		strings.Repeat("220-x\r\n", maxReply/7+1),
	} {
		if list, err := replies(strings.NewReader(input)); len(list) != 0 || !errors.Is(err, scheme.ErrProtocol) {
			t.Errorf("%.40q: %d replies, %v", input, len(list), err)
		}
	}
}

func TestReplyError(t *testing.T) {
	for _, c := range []struct {
		command string
		code    int
		kind    error
	}{
		{"RETR x", 550, scheme.ErrNotFound}, {"CWD x", 550, scheme.ErrNotFound}, {"NLST x", 450, scheme.ErrNotFound}, {"RETR x", 450, scheme.ErrUnreachable},
		{"PASS ***", 530, scheme.ErrAuth}, {"USER x", 500, scheme.ErrAuth}, {"RETR x", 530, scheme.ErrAuth}, {"PASS ***", 332, scheme.ErrAuth},
		{"connection", 421, scheme.ErrUnreachable}, {"RETR x", 425, scheme.ErrUnreachable}, {"RETR x", 426, scheme.ErrProtocol}, {"RETR x", 451, scheme.ErrProtocol},
		{"CWD ", 501, scheme.ErrUnsupported}, {"TYPE E", 504, scheme.ErrUnsupported}, {"RETR x", 554, scheme.ErrProtocol}, {"RETR x", 226, scheme.ErrProtocol},
	} {
		err := refusal(c.command, reply{code: c.code, lines: []string{"000 no \x1b[2J\u00e9"}})
		var text *textproto.Error
		if !errors.Is(err, c.kind) || !errors.As(err, &text) || text.Code != c.code {
			t.Errorf("%s, %d: %v", c.command, c.code, err)
		}
		if strings.ContainsAny(err.Error(), "\x1b\u00e9") || !strings.Contains(err.Error(), strings.TrimSpace(c.command)) {
			t.Errorf("%s, %d: %q", c.command, c.code, err)
		}
	}
}

// A reply 4yz must cause a temporary error, because the client may repeat the command (RFC 959
// section 4.2).
func TestTemporary(t *testing.T) {
	for code, want := range map[int]bool{421: true, 425: true, 426: true, 450: true, 451: true, 452: true, 500: false, 501: false, 502: false, 503: false, 504: false, 530: false, 550: false, 551: false, 552: false, 554: false} {
		r := reply{code, []string{"000 no"}}
		if got, _ := access.Retry(refusal("RETR x", r)); got != want {
			t.Errorf("%d: temporary is %v", code, got)
		}
		if got, _ := access.Retry(failed("RETR x", r, scheme.ErrProtocol)); got != (code < 500) {
			t.Errorf("%d after the transfer: temporary is %v", code, got)
		}
	}
	// Some servers send this reply for a missing directory.
	if again, _ := access.Retry(refusal("LIST x", reply{450, []string{"450 no"}})); again {
		t.Error("a missing directory is temporary")
	}
}

func TestPassivePort(t *testing.T) {
	for text, want := range map[string]uint16{
		"227 Entering Passive Mode (127,0,0,1,143,123)":    143<<8 | 123,
		"227 Entering Passive Mode (127,0,0,1,129,223).":   129<<8 | 223,
		"227 Entering Passive Mode. 192,0,2,1,0,21":        21,
		"227 =10,0,0,1,255,255":                            65535,
		"227 Entering Passive Mode (127,0,0,1,256,1)":      0,
		"227 Entering Passive Mode (127,0,0,1,1)":          0,
		"227 Entering Passive Mode (127,0,0,1,0,0)":        0,
		"227 Entering Passive Mode (1,2,3,4,5,6,7)":        0,
		"227 Entering Passive Mode":                        0,
		"229 Entering Extended Passive Mode (|||33144|)":   33144,
		"229 Extended Passive mode OK (|||33346|)":         33346,
		"229 ok (!!!6446!)":                                6446,
		"229 ok (|||0|)":                                   0,
		"229 ok (|||65536|)":                               0,
		"229 ok (|1|127.0.0.1|6446|)":                      0,
		"229 ok (|||6446)":                                 0,
		"229 ok":                                           0,
		"200 Entering Extended Passive Mode (|||33144|)":   0,
		"229 Entering Extended Passive Mode (|||-33144|)":  0,
		"227 Entering Passive Mode (127,0,0,1,,1)":         0,
		"229 Entering Extended Passive Mode (||||||||||||": 0,
	} {
		list, _ := replies(strings.NewReader(text + "\r\n"))
		if port, ok := passivePort(list[0]); port != want || ok != (want != 0) {
			t.Errorf("%q: %d %v, want %d", text, port, ok, want)
		}
	}
}

func TestFacts(t *testing.T) {
	of := func(text string) reply { return reply{code: 213, lines: []string{"213 " + text}} }
	for text, want := range map[string]int64{"286": 286, " 0 ": 0, "-1": -1, "x": -1, "": -1, "99999999999999999999": -1} {
		if got := sizeReply(of(text)); got != want {
			t.Errorf("SIZE %q: %d", text, got)
		}
	}
	if got := sizeReply(reply{code: 550, lines: []string{"550 286"}}); got != -1 {
		t.Errorf("550: %d", got)
	}
	for text, want := range map[string]time.Time{
		"19941220123456":      time.Date(1994, 12, 20, 12, 34, 56, 0, time.UTC),
		"19941220123456.5":    time.Date(1994, 12, 20, 12, 34, 56, 5e8, time.UTC),
		"19941320123456":      {},
		"1994122012345":       {},
		"191001220123456":     {}, // year 19100, which some faulty servers send
		"":                    {},
		"19941220123456 more": {},
	} {
		if got := timeReply(of(text)); !got.Equal(want) {
			t.Errorf("MDTM %q: %v", text, got)
		}
	}
}
