package get_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/locus-url/locus/cmd/locus/internal/commandtest"
	"github.com/locus-url/locus/scheme/news/newstest"
)

// emlFile writes a message to a file, and returns the URL of the file.
func emlFile(t *testing.T, octets string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "m.eml")
	if err := os.WriteFile(name, []byte(octets), 0o666); err != nil {
		t.Fatal(err)
	}
	return "file://" + name
}

const oneMessage = "From: =?iso-8859-1?Q?J=FCrgen?= <j@h.example>\r\nSubject: =?utf-8?q?=1B]0;x=07gr=C3=BCn?=\r\n" +
	"Message-ID: <m@h.example>\r\nReferences: <one@h.example>\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
	"--b\r\nContent-Type: text/plain; charset=koi8-r\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n=F0=D2=C9 \x1b[31mred\r\n" +
	"--b\r\nContent-Type: image/gif; name=\"a\x1b[2J.gif\"\r\nContent-Transfer-Encoding: base64\r\n\r\nR0lGADg=\r\n" +
	"--b\r\nContent-Type: message/rfc822\r\n\r\nSubject: within\r\n\r\ninner\r\n--b--\r\n"

func TestGetMessageTerminal(t *testing.T) {
	url := emlFile(t, oneMessage)
	got := runGet(t, commandtest.OnTerminal, url)
	for _, want := range []string{
		"Subject: \\x1b]0;x\\x07gr\u00fcn\n", "From: J\u00fcrgen <j@h.example>\n", "\n\u041f\u0440\u0438 \\x1b[31mred\n", "inner\n",
		"[2] image/gif ", "References:\nmid:one@h.example\n",
	} {
		if !strings.Contains(got.Out, want) {
			t.Errorf("%q lacks %q", got.Out, want)
		}
	}
	if strings.ContainsAny(got.Out, "\x1b\a\r") || got.Status != 0 || got.Err != "" {
		t.Errorf("%+v, want none of %q in out, status 0 and no err", got, "\x1b\a\r")
	}
	for _, test := range []struct {
		args   []string
		out    string
		status int
	}{
		{[]string{"--raw"}, oneMessage, 0},
		{[]string{"--part", "1"}, "\u041f\u0440\u0438 \\x1b[31mred", 0},
		{[]string{"--part", "1", "--raw"}, "\xf0\xd2\xc9 \x1b[31mred", 0},
		{[]string{"--part", "2"}, "", 3},
		{[]string{"--part", "2", "--raw"}, "GIF\x008", 0},
		{[]string{"--part", "3"}, "Subject: within\n\ninner\n", 0},
		{[]string{"--part", "4"}, "", 3},
		{[]string{"--part", "99999999999999999999"}, "", 3},
		{[]string{"--part", ""}, got.Out, 0},
		{[]string{"--part", "."}, "", 2},
		{[]string{"--part", "-1"}, "", 2},
	} {
		if got := runGet(t, commandtest.OnTerminal, append(test.args, url)...); got.Out != test.out || got.Status != test.status {
			t.Errorf("%q: %+v, want %q, status %d", test.args, got, test.out, test.status)
		}
	}
	// If the output is not a terminal, the command writes the unchanged message.
	if got := runGet(t, nil, url); got.Out != oneMessage || got.Status != 0 {
		t.Errorf("runGet(%q) = %+v, want out %q and status 0", url, got, oneMessage)
	}
	if got := runGet(t, nil, "--part", "1", url); got.Out != "\xf0\xd2\xc9 \x1b[31mred" || got.Status != 0 {
		t.Errorf("runGet(--part, 1, %q) = %+v, want out %q and status 0", url, got, "\xf0\xd2\xc9 \x1b[31mred")
	}
}

// If a file with the media type of a message is not a message, it is shown unchanged.
func TestGetNoMessage(t *testing.T) {
	if got := runGet(t, commandtest.OnTerminal, emlFile(t, "no \x1bheader\n")); got.Out != "no \\x1bheader\n" || got.Status != 0 {
		t.Errorf("runGet() = %+v, want out %q and status 0", got, "no \\x1bheader\n")
	}
	if got := runGet(t, commandtest.OnTerminal, emlFile(t, "\x00\x01")); got.Out != "" || got.Status != 3 {
		t.Errorf("runGet() = %+v, want no out and status 3", got)
	}
}

