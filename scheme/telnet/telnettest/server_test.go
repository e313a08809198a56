package telnettest_test

import (
	"context"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
	"github.com/locus-url/locus/scheme/telnet"
	"github.com/locus-url/locus/scheme/telnet/telnettest"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// testContext returns a context with a timeout, which prevents a failing test from hanging.
func testContext(t *testing.T) context.Context {
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	t.Cleanup(cancel)
	return ctx
}

// running returns a function that checks the results of a Start function and closes the server at
// the end of the test.
func running(t *testing.T) func(*telnettest.Server, error) *telnettest.Server {
	return func(s *telnettest.Server, err error) *telnettest.Server {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { s.Close() })
		return s
	}
}

// open opens a session with the client of package telnet.
func open(t *testing.T, s *telnettest.Server, url string, o *telnet.Options) *testSession {
	t.Helper()
	ctx := testContext(t)
	res, err := telnet.New(o).Open(ctx, &scheme.Request{URL: locus.MustParse(url + s.Addr() + "/"), Dial: new(net.Dialer)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { res.Close() })
	return &testSession{t: t, Terminal: res.(*scheme.Session).Conn}
}

// testSession is a session and the output that was read from it.
type testSession struct {
	t *testing.T
	scheme.Terminal
	seen string
}

// expect reads the output until text appears, and returns the output up to and including text.
func (k *testSession) expect(text string) string {
	k.t.Helper()
	buf := make([]byte, 4096)
	for {
		if i := strings.Index(k.seen, text); i >= 0 {
			seen := k.seen[:i+len(text)]
			k.seen = k.seen[i+len(text):]
			return seen
		}
		n, err := k.Read(buf)
		k.seen += string(buf[:n])
		if err != nil {
			k.t.Fatalf("waiting for %q: %v after %q", text, err, k.seen)
		}
	}
}

// types sends text and waits for the expected output.
func (k *testSession) types(text, expect string) string {
	k.t.Helper()
	if _, err := k.Write([]byte(text)); err != nil {
		k.t.Fatal(err)
	}
	return k.expect(expect)
}

// end waits for the end of the session and closes the session.
func (k *testSession) end() {
	k.t.Helper()
	if _, err := io.ReadAll(k); err != nil {
		k.t.Error(err)
	}
	if err := k.Close(); err != nil {
		k.t.Error(err)
	}
}
