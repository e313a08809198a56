package ftptest_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus/internal/servetest"
	"github.com/locus-url/locus/scheme/ftp/ftptest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

func TestFromFS(t *testing.T) {
	when := time.Date(1994, 12, 20, 12, 34, 56, 0, time.UTC)
	files, err := ftptest.FromFS(fstest.MapFS{"a/x": {Data: []byte("x"), ModTime: when}, "b": {Mode: 0o755 | 1<<31}})
	if err != nil || len(files) != 3 || files["a/x"].Data != "x" || !files["a/x"].ModTime.Equal(when) {
		t.Errorf("%+v, %v", files, err)
	}
	if _, ok := files["b/"]; !ok {
		t.Errorf("%+v lacks the empty directory", files)
	}
}

// converse sends commands one by one and returns the first line of each reply.
func converse(t *testing.T, address string, commands ...string) (replies []string) {
	t.Helper()
	c, err := net.Dial("tcp", address)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	r := bufio.NewReader(c)
	r.ReadString('\n')
	for _, command := range commands {
		io.WriteString(c, command+"\r\n")
		text, err := r.ReadString('\n')
		if err != nil {
			t.Fatal(err)
		}
		replies = append(replies, text[:3])
	}
	return replies
}

func TestConversation(t *testing.T) {
	l, err := servetest.Listen(nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := ftptest.Start(ftptest.Files{"a/x": {Data: "x"}}, &ftptest.Options{User: "u", Password: "p", Listener: l})
	if err != nil {
		t.Fatal(err)
	}
	commands := "CWD a=530|USER u=331|PASS x=530|USER u=331|PASS p=230|PWD=257|CWD a=250|CDUP=250|CWD b=550|CWD =250|TYPE X=504|TYPE A=200|" +
		"SIZE a/x=550|TYPE I=200|SIZE a/x=213|MDTM a/x=213|MDTM y=550|REST x=501|REST 1=350|RETR a/x=425|RETR y=550|NLST y=550|LIST=425|" +
		"PORT 1,2,3=501|PORT 192,0,2,1,0,21=501|EPRT x=501|AUTH TLS=502|PROT P=536|NOOP=200|SYST=215|ABOR=226|DELE a/x=550|STOR x=500|quit=221"
	var sent, want []string
	for pair := range strings.SplitSeq(commands, "|") {
		command, code, _ := strings.Cut(pair, "=")
		sent, want = append(sent, command), append(want, code)
	}
	if got := converse(t, s.Addr(), sent...); fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("%q:\n got %q\nwant %q", sent, got, want)
	}
	if log := s.Log(); len(log) != 1 || fmt.Sprint(log[0]) != fmt.Sprint(sent) {
		t.Errorf("log %q", log)
	}
	if err := s.Close(); err != nil {
		t.Error(err)
	}
	if _, err := l.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("still there after Close: %v", err)
	}
}

// Close must not wait for a client that does not read the transferred data.
func TestCloseWhileWaiting(t *testing.T) {
	s, err := ftptest.Start(ftptest.Files{"x": {Data: "x"}}, &ftptest.Options{NoPassword: true})
	if err != nil {
		t.Fatal(err)
	}
	c, err := net.Dial("tcp", s.Addr())
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	io.WriteString(c, "USER u\r\nEPSV\r\n")
	r := bufio.NewReader(c)
	for range 3 {
		if _, err := r.ReadString('\n'); err != nil {
			t.Fatal(err)
		}
	}
	io.WriteString(c, "RETR x\r\n")
	began := time.Now()
	s.Close()
	if took := time.Since(began); took > 30*time.Second {
		t.Errorf("took %v", took)
	}
}