// A message with a hostile structure costs little time, and its valid parts are shown.
func TestGetMessageHostile(t *testing.T) {
	var deep strings.Builder
	deep.WriteString("Subject: deep\nMIME-Version: 1.0\n")
	for i := range 10_000 {
		fmt.Fprintf(&deep, "Content-Type: multipart/mixed; boundary=b%d\n\n--b%d\n", i, i)
	}
	for name, octets := range map[string]string{
		"deep": deep.String(),
		"wide": "Subject: wide\nContent-Type: multipart/mixed; boundary=b\n\n" + strings.Repeat("--b\n\n\n", 100_000),
	} {
		url := emlFile(t, octets)
		if got := runGet(t, commandtest.OnTerminal, url); got.Status != 0 || !strings.HasPrefix(got.Out, "Subject: "+name+"\n") {
			t.Errorf("%s: status %d, %.200q, %s, want status 0 and %q at the start of out", name, got.Status, got.Out, got.Err, "Subject: "+name+"\n")
		}
		if got := runGet(t, nil, "--json", url); got.Status != 0 || len(got.Out) > 4<<20 || !strings.Contains(got.Out, `"message":{"subject":"`+name) {
			t.Errorf("%s: status %d, %d octets, %s", name, got.Status, len(got.Out), got.Err)
		}
		if got := runGet(t, nil, "--part", "77777777", url); got.Status != 3 || len(got.Err) > 2000 {
			t.Errorf("%s: status %d, %.3000q, want status 3 and len(err) at most 2000", name, got.Status, got.Err)
		}
	}
	// An endless header line is an error. It is neither shown nor stored.
	url := emlFile(t, "Subject: "+strings.Repeat("x", 9<<20))
	if got := runGet(t, nil, "--json", url); got.Status != 3 || !strings.Contains(got.Out, `"kind":"too-large"`) || len(got.Out) > 1000 {
		t.Errorf("runGet(--json, %q) = status %d, %.2000q, want status 3, %q in out and len(out) at most 1000", url, got.Status, got.Out, `"kind":"too-large"`)
	}
	if got := runGet(t, commandtest.OnTerminal, url); got.Status != 3 || !strings.Contains(got.Err, "too large") {
		t.Errorf("runGet(%q) = status %d, %.2000q, want status 3 and %q in err", url, got.Status, got.Err, "too large")
	}
}

// The data before a lost connection is shown, then the error.
func TestGetArticleCut(t *testing.T) {
	article := "Subject: cut\r\nMessage-ID: <cut@h.example>\r\n\r\nfirst\r\nsecond\r\n"
	server, err := newstest.Start(newstest.Groups{"misc.test": {Articles: []string{article, article}}}, &newstest.Options{
		Fault: newstest.Fault{Drop: "ARTICLE", DropLines: 4},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	url := "nntp://" + server.Addr() + "/misc.test/1"
	got := runGet(t, commandtest.OnTerminal, url)
	if !strings.HasSuffix(got.Out, "\nfirst\n") || strings.Contains(got.Out, "second") || got.Status != 3 || got.Err == "" {
		t.Errorf("runGet(%q) = %+v, want %q at the end of out, no %q in out, status 3 and some err", url, got, "\nfirst\n", "second")
	}
	for _, args := range [][]string{{"--json", url}, {"--part", "1", url}, {"--json", "--part", "1", url}} {
		if got := runGet(t, nil, args...); got.Status != 3 || strings.Contains(got.Out, `"message":{`) || strings.HasPrefix(got.Out, "first") {
			t.Errorf("%q: %+v, want status 3, no %q in out and no %q at the start of out", args, got, `"message":{`, "first")
		}
	}
	dir := t.TempDir()
	if got := runGet(t, nil, "-o", filepath.Join(dir, "x"), "--part", "1", url); got.Status != 3 {
		t.Errorf("runGet(-o, --part, 1, %q) = %+v, want status 3", url, got)
	}
	if files, _ := os.ReadDir(dir); len(files) != 0 {
		t.Errorf("ReadDir(%q) = %v, want no files", dir, files)
	}
}

// If a list breaks off in the middle, the output contains the items that arrived.
func TestGetNewsgroupCut(t *testing.T) {
	article := "Subject: %d\r\nMessage-ID: <%[1]d@h.example>\r\n\r\nx\r\n"
	server, err := newstest.Start(newstest.Groups{"misc.test": {Articles: []string{fmt.Sprintf(article, 1), fmt.Sprintf(article, 2)}}}, &newstest.Options{
		Fault: newstest.Fault{Drop: "OVER", DropLines: 1},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	url := "nntp://" + server.Addr() + "/misc.test"
	if got := runGet(t, nil, url); got.Status != 3 || got.Out != "1\t"+url+"/1\n" {
		t.Errorf("runGet(%q) = %+v, want status 3 and out %q", url, got, "1\t"+url+"/1\n")
	}
	if got := runGet(t, commandtest.OnTerminal, url); got.Status != 3 || strings.Count(got.Out, "\n") != 1 {
		t.Errorf("runGet(%q) = %+v, want status 3", url, got)
	}
}
