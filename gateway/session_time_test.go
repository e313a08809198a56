package gateway

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"github.com/locus-url/locus"
	"github.com/locus-url/locus/scheme"
)

// bridged is a terminal between a service and a page. The test plays both roles.
type bridged struct {
	page    *websocket.Conn
	service net.Conn
	reason  chan error
}

func bridge(t *testing.T, ctx context.Context) *bridged {
	t.Helper()
	l := newPipes()
	b := &bridged{reason: make(chan error, 1)}
	near, far := net.Pipe()
	b.service = far
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.CloseNow()
		term := &terminal{conn: conn, ctx: ctx, session: &scheme.Session{URL: locus.MustParse("telnet://h/"), Conn: scheme.PlainTerminal(near)}}
		term.keys = newKeyboard(term.session.Conn, term.echo)
		b.reason <- term.run()
	})}
	go server.Serve(l)
	transport := &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return l.dial(), nil }}
	conn, _, err := websocket.Dial(t.Context(), "ws://gateway/", &websocket.DialOptions{HTTPClient: &http.Client{Transport: transport}})
	if err != nil {
		t.Fatal(err)
	}
	b.page = conn
	t.Cleanup(func() {
		conn.CloseNow()
		far.Close()
		near.Close()
		server.Close()
		transport.CloseIdleConnections()
	})
	return b
}

// toEnd reads the messages to the page, and returns the last message and the close status.
func (b *bridged) toEnd(t *testing.T) (told string, end websocket.StatusCode) {
	for {
		kind, data, err := b.page.Read(t.Context())
		if err != nil {
			return told, websocket.CloseStatus(err)
		}
		if kind == websocket.MessageText {
			told = string(data)
		}
	}
}

// A session ends after its time limit, and the page receives the reason.
func TestSessionTimes(t *testing.T) {
	for _, test := range []struct {
		name string
		want error
		took time.Duration
		do   func(ctx context.Context, b *bridged)
	}{
		{"nothing is typed", errIdle, sessionIdle, func(context.Context, *bridged) {}},
		{"something is typed", errIdle, sessionIdle + time.Minute, func(ctx context.Context, b *bridged) {
			time.Sleep(time.Minute)
			b.page.Write(ctx, websocket.MessageBinary, []byte("a"))
		}},
		{"the service reads nothing", errStuck, writeTime, func(ctx context.Context, b *bridged) {
			b.page.Write(ctx, websocket.MessageBinary, []byte("a\r"))
		}},
		{"a long session", errLasted, sessionTime, func(ctx context.Context, b *bridged) {
			go io.Copy(io.Discard, b.service)
			for b.page.Write(ctx, websocket.MessageBinary, []byte("a\r")) == nil {
				// The page must not write at the instant of the end, because a failed write
				// closes the client's connection before the client has read the reason.
				time.Sleep(7 * time.Minute)
			}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				all := newSessions()
				ctx, end, _ := all.begin()
				b := bridge(t, ctx)
				begun := time.Now()
				var typing sync.WaitGroup
				typing.Go(func() { test.do(t.Context(), b) })
				told, code := b.toEnd(t)
				reason := <-b.reason
				if took := time.Since(begun).Round(time.Second); reason != test.want || took != test.took {
					t.Errorf("%v after %v, want %v after %v", reason, took, test.want, test.took)
				}
				if !strings.Contains(told, test.want.Error()) || code == -1 {
					t.Errorf("told %s, status %v", told, code)
				}
				typing.Wait()
				end()
				all.endAll()
			})
		})
	}
}

// The gateway disconnects a page that reads nothing.
func TestSessionSlowPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		b := bridge(t, t.Context())
		go func() {
			for {
				if _, err := io.WriteString(b.service, "text\r\n"); err != nil {
					return
				}
			}
		}()
		begun := time.Now()
		if reason := <-b.reason; reason != errSlow || time.Since(begun) < writeTime {
			t.Errorf("%v after %v", reason, time.Since(begun))
		}
	})
}
